# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The forms of PTX's matrix instructions."""

from __future__ import annotations

from isa_form import Family

WARP = "Warp Level Matrix Instructions"
WARPGROUP = "Asynchronous Warpgroup Level Matrix Instructions"

_FP8 = "e4m3 e5m2"
_SMALL = "e4m3 e5m2 e3m2 e2m3 e2m1"
_SCALES = "r, <h h>, r, <h h>"
_MMA = "mma.sync.aligned"

_WARP = (
    Family(
        WARP,
        "ldmatrix",
        (
            "ldmatrix.sync.aligned.m8n8.x1{- .trans}{.shared .shared::cta}.b16 <r>, "
            "[%sa]",
            "ldmatrix.sync.aligned.m8n8.x1{- .trans}.b16 <r>, [%tm]",
            "ldmatrix.sync.aligned.m8n8.x2{- .trans}.shared.b16 <r*2>, [%sa]",
            "ldmatrix.sync.aligned.m8n8.x4{- .trans}.shared.b16 <r*4>, [%sa+16]",
        ),
    ),
    Family(
        WARP,
        "ldmatrix",
        (
            "ldmatrix.sync.aligned.m16n16.x1.trans.shared{.b8 .b8x16.b6x16_p32 "
            ".b8x16.b4x16_p64} "
            "<r*2>, [%sa]",
            "ldmatrix.sync.aligned.m16n16.x2.trans.shared{.b8 .b8x16.b6x16_p32 "
            ".b8x16.b4x16_p64} "
            "<r*4>, [%sa]",
        ),
        "sm_100a",
    ),
    Family(
        WARP,
        "ldmatrix",
        (
            "ldmatrix.sync.aligned.m8n16.x1.shared.b8x16{.b6x16_p32 .b4x16_p64} <r>, "
            "[%sa]",
            "ldmatrix.sync.aligned.m8n16.x2.shared.b8x16{.b6x16_p32 .b4x16_p64} <r*2>, "
            "[%sa]",
            "ldmatrix.sync.aligned.m8n16.x4.shared.b8x16{.b6x16_p32 .b4x16_p64} <r*4>, "
            "[%sa]",
        ),
        "sm_100a",
    ),
    Family(
        WARP,
        "stmatrix",
        (
            "stmatrix.sync.aligned.m8n8.x1{- .trans}{.shared .shared::cta}.b16 [%sa], "
            "<r>",
            "stmatrix.sync.aligned.m8n8.x1{- .trans}.b16 [%tm], <r>",
            "stmatrix.sync.aligned.m8n8.x2{- .trans}.shared.b16 [%sa], <r*2>",
            "stmatrix.sync.aligned.m8n8.x4{- .trans}.shared.b16 [%sa], <r*4>",
        ),
    ),
    Family(
        WARP,
        "stmatrix",
        (
            "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%sa], <r>",
            "stmatrix.sync.aligned.m16n8.x2.trans.shared.b8 [%sa], <r*2>",
            "stmatrix.sync.aligned.m16n8.x4.trans.shared.b8 [%sa], <r*4>",
        ),
        "sm_100a",
    ),
    Family(WARP, "movmatrix", ("movmatrix.sync.aligned.m8n8.trans.b16 r, r",)),
    Family(
        WARP,
        "mma",
        (
            f"{_MMA}.m8n8k4.{{row col}}.{{row col}}.f32.f16.f16.f32 <r*8>, <r*2>, "
            f"<r*2>, <r*8>",
            f"{_MMA}.m8n8k4.{{row col}}.{{row col}}.f16.f16.f16.f16 <r*4>, <r*2>, "
            f"<r*2>, <r*4>",
            f"{_MMA}.m8n8k4.{{row col}}.{{row col}}.f32.f16.f16.f16 <r*8>, <r*2>, "
            f"<r*2>, <r*4>",
            f"{_MMA}.m16n8k8.row.col.f32.{{f16.f16 bf16.bf16}}.f32 <r*4>, <r*2>, <r>, "
            f"<r*4>",
            f"{_MMA}.m16n8k8.row.col.f16.f16.f16.f16 <r*2>, <r*2>, <r>, <r*2>",
            f"{_MMA}.m16n8k8.row.col.f32.tf32.tf32.f32 <r*4>, <r*4>, <r*2>, <r*4>",
            f"{_MMA}.m16n8k4.row.col.f32.tf32.tf32.f32 <r*4>, <r*2>, <r>, <r*4>",
            f"{_MMA}.m16n8k16.row.col.f32.{{f16.f16 bf16.bf16}}.f32 <r*4>, <r*4>, "
            f"<r*2>, <r*4>",
            f"{_MMA}.m16n8k16.row.col.f16.f16.f16.f16 <r*2>, <r*4>, <r*2>, <r*2>",
            f"{_MMA}.m16n8k32.row.col.f32.{{{_FP8}}}.{{{_FP8}}}.f32 <r*4>, <r*4>, "
            f"<r*2>, <r*4>",
            f"{_MMA}.m16n8k32.row.col.f16.{{{_FP8}}}.{{{_FP8}}}.f16 <r*2>, <r*4>, "
            f"<r*2>, <r*2>",
            f"{_MMA}.m16n8k16.row.col.f32.{{{_FP8}}}.{{{_FP8}}}.f32 <r*4>, <r*2>, <r>, "
            f"<r*4>",
            f"{_MMA}.m16n8k16.row.col.f16.{{{_FP8}}}.{{{_FP8}}}.f16 <r*2>, <r*2>, <r>, "
            f"<r*2>",
            f"{_MMA}.m8n8k4.row.col{{- .rn .rz .rm .rp}}.f64.f64.f64.f64 <l*2>, <l>, "
            f"<l>, <l*2>",
            f"{_MMA}.m16n8k4.row.col.f64.f64.f64.f64 <l*4>, <l*2>, <l>, <l*4>",
            f"{_MMA}.m16n8k8.row.col.f64.f64.f64.f64 <l*4>, <l*4>, <l*2>, <l*4>",
            f"{_MMA}.m16n8k16.row.col.f64.f64.f64.f64 <l*4>, <l*8>, <l*4>, <l*4>",
            f"{_MMA}.m8n8k16.row.col{{- .satfinite}}.s32.{{s8 u8}}.{{s8 u8}}.s32 "
            "<r*2>, <r>, <r>, <r*2>",
            f"{_MMA}.m16n8k16.row.col{{- .satfinite}}.s32.{{s8 u8}}.{{s8 u8}}.s32 "
            "<r*4>, <r*2>, <r>, <r*4>",
            f"{_MMA}.m16n8k32.row.col{{- .satfinite}}.s32.{{s8 u8}}.{{s8 u8}}.s32 "
            "<r*4>, <r*4>, <r*2>, <r*4>",
            f"{_MMA}.m8n8k32.row.col{{- .satfinite}}.s32.{{s4 u4}}.{{s4 u4}}.s32 "
            "<r*2>, <r>, <r>, <r*2>",
            f"{_MMA}.m16n8k32.row.col{{- .satfinite}}.s32.{{s4 u4}}.{{s4 u4}}.s32 "
            "<r*4>, <r*2>, <r>, <r*4>",
            f"{_MMA}.m16n8k64.row.col{{- .satfinite}}.s32.{{s4 u4}}.{{s4 u4}}.s32 "
            "<r*4>, <r*4>, <r*2>, <r*4>",
            f"{_MMA}.m8n8k128.row.col.s32.b1.b1.s32{{.xor .and}}.popc <r*2>, <r>, <r>, "
            f"<r*2>",
            f"{_MMA}.m16n8k128.row.col.s32.b1.b1.s32{{.xor .and}}.popc "
            "<r*4>, <r*2>, <r>, <r*4>",
            f"{_MMA}.m16n8k256.row.col.s32.b1.b1.s32{{.xor .and}}.popc "
            "<r*4>, <r*4>, <r*2>, <r*4>",
        ),
    ),
    Family(
        WARP,
        "mma",
        (
            f"{_MMA}.m16n8k32.row.col.kind::f8f6f4.f32.{{{_SMALL}}}.{{{_SMALL}}}.f32 "
            "<r*4>, <r*4>, <r*2>, <r*4>",
            f"{_MMA}.m16n8k32.row.col.kind::f8f6f4.f16.{{{_SMALL}}}.{{{_SMALL}}}.f16 "
            "<r*2>, <r*4>, <r*2>, <r*2>",
            f"{_MMA}.m16n8k32.row.col.kind::mxf8f6f4.block_scale{{- .scale_vec::1X}}"
            f".f32.{{{_SMALL}}}.{{{_SMALL}}}.f32.ue8m0 "
            f"<r*4>, <r*4>, <r*2>, <r*4>, {_SCALES}",
            f"{_MMA}.m16n8k64.row.col.kind::mxf4.block_scale{{- .scale_vec::2X}}"
            f".f32.e2m1.e2m1.f32.ue8m0 <r*4>, <r*4>, <r*2>, <r*4>, {_SCALES}",
            f"{_MMA}.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::{{2X 4X}}"
            f".f32.e2m1.e2m1.f32.ue8m0 <r*4>, <r*4>, <r*2>, <r*4>, {_SCALES}",
            f"{_MMA}.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X"
            f".f32.e2m1.e2m1.f32.ue4m3 <r*4>, <r*4>, <r*2>, <r*4>, "
            "r, <0 0>, r, <0 3>",
        ),
        "sm_120a",
    ),
    Family(
        WARP,
        "mma.sp",
        (
            "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 "
            "<r*4>, <r*4>, <r*4>, <r*4>, r, 0",
        ),
        "sm_90a",
        "sparse matrices are not supported",
    ),
)

