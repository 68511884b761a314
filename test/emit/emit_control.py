# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random loops, round trips through memory, and matrix products."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np
from emit_data import DTYPES, Buffer, is_float
from emit_elementwise import STEPS, inexact
from emit_memory import any_leaf, load_view, numbers, pointers_at, store
from emit_program import Loop, Program, Value, tile
from emit_shape import MOVES, REDUCTIONS

INNER = tuple(s for s in (*STEPS, *MOVES, *REDUCTIONS) if s is not inexact)


def loop(p: Program) -> None:
    """A `for` with carried tiles; bounds are constants, arguments or computed."""
    kind = p.pick(("i32", "i32", "i64", "i16"))
    trips, low = p.number(0, 3), p.number(-3, 3) if p.chance() else 0
    step = p.number(1, 3)
    high = low + trips * step - p.number(0, step - 1) if trips else low
    bounds = [_bound(p, kind, n) for n in (low, high, step)]
    inits = [p.pick(p.pool) for _ in range(p.number(0, 3))]
    index = Value(p.fresh("i"), (), kind)
    carried = [Value(p.fresh("c"), v.shape, v.element, False) for v in inits]
    results = [Value(p.fresh(), v.shape, v.element, False) for v in inits]
    a, b, c = (bound.name for bound in bounds)
    unsigned = "unsigned " if low >= 0 and p.number(0, 3) == 0 else ""
    head = f"for {unsigned}{index.name} in ({a} to {b}, step {c}) : tile<{kind}>"
    if inits:
        pairs = zip(carried, inits, strict=True)
        values = ", ".join(f"{new.name} = {old.name}" for new, old in pairs)
        types = ", ".join(v.type for v in inits)
        head = f"{', '.join(r.name for r in results)} = {head}"
        head += f" iter_values({values}) -> ({types})"
    p.line(head + " {")
    is_plain = low == 0 and step == 1 and kind == "i32"
    _body(p, Loop(index, trips if is_plain else 99), carried)
    p.line("}")
    for result in results:
        p.add(result)


def _bound(p: Program, kind: str, number: int) -> Value:
    if p.chance():
        return p.constant((), kind, number)
    return p.scalar(kind, number)


def _body(p: Program, loop: Loop, carried: Sequence[Value]) -> None:
    outside = len(p.pool)
    p.loops.append(loop)
    p.pool += carried
    p.add(loop.index)
    for _ in range(p.number(1, 4)):
        if p.number(0, 3) == 0:
            any_leaf(p, p.pick(p.pool).shape)
        else:
            p.pick(INNER)(p)
    last = [_next(p, value, outside) for value in carried]
    names = ", ".join(value.name for value in last)
    types = ", ".join(value.type for value in last)
    p.line(f"continue {names} : {types}" if last else "continue")
    p.loops.pop()
    del p.pool[outside:]


def _next(p: Program, value: Value, outside: int) -> Value:
    """What a carried tile becomes: preferably something made inside the loop."""
    known = p.known(value.shape, value.element)
    inner = [v for v in known if v in p.pool[outside:]]
    return p.pick(inner or known)


# Round trips --------------------------------------------------------------------------


@dataclass(frozen=True)
class Scratch:
    """Memory of the kernel's own, a square of it per block, seen as tiles both ways.

    Attributes:
        block: The block's number: the index of its tiles.
        zero: The other index.
        tiles: A view by rows and one by columns, each as name and type.
    """

    block: Value
    zero: Value
    tiles: tuple[tuple[str, str], tuple[str, str]]


