# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules of products that run by themselves, and of the values they leave.

A product is computed when somebody waits for it, under a seed at a random moment
before, and reads its buffers then. Products of a role run in their order.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cuda_tile.exact.algebra import Algebra
from cuda_tile.interp import exact
from cuda_tile.interp.copy import tile_of
from cuda_tile.interp.flight import Late, of_role
from cuda_tile.interp.machine import TileBlock
from cuda_tile.interp.program import BufferType, Op, PendingType, TileType, Type
from cuda_tile.interp.ring import complete, fill
from cuda_tile.interp.table import PARTIAL, RULES
from cuda_tile.interp.undefined import data_of, mask_of
from cuda_tile.interp.values import Buffer, Pending


@PARTIAL.register("tileas.settled")
@RULES.register("tileas.settled")
def settled(run: TileBlock, op: Op, tile: Any) -> Pending:
    """A value that is there."""
    return Pending(tile)


@PARTIAL.register("tileas.wgmma", "tileas.tcgen05")
@RULES.register("tileas.wgmma", "tileas.tcgen05")
def wgmma(
    run: TileBlock, op: Op, lhs: Any, rhs: Buffer, acc: Pending, *scales: Any
) -> Pending:
    """`mmaf`, `mmai` or `mmaf_scaled` of what the buffers hold when it runs."""
    made = Pending(None)
    product = _product(op, run.launch.algebra)

    def multiply() -> None:
        left = tile_of(run, op, lhs) if isinstance(lhs, Buffer) else lhs
        right = tile_of(run, op, rhs)
        if acc.work is not None:
            acc.work.finish()
        made.tile = run.evaluate(product, (left, right, acc.tile, *scales))

    made.work = Late(op, multiply)
    of_role(run.flight.products, run.role).start(made.work)
    if run.launch.is_shuffled:
        run.flight.finish_some(run.launch.random)
    return made


def _product(op: Op, algebra: Algebra | None) -> Op:
    """The same product of tiles."""
    name = "mmai" if "signedness_lhs" in op.attributes else "mmaf"
    if len(op.operand_types) > 3:
        name = "mmaf_scaled"
    kinds = tuple(_tile(kind) for kind in op.operand_types)
    rule = RULES[name] if algebra is None else exact.Rules(algebra).rule(name)
    return replace(
        op, name=name, operand_types=kinds, result_types=kinds[2:3], rule=rule
    )


def _tile(kind: Type) -> Type:
    if isinstance(kind, BufferType):
        return TileType(kind.shape, kind.element)
    return kind.tile if isinstance(kind, PendingType) else kind


@PARTIAL.register("tileas.deposit")
@RULES.register("tileas.deposit")
def deposit(run: TileBlock, op: Op, value: Pending, buffer: Buffer) -> None:
    """The sum, once its products are done, in the buffer."""
    complete(run, op, (value,))
    fill(run, op, buffer, data_of(value.tile), ~mask_of(value.tile))


@RULES.register("tileas.await")
def await_(run: TileBlock, op: Op, *pending: Pending) -> tuple[Any, ...]:
    """The tiles, once their products are done."""
    complete(run, op, pending)
    return tuple(value.tile for value in pending)
