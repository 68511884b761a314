# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family convert: every pair of element types, in every rounding mode it has.

A kernel takes one array of a source type and stores what each conversion of it gives.
The arrays hold all codes of the types of 8 bits and less; of the wider ones special
values, random bits and, for every narrower format, the numbers half-way between two
of its values with their neighbours on both sides.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from op_case import ARRAY_TYPES, Array, OpCase

CHIPS = ("sm_80", "sm_90")
"""Without and with conversions of 8-bit floats in hardware."""
F4_CHIPS = (*CHIPS, "sm_100")
"""The last one converts f4 and f8E8M0FNU too."""
ALL_CHIPS = ("sm_75", "sm_80", "sm_89", "sm_90", "sm_100", "sm_120")
SIGNS = ("signed", "unsigned")
INTEGERS = ("i1", "i8", "i16", "i32", "i64")
BLOCK = 1024
"""Elements of a tile."""


@dataclass(frozen=True)
class Form:
    """Precision, exponents of the normal numbers and largest value of a float type."""

    precision: int
    least: int
    most: int
    largest: float


FORMS = {
    "f64": Form(53, -1022, 1023, np.inf),
    "f32": Form(24, -126, 127, np.inf),
    "tf32": Form(11, -126, 127, np.inf),
    "f16": Form(11, -14, 15, np.inf),
    "bf16": Form(8, -126, 127, np.inf),
    "f8E4M3FN": Form(4, -6, 8, 448.0),
    "f8E5M2": Form(3, -14, 15, 57344.0),
    "f8E8M0FNU": Form(1, -127, 127, 2.0**127),
    "f4E2M1FN": Form(2, 0, 2, 6.0),
}
E5M3 = "f8E5M3FNU"
"""The type of the dialect for which MLIR and NumPy have none."""
FORMS[E5M3] = Form(4, -14, 16, 114688.0)
DTYPES = {**ARRAY_TYPES, E5M3: np.dtype(np.uint8)}
SATURATING = ("f8E4M3FN", "f8E5M2", "f4E2M1FN", E5M3)


def modes(source: str, result: str) -> Iterator[str]:
    """Rounding modes of `ftof` between two types, by the dialect's C2 and C3.

    An exact conversion is tried in one mode: there is nothing to round.
    """
    a, b = FORMS[source], FORMS[result]
    if result == "f8E8M0FNU":
        yield from ("zero", "positive_inf")
        return
    is_exact = a.most <= b.most and a.least >= b.least and a.precision <= b.precision
    yield "nearest_even"
    if is_exact:
        return
    if result not in SATURATING:
        yield "zero"
    if (source, result) == ("f64", "f32"):
        yield from ("negative_inf", "positive_inf")
    if (source, result) == ("f32", "tf32"):
        yield "nearest_away"


SPECIAL = (
    *(0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.5, 448, 464, 465, 57344, 61440),
    *(65504, 65519.99, 65520, 6, 5, 0.25, 2.0**-127, 2.0**-126, 3e38, -3e38),
    *(2.0**-149, 2.0**-150, -(2.0**-127) * 1.5, 3.3961775292304e38),
)

# Values -------------------------------------------------------------------------------


def ties(form: Form, rng: np.random.Generator, count: int) -> Array:
    """Numbers half-way between neighbours of a format, some below its normal ones."""
    least = max(form.least - form.precision, -1070)
    exponents = rng.integers(least, min(form.most, 1022) + 2, count)
    lowest = form.least - form.precision + 1
    steps = np.maximum(exponents - form.precision + 1, lowest).astype(np.int64)
    room = np.maximum(exponents - steps, 0)
    whole = np.floor(rng.random(count) * 2.0**room) + 2.0**room * (exponents > lowest)
    return np.ldexp(whole + 0.5, steps)


