# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs: MLIR's passes preserve the results of our ops.

The programs are those of test/emit, and some with branches and loops that end early;
the interpreter runs each before and after. CUDA_TILE_RANDOM_PROGRAMS says how many of
each kind (50 if not set).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from control_steps import CONTROL
from emit_control import loop, pointer_trip, round_trip, store_results
from emit_data import Array, Buffer, mismatch
from emit_elementwise import STEPS
from emit_memory import any_leaf
from emit_program import Program
from emit_shape import MOVES, REDUCTIONS, random_shape
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cuda_tile
from cuda_tile._mlir.passmanager import PassManager

Step = Callable[[Program], None]

KINDS: dict[str, Sequence[Step]] = {
    "elementwise": STEPS,
    "shape": (*MOVES, *MOVES, *STEPS),
    "memory": (round_trip, pointer_trip, *REDUCTIONS, *MOVES),
    "loop": (loop, loop, *MOVES, *STEPS),
    "control": (*CONTROL, *CONTROL, loop, *MOVES),
}
PIPELINE = "fold-constants,cse,loop-invariant-code-motion,fold-constants,cse"
OTHERS = "sccp,remove-dead-values,inline,cuda_tile.module(symbol-dce)"
COUNT = int(os.environ.get("CUDA_TILE_RANDOM_PROGRAMS", "50"))


@st.composite
def programs(draw: Any, steps: Sequence[Step]) -> Program:
    """A finished kernel."""
    p = Program(draw, "k", grid=draw(st.integers(1, 2)))
    for _ in range(p.number(1, 3)):
        any_leaf(p, random_shape(p))
    for _ in range(p.number(1, 8)):
        p.pick(steps)(p)
    store_results(p, least=2)
    return p


def memories(module: Any, program: Program) -> list[Array]:
    """What each pointer's memory holds after the program ran on fresh memory."""
    args: list[Any] = []
    found: list[Array] = []
    for arg in program.args:
        if isinstance(arg, Buffer):
            memory, view = arg.bind()
            found.append(memory)
            args.append(view)
        else:
            args.append(arg)
    cuda_tile.run(module, program.name, grid=(program.grid,), args=args, on="interp")
    return found


def check_same(program: Program, expected: list[Array], module: Any) -> None:
    """The module computes what is expected of the program."""
    buffers = [arg for arg in program.args if isinstance(arg, Buffer)]
    for buffer, mine, theirs in zip(
        buffers, expected, memories(module, program), strict=True
    ):
        said = mismatch(mine, theirs, is_inexact=buffer.is_inexact)
        assert not said, f"{said}\n{program.entry()}\n{module}"


@pytest.mark.parametrize("kind", KINDS)
def test_results_stay(kind: str) -> None:
    @settings(
        max_examples=COUNT,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(programs(KINDS[kind]), st.booleans())
    def check(program: Program, others_first: bool) -> None:
        text = f"cuda_tile.module @m {{\n{program.entry()}\n}}\n"
        module = cuda_tile.load(text.encode())
        expected = memories(module, program)
        with module.context:
            if others_first:
                PassManager.parse(f"builtin.module({OTHERS})").run(module.operation)
            manager = PassManager.parse(f"builtin.module({PIPELINE})")
            manager.run(module.operation)
            once = str(module)
            manager.run(module.operation)
        assert str(module) == once, f"no fixed point:\n{text}\n{once}\n{module}"
        check_same(program, expected, module)

    check()
