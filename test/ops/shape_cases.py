# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family shape: tiles cut, joined, transposed and repeated; constants and coordinates.

One kernel holds all ops on tiles of one shape and element type. Every element type is
moved once; few of them are moved in every shape and by every number of warps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from emit_data import DTYPES, random_values
from kernel_text import NIBBLES, KernelText, Shape, dims_text, tile
from op_case import ARRAY_TYPES, Array, OpCase

ELEMENTS = (
    *("i1", "i8", "i16", "i32", "i64"),
    *("f16", "bf16", "f32", "f64", "tf32", "f8E4M3FN", "f8E5M2", "f8E8M0FNU"),
)


def to_codes(packed: Array, shape: Shape) -> Array:
    """Elements of 4 bits, one to a byte, of bytes that hold two, the low half first."""
    raw = packed.view(np.uint8)
    return np.stack((raw & 15, raw >> 4), -1).reshape(shape)


def to_bytes(codes: Array) -> Array:
    """Inverse of `to_codes`."""
    low, high = codes.reshape(-1, 2).T
    return (low | high << 4).view(np.int8)


def random_tile(rng: np.random.Generator, shape: Shape, element: str) -> Array:
    """Random and special values of any element type that memory can hold."""
    count = prod(shape)
    if element in NIBBLES:
        return rng.integers(-128, 128, count // 2).astype(np.int8)
    if element in DTYPES:
        return random_values(rng, count, element).reshape(shape)
    if element == "tf32":
        bits = random_values(rng, count, "f32").view(np.uint32) & ~np.uint32(0x1FFF)
        return bits.view(np.float32).reshape(shape)
    noise = rng.integers(0, 256, count).astype(np.uint8)
    return noise.view(ARRAY_TYPES[element]).reshape(shape)


@dataclass
class Moves:
    """A kernel of moves of one element type, and what they are in NumPy.

    Attributes:
        element: Element type of all tiles.
        kernel: The text.
        arrays: What each pointer parameter is: an array made of random numbers, or
            zeros of a shape for results.
        results: For each result its place in `arrays` and what it should be.
    """

    element: str

    def __post_init__(self) -> None:
        self.kernel = KernelText()
        self.arrays: list[Callable[[np.random.Generator], Any]] = []
        self.results: list[tuple[int, Callable[[list[Any]], Array]]] = []
        self.packed: dict[int, Shape] = {}

    def load(self, shape: Shape) -> tuple[str, int]:
        """A tile of random values: its name, and the number of its argument."""
        name = self.kernel.load(shape, self.element)
        self.arrays.append(lambda rng: random_tile(rng, shape, self.element))
        if self.element in NIBBLES:
            self.packed[len(self.arrays) - 1] = shape
        return name, len(self.arrays) - 1

    def index(self, value: int) -> tuple[str, int]:
        """An i32 that is known at run time only."""
        self.arrays.append(lambda rng: np.int32(value))
        return self.kernel.scalar("i32"), value

    def result(self, text: str, shape: Shape, is_: Callable[[list[Any]], Array]) -> str:
        """Stores the value of an op."""
        name = self.kernel.let(text)
        self.kernel.store(name, shape, self.element)
        is_packed = self.element in NIBBLES
        dtype = np.dtype(np.int8) if is_packed else ARRAY_TYPES[self.element]
        stored = (prod(shape) // 2,) if is_packed else shape
        self.arrays.append(lambda rng: np.zeros(stored, dtype))
        self.results.append((len(self.arrays) - 1, is_))
        return name

    def case(self, name: str, **options: Any) -> OpCase:
        """The case."""

        def expected(args: Any) -> list[Any]:
            out: list[Any] = [None] * len(args)
            given = list(args)
            for number, shape in self.packed.items():
                given[number] = to_codes(given[number], shape)
            for number, value in self.results:
                made = value(given)
                out[number] = to_bytes(made) if self.element in NIBBLES else made
            return out

        def arguments(rng: np.random.Generator) -> list[Any]:
            return [make(rng) for make in self.arrays]

        return OpCase(name, self.kernel.text(), arguments, numpy=expected, **options)


def halves(shape: Shape, dim: int, count: int = 2) -> Shape:
    """`shape` with one extent divided."""
    return (*shape[:dim], shape[dim] // count, *shape[dim + 1 :])


def add_cat(m: Moves, shape: Shape, dim: int) -> None:
    """Two tiles behind one another."""
    half = halves(shape, dim)
    (x, i), (y, j) = m.load(half), m.load(half)
    text = f"cat {x}, {y} dim = {dim} : {tile(half, m.element)}, "
    text += f"{tile(half, m.element)} -> {tile(shape, m.element)}"
    m.result(text, shape, lambda a: np.concatenate((a[i], a[j]), dim))


def indices_of(m: Moves, numbers: Shape, *, is_fixed: bool) -> list[str]:
    """Names of indices, as constants or as parameters."""
    if is_fixed:
        return [m.kernel.let(f"constant <i32: {n}> : tile<i32>") for n in numbers]
    return [m.index(n)[0] for n in numbers]


def add_extract_insert(
    m: Moves, shape: Shape, part: Shape, numbers: Shape, *, is_fixed: bool
) -> None:
    """A part taken out, and another put in its place."""
    (x, i), (y, j) = m.load(shape), m.load(part)
    names = ", ".join(indices_of(m, numbers, is_fixed=is_fixed))
    whole, small = tile(shape, m.element), tile(part, m.element)
    box = tuple(slice(n * p, (n + 1) * p) for n, p in zip(numbers, part, strict=True))

    def inserted(a: list[Any]) -> Array:
        copy = a[i].copy()
        copy[box] = a[j]
        return copy

    m.result(f"extract {x}[{names}] : {whole} -> {small}", part, lambda a: a[i][box])
    m.result(f"insert {y}, {x}[{names}] : {small}, {whole} -> {whole}", shape, inserted)


def add_permutes(m: Moves, shape: Shape) -> None:
    """Permuted, reshaped and broadcast."""
    x, i = m.load(shape)
    kind, e, (*_, last) = tile(shape, m.element), m.element, shape
    if len(shape) > 1:
        order = (*range(1, len(shape)), 0)
        transposed = tuple(shape[d] for d in order)
        text = f"permute {x} {dims_text(order)} : {kind} -> {tile(transposed, e)}"
        m.result(text, transposed, lambda a: a[i].transpose(order))
    flat = (1, prod(shape))
    text = f"reshape {x} : {kind} -> {tile(flat, e)}"
    m.result(text, flat, lambda a: a[i].reshape(flat))
    row, k = m.load((1, last))
    wide = (4, last)
    text = f"broadcast {row} : {tile((1, last), e)} -> {tile(wide, e)}"
    m.result(text, wide, lambda a: np.broadcast_to(a[k], wide))


def add_select(m: Moves, shape: Shape) -> None:
    """One of two tiles, by the parity of the element's number."""
    (x, i), (y, j) = m.load(shape), m.load(shape)
    count = prod(shape)
    steps = m.kernel.let(f"iota : tile<{count}xi32>")
    odd = m.kernel.let(f"trunci {steps} : tile<{count}xi32> -> tile<{count}xi1>")
    kind = tile(shape, "i1")
    condition = m.kernel.let(f"reshape {odd} : tile<{count}xi1> -> {kind}")
    text = f"select {condition}, {x}, {y} : {kind}, {tile(shape, m.element)}"
    is_odd = (np.arange(count) % 2 == 1).reshape(shape)
    m.result(text, shape, lambda a: np.where(is_odd, a[i], a[j]))


def all_moves(element: str, shape: Shape, name: str, **options: Any) -> OpCase:
    """Every move of tiles of one shape."""
    m = Moves(element)
    dims = sorted({0, len(shape) // 2, len(shape) - 1})
    for dim in dims:
        if shape[dim] > 1:
            add_cat(m, shape, dim)
            part = halves(shape, dim)
            numbers = tuple(int(d == dim) for d in range(len(shape)))
            add_extract_insert(m, shape, part, numbers, is_fixed=dim != dims[-1])
    if element in NIBBLES:  # two of them fill a byte, and select does not take them
        add_permutes(m, shape)
        return m.case(name, **options)
    smallest = tuple(1 if d % 2 else n for d, n in enumerate(shape))
    last = tuple(n // p - 1 for n, p in zip(shape, smallest, strict=True))
    add_extract_insert(m, shape, smallest, last, is_fixed=False)
    add_permutes(m, shape)
    add_select(m, shape)
    return m.case(name, **options)


# Constants and coordinates ------------------------------------------------------------


def values_text(values: Array) -> str:
    """A list of values as `constant` takes it, nested by dimension."""
    if values.ndim:
        return f"[{', '.join(values_text(v) for v in values)}]"
    item = values[()]
    if values.dtype == np.bool_:
        return "true" if item else "false"
    return str(int(item)) if values.dtype.kind in "iu" else f"{float(item):.17e}"


def add_constant(m: Moves, values: Array) -> None:
    """A constant of a list of values."""
    kind = tile(values.shape, m.element)
    text = f"constant <{m.element}: {values_text(values)}> : {kind}"
    m.result(text, values.shape, lambda a: values)


def finite_values(element: str, shape: Shape) -> Array:
    """Zeros of both signs, subnormals and ordinary numbers."""
    values = random_tile(np.random.default_rng(1), shape, element).reshape(-1)
    if values.dtype.kind not in "biu":
        one = np.asarray(1, values.dtype)
        with np.errstate(all="ignore"):
            values = np.where(np.isfinite(values.astype(np.float64)), values, one)
        if element != "f8E8M0FNU":
            values[:2] = [0.0, -0.0][: values.size]
    return values.reshape(shape)


def constants(element: str) -> OpCase:
    """One value, few, and more than registers hold."""
    m = Moves(element)
    for shape in ((1,), (2,), (2, 4, 2), (16, 32), (1024,)):
        add_constant(m, finite_values(element, shape))
    kind = tile((2, 1), element)
    values = finite_values(element, (2, 1))
    thin = m.kernel.let(f"constant <{element}: {values_text(values)}> : {kind}")
    wide = tile((2, 64), element)
    m.result(
        f"broadcast {thin} : {kind} -> {wide}",
        (2, 64),
        lambda a: np.broadcast_to(values, (2, 64)),
    )
    m.result(f"constant <{element}: 1.0> : {wide}" if element[0] != "i" else
             f"constant <{element}: {'true' if element == 'i1' else 1}> : {wide}",
             (2, 64), lambda a: np.ones((2, 64), ARRAY_TYPES[element]))  # fmt: skip
    return m.case(f"constant-{element}", num_warps=4)


IOTA_EXTENTS = {"i1": (1, 2), "i8": (8, 256), "i16": (2048,), "i32": (1, 512)}


def iotas(element: str) -> OpCase:
    """Coordinates, up to the largest that the type holds."""
    m = Moves(element)
    for count in IOTA_EXTENTS.get(element, (256,)):
        numbers = np.arange(count).astype(ARRAY_TYPES[element])
        m.result(f"iota : {tile((count,), element)}", (count,), lambda a, n=numbers: n)
    return m.case(f"iota-{element}")


# Pointers -----------------------------------------------------------------------------


def pointers(element: str, **options: Any) -> OpCase:
    """Pointers are moved as numbers are; what they point to says where they went."""
    k, shape = KernelText(), (4, 32)
    kind, part = tile(shape, f"ptr<{element}>"), tile((2, 32), f"ptr<{element}>")
    transposed = tile((32, 4), f"ptr<{element}>")
    where = k.pointers(shape, element)
    one = k.let("constant <i32: 1> : tile<i32>")
    zero = k.let("constant <i32: 0> : tile<i32>")
    index = k.scalar("i32")
    low = k.let(f"extract {where}[{zero}, {zero}] : {kind} -> {part}")
    high = k.let(f"extract {where}[{index}, {zero}] : {kind} -> {part}")
    swapped = k.let(f"cat {high}, {low} dim = 0 : {part}, {part} -> {kind}")
    again = k.let(f"insert {high}, {swapped}[{one}, {zero}] : {part}, {kind} -> {kind}")
    across = k.let(f"permute {swapped} [1, 0] : {kind} -> {transposed}")
    truth = k.let("iota : tile<128xi32>")
    odd = k.let("trunci " + truth + " : tile<128xi32> -> tile<128xi1>")
    condition = k.let(f"reshape {odd} : tile<128xi1> -> tile<4x32xi1>")
    chosen = k.let(f"select {condition}, {where}, {swapped} : tile<4x32xi1>, {kind}")
    distances = k.load(shape, "i16")
    far = k.let(f"offset {where}, {distances} : {kind}, {tile(shape, 'i16')} -> {kind}")
    for moved, extents in (
        *((swapped, shape), (again, shape), (across, (32, 4)), (chosen, shape)),
        (far, shape),
    ):
        k.store(k.load_from(moved, extents, element), extents, element)

    def arguments(rng: np.random.Generator) -> list[Any]:
        x = random_tile(rng, shape, element)
        places = np.arange(128).reshape(shape)
        steps = (rng.integers(0, 128, shape) - places).astype(np.int16)
        outs = [np.zeros((4, 32), x.dtype) for _ in range(5)]
        outs[2] = np.zeros((32, 4), x.dtype)
        return [x, np.int32(1), steps, *outs]

    def expected(a: Any) -> list[Any]:
        x, _, steps, *_ = a
        other = np.concatenate((x[2:], x[:2]))
        is_odd = (np.arange(128) % 2 == 1).reshape(shape)
        places = np.arange(128).reshape(shape) + steps
        return [
            *(None, None, None, other, np.concatenate((x[2:], x[2:])), other.T),
            *(np.where(is_odd, x, other), x.reshape(-1)[places]),
        ]

    name = f"pointers-{element}"
    return OpCase(name, k.text(), arguments, numpy=expected, **options)


def offsets(element: str) -> OpCase:
    """Offsets are signed, whatever their width: here from the middle of an array."""
    k, count = KernelText(), 64
    kind, steps = tile((count,), "ptr<i32>"), tile((count,), element)
    middle = k.scalar("ptr<i32>")
    at = k.let("constant <i32: 128> : tile<i32>")
    start = k.let(
        f"offset {middle}, {at} : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>"
    )
    one = k.let(f"reshape {start} : tile<ptr<i32>> -> tile<1xptr<i32>>")
    base = k.let(f"broadcast {one} : tile<1xptr<i32>> -> {kind}")
    distances = k.load((count,), element)
    moved = k.let(f"offset {base}, {distances} : {kind}, {steps} -> {kind}")
    k.store(k.load_from(moved, (count,), "i32"), (count,), "i32")

    def arguments(rng: np.random.Generator) -> list[Any]:
        far = rng.integers(0, 2, count) if element == "i1" else (
            rng.integers(-128, 128, count)
        )  # fmt: skip
        x = rng.integers(-(1 << 31), 1 << 31, 256).astype(np.int32)
        return [x, far.astype(ARRAY_TYPES[element]), np.zeros(count, np.int32)]

    def expected(a: Any) -> list[Any]:
        far = -a[1].astype(np.int64) if element == "i1" else a[1].astype(np.int64)
        return [None, None, a[0][128 + far]]

    return OpCase(f"offset-{element}", k.text(), arguments, numpy=expected)


SHAPES: tuple[Shape, ...] = (
    *((1,), (1, 1, 1), (2, 1, 8), (1024,), (4, 8, 2, 16), (2,) * 8, (64, 32)),
)

CASES = [
    *(constants(element) for element in ELEMENTS),
    *(iotas(element) for element in ("i1", "i8", "i16", "i32", "i64")),
    *(offsets(element) for element in ("i1", "i8", "i16", "i32", "i64")),
    *(pointers(element) for element in ("i8", "f16", "f32", "i64")),
    *(
        all_moves(element, (4, 32, 8), f"moves-{element}")
        for element in (*ELEMENTS, *NIBBLES)
    ),
    *(
        all_moves(
            element,
            shape,
            f"moves-{element}-{'x'.join(map(str, shape))}-{warps}",
            num_warps=warps,
            chips=("sm_80",),
        )
        for element, warps in (("f32", 4), ("f16", 8), ("i8", 1))
        for shape in SHAPES
    ),
]
