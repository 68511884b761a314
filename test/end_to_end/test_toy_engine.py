# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An engine that no file of the compiler knows goes through all passes."""

from __future__ import annotations

import re

import numpy as np
import pytest
from copied_product_text import Case, kernel, problem
from lowered_levels import lowered_levels
from toy_engine import ATOM, toy_engine

import cuda_tile
from cuda_tile import UserError

LEVELS = ("place", "stage", "ring", "roles", "skew", "issue", "count", "barriers")
CASE = Case("f32", "f32", (32, 32, 16), (64, 32, 80))


def planned(case: Case, more: str = "") -> str:
    """The kernel of a case, whose product has the toy's atom in its plan."""
    plan = f'{{tileas.plan = {{atom = "{ATOM.name}"{more}}}}}'
    return re.sub(r"(= mmaf [^:]*?) :", rf"\1 {plan} :", kernel(case))


@pytest.mark.parametrize("lag", [0, 1])
@pytest.mark.parametrize("sizes", [CASE.sizes, (32, 32, 16), (40, 56, 48)])
def test_an_engine_of_a_test_agrees_on_all_levels(
    lag: int, sizes: tuple[int, int, int]
) -> None:
    case = Case("f32", "f32", CASE.tile, sizes, divisor=8)
    with toy_engine():
        module = cuda_tile.load(planned(case, f", lag = {lag} : i64").encode())
        lowered = lowered_levels(module, "sm_90", LEVELS)
        for level, run in (("tiles", module), *lowered):
            args, expected, grid = problem(case)
            cuda_tile.run(run, grid=grid, args=args)
            assert np.array_equal(args[2], expected), level
        args, expected, grid = problem(case)
        cuda_tile.run(
            module, grid=grid, args=args, on="emulator", gpu="sm_90", mode="adversarial"
        )
        assert np.array_equal(args[2], expected)


def test_passes_pipeline_it_like_other_engines() -> None:
    with toy_engine():
        module = cuda_tile.load(planned(CASE, ", lag = 1 : i64").encode())
        text = str(cuda_tile.lower(module, "sm_90", until="skew"))
    assert 'drain = "testing_product"' in text
    loop = text[text.index("for ") :]
    assert "iter_values" in loop
    assert "!tileas.pending" in loop
    assert re.search(r"tileas.release .* after\(", text)


def test_its_refusals_are_those_of_a_plan() -> None:
    by_registers = planned(CASE, ', lhs = "register"').encode()
    with toy_engine(), pytest.raises(UserError, match="expected lhs to be shared for"):
        cuda_tile.compile(cuda_tile.load(by_registers), "sm_90", cubin=False)
    text = planned(CASE).encode()
    with pytest.raises(UserError, match=r"expected atom to be one of .*got 'toy8x4'"):
        cuda_tile.compile(cuda_tile.load(text), "sm_90", cubin=False)
    with toy_engine(), pytest.raises(UserError, match="expected sm_90 for atom toy8x4"):
        cuda_tile.compile(cuda_tile.load(text), "sm_80", cubin=False)
