# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of 4-bit elements in tensor memory: all judges agree bit for bit."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from ptx_mutation import mutants
from scaled_text import FOUR, Scaled, kernel, problem, run

import cuda_tile
from cuda_tile import Options, UserError
from cuda_tile._mlir import ir

pytestmark = pytest.mark.sampled(3)

CHIP = "sm_100"
LEVELS = ("place", "stage", "ring", "roles", "skew", "issue", "count", "barriers")
MX = Scaled(FOUR, "f8E8M0FNU", 32, sizes=(256, 128, 512))
NV = Scaled(FOUR, "f8E4M3FN", 16, sizes=(256, 128, 512))
KINDS = {
    "mxf4": MX,
    "nvf4": NV,
    "nvf4 of powers": replace(NV, scale="f8E8M0FNU"),
}
CASES: dict[str, Scaled] = {
    **KINDS,
    "bytes of the program": replace(NV, as_bytes=True),
    "one instruction": replace(NV, tile=(128, 64, 64), sizes=(128, 64, 192)),
    "one word of two instructions": replace(MX, tile=(128, 64, 64)),
    "k256": replace(MX, tile=(128, 32, 256), sizes=(128, 64, 512)),
    "n16": replace(NV, tile=(128, 16, 128), sizes=(128, 32, 256)),
    "n256": replace(NV, tile=(128, 256, 64), sizes=(128, 256, 128)),
    "m256": replace(MX, tile=(256, 64, 64), sizes=(256, 64, 192)),
    "odd extents": replace(NV, sizes=(208, 80, 160)),
    "one iteration": replace(MX, sizes=(128, 64, 128)),
    "begins with numbers": replace(NV, start="7.0"),
    "used in each iteration": replace(
        NV, body=f"%d = addf %p, %ones : {NV.acc}", sizes=(128, 64, 384)
    ),
    "two loops": replace(MX, twice=True, sizes=(128, 64, 256)),
}
"""Products by what is special about them."""


def emulate(case: Scaled, module: ir.Module, compiled: Any, **how: Any) -> None:
    """Runs compiled code on the emulator."""
    how = {"on": "emulator", "gpu": CHIP, "mode": "adversarial"} | how
    run(case, module, compiled=compiled, **how)


def kind_of(case: Scaled) -> str:
    """The instruction of a case."""
    kind = "mxf4" if case.block == 32 else "mxf4nvf4"
    return f"kind::{kind}.block_scale" + (".block16" if case.block == 16 else "")


@pytest.mark.parametrize("name", CASES)
def test_the_emulator_is_exact(name: str, draws: Callable[[int], int]) -> None:
    case = CASES[name]
    module = cuda_tile.load(kernel(case).encode())
    compiled = cuda_tile.compile(module, CHIP)
    assert kind_of(case) in compiled.ptx
    assert "cp.async.bulk" in compiled.ptx
    assert "e2m1x2" not in compiled.ptx
    assert not compiled.report.kernels[0].spill_bytes
    for seed in range(draws(4)):
        emulate(case, module, compiled, seed=seed)


@pytest.mark.parametrize(
    ("name", "level"),
    [
        *product(KINDS, (None, *LEVELS)),
        *product(sorted(CASES.keys() - KINDS), ("skew", "barriers")),
    ],
)
def test_the_interpreter_is_exact(name: str, level: str | None) -> None:
    module = cuda_tile.load(kernel(CASES[name]).encode())
    if level is not None:
        module = cuda_tile.lower(module, CHIP, until=level)
        assert level == "place" or "tileas.tcgen05" in str(module)
    run(CASES[name], module)


