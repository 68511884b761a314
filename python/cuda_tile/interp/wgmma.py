# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules of products that run by themselves, and of the values they leave.

A product is computed when somebody waits for it, under a seed at a random moment
before, and reads its buffers then. Products of a role run in their order.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from cuda_tile.exact.algebra import Algebra
from cuda_tile.interp import exact
from cuda_tile.interp.copy import tile_of
from cuda_tile.interp.flight import Late, of_role
from cuda_tile.interp.machine import TileBlock
from cuda_tile.interp.program import BufferType, Op, PendingType, TileType, Type
from cuda_tile.interp.ring import complete, fill
from cuda_tile.interp.table import PARTIAL, RULES
from cuda_tile.interp.undefined import data_of, mask_of
from cuda_tile.interp.values import Buffer, Partial, Pending
from cuda_tile.runtime.elements import element, from_memory, unpack_nibbles

_FOUR = element("f4E2M1FN")


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
        left, right, *factors = (
            tile_of(run, op, each) if isinstance(each, Buffer) else each
            for each in (lhs, rhs, *scales)
        )
        if _holds_bytes(op):
            left, right = _elements(left, 1), _elements(right, 0)
        if acc.work is not None:
            acc.work.finish()
        made.tile = run.evaluate(product, (left, right, acc.tile, *factors))

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
    if _holds_bytes(op):
        kinds = (_of_elements(kinds[0], 1), _of_elements(kinds[1], 0), *kinds[2:])
    rule = RULES[name] if algebra is None else exact.Rules(algebra).rule(name)
    return replace(
        op, name=name, operand_types=kinds, result_types=kinds[2:3], rule=rule
    )


def _holds_bytes(op: Op) -> bool:
    """Whether bytes have two elements each: integers have no scale factors."""
    kind = op.operand_types[1]
    assert isinstance(kind, BufferType), "products read B in a buffer"
    return len(op.operand_types) > 3 and kind.element.name == "i8"


def _elements(value: Any, dim: int) -> Any:
    """The elements of a tile of bytes, two along a dimension in each."""
    if isinstance(value, Partial):
        undefined = np.repeat(value.undefined, 2, axis=dim)
        return Partial(_elements(value.data, dim), undefined)
    raw = np.ascontiguousarray(np.moveaxis(value, dim, -1)).view(np.uint8)
    codes = unpack_nibbles(raw.reshape(-1)).reshape(-1, 1)
    found = from_memory(codes, _FOUR).reshape(*raw.shape[:-1], -1)
    return np.moveaxis(found, -1, dim)


def _of_elements(kind: Type, dim: int) -> Type:
    """The tile of them."""
    assert isinstance(kind, TileType), "operands are tiles"
    shape = tuple(n * 2 if d == dim else n for d, n in enumerate(kind.shape))
    return TileType(shape, _FOUR)


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
