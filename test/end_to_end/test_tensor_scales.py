# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Block-scaled products in tensor memory: all judges agree bit for bit."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from ptx_mutation import mutants
from scaled_text import Scaled, kernel, problem, run

import cuda_tile
from cuda_tile import Options, UserError

pytestmark = pytest.mark.sampled(3)

CHIP = "sm_100"
LEVELS = ("place", "stage", "ring", "roles", "skew", "issue", "count", "barriers")
BASE = Scaled()
CASES: dict[str, Scaled] = {
    "base": BASE,
    "e5m2": replace(BASE, operand="f8E5M2"),
    "one factor": replace(BASE, tile=(128, 64, 32), sizes=(128, 64, 96)),
    "two factors": replace(BASE, tile=(128, 32, 64), sizes=(128, 32, 192)),
    "eight factors": replace(BASE, tile=(128, 32, 256), sizes=(128, 64, 512)),
    "n16": replace(BASE, tile=(128, 16, 128), sizes=(128, 32, 256)),
    "n256": replace(BASE, tile=(128, 256, 64), sizes=(128, 256, 128)),
    "m256": replace(BASE, tile=(256, 64, 64), sizes=(256, 64, 192)),
    "b along n": replace(BASE, along_k=False),
    "odd extents": replace(BASE, sizes=(208, 80, 160)),
    "one iteration": replace(BASE, sizes=(128, 64, 128)),
    "begins with numbers": replace(BASE, start="7.0"),
    "used in each iteration": replace(
        BASE, body=f"%d = addf %p, %ones : {BASE.acc}", sizes=(128, 64, 384)
    ),
    "two loops": replace(BASE, twice=True, sizes=(128, 64, 256)),
}
"""Products by what is special about them."""


@pytest.mark.parametrize("name", CASES)
def test_the_emulator_is_exact(name: str, draws: Callable[[int], int]) -> None:
    module = cuda_tile.load(kernel(CASES[name]).encode())
    compiled = cuda_tile.compile(module, CHIP)
    assert "kind::mxf8f6f4.block_scale" in compiled.ptx
    assert not compiled.report.kernels[0].spill_bytes
    for seed in range(draws(4)):
        run(
            CASES[name],
            module,
            on="emulator",
            gpu=CHIP,
            mode="adversarial",
            compiled=compiled,
            seed=seed,
        )


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("level", [None, *LEVELS])
def test_the_interpreter_is_exact(name: str, level: str | None) -> None:
    module = cuda_tile.load(kernel(CASES[name]).encode())
    if level is not None:
        module = cuda_tile.lower(module, CHIP, until=level)
        assert level == "place" or "tileas.tcgen05" in str(module)
    run(CASES[name], module)


def test_factors_may_be_far_from_one_or_no_number() -> None:
    """2^-127 and 2^127 of one product are 1, and NaN is for a whole row."""
    module = cuda_tile.load(kernel(BASE).encode())
    made: list[Any] = []
    for on in ("interp", "emulator"):
        args, _, grid = problem(BASE)
        args[2][:, 0], args[3][:, 0] = 2.0**-127, 2.0**127
        args[2][5, 1] = np.nan
        cuda_tile.run(module, grid=grid, args=args, on=on, gpu=CHIP)
        made.append(args[4])
    assert np.isnan(made[0][5]).all()
    assert np.isfinite(np.delete(made[0], 5, 0)).all()
    assert np.array_equal(*made, equal_nan=True)


@pytest.mark.parametrize("warps", [4, 8, 16])
def test_more_warps_share_the_sum(warps: int) -> None:
    case = replace(BASE, tile=(128, 128, 128), sizes=(128, 128, 256))
    module = cuda_tile.load(kernel(case).encode())
    options = Options(num_warps=warps)
    compiled = cuda_tile.compile(module, CHIP, options=options)
    assert "block_scale" in compiled.ptx
    run(case, module, on="emulator", gpu=CHIP, mode="adversarial", compiled=compiled)


