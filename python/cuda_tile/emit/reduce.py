"""Family reduce: first the thread's own elements, then a butterfly over lanes.

Elements in other warps never get here: `stage` has split such reductions.
"""

from __future__ import annotations

from collections.abc import Callable

from cuda_tile._mlir import ir
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.exchange import shuffle
from cuda_tile.emit.fragment import Fragment
from cuda_tile.errors import InternalError
from cuda_tile.ir.attributes import integer
from cuda_tile.ir.tiles import is_distributed, layout_of
from cuda_tile.ir.walk import block_ops, body
from cuda_tile.layout.linear import N_LANE_BITS, Coord

Values = list[ir.Value]
Combine = Callable[[Values, Values], Values]


@RULES.register("reduce")
def reduce(e: Emitter, op: ir.Operation) -> None:
    """Folds along `dim`; every thread of the dimension ends with the result."""
    dim = integer(op, "dim")
    layout = layout_of(op.operands[0])
    combine = _body_function(e, op)
    partial = _fold_registers(e, op, dim, combine)
    bits = layout.bits_along(dim)
    if bits.warp:
        raise InternalError("emit: a reduction across warps after stage")
    for bit in range(N_LANE_BITS):
        if bits.lane >> bit & 1:
            for place, mine in partial.items():
                theirs = [shuffle(e.builder, "bfly", v, 1 << bit) for v in mine]
                partial[place] = combine(theirs, mine)
    for i, result in enumerate(op.results):
        if not is_distributed(result):
            e.set(result, partial[()][i])
            continue
        out = layout_of(result)
        values = tuple(partial[place][i] for place in out.register_offsets())
        e.set(result, Fragment(out, values))


def _fold_registers(
    e: Emitter, op: ir.Operation, dim: int, combine: Combine
) -> dict[Coord, Values]:
    """What is left per coordinate of the other dimensions, in one thread."""
    layout = layout_of(op.operands[0])
    columns = [e.packer.scalars(e.fragment(value)) for value in op.operands]
    seen: set[Coord] = set()
    partial: dict[Coord, Values] = {}
    for register, place in enumerate(layout.register_offsets()):
        if place in seen:  # a copy of an element that has been folded in
            continue
        seen.add(place)
        element = [column[register] for column in columns]
        rest = place[:dim] + place[dim + 1 :]
        if rest in partial:
            partial[rest] = combine(element, partial[rest])
        else:
            partial[rest] = element
    return partial


def _body_function(e: Emitter, op: ir.Operation) -> Combine:
    """The region as a function of (element, accumulator) lists."""
    block = body(op)
    inner = block_ops(block)

    def combine(elements: Values, accumulators: Values) -> Values:
        arguments = iter(block.arguments)
        for element, accumulator in zip(elements, accumulators, strict=True):
            e.set(next(arguments), element)
            e.set(next(arguments), accumulator)
        for inner_op in inner[:-1]:
            e.emit_op(inner_op)
        return [e.scalar(value) for value in inner[-1].operands]

    return combine
