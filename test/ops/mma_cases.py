# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family mma: every pair of element types, shapes above and below an instruction's.

Operands are small whole numbers, so that every sum is exact in any order; some cases
have infinities and NaN among them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
from op_case import ARRAY_TYPES, Array, OpCase

PAIRS = (
    *(("f16", "f16"), ("f16", "f32"), ("bf16", "f32"), ("f32", "f32")),
    *(("tf32", "f32"), ("f64", "f64"), ("i8", "i32")),
    *(("f8E4M3FN", "f16"), ("f8E4M3FN", "f32")),
    *(("f8E5M2", "f16"), ("f8E5M2", "f32")),
)
"""Element types of operands and accumulator that `mmaf` and `mmai` take."""

ORDINARY = ((64, 64, 64), (32, 16, 128))
SMALL = ((8, 8, 8), (1, 64, 32), (16, 1, 4), (1, 1, 1), (4, 128, 2), (128, 2, 16))
BATCHED = ((4, 16, 16, 16), (2, 64, 32, 32), (8, 1, 2, 4), (1, 16, 8, 8))


@dataclass(frozen=True)
class Matrices:
    """One product: [batch,] M, N, K and its element types."""

    extents: tuple[int, ...]
    operand: str
    accumulator: str
    signs: tuple[str, str] = ("signed", "signed")
    is_special: bool = False
    is_transposed: bool = False
    is_chained: bool = False
    is_fast: bool = False

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shapes of lhs, rhs and accumulator."""
        *batch, m, n, k = self.extents
        return (*batch, m, k), (*batch, k, n), (*batch, m, n)

    @property
    def name(self) -> str:
        """What the case is called."""
        words = [self.operand, self.accumulator, "x".join(map(str, self.extents))]
        if self.operand == "i8":
            words += [sign[0] for sign in self.signs]
        words += ["special"] * self.is_special + ["transposed"] * self.is_transposed
        words += ["chained"] * self.is_chained + ["fast"] * self.is_fast
        return "-".join(words)


def access(number: int, shape: tuple[int, ...], element: str) -> str:
    """A view of parameter `%pN` as one whole tile."""
    sizes, steps, step = "x".join(map(str, shape)), [1], 1
    for extent in reversed(shape[1:]):
        step *= extent
        steps.insert(0, step)
    view = f"tensor_view<{sizes}x{element}, strides={str(steps).replace(' ', '')}>"
    part = f"partition_view<tile=({sizes}), {view}>"
    return (
        f"%v{number} = make_tensor_view %p{number}, shape = {list(shape)}, "
        f"strides = {steps} : {view}\n"
        f"%w{number} = make_partition_view %v{number} : {part}\n"
    )


def view_type(shape: tuple[int, ...], element: str) -> str:
    """The type of what `access` makes."""
    text = access(0, shape, element)
    return text.rsplit(" : ", 1)[1].strip()


def kernel(case: Matrices) -> str:
    """`%p3 = %p0 * %p1 + %p2`."""
    *operands, acc = case.shapes
    if case.is_transposed:
        operands = [(*s[:-2], s[-1], s[-2]) for s in operands]
    shapes = (*operands, acc, acc)
    elements = (case.operand, case.operand, case.accumulator, case.accumulator)
    kinds = list(zip(shapes, elements, strict=True))
    rank = len(acc)
    index = ", ".join(["%i"] * rank)
    lines = ["%i = constant <i32: 0> : tile<i32>"]
    lines += [access(n, *kind) for n, kind in enumerate(kinds)]
    tiles = ["tile<" + "x".join(map(str, s)) + f"x{e}>" for s, e in kinds]
    for n in range(3):
        lines.append(
            f"%x{n}, %t{n} = load_view_tko weak %w{n}[{index}] : "
            f"{view_type(*kinds[n])}, tile<i32> -> {tiles[n]}, token"
        )
    names = ["%x0", "%x1", "%x2"]
    if case.is_transposed:
        order = [*range(rank - 2), rank - 1, rank - 2]
        for n in range(2):
            shape = case.shapes[n]
            transposed = "tile<" + "x".join(map(str, shape)) + f"x{case.operand}>"
            lines.append(f"%y{n} = permute %x{n} {order} : {tiles[n]} -> {transposed}")
            names[n], tiles[n] = f"%y{n}", transposed
    op, signs = "mmaf", ""
    if case.operand == "i8":
        op, signs = "mmai", " " + " ".join(case.signs)
    signs += " fast_acc" * case.is_fast
    result = "%q" if case.is_chained else "%r"
    types = ", ".join(tiles[:3])
    lines.append(f"{result} = {op} {', '.join(names)}{signs} : {types}")
    if case.is_chained:
        lines += chain(case, tiles, f"{op} %z, %x1, %x2{signs} : {types}")
    lines.append(
        f"%t3 = store_view_tko weak %r, %w3[{index}] : {tiles[3]}, "
        f"{view_type(*kinds[3])}, tile<i32> -> token"
    )
    parameters = ", ".join(f"%p{n}: tile<ptr<{e}>>" for n, e in enumerate(elements))
    body = "\n".join(lines)
    return f"cuda_tile.module @m {{ entry @k({parameters}) {{\n{body}\nreturn\n}} }}"


def chain(case: Matrices, tiles: list[str], product: str) -> list[str]:
    """The result `%q` becomes the left operand of another product of squares."""
    convert = "%z = ftof %q"
    if case.operand == "i8":
        convert = "%z = trunci %q"
    if case.operand == case.accumulator:
        return [f"%r = {product.replace('%z', '%q')}"]
    return [f"{convert} : {tiles[2]} -> {tiles[0]}", f"%r = {product}"]


def arrays(case: Matrices, rng: np.random.Generator) -> list[Array]:
    """Operands, accumulator and a place for the result."""
    found: list[Array] = []
    elements = (case.operand, case.operand, case.accumulator)
    for shape, element in zip(case.shapes, elements, strict=True):
        dtype = ARRAY_TYPES[element]
        if element == "i8":
            values = rng.integers(-128, 128, shape).astype(dtype)
        else:
            numbers = rng.integers(-4, 5, shape).astype(np.float32)
            values = numbers.astype(dtype)
        if case.is_special and element != case.accumulator:
            flat = values.reshape(-1)
            flat[rng.integers(0, flat.size)] = np.nan
            if element != "f8E4M3FN":  # which has no infinity
                flat[rng.integers(0, flat.size)] = np.inf
        if case.is_transposed and len(found) < 2:
            values = np.ascontiguousarray(values.swapaxes(-1, -2))
        found.append(values)
    found.append(np.zeros_like(found[2]))
    return found


def _case(case: Matrices, chips: tuple[str, ...]) -> OpCase:
    return OpCase(case.name, kernel(case), lambda rng: arrays(case, rng), chips=chips)


def _cases() -> list[OpCase]:
    both = ("sm_80", "sm_90")
    found: list[OpCase] = []
    for operand, acc in PAIRS:
        chips = ("sm_80", "sm_89") if operand.startswith("f8") else both
        for extents in (*ORDINARY, *SMALL, *BATCHED):
            some = chips if extents == ORDINARY[0] else chips[-1:]
            found.append(_case(Matrices(extents, operand, acc), some))
        if operand != "i8":
            special = Matrices((32, 32, 8), operand, acc, is_special=True)
            found.append(_case(special, chips))
        found.append(_case(Matrices((16, 32, 64), operand, acc), ("sm_75",)))
        chained = Matrices((32, 32, 32), operand, acc, is_chained=True)
        found.append(_case(chained, chips[:1]))
        transposed = Matrices((32, 64, 32), operand, acc, is_transposed=True)
        found.append(_case(transposed, chips[:1]))
    signs = ("signed", "unsigned")
    fast = Matrices((32, 16, 64), "f8E4M3FN", "f32", is_fast=True)
    found.append(_case(fast, ("sm_89", "sm_90")))
    # More than shared memory holds: operands go in parts along K.
    found.append(_case(Matrices((1, 256, 256), "f32", "f32"), both[:1]))
    found.append(_case(Matrices((128, 32, 128), "f64", "f64"), ("sm_75",)))
    found.append(_case(Matrices((8, 64, 32, 64), "f16", "f32"), ("sm_75",)))
    pairs = [(left, right) for left in signs for right in signs][1:]
    mixed = [Matrices((32, 16, 64), "i8", "i32", pair) for pair in pairs]
    return found + [_case(case, both[:1]) for case in mixed]


SCALED = (
    *(("f8E4M3FN", "f8E8M0FNU", 32), ("f8E5M2", "f8E8M0FNU", 32)),
    *(("f4E2M1FN", "f8E8M0FNU", 32), ("f4E2M1FN", "f8E8M0FNU", 16)),
    ("f4E2M1FN", "f8E4M3FN", 16),
)
"""Operand, scale factors and block of `mmaf_scaled`."""
SCALED_EXTENTS = (
    (64, 64, 128),
    (1, 8, 32),
    (16, 1, 64),
    (4, 4, 8, 32),
    (2, 32, 16, 64),
)


def scaled_kernel(extents: tuple[int, ...], operand: str, scale: str, size: int) -> str:
    """`%p3 = %p0 * %p1 + %p2` with scale factors of `%p4` and `%p5`.

    Elements of 4 bits come from memory as bytes.
    """
    *batch, m, n, k = extents
    s = k // size
    shapes: list[tuple[int, ...]] = [(*batch, m, k), (*batch, k, n)]
    shapes += [(*batch, m, n), (*batch, m, n)]
    shapes += [(*batch, m, s), (*batch, s, n)]
    loaded = [operand, operand, "f32", "f32", scale, scale]
    stored = ["i8" if e == "f4E2M1FN" else e for e in loaded]
    views = list(zip(shapes, stored, strict=True))
    for i in (0, 1):
        if stored[i] == "i8":
            views[i] = ((prod(shapes[i]) // 2,), "i8")
    lines = ["%i = constant <i32: 0> : tile<i32>"]
    lines += [access(i, *view) for i, view in enumerate(views)]

    def tile(i: int) -> str:
        return "tile<" + "x".join(map(str, shapes[i])) + f"x{loaded[i]}>"

    for i in (0, 1, 2, 4, 5):
        shape, element = views[i]
        index = ", ".join(["%i"] * len(shape))
        raw = "tile<" + "x".join(map(str, shape)) + f"x{element}>"
        name = f"%b{i}" if element == "i8" else f"%x{i}"
        lines.append(
            f"{name}, %t{i} = load_view_tko weak %w{i}[{index}] : "
            f"{view_type(*views[i])}, tile<i32> -> {raw}, token"
        )
        if element == "i8":
            flat = f"tile<{prod(shapes[i])}x{operand}>"
            lines.append(f"%u{i} = unpack %b{i} : {raw} -> {flat}")
            lines.append(f"%x{i} = reshape %u{i} : {flat} -> {tile(i)}")
    order = (0, 1, 2, 4, 5)
    names, tiles = (", ".join(f(i) for i in order) for f in ("%x{}".format, tile))
    lines.append(f"%r = mmaf_scaled {names} : {tiles}")
    index = ", ".join(["%i"] * len(shapes[3]))
    lines.append(
        f"%t3 = store_view_tko weak %r, %w3[{index}] : {tile(3)}, "
        f"{view_type(*views[3])}, tile<i32> -> token"
    )
    parameters = ", ".join(f"%p{i}: tile<ptr<{e}>>" for i, e in enumerate(stored))
    body = "\n".join(lines)
    return f"cuda_tile.module @m {{ entry @k({parameters}) {{\n{body}\nreturn\n}} }}"


def scaled_arrays(
    extents: tuple[int, ...],
    operand: str,
    scale: str,
    size: int,
    rng: np.random.Generator,
    *,
    is_extreme: bool = False,
) -> list[Array]:
    """Operands, accumulator, a place for the result, and scale factors."""
    *batch, m, n, k = extents
    s = k // size
    found: list[Array] = []
    for shape in ((*batch, m, k), (*batch, k, n)):
        if operand == "f4E2M1FN":
            found.append(rng.integers(-128, 128, prod(shape) // 2).astype(np.int8))
        else:
            numbers = rng.integers(-4, 5, shape).astype(np.float32)
            found.append(numbers.astype(ARRAY_TYPES[operand]))
    found.append(rng.integers(-9, 10, (*batch, m, n)).astype(np.float32))
    found.append(np.zeros_like(found[2]))
    for shape in ((*batch, m, s), (*batch, s, n)):
        if scale == "f8E4M3FN":
            codes = rng.integers(6, 9, shape) << 3  # 0.5, 1 and 2
            ends = [0x00, 0x01, 0x7E, 0x7F]
        else:
            codes = rng.integers(126, 129, shape)
            ends = [0, 1, 254, 255]
        if is_extreme:
            codes = rng.choice(np.array(ends), shape)
        found.append(codes.astype(np.uint8).view(ARRAY_TYPES[scale]))
    return found


def _scaled_cases() -> list[OpCase]:
    found: list[OpCase] = []
    for (operand, scale, size), extents in product(SCALED, SCALED_EXTENTS):
        chips = ("sm_75", "sm_80", "sm_90", "sm_120")
        what = (extents, operand, scale, size)
        name = f"scaled-{operand}-{scale}-{size}-{'x'.join(map(str, extents))}"
        found.append(
            OpCase(
                name,
                scaled_kernel(*what),
                lambda rng, what=what: scaled_arrays(*what, rng),
                chips=chips if extents == SCALED_EXTENTS[0] else chips[-2:],
            )
        )
    for operand, scale, size in SCALED:
        # One block: what is beyond f32 does not meet what is not.
        what = ((32, 16, size), operand, scale, size)
        found.append(
            OpCase(
                f"scaled-{operand}-{scale}-{size}-extreme",
                scaled_kernel(*what),
                lambda rng, what=what: scaled_arrays(*what, rng, is_extreme=True),
                chips=("sm_75", "sm_80", "sm_89", "sm_90", "sm_120"),
            )
        )
    return found


CASES = _cases() + _scaled_cases()
