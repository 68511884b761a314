# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps that move elements of every type: shapes, constants, bytes."""

from __future__ import annotations

from collections.abc import Callable

from differential_elements import BASE, any_tile, keep
from differential_program import RandomProgram
from differential_variants import ALL_FLOATS, INTEGERS, WIDTHS
from emit_data import DTYPES, Buffer, random_values
from emit_memory import numbers, pointers_at
from emit_program import Shape, Value, elements, literal, tile

NUMBERS = (*INTEGERS, *ALL_FLOATS)
POINTERS = ("ptr<i32>", "ptr<f16>")
SHAPES: tuple[Shape, ...] = ((64,), (8, 16), (16, 8), (2, 8, 4), (1, 32, 2), (2,) * 6)
"""Shapes of operands; results of `cat` and `broadcast` may be some times larger."""


def operand(p: RandomProgram, shape: Shape, element: str) -> Value:
    """A tile of numbers, or of pointers into an array of random numbers."""
    if not element.startswith("ptr"):
        return any_tile(p, shape, element)
    kind, count = element[4:-1], elements(shape) * p.grid
    buffer = Buffer(random_values(p.generator(), count, kind), 0, (count,), (1,))
    places = numbers(p, shape, each_block=False)
    return pointers_at(p, p.pointer(kind, buffer), places)


def finish(p: RandomProgram, value: Value) -> None:
    """Stores a tile, or what its pointers point at; later steps may use it."""
    if value.element.startswith("ptr"):
        loaded = Value(p.fresh(), value.shape, value.element[4:-1])
        p.line(
            f"{loaded.name}, {p.fresh('k')} = load_ptr_tko weak {value.name} : "
            f"{value.type} -> {loaded.type}, token"
        )
        value = loaded
    keep(p, value)
    if value.element in BASE:
        p.add(value)


def _made(p: RandomProgram, x: Value, shape: Shape, text: str) -> None:
    full = f"{text} -> {tile(shape, x.element)}"
    finish(p, p.make(shape, x.element, full, is_payload=x.is_payload))


