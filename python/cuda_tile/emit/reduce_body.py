# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family reduce: what reductions and scans share.

The body as a function of rows of values, one value per operand, and the exchange of
such rows between lanes. A body takes the element that comes later along the dimension
first, and what was accumulated before it second.
"""

from __future__ import annotations

from typing import Protocol

from cuda_tile._mlir import ir
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.exchange import shuffle
from cuda_tile.emit.select_bodies import Orders, choice_function
from cuda_tile.errors import InternalError
from cuda_tile.ir.walk import block_ops, body
from cuda_tile.layout.linear import N_LANE_BITS, Coord, LinearLayout
from cuda_tile.records import dataclass

Values = list[ir.Value]
"""One value per operand; they travel together."""


class Combine(Protocol):
    """Applies the body to an element, or what comes later, and to what came before."""

    def __call__(
        self, elements: Values, accumulators: Values, orders: Orders = ()
    ) -> Values:
        """The values behind it."""
        ...


def body_function(e: Emitter, op: ir.Operation) -> Combine:
    """The region as a function of (element, accumulator) lists.

    Args:
        e: The emitter.
        op: The reduction or scan.
    """
    block = body(op)
    inner = block_ops(block)
    choose = choice_function(e.builder, op)

    def combine(elements: Values, accumulators: Values, orders: Orders = ()) -> Values:
        chosen = choose(elements, accumulators, orders) if choose else None
        if chosen is not None:
            return chosen
        arguments = iter(block.arguments)
        for element, accumulator in zip(elements, accumulators, strict=True):
            e.set(next(arguments), element)
            e.set(next(arguments), accumulator)
        for inner_op in inner[:-1]:  # pure ops, none of them with regions
            e.emit_op(inner_op)
        return [e.scalar(value) for value in inner[-1].operands]

    return combine


@dataclass(frozen=True)
class DimBit:
    """One bit of the coordinate along a dimension: what tells its values apart.

    Attributes:
        step: The bit, a power of two.
        lane: The bit of the lane number, or None for registers.
    """

    step: int
    lane: int | None


def dim_bits(layout: LinearLayout, dim: int) -> list[DimBit]:
    """The bits of the coordinate along `dim`, low first.

    Args:
        layout: The layout of the operands.
        dim: The dimension, from 0.

    Raises:
        InternalError: A bit of the place moves along several bits of the coordinate, or
            several bits along one, or warps tell elements apart.
    """
    masks = layout.bits_along(dim)
    if masks.warp or masks.block:
        raise InternalError("emit: a reduction or scan across warps after stage")
    found = [
        DimBit(basis[dim], None)
        for bit, basis in enumerate(layout.register)
        if masks.register >> bit & 1
    ]
    found += [
        DimBit(layout.lane[bit][dim], 1 << bit)
        for bit in range(N_LANE_BITS)
        if masks.lane >> bit & 1
    ]
    found.sort(key=lambda bit: bit.step)
    threads = (*layout.lane, *layout.warp, *layout.block)
    used = [basis[dim] for basis in threads if basis[dim]]
    used += {b[dim] for b in layout.register if b[dim]}
    if sorted(used) != [1 << i for i in range(layout.shape[dim].bit_length() - 1)]:
        raise InternalError(f"emit: expected one place per bit along {dim}: {layout}")
    return found


def registers_of_rows(layout: LinearLayout, dim: int) -> dict[Coord, dict[int, int]]:
    """Per row its registers, by what they add to the coordinate along `dim`.

    Args:
        layout: The layout of the operands.
        dim: The dimension, from 0.
    """
    rows: dict[Coord, dict[int, int]] = {}
    for register, place in enumerate(layout.register_offsets()):
        row = rows.setdefault(place[:dim] + place[dim + 1 :], {})
        row.setdefault(place[dim], register)
    return rows


def columns_of(e: Emitter, op: ir.Operation) -> list[Values]:
    """The registers of each operand.

    Args:
        e: The emitter.
        op: The reduction or scan.
    """
    return [e.packer.scalars(e.fragment(value)) for value in op.operands]


def exchange(e: Emitter, row: Values, lane: int) -> Values:
    """The row of the lane whose number differs in the bit `lane`.

    Args:
        e: The emitter.
        row: The values of a row.
        lane: A power of two below 32.
    """
    return [shuffle(e.builder, "bfly", value, lane) for value in row]


def select_row(e: Emitter, condition: ir.Value, yes: Values, no: Values) -> Values:
    """One of two rows.

    Args:
        e: The emitter.
        condition: An i1.
        yes: The row where it is true.
        no: The row where it is false.
    """
    pairs = zip(yes, no, strict=True)
    return [x if x == y else e.builder.select(condition, x, y) for x, y in pairs]