REFUSED = {
    "64 rows": replace(BASE, tile=(64, 64, 128), sizes=(64, 64, 256)),
    "8 columns": replace(BASE, tile=(128, 8, 128), sizes=(128, 8, 256)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_is_of_warps_with_a_remark(name: str) -> None:
    case = REFUSED[name]
    module = cuda_tile.load(kernel(case).encode())
    compiled = cuda_tile.compile(module, CHIP)
    assert "tcgen05" not in compiled.ptx
    shape = "x".join(map(str, case.tile))
    wanted = f"got {shape} of f8E4M3FN with f8E8M0FNU for 32"
    assert any(wanted in text for text in compiled.report.kernels[0].remarks)
    run(case, module, on="emulator", gpu=CHIP, mode="adversarial", compiled=compiled)


def test_columns_that_are_missing_are_listed() -> None:
    """Of 512, sums take 512 and factors 24."""
    case = replace(BASE, tile=(256, 256, 32), sizes=(256, 256, 64))
    module = cuda_tile.load(kernel(case).encode())
    compiled = cuda_tile.compile(module, CHIP)
    assert "tcgen05" not in compiled.ptx
    (report,) = compiled.report.kernels
    assert any("wanted 528 columns" in text for text in report.remarks)


@pytest.mark.parametrize(
    ("atom", "message"),
    [
        ("tcgen05.m128n64k32", "expected scale factors for none"),
        ("tcgen05.m64n64k32.mxf8", "m64n64k32.mxf8"),
    ],
)
def test_atoms_by_hand_are_checked(atom: str, message: str) -> None:
    text = kernel(BASE).replace(
        "%x, %y :", f'%x, %y {{tileas.plan = {{atom = "{atom}"}}}} :'
    )
    with pytest.raises(UserError, match=message):
        cuda_tile.compile(cuda_tile.load(text.encode()), CHIP)


def test_a_product_without_factors_takes_no_such_atom() -> None:
    text = kernel(BASE).replace("mmaf_scaled %a, %b, %acc, %x, %y", "mmaf %a, %b, %acc")
    text = re.sub(r"(= mmaf .*?tile<128x64xf32>), .*", r"\1", text)
    plan = '{tileas.plan = {atom = "tcgen05.m128n64k32.mxf8"}}'
    text = text.replace("%a, %b, %acc :", f"%a, %b, %acc {plan} :")
    with pytest.raises(UserError, match="expected scale factors for 32 of f8E8M0FNU"):
        cuda_tile.compile(cuda_tile.load(text.encode()), CHIP)


SEVERAL = {
    "of one sum": Scaled(tile=(128, 64, 64), sizes=(128, 64, 256), twice=True),
    "of eight warps": replace(BASE, tile=(128, 128, 64), sizes=(128, 128, 192)),
}
OWN = (
    "tcgen05.wait::st",
    "mbarrier.try_wait.shared",
    "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [shared",
)
"""Waits for stores of factors, and for the products that read earlier ones."""


@pytest.mark.parametrize("name", SEVERAL)
def test_deleted_synchronisation_is_noticed(
    name: str, draws: Callable[[int], int]
) -> None:
    case = SEVERAL[name]
    module = cuda_tile.load(kernel(case).encode())
    compiled = cuda_tile.compile(module, CHIP)
    found = [m for m in mutants(compiled.ptx) if m.change == "delete"]
    made = [m for m in found if m.instruction.startswith(OWN)]
    assert all(any(m.instruction.startswith(own) for m in made) for own in OWN)
    silent: list[str] = []
    for mutant in made[:: max(1, len(made) // draws(len(made)))]:
        changed = replace(compiled, ptx=mutant.text)
        how: dict[str, Any] = {"on": "emulator", "gpu": CHIP, "mode": "adversarial"}
        try:
            run(case, module, compiled=changed, **how)
        except (UserError, AssertionError):
            continue
        silent.append(mutant.instruction)
    assert not silent


@pytest.mark.parametrize("chip", ["sm_103", "sm_110"])
def test_other_chips_have_them(chip: str) -> None:
    module = cuda_tile.load(kernel(BASE).encode())
    compiled = cuda_tile.compile(module, chip)
    assert "block_scale" in compiled.ptx
    run(BASE, module, on="emulator", gpu=chip, mode="adversarial", compiled=compiled)


@pytest.mark.parametrize("seed", range(3))
def test_tiles_of_a_cta_take_turns(seed: int) -> None:
    """Factors of a tile are written while another one's sum is loaded."""
    case = replace(BASE, tile=(128, 128, 64), sizes=(256, 256, 128))
    module = cuda_tile.load(kernel(case).encode())
    options = Options(persistent=True)
    compiled = cuda_tile.compile(module, CHIP, options=options)
    assert "block_scale" in compiled.ptx
    assert "persistent = 1" in compiled.report.kernels[0].plan
    how: dict[str, Any] = {"on": "emulator", "gpu": CHIP, "mode": "adversarial"}
    run(case, module, compiled=compiled, resident_ctas=1, seed=seed, **how)
