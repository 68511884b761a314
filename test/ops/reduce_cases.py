# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family reduce: reductions and scans with bodies of every kind.

All bodies are exact, so the result does not depend on how elements are grouped; most of
them depend on the order, which must be that of the dimension.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from kernel_text import NIBBLES, KernelText, Shape, tile
from op_case import ARRAY_TYPES, Array, OpCase
from shape_cases import ELEMENTS, random_tile, to_bytes, to_codes

Pair = Callable[[Sequence[Any], Sequence[Any]], list[Any]]
"""What comes later and what came before, to what both make."""


@dataclass(frozen=True)
class Body:
    """A body in text and in NumPy.

    Attributes:
        name: For the test's name.
        elements: Element type of each operand.
        identities: One per operand.
        lines: Text; `%a0` and `%b0` are the arguments of operand 0, later and earlier.
        combine: The same on arrays.
        make: Makes the operands from random numbers; by default any values.
    """

    name: str
    elements: tuple[str, ...]
    identities: tuple[str, ...]
    lines: str
    combine: Pair
    make: Callable[[np.random.Generator, Shape], list[Array]] | None = None

    def operands(self, rng: np.random.Generator, shape: Shape) -> list[Array]:
        """Values of the operands."""
        if self.make is not None:
            return self.make(rng, shape)
        return [random_tile(rng, shape, element) for element in self.elements]


def keep(element: str, *, last: bool) -> Body:
    """The last element, or the first: the least that depends on the order."""
    side = "a" if last else "b"
    identity = {"i1": "false"}.get(element)
    if identity is None:
        identity = f"0 : {element}" if element[0] == "i" else f"1.0 : {element}"
    return Body(
        f"{'last' if last else 'first'}-{element}",
        (element,),
        (identity,),
        f"yield %{side}0 : tile<{element}>",
        lambda later, earlier: [later[0] if last else earlier[0]],
    )


def integer_sum(element: str) -> Body:
    """Sums that wrap around."""
    return Body(
        f"addi-{element}",
        (element,),
        (f"0 : {element}",),
        f"%s = addi %a0, %b0 : tile<{element}>\n      yield %s : tile<{element}>",
        lambda later, earlier: [later[0] + earlier[0]],
    )


def float_sum(element: str) -> Body:
    """Sums of small integers, which every float type adds exactly."""
    return Body(
        f"addf-{element}",
        (element,),
        (f"0.0 : {element}",),
        f"%s = addf %a0, %b0 : tile<{element}>\n      yield %s : tile<{element}>",
        lambda later, earlier: [later[0] + earlier[0]],
        lambda rng, shape: [
            rng.choice([-1, 0, 0, 0, 1], shape).astype(ARRAY_TYPES[element])
        ],
    )


EXTREMES = Body(
    "extremes",
    ("i8", "i64", "i16"),
    ("-128 : i8", "-1 : i64", "0 : i16"),
    """%x = maxi %a0, %b0 signed : tile<i8>
      %y = mini %a1, %b1 unsigned : tile<i64>
      %z = xori %a2, %b2 : tile<i16>
      yield %x, %y, %z : tile<i8>, tile<i64>, tile<i16>""",
    lambda later, earlier: [
        np.maximum(later[0], earlier[0]),
        np.minimum(later[1].view(np.uint64), earlier[1].view(np.uint64)).view(np.int64),
        later[2] ^ earlier[2],
    ],
)
"""Three operands of three types, each on its own."""


def positive_sum(element: str) -> Body:
    """Sums of positive numbers, which rounding leaves close whatever the grouping."""
    exact = float_sum(element)
    return Body(
        f"rounded-{element}",
        exact.elements,
        exact.identities,
        exact.lines,
        exact.combine,
        lambda rng, shape: [rng.uniform(0.5, 2.0, shape).astype(ARRAY_TYPES[element])],
    )


def float_maximum(element: str, *, propagates: bool) -> Body:
    """The largest number; NaN loses against numbers, or wins."""
    word = {"f16": "0xFE00", "bf16": "0xFFC0", "f32": "0xFFC00000"}
    least = {"f16": "0xFC00", "bf16": "0xFF80", "f32": "0xFF800000"}
    suffix = " propagate_nan" if propagates else ""
    identity = least if propagates else word

    def combine(later: Sequence[Any], earlier: Sequence[Any]) -> list[Any]:
        x, y = (np.asarray(v[0]).astype(np.float64) for v in (later, earlier))
        found = np.maximum(x, y) if propagates else np.fmax(x, y)
        return [found.astype(ARRAY_TYPES[element])]

    return Body(
        f"maxf{'-nan' if propagates else ''}-{element}",
        (element,),
        (f"{identity[element]} : {element}",),
        f"%s = maxf %a0, %b0{suffix} : tile<{element}>\n"
        f"      yield %s : tile<{element}>",
        combine,
        lambda rng, shape: [_without_zeros(random_tile(rng, shape, element))],
    )


