# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asynchronous products run on into the next iteration of their loop.

A sum that only its own products read is carried as a pending value, and its await moves
behind the loop. The loop

    for k, sum = zero { p = settled sum; q = start .., p; n = await q; release t; n }

becomes, where the plan of the product has lag = 1,

    for k, p = settled zero { q = start .., p; if k > 0 { release t - 1 after p }; q }
    n = await p; release of the last iteration

so that a product is always in flight while the next one starts. The buffers that such
products read must be slots, which stay until their release, or unchanged by the loop.
"""

from __future__ import annotations

from dataclasses import field

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import BufferType, PendingType, RingType
from cuda_tile._mlir.dialects import tileas
from cuda_tile.analysis.control_flow import counted_loop
from cuda_tile.ir.async_products import factors_of, runs_by_itself, sum_of
from cuda_tile.ir.attributes import attributes_of
from cuda_tile.ir.carried import first_carried, leaves
from cuda_tile.ir.copies import copy_buffer, copy_numbers, planned
from cuda_tile.ir.scalars import branch, compare, plus
from cuda_tile.ir.traits import BUFFER_RENAMES, COPIES, PRODUCT_WAITS, RELEASES, TAKES
from cuda_tile.ir.walk import block_ops, defining_op
from cuda_tile.ods import ops_by_rule
from cuda_tile.records import dataclass

SETTLED, AWAIT = "tileas.settled", "tileas.await"
TAKE, RELEASE = "tileas.take", "tileas.release"
_LINKS = ops_by_rule("hands a sum on to the next product", SETTLED, AWAIT)


@dataclass(eq=False)
class Sum:
    """A carried value that only its own products read.

    Attributes:
        number: Its number among the values that the loop carries.
        products: The products of an iteration, in order.
        glue: The `settled` and `await` between them.
    """

    number: int
    products: list[ir.Operation] = field(default_factory=list[ir.Operation])
    glue: list[ir.Operation] = field(default_factory=list[ir.Operation])


def carry_products(loop: ir.Operation) -> ir.Operation:
    """Lets the products of a loop run on; returns the loop, rebuilt if it changed."""
    body = loop.regions[0].blocks[0]
    if any(leaves(op) for op in block_ops(body)):
        return loop
    sums = [found for n in range(len(loop.results)) if (found := _sum(loop, n))]
    if not sums:
        return loop
    releases = _releases(loop, sums)
    loop = _carry(loop, sums)
    for release, total in releases:
        _trail(loop, release, total)
    return loop


def _sum(loop: ir.Operation, number: int) -> Sum | None:
    """The carried value of a number, if it is such a sum."""
    body = loop.regions[0].blocks[0]
    end = block_ops(body)[-1]
    value: ir.Value = body.arguments[first_carried(loop)[1] + number]
    found = Sum(number)
    while True:
        step = _only_user(value)
        if step is None or step.block != body:
            return None
        if step == end:
            is_back = bool(found.products) and end.operands[number] == value
            is_awaited = found.glue and found.glue[-1].name in PRODUCT_WAITS
            return found if is_back and is_awaited else None
        is_link = step.name in _LINKS and len(step.operands) == 1
        if is_link:
            found.glue.append(step)
        elif runs_by_itself(step) and sum_of(step) == value and _may_run_on(step):
            found.products.append(step)
        else:
            return None
        value = step.results[0]


def _only_user(value: ir.Value) -> ir.Operation | None:
    users = [use.owner.operation for use in value.uses]
    return users[0] if len(users) == 1 else None


def _may_run_on(product: ir.Operation) -> bool:
    """Whether the operands of a product stay in place until it is complete.

    Partial sums are complete when they are added to the sum, in the same iteration.
    """
    if planned(product, "promote", 0):  # promotion C6
        return False
    for value in factors_of(product):
        if not isinstance(value.type, BufferType):
            return False
        maker = maker_of(value)
        if maker is None or (maker.block == product.block and maker.name not in TAKES):
            return False
    return True


def maker_of(buffer: ir.Value) -> ir.Operation | None:
    """The op that makes a buffer, looking through its names."""
    op = defining_op(buffer)
    while op is not None and op.name in BUFFER_RENAMES:
        op = defining_op(op.operands[0])
    return op


def _releases(
    loop: ir.Operation, sums: list[Sum]
) -> list[tuple[ir.Operation, tuple[Sum, ir.Operation]]]:
    """The releases of the products' slots, each with the slot's last product."""
    last: dict[ir.Value, tuple[Sum, ir.Operation]] = {}
    of = {product: total for total in sums for product in total.products}
    found: list[tuple[ir.Operation, tuple[Sum, ir.Operation]]] = []
    for op in block_ops(loop.regions[0].blocks[0]):
        if op in of:
            for value in factors_of(op):
                maker = maker_of(value)
                if maker is not None and maker.name in TAKES:
                    last[maker.operands[0]] = of[op], op
        elif op.name in RELEASES and op.operands[0] in last:
            found.append((op, last[op.operands[0]]))
    return found


def _carry(loop: ir.Operation, sums: list[Sum]) -> ir.Operation:
    """Carries the sums as pending values; awaits them behind the loop."""
    first_operand, first_argument = first_carried(loop)
    operands, types = list(loop.operands), [value.type for value in loop.results]
    body = loop.regions[0].blocks[0]
    for total in sums:
        pending = PendingType.get(types[total.number])
        with ir.InsertionPoint(loop), loop.location:
            place = first_operand + total.number
            operands[place] = tileas.SettledOp(pending, operands[place]).result
        types[total.number] = pending
        argument = body.arguments[first_argument + total.number]
        argument.set_type(pending)
        for link in total.glue:
            link.results[0].replace_all_uses_with(link.operands[0])
            link.erase()
    made = ir.Operation.create(
        loop.name,
        results=types,
        operands=operands,
        attributes=attributes_of(loop),
        regions=1,
        loc=loop.location,
        ip=ir.InsertionPoint(loop),
    )
    body.append_to(made.regions[0])
    numbers = {total.number for total in sums}
    with ir.InsertionPoint.after(made), made.location:
        for number, (old, new) in enumerate(
            zip(list(loop.results), list(made.results), strict=True)
        ):
            value: ir.Value = new
            if number in numbers:
                value = tileas.AwaitOp([old.type], [new]).operation.results[0]
            old.replace_all_uses_with(value)
    loop.erase()
    return made


def _trail(
    loop: ir.Operation, release: ir.Operation, last: tuple[Sum, ir.Operation]
) -> None:
    """Lets a release wait for the products that read its slot."""
    total, product = last
    ring, iteration = list(release.operands)[:2]
    body = loop.regions[0].blocks[0]
    lag = planned(product, "lag", 0) if _has_room(loop, ring) else 0
    first_argument = first_carried(loop)[1]
    is_carried = isinstance(iteration.owner, ir.Block) and iteration.owner == body
    bounds = counted_loop(loop)
    if not lag or not is_carried or bounds is None:
        with ir.InsertionPoint(release), release.location:
            tileas.ReleaseOp(ring, iteration, [product.results[0]])
        release.erase()
        return
    before = body.arguments[first_argument + total.number]
    with ir.InsertionPoint(release), release.location:
        later = compare("not_equal", bounds.index, bounds.lower)
        with branch(later):
            tileas.ReleaseOp(ring, plus(iteration, -1), [before])
    number = ir.BlockArgument(iteration).arg_number - first_argument
    final = loop.results[number]
    with ir.InsertionPoint.after(_last_await(loop)), release.location:
        some = compare(
            "less_than", bounds.lower, bounds.upper, is_unsigned=bounds.is_unsigned
        )
        with branch(some):
            tileas.ReleaseOp(ring, plus(final, -1), [])
    release.erase()


def _has_room(loop: ir.Operation, ring: ir.Value) -> bool:
    """Whether a ring has a slot for the iteration whose release trails."""
    ahead = [
        copy_numbers(op)[1]
        for op in block_ops(loop.regions[0].blocks[0])
        if op.name in COPIES and (acquire := defining_op(copy_buffer(op))) is not None
        if acquire.operands[0] == ring
    ]
    return max(ahead, default=1) < RingType(ring.type).slots


def _last_await(loop: ir.Operation) -> ir.Operation:
    """The last of the awaits that stand right behind a loop."""
    ops = block_ops(loop.block)
    place = ops.index(loop)
    while ops[place + 1].name in PRODUCT_WAITS:
        place += 1
    return ops[place]