@pytest.mark.parametrize("name", KINDS)
def test_factors_may_be_any_number(name: str) -> None:
    """All codes of the factors but those that are no numbers; sums round, so few are.

    With operands of zero and one in one place of each block each sum is one product.
    """
    case = replace(KINDS[name], tile=(128, 32, 64), sizes=(128, 32, 64))
    module = cuda_tile.load(kernel(case).encode())
    rng = np.random.default_rng(1)
    made: list[Any] = []
    args, _, grid = problem(case)
    for number in (0, 1):
        args[number] = np.zeros_like(args[number])
    args[0][:, 5], args[1][:, 5] = 0x02, 0x20 >> 4  # 1.0 in the low half of byte 5
    for number in (2, 3):
        codes = rng.integers(0, 127, args[number].shape, np.uint8)
        args[number] = codes.view(args[number].dtype)
    for on in ("interp", "emulator"):
        given = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
        cuda_tile.run(module, grid=grid, args=given, on=on, gpu=CHIP)
        made.append(given[4])
    block = 10 // case.block
    x, y = (args[number][:, block].astype(np.float64) for number in (2, 3))
    assert np.array_equal(made[0], np.outer(x, y).astype(np.float32))
    assert np.array_equal(*made)


@pytest.mark.parametrize("warps", [4, 8, 16])
def test_more_warps_share_the_sum(warps: int) -> None:
    case = replace(NV, tile=(128, 128, 128), sizes=(128, 128, 256))
    module = cuda_tile.load(kernel(case).encode())
    compiled = cuda_tile.compile(module, CHIP, options=Options(num_warps=warps))
    assert kind_of(case) in compiled.ptx
    emulate(case, module, compiled)


def test_threads_may_load_the_bytes_of_one_operand() -> None:
    """Where a stride is not known to be a multiple of four bytes."""
    text = kernel(NV).replace("strides = [%k, 1]", "strides = [%kb, 1]", 1)
    text = text.replace(
        "%z = constant", "%kb = addi %qk, %qz : tile<i32>\n%z = constant", 1
    )
    text = text.replace("%qs: tile<i32>)", "%qs: tile<i32>, %qz: tile<i32>)")
    module = cuda_tile.load(text.encode())
    compiled = cuda_tile.compile(module, CHIP)
    args, exact, grid = problem(NV)
    how: dict[str, Any] = {"on": "emulator", "gpu": CHIP, "mode": "adversarial"}
    cuda_tile.run(module, grid=grid, args=[*args, 0], compiled=compiled, **how)
    assert np.array_equal(args[4], exact)


# What stays with warps ----------------------------------------------------------------

NEAR: dict[str, tuple[Scaled, str]] = {
    "rows_64": (
        replace(NV, tile=(64, 64, 128), sizes=(64, 64, 256)),
        "got 64x64x128 of f4E2M1FN with f8E4M3FN for 16",
    ),
    "columns_8": (
        replace(NV, tile=(128, 8, 128), sizes=(128, 8, 256)),
        "got 128x8x128 of f4E2M1FN with f8E4M3FN for 16",
    ),
    "k32": (
        replace(NV, tile=(128, 64, 32), sizes=(128, 64, 64)),
        "got 128x64x32 of f4E2M1FN with f8E4M3FN for 16",
    ),
    "along_n": (
        replace(NV, along_k=False),
        "wanted tensor memory to read operand b as the bytes",
    ),
}
"""Products that tensor memory does not take; test/near_misses has more."""


@pytest.mark.parametrize("name", NEAR)
def test_what_does_not_fit_is_of_warps_with_a_remark(name: str) -> None:
    case, remark = NEAR[name]
    module = cuda_tile.load(kernel(case).encode())
    compiled = cuda_tile.compile(module, CHIP)
    assert "tcgen05" not in compiled.ptx
    assert any(remark in each for each in compiled.report.kernels[0].remarks)
    emulate(case, module, compiled)


