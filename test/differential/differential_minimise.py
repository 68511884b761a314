# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a failing program small: fewer steps, fewer regions, fewer blocks and warps.

Each try is a recipe of its own, written and checked anew; it is kept if it fails in
the same place and way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from differential_case import Case, make_case
from differential_check import Failure
from differential_program import Recipe, Step
from differential_steps import write_program

Check = Callable[[Case], Failure | None]


def minimise(
    recipe: Recipe, failure: Failure, check: Check, *, tries: int = 300
) -> tuple[Recipe, Failure]:
    """The smallest recipe found that fails as `recipe` does, and its failure.

    Args:
        recipe: A recipe whose program fails.
        failure: How it fails.
        check: Checks a program.
        tries: How many programs to check at most.
    """
    progress = True
    while progress and tries > 0:
        progress = False
        for smaller in _smaller(recipe):
            tries -= 1
            if tries < 0:
                break
            again = check(make_case(smaller, write_program(smaller)))
            if again is not None and again.is_like(failure):
                recipe, failure, progress = smaller, again, True
                break
    return recipe, failure


def _smaller(recipe: Recipe) -> Iterator[Recipe]:
    """Recipes with a little less, those with much less first."""
    for steps in _fewer(recipe.steps):
        yield replace(recipe, steps=steps)
    if recipe.grid > 1:
        yield replace(recipe, grid=1)
    for warps in (1, 2, 4):
        if recipe.num_warps is None or warps < recipe.num_warps:
            yield replace(recipe, num_warps=warps)


def _fewer(steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    """Steps with a run of them gone, with a region's steps instead of it, or less."""
    length = len(steps)
    while length > 1:
        length //= 2
        for start in range(0, len(steps), length):
            yield steps[:start] + steps[start + length :]
    for i, step in enumerate(steps):
        if len(steps) == 1:
            yield ()
        for body in step.bodies:
            yield steps[:i] + body + steps[i + 1 :]
    for i, step in enumerate(steps):
        for j, body in enumerate(step.bodies):
            for fewer in _fewer(body):
                bodies = (*step.bodies[:j], fewer, *step.bodies[j + 1 :])
                changed = replace(step, bodies=bodies)
                yield (*steps[:i], changed, *steps[i + 1 :])
