# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family shape: tiles put together of parts, and parts taken out of tiles.

A part has the extents of the smaller tile; the larger one is a grid of such parts. In
which part an element lies is the XOR of a number for its register and a linear form of
the thread index, so the same register may be another part's in another thread.
"""

from __future__ import annotations

from collections.abc import Sequence

from cuda_tile._mlir import ir
from cuda_tile.analysis.constants import constant_of
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.fragment import Fragment
from cuda_tile.ir.attributes import integer
from cuda_tile.ir.tiles import is_distributed, layout_of
from cuda_tile.layout.convert import register_map
from cuda_tile.layout.coords import Coord
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.part import every_part, part_number

Values = list[ir.Value]


@RULES.register("cat")
def cat(e: Emitter, op: ir.Operation) -> None:
    """Of the registers that two operands have for a place, the one of its half."""
    layout, dim = layout_of(op.results[0]), integer(op, "dim")
    halves = [e.fragment(value) for value in op.operands]
    shape = halves[0].layout.shape
    low, high = (_by_place(e, half) for half in halves)
    threads = _thread_part(e, layout, shape)
    is_second = None
    if threads is not None:
        is_second = e.builder.icmp("ne", threads, _number(e, 0))
    values: Values = []
    for place in layout.register_offsets():
        inner = _inside(place, shape)
        pair = [low[inner], high[inner]]
        if place[dim] & shape[dim]:
            pair.reverse()
        first, second = pair
        if is_second is not None:
            first = e.builder.select(is_second, second, first)
        values.append(first)
    e.set(op.results[0], Fragment(layout, tuple(values)))


@RULES.register("insert")
def insert(e: Emitter, op: ir.Operation) -> None:
    """The source's register where an element lies in the part that indices name."""
    source, destination, *indices = op.operands
    result = op.results[0]
    if not is_distributed(result):
        e.set(result, e.get(source))
        return
    layout, part = layout_of(result), e.fragment(source).layout.shape
    new, old = (
        _by_place(e, e.fragment(source)),
        e.packer.scalars(e.fragment(destination)),
    )
    fixed, moving = _named_part(e, indices, part, layout.shape)
    form = _xor(e, _thread_part(e, layout, part), moving)
    values: Values = []
    for register, place in enumerate(layout.register_offsets()):
        number = part_number(place, part, layout.shape) ^ fixed
        replaced = new[_inside(place, part)]
        if form is not None:
            is_named = e.builder.icmp("eq", form, _number(e, number))
            values.append(e.builder.select(is_named, replaced, old[register]))
        else:
            values.append(old[register] if number else replaced)
    e.set(result, Fragment(layout, tuple(values)))


@RULES.register("extract")
def extract(e: Emitter, op: ir.Operation) -> None:
    """Picks registers: `stage` leaves only parts that each thread holds already."""
    source, *indices = op.operands
    result = op.results[0]
    if not is_distributed(result):
        e.set(result, e.get(source))
        return
    fragment, layout = e.fragment(source), layout_of(result)
    whole = fragment.layout.shape
    where = register_map(fragment.layout, every_part(layout, whole))
    scalars = e.packer.scalars(fragment)
    fixed, moving = _named_part(e, indices, layout.shape, whole)
    size = layout.n_registers

    def part(number: int) -> Values:
        return [scalars[r] for r in where[number * size : (number + 1) * size]]

    if moving is None:
        values = part(fixed)
    else:  # in the bits of `fixed` it is zero
        count = len(where) // size
        values = _chosen(e, [part(number ^ fixed) for number in range(count)], moving)
    e.set(result, Fragment(layout, tuple(values)))


def _chosen(e: Emitter, parts: list[Values], number: ir.Value) -> Values:
    """The part of a number that is known at run time only, bit by bit."""
    b, bit = e.builder, 1
    while len(parts) > 1:
        masked = b.binary("and", number, _number(e, bit))
        is_set = b.icmp("ne", masked, _number(e, 0))
        pairs = zip(parts[::2], parts[1::2], strict=True)
        parts = [
            [b.select(is_set, y, x) for x, y in zip(even, odd, strict=True)]
            for even, odd in pairs
        ]
        bit *= 2
    return parts[0]


def _thread_part(
    e: Emitter, layout: LinearLayout, part: tuple[int, ...]
) -> ir.Value | None:
    """What the thread index adds to the number of an element's part (i32).

    None where all threads hold the same parts.
    """
    bases = (*layout.lane, *layout.warp, *layout.block)
    columns = [part_number(basis, part, layout.shape) for basis in bases]
    return e.threads.linear_form(columns) if any(columns) else None


def _named_part(
    e: Emitter, indices: Sequence[ir.Value], part: tuple[int, ...], whole: Coord
) -> tuple[int, ir.Value | None]:
    """The number of the part that indices name: a constant, and the rest to XOR.

    Each index is taken modulo the number of parts along its dimension.
    """
    b = e.builder
    fixed, moving, stride = 0, None, 1
    for index, n, m in reversed(list(zip(indices, whole, part, strict=True))):
        count = n // m
        known = constant_of(index)
        if known is not None:
            fixed |= known % count * stride
        elif count > 1:
            number = b.binary("and", e.scalar(index), _number(e, count - 1))
            scaled = b.mul(number, _number(e, stride)) if stride > 1 else number
            moving = _xor(e, moving, scaled)
        stride *= count
    return fixed, moving


def _xor(e: Emitter, x: ir.Value | None, y: ir.Value | None) -> ir.Value | None:
    """The XOR of two numbers of which None is zero."""
    if x is None or y is None:
        return y if x is None else x
    return e.builder.binary("xor", x, y)


def _by_place(e: Emitter, fragment: Fragment) -> dict[Coord, ir.Value]:
    """The registers of a fragment by what they add to the thread's coordinate."""
    found: dict[Coord, ir.Value] = {}
    scalars = e.packer.scalars(fragment)
    places = fragment.layout.register_offsets()
    for place, scalar in zip(places, scalars, strict=True):
        found.setdefault(place, scalar)
    return found


def _inside(place: Coord, part: tuple[int, ...]) -> Coord:
    return tuple(c & (n - 1) for c, n in zip(place, part, strict=True))


def _number(e: Emitter, value: int) -> ir.Value:
    return e.builder.constant(e.builder.i32, value)