_WG = "wgmma.mma_async.sync.aligned"


def _wgmma() -> tuple[str, ...]:
    """Forms of some widths; every width is tried in test_wgmma.py."""
    patterns: list[str] = []
    for n in (8, 64, 256):
        wide, narrow = f"<r*{n // 2}>", f"<r*{n // 4}>"
        for a, flip in (("l", "0"), ("<r*4>", "")):
            tail = f", 0{', 0' if flip else ''}"
            patterns += [
                f"{_WG}.m64n{n}k16.f32.{{f16.f16 bf16.bf16}} {wide}, {a}, l, p, {{-1 "
                f"0x1}}, -1{tail}",
                f"{_WG}.m64n{n}k16.f16.f16.f16 {narrow}, {a}, l, p, 0x1, 0x1{tail}",
                f"{_WG}.m64n{n}k8.f32.tf32.tf32 {wide}, {a}, l, p, 0x1, 0x1",
                f"{_WG}.m64n{n}k32.f32.{{{_FP8}}}.{{{_FP8}}} {wide}, {a}, l, p, 0x1, "
                f"0x1",
                f"{_WG}.m64n{n}k32.f16.{{{_FP8}}}.{{{_FP8}}} {narrow}, {a}, l, p, 0x1, "
                f"0x1",
                f"{_WG}.m64n{n}k32{{- .satfinite}}.s32.{{s8 u8}}.{{s8 u8}} {wide}, "
                f"{a}, l, p",
                f"{_WG}.m64n{n}k256.s32.b1.b1.and.popc {wide}, {a}, l, p",
            ]
    return tuple(patterns)


_WARPGROUP = (
    Family(WARPGROUP, "wgmma.mma_async", _wgmma()),
    Family(
        WARPGROUP,
        "wgmma.mma_async.sp",
        (
            "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 <r*4>, l, l, r, 0, "
            "p, 0x1, 0x1, 0, 0",
        ),
        "sm_90a",
        "sparse matrices are not supported",
    ),
    Family(WARPGROUP, "wgmma.fence", ("wgmma.fence.sync.aligned",)),
    Family(WARPGROUP, "wgmma.commit_group", ("wgmma.commit_group.sync.aligned",)),
    Family(WARPGROUP, "wgmma.wait_group", ("wgmma.wait_group.sync.aligned {0 7}",)),
)

FAMILIES = (*_WARP, *_WARPGROUP)
