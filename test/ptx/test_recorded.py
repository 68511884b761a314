# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launching by the launch record: the emulator from JSON and arguments alone."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from ptx_harness import assemble, module

from cuda_tile.emulator import LaunchError, Report, launch_recorded
from cuda_tile.errors import UserError

# Copies an array of rows x columns numbers of 16 bits from x to y, tiles of 8 x 32 by
# tensor maps; each CTA takes every n-th tile.
COPY = module(
    """
.visible .entry copy(.param .u64 x, .param .u64 y, .param .u32 rows,
    .param .u32 columns, .param .u32 stride,
    .param .align 64 .b8 from[128], .param .align 64 .b8 to[128],
    .param .u32 gx, .param .u32 gy, .param .u32 gz)
{
    .reg .b32 %r<20>; .reg .b64 %q<9>; .reg .pred %p<9>;
    .shared .align 1024 .b8 data[512];
    .shared .align 8 .b64 bar;
    mov.b64 %q4, from; cvta.param.u64 %q4, %q4;
    mov.b64 %q5, to; cvta.param.u64 %q5, %q5;
    ld.param.u32 %r10, [gx]; ld.param.u32 %r11, [gy]; ld.param.u32 %r12, [gz];
    mul.lo.u32 %r13, %r10, %r11; mul.lo.u32 %r13, %r13, %r12;
    mov.u32 %r0, %tid.x; mov.u32 %r7, bar; mov.u32 %r8, data;
    setp.ne.u32 %p0, %r0, 0;
    @%p0 bra DONE;
    mbarrier.init.shared.b64 [%r7], 1;
    fence.proxy.async.shared::cta;
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x; mov.u32 %r3, 0;
NEXT:
    setp.ge.u32 %p1, %r1, %r13;
    @%p1 bra DONE;
    rem.u32 %r4, %r1, %r10; mul.lo.u32 %r4, %r4, 32;
    div.u32 %r5, %r1, %r10; mul.lo.u32 %r5, %r5, 8;
    mbarrier.arrive.expect_tx.shared.b64 %q1, [%r7], 512;
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
        [%r8], [%q4, {%r4, %r5}], [%r7];
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p2, [%r7], %r3;
    @!%p2 bra WAIT;
    xor.b32 %r3, %r3, 1;
    cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%q5, {%r4, %r5}], [%r8];
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
    add.u32 %r1, %r1, %r2;
    bra NEXT;
DONE:
    ret;
}
""",
    "sm_90",
)


def tensor_map(base: int, access: str) -> dict[str, Any]:
    return {
        "kind": "tensor_map",
        "element": "f16",
        "base": base,
        "shape": ["arg 3", "arg 2"],
        "strides": ["arg 4 const 2 mul const 2 div"],
        "box": [32, 8],
        "swizzle_bytes": 64,
        "l2_promotion_bytes": 128,
        "fill": "zero",
        "access": access,
        "required": True,
    }


RECORD: dict[str, Any] = {
    "abi": "maps",
    "block": [32, 1, 1],
    "cluster": [1, 1, 1],
    "dynamic_shared_bytes": 0,
    "grid": "persistent",
    "parameters": ["ptr<f16>", "ptr<f16>", "i32", "i32", "i32"],
    "appended": [
        tensor_map(0, "load"),
        tensor_map(1, "store"),
        {"kind": "grid_extents"},
    ],
}


UNTOUCHED = -7.0
"""What the target holds before."""


