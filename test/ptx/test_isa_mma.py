# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mma of every type and shape against integer and rational products.

Fragments follow the row and column formulas of the ISA's sections "Matrix Fragments
for mma...": with e elements in a register, element i of A lies in row g + 8 (i / e % 2)
and column e t + i % e + 4 e (i / 2 e), g being lane / 4 and t lane % 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from ptx_exact import FORMATS, encode
from ptx_harness import assemble, module
from ptx_small import SMALL, values

from cuda_tile.emulator import FindingError, launch

Ints = NDArray[np.int64]
LANE = np.arange(32)[:, None]
G, T = LANE // 4, LANE % 4
BITS = {
    **{"f16": 16, "bf16": 16, "tf32": 32, "f64": 64, "s8": 8, "u8": 8, "b1": 1},
    **{"s4": 4, "u4": 4, "e4m3": 8, "e5m2": 8},
}


@dataclass(frozen=True)
class Mma:
    """One form: the mnemonic has it all."""

    shape: str
    left: str
    right: str
    result: str
    middle: str = ""
    tail: str = ""
    target: str = "sm_90a"
    container: int = 0

    @property
    def rows(self) -> int:
        return int(self.shape[1:].partition("n")[0])

    @property
    def depth(self) -> int:
        return int(self.shape.partition("k")[2])

    @property
    def mnemonic(self) -> str:
        types = f"{self.result}.{self.left}.{self.right}.{self.result}"
        head = f"mma.sync.aligned.{self.shape}.row.col"
        return f"{head}{self.middle}.{types}{self.tail}"

    def bits(self, name: str) -> int:
        return self.container or BITS.get(name) or 4

    def __str__(self) -> str:
        return self.mnemonic


