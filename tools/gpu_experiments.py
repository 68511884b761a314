# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Experiments of `gpu_questions.py`: instructions, ops and inputs.

PTX sources: PTX ISA, the section of each instruction. A thread loads its element of
each input into `%a`, `%b`, `%c`, runs the lines, and stores `%r`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from cuda_tile.runtime.elements import Array

Words = Sequence[int]


@dataclass(frozen=True)
class Experiment:
    """One instruction, and the op that it implements.

    Attributes:
        question: Number of the open question.
        what: The instruction, for the table.
        ptx: Its lines.
        tile: Text of the op, from `%a`, `%b`, `%c` to `%r`; `N` is the length.
        kinds: Element type of each input.
        result: Element type of the result.
        inputs: The inputs' bits.
        since: First chip with the instruction (`90`, `100a`).
        ulps: Allowed error, in units of the last place; None: compare bits.
        registers: Declarations beside `%a`, `%b`, `%c`, `%r`.
        one_cell: Whether the threads share `[%cell]`, a word that is 0 at first;
            `[%to]` is a thread's own element of the result.
    """

    question: int
    what: str
    ptx: str
    tile: str
    kinds: tuple[str, ...]
    result: str
    inputs: tuple[Array, ...]
    since: str = "80"
    ulps: float | None = None
    registers: str = ""
    one_cell: bool = False


FLOAT_WORDS: dict[str, Words] = {
    # +-0, +-subnormal, +-1, +-infinity, quiet and signalling NaN with payloads
    "f16": (0, 0x8000, 1, 0x8001, 0x3C00, 0xBC00, 0x7C00, 0xFC00, 0x7E01, 0x7D01),
    "bf16": (0, 0x8000, 1, 0x8001, 0x3F80, 0xBF80, 0x7F80, 0xFF80, 0x7FC1, 0x7FA1),
    "f32": (
        *(0, 0x80000000, 1, 0x80000001, 0x3F800000, 0xBF800000),
        *(0x7F800000, 0xFF800000, 0x7FC12345, 0x7FA12345),
    ),
    "f64": (
        *(0, 1 << 63, 1, (1 << 63) + 1, 0x3FF << 52, 0xBFF << 52),
        *(0x7FF << 52, 0xFFF << 52, (0x7FF8 << 48) + 5, (0x7FF4 << 48) + 5),
    ),
}


def words(kind: str, values: Words) -> Array:
    """Bits of an element type, as unsigned integers."""
    bits = 32 if kind == "tf32" else int(kind.strip("abfi"))
    array = np.array([v & ((1 << bits) - 1) for v in values], np.uint64)
    return array.astype(f"u{bits // 8}")


def floats(kind: str, values: Sequence[float]) -> Array:
    """Bits of f32 or f64 numbers."""
    dtype = np.dtype(f"f{int(kind[1:]) // 8}")
    with np.errstate(over="ignore"):
        return np.array(values, np.float64).astype(dtype).view(f"u{dtype.itemsize}")


def pairs(kind: str, first: Array, second: Array | None = None) -> tuple[Array, Array]:
    """Every pair of two lists."""
    second = first if second is None else second
    return np.repeat(first, len(second)), np.tile(second, len(first))


def integers() -> Iterator[Experiment]:
    """Shifts and divisions that the dialect leaves undefined."""
    amounts = (0, 1, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 255, -1)
    for bits in (16, 32, 64):
        kind = f"i{bits}"
        top = 1 << (bits - 1)
        values = words(kind, (1, -1, top, top - 1, 0x5A5A5A5A5A5A5A5A))
        a, b = pairs(kind, values, words(kind, amounts))
        cut = "cvt.u32.u16 %n, %b;"
        if bits == 32:
            cut = "mov.b32 %n, %b;"
        elif bits == 64:
            cut = "min.u64 %w, %b, 4294967295; cvt.u32.u64 %n, %w;"
        for name, tile in (
            (f"shl.b{bits}", f"shli %a, %b : tile<Nx{kind}>"),
            (f"shr.u{bits}", f"shri %a, %b unsigned : tile<Nx{kind}>"),
            (f"shr.s{bits}", f"shri %a, %b signed : tile<Nx{kind}>"),
        ):
            yield Experiment(
                10, name, f"{cut} {name} %r, %a, %n;", f"%r = {tile}", (kind, kind),
                kind, (a, b), registers=".reg .b32 %n; .reg .b64 %w;",
            )  # fmt: skip
        least = words(kind, (top, top, 7, -7, top - 1)), words(kind, (-1, 1, 2, 2, -1))
        for name, op in (("rem", "remi"), ("div", "divi")):
            yield Experiment(
                9, f"{name}.s{bits}", f"{name}.s{bits} %r, %a, %b;",
                f"%r = {op} %a, %b signed : tile<Nx{kind}>", (kind, kind), kind, least,
            )  # fmt: skip
            for sign, word in (("s", "signed"), ("u", "unsigned")):
                zero = words(kind, (0, 1, -1, 7, top)), words(kind, (0,) * 5)
                yield Experiment(
                    41, f"{name}.{sign}{bits} by 0",
                    f"{name}.{sign}{bits} %r, %a, %b;",
                    f"%r = {op} %a, %b {word} : tile<Nx{kind}>",
                    (kind, kind), kind, zero,
                )  # fmt: skip


