# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The forms of PTX's scalar instructions: arithmetic, comparison, logic, conversion."""

from __future__ import annotations

from isa_form import Family

INTEGER = "Integer Arithmetic Instructions"
EXTENDED = "Extended-Precision Integer Arithmetic Instructions"
FLOATING = "Floating-Point Instructions"
HALF = "Half Precision Floating-Point Instructions"
MIXED = "Mixed Precision Floating-Point Instructions"
COMPARISON = "Comparison and Selection Instructions"
HALF_COMPARISON = "Half Precision Comparison Instructions"
LOGIC = "Logic and Shift Instructions"
MOVEMENT = "Data Movement and Conversion Instructions"

_INT = "u16 u32 u64 s16 s32 s64"
_BITS = "b16 b32 b64"
_MODES = ".rn .rz .rm .rp"
_CC = "u32 s32 u64 s64"

_INTEGER = (
    Family(INTEGER, "add", (f"add.{{{_INT}}} d, d, d", "add.sat.s32 d, d, d")),
    Family(INTEGER, "add", ("add.{u16x2 s16x2} d, d, d",)),
    Family(INTEGER, "sub", (f"sub.{{{_INT}}} d, d, d", "sub.sat.s32 d, d, d")),
    Family(
        INTEGER,
        "mul",
        (f"mul.{{lo hi}}.{{{_INT}}} d, d, d", "mul.wide.{u16 u32 s16 s32} w, d, d"),
    ),
    Family(
        INTEGER,
        "mad",
        (
            f"mad.{{lo hi}}.{{{_INT}}} d, d, d, d",
            "mad.wide.{u16 u32 s16 s32} w, d, d, w",
            "mad.hi.sat.s32 d, d, d, d",
        ),
    ),
    Family(INTEGER, "mul24", ("mul24.{lo hi}.{u32 s32} d, d, d",)),
    Family(
        INTEGER,
        "mad24",
        ("mad24.{lo hi}.{u32 s32} d, d, d, d", "mad24.hi.sat.s32 d, d, d, d"),
    ),
    Family(INTEGER, "sad", (f"sad.{{{_INT}}} d, d, d, d",)),
    Family(INTEGER, "div", (f"div.{{{_INT}}} d, d, d",)),
    Family(INTEGER, "rem", (f"rem.{{{_INT}}} d, d, d",)),
    Family(INTEGER, "abs", ("abs.{s16 s32 s64} d, d",)),
    Family(INTEGER, "neg", ("neg.{s16 s32 s64} d, d",)),
    *(
        Family(
            INTEGER,
            name,
            (
                f"{name}.{{{_INT} u16x2 s16x2}} d, d, d",
                f"{name}.relu.{{s32 s16x2}} d, d, d",
            ),
        )
        for name in ("min", "max")
    ),
    Family(INTEGER, "popc", ("popc.{b32 b64} r, d",)),
    Family(INTEGER, "clz", ("clz.{b32 b64} r, d",)),
    Family(INTEGER, "bfind", ("bfind{- .shiftamt}.{u32 u64 s32 s64} r, d",)),
    Family(INTEGER, "fns", ("fns.b32 r, r, r, r",)),
    Family(INTEGER, "brev", ("brev.{b32 b64} d, d",)),
    Family(INTEGER, "bfe", ("bfe.{u32 u64 s32 s64} d, d, r, r",)),
    Family(INTEGER, "bfi", ("bfi.{b32 b64} d, d, d, r, r",)),
    Family(INTEGER, "szext", ("szext.{clamp wrap}.{u32 s32} d, d, r",)),
    Family(INTEGER, "bmsk", ("bmsk.{clamp wrap}.b32 d, r, r",)),
    Family(INTEGER, "dp4a", ("dp4a.{u32 s32}.{u32 s32} d, d, d, d",)),
    Family(INTEGER, "dp2a", ("dp2a.{lo hi}.{u32 s32}.{u32 s32} d, d, d, d",)),
    Family(EXTENDED, "add.cc", (f"add.cc.{{{_CC}}} d, d, d",)),
    Family(EXTENDED, "addc", (f"addc{{- .cc}}.{{{_CC}}} d, d, d",)),
    Family(EXTENDED, "sub.cc", (f"sub.cc.{{{_CC}}} d, d, d",)),
    Family(EXTENDED, "subc", (f"subc{{- .cc}}.{{{_CC}}} d, d, d",)),
    Family(EXTENDED, "mad.cc", (f"mad.{{lo hi}}.cc.{{{_CC}}} d, d, d, d",)),
    Family(EXTENDED, "madc", (f"madc.{{lo hi}}{{- .cc}}.{{{_CC}}} d, d, d, d",)),
)