def places_a(m: Mma) -> tuple[Ints, Ints]:
    e = max(32 // m.bits(m.left), 1)
    i = np.arange(m.rows * m.depth // 32)[None, :]
    halves = m.rows // 8
    row = G + 8 * (i // e % halves)
    return row, T * e + i % e + 4 * e * (i // (halves * e))


def places_b(m: Mma) -> tuple[Ints, Ints]:
    e = max(32 // m.bits(m.right), 1)
    i = np.arange(8 * m.depth // 32)[None, :]
    return T * e + i % e + 4 * e * (i // e), G + 0 * i


def places_c(m: Mma) -> tuple[Ints, Ints]:
    i = np.arange(m.rows // 4)[None, :]
    return G + 8 * (i // 2), T * 2 + i % 2


def packed(codes: Ints, bits: int) -> NDArray[np.uint32]:
    """Puts elements of each lane side by side into 32-bit words."""
    if bits == 64:
        words = codes.astype(np.uint64).view(np.uint32)
        return np.ascontiguousarray(words)
    groups = codes.reshape(32, -1, 32 // bits).astype(np.uint64)
    shifts = np.arange(0, 32, bits, dtype=np.uint64)
    return (groups << shifts).sum(axis=2).astype(np.uint32)


def kernel(m: Mma, counts: tuple[int, int, int], name: str = "k") -> str:
    """Loads fragments, multiplies, stores D over C; a scaled form has selectors."""
    wide = m.left == "f64"
    size, register = (8, "l") if wide else (4, "r")

    def loads(letter: str, count: int) -> str:
        lines = [f"ld.param.u64 %q, [{letter}];"]
        lines.append(f"mad.wide.u32 %q, %i, {size * count}, %q;")
        lines += [
            f"ld.global.b{8 * size} %{register}{letter}{i}, [%q+{size * i}];"
            for i in range(count)
        ]
        return "\n".join(lines)

    def group(letter: str, count: int) -> str:
        parts = ", ".join(f"%{register}{letter}{i}" for i in range(count))
        return "{" + parts + "}"

    n_a, n_b, n_c = counts
    c = group("c", n_c)
    scaled = "block_scale" in m.middle
    scales = ", %rs0, {%h0, %h1}, %rs1, {%h2, %h3}" if scaled else ""
    read = ""
    if scaled:
        read = loads("s", 2) + "\nld.param.u64 %q, [ids];\n"
        read += "\n".join(f"ld.global.b16 %h{i}, [%q+{2 * i}];" for i in range(4))
    stores = "\n".join(
        f"st.global.b{8 * size} [%q+{size * i}], %{register}c{i};" for i in range(n_c)
    )
    return f"""
.visible .entry {name}(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 s,
    .param .u64 ids)
{{
    .reg .b32 %i, %ra<8>, %rb<8>, %rc<8>, %rs<2>; .reg .b64 %q;
    .reg .b64 %la<8>, %lb<8>, %lc<8>; .reg .b16 %h<4>;
    mov.u32 %i, %tid.x;
    {read}
    {loads("a", n_a)}
    {loads("b", n_b)}
    {loads("c", n_c)}
    {m.mnemonic} {c}, {group("a", n_a)}, {group("b", n_b)}, {c}{scales};
    {stores}
    ret;
}}
"""


def counts_of(m: Mma) -> tuple[int, int, int]:
    size = 64 if m.left == "f64" else 32
    c_bits = {"f16": 16, "f64": 64}.get(m.result, 32)
    return (
        m.rows * m.depth // 32 * m.bits(m.left) // size,
        8 * m.depth // 32 * m.bits(m.right) // size,
        m.rows // 4 * c_bits // size,
    )


def draw(
    rng: np.random.Generator, m: Mma, name: str, shape: tuple[int, int]
) -> tuple[Ints, NDArray[np.float64]]:
    """Random elements: their bits, and what they mean; floats are small and short."""
    if name in ("s8", "s4", "u8", "u4", "b1"):
        bits = BITS[name]
        codes = rng.integers(0, 1 << bits, shape)
        signed = codes - (codes >> bits - 1 << bits)
        return codes, (signed if name[0] == "s" else codes).astype(np.float64)
    if name in SMALL:
        table = values(name)
        good = np.flatnonzero(
            (np.abs(table) <= 8) & ((np.abs(table) >= 0.25) | (table == 0))
        )
        codes = rng.choice(good, shape)
        shift = 2 if m.container and name == "e2m1" else 0
        return codes << shift, table[codes]
    numbers = rng.integers(-32, 33, shape) / 8
    if name == "f16":
        return numbers.astype(np.float16).view(np.uint16).astype(np.int64), numbers
    if name == "f64":
        return numbers.view(np.int64), numbers
    words = numbers.astype(np.float32).view(np.uint32).astype(np.int64)
    return words >> (16 if name == "bf16" else 0), numbers


def run(m: Mma, parts: list[NDArray[Any]], *more: NDArray[Any]) -> NDArray[np.uint32]:
    extra = list(more) or [np.zeros((32, 2), np.uint32), np.zeros(4, np.uint16)]
    a, b, c = (np.ascontiguousarray(part) for part in parts)
    text = module(kernel(m, counts_of(m)), m.target)
    launch(text, grid=1, block=32, args=[a, b, c, *extra])
    return c


FP8 = ("e4m3", "e5m2")
FORMS = [
    *(
        Mma(f"m16n8k{k}", ty, ty, result)
        for k in (8, 16)
        for ty, result in (("f16", "f32"), ("f16", "f16"), ("bf16", "f32"))
    ),
    Mma("m16n8k4", "tf32", "tf32", "f32"),
    Mma("m16n8k8", "tf32", "tf32", "f32"),
    *(
        Mma(f"m16n8k{k}", x, y, result)
        for k, x, y, result in product((16, 32), FP8, FP8, ("f32", "f16"))
    ),
    *(
        Mma(shape, x, y, "s32", sat)
        for shape in ("m8n8k16", "m16n8k16", "m16n8k32")
        for x, y, sat in product(("s8", "u8"), ("s8", "u8"), ("", ".satfinite"))
    ),
    *(
        Mma(shape, x, y, "s32", sat)
        for shape in ("m8n8k32", "m16n8k32", "m16n8k64")
        for x, y, sat in product(("s4", "u4"), ("s4", "u4"), ("", ".satfinite"))
    ),
    *(
        Mma(shape, "b1", "b1", "s32", "", f".{op}.popc")
        for shape in ("m8n8k128", "m16n8k128", "m16n8k256")
        for op in ("xor", "and")
    ),
    *(
        Mma("m16n8k32", x, y, result, ".kind::f8f6f4", "", "sm_120a", 8)
        for x, y in product(SMALL, SMALL)
        for result in ("f32", "f16")
    ),
    *(
        Mma(shape, "f64", "f64", "f64")
        for shape in ("m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16")
    ),
]


@pytest.mark.parametrize("m", FORMS, ids=str)
def test_product(m: Mma) -> None:
    rng = np.random.default_rng(7)
    a_codes, a = draw(rng, m, m.left, (m.rows, m.depth))
    b_codes, b = draw(rng, m, m.right, (m.depth, 8))
    if m.tail.startswith(".xor"):
        bits = a.astype(np.int64)[:, :, None] ^ b.astype(np.int64)[None]
        total = bits.sum(axis=1).astype(np.float64)
    else:
        total = a @ b
    fragments = [
        packed(a_codes[places_a(m)], m.bits(m.left)),
        packed(b_codes[places_b(m)], m.bits(m.right)),
    ]
    where = places_c(m)
    if m.result == "s32":
        c = rng.integers(-(2**31), 2**31, (m.rows, 8))
        c[0, :4] = [2**31 - 1, -(2**31), 2**31 - 100, 100 - 2**31]
        whole = c + total.astype(np.int64)
        if m.middle:
            whole = whole.clip(-(2**31), 2**31 - 1)
        found = run(m, [*fragments, c.astype(np.int32)[where].view(np.uint32)])
        wanted = (whole & 0xFFFFFFFF).astype(np.uint32)[where]
        assert np.array_equal(found, wanted)
        return
    dtype = {"f32": np.float32, "f16": np.float16, "f64": np.float64}[m.result]
    c = (rng.integers(-64, 65, (m.rows, 8)) / 4).astype(dtype)
    found = run(m, [*fragments, np.ascontiguousarray(c[where]).view(np.uint32)])
    assert np.array_equal(found.view(dtype), (total + c).astype(dtype)[where])


@pytest.mark.parametrize("mode", ["rn", "rz", "rm", "rp"])
def test_doubles_fuse_along_k(mode: str) -> None:
    """Sums that no double holds, rounded as rationals are."""
    m = Mma("m8n8k4", "f64", "f64", "f64", f".{mode}")
    rng = np.random.default_rng(3)
    a, b, c = (rng.standard_normal((8, n)) for n in (4, 8, 8))
    a[:, 1:] = 0  # one product: one rounding, whatever the order
    b = b[:4]
    wanted = np.zeros((8, 8), np.uint64)
    for i, j in np.ndindex(8, 8):
        exact = Fraction(float(a[i, 0])) * Fraction(float(b[0, j]))
        exact += Fraction(float(c[i, j]))
        wanted[i, j] = encode(exact, FORMATS["f64"], mode)
    parts = [
        packed(a.view(np.int64)[places_a(m)], 64),
        packed(b.view(np.int64)[places_b(m)], 64),
        packed(c.view(np.int64)[places_c(m)], 64),
    ]
    assert np.array_equal(run(m, parts).view(np.uint64), wanted[places_c(m)])


# Block scaling -----------------------------------------------------------------------

FP4 = ("e2m1", "e2m1", "f32")
MX = ".kind::mxf8f6f4.block_scale.scale_vec::1X"
SCALED = [
    *(
        (Mma("m16n8k32", x, y, "f32", MX, ".ue8m0", "sm_120a", 8), 1, "ue8m0")
        for x, y in product(SMALL, SMALL)
    ),
    *(
        (
            Mma(
                "m16n8k64", "e2m1", "e2m1", "f32", f".kind::{kind}", f".{ty}", "sm_120a"
            ),
            n,
            ty,
        )
        for kind, n, ty in (
            ("mxf4.block_scale", 2, "ue8m0"),
            ("mxf4nvf4.block_scale.scale_vec::2X", 2, "ue8m0"),
            ("mxf4nvf4.block_scale.scale_vec::4X", 4, "ue8m0"),
            ("mxf4nvf4.block_scale.scale_vec::4X", 4, "ue4m3"),
        )
    ),
]


def scale_of(code: int, name: str) -> float:
    if name == "ue8m0":
        return 2.0 ** (code - 127)
    return float(values("e4m3")[code & 0x7F])


@pytest.mark.parametrize(("m", "columns", "name"), SCALED, ids=str)
def test_block_scaling(m: Mma, columns: int, name: str) -> None:
    """ISA: thread-id-a picks two lanes of a quad, the second for the row 8 below."""
    rng = np.random.default_rng(11)
    a_codes, a = draw(rng, m, m.left, (16, m.depth))
    b_codes, b = draw(rng, m, m.right, (m.depth, 8))
    c = (rng.integers(-64, 65, (16, 8)) / 4).astype(np.float32)
    low, high = (125, 130) if name == "ue8m0" else (0x28, 0x40)
    words = rng.integers(low, high, (32, 2, 4)).astype(np.uint8)
    bytes_ = {1: (0, 1, 2, 3), 2: (0, 2), 4: (0,)}[columns]
    chunk = m.depth // columns
    choices = list(product(bytes_, bytes_, (0, 1), range(4)))
    for byte_a, byte_b, thread_a, thread_b in rng.permutation(choices)[:8].tolist():
        scaled_a, scaled_b = a.copy(), b.copy()
        for row, j in np.ndindex(16, columns):
            lane = 4 * (row % 8) + 2 * thread_a + row // 8
            factor = scale_of(int(words[lane, 0, byte_a + j]), name)
            scaled_a[row, j * chunk : (j + 1) * chunk] *= factor
        for column, j in np.ndindex(8, columns):
            lane = 4 * column + thread_b
            factor = scale_of(int(words[lane, 1, byte_b + j]), name)
            scaled_b[j * chunk : (j + 1) * chunk, column] *= factor
        found = run(
            m,
            [
                packed(a_codes[places_a(m)], m.bits(m.left)),
                packed(b_codes[places_b(m)], m.bits(m.right)),
                np.ascontiguousarray(c[places_c(m)]).view(np.uint32),
            ],
            words.view(np.uint32)[:, :, 0].copy(),
            np.array([byte_a, thread_a, byte_b, thread_b], np.uint16),
        )
        total = (scaled_a @ scaled_b + c).astype(np.float32)
        assert np.array_equal(found.view(np.float32), total[places_c(m)])


def test_a_wrong_selector_is_a_finding() -> None:
    m, _, _ = SCALED[-1]
    zeros = [np.zeros((32, n), np.uint32) for n in counts_of(m)]
    ids = np.array([2, 0, 0, 0], np.uint16)
    with pytest.raises(FindingError, match="expected a byte-id of"):
        run(m, zeros, np.zeros((32, 2), np.uint32), ids)


# m8n8k4 of f16 -----------------------------------------------------------------------


def volta(name: str, layout: str, lane: int, i: int) -> tuple[int, int]:
    """Row and column as "Matrix Fragments for mma.m8n8k4" gives them."""
    high = 0 if lane < 16 else 4
    if name == "a":
        return (lane % 4 + high, i) if layout == "row" else (i % 4 + high, lane % 4)
    if name == "b":
        return (lane % 4, i + high) if layout == "row" else (i, lane % 4 + high)
    if layout == "f16":
        return lane % 4 + high, i
    return (lane & 1) + (i & 2) + high, (i & 4) + (lane & 2) + (i & 1)


@pytest.mark.parametrize("layouts", list(product(("row", "col"), ("row", "col"))))
@pytest.mark.parametrize("types", [("f32", "f32"), ("f16", "f16"), ("f32", "f16")])
def test_four_small_products(layouts: tuple[str, str], types: tuple[str, str]) -> None:
    result, addend = types
    rng = np.random.default_rng(5)
    a, b, c = (
        rng.integers(-8, 9, (4, *s)).astype(float) for s in ((8, 4), (4, 8), (8, 8))
    )
    d = a @ b + c

    def fragment(
        whole: NDArray[Any], name: str, layout: str, count: int
    ) -> NDArray[Any]:
        lanes = [
            [
                whole[(lane % 16 // 4, *volta(name, layout, lane, i))]
                for i in range(count)
            ]
            for lane in range(32)
        ]
        dtype = np.float32 if name == "c" and layout == "f32" else np.float16
        return np.array(lanes, dtype).view(np.uint32)

    parts = (
        fragment(a, "a", layouts[0], 4),
        fragment(b, "b", layouts[1], 4),
        fragment(c, "c", addend, 8),
    )
    d_regs, c_regs = (8 if ty == "f32" else 4 for ty in (result, addend))
    name = (
        f"mma.sync.aligned.m8n8k4.{layouts[0]}.{layouts[1]}.{result}.f16.f16.{addend}"
    )

    def group(letter: str, count: int) -> str:
        return "{" + ", ".join(f"%{letter}{i}" for i in range(count)) + "}"

    def loads(letter: str, count: int) -> str:
        lines = [f"ld.param.u64 %q, [{letter}]; mad.wide.u32 %q, %i, {4 * count}, %q;"]
        lines += [f"ld.global.b32 %{letter}{i}, [%q+{4 * i}];" for i in range(count)]
        return "\n".join(lines)

    stores = "\n".join(f"st.global.b32 [%q+{4 * i}], %d{i};" for i in range(d_regs))
    text = module(f"""
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d)
{{
    .reg .b32 %i, %a<2>, %b<2>, %c<8>, %d<8>; .reg .b64 %q;
    mov.u32 %i, %tid.x;
    {loads("a", 2)}
    {loads("b", 2)}
    {loads("c", c_regs)}
    {name} {group("d", d_regs)}, {group("a", 2)}, {group("b", 2)}, {group("c", c_regs)};
    ld.param.u64 %q, [d]; mad.wide.u32 %q, %i, {4 * d_regs}, %q;
    {stores}
    ret;
}}
""")
    assert assemble(text, "sm_80") == ""
    found = np.zeros((32, d_regs), np.uint32)
    launch(text, grid=1, block=32, args=[*parts, found])
    assert np.array_equal(found, fragment(d, "c", result, 8))


def test_ptxas_takes_every_kernel() -> None:
    every = [*FORMS, *(m for m, _, _ in SCALED)]
    for target in ("sm_90a", "sm_120a"):
        mine = [m for m in every if m.target == target]
        texts = [kernel(m, counts_of(m), f"k{i}") for i, m in enumerate(mine)]
        assert assemble(module("\n".join(texts), target), target) == ""