def flushes() -> Iterator[Experiment]:
    """Combinations of flushing, rounding and contraction."""
    low = words("f32", (0x3F7FFFFF, 0x3F7FFFFE, 0x3F800000, 0xBF7FFFFF))
    small = words("f32", (0x00800000, 0x00800001, 0x00800000, 0x00800000))
    yield Experiment(
        2, "mul.ftz.f32", "mul.ftz.f32 %r, %a, %b;",
        "%r = mulf %a, %b flush_to_zero : tile<Nxf32>", ("f32", "f32"), "f32",
        (low, small),
    )  # fmt: skip
    a = words("f32", (0x00800000, 0x00800001, 0x80800000, 0x00FFFFFF))
    b = words("f32", (0x80000001, 0x80800000, 0x00000001, 0x80800000))
    yield Experiment(
        2, "add.ftz.f32", "add.ftz.f32 %r, %a, %b;",
        "%r = addf %a, %b flush_to_zero : tile<Nxf32>", ("f32", "f32"), "f32", (a, b),
    )  # fmt: skip
    zero = words("f32", (0, 0, 0, 0x80000000))
    yield Experiment(
        2, "fma.rn.ftz.f32", "fma.rn.ftz.f32 %r, %a, %b, %c;",
        "%r = fma %a, %b, %c flush_to_zero : tile<Nxf32>", ("f32",) * 3, "f32",
        (low, small, zero),
    )  # fmt: skip
    x = floats("f32", [1 + 2.0**-12] * 4)
    c = floats("f32", [-(1 + 2.0**-11)] * 4)
    for name in ("", ".rn"):
        yield Experiment(
            3, f"mul{name}.f32, add{name}.f32",
            f"mul{name}.f32 %t, %a, %b; add{name}.f32 %r, %t, %c;",
            "%t = mulf %a, %b : tile<Nxf32> %r = addf %t, %c : tile<Nxf32>",
            ("f32",) * 3, "f32", (x, x, c), registers=".reg .b32 %t;",
        )  # fmt: skip


def extremes() -> Iterator[Experiment]:
    """Max and min of zeros, subnormals and NaN, bit for bit."""
    for kind, listed in FLOAT_WORDS.items():
        a, b = pairs(kind, words(kind, listed))
        for name in ("max", "min"):
            for flag in ("", ".NaN") if kind != "f64" else ("",):
                word = "propagate_nan" if flag else ""
                yield Experiment(
                    13, f"{name}{flag}.{kind}", f"{name}{flag}.{kind} %r, %a, %b;",
                    f"%r = {name}f %a, %b {word} : tile<Nx{kind}>", (kind, kind), kind,
                    (a, b),
                )  # fmt: skip
    a, b = pairs("f32", words("f32", FLOAT_WORDS["f32"]))
    yield Experiment(
        13, "max.ftz.f32", "max.ftz.f32 %r, %a, %b;",
        "%r = maxf %a, %b flush_to_zero : tile<Nxf32>", ("f32", "f32"), "f32", (a, b),
    )  # fmt: skip


FAR = [300, -5, np.nan, np.inf, -np.inf, 1e20, -1e20, -0.9, 127.5, 2.0**31, -(2.0**31)]