def _scratch(p: Program, element: str, rows: int, columns: int) -> Scratch:
    size = rows * columns * p.grid
    data = np.zeros(size, DTYPES[element])
    base = p.pointer(element, Buffer(data, 0, (size,), (1,)))
    shape, tensor = [rows * p.grid, columns], p.fresh("t")
    whole = f"tensor_view<{shape[0]}x{columns}x{element}, strides=[{columns},1]>"
    p.line(
        f"{tensor} = make_tensor_view {base.name}, shape = {shape}, "
        f"strides = [{columns}, 1] : {whole}"
    )
    straight = p.fresh("w"), f"partition_view<tile=({rows}x{columns}), {whole}>"
    transposed = f"partition_view<tile=({columns}x{rows}), {whole}, dim_map=[1, 0]>"
    tiles = straight, (p.fresh("w"), transposed)
    for name, ty in tiles:
        p.line(f"{name} = make_partition_view {tensor} : {ty}")
    return Scratch(p.block_index(), p.constant((), "i32", 0), tiles)


def _put(
    p: Program, scratch: Scratch, value: Value, token: str, *, transpose: bool
) -> str:
    """Stores a tile after `token`; gives the token after it."""
    name, ty = scratch.tiles[transpose]
    indices = _indices(scratch, transpose=transpose)
    after, order = p.fresh("k"), f" token = {token}" if token else ""
    p.line(
        f"{after} = store_view_tko weak {value.name}, {name}[{indices}]{order} : "
        f"{value.type}, {ty}, tile<i32> -> token"
    )
    return after


def _get(
    p: Program, scratch: Scratch, value: Value, token: str, *, transpose: bool
) -> tuple[Value, str]:
    """Loads a tile of `value`'s type or its transposed after `token`."""
    name, ty = scratch.tiles[transpose]
    shape = value.shape[::-1] if transpose else value.shape
    back = Value(p.fresh(), shape, value.element, value.is_payload)
    after, indices = p.fresh("k"), _indices(scratch, transpose=transpose)
    p.line(
        f"{back.name}, {after} = load_view_tko weak {name}[{indices}] "
        f"token = {token} : {ty}, tile<i32> -> {back.type}, token"
    )
    return back, after


def _indices(scratch: Scratch, *, transpose: bool) -> str:
    names = [scratch.block.name, scratch.zero.name]
    return ", ".join(reversed(names) if transpose else names)


def _flat(p: Program) -> Value | None:
    """A tile of rank 2."""
    values = [v for v in p.pool if len(v.shape) == 2]
    return p.pick(values) if values else None


def round_trip(p: Program) -> None:
    """A tile that one access stores and another loads; a token orders the two."""
    value = _flat(p)
    if value is None:
        return
    rows, columns = value.shape
    scratch = _scratch(p, value.element, rows, columns)
    token = _put(p, scratch, value, "", transpose=False)
    back, token = _get(p, scratch, value, token, transpose=True)
    p.add(back)
    if p.chance():  # a token that joins others is after all of them
        joined = p.fresh("k")
        p.line(f"{joined} = join_tokens {token}, {p.token()} : token")
        token = joined
    if p.chance():  # what was read is written back in place
        token = _put(p, scratch, back, token, transpose=True)
        p.add(_get(p, scratch, value, token, transpose=False)[0])


def looping_round_trip(p: Program) -> None:
    """A loop that passes a tile on through memory, ordered by a carried token."""
    value = _flat(p)
    if value is None:
        return
    element = value.element
    scratch = _scratch(p, element, *value.shape)
    first = _put(p, scratch, value, "", transpose=False)
    bounds = [p.constant((), "i32", n).name for n in (0, p.number(1, 3), 1)]
    index, last, carried = p.fresh("i"), p.fresh("k"), p.fresh("k")
    p.line(
        f"{last} = for {index} in ({bounds[0]} to {bounds[1]}, step {bounds[2]}) : "
        f"tile<i32> iter_values({carried} = {first}) -> (token) {{"
    )
    p.loops.append(Loop(Value(index, (), "i32"), 99))
    read, token = _get(p, scratch, value, carried, transpose=p.chance())
    name = "negf" if is_float(element) else "negi"
    text = f"{name} {read.name} : {read.type}"
    read = p.make(read.shape, element, text, is_payload=False)
    token = _put(p, scratch, read, token, transpose=read.shape != value.shape)
    p.line(f"continue {token} : token")
    p.loops.pop()
    p.line("}")
    back, _ = _get(p, scratch, value, last, transpose=p.chance())
    p.add(replace(back, is_payload=False))


