# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A role of its own for products in tensor memory: who runs what, and mutants of it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from copied_product_text import Case, problem
from test_tcgen05 import ACC, BODIES, CHIP, F16, check, loop, planned

import cuda_tile

LEVELS = ("roles", "skew", "issue", "count", "barriers")
LONG = replace(F16, sizes=(256, 128, 448))
OWN = 'role "products"'
CASES = {
    "more_iterations_than_slots": LONG,
    "one_iteration": replace(F16, sizes=(128, 64, 64)),
    "m64": replace(F16, tile=(64, 64, 64)),
    "m256": replace(F16, tile=(256, 32, 32)),
    "odd_extents": replace(F16, sizes=(200, 72, 88), divisor=8),
    "both_transposed": replace(F16, transposed=(True, True)),
    "f16_sums": replace(F16, result="f16"),
    "e4m3": Case("f8E4M3FN", "f32", (128, 64, 64), (128, 128, 192)),
    "i8": Case("i8", "i32", (128, 64, 64), (128, 64, 192)),
}


def of_roles(case: Case, warps: tuple[int, int] = (4, 1), more: str = "") -> str:
    """A kernel with a role that loads, and one that multiplies where that may be."""
    return planned(case, warps).replace(
        "{num_warps", f'{{{more}roles = "load", num_warps'
    )


def lowered(text: str, level: str = "barriers") -> str:
    """The kernel behind a pass."""
    return str(cuda_tile.lower(cuda_tile.load(text.encode()), CHIP, until=level))


def regions(text: str) -> dict[str, str]:
    """The text of each role."""
    parts = re.split(r'role "(\w+)"', text)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_who_multiplies_neither_loads_nor_stores() -> None:
    parts = regions(lowered(of_roles(LONG)))
    assert list(parts) == ["work", "products", "load"]
    assert "tileas.tcgen05" in parts["products"]
    assert "tileas.copy_in" in parts["load"]
    work = parts["work"]
    assert "for %" not in work
    assert "tileas.copy_out" in work
    steps = [s for s in ("acquire", "deposit", "publish") if s in parts["products"]]
    assert steps == ["acquire", "deposit", "publish"]
    assert work.index("take") < work.index("load_shared") < work.index("release")


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("level", LEVELS)
def test_each_level_computes_the_product(name: str, level: str) -> None:
    case = CASES[name]
    module = cuda_tile.load(of_roles(case).encode())
    made = cuda_tile.lower(module, CHIP, until=level)
    assert OWN in str(made)
    args, expected, grid = problem(case)
    cuda_tile.run(made, grid=grid, args=args)
    assert np.array_equal(args[2], expected)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("mode", ["fast", "adversarial"])
def test_the_emulator_computes_it(name: str, mode: str) -> None:
    check(CASES[name], of_roles(CASES[name]), mode=mode)


def run_in_one_cta(text: str, case: Case, seed: int = 0, **how: Any) -> None:
    """Runs all tiles in one CTA on the emulator; their results are exact."""
    args, expected, grid = problem(case)
    cuda_tile.run(
        cuda_tile.load(text.encode()),
        grid=grid,
        args=args,
        on="emulator",
        gpu=CHIP,
        mode="adversarial",
        seed=seed,
        resident_ctas=1,
        **how,
    )
    assert np.array_equal(args[2], expected)


def test_more_warps_share_the_sum() -> None:
    check(LONG, of_roles(LONG, (4, 2)))


@pytest.mark.parametrize("seed", range(4))
def test_blocks_of_a_persistent_kernel_wait_for_the_sum(seed: int) -> None:
    text = of_roles(LONG, more="persistent = 1 : i64, tile_group = 1 : i64, ")
    assert OWN in lowered(text)
    run_in_one_cta(text, LONG, seed)


def test_a_loop_without_an_iteration_leaves_zero() -> None:
    text = of_roles(F16)
    bound = re.search(r"for %\w+ in \(%\w+ to (%\w+),", text)
    assert bound is not None
    text = text.replace(f"to {bound[1]},", "to %none,")
    none = "%none = divi %xk, %big signed : tile<i32>"
    big = "%big = constant <i32: 1048576> : tile<i32>"
    zero = "%zero = constant"
    text = text.replace(zero, f"{big}\n    {none}\n    {zero}", 1)
    args, expected, grid = problem(F16)
    args[2][:] = 7
    module = cuda_tile.load(text.encode())
    assert OWN in lowered(text)
    cuda_tile.run(
        module, grid=grid, args=args, on="emulator", gpu=CHIP, mode="adversarial"
    )
    assert not args[2].any()
    assert expected.any()


@pytest.mark.parametrize("name", sorted(BODIES))
def test_sums_that_threads_use_stay_with_those_that_work(name: str) -> None:
    text, expected, args, grid = loop(name)
    text = text.replace("{num_warps", '{roles = "load", num_warps')
    assert (OWN in lowered(text)) == (name == "one_after_another")
    cuda_tile.run(
        cuda_tile.load(text.encode()), grid=grid, args=args, on="emulator", gpu=CHIP
    )
    assert np.array_equal(args[2], expected)


def test_operands_that_threads_copy_stay_there_too() -> None:
    case = replace(LONG, gathers=True)
    assert OWN not in lowered(of_roles(case))
    check(case, of_roles(case))


def two_sums() -> str:
    """A loop that carries two sums of the same operands."""
    text = of_roles(LONG)
    line = next(line for line in text.splitlines() if "%d = mmaf" in line)
    other = line.replace("%d =", "%d2 =").replace("%acc", "%acc2")
    text = text.replace(line, f"{line}\n{other}")
    text = re.sub(
        r"iter_values\(%acc = (%\w+)\) -> \((tile<[^>]*>)\)",
        r"iter_values(%acc = \1, %acc2 = \1) -> (\2, \2)",
        text,
    )
    text = re.sub(r"continue %d : (\S+)", r"continue %d, %d2 : \1, \1", text)
    text = text.replace("%f = for", "%f:2 = for")
    head, tail = text.split("continue %d, %d2", 1)
    loop_end = tail.index("}") + 1
    after = tail[loop_end:].replace("%f", "%both")
    add = f"\n    %both = addf %f#0, %f#1 : {ACC}"
    return f"{head}continue %d, %d2{tail[:loop_end]}{add}{after}"


def test_each_sum_has_a_slot_of_its_own() -> None:
    text = two_sums()
    made = lowered(text)
    assert made.count("tileas.deposit") == 2
    args, expected, grid = problem(LONG)
    cuda_tile.run(
        cuda_tile.load(text.encode()),
        grid=grid,
        args=args,
        on="emulator",
        gpu=CHIP,
        mode="adversarial",
    )
    assert np.array_equal(args[2], 2 * expected)