def conversions() -> Iterator[Experiment]:
    """Out-of-range values, NaN, ties that double rounding would get wrong, payloads."""
    far = floats("f32", FAR)
    for kind in ("i8", "i16", "i32", "i64"):
        for sign, word in (("s", "signed"), ("u", "unsigned")):
            name = f"cvt.rzi.{sign}{kind[1:]}.f32"
            narrow = "cvt.u16.u32 %r, %n;" if kind == "i16" else "mov.b32 %r, %n;"
            lines = f"{name} %r, %a;"
            if kind in ("i8", "i16"):  # wider registers hold the extended value
                lines = f"{name} %n, %a; {narrow}"
            yield Experiment(
                18, name, lines,
                f"%r = ftoi %a {word} : tile<Nxf32> -> tile<Nx{kind}>", ("f32",), kind,
                (far,), registers=".reg .b32 %n;",
            )  # fmt: skip
    far = floats("f64", FAR)
    for kind in ("i32", "i64"):
        yield Experiment(
            18, f"cvt.rzi.s{kind[1:]}.f64", f"cvt.rzi.s{kind[1:]}.f64 %r, %a;",
            f"%r = ftoi %a signed : tile<Nxf64> -> tile<Nx{kind}>", ("f64",), kind,
            (far,),
        )  # fmt: skip
    odd = floats("f32", [np.nan, np.inf, -np.inf, 1e9, -1e9, 448.0, 464.0, 465.0, -0.0])
    for kind, name, since in (
        ("f8E4M3FN", "e4m3x2", "89"),
        ("f8E5M2", "e5m2x2", "89"),
    ):
        yield Experiment(
            21, f"cvt.rn.satfinite.{name}.f32",
            f"cvt.rn.satfinite.{name}.f32 %h, 0f00000000, %a; cvt.u32.u16 %r, %h;",
            f"%r = ftof %a : tile<Nxf32> -> tile<Nx{kind}>", ("f32",), kind, (odd,),
            since=since, registers=".reg .b16 %h;",
        )  # fmt: skip
    odd = floats("f32", [-4.0, 0.0, -0.0, np.inf, np.nan, 2.0**-127, 2.0**-140, 1.5])
    for mode, word in (("rz", "zero"), ("rp", "positive_inf")):
        yield Experiment(
            20, f"cvt.{mode}.satfinite.ue8m0x2.f32",
            f"cvt.{mode}.satfinite.ue8m0x2.f32 %h, 0f00000000, %a; cvt.u32.u16 %r, %h;",
            f"%r = ftof %a rounding<{word}> : tile<Nxf32> -> tile<Nxf8E8M0FNU>",
            ("f32",), "f8E8M0FNU", (odd,), since="100a", registers=".reg .b16 %h;",
        )  # fmt: skip
    odd = floats("f32", [np.nan, np.inf, -np.inf, 7.0, -7.0, 0.25, 0.75, -0.0])
    yield Experiment(
        21, "cvt.rn.satfinite.e2m1x2.f32, and back",
        "cvt.rn.satfinite.e2m1x2.f32 %q, %a, %a; cvt.rn.f16x2.e2m1x2 %h, %q; "
        "cvt.u16.u32 %s, %h; cvt.f32.f16 %r, %s;",
        "%p = ftof %a : tile<Nxf32> -> tile<Nxf4E2M1FN> "
        "%r = ftof %p : tile<Nxf4E2M1FN> -> tile<Nxf32>",
        ("f32",), "f32", (odd,), since="100a",
        registers=".reg .b8 %q; .reg .b32 %h; .reg .b16 %s;",
    )  # fmt: skip
    tie = floats("f64", [1 + 2.0**-11 + 2.0**-40, 1 + 2.0**-11 - 2.0**-40, 65519.99])
    yield Experiment(
        22, "cvt.rn.f16.f64", "cvt.rn.f16.f64 %r, %a;",
        "%r = ftof %a : tile<Nxf64> -> tile<Nxf16>", ("f64",), "f16", (tie,),
    )  # fmt: skip
    far = words("i64", (2**36 + 2**25 + 1, 2049, 2**53 + 1, -(2**36) - 2**25 - 1))
    for kind, since in (("f16", "80"), ("bf16", "90"), ("f32", "80")):
        yield Experiment(
            22, f"cvt.rn.{kind}.s64", f"cvt.rn.{kind}.s64 %r, %a;",
            f"%r = itof %a signed : tile<Nxi64> -> tile<Nx{kind}>", ("i64",), kind,
            (far,), since=since,
        )  # fmt: skip
    nan = words("f32", (0x7FC12345, 0xFFC00001, 0x7FA12345, 0x7F800000))
    yield Experiment(
        40, "cvt.f64.f32, cvt.rn.f32.f64",
        "cvt.f64.f32 %d, %a; cvt.rn.f32.f64 %r, %d;",
        "%d = ftof %a : tile<Nxf32> -> tile<Nxf64> "
        "%r = ftof %d : tile<Nxf64> -> tile<Nxf32>",
        ("f32",), "f32", (nan,), registers=".reg .b64 %d;",
    )  # fmt: skip
    yield Experiment(
        1, "cvt.rn.tf32.f32", "cvt.rn.tf32.f32 %r, %a;",
        "%r = ftof %a : tile<Nxf32> -> tile<Nxtf32>", ("f32",), "tf32",
        (words("f32", (0x3F801000, 0x3F801001, 0x3F803000, 0x3F800FFF, 0x7F7FFFFF)),),
        since="90",
    )  # fmt: skip