def pointer_trip(p: Program) -> None:
    """Stores through pointers and loads the same memory in another order."""
    value = p.pick(p.pool)
    count = prod(value.shape)
    size = count * p.grid
    base = p.pointer(
        value.element, Buffer(np.zeros(size, DTYPES[value.element]), 0, (size,), (1,))
    )
    straight = numbers(p, value.shape, each_block=True)
    token, pointers = p.fresh("k"), pointers_at(p, base, straight)
    p.line(
        f"{token} = store_ptr_tko weak {pointers.name}, {value.name} : "
        f"{pointers.type}, {value.type} -> token"
    )
    if p.chance():
        other = pointers
    else:
        other = pointers_at(p, base, numbers(p, value.shape, each_block=True))
    back = Value(p.fresh(), value.shape, value.element, value.is_payload)
    p.line(
        f"{back.name}, {p.fresh('k')} = load_ptr_tko weak {other.name} token={token} : "
        f"{other.type} -> {back.type}, token"
    )
    p.add(back)


# Products -----------------------------------------------------------------------------


def product(p: Program) -> None:
    """mmaf on whole numbers, so small that every sum is exact."""
    m, n, k = p.pick((16, 32, 64)), p.pick((8, 16, 32, 64)), p.pick((16, 32, 64))
    element = p.pick(("f16", "bf16", "f64"))
    total = _accumulator(element)
    lhs, rhs = _small(p, (m, k), element), _small(p, (k, n), element)
    is_plain = p.chance()
    acc = p.constant((m, n), total, 0.0) if is_plain else _small(p, (m, n), total)
    text = f"mmaf {lhs.name}, {rhs.name}, {acc.name} : "
    text += f"{lhs.type}, {rhs.type}, {acc.type}"
    result = p.add(p.make((m, n), total, text))
    if p.chance():
        _chained(p, result, element)


def _accumulator(element: str) -> str:
    return "f64" if element == "f64" else "f32"


def _chained(p: Program, first: Value, element: str) -> None:
    """A second product whose left operand comes from the first one's result."""
    m, n = first.shape
    if n < 16:
        return
    total = _accumulator(element)
    kind, eight = tile((m, n), element), p.constant(first.shape, total, 8.0)
    text = f"minf {first.name}, {eight.name} : {first.type}"
    lhs = p.make((m, n), total, text)
    if element != total:
        text = f"ftof {lhs.name} : {lhs.type} -> {kind}"
        lhs = p.make((m, n), element, text, is_payload=False)
    rhs = _small(p, (n, 16), element)
    acc = p.constant((m, 16), total, 1.0)
    text = f"mmaf {lhs.name}, {rhs.name}, {acc.name} : "
    text += f"{lhs.type}, {rhs.type}, {acc.type}"
    p.add(p.make((m, 16), total, text))


def _small(p: Program, shape: tuple[int, ...], element: str) -> Value:
    """Whole numbers from -4 to 3, loaded or computed, sometimes transposed."""
    if p.chance():
        source = _small(p, shape[::-1], element)
        text = f"permute {source.name} [1, 0] : {source.type} -> {tile(shape, element)}"
        return p.make(shape, element, text)
    value = load_view(p, shape, "i8")
    for name, number in (("andi", 7), ("subi", 4)):
        other = p.constant(shape, "i8", number)
        text = f"{name} {value.name}, {other.name} : {value.type}"
        value = p.make(shape, "i8", text)
    text = f"itof {value.name} signed : {value.type} -> {tile(shape, element)}"
    return p.make(shape, element, text)


def store_results(p: Program, least: int) -> None:
    """Stores the last tiles that were made, and some others."""
    chosen = p.pool[-least:] + [v for v in p.pool[:-least] if p.number(0, 3) == 0]
    for value in chosen:
        store(p, value)