_SUMS = tuple(
    Family(
        FLOATING,
        name,
        (
            f"{name}{{- {_MODES}}}{{- .ftz}}{{- .sat}}.f32 d, d, d",
            f"{name}{{- {_MODES}}}.f64 d, d, d",
        ),
    )
    for name in ("add", "sub", "mul")
)
_PAIRS = tuple(
    Family(
        FLOATING,
        name,
        (f"{name}{{- {_MODES}}}{{- .ftz}}.f32x2 d, d, d",),
        "sm_100a",
    )
    for name in ("add", "sub", "mul")
)
_FLOATING = (
    Family(
        FLOATING,
        "testp",
        ("testp.{finite infinite number notanumber normal subnormal}.{f32 f64} p, d",),
    ),
    Family(FLOATING, "copysign", ("copysign.{f32 f64} d, d, d",)),
    *_SUMS,
    *_PAIRS,
    *(
        Family(
            FLOATING,
            name,
            (
                f"{name}{{{_MODES}}}{{- .ftz}}{{- .sat}}.f32 d, d, d, d",
                f"{name}{{{_MODES}}}.f64 d, d, d, d",
            ),
        )
        for name in ("fma", "mad")
    ),
    Family(
        FLOATING, "fma", (f"fma{{{_MODES}}}{{- .ftz}}.f32x2 d, d, d, d",), "sm_100a"
    ),
    Family(
        FLOATING,
        "div",
        (
            f"div{{.approx .full {_MODES}}}{{- .ftz}}.f32 d, d, d",
            f"div{{{_MODES}}}.f64 d, d, d",
        ),
    ),
    Family(FLOATING, "abs", ("abs{- .ftz}.f32 d, d", "abs.f64 d, d")),
    Family(FLOATING, "neg", ("neg{- .ftz}.f32 d, d", "neg.f64 d, d")),
    *(
        Family(
            FLOATING,
            name,
            (
                f"{name}{{- .ftz}}{{- .NaN}}{{- .xorsign.abs}}.f32 d, d, d",
                f"{name}.f64 d, d, d",
            ),
        )
        for name in ("min", "max")
    ),
    *(
        Family(
            FLOATING,
            name,
            (f"{name}{{- .ftz}}{{- .NaN}}{{- .abs}}.f32 d, d, d, d",),
            "sm_100a",
        )
        for name in ("min", "max")
    ),
    Family(
        FLOATING,
        "rcp",
        (f"rcp{{.approx {_MODES}}}{{- .ftz}}.f32 d, d", f"rcp{{{_MODES}}}.f64 d, d"),
    ),
    Family(FLOATING, "rcp.approx.ftz.f64", ("rcp.approx.ftz.f64 d, d",)),
    Family(
        FLOATING,
        "sqrt",
        (f"sqrt{{.approx {_MODES}}}{{- .ftz}}.f32 d, d", f"sqrt{{{_MODES}}}.f64 d, d"),
    ),
    Family(
        FLOATING, "rsqrt", ("rsqrt.approx{- .ftz}.f32 d, d", "rsqrt.approx.f64 d, d")
    ),
    Family(FLOATING, "rsqrt.approx.ftz.f64", ("rsqrt.approx.ftz.f64 d, d",)),
    *(
        Family(FLOATING, name, (f"{name}.approx{{- .ftz}}.f32 d, d",))
        for name in ("sin", "cos", "lg2", "ex2")
    ),
    Family(FLOATING, "tanh", ("tanh.approx.f32 d, d",)),
)

