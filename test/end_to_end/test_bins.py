# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Atomics on few known places are collected in shared memory before they are made."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import numpy as np
import pytest
from lowered_levels import lowered_levels
from stream_kernels import Stream
from stream_runs import check, emulate

import cuda_tile
from cuda_tile import builder as b
from cuda_tile.emulator import FindingError, launch_recorded

MODES: dict[str, Any] = {
    "add": np.add,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "max": np.maximum,
    "min": np.minimum,
    "umax": np.maximum,
    "umin": np.minimum,
}
SIZE, ITERATIONS, BLOCKS = 512, 2, 3
COLLECTED = "red.relaxed.cta.shared"
BARRIERS = 3
"""Of an iteration: before the places are cleared, before and after the sums."""


def kernel(mode: str, bins: int, order: str, x: Any, y: Any, out: Any) -> None:
    """Updates `out` at x by y, where y is no multiple of 4, some tiles one by one."""

    def iteration(i: Any) -> None:
        first = (b.get_tile_block_id()[0] * ITERATIONS + i) * SIZE
        places = first + b.iota(SIZE)
        index = b.load_ptr_tko(x + places)[0]
        value = b.load_ptr_tko(y + places)[0]
        if bins:
            index = b.assume_bounded(index, 0, bins - 1)
        mask = b.bitand(value, 3) != 0
        b.atomic_rmw_tko(
            out + index, mode, value, mask, memory_ordering_semantics=order
        )

    b.for_loop(0, ITERATIONS, 1, [], iteration)


def launch(mode: str, bins: int) -> Any:
    generator = np.random.default_rng(bins)
    count = SIZE * ITERATIONS * BLOCKS
    x = generator.integers(0, bins, count).astype(np.int32)
    y = generator.integers(-(2**31), 2**31, count).astype(np.int32)
    out = generator.integers(-(2**31), 2**31, bins + 1).astype(np.int32)
    wanted, chosen = out.copy(), y & 3 != 0
    kind = np.uint32 if mode.startswith("u") else np.int32
    MODES[mode].at(wanted.view(kind), x[chosen], y[chosen].view(kind))
    return (BLOCKS,), [x, y, out], {2: wanted}


def stream(mode: str, bins: int, known: int, order: str = "relaxed") -> Stream:
    return Stream(
        mode,
        ([b.Int32],) * 3,
        partial(kernel, mode, known, order),
        partial(launch, mode, bins),
        tolerance=0,
    )


@pytest.mark.parametrize("bins", [5, 200])
@pytest.mark.parametrize("mode", MODES)
def test_modes(mode: str, bins: int) -> None:
    gpu = "sm_80" if bins == 5 else "sm_90"
    made = stream(mode, bins, bins)
    compiled = cuda_tile.compile(made.module(), gpu, cubin=False)
    assert COLLECTED in compiled.ptx
    for seed in range(2):
        emulate(made, gpu, seed, compiled)


@pytest.mark.parametrize("mode", ["add", "umin"])
def test_levels(mode: str) -> None:
    made = stream(mode, 30, 30)
    for last, lowered in lowered_levels(made.module(), "sm_90"):
        grid, args, wanted = made.launch()
        cuda_tile.run(lowered, grid=grid, args=args)
        check(made, args, wanted, f"after {last}")


@pytest.mark.parametrize(
    ("bins", "known", "order"),
    [(30, 0, "relaxed"), (300, 300, "relaxed"), (30, 30, "acq_rel")],
)
def test_what_is_not_collected(bins: int, known: int, order: str) -> None:
    module = stream("add", bins, known, order).module()
    assert COLLECTED not in cuda_tile.compile(module, "sm_90", cubin=False).ptx


def test_each_barrier_is_needed() -> None:
    """Each of an iteration; LLVM may have written out both iterations."""
    made = stream("add", 30, 30)
    compiled = cuda_tile.compile(made.module(), "sm_90", cubin=False)
    pieces = re.split(r"(\tbar\.sync.*\n)", compiled.ptx)
    barriers = range(1, len(pieces), 2)
    assert len(barriers) in (BARRIERS, 2 * BARRIERS)
    record = compiled.launch["stream"].to_json()
    for number in range(BARRIERS):
        cut = set(barriers[number::BARRIERS])
        text = "".join(p for at, p in enumerate(pieces) if at not in cut)
        assert is_found(made, text, record), number


def is_found(made: Stream, text: str, record: Any) -> bool:
    """Whether the emulator reports a fault under some seed, or the result is wrong."""
    for seed in range(8):
        grid, args, wanted = made.launch()
        try:
            launch_recorded(
                text,
                "stream",
                record,
                grid=(grid[0], 1, 1),
                args=args,
                mode="adversarial",
                seed=seed,
            )
            check(made, args, wanted, "")
        except (FindingError, AssertionError):
            return True
    return False