def _reshape(p: RandomProgram, element: str) -> None:
    x = operand(p, p.pick(SHAPES), element)
    count = elements(x.shape)
    options = ((count,), (2, count // 2), (count // 4, 1, 4), (1, 2, count // 4, 2, 1))
    _made(p, x, p.pick(options), f"reshape {x.name} : {x.type}")


def _broadcast(p: RandomProgram, element: str) -> None:
    x = operand(p, p.pick(((1, 16), (8, 1), (1, 4, 1, 2), (2, 1))), element)
    shape = tuple(p.pick((2, 8)) if n == 1 else n for n in x.shape)
    _made(p, x, shape, f"broadcast {x.name} : {x.type}")


def _permute(p: RandomProgram, element: str) -> None:
    x = operand(p, p.pick([s for s in SHAPES if len(s) > 1]), element)
    order = p.shuffled(range(len(x.shape)))
    shape = tuple(x.shape[dim] for dim in order)
    _made(p, x, shape, f"permute {x.name} {order} : {x.type}")


def _cat(p: RandomProgram, element: str) -> None:
    shape = p.pick(SHAPES)
    x, y = operand(p, shape, element), operand(p, shape, element)
    dim = p.number(0, len(shape) - 1)
    result = tuple(2 * n if i == dim else n for i, n in enumerate(shape))
    _made(p, x, result, f"cat {x.name}, {y.name} dim = {dim} : {x.type}, {y.type}")


def _part(p: RandomProgram, whole: Shape) -> tuple[Shape, str]:
    """A shape that divides another one, and indices: numbers, arguments, the block."""
    shape = [p.pick([d for d in (1, 2, 4, n) if n % d == 0]) for n in whole]
    if elements(tuple(shape)) < 2:
        shape = list(whole)
    indices: list[str] = []
    for extent, total in zip(shape, whole, strict=True):
        place = p.number(0, total // extent - 1)
        way = p.number(0, 2)
        if way == 0:
            indices.append(p.constant((), "i32", place).name)
        elif way == 1:
            indices.append(p.scalar("i32", place).name)
        else:
            count = p.constant((), "i32", total // extent)
            text = f"remi {p.block_index().name}, {count.name} unsigned : tile<i32>"
            indices.append(p.make((), "i32", text).name)
    return tuple(shape), ", ".join(indices)


def _extract(p: RandomProgram, element: str) -> None:
    x = operand(p, p.pick(SHAPES), element)
    shape, indices = _part(p, x.shape)
    _made(p, x, shape, f"extract {x.name}[{indices}] : {x.type}")


def _insert(p: RandomProgram, element: str) -> None:
    x = operand(p, p.pick(SHAPES), element)
    shape, indices = _part(p, x.shape)
    y = operand(p, shape, element)
    _made(p, x, x.shape, f"insert {y.name}, {x.name}[{indices}] : {y.type}, {x.type}")


def _select(p: RandomProgram, element: str) -> None:
    shape = p.pick(SHAPES)
    x, y = operand(p, shape, element), operand(p, shape, element)
    condition = any_tile(p, shape, "i1")
    text = f"select {condition.name}, {x.name}, {y.name} : {condition.type}, {x.type}"
    finish(p, p.make(shape, element, text))


def spelled(p: RandomProgram, element: str, count: int) -> list[str]:
    """Random numbers of a type as constants spell them; floats by their bits."""
    if element == "f4E2M1FN":
        return [f"0x{p.number(0, 15):X}" for _ in range(count)]
    values = random_values(p.generator(), count, element)
    if element in BASE:
        return [literal(value, element) for value in values]
    words = values.view(f"u{values.itemsize}")
    if element == "tf32":
        return [f"0x{int(word) >> 13:X}" for word in words]
    return [f"0x{int(word):02X}" for word in words]


def _constant(p: RandomProgram, element: str) -> None:
    shape = p.pick(((4,), (2, 8), (2, 1, 4), (32,)))
    words = spelled(p, element, elements(shape))
    for extent in reversed(shape):
        words = [
            f"[{', '.join(words[n : n + extent])}]"
            for n in range(0, len(words), extent)
        ]
    text = f"constant <{element}: {words[0]}> : {tile(shape, element)}"
    finish(p, p.make(shape, element, text))


def _splat(p: RandomProgram, element: str) -> None:
    shape, (word,) = p.pick(SHAPES), spelled(p, element, 1)
    text = f"constant <{element}: {word}> : {tile(shape, element)}"
    finish(p, p.make(shape, element, text))


def _iota(p: RandomProgram, element: str) -> None:
    count = 2 if element == "i1" else p.pick((1, 8, 64, 128))
    text = f"iota : {tile((count,), element)}"
    finish(p, p.make((count,), element, text))


def _unpack(p: RandomProgram, element: str) -> None:
    raw = any_tile(p, (p.pick((8, 32, 128)),), "i8")
    count = raw.shape[0] * 8 // max(WIDTHS[element], 1)
    if element == "tf32":
        count = raw.shape[0] // 4
        # Only the upper 19 bits of its four bytes are its own.
        mask = spelled_bytes((0x00, 0xE0, 0xFF, 0xFF), raw.shape[0])
        text = f"constant <i8: [{mask}]> : {raw.type}"
        clean = p.make(raw.shape, "i8", text)
        raw = p.make(raw.shape, "i8", f"andi {raw.name}, {clean.name} : {raw.type}")
    result = tile((count,), element)
    value = p.make((count,), element, f"unpack {raw.name} : {raw.type} -> {result}")
    finish(p, value)


def spelled_bytes(pattern: tuple[int, ...], count: int) -> str:
    """A list of bytes in a constant, a pattern over and over."""
    signed = [n - 256 if n > 127 else n for n in pattern]
    return ", ".join(str(signed[n % len(signed)]) for n in range(count))


def _pack(p: RandomProgram, element: str) -> None:
    count = p.pick((8, 32, 128))
    x = any_tile(p, (count,), element)
    size = DTYPES["tf32"].itemsize * 8 if element == "tf32" else WIDTHS[element]
    length = count * size // 8
    text = f"pack {x.name} : {x.type} -> tile<{length}xi8>"
    finish(p, p.make((length,), "i8", text))


MOVES: dict[str, tuple[Callable[[RandomProgram, str], None], tuple[str, ...]]] = {
    "reshape": (_reshape, (*NUMBERS, *POINTERS)),
    "broadcast": (_broadcast, (*NUMBERS, *POINTERS)),
    "permute": (_permute, (*NUMBERS, *POINTERS)),
    "cat": (_cat, (*NUMBERS, *POINTERS)),
    "extract": (_extract, (*NUMBERS, *POINTERS)),
    "insert": (_insert, (*NUMBERS, *POINTERS)),
    "select": (_select, (*NUMBERS[:-1], *POINTERS)),
    "constant list": (_constant, NUMBERS),
    "constant": (_splat, NUMBERS),
    "iota": (_iota, INTEGERS),
    "unpack": (_unpack, (*(k for k in NUMBERS if WIDTHS[k] != 8), "i4")),
    "pack": (_pack, (*(k for k in NUMBERS if WIDTHS[k] != 8), "i4")),
}
"""How each op is made, and of which element types there are tiles of it."""
MOVE_VARIANTS = tuple(
    (op, element) for op, (_, kinds) in MOVES.items() for element in kinds
)


def move_step(p: RandomProgram) -> None:
    """An op on one element type: the seed of the step says which."""
    op, element = MOVE_VARIANTS[p.step_seed % len(MOVE_VARIANTS)]
    MOVES[op][0](p, element)
    p.note(f"variant: {op} {element}")


MOVE_NAMES = tuple(f"{op} {element}" for op, element in MOVE_VARIANTS)