_HALF = (
    *(
        Family(
            HALF,
            name,
            (
                f"{name}{{- .rn}}{{- .ftz}}{{- .sat}}.{{f16 f16x2}} d, d, d",
                f"{name}{{- .rn}}.{{bf16 bf16x2}} d, d, d",
            ),
        )
        for name in ("add", "sub", "mul")
    ),
    Family(
        HALF,
        "fma",
        (
            "fma.rn{- .ftz}{- .sat .relu}.{f16 f16x2} d, d, d, d",
            "fma.rn{- .relu}.{bf16 bf16x2} d, d, d, d",
        ),
    ),
    Family(
        HALF,
        "fma",
        ("fma.rn.oob{- .relu}.{f16 f16x2 bf16 bf16x2} d, d, d, d",),
        "sm_90a",
        "'.oob' is not supported",
    ),
    *(
        Family(
            HALF,
            name,
            (f"{name}{{- .ftz}}.{{f16 f16x2}} d, d", f"{name}.{{bf16 bf16x2}} d, d"),
        )
        for name in ("neg", "abs")
    ),
    *(
        Family(
            HALF,
            name,
            (
                f"{name}{{- .ftz}}{{- .NaN}}{{- .xorsign.abs}}.{{f16 f16x2}} d, d, d",
                f"{name}{{- .NaN}}{{- .xorsign.abs}}.{{bf16 bf16x2}} d, d, d",
            ),
        )
        for name in ("min", "max")
    ),
    Family(HALF, "tanh", ("tanh.approx.{f16 f16x2 bf16 bf16x2} d, d",)),
    Family(
        HALF,
        "ex2",
        ("ex2.approx.{f16 f16x2} d, d", "ex2.approx.ftz.{bf16 bf16x2} d, d"),
    ),
    *(
        Family(
            MIXED,
            name,
            (f"{name}{{- {_MODES}}}{{- .sat}}.f32.{{f16 bf16}} r, h, r",),
            "sm_100a",
        )
        for name in ("add", "sub")
    ),
    Family(
        MIXED,
        "fma",
        (f"fma{{{_MODES}}}{{- .sat}}.f32.{{f16 bf16}} r, h, h, r",),
        "sm_100a",
    ),
)

_SIGNED = "eq ne lt le gt ge"
_UNSIGNED = f"{_SIGNED} lo ls hi hs"
_FLOAT = f"{_SIGNED} equ neu ltu leu gtu geu num nan"
_JOIN = "{.and .or .xor}"
_KINDS = (
    ("eq ne", _BITS),
    (_UNSIGNED, "u16 u32 u64"),
    (_SIGNED, "s16 s32 s64"),
    (_FLOAT, "f32 f64"),
)
_COMPARISON = (
    Family(
        COMPARISON,
        "setp",
        (
            *(f"setp.{{{ops}}}.{{{types}}} p|p, d, d" for ops, types in _KINDS),
            f"setp.{{{_FLOAT}}}.ftz.f32 p, d, d",
            *(
                f"setp.{{{ops.split()[-1]}}}{_JOIN}.{{{types}}} p{{- |p}}, d, d, {{- "
                f"!}}p"
                for ops, types in _KINDS
            ),
        ),
    ),
    Family(
        COMPARISON,
        "set",
        (
            *(
                f"set.{{{ops}}}.{{u32 s32 f32}}.{{{types}}} r, d, d"
                for ops, types in _KINDS
            ),
            "set.{lt nan}.ftz.{u32 s32 f32}.f32 r, d, d",
            *(
                f"set.{{{ops.split()[-1]}}}{_JOIN}.{{u32 s32 f32}}.{{{types}}} "
                "r, d, d, {- !}p"
                for ops, types in _KINDS
            ),
        ),
    ),
    Family(COMPARISON, "selp", (f"selp.{{{_BITS} {_INT} f32 f64}} d, d, d, p",)),
    Family(
        COMPARISON,
        "slct",
        (
            f"slct.{{{_BITS} {_INT} f32 f64}}.{{s32 f32}} t, t, t, d",
            f"slct.ftz.{{{_BITS} {_INT} f32 f64}}.f32 t, t, t, d",
        ),
    ),
    Family(
        HALF_COMPARISON,
        "set",
        (
            f"set.{{{_FLOAT}}}{{- .ftz}}.{{f16 u16 s16 u32 s32}}.f16 t, h, h",
            f"set.{{{_FLOAT}}}{{- .ftz}}.{{f16x2 u32 s32}}.f16x2 r, r, r",
            f"set.{{{_FLOAT}}}.{{bf16 u16 s16 u32 s32}}.bf16 t, h, h",
            f"set.{{{_FLOAT}}}.{{bf16x2 u32 s32}}.bf16x2 r, r, r",
            f"set.{{{_FLOAT}}}.bf16.f16 h, h, h",
            *(
                f"set.{{{ops}}}.{{f16 bf16}}.{{{types}}} h, d, d"
                for ops, types in _KINDS
            ),
            "set.{lt nan}.ftz.f16.f32 h, r, r",
            f"set.ge{_JOIN}.{{f16 u16 s32}}.f16 t, h, h, {{- !}}p",
            f"set.ge{_JOIN}.{{bf16x2 u32 s32}}.bf16x2 r, r, r, {{- !}}p",
            f"set.ge{_JOIN}{{- .ftz}}.{{f16x2 u32 s32}}.f16x2 r, r, r, {{- !}}p",
        ),
    ),
    Family(
        HALF_COMPARISON,
        "setp",
        (
            f"setp.{{{_FLOAT}}}{{- .ftz}}.f16 p, h, h",
            f"setp.{{{_FLOAT}}}{{- .ftz}}.f16x2 p|p, r, r",
            f"setp.{{{_FLOAT}}}.bf16 p, h, h",
            f"setp.{{{_FLOAT}}}.bf16x2 p|p, r, r",
            f"setp.ge{_JOIN}.{{f16 bf16}} p, h, h, {{- !}}p",
            f"setp.ge{_JOIN}.{{f16x2 bf16x2}} p|p, r, r, {{- !}}p",
        ),
    ),
)

