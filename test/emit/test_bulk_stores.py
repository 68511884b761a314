# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stores by the copy engine: a tile goes to shared memory, from there to the tensor.

Each kernel means the same at every level: interpreter after each pass, emulator in
adversarial mode, NumPy.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from emit_agree import agree
from store_kernels import Store, StoredProduct

import cuda_tile
from cuda_tile import UserError

CASES = [
    Store((128, 64), (128, 64)),
    Store((64, 128), (200, 304)),
    Store((64, 64), (72, 40), "f32"),
    Store((16, 256), (20, 496), "i8"),
    Store((512,), (1000,), "f32"),
    Store((32, 64), (72, 40), "f64"),
    Store((128, 32), (136, 72), "bf16", inner=0),
    Store((4, 16, 64), (5, 24, 72)),
    Store((16, 1, 32), (40, 3, 48), inner=0),
    Store((1, 64, 64), (2, 64, 72), "i64", inner=1),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_tiles_reach_the_tensor(case: Store) -> None:
    args = case.arguments()
    *_, source, target = agree(case.text, args, gpu="sm_90", grid=case.grid)
    np.testing.assert_array_equal(target, source)


@pytest.mark.parametrize("result", ["f16", "bf16", "f32"])
@pytest.mark.parametrize("is_transposed", [False, True])
def test_products_reach_the_tensor(result: str, is_transposed: bool) -> None:
    """Sums of 16 bits go by `stmatrix`, without bank conflicts."""
    case = StoredProduct(result=result, is_transposed=is_transposed)
    args = case.arguments()
    *_, target = agree(case.text, args, gpu="sm_90")
    np.testing.assert_array_equal(target, case.expected(args))
    module = cuda_tile.load(case.text.encode())
    compiled = cuda_tile.compile(module, "sm_90")
    assert not compiled.report.warnings
    assert ("stmatrix" in compiled.ptx) == (result != "f32")
    run: Any = cuda_tile.run
    totals = run(module, grid=(1,), args=args, on="emulator", compiled=compiled).totals
    if result != "f32":
        assert totals["bank_conflicts"] == 0


def test_tiles_outside_the_tensor_store_nothing() -> None:
    """More tile blocks than tiles, and an index whose first element wraps around."""
    case = Store((64, 64), (72, 40))
    near = emulated(case.text, case, grid=(3, 2))
    np.testing.assert_array_equal(near, case.arguments()[-2])
    far = case.text.replace(
        "%x, %y, %z = get_tile_block_id : tile<i32>",
        "%x, %g, %z = get_tile_block_id : tile<i32>\n"
        "%one = constant <i32: 1> : tile<i32>\n"
        "%bits = constant <i32: 26> : tile<i32>\n"
        "%far = shli %one, %bits : tile<i32>\n%y = addi %g, %far : tile<i32>",
    )
    assert not emulated(far, case, grid=(1, 1)).any()


def emulated(text: str, case: Store, grid: tuple[int, ...]) -> np.ndarray:
    """What the emulator leaves in the target; the interpreter forbids such indices."""
    args, module = case.arguments(), cuda_tile.load(text.encode())
    cuda_tile.run(module, grid=grid, args=args, on="emulator", gpu="sm_90")
    return args[-1]


def test_what_the_engine_cannot_store_is_refused() -> None:
    short = Store((64, 4), (64, 8), "f16")
    with pytest.raises(
        UserError, match="a row of the tile has 8 bytes, TMA copies 16 or more"
    ):
        cuda_tile.lower(cuda_tile.load(short.text.encode()), "sm_90", until="stage")
    with pytest.raises(UserError, match="expected an engine that sm_80 has"):
        cuda_tile.lower(cuda_tile.load(short.text.encode()), "sm_80", until="stage")


@pytest.mark.parametrize(
    "statement",
    [
        "cp.async.bulk.commit_group;",
        "cp.async.bulk.wait_group.read \t0;",
        "fence.proxy.async.shared::cta;",
        "bar.sync \t0;",
    ],
)
def test_what_stores_rest_on_is_noticed(statement: str) -> None:
    """Without a group, a wait, a fence or a barrier the emulator finds a fault."""
    case = Store((64, 64), (64, 64))
    module = cuda_tile.load(case.text.encode())
    compiled = cuda_tile.compile(module, "sm_90", cubin=False)
    assert compiled.ptx.count(statement) == 1
    changed = replace(compiled, ptx=compiled.ptx.replace(statement, ""))
    how: dict[str, Any] = {"on": "emulator", "compiled": changed, "grid": (1,)}
    with pytest.raises(UserError):
        cuda_tile.run(module, args=case.arguments(), mode="adversarial", **how)