def _without_zeros(values: Array) -> Array:
    """NumPy does not say which of two zeros is the larger."""
    return np.where(values.astype(np.float64) == 0, np.ones((), values.dtype), values)


def _steps(rng: np.random.Generator, shape: Shape) -> list[Array]:
    few = rng.integers(0, 3, shape).astype(np.float32)
    return [few, np.arange(prod(shape), dtype=np.int32).reshape(shape)]


def _argmax(later: Sequence[Any], earlier: Sequence[Any]) -> list[Any]:
    wins = later[0] > earlier[0]
    return [np.where(wins, x, y) for x, y in zip(later, earlier, strict=True)]


ARGMAX = Body(
    "argmax",
    ("f32", "i32"),
    ("0xFF800000 : f32", "0 : i32"),
    """%w = cmpf greater_than ordered %a0, %b0 : tile<f32> -> tile<i1>
      %x = select %w, %a0, %b0 : tile<i1>, tile<f32>
      %y = select %w, %a1, %b1 : tile<i1>, tile<i32>
      yield %x, %y : tile<f32>, tile<i32>""",
    _argmax,
    _steps,
)
"""Of equal values the first one: the order decides."""


def _affine(later: Sequence[Any], earlier: Sequence[Any]) -> list[Any]:
    return [later[0] * earlier[0], later[0] * earlier[1] + later[1]]


AFFINE = Body(
    "affine",
    ("i32", "i32"),
    ("1 : i32", "0 : i32"),
    """%x = muli %a0, %b0 : tile<i32>
      %y = muli %a0, %b1 : tile<i32>
      %z = addi %y, %a1 : tile<i32>
      yield %x, %z : tile<i32>, tile<i32>""",
    _affine,
)
"""Composition of x -> a x + b, as linear recurrences are scanned."""


def _matrix(later: Sequence[Any], earlier: Sequence[Any]) -> list[Any]:
    a, b, c, d = later
    p, q, r, s = earlier
    return [a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s]