def run(
    rows: int, columns: int, change: dict[str, Any] | None = None, **choices: Any
) -> tuple[np.ndarray, np.ndarray, Report]:
    """Source, target and report of a copy between arrays of 72 columns."""
    record = json.loads(json.dumps(RECORD | (change or {})))
    # Aligned like device allocations.
    storage = np.zeros(2 * 40 * 72 + 128, np.float16)
    skip = -storage.ctypes.data % 256 // 2
    x, y = storage[skip : skip + 2 * 40 * 72].reshape(2, 40, 72)
    x[...] = np.arange(40 * 72).reshape(40, 72) % 2039
    y[...] = UNTOUCHED
    source = x.copy()
    grid = (-(-columns // 32) or 1, -(-rows // 8) or 1, 1)
    args = [x, y, rows, columns, 72]
    report = launch_recorded(COPY, "copy", record, grid=grid, args=args, **choices)
    return source, y, report


def is_copied(x: np.ndarray, y: np.ndarray, rows: int, columns: int) -> bool:
    """Whether just these rows and columns were copied."""
    expected = np.full_like(x, UNTOUCHED)
    expected[:rows, :columns] = x[:rows, :columns]
    return np.array_equal(y, expected)


@pytest.mark.parametrize("resident", [1, 3, 100])
@pytest.mark.parametrize(("rows", "columns"), [(40, 64), (33, 47), (1, 1), (8, 72)])
def test_tiles_are_copied(rows: int, columns: int, resident: int) -> None:
    for seed in range(4):
        x, y, _ = run(
            rows, columns, resident_ctas=resident, mode="adversarial", seed=seed
        )
        assert is_copied(x, y, rows, columns)


@pytest.mark.parametrize(("rows", "columns"), [(0, 64), (8, 0), (0, 0)])
def test_an_array_without_elements(rows: int, columns: int) -> None:
    x, y, _ = run(rows, columns, mode="adversarial")
    assert is_copied(x, y, 0, 0)


def test_a_persistent_kernel_gets_no_more_ctas_than_tiles() -> None:
    for resident, ctas in ((3, 3), (99, 4)):
        _, _, report = run(16, 64, resident_ctas=resident)
        assert report.counters.warps[0] == ctas


def test_the_kernel_is_legal() -> None:
    complaint = assemble(COPY, "sm_90")
    assert not complaint, complaint


def _with_map(number: int, **fields: Any) -> dict[str, Any]:
    parts = [dict(part) for part in RECORD["appended"]]
    parts[number] |= fields
    return {"appended": parts}


CHANGES: dict[str, dict[str, Any]] = {
    "base": _with_map(0, base=1),
    "base of the store": _with_map(1, base=0),
    "element": _with_map(0, element="bf16"),
    "extents in another order": _with_map(0, shape=["arg 2", "arg 3"]),
    "one row less": _with_map(0, shape=["arg 3", "arg 2 const 1 sub"]),
    "one row more": _with_map(1, shape=["arg 3", "arg 2 const 1 add"]),
    "stride": _with_map(0, strides=["arg 4 const 8 sub"]),
    "box": _with_map(0, box=[32, 4]),
    "box of the store": _with_map(1, box=[16, 8]),
    "swizzle": _with_map(0, swizzle_bytes=0),
    "swizzle of the store": _with_map(1, swizzle_bytes=32),
    "maps exchanged": {"appended": [RECORD["appended"][n] for n in (1, 0, 2)]},
    "order": {"appended": [RECORD["appended"][n] for n in (2, 0, 1)]},
    "a map is missing": {"appended": RECORD["appended"][1:]},
    "no extents": {"appended": RECORD["appended"][:2], "grid": "tile_blocks"},
    "parameters": {"parameters": ["ptr<f16>", "ptr<f16>", "i32", "i32", "i64"]},
    "abi": {"abi": "cuda"},
}
"""Not among them: `l2_promotion_bytes`, which only the cache sees; `access`, which says
only that maps of empty arrays must not share memory; `block`, of which the kernel needs
one thread; `grid`, as any number of CTAs is right."""


@pytest.mark.parametrize("change", CHANGES)
def test_a_record_with_a_mistake_is_noticed(change: str) -> None:
    try:
        x, y, _ = run(33, 47, CHANGES[change], mode="adversarial")
    except UserError:
        return
    assert not is_copied(x, y, 33, 47)


def test_mistakes_are_told() -> None:
    with pytest.raises(UserError, match="expected a launch record"):
        run(8, 8, {"appended": None})
    with pytest.raises(LaunchError, match="resident_ctas of at least 1, got 0"):
        run(8, 8, resident_ctas=0)
    with pytest.raises(LaunchError, match="copy: expected 10 arguments, got 7"):
        run(8, 8, {"appended": RECORD["appended"][:2], "grid": "tile_blocks"})
    with pytest.raises(UserError, match=r"copy: expected 5 arguments .*, got 2"):
        launch_recorded(COPY, "copy", RECORD, grid=(1, 1, 1), args=[None, None])
