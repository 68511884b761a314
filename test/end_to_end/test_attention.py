# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention in its variants: the interpreter at levels T and W, and the emulator.

Level W computes what level T does, bit for bit: sums of rows are the only ones whose
order is open, and the interpreter takes one order. The emulator adds in the order of
the machine, so that results differ by what rounding to 16 bits leaves.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile.ir.launch import parameter_types
from cuda_tile.ir.walk import find_entry
from cuda_tile.runtime.spread import spread_args

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))

from attention_kernels import Attention

pytestmark = pytest.mark.sampled(4)

Array = np.ndarray[Any, Any]
LEVELS = ("skew", "issue", "barriers")
SEEDS = 8
ERROR = {"f16": 2.0**-9, "bf16": 2.0**-6}
"""Of results below 4 whose weights are rounded to a type, as they are."""
CASES: dict[str, tuple[Attention, tuple[int, int, int]]] = {
    "all keys": (Attention("full", 64, rows=64, keys=32), (1, 64, 96)),
    "a mask in every iteration": (
        Attention("causal", 64, rows=64, keys=32),
        (1, 128, 128),
    ),
    "a loop with a mask": (Attention("split", 64, rows=64, keys=32), (1, 128, 128)),
    "ragged keys": (Attention("ragged", 64, rows=64, keys=32), (1, 40, 75)),
    "grouped heads": (
        Attention("split", 64, rows=64, keys=32, element="bf16", group=2),
        (2, 64, 64),
    ),
    "values are the keys": (
        Attention("causal", 64, rows=64, keys=32, has_values=False),
        (1, 128, 128),
    ),
    "one iteration": (Attention("full", 64, rows=64, keys=64), (1, 64, 64)),
}
"""Kernels, each with heads, queries and keys."""


@cache
def kernel(name: str) -> tuple[ir.Module, Any]:
    module = cuda_tile.load(CASES[name][0].text().encode())
    return module, cuda_tile.compile(module, "sm_90")


def run(name: str, module: ir.Module, **how: Any) -> tuple[Array, list[Any]]:
    """What a module computes, and its arguments."""
    attention, size = CASES[name]
    grid, values = attention.launch(*size)
    entry = find_entry(kernel(name)[0].operation, None)
    args = spread_args("kernel", parameter_types(entry), values)
    cuda_tile.run(module, grid=grid, args=args, **how)
    return np.asarray(values[3], np.float64), values


@pytest.mark.parametrize("name", CASES)
def test_level_w_computes_the_same(name: str) -> None:
    module, _ = kernel(name)
    expected, values = run(name, module)
    attention = CASES[name][0]
    error = np.abs(expected - attention.reference(values)).max()
    assert error <= ERROR[attention.element]
    for at in LEVELS:
        lowered = cuda_tile.lower(module, "sm_90", until=at)
        assert np.array_equal(run(name, lowered)[0], expected), at


@pytest.mark.parametrize("name", CASES)
def test_the_emulator_computes_the_same(name: str, draws: Callable[[int], int]) -> None:
    module, compiled = kernel(name)
    (report,) = compiled.report.kernels
    assert not compiled.report.warnings
    assert not report.spill_bytes
    attention = CASES[name][0]
    how = {"on": "emulator", "gpu": "sm_90", "mode": "adversarial"}
    for seed in range(draws(SEEDS)):
        found, values = run(name, module, compiled=compiled, seed=seed, **how)
        error = np.abs(found - attention.reference(values)).max()
        assert error <= ERROR[attention.element], seed


def test_products_are_awaited_behind_what_threads_compute() -> None:
    """An event before the last wait of an iteration; none with one product."""
    _, compiled = kernel("all keys")
    lines = [line.strip() for line in compiled.ptx.splitlines()]
    waits = [n for n, line in enumerate(lines) if line.startswith("wgmma.wait_group")]
    events = [n for n, line in enumerate(lines) if line.startswith("pmevent")]
    assert len(events) == 1, "the loop's, and none at its peeled ends"
    behind = next(n for n in waits if n > events[0])
    before = max(n for n in waits if n < events[0])
    exponentials = [n for n, line in enumerate(lines) if line.startswith("ex2")]
    assert sum(before < n < events[0] for n in exponentials) >= 16
    assert not any(events[0] < n < behind for n in exponentials)


def test_a_tile_of_an_early_and_a_late_product_is_copied_for_each() -> None:
    """So that they overlap: an event stands in front of each loop's last wait."""
    module, compiled = kernel("values are the keys")
    assert compiled.ptx.count("pmevent") == 2, "an open loop, and a masked one"
    text = str(cuda_tile.lower(module, "sm_90", until="ring"))
    assert text.count("tileas.ring fill") == 3, "queries, keys, keys as values"


LARGE = {
    "results take the slots of two rings": (Attention("full", 256, stored="f32"), 192),
    "one slot for each ring": (Attention("full", 256, keys=128), 256),
}
"""Kernels that need almost all of shared memory, each with keys."""


@pytest.mark.parametrize("name", LARGE)
def test_large_tiles(name: str) -> None:
    attention, keys = LARGE[name]
    module = cuda_tile.load(attention.text().encode())
    text = str(cuda_tile.lower(module, "sm_90", until="barriers"))
    slots = [int(n) for n in re.findall(r"= tileas.ring .*ring<(\d),", text)]
    if attention.stored:  # 128 KB do not fit between mbarriers: these stand apart
        assert text.count("tileas.mbarriers") == 3
    assert slots == ([1, 2, 2] if attention.stored else [1, 1, 1])
    compiled = cuda_tile.compile(module, "sm_90")
    (report,) = compiled.report.kernels
    assert not report.spill_bytes
    grid, values = attention.launch(1, attention.rows, keys)
    entry = find_entry(module.operation, None)
    args = spread_args("kernel", parameter_types(entry), values)
    how: dict[str, Any] = {"gpu": "sm_90", "mode": "adversarial", "seed": 1}
    cuda_tile.run(module, grid=grid, args=args, on="emulator", compiled=compiled, **how)
    error = np.abs(np.asarray(values[3], np.float64) - attention.reference(values))
    assert error.max() <= ERROR["f16"]