def float_values(rng: np.random.Generator, element: str, count: int) -> Array:
    """Special values, random bits and ties of a wide float type."""
    dtype = DTYPES[element]
    bits = rng.integers(0, 256, (count, dtype.itemsize), np.uint8)
    values = bits.view(dtype).reshape(count).copy()
    with np.errstate(all="ignore"):
        special = np.array(SPECIAL).astype(dtype)
        values[: len(special)] = special
        ordinary = rng.standard_normal(count // 4) * 2.0 ** rng.integers(-12, 13, 1)
        values[len(special) : len(special) + count // 4] = ordinary.astype(dtype)
        forms = [f for f in FORMS.values() if f.precision < FORMS[element].precision]
        start = count // 2
        share = (count - start) // max(1, len(forms))
        for number, form in enumerate(forms):
            exact = ties(form, rng, share).astype(dtype)
            word = exact.view(f"i{dtype.itemsize}") + rng.integers(-1, 2, share)
            near = word.astype(f"i{dtype.itemsize}").view(dtype)
            sign = np.where(rng.random(share) < 0.5, -1.0, 1.0).astype(dtype)
            values[start + number * share : start + (number + 1) * share] = near * sign
    if element == "tf32":
        values = (values.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
    return values


def integer_values(rng: np.random.Generator, element: str, count: int) -> Array:
    """Ends of the range, random bits, and numbers beside ties of every precision."""
    dtype = DTYPES[element]
    if element == "i1":
        return rng.integers(0, 2, count).astype(np.bool_)
    width = 8 * dtype.itemsize
    values = rng.integers(0, 256, (count, dtype.itemsize), np.uint8)
    values = values.view(f"u{dtype.itemsize}").reshape(count).astype(object)
    for i in range(count // 2):
        high = int(rng.integers(0, width))
        low = int(rng.integers(0, high + 1))
        tie = (int(rng.integers(0, 1 << 62)) & ((1 << high) - 1)) >> low << low
        values[i] = (1 << high) + tie + (1 << low >> 1) + int(rng.integers(-1, 2))
    values[:7] = [0, 1, -1, 1 << width - 1, (1 << width - 1) - 1, 448, -465]
    wrapped = [int(v) & ((1 << width) - 1) for v in values]
    return np.array(wrapped, f"u{dtype.itemsize}").view(dtype)


def source_values(rng: np.random.Generator, element: str, count: int) -> Array:
    """What a kernel converts; as bytes where two elements share one."""
    if element in ("f4E2M1FN", "i4"):
        return np.arange(count // 2).astype(np.uint8).view(np.int8)
    dtype = DTYPES[element]
    if dtype.itemsize == 1 and element != "i1":
        return (np.arange(count) * 7 % 256).astype(np.uint8).view(dtype)
    if element in FORMS:
        return float_values(rng, element, count)
    return integer_values(rng, element, count)


# Kernels ------------------------------------------------------------------------------


class Kernel:
    """The text of a kernel that stores one tile of each of its results.

    Attributes:
        arguments: Per argument whether it is an input, its element type, and elements
            of its tile.
        lines: Its statements so far.
    """

    def __init__(self, source: str, count: int = BLOCK) -> None:
        self.source, self.count = source, count
        self.parameters: list[str] = []
        self.lines: list[str] = []
        self.arguments: list[tuple[bool, str, int]] = []
        self.x = self.load(source)

    def tile(self, element: str) -> str:
        return f"tile<{self.count}x{element}>"

    def _pointers(self, element: str, count: int) -> str:
        """A new parameter, and the addresses of this block's part of its array."""
        n = len(self.parameters)
        one, many = f"tile<ptr<{element}>>", f"tile<{count}xptr<{element}>>"
        self.parameters.append(f"%a{n}: {one}")
        self.lines.append(
            f"""
    %c{n} = constant <i32: {count}> : tile<i32>
    %f{n} = muli %block, %c{n} : tile<i32>
    %o{n} = offset %a{n}, %f{n} : {one}, tile<i32> -> {one}
    %q{n} = reshape %o{n} : {one} -> tile<1xptr<{element}>>
    %b{n} = broadcast %q{n} : tile<1xptr<{element}>> -> {many}
    %i{n} = iota : tile<{count}xi32>
    %p{n} = offset %b{n}, %i{n} : {many}, tile<{count}xi32> -> {many}"""
        )
        return f"%p{n}"

    def load(self, element: str, count: int | None = None) -> str:
        """A tile of the next argument; 4-bit elements come out of bytes."""
        n = len(self.parameters)
        is_packed = element in ("f4E2M1FN", "i4")
        kind, count = element, count or self.count
        self.arguments.append((True, element, count))
        if is_packed:
            kind, count = "i8", count // 2
        p = self._pointers(kind, count)
        self.lines.append(
            f"""
    %v{n}, %t{n} = load_ptr_tko weak {p} : tile<{count}xptr<{kind}>>
      -> tile<{count}x{kind}>, token"""
        )
        if not is_packed:
            return f"%v{n}"
        self.lines.append(
            f"""
    %u{n} = unpack %v{n} : tile<{count}xi8> -> tile<{2 * count}x{element}>"""
        )
        return f"%u{n}"

    def store(self, value: str, element: str, count: int | None = None) -> None:
        """Stores a tile of the kernel's size, or another, to the next argument."""
        n = len(self.parameters)
        is_packed = element in ("f4E2M1FN", "i4")
        kind, count = element, count or self.count
        self.arguments.append((False, element, count))
        if is_packed:
            kind, count = "i8", count // 2
            self.lines.append(
                f"""
    %k{n} = pack {value} : tile<{2 * count}x{element}> -> tile<{count}xi8>"""
            )
            value = f"%k{n}"
        p = self._pointers(kind, count)
        self.lines.append(
            f"""
    %s{n} = store_ptr_tko weak {p}, {value}
      : tile<{count}xptr<{kind}>>, tile<{count}x{kind}> -> token"""
        )

    def cast(
        self,
        statement: str,
        element: str,
        value: str | None = None,
        source: str | None = None,
    ) -> str:
        """Applies a statement such as `ftof X` to a value, or to the loaded one."""
        name = f"%r{len(self.lines)}"
        text = statement.replace("X", value or self.x)
        kinds = f"{self.tile(source or self.source)} -> {self.tile(element)}"
        self.lines.append(f"\n    {name} = {text} : {kinds}")
        return name

    def convert(
        self,
        statement: str,
        element: str,
        value: str | None = None,
        source: str | None = None,
    ) -> None:
        """Does the same and stores the result."""
        self.store(self.cast(statement, element, value, source), element)

    @property
    def text(self) -> str:
        """The module."""
        return (
            "cuda_tile.module @m { entry @k(" + ", ".join(self.parameters) + ") {\n"
            "    %block, %by, %bz = get_tile_block_id : tile<i32>"
            + "".join(self.lines)
            + "\n    return\n} }"
        )

    def arrays(self, rng: np.random.Generator, blocks: int) -> list[Array]:
        """Values for the inputs, and zeros for the results, of some tile blocks."""
        made: list[Array] = []
        for is_input, element, count in self.arguments:
            if is_input:
                made.append(source_values(rng, element, count * blocks))
            elif element in ("f4E2M1FN", "i4"):
                made.append(np.zeros(count * blocks // 2, np.int8))
            else:
                made.append(np.zeros(count * blocks, DTYPES[element]))
        return made


def case(name: str, kernel: Kernel, blocks: int, chips: tuple[str, ...]) -> OpCase:
    """A kernel on some tile blocks."""

    def args(rng: np.random.Generator) -> list[Array]:
        return kernel.arrays(rng, blocks)

    return OpCase(name, kernel.text, args, chips=chips, grid=(blocks,))


def small(element: str) -> bool:
    """Whether an array of few elements holds every code of a type."""
    return element in ("i1", "i4", "i8") or element.startswith(("f8", "f4"))


def float_cases() -> Iterator[OpCase]:
    """ftof from each type to each."""
    for source in FORMS:
        kernel = Kernel(source, 256 if small(source) else BLOCK)
        for result in FORMS:
            if result != source:
                for mode in modes(source, result):
                    suffix = f" rounding<{mode}>" * (mode != "nearest_even")
                    kernel.convert(f"ftof X{suffix}", result)
        chips = ALL_CHIPS if source == "f32" else F4_CHIPS
        yield case(f"ftof_{source}", kernel, 1 if small(source) else 3, chips)


def integer_cases() -> Iterator[OpCase]:
    """ftoi and itof between each integer and each float type."""
    for source in FORMS:
        kernel = Kernel(source, 256)
        for result in INTEGERS:
            for sign in SIGNS:
                kernel.convert(f"ftoi X {sign} saturating", result)
        for sign in SIGNS:
            kernel.convert(f"ftoi X {sign}", "i1")
        chips = F4_CHIPS if source in ("f4E2M1FN", "f8E8M0FNU") else CHIPS
        yield case(f"ftoi_{source}", kernel, 1 if small(source) else 4, chips)
    for source in INTEGERS:
        kernel = Kernel(source, 256)
        for result in FORMS:
            if result != "f8E8M0FNU":
                for sign in SIGNS:
                    kernel.convert(f"itof X {sign}", result)
        blocks = 4 if source in ("i32", "i64") else 1
        chips = F4_CHIPS if source == "i32" else CHIPS
        yield case(f"itof_{source}", kernel, blocks, chips)


def in_range_case() -> OpCase:
    """ftoi without `saturating`, whose source must be in the range of the result."""
    kernel = Kernel("f32", 64)
    for source in FORMS:
        value = kernel.x
        if source != "f32":
            suffix = " rounding<zero>" * (source == "f8E8M0FNU")
            value = kernel.cast(f"ftof X{suffix}", source)
        for result in INTEGERS:
            for sign in SIGNS:
                kernel.convert(f"ftoi X {sign}", result, value, source)
    made = case("ftoi_in_range", kernel, 1, CHIPS)
    small_numbers = np.repeat([1.0, 0.75, 5.9, 6.0, 0.1, 3.5, 2.0, 1.9], 8)

    def args(rng: np.random.Generator) -> list[Array]:
        return [small_numbers.astype(np.float32), *kernel.arrays(rng, 1)[1:]]

    return replace(made, args=args)


# Bits ---------------------------------------------------------------------------------

WIDTHS = {"i1": 1, "i4": 4, "i8": 8, "i16": 16, "i32": 32, "i64": 64}
ALIKE = (
    ("i1",),
    ("i8", "f8E4M3FN", "f8E5M2", "f8E8M0FNU", E5M3),
    ("i16", "f16", "bf16"),
    ("i32", "f32"),
    ("i64", "f64"),
    ("tf32",),
    ("f4E2M1FN",),
)
"""Types that the dialect calls equally wide."""
PACKED = ("i1", "i4", "f4E2M1FN", "i16", "f16", "bf16", "i32", "f32", "tf32")
"""Elements of other widths than a byte; f64 and i64 come on top."""


def width_cases() -> Iterator[OpCase]:
    """exti and trunci between all widths."""
    for source, width in WIDTHS.items():
        kernel = Kernel(source, 256)
        for result, other in WIDTHS.items():
            if other > width:
                for sign in SIGNS:
                    kernel.convert(f"exti X {sign}", result)
            elif other < width:
                kernel.convert("trunci X", result)
        yield case(f"width_{source}", kernel, 1, CHIPS)


def bitcast_cases() -> Iterator[OpCase]:
    """bitcast between all types of a width."""
    for group in ALIKE:
        for source in group:
            kernel = Kernel(source, 256)
            for result in group:
                kernel.convert("bitcast X", result)
            yield case(f"bitcast_{source}", kernel, 1, CHIPS)


def pack_cases() -> Iterator[OpCase]:
    """pack, and unpack of the same bytes, of tiles of many sizes.

    The smallest tiles leave a thread one byte, or the same bytes as another.
    """
    for element in (*PACKED, "i64", "f64"):
        bits = {"i1": 1, "i4": 4, "f4E2M1FN": 4}.get(element) or (
            8 * DTYPES[element].itemsize
        )
        kernel = Kernel("i8", 4096)
        for n, count in enumerate((8, 16, 128, 4096)):
            given = kernel.load("i8", count)
            wide = 8 * count // bits
            tile = f"tile<{wide}x{element}>"
            kernel.lines.append(
                f"""
    %wide_{n} = unpack {given} : tile<{count}xi8> -> {tile}
    %back_{n} = pack %wide_{n} : {tile} -> tile<{count}xi8>"""
            )
            kernel.store(f"%back_{n}", "i8", count)
            kernel.store(f"%wide_{n}", element, wide)
        yield case(f"pack_{element}", kernel, 1, CHIPS)


POINTEES = [*INTEGERS, *FORMS]


def pointer_cases() -> Iterator[OpCase]:
    """Addresses as integers and back, and pointers to one type made of another's."""
    for element in POINTEES:
        if element == "f4E2M1FN":  # its pointers cannot be compiled: see its memory
            continue
        kernel = Kernel(element, 64)
        size = DTYPES[element].itemsize
        kernel.lines.append(
            f"""
    %n = ptr_to_int %p0 : tile<64xptr<{element}>> -> tile<64xi64>
    %c = constant <i64: {63 * size}> : tile<64xi64>
    %d = constant <i64: {2 * size}> : tile<64xi64>
    %j = iota : tile<64xi64>
    %l = muli %j, %d : tile<64xi64>
    %e = addi %n, %c : tile<64xi64>
    %g = subi %e, %l : tile<64xi64>
    %q = int_to_ptr %g : tile<64xi64> -> tile<64xptr<{element}>>
    %m = ptr_to_ptr %q : tile<64xptr<{element}>> -> tile<64xptr<i8>>
    %h = ptr_to_ptr %m : tile<64xptr<i8>> -> tile<64xptr<{element}>>
    %y, %ty = load_ptr_tko weak %h : tile<64xptr<{element}>>
      -> tile<64x{element}>, token"""
        )
        kernel.store("%y", element)
        yield case(f"pointer_{element}", kernel, 1, CHIPS)


CASES = [
    *float_cases(),
    *integer_cases(),
    in_range_case(),
    *width_cases(),
    *bitcast_cases(),
    *pack_cases(),
    *pointer_cases(),
]
