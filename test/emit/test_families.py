# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs: emulator on the PTX against interpreter on the Tile IR.

The two share only the program's text, so bitwise agreement shows that layouts,
addresses, predicates, shuffles and arithmetic of the compiler are right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from emit_control import (
    loop,
    looping_round_trip,
    pointer_trip,
    product,
    round_trip,
    store_results,
)
from emit_elementwise import STEPS
from emit_memory import any_leaf
from emit_program import Case, Program, run_case
from emit_shape import MOVES, REDUCTIONS, random_shape
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

Step = Callable[[Program], None]

KINDS: dict[str, tuple[Sequence[Step], int]] = {
    "elementwise": (STEPS, 8),
    "shape": ((*MOVES, *MOVES, *STEPS), 8),
    "reduce": ((*REDUCTIONS, *REDUCTIONS, *MOVES, *STEPS), 6),
    "memory": ((round_trip, looping_round_trip, pointer_trip, *MOVES), 5),
    "loop": ((loop, loop, *MOVES, *REDUCTIONS, *STEPS), 5),
    "product": ((product, *MOVES), 2),
}
"""The steps of each kind of program, and how many of them a program has at most."""

EXAMPLES = 40
SETTINGS = settings(
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@st.composite
def programs(draw: Any, steps: Sequence[Step], most: int, name: str) -> Program:
    """A finished kernel."""
    p = Program(draw, name, grid=draw(st.integers(1, 3)))
    for _ in range(p.number(1, 3)):
        any_leaf(p, random_shape(p))
    for _ in range(p.number(1, most)):
        p.pick(steps)(p)
    store_results(p, least=2)
    return p


@st.composite
def cases(draw: Any, kind: str) -> Case:
    """A module with one or two kernels."""
    steps, most = KINDS[kind]
    names = draw(st.sampled_from((["k"], ["k"], ["first", "second"])))
    entries = tuple(draw(programs(steps, most, name)) for name in names)
    body = "\n".join(entry.entry() for entry in entries)
    text = f"cuda_tile.module @m {{\n{body}\n}}\n"
    warps = None if kind == "product" else draw(st.sampled_from((None, 1, 2, 4, 8)))
    return Case(text, entries, warps, draw(st.sampled_from(("fast", "adversarial"))))


@pytest.mark.parametrize("kind", KINDS)
def test_emulator_agrees_with_interpreter(
    kind: str, draws: Callable[[int], int]
) -> None:
    @settings(SETTINGS, max_examples=draws(EXAMPLES))
    @given(cases(kind), st.sampled_from(("sm_80", "sm_90")))
    def check(case: Case, gpu: str) -> None:
        run_case(case, gpu)

    check()