def _matrix_lines() -> str:
    lines: list[str] = []
    for i in range(4):
        row, column = 2 * (i // 2), i % 2
        lines += [
            f"%x{i} = muli %a{row}, %b{column} : tile<i64>",
            f"%y{i} = muli %a{row + 1}, %b{column + 2} : tile<i64>",
            f"%z{i} = addi %x{i}, %y{i} : tile<i64>",
        ]
    kinds = ", ".join(["tile<i64>"] * 4)
    return "\n      ".join([*lines, f"yield %z0, %z1, %z2, %z3 : {kinds}"])


MATRIX = Body(
    "matrix",
    ("i64",) * 4,
    ("1 : i64", "0 : i64", "0 : i64", "1 : i64"),
    _matrix_lines(),
    _matrix,
)
"""Products of 2 x 2 matrices."""

TABLE = Body(
    "table",
    ("i32",),
    ("0 : i32",),
    """%t = constant <i32: [1, 0, -1, 3]> : tile<4xi32>
      %two = constant <i32: 2> : tile<i32>
      %n = extract %t[%two] : tile<4xi32> -> tile<1xi32>
      %m = reshape %n : tile<1xi32> -> tile<i32>
      %x = xori %a0, %m : tile<i32>
      %y = xori %x, %b0 : tile<i32>
      yield %y : tile<i32>""",
    lambda later, earlier: [later[0] ^ -1 ^ earlier[0]],
)
"""A body with tiles of its own."""


def _prefixes(body: Body, operands: list[Array], dim: int) -> list[list[Array]]:
    """Per element along `dim` what all up to it make."""
    rows = [np.moveaxis(operand, dim, 0) for operand in operands]
    found = [[row[0] for row in rows]]
    with np.errstate(all="ignore"):
        for place in range(1, rows[0].shape[0]):
            later = [row[place] for row in rows]
            found.append([np.asarray(v) for v in body.combine(later, found[-1])])
    return found


def case(
    body: Body, shape: Shape, dim: int, *, warps: int | None = None, **options: Any
) -> OpCase:
    """A reduction, a scan, and a scan in reverse of the same operands."""
    k = KernelText()
    names = [k.load(shape, element) for element in body.elements]
    kinds = ", ".join(tile(shape, element) for element in body.elements)
    rest = shape[:dim] + shape[dim + 1 :]
    arguments = ", ".join(
        f"%{side}{i}: tile<{e}>" for i, e in enumerate(body.elements) for side in "ab"
    )
    outs: list[tuple[Shape, str]] = []
    for op in ("reduce", "scan reverse=false", "scan reverse=true"):
        name, *more = op.split()
        out = rest if name == "reduce" else shape
        results = [k.fresh() for _ in names]
        made = ", ".join(tile(out, element) for element in body.elements)
        k.line(
            f"{', '.join(results)} = {name} {', '.join(names)} dim={dim} "
            f"{' '.join(more)} identities=[{', '.join(body.identities)}] : {kinds} -> "
            f"{made}\n    ({arguments}) {{\n      {body.lines}\n    }}"
        )
        for result, element in zip(results, body.elements, strict=True):
            k.store(result, out, element)
            outs.append((out, element))

    def make(rng: np.random.Generator) -> list[Any]:
        zeros = [
            np.zeros(prod(out) // 2, np.int8)
            if element in NIBBLES
            else np.zeros(out, ARRAY_TYPES[element])
            for out, element in outs
        ]
        return [*body.operands(rng, shape), *zeros]

    def expected(args: Sequence[Any]) -> list[Any]:
        operands = [
            to_codes(array, shape) if element in NIBBLES else array
            for array, element in zip(args, body.elements, strict=False)
        ]
        forward = _prefixes(body, operands, dim)
        flipped = [np.flip(operand, dim) for operand in operands]
        backward = _prefixes(body, flipped, dim)[::-1]
        total = [np.asarray(value) for value in forward[-1]]
        scans = [
            np.stack([prefix[i] for prefix in prefixes], dim)
            for prefixes in (forward, backward)
            for i in range(len(names))
        ]
        made = [
            to_bytes(array) if element in NIBBLES else array
            for array, (_, element) in zip((*total, *scans), outs, strict=True)
        ]
        if "ulp" in options:  # grouped in another way
            return [None] * len(args)
        return [*[None] * len(names), *made]

    where = f"{'x'.join(map(str, shape))}-{dim}"
    name = f"{body.name}-{where}" + (f"-{warps}" if warps else "")
    return OpCase(name, k.text(), make, numpy=expected, num_warps=warps, **options)


ORDERED = (ARGMAX, AFFINE, MATRIX, TABLE)
PLACES: tuple[tuple[Shape, int, int], ...] = (
    *(((1,), 0, 1), ((1, 1, 1), 1, 4), ((2, 1, 8), 2, 4), ((2, 1, 8), 0, 8)),
    *(((1024,), 0, 1), ((1024,), 0, 4), ((1024,), 0, 8)),
    *(((4, 8, 2, 16), dim, 4) for dim in range(4)),
    *(((2,) * 8, dim, 2) for dim in (0, 3, 7)),
    *(((64, 32), 0, 8), ((64, 32), 1, 8), ((8, 256), 1, 4)),
)
"""Shape, dimension and warps."""

CASES = [
    *(case(keep(e, last=False), (8, 64), 1) for e in (*ELEMENTS, "i4")),
    *(case(keep(element, last=True), (64, 8), 0, warps=4) for element in ELEMENTS),
    *(case(integer_sum(e), (16, 16), 0) for e in ("i8", "i16", "i32", "i64")),
    *(case(float_sum(e), (16, 16), 1) for e in ("f16", "bf16", "f32", "f64")),
    *(
        case(float_maximum(e, propagates=propagates), (8, 32), dim)
        for e in ("f16", "bf16", "f32")
        for dim, propagates in ((0, True), (1, False))
    ),
    # Positive terms: each of at most 256 additions on the way to a result adds half a
    # unit, and the interpreter's tree 8 halves.
    *(
        case(positive_sum(e), (4, 256), 1, ulp={1: 132, 2: 132, 3: 132}, warps=4)
        for e in ("f16", "bf16", "f32", "f64")
    ),
    case(EXTREMES, (4, 64), 1),
    *(case(body, (4, 32), 1) for body in ORDERED),
    *(
        case(body, shape, dim, warps=warps, chips=("sm_80",))
        for body in (AFFINE, EXTREMES)
        for shape, dim, warps in PLACES
    ),
    case(ARGMAX, (1024,), 0, warps=8, chips=("sm_80",)),
    # More totals of blocks than a thread may hold.
    case(AFFINE, (4096,), 0, warps=4, chips=("sm_80",)),
    case(ARGMAX, (16, 128), 0, warps=4, chips=("sm_80",)),
    case(MATRIX, (256,), 0, warps=4, chips=("sm_80",)),
]
