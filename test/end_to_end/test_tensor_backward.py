# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention backward in tensor memory: sums that begin again as they are stay there."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ptx_mutation import mutants

import cuda_tile
from cuda_tile import UserError
from cuda_tile._mlir import ir
from cuda_tile.ir.launch import parameter_types
from cuda_tile.ir.walk import find_entry
from cuda_tile.runtime.spread import spread_args

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))

from backward_kernels import Backward

pytestmark = pytest.mark.sampled(3)

CHIP = "sm_100"
ERROR = 2.0**-7
"""Beside the largest result, of weights that are rounded to f16."""
ITERATIONS = 3
CASES = {
    "keys and values": Backward(64, has_queries=False),
    "all": Backward(64),
    "rows": Backward(128, by_queries=True),
    "32 queries": Backward(64, queries=32, has_queries=False),
}
BY_THREADS = {"rows": 1}
"""Products for whose sums no columns are left."""


@cache
def kernel(name: str) -> tuple[ir.Module, Any]:
    module = cuda_tile.load(CASES[name].text().encode())
    return module, cuda_tile.compile(module, CHIP)


def error_of(name: str, module: ir.Module, iterations: int, **how: Any) -> float:
    """The largest error of a run, beside the largest result."""
    case = CASES[name]
    grid, values = case.launch(1, iterations * case.queries, case.keys)
    kinds = parameter_types(find_entry(module.operation, None))
    args = spread_args("backward", kinds, values)
    cuda_tile.run(module, grid=grid, args=args, **how)
    pairs = zip(values[6:-1], case.reference(values), strict=True)
    errors = [
        np.abs(np.asarray(found, np.float64) - wanted).max() / np.abs(wanted).max()
        for found, wanted in pairs
    ]
    return float(max(errors))


@pytest.mark.parametrize("level", ["place", "skew", "barriers"])
@pytest.mark.parametrize("name", CASES)
def test_the_interpreter_is_right(name: str, level: str) -> None:
    module, _ = kernel(name)
    lowered = cuda_tile.lower(module, CHIP, until=level)
    assert error_of(name, lowered, ITERATIONS) <= ERROR


@pytest.mark.parametrize("name", CASES)
def test_the_emulator_is_right(name: str, draws: Callable[[int], int]) -> None:
    module, compiled = kernel(name)
    (report,) = compiled.report.kernels
    assert ("mma.sync" in compiled.ptx) == (name in BY_THREADS)
    assert not report.spill_bytes
    how = {"on": "emulator", "gpu": CHIP, "mode": "adversarial", "compiled": compiled}
    for seed in range(draws(4)):
        for iterations in (1, ITERATIONS):
            assert error_of(name, module, iterations, seed=seed, **how) <= ERROR


def test_no_thread_moves_the_gradients_in_the_loop() -> None:
    """They are stored once, as zeros, and loaded once: of 128 x 64, twice 32 words."""
    _, compiled = kernel("keys and values")
    assert len(re.findall(r"tcgen05\.st\.", compiled.ptx)) == 2
    text = str(cuda_tile.lower(kernel("keys and values")[0], CHIP, until="barriers"))
    loop = text[text.index(" = for ") :]
    loop = loop[: loop.index("continue")]
    again = re.findall(r"(%\w+) = tileas.await %\w+ .*?\n.*?settled \1 ", loop)
    assert len(again) == 2


def is_noticed(module: ir.Module, compiled: Any) -> bool:
    """Whether a run of the gradients of keys and values is a finding, or wrong."""
    how = {"on": "emulator", "gpu": CHIP, "mode": "adversarial", "compiled": compiled}
    try:
        return error_of("keys and values", module, 5, **how) > ERROR
    except UserError:
        return True


def test_a_deleted_wait_is_noticed(draws: Callable[[int], int]) -> None:
    """Threads store the next operand once the product that reads it is done.

    But for one: behind the loop threads store the operand of one product where the
    other one's was, and products of one thread add to a sum in their order.
    """
    module, compiled = kernel("keys and values")
    waits = [
        mutant
        for mutant in mutants(compiled.ptx)
        if mutant.change == "delete"
        and mutant.instruction.startswith("mbarrier.try_wait.shared")
    ]
    assert len(waits) > 1
    some = waits[:: max(1, len(waits) // draws(len(waits)))]
    silent = [
        mutant.instruction
        for mutant in some
        if not is_noticed(module, replace(compiled, ptx=mutant.text))
    ]
    assert len(silent) <= 1
