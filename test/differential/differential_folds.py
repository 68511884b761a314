# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps that fold: reductions and scans by bodies of many kinds, and products.

Whatever the order in which elements are combined, results are exact: floats are small
whole numbers or powers of two where they are added or multiplied.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from differential_elements import BASE, any_tile, bounded, cast, keep, with_constant
from differential_program import RandomProgram
from differential_variants import ALL_FLOATS, FLOATS, INTEGERS, SIGNS
from emit_data import DTYPES
from emit_memory import leaf
from emit_program import Shape, Value

SHAPES: tuple[Shape, ...] = (
    *((32,), (128,), (8, 16), (4, 32), (64, 4), (2, 8, 8), (2, 2, 4, 2, 4), (1, 16)),
)
IDENTITIES = {"addi": 0, "muli": 1, "andi": -1, "ori": 0, "xori": 0}
INFINITIES = {"f16": "7C00", "bf16": "7F80", "f32": "7F800000"}
INFINITIES["f64"] = "7FF0000000000000"


@dataclass(frozen=True)
class Fold:
    """How one type is combined.

    Attributes:
        name: Of the body's main op.
        lines: The body over `%a0` and `%b0`; the last line gives `%r`.
        identity: As the op spells it, without its type.
        values: What operands are: any, small whole numbers, or signs.
    """

    name: str
    lines: tuple[str, ...]
    identity: str
    values: str = "any"


def integer_folds(kind: str) -> list[Fold]:
    """The bodies of an integer type."""
    folds: list[Fold] = []
    for op, number in IDENTITIES.items():
        identity = str(number)
        if kind == "i1":
            identity = "true" if number else "false"
        folds.append(Fold(op, (f"%r = {op} %a0, %b0 : tile<{kind}>",), identity))
    if kind == "i1":
        return folds
    info = np.iinfo(DTYPES[kind])
    ends = {("maxi", "signed"): info.min, ("mini", "signed"): info.max}
    ends |= {("maxi", "unsigned"): 0, ("mini", "unsigned"): -1}
    for (op, sign), end in ends.items():
        line = f"%r = {op} %a0, %b0 {sign} : tile<{kind}>"
        folds.append(Fold(f"{op} {sign}", (line,), str(int(end))))
    return folds


def float_folds(kind: str) -> list[Fold]:
    """The bodies of a float type; narrow ones are compared as f32."""
    if kind not in FLOATS:
        wide, back = "tile<f32>", f"tile<{kind}>"
        how = "rounding<zero> " if kind == "f8E8M0FNU" else ""
        lines = (
            f"%x = ftof %a0 : {back} -> {wide}",
            f"%y = ftof %b0 : {back} -> {wide}",
            f"%z = maxf %x, %y : {wide}",
            f"%r = ftof %z {how}: {wide} -> {back}",
        )
        lowest = {"tf32": "0x7F800", "f8E4M3FN": "0xFE", "f8E5M2": "0xFB"}
        lowest |= {"f8E8M0FNU": "0x00"}
        return [Fold("maxf", lines, lowest[kind], "finite")]
    bits = INFINITIES[kind]
    lower = f"0x{int(bits, 16) | 1 << (4 * len(bits) - 1):X}"
    folds = [
        Fold("addf", (f"%r = addf %a0, %b0 : tile<{kind}>",), "0.0", "small"),
        Fold("mulf", (f"%r = mulf %a0, %b0 : tile<{kind}>",), "1.0", "signs"),
    ]
    for op, end in (("maxf", lower), ("minf", f"0x{bits}")):
        for nan in ("", " propagate_nan"):
            line = f"%r = {op} %a0, %b0{nan} : tile<{kind}>"
            folds.append(Fold(f"{op}{nan}", (line,), end, "any" if nan else "finite"))
    return folds


def operand(p: RandomProgram, fold: Fold, kind: str, shape: Shape) -> Value:
    """A tile of values for which every order of combining gives the same."""
    if fold.values == "any":
        return any_tile(p, shape, kind)
    if fold.values == "finite":
        return bounded(p, shape, kind, -6.0, 6.0)
    return whole(p, shape, kind, 1 if fold.values == "signs" else 3)


def whole(p: RandomProgram, shape: Shape, kind: str, most: int) -> Value:
    """Whole numbers from -most to most; of the sizes 1 and -1 only if `most` is 1."""
    raw = with_constant(p, "andi", leaf(p, shape, "i32"), 2 * most)
    return cast(p, "itof signed", with_constant(p, "subi", raw, most), kind)


