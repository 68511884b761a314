# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products in tensor memory whose sums threads change are awaited an iteration later.

The loop

    for k, sum { n = f(sum); store x to b; p = settled n; q = start b .., p;
                 next = await q; release t; next }

becomes

    for k, p = settled sum { sum = await p; n = f(sum); store x to b; p = settled n;
                             q = start b .., p; release t after q; q }
    sum = await p

so that such a product runs while threads compute the ops before `f`. Threads store its
operand in one buffer for all iterations, after the await.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import PendingType
from cuda_tile._mlir.dialects import tileas
from cuda_tile.analysis.liveness import products_of
from cuda_tile.analysis.slots import take_of, users_of
from cuda_tile.analysis.stages import keeps_sum
from cuda_tile.ir.async_products import (
    begins_sum,
    factors_of,
    sum_of,
)
from cuda_tile.ir.attributes import text
from cuda_tile.ir.carried import ancestor_in, first_carried, leaves, rebuild
from cuda_tile.ir.rings import ring_of
from cuda_tile.ir.traits import BUFFER_MAKERS, PRODUCT_WAITS, RELEASES
from cuda_tile.ir.walk import block_ops, defining_op
from cuda_tile.passes.skew_products import maker_of


def carry_awaits(loop: ir.Operation) -> ir.Operation:
    """Lets products run on into the next iteration of a loop until their sum is used.

    Args:
        loop: The loop.

    Returns:
        The loop, which is rebuilt if it changed.
    """
    block = loop.regions[0].blocks[0]
    if any(leaves(op) for op in block_ops(block)):
        return loop
    for number in range(len(loop.results)):
        products = _products(loop, number)
        if products and all(_may_run_on(op, block) for op in products):
            loop = _carry(loop, number, products)
    return loop


def _products(loop: ir.Operation, number: int) -> list[ir.Operation]:
    """The products of an iteration whose await gives a value that the loop carries.

    None if another op uses that value, or if the products are not in tensor memory.
    """
    block = loop.regions[0].blocks[0]
    argument = block.arguments[first_carried(loop)[1] + number]
    value = block_ops(block)[-1].operands[number]
    end = defining_op(value)
    if (
        end is None
        or end.name not in PRODUCT_WAITS
        or end.block != block
        or not _has_use(argument)
    ):
        return []
    if len(list(value.uses)) > 1 or len(end.operands) > 1:
        return []
    products = [op for op in block_ops(block) if op in products_of(end)]
    is_kept = len(products) == len(products_of(end)) and all(map(keeps_sum, products))
    return products if is_kept else []


def _has_use(value: ir.Value) -> bool:
    return any(True for _ in value.uses)


def _may_run_on(product: ir.Operation, block: ir.Block) -> bool:
    """Whether the operands of a product can stay in place until the next iteration."""
    for factor in factors_of(product):
        maker, take = maker_of(factor), take_of(factor)
        if maker is None:
            return False
        if take is not None and text(ring_of(take), "sync") != "mbarriers":
            return False
        is_own = maker.block == block
        if is_own and take is None and maker.name not in BUFFER_MAKERS:
            return False
    return True


def _carry(
    loop: ir.Operation, number: int, products: list[ir.Operation]
) -> ir.Operation:
    """Carries a sum as a pending value, awaited at its first use and after the loop."""
    first_operand, first_argument = first_carried(loop)
    block = loop.regions[0].blocks[0]
    end = defining_op(block_ops(block)[-1].operands[number])
    assert end is not None, "an await was found"
    kind, pending = loop.results[number].type, end.operands[0].type
    for op in _releases(products):
        with ir.InsertionPoint(op), op.location:
            ring, iteration = op.operands
            tileas.ReleaseOp(ring, iteration, [products[-1].results[0]])
        op.erase()
    argument = block.arguments[first_argument + number]
    with ir.InsertionPoint(_first_use(argument, products, loop)), end.location:
        awaited = tileas.AwaitOp([kind], [argument]).operation
    argument.replace_all_uses_except(awaited.results[0], [awaited])
    argument.set_type(pending)
    block_ops(block)[-1].operands[number] = end.operands[0]
    end.erase()
    operands, types = list(loop.operands), [value.type for value in loop.results]
    with ir.InsertionPoint(loop), loop.location:
        start = tileas.SettledOp(pending, operands[first_operand + number])
    operands[first_operand + number] = start.result
    types[number] = pending
    made = rebuild(loop, operands, types)
    sum_ = made.results[number]
    _store_in_the_same(made, products)
    buffers = _buffers_of(products)
    with ir.InsertionPoint(_first_behind(made, [sum_, *buffers])), made.location:
        last = tileas.AwaitOp([kind], [sum_]).operation
    sum_.replace_all_uses_except(last.results[0], [last])
    return made


