# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random steps of the families shape and reduce."""

from __future__ import annotations

import numpy as np
from emit_data import DTYPES, FLOATS, INTEGERS, is_float
from emit_elementwise import operand, small_float
from emit_program import Program, Shape, Value, elements, tile

MOST_ELEMENTS = 2048


def random_shape(p: Program, *, rank: int | None = None) -> Shape:
    """Powers of two, at most `MOST_ELEMENTS` in all; larger extents are rarer."""
    rank = p.pick((0, 1, 1, 2, 2, 2, 3, 3)) if rank is None else rank
    shape: list[int] = []
    room = MOST_ELEMENTS
    for _ in range(rank):
        extent = min(room, 2 ** p.pick((0, 1, 2, 3, 3, 4, 4, 5, 6, 8)))
        shape.append(extent)
        room //= extent
    return tuple(shape)


def factorised(p: Program, count: int) -> Shape:
    """A shape of `count` elements."""
    bits = count.bit_length() - 1
    rank = p.number(0 if bits == 0 else 1, 3)
    cuts = sorted(p.number(0, bits) for _ in range(max(rank - 1, 0)))
    ends = [0, *cuts, bits]
    return tuple(2 ** (ends[i + 1] - ends[i]) for i in range(rank))


def select(p: Program) -> None:
    """One of two tiles by a condition."""
    value = p.pick(p.pool)
    other = operand(p, value.shape, value.element)
    condition = operand(p, value.shape, "i1")
    first, second = p.shuffled([value, other])
    text = f"select {condition.name}, {first.name}, {second.name} : "
    text += f"{condition.type}, {value.type}"
    known = value.is_payload and other.is_payload
    p.add(p.make(value.shape, value.element, text, is_payload=known))


def _moved(p: Program, value: Value, shape: Shape, text: str) -> Value:
    text = f"{text} : {value.type} -> {tile(shape, value.element)}"
    return p.add(p.make(shape, value.element, text, is_payload=value.is_payload))


def reshape(p: Program) -> None:
    """The same elements in another shape."""
    value = p.pick(p.pool)
    shape = factorised(p, elements(value.shape))
    if shape != value.shape or p.chance():
        _moved(p, value, shape, f"reshape {value.name}")


def permute(p: Program) -> None:
    """Dimensions in another order."""
    values = [v for v in p.pool if len(v.shape) > 1]
    if not values:
        return
    value = p.pick(values)
    order = p.shuffled(range(len(value.shape)))
    shape = tuple(value.shape[d] for d in order)
    _moved(p, value, shape, f"permute {value.name} [{', '.join(map(str, order))}]")


def broadcast(p: Program) -> None:
    """Dimensions of extent one, made longer."""
    values = [v for v in p.pool if 1 in v.shape and elements(v.shape) <= 256]
    if not values:
        return
    value = p.pick(values)
    room, shape = MOST_ELEMENTS // elements(value.shape), list[int]()
    for extent in value.shape:
        longer = min(room, 2 ** p.number(0, 5)) if extent == 1 else extent
        room //= longer if extent == 1 else 1
        shape.append(longer)
    _moved(p, value, tuple(shape), f"broadcast {value.name}")


# Reductions ---------------------------------------------------------------------------


def reduce(p: Program) -> None:
    """One operand, along any dimension, by an operation that may go in any order."""
    shape = p.pick(p.pool).shape or (4,)
    element = p.pick((*INTEGERS, *FLOATS))
    name, suffix, identity = combination(p, element)
    if name == "addf":
        value = small_float(p, shape, element)
    else:
        value = operand(p, shape, element)
    dim = p.number(0, len(shape) - 1)
    reduction(
        p, [value], dim, [identity], [f"{name} %a0, %b0{suffix} : tile<{element}>"]
    )