def _fold(
    p: RandomProgram,
    op: str,
    values: list[Value],
    identities: list[str],
    body: tuple[str, ...],
    results: list[str],
) -> list[Value]:
    """Writes a reduction or a scan down; gives its results."""
    shape = values[0].shape
    dim = p.number(0, len(shape) - 1)
    rest = shape if op == "scan" else shape[:dim] + shape[dim + 1 :]
    made = [Value(p.fresh(), rest, v.element, is_payload=False) for v in values]
    how = f" reverse={p.pick(('true', 'false'))}" if op == "scan" else ""
    spelled = [
        identity if v.element == "i1" else f"{identity} : {v.element}"
        for identity, v in zip(identities, values, strict=True)
    ]
    p.line(
        f"{', '.join(v.name for v in made)} = {op} "
        f"{', '.join(v.name for v in values)} dim={dim}{how} "
        f"identities=[{', '.join(spelled)}] : {', '.join(v.type for v in values)} -> "
        f"{', '.join(v.type for v in made)}"
    )
    arguments = (
        f"%{side}{n}: tile<{v.element}>" for n, v in enumerate(values) for side in "ab"
    )
    p.line(f"({', '.join(arguments)}) {{")
    for line in body:
        p.line(f"  {line}")
    types = ", ".join(f"tile<{v.element}>" for v in values)
    p.line(f"  yield {', '.join(results)} : {types}")
    p.line("}")
    return made


def _simple(p: RandomProgram, op: str, fold: Fold, kind: str) -> None:
    shape = p.pick(SHAPES)
    if fold.name == "addf" and kind == "f16" and op == "scan":
        shape = (32,)
    values = [operand(p, fold, kind, shape)]
    _finish(p, _fold(p, op, values, [fold.identity], fold.lines, ["%r"]))


def _finish(p: RandomProgram, made: list[Value]) -> None:
    for value in made:
        keep(p, value)
        if value.element in BASE:
            p.add(value)


def _place(p: RandomProgram, op: str) -> None:
    """The largest element and where it stands: the first of equal ones."""
    kind, shape = p.pick(("i8", "i16", "i32", "i64")), p.pick(SHAPES)
    value = any_tile(p, shape, kind)
    place = p.coordinate(shape, p.number(0, len(shape) - 1))
    body = (
        f"%g = cmpi greater_than %a0, %b0, signed : tile<{kind}> -> tile<i1>",
        f"%e = cmpi equal %a0, %b0, signed : tile<{kind}> -> tile<i1>",
        "%l = cmpi less_than %a1, %b1, unsigned : tile<i32> -> tile<i1>",
        "%f = andi %e, %l : tile<i1>",
        "%w = ori %g, %f : tile<i1>",
        f"%r = select %w, %a0, %b0 : tile<i1>, tile<{kind}>",
        "%s = select %w, %a1, %b1 : tile<i1>, tile<i32>",
    )
    lowest = str(int(np.iinfo(DTYPES[kind]).min))
    _finish(p, _fold(p, op, [value, place], [lowest, "-1"], body, ["%r", "%s"]))


def _sums(p: RandomProgram, op: str) -> None:
    """Three sums at once, of different types."""
    shape = p.pick(SHAPES)
    values = [any_tile(p, shape, "i16"), whole(p, shape, "f32", 3)]
    values.append(any_tile(p, shape, "i64"))
    body = (
        "%r = addi %a0, %b0 : tile<i16>",
        "%s = addf %a1, %b1 : tile<f32>",
        "%t = xori %a2, %b2 : tile<i64>",
    )
    zeros = ["0", "0.0", "0"]
    _finish(p, _fold(p, op, values, zeros, body, ["%r", "%s", "%t"]))


FOLDS = {
    kind: (integer_folds if kind in INTEGERS else float_folds)(kind)
    for kind in (*INTEGERS, *ALL_FLOATS)
    if kind != "f4E2M1FN"  # there are no scalars of it
}
SPECIAL = {"place": _place, "sums": _sums}
FOLD_VARIANTS = (
    *(
        (op, kind, number)
        for op in ("reduce", "scan")
        for kind, folds in FOLDS.items()
        for number in range(len(folds))
    ),
    *((op, name, -1) for op in ("reduce", "scan") for name in SPECIAL),
)


def _fold_name(variant: tuple[str, str, int]) -> str:
    op, kind, number = variant
    return f"{op} {kind}" if number < 0 else f"{op} {FOLDS[kind][number].name} {kind}"


