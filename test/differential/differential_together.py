# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several reductions beside each other, of one tile or of tiles of one shape.

They have the same body or other ones, fold the same dimension or another one, and some
are made of what another one gave; between them stand stores. What each gives is stored
or handed back to a tile.
"""

from __future__ import annotations

from differential_program import RandomProgram
from emit_data import is_float
from emit_elementwise import operand, small_float
from emit_memory import store
from emit_program import Shape, Value, tile
from emit_shape import combination, largest, reduction

TOGETHER = "together: "
CONSTRUCTS = tuple(
    TOGETHER + name
    for name in (
        "the same tile",
        "a tile made of it",
        "another tile",
        "a tile made of a result",
        "the same body",
        "another body",
        "another dimension",
        "with places",
        "a store between",
        "a result handed back",
        "inside of a region",
    )
)
"""What the programs have."""
SHAPES = ((64,), (512,), (2048,), (4, 8), (8, 128), (32, 32), (64, 16), (2, 8, 64))
ELEMENTS = ("f32", "f32", "f16", "f64", "i8", "i32", "i64")
MOST = 5


def together_step(p: RandomProgram) -> None:
    """Some reductions, and what becomes of each."""
    shape, element = p.pick(SHAPES), p.pick(ELEMENTS)
    dim = p.number(0, len(shape) - 1)
    base = _tile(p, shape, element)
    bodies = [_body(p, element) for _ in range(2)]
    last: Value | None = None
    if p.frames:
        _note(p, "inside of a region")
    for _ in range(p.number(2, MOST)):
        value = _operand(p, base, last, dim)
        results = _reduced(p, value, dim, bodies)
        if last is None and results[0].shape == _rest(shape, dim):
            last = results[0]
        for result in results:
            _use(p, result)


def _note(p: RandomProgram, name: str) -> None:
    p.note(TOGETHER + name)


def _rest(shape: Shape, dim: int) -> Shape:
    return shape[:dim] + shape[dim + 1 :]


def _tile(p: RandomProgram, shape: Shape, element: str) -> Value:
    """Numbers whose sums are exact in any order."""
    if is_float(element):
        return small_float(p, shape, element)
    return operand(p, shape, element)


def _body(p: RandomProgram, element: str) -> tuple[str, str, str]:
    """An operation, of which sums of f16 are none: they would be rounded."""
    body = combination(p, element)
    while element == "f16" and body[0] == "addf":
        body = combination(p, element)
    return body


def _operand(p: RandomProgram, base: Value, last: Value | None, dim: int) -> Value:
    """A tile to reduce: the first one, or one that is made of it, or not."""
    ways = ["the same tile", "a tile made of it", "another tile"]
    ways += ["a tile made of a result"] if last is not None else []
    way = p.pick(ways)
    _note(p, way)
    if way == "another tile":
        return _tile(p, base.shape, base.element)
    if way == "the same tile" or last is None:
        return base
    other = base if way == "a tile made of it" else _handed_back(p, last, base, dim)
    # Whole numbers of -4 to 3 or what extrema make of them stay such.
    name = "maxf" if is_float(base.element) else p.pick(("xori", "addi"))
    changed = _negative(p, base)
    return p.make(
        base.shape, base.element, f"{name} {changed.name}, {other.name} : {base.type}"
    )


def _negative(p: RandomProgram, value: Value) -> Value:
    name = "negf" if is_float(value.element) else "negi"
    text = f"{name} {value.name} : {value.type}"
    return p.make(value.shape, value.element, text)


def _handed_back(p: RandomProgram, result: Value, base: Value, dim: int) -> Value:
    """A result for each element of what it was made of."""
    thin = (*base.shape[:dim], 1, *base.shape[dim + 1 :])
    text = f"reshape {result.name} : {result.type} -> {tile(thin, result.element)}"
    value = p.make(thin, result.element, text, is_payload=False)
    text = f"broadcast {value.name} : {value.type} -> {base.type}"
    return p.make(base.shape, base.element, text, is_payload=False)


def _reduced(
    p: RandomProgram, value: Value, dim: int, bodies: list[tuple[str, str, str]]
) -> list[Value]:
    """One reduction of a tile."""
    if len(value.shape) > 1 and p.chance(5):
        _note(p, "another dimension")
        dim = (dim + 1) % len(value.shape)
    if not is_float(value.element) and p.chance(4):
        _note(p, "with places")
        return largest(p, value, dim)
    number = int(p.chance(3))
    _note(p, "another body" if number else "the same body")
    name, suffix, identity = bodies[number]
    body = f"{name} %a0, %b0{suffix} : tile<{value.element}>"
    return reduction(p, [value], dim, [identity], [body])


def _use(p: RandomProgram, result: Value) -> None:
    """Stores a result, or hands it back to what is stored; in a loop neither."""
    if any(frame.kind != "if" for frame in p.frames):
        return
    if result.shape and p.chance():
        _note(p, "a result handed back")
        wide = (4, *result.shape)
        text = f"reshape {result.name} : {result.type} -> "
        thin = tile((1, *result.shape), result.element)
        value = p.make((1, *result.shape), result.element, text + thin)
        text = f"broadcast {value.name} : {value.type} -> {tile(wide, result.element)}"
        result = p.make(wide, result.element, text, is_payload=False)
    elif p.chance():
        _note(p, "a store between")
    store(p, result)