def test_bytes_are_read_by_all_products_or_by_none() -> None:
    """The right operand of a second product is nothing that is loaded."""
    types = re.search(r"mmaf_scaled .* : (.*)", kernel(NV))
    assert types is not None
    body = f"""%u = constant <{FOUR}: 1.0> : tile<128x64x{FOUR}>
      %p2 = mmaf_scaled %a, %u, %begin, %x, %y : {types[1]}
      %d = addf %p, %p2 : {NV.acc}"""
    module = cuda_tile.load(kernel(replace(NV, body=body)).encode())
    compiled = cuda_tile.compile(module, CHIP)
    assert "tcgen05" not in compiled.ptx
    made: list[Any] = []
    emulated: dict[str, Any] = {"on": "emulator", "gpu": CHIP, "compiled": compiled}
    for how in ({}, emulated):
        args, _, grid = problem(NV)
        cuda_tile.run(module, grid=grid, args=args, **how)
        made.append(args[4])
    assert np.array_equal(*made)


@pytest.mark.parametrize(
    ("case", "atom", "message"),
    [
        (NV, "tcgen05.m128n64k64.mxf4", "expected scale factors for 32 of f8E8M0FNU"),
        (MX, "tcgen05.m128n64k64.nvf4", "expected scale factors for 16 of f8E4M3FN"),
        (NV, "tcgen05.m64n64k64.nvf4", "m64n64k64.nvf4"),
        (
            replace(NV, along_k=False),
            "tcgen05.m128n64k64.nvf4",
            "its elements are no bytes that it loads, along K",
        ),
    ],
)
def test_atoms_by_hand_are_checked(case: Scaled, atom: str, message: str) -> None:
    plan = (
        f'{{tileas.plan = {{atom = "{atom}", warps_m = 4 : i64, warps_n = 1 : i64}}}}'
    )
    text = kernel(case).replace("%x, %y :", f"%x, %y {plan} :")
    module = cuda_tile.load(text.encode())
    with pytest.raises(UserError, match=message):
        cuda_tile.compile(module, CHIP, options=Options(num_warps=4))


# Synchronisation ----------------------------------------------------------------------

OWN = (
    "tcgen05.wait::st",
    "mbarrier.try_wait.shared",
    "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [shared",
)
"""Waits for stores of factors, and for the products that read earlier ones."""


@pytest.mark.parametrize("name", ["mxf4", "nvf4"])
def test_deleted_synchronisation_is_noticed(
    name: str, draws: Callable[[int], int]
) -> None:
    case = replace(KINDS[name], tile=(128, 128, 64), sizes=(128, 128, 192))
    module = cuda_tile.load(kernel(case).encode())
    compiled = cuda_tile.compile(module, CHIP)
    found = [m for m in mutants(compiled.ptx) if m.change == "delete"]
    made = [m for m in found if m.instruction.startswith(OWN)]
    assert all(any(m.instruction.startswith(own) for m in made) for own in OWN)
    silent: list[str] = []
    for mutant in made[:: max(1, len(made) // draws(len(made)))]:
        changed = replace(compiled, ptx=mutant.text)
        try:
            emulate(case, module, changed)
        except (UserError, AssertionError):
            continue
        silent.append(mutant.instruction)
    assert not silent


@pytest.mark.parametrize("chip", ["sm_103", "sm_110"])
def test_other_chips_have_them(chip: str) -> None:
    module = cuda_tile.load(kernel(NV).encode())
    compiled = cuda_tile.compile(module, chip)
    assert kind_of(NV) in compiled.ptx
    emulate(NV, module, compiled, gpu=chip)


@pytest.mark.parametrize("seed", range(3))
def test_tiles_of_a_cta_take_turns(seed: int) -> None:
    case = replace(MX, tile=(128, 128, 64), sizes=(256, 256, 128))
    module = cuda_tile.load(kernel(case).encode())
    compiled = cuda_tile.compile(module, CHIP, options=Options(persistent=True))
    assert kind_of(case) in compiled.ptx
    assert "persistent = 1" in compiled.report.kernels[0].plan
    emulate(case, module, compiled, resident_ctas=1, seed=seed)