def fold_step(p: RandomProgram) -> None:
    """A reduction or a scan: the seed of the step says by what and of what type."""
    variant = FOLD_VARIANTS[p.step_seed % len(FOLD_VARIANTS)]
    op, kind, number = variant
    if number < 0:
        SPECIAL[kind](p, op)
    else:
        _simple(p, op, FOLDS[kind][number], kind)
    p.note(f"variant: {_fold_name(variant)}")


# Products -----------------------------------------------------------------------------

PAIRS = (
    *(("f16", "f16"), ("f16", "f32"), ("bf16", "f32"), ("tf32", "f32"), ("f32", "f32")),
    *(("f64", "f64"), ("f8E4M3FN", "f16"), ("f8E4M3FN", "f32")),
    *(("f8E5M2", "f16"), ("f8E5M2", "f32")),
)
SCALED = (
    *(("f8E4M3FN", "f8E8M0FNU", 32), ("f8E5M2", "f8E8M0FNU", 32)),
    *(("f4E2M1FN", "f8E8M0FNU", 16), ("f4E2M1FN", "f8E8M0FNU", 32)),
    *(("f4E2M1FN", "f8E4M3FN", 16),),
)
EXTENTS = (
    *((16, 16, 16), (32, 16, 32), (64, 32, 16), (8, 8, 8), (1, 32, 16), (16, 1, 64)),
    *((4, 2, 8), (2, 64, 4), (1, 1, 2)),
)
PRODUCT_VARIANTS = (
    *(("mmaf", pair, how) for pair in PAIRS for how in ("", " fast_acc")),
    *(("mmai", ("i8", "i32"), f" {a} {b}") for a, b in product(SIGNS, SIGNS)),
    *(("mmaf_scaled", parts, "") for parts in SCALED),
)


def _product_name(variant: tuple[str, tuple[str | int, ...], str]) -> str:
    op, kinds, how = variant
    return " ".join(f"{op}{how} {' '.join(map(str, kinds))}".split())


def _scaled_parts(p: RandomProgram, kinds: tuple[str | int, ...]) -> list[Value]:
    """Operands, accumulator and scales whose products and sums f32 holds exactly."""
    element, scale, block = str(kinds[0]), str(kinds[1]), int(kinds[2])
    m, n = p.pick(((16, 8), (32, 16), (4, 8))), p.pick((1, 2))
    k = block * n
    lhs, rhs, acc = (m[0], k), (k, m[1]), (m[0], m[1])
    parts = [small(p, s, element) for s in (lhs, rhs)]
    parts.append(whole(p, acc, "f32", 3))
    parts.append(bounded(p, (m[0], n), scale, 0.5, 2.0))
    parts.append(bounded(p, (n, m[1]), scale, 0.5, 2.0))
    return parts


def small(p: RandomProgram, shape: Shape, kind: str) -> Value:
    """Small whole numbers of any float type."""
    if kind in FLOATS:
        return whole(p, shape, kind, 2)
    return cast(p, "ftof", whole(p, shape, "f32", 2), kind)


def product_step(p: RandomProgram) -> None:
    """A product: the seed of the step says of what types."""
    variant = PRODUCT_VARIANTS[p.step_seed % len(PRODUCT_VARIANTS)]
    op, kinds, how = variant
    if op == "mmaf_scaled":
        parts = _scaled_parts(p, kinds)
    else:
        element, result = str(kinds[0]), str(kinds[1])
        m, n, k = p.pick(EXTENTS)
        batch: Shape = p.pick(((), (), (2,), (1,)))
        shapes = ((*batch, m, k), (*batch, k, n), (*batch, m, n))
        if op == "mmai":
            parts = [any_tile(p, s, element) for s in shapes[:2]]
            parts.append(any_tile(p, shapes[2], result))
        else:
            parts = [small(p, s, element) for s in shapes[:2]]
            parts.append(whole(p, shapes[2], result, 3))
    types = ", ".join(part.type for part in parts)
    names = ", ".join(part.name for part in parts)
    shape, element = parts[2].shape, parts[2].element
    text = f"{op} {names}{how} : {types}"
    _finish(p, [p.make(shape, element, text, is_payload=False)])
    p.note(f"variant: {_product_name(variant)}")


FOLD_NAMES = tuple(dict.fromkeys(map(_fold_name, FOLD_VARIANTS)))
PRODUCT_NAMES = tuple(map(_product_name, PRODUCT_VARIANTS))