def combination(p: Program, element: str) -> tuple[str, str, str]:
    """An operation that goes in any order, its suffix, and the bits of its identity."""
    if is_float(element):
        name = p.pick(("addf", "maxf", "minf"))
        suffix, identity = "", 0.0
        if name != "addf":
            suffix = " propagate_nan" if p.chance() and element != "f64" else ""
            # What loses against everything: NaN, or the far end where NaN wins.
            end = -np.inf if name == "maxf" else np.inf
            identity = end if suffix else np.nan
        word = np.asarray(identity, DTYPES[element])
        return name, suffix, f"0x{int(word.view(f'u{word.itemsize}')):X}"
    ends = (0, 1) if element == "i1" else None
    info = None if ends else np.iinfo(DTYPES[element])
    if info is None:
        name, identity = p.pick((("andi", 1), ("ori", 0), ("xori", 0)))
        return name, "", "true" if identity else "false"
    name, suffix, number = p.pick(
        (
            ("addi", "", 0),
            ("muli", "", 1),
            ("andi", "", -1),
            ("ori", "", 0),
            ("xori", "", 0),
            ("maxi", " signed", int(info.min)),
            ("mini", " signed", int(info.max)),
            ("maxi", " unsigned", 0),
            ("mini", " unsigned", -1),
        )
    )
    return name, suffix, str(number)


def argmax(p: Program) -> None:
    """Two operands that travel together: the largest element and where it is."""
    shape = p.pick(p.pool).shape or (4,)
    element = p.pick(("i8", "i16", "i32", "i64"))
    dim = p.number(0, len(shape) - 1)
    largest(p, operand(p, shape, element), dim)


def largest(p: Program, value: Value, dim: int) -> list[Value]:
    """The largest integer along a dimension and where it is."""
    element, place = value.element, p.coordinate(value.shape, dim)
    lowest = int(np.iinfo(DTYPES[element]).min)
    body = [
        f"cmpi greater_than %a0, %b0, signed : tile<{element}> -> tile<i1>",
        f"cmpi equal %a0, %b0, signed : tile<{element}> -> tile<i1>",
        "cmpi less_than %a1, %b1, unsigned : tile<i32> -> tile<i1>",
        "andi %r1, %r2 : tile<i1>",
        "ori %r0, %r3 : tile<i1>",
        f"select %r4, %a0, %b0 : tile<i1>, tile<{element}>",
        "select %r4, %a1, %b1 : tile<i1>, tile<i32>",
    ]
    # Any place will do beside the lowest number, as long as it loses every tie.
    return reduction(p, [value, place], dim, [str(lowest), "-1"], body)


def reduction(
    p: Program, values: list[Value], dim: int, identities: list[str], body: list[str]
) -> list[Value]:
    """A reduction; its body has `%a0`, `%b0` and so on, and yields its last ops."""
    shape = values[0].shape
    rest = shape[:dim] + shape[dim + 1 :]
    results = [Value(p.fresh(), rest, v.element, is_payload=False) for v in values]
    spelled = [
        i if v.element == "i1" else f"{i} : {v.element}"
        for i, v in zip(identities, values, strict=True)
    ]
    arguments = [
        f"%{side}{i}: tile<{v.element}>" for i, v in enumerate(values) for side in "ab"
    ]
    names = ", ".join(v.name for v in values)
    p.line(
        f"{', '.join(r.name for r in results)} = reduce {names} dim={dim} "
        f"identities=[{', '.join(spelled)}] : {', '.join(v.type for v in values)} -> "
        f"{', '.join(r.type for r in results)}"
    )
    p.line(f"({', '.join(arguments)}) {{")
    for i, text in enumerate(body):
        p.line(f"  %r{i} = {text}")
    last = range(len(body) - len(values), len(body))
    types = ", ".join(f"tile<{v.element}>" for v in values)
    p.line(f"  yield {', '.join(f'%r{i}' for i in last)} : {types}")
    p.line("}")
    return [p.add(result) for result in results]


MOVES = (select, reshape, permute, broadcast)
REDUCTIONS = (reduce, reduce, argmax)
