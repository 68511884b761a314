# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of what stands around the arithmetic: globals, stack, addresses, hints."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from differential_elements import BASE, any_tile, keep, reshaped, with_constant
from differential_moves import spelled
from differential_places import HELD, own_places
from differential_program import RandomProgram
from differential_variants import FLOATS, INTEGERS
from emit_data import DTYPES
from emit_memory import pointers_at
from emit_program import Shape, Value, tile

SHAPES: tuple[Shape, ...] = ((32,), (8, 8), (4, 2, 8))


def _load(p: RandomProgram, where: Value, element: str, token: str = "") -> Value:
    value = Value(p.fresh(), where.shape, element)
    after = f" token={token}" if token else ""
    p.line(
        f"{value.name}, {p.fresh('k')} = load_ptr_tko weak {where.name}{after} : "
        f"{where.type} -> {value.type}, token"
    )
    return value


def _keep(p: RandomProgram, value: Value) -> None:
    keep(p, value)
    if value.element in BASE:
        p.add(value)


def get_global(p: RandomProgram, element: str) -> None:
    """Elements of a module's constant, in another order."""
    name = f"@g{len(p.globals)}"
    words = ", ".join(spelled(p, element, 32))
    p.globals.append(f"  global {name} <{element}: [{words}]> : tile<32x{element}>")
    text = f"get_global {name} : tile<ptr<{element}>>"
    base = p.make((), f"ptr<{element}>", text)
    place = with_constant(p, "xori", p.coordinate((32,), 0), p.number(0, 31))
    _keep(p, _load(p, pointers_at(p, base, place), element))


def alloca(p: RandomProgram, element: str) -> None:
    """Writes to memory of its own and reads it in another order."""
    shape = p.pick(SHAPES)
    value = any_tile(p, shape, element)
    count = int(np.prod(shape))
    text = f"alloca num_elem = {count}, alignment = 16 : tile<ptr<{element}>>"
    base = p.make((), f"ptr<{element}>", text)
    line = with_constant(p, "xori", p.coordinate((count,), 0), p.number(0, count - 1))
    where = pointers_at(p, base, reshaped(p, line, shape))
    token = p.fresh("k")
    p.line(
        f"{token} = store_ptr_tko weak {where.name}, {value.name} : {where.type}, "
        f"{value.type} -> token"
    )
    line = with_constant(p, "xori", p.coordinate((count,), 0), p.number(0, count - 1))
    _keep(p, _load(p, pointers_at(p, base, line), element, token))


def addresses(p: RandomProgram, element: str) -> None:
    """Pointers as numbers and back, and as pointers to another type of the size."""
    shape = p.pick(SHAPES)
    where = own_places(p, shape, element)
    number = tile(shape, "i64")
    text = f"ptr_to_int {where.name} : {where.type} -> {number}"
    value = p.make(shape, "i64", text)
    text = f"int_to_ptr {value.name} : {number} -> {where.type}"
    where = p.make(shape, where.element, text)
    size = DTYPES[element].itemsize
    other = f"i{8 * size}"
    text = f"ptr_to_ptr {where.name} : {where.type} -> {tile(shape, f'ptr<{other}>')}"
    again = p.make(shape, f"ptr<{other}>", text)
    _keep(p, _load(p, where, element))
    _keep(p, _load(p, again, other))


def assume(p: RandomProgram, element: str) -> None:
    """What is true of a tile: divisors, bounds, elements that are the same."""
    shape = p.pick(((8, 16), (32,), (2, 4, 8)))
    if element.startswith("ptr"):
        kind = element[4:-1]
        where = own_places(p, shape, kind)
        size = DTYPES[kind].itemsize
        text = f"assume div_by<{size}>, {where.name} : {where.type}"
        _keep(p, _load(p, p.make(shape, element, text), kind))
        return
    value = any_tile(p, shape, element)
    kind = p.pick(("div_by", "bounded", "same", "every"))
    if kind == "div_by":
        value = with_constant(p, "shli", value, 2)
        words = f"div_by<{p.pick((1, 2, 4))}>"
    elif kind == "bounded":
        value = with_constant(p, "andi", value, 7)
        words = p.pick(("bounded<0, 7>", "bounded<?, 100>", "bounded<-1, ?>"))
    elif kind == "every":
        value = p.coordinate(shape, len(shape) - 1, element)
        words = f"div_by<1, every {shape[-1]} along {len(shape) - 1}>"
    else:
        dim = p.number(0, len(shape) - 1)
        value = p.coordinate(shape, dim, element)
        groups = [1 if d == dim else n for d, n in enumerate(shape)]
        words = f"same_elements<[{', '.join(map(str, groups))}]>"
    text = f"assume {words}, {value.name} : {value.type}"
    _keep(p, p.make(shape, element, text))


def check(p: RandomProgram, word: str) -> None:
    """An assertion that holds, of a tile or of a scalar."""
    del word
    shape = p.pick((*SHAPES, ()))
    value = any_tile(p, shape, "i32")
    same = tile(shape, "i1")
    text = f"cmpi equal {value.name}, {value.name}, signed : {value.type} -> {same}"
    holds = p.make(shape, "i1", text)
    p.line(f'assert {holds.name}, "a number is itself" : {same}')
    _keep(p, value)


MARKS = {**dict.fromkeys(INTEGERS[1:], "%i"), **dict.fromkeys(FLOATS, "%f")}


def show(p: RandomProgram, element: str) -> None:
    """A print; both judges run it, what they print is not compared."""
    value = any_tile(p, p.pick(((4,), (), (2, 2))), element)
    mark = MARKS[element]
    p.line(
        f'{p.fresh("k")} = print_tko "value {mark}\\n", {value.name} : {value.type} '
        "-> token"
    )
    _keep(p, value)


def blocks(p: RandomProgram, word: str) -> None:
    """Numbers of the grid and of the block."""
    del word
    scalars = [*p.grid_extents(), p.block_index()]
    for value in scalars:
        keep(p, value)


def fences(p: RandomProgram, word: str) -> None:
    """Tokens through the ops that order memory of several kernels or aliases."""
    where = own_places(p, (32,), "f32")
    token, after = p.token(), p.fresh("k")
    p.line(f"{after} = {word} token={token} : token")
    joined = p.fresh("k")
    p.line(f"{joined} = join_tokens {token}, {after} : token")
    _keep(p, _load(p, where, "f32", joined))


STEPS: dict[str, tuple[Callable[[RandomProgram, str], None], tuple[str, ...]]] = {
    "get_global": (get_global, HELD),
    "alloca": (alloca, HELD),
    "addresses": (addresses, ("i8", "i16", "i32", "i64", *FLOATS)),
    "assume": (assume, (*INTEGERS[1:], "ptr<f32>", "ptr<i8>")),
    "assert": (check, ("",)),
    "print": (show, tuple(MARKS)),
    "grid": (blocks, ("",)),
    "fence": (
        fences,
        ("gdc_wait_tko", "gdc_launch_dependents_tko", "memory_fence_alias_tko"),
    ),
}
LAUNCH_VARIANTS = tuple(
    (op, word) for op, (_, words) in STEPS.items() for word in words
)
LAUNCH_NAMES = tuple(f"{op} {word}".strip() for op, word in LAUNCH_VARIANTS)


def launch_step(p: RandomProgram) -> None:
    """One of them: the seed of the step says which."""
    number = p.step_seed % len(LAUNCH_VARIANTS)
    op, word = LAUNCH_VARIANTS[number]
    STEPS[op][0](p, word)
    p.note(f"variant: {LAUNCH_NAMES[number]}")