_LOGIC = (
    *(
        Family(LOGIC, name, (f"{name}.{{pred {_BITS}}} d, d, d",))
        for name in ("and", "or", "xor")
    ),
    Family(LOGIC, "not", (f"not.{{pred {_BITS}}} d, d",)),
    Family(LOGIC, "cnot", (f"cnot.{{{_BITS}}} d, d",)),
    Family(
        LOGIC,
        "lop3",
        (
            "lop3.b32 d, d, d, d, 0x1f",
            "lop3{.or .and}.b32 {d _}|p, d, d, d, 0x1f, {- !}p",
        ),
    ),
    Family(LOGIC, "shf", ("shf.{l r}.{clamp wrap}.b32 d, d, d, r",)),
    Family(LOGIC, "shl", (f"shl.{{{_BITS}}} d, d, r",)),
    Family(LOGIC, "shr", (f"shr.{{{_BITS} {_INT}}} d, d, r",)),
)

_NARROW_INT = "u8 s8 u16 s16 u32 s32 u64 s64"
_TO_INT = ".rni .rzi .rmi .rpi"
_EIGHT = "e4m3x2 e5m2x2"
_SIX = "e2m3x2 e3m2x2"
_CVT = (
    f"cvt.{{{_NARROW_INT}}}.{{{_NARROW_INT}}} t, d",
    "cvt.sat.u8.{s8 u16 s16 u32 s32 u64 s64} t, d",
    "cvt.sat.s8.{u8 u16 s16 u32 s32 u64 s64} t, d",
    "cvt.sat.u32.{s8 s16 s32 u64 s64} t, d",
    "cvt.sat.s32.{u32 u64 s64} t, d",
    f"cvt{{{_TO_INT}}}{{- .sat}}.{{{_NARROW_INT}}}.{{f16 f64}} t, d",
    f"cvt{{{_TO_INT}}}{{- .ftz}}{{- .sat}}.{{{_NARROW_INT}}}.f32 t, d",
    f"cvt{{{_TO_INT}}}.{{{_INT}}}.bf16 t, d",
    f"cvt{{{_MODES}}}{{- .sat}}.{{f16 f32 f64}}.{{{_NARROW_INT}}} t, d",
    f"cvt{{{_MODES}}}.bf16.{{{_INT}}} t, d",
    f"cvt{{{_MODES}}}{{- .ftz}}{{- .sat}}.f16.f32 t, d",
    f"cvt{{{_MODES}}}{{- .sat}}.f16.f64 t, d",
    f"cvt{{{_MODES}}}{{- .ftz}}{{- .sat}}.f32.f64 t, d",
    f"cvt{{{_MODES}}}.bf16.f64 t, d",
    f"cvt{{- {_MODES}}}.bf16.f16 t, d",
    f"cvt{{{_MODES}}}.bf16.f32 t, d",
    f"cvt{{- {_MODES}}}.f16.bf16 t, d",
    "cvt{- .ftz}{- .sat}.f32.f16 t, d",
    "cvt{- .ftz}{- .sat}.f64.f32 t, d",
    "cvt{- .sat}.f64.f16 t, d",
    "cvt.{f32 f64}.bf16 t, d",
    f"cvt{{- {_TO_INT}}}{{- .sat}}.{{f16.f16 f64.f64}} d, d",
    f"cvt{{- {_TO_INT}}}{{- .ftz}}{{- .sat}}.f32.f32 d, d",
    f"cvt{{{_TO_INT}}}.bf16.bf16 d, d",
    "cvt.{rn rz}{- .relu}{- .satfinite}.{f16.f32 bf16.f32} t, d",
    "cvt.{rn rz}{- .relu}{- .satfinite}.{f16x2.f32 bf16x2.f32} t, d, d",
    "cvt.rna{- .satfinite}.tf32.f32 r, r",
    "cvt.{rn rz}{- .relu}.tf32.f32 r, r",
    f"cvt.rn.satfinite{{- .relu}}.{{{_EIGHT}}}.f32 h, r, r",
    f"cvt.rn.satfinite{{- .relu}}.{{{_EIGHT}}}.f16x2 h, r",
    f"cvt.rn{{- .relu}}.f16x2.{{{_EIGHT}}} r, h",
)
_CVT_BLACKWELL = (
    "cvt.{rn rz}{- .relu}{- .satfinite}.tf32.f32 r, r",
    f"cvt.rn.satfinite{{- .relu}}.{{{_SIX}}}.f32 h, r, r",
    f"cvt.rn{{- .relu}}.f16x2.{{{_SIX}}} r, h",
    f"cvt.rn{{- .satfinite}}{{- .relu}}.bf16x2.{{{_EIGHT} {_SIX}}} r, h",
    "cvt.rn{- .satfinite}{- .relu}.bf16x2.e2m1x2 r, o",
    "cvt.rn.satfinite{- .relu}.e2m1x2.f32 o, r, r",
    "cvt.rn{- .relu}.f16x2.e2m1x2 r, o",
    "cvt.{rz rp}{- .satfinite}.ue8m0x2.f32 h, r, r",
    "cvt.{rz rp}{- .satfinite}.ue8m0x2.bf16x2 h, r",
    "cvt.rn.bf16x2.ue8m0x2 r, h",
)
_CVT_RANDOM = (
    "cvt.rs{- .relu}{- .satfinite}.{f16x2 bf16x2}.f32 r, r, r, r",
    "cvt.rs{- .relu}.satfinite.{e4m3x4 e5m2x4 e2m3x4 e3m2x4}.f32 r, <r r r r>, r",
    "cvt.rs{- .relu}.satfinite.e2m1x4.f32 h, <r r r r>, r",
)
_CONVERSION = (
    Family(MOVEMENT, "cvt", _CVT),
    Family(MOVEMENT, "cvt", _CVT_BLACKWELL, "sm_100a"),
    Family(
        MOVEMENT,
        "cvt",
        ("cvt.rn.scaled::n2::ue8m0.bf16x2.e4m3x2 r, h, h",),
        "sm_100a",
        "conversions with scale factors",
    ),
    Family(MOVEMENT, "cvt", _CVT_RANDOM, "sm_103a"),
    Family(
        MOVEMENT,
        "cvt.pack",
        (
            "cvt.pack.sat.{u16 s16}.s32 r, r, r",
            "cvt.pack.sat.{u8 s8 u4 s4 u2 s2}.s32.b32 r, r, r, r",
        ),
    ),
)

FAMILIES = (*_INTEGER, *_FLOATING, *_HALF, *_COMPARISON, *_LOGIC, *_CONVERSION)
