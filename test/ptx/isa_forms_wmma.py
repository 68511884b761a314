# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The forms of PTX's wmma instructions."""

from __future__ import annotations

from isa_form import Family
from isa_forms_matrix import WARP

_BOTH = "{row col}"
_WIDE = "{m16n16k16 m8n32k16 m32n8k16}"
# Role, shape, type and registers of a fragment.
_BY_ROLE = (
    ("{a b}", _WIDE, "f16", "<r*8>"),
    ("a", "m16n16k16", "bf16", "<r*4>"),
    ("a", "m8n32k16", "bf16", "<r*2>"),
    ("a", "m32n8k16", "bf16", "<r*8>"),
    ("b", "m16n16k16", "bf16", "<r*4>"),
    ("b", "m8n32k16", "bf16", "<r*8>"),
    ("b", "m32n8k16", "bf16", "<r*2>"),
    ("{a b}", "m16n16k16", "{s8 u8}", "<r*2>"),
    ("a", "m8n32k16", "{s8 u8}", "<r>"),
    ("a", "m32n8k16", "{s8 u8}", "<r*4>"),
    ("b", "m8n32k16", "{s8 u8}", "<r*4>"),
    ("b", "m32n8k16", "{s8 u8}", "<r>"),
    ("{a b}", "m16n16k8", "tf32", "<r*4>"),
    ("{a b}", "m8n8k4", "f64", "<l>"),
)
_SUMS = (
    (_WIDE, "{f32 s32}", "<r*8>"),
    (_WIDE, "f16", "<r*4>"),
    ("m16n16k8", "f32", "<r*8>"),
    ("m8n8k4", "f64", "<l*2>"),
    ("{m8n8k32 m8n8k128}", "s32", "<r*2>"),
)
_LOADS = (
    *(
        f"wmma.load.{role}.sync.aligned.{_BOTH}.{shape}.{ty} {registers}, "
        "{[%ga] [%ga],r}"
        for role, shape, ty, registers in _BY_ROLE
    ),
    *(
        f"wmma.load.c.sync.aligned.{_BOTH}.{shape}.{ty} {registers}, {{[%ga] [%ga],r}}"
        for shape, ty, registers in _SUMS
    ),
    "wmma.load.a.sync.aligned.row.m8n8k32{.global .shared .shared::cta}.{s4 u4} <r>, "
    "[%ga], r",
    "wmma.load.b.sync.aligned.col.m8n8k32{.global .shared}.{s4 u4} <r>, [%ga]",
    "wmma.load.a.sync.aligned.row.m8n8k128.b1 <r>, [%ga], r",
    "wmma.load.b.sync.aligned.col.m8n8k128.b1 <r>, [%ga]",
)
_STORES = tuple(
    f"wmma.store.d.sync.aligned.{_BOTH}.{shape}{{- .global .shared .shared::cta}}.{ty} "
    f"{{[%ga] [%ga+32]}}, {registers}{{- ,r}}"
    for shape, ty, registers in _SUMS
)
_MMA = f"wmma.mma.sync.aligned.{_BOTH}.{_BOTH}"
_EIGHTS = "<r*8>, <r*8>"
_PRODUCTS = (
    f"{_MMA}.{_WIDE}.f32.f32 <r*8>, {_EIGHTS}, <r*8>",
    f"{_MMA}.{_WIDE}.f16.f16 <r*4>, {_EIGHTS}, <r*4>",
    f"{_MMA}.{_WIDE}.f32.f16 <r*8>, {_EIGHTS}, <r*4>",
    f"{_MMA}.{_WIDE}.f16.f32 <r*4>, {_EIGHTS}, <r*8>",
    f"{_MMA}.m16n16k16.f32.bf16.bf16.f32 <r*8>, <r*4>, <r*4>, <r*8>",
    f"{_MMA}.m8n32k16.f32.bf16.bf16.f32 <r*8>, <r*2>, <r*8>, <r*8>",
    f"{_MMA}.m32n8k16.f32.bf16.bf16.f32 <r*8>, <r*8>, <r*2>, <r*8>",
    f"{_MMA}.m16n16k8.f32.tf32.tf32.f32 <r*8>, <r*4>, <r*4>, <r*8>",
    f"{_MMA}.m8n8k4{{- .rn .rz .rm .rp}}.f64.f64.f64.f64 <l*2>, <l>, <l>, <l*2>",
    *(
        f"{_MMA}.{shape}.s32.{ty}.s32{{- .satfinite}} <r*8>, {a}, {b}, <r*8>"
        for shape, a, b in (
            ("m16n16k16", "<r*2>", "<r*2>"),
            ("m8n32k16", "<r>", "<r*4>"),
            ("m32n8k16", "<r*4>", "<r>"),
        )
        for ty in ("s8.s8", "u8.u8")
    ),
    *(
        f"wmma.mma.sync.aligned.row.col.m8n8k32.s32.{ty}.s32{{- .satfinite}} "
        "<r*2>, <r>, <r>, <r*2>"
        for ty in ("s4.s4", "u4.u4")
    ),
    "wmma.mma{.xor .and}.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 <r*2>, <r>, "
    "<r>, <r*2>",
)
FAMILIES = (
    Family(WARP, "wmma.load", _LOADS, "sm_90"),
    Family(WARP, "wmma.store", _STORES, "sm_90"),
    Family(WARP, "wmma.mma", _PRODUCTS, "sm_90"),
)
