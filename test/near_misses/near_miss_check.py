# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a rewrite fires on a program: with the plan that `plan` chooses, or another.

`differential_check` gives some programs a plan by hand, which their seed draws; a
rewrite that may not fire must not fire with either.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path

from differential_case import Case
from differential_plans import DrawnPlan
from near_miss import Miss, Seed

import cuda_tile
from cuda_tile.options import Options
from cuda_tile.pipeline import NAMES

FOLDER = Path(__file__).parent
PLANNED = NAMES[NAMES.index("plan") :]
"""Passes that a plan by hand has to do with."""


def seeds() -> Iterator[Seed]:
    """The seeds of all contracts."""
    for path in sorted(FOLDER.glob("seeds_*.py")):
        yield from importlib.import_module(path.stem).SEEDS


def case_of(seed: Seed, miss: Miss | None = None) -> Case:
    """The program of a seed, or of a near miss."""
    name = f"{seed.contract}, {seed.name}" + (f", {miss.name}" if miss else "")
    return Case.parse(seed.text(miss), name)


def has_fired(seed: Seed, case: Case, gpu: str) -> bool:
    """Whether the seed's rewrite fires on a program, with one of its plans."""
    plans = (None, DrawnPlan.of(case.seed))[: 1 + (seed.step in PLANNED)]
    return any(seed.fired(*around(case, gpu, seed.step, plan)) for plan in plans)


def around(case: Case, gpu: str, step: str, plan: DrawnPlan | None) -> tuple[str, str]:
    """A module's text before and behind a pass."""
    module = cuda_tile.load(case.body.encode())
    texts = [str(module)]
    cuda_tile.lower(
        module,
        until=step,
        options=Options(gpu=gpu, num_warps=case.num_warps, check=True),
        after={"plan": plan.add_to} if plan else {},
        observe=lambda _, level: texts.append(str(level)),
    )
    return texts[-2], texts[-1]