def spread(low: float, high: float, count: int = 512) -> Array:
    """f32 numbers between two, evenly and at random."""
    rng = np.random.default_rng(1)
    even = np.linspace(low, high, count // 2)
    return floats("f32", [*even, *rng.uniform(low, high, count // 2)])


def approximations() -> Iterator[Experiment]:
    """Largest errors of the approximate instructions, in units of the last place."""
    for name, op, inputs, ulps in (
        ("ex2.approx.f32", "exp2 %a", spread(-126, 127), 2.0),
        ("lg2.approx.f32", "log2 %a", spread(2.1, 1e6), 3.0),
        ("rsqrt.approx.f32", "rsqrt %a", spread(1e-3, 1e6), 2.0),
        ("sqrt.approx.f32", "sqrt %a rounding<approx>", spread(1e-3, 1e6), 2.0),
        ("tanh.approx.f32", "tanh %a rounding<approx>", spread(-4, 4), 2.0**13),
    ):
        yield Experiment(
            34, name, f"{name} %r, %a;", f"%r = {op} : tile<Nxf32>", ("f32",), "f32",
            (inputs,), ulps=ulps,
        )  # fmt: skip
    a, b = spread(-1e3, 1e3), spread(1e-3, 1e5)
    for mode in ("approx", "full"):
        yield Experiment(
            34, f"div.{mode}.f32", f"div.{mode}.f32 %r, %a, %b;",
            f"%r = divf %a, %b rounding<{mode}> : tile<Nxf32>", ("f32", "f32"), "f32",
            (a, b), ulps=2.0,
        )  # fmt: skip
    huge = floats("f32", [1.5 * 2.0**126, 2.0**127, 1.5 * 2.0**126, 2.0**126])
    one = floats("f32", [1.0, -1.0, np.inf, 1.0])
    yield Experiment(
        34, "div.approx.f32 by more than 2^126", "div.approx.f32 %r, %a, %b;",
        "%r = divf %a, %b rounding<approx> : tile<Nxf32>", ("f32", "f32"), "f32",
        (one, huge), ulps=2.0,
    )  # fmt: skip


def products() -> Iterator[Experiment]:
    """Matrix instructions: ignored operand bits, width of the sums."""
    dirty = np.full(32, 0x3F801FFF, np.uint32)
    yield Experiment(
        1, "mma.sync tf32 of dirty low bits",
        "mov.b32 %z, 0; mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
        "{%r, %x, %y, %w}, {%a, %a, %a, %a}, {%b, %b}, {%z, %z, %z, %z};",
        """%m = reshape %a : tile<Nxtf32> -> tile<4x8xtf32>
           %n = reshape %b : tile<Nxtf32> -> tile<8x4xtf32>
           %z = constant <f32: 0.0> : tile<4x4xf32>
           %p = mmaf %m, %n, %z : tile<4x8xtf32>, tile<8x4xtf32>, tile<4x4xf32>
           %q = reshape %p : tile<4x4xf32> -> tile<16xf32>
           %r = cat %q, %q dim = 0 : tile<16xf32>, tile<16xf32> -> tile<32xf32>""",
        ("tf32", "tf32"), "f32", (dirty, dirty),
        registers=".reg .b32 %z, %x, %y, %w;",
    )  # fmt: skip
    for what, left, acc in (
        ("sixteen ones onto 2^24", 0x3C003C00, 2.0**24),
        ("sixteen ones onto -2^24", 0x3C003C00, -(2.0**24)),
        ("subnormal f16", 0x00010001, 0.0),
    ):
        a, b = np.full(32, left, np.uint32), np.full(32, 0x3C003C00, np.uint32)
        yield Experiment(
            36, f"mma.sync f16: {what}",
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
            "{%r, %x, %y, %w}, {%a, %a, %a, %a}, {%b, %b}, {%c, %c, %c, %c};",
            """%ab = bitcast %a : tile<Nxi32> -> tile<Nxf32>
               %m8 = pack %ab : tile<Nxf32> -> tile<128xi8>
               %m16 = unpack %m8 : tile<128xi8> -> tile<64xf16>
               %m = reshape %m16 : tile<64xf16> -> tile<4x16xf16>
               %bb = bitcast %b : tile<Nxi32> -> tile<Nxf32>
               %n8 = pack %bb : tile<Nxf32> -> tile<128xi8>
               %n16 = unpack %n8 : tile<128xi8> -> tile<64xf16>
               %n = reshape %n16 : tile<64xf16> -> tile<16x4xf16>
               %c2 = reshape %c : tile<Nxf32> -> tile<8x4xf32>
               %zero = constant <i32: 0> : tile<i32>
               %c4 = extract %c2[%zero, %zero] : tile<8x4xf32> -> tile<4x4xf32>
               %p = mmaf %m, %n, %c4 : tile<4x16xf16>, tile<16x4xf16>, tile<4x4xf32>
               %q = reshape %p : tile<4x4xf32> -> tile<16xf32>
               %r = cat %q, %q dim = 0 : tile<16xf32>, tile<16xf32> -> tile<32xf32>""",
            ("i32", "i32", "f32"), "f32", (a, b, floats("f32", [acc] * 32)),
            registers=".reg .b32 %x, %y, %w;",
        )  # fmt: skip


def atomics() -> Iterator[Experiment]:
    """Subnormal sums in memory, and the order of threads at one address."""
    a = words("f32", (0x00000001, 0x00400000, 0x80000001, 0x00800000))
    b = words("f32", (0x00000001, 0x00400000, 0x80000001, 0x80000001))
    yield Experiment(
        37, "atom.global.add.f32", "st.global.b32 [%to], %a; "
        "atom.global.add.f32 %t, [%to], %b; ld.global.b32 %r, [%to];",
        "%r = addf %a, %b : tile<Nxf32>", ("f32", "f32"), "f32", (a, b),
        registers=".reg .b32 %t;",
    )  # fmt: skip
    for kind, since in (("f16", "80"), ("bf16", "90")):
        a = words(kind, (0x0001, 0x0040, 0x8001, 0x0080))
        yield Experiment(
            37, f"atom.global.add.noftz.{kind}", "st.global.b16 [%to], %a; "
            f"atom.global.add.noftz.{kind} %t, [%to], %b; ld.global.b16 %r, [%to];",
            f"%r = addf %a, %b : tile<Nx{kind}>", (kind, kind), kind, (a, a),
            since=since, registers=".reg .b16 %t;",
        )  # fmt: skip
    one = np.ones(32, np.uint32)
    yield Experiment(
        39, "atom.global.add.u32 of 32 threads at one address",
        "atom.global.add.u32 %r, [%cell], %a;",
        "%i = iota : tile<Nxi32> %r = muli %i, %a : tile<Nxi32>", ("i32",), "i32",
        (one,), one_cell=True,
    )  # fmt: skip


EXPERIMENTS: tuple[Experiment, ...] = tuple(
    experiment
    for family in (
        integers, flushes, extremes, conversions, approximations, products, atomics,
    )
    for experiment in family()
)  # fmt: skip
"""All of them."""

ELSEWHERE: dict[int, str] = {
    4: "a launch with clusters, once one is compiled",
    12: "no instruction: the library's fmod",
    14: "no instruction: the library's powi",
    16: "wgmma of 8-bit floats, once it is emitted",
    35: "no instruction: the library's functions",
}
"""Questions for a GPU that need more than one instruction."""