def _store_in_the_same(loop: ir.Operation, products: list[ir.Operation]) -> None:
    """Lets products after a loop use the buffers of products in the loop.

    Threads store there after the await, so that two such buffers are not live together.
    """
    ops = block_ops(loop.block)
    behind = ops[ops.index(loop) :]
    later = _own_buffers(filter(keeps_sum, behind), loop.block)
    free = [op for op in later if loop.is_before_in_block(op)]
    for buffer in _buffers_of(products):
        for op in [op for op in free if op.results[0].type == buffer.type][:1]:
            op.results[0].replace_all_uses_with(buffer)
            free.remove(op)
            op.erase()


def _buffers_of(products: list[ir.Operation]) -> list[ir.Value]:
    """The buffers that products read and threads fill."""
    makers = {maker_of(factor): None for op in products for factor in factors_of(op)}
    return [op.results[0] for op in makers if op and op.name in BUFFER_MAKERS]


def _releases(products: list[ir.Operation]) -> list[ir.Operation]:
    """The releases of the slots that products of a block read."""
    block = products[0].block
    takes = [take_of(factor) for op in products for factor in factors_of(op)]
    rings = {take.operands[0] for take in takes if take is not None}
    return [
        op
        for op in block_ops(block)
        if op.name in RELEASES and op.operands[0] in rings and not _waits(op)
    ]


def _waits(release: ir.Operation) -> bool:
    """Whether a release waits for products."""
    return any(isinstance(value.type, PendingType) for value in release.operands)


def _first_use(
    argument: ir.Value, products: list[ir.Operation], loop: ir.Operation
) -> ir.Operation:
    """The first op that uses a sum, begins it again, or writes its products' operands.

    The buffers of these operands move before the loop.
    """
    block = loop.regions[0].blocks[0]
    buffers = [maker.results[0] for maker in _own_buffers(products, block)]
    for buffer in buffers:
        buffer.owner.move_before(loop)
    starts = (defining_op(sum_of(op)) for op in products)
    begins = {op for op in starts if op is not None and begins_sum(op)}
    return _first([argument, *buffers], block, begins)


def _first_behind(loop: ir.Operation, values: Sequence[ir.Value]) -> ir.Operation:
    """The first op behind a loop that uses one of some values, or the block's end."""
    ops = block_ops(loop.block)
    around = _around(values, loop.block)
    return next((op for op in ops[ops.index(loop) + 1 :] if op in around), ops[-1])


def _first(
    values: Sequence[ir.Value], block: ir.Block, others: Set[ir.Operation] = frozenset()
) -> ir.Operation:
    """The first op of a block that uses one of some values, or is one of some ops.

    The block's end if there is none.
    """
    around = _around(values, block) | {ancestor_in(block, op) for op in others}
    ops = block_ops(block)
    return next((op for op in ops if op in around), ops[-1])


def _around(values: Sequence[ir.Value], block: ir.Block) -> set[ir.Operation | None]:
    """The ops of a block that use some values, in their regions or themselves."""
    users = {use.owner.operation for value in values for use in value.uses}
    users |= {user for value in values for user in users_of(value)}
    return {ancestor_in(block, user) for user in users}


def _own_buffers(
    products: Iterable[ir.Operation], block: ir.Block
) -> Iterator[ir.Operation]:
    """The buffers of a block that products read."""
    makers = {maker_of(factor): None for op in products for factor in factors_of(op)}
    for maker in makers:
        if maker is not None and maker.block == block and maker.name in BUFFER_MAKERS:
            yield maker
