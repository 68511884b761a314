# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes of the ops of rings behind `count`, each of which some judge must notice.

A mutant is a site, the number of an op among those of its kind in the entry, and a
change. What nobody can notice, because the program is right all the same, is listed in
`REASONS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import tileas
from cuda_tile.ir.carried import LOOPS
from cuda_tile.ir.copies import COPIES, copy_buffer
from cuda_tile.ir.scalars import constant, constant_of, plus
from cuda_tile.ir.walk import (
    block_ops,
    defining_op,
    enclosing_entry,
    enclosing_ops,
    entries,
    nested_ops,
)

TURNS = ("tileas.acquire", "tileas.publish", "tileas.take", "tileas.release")
WAITS = ("tileas.take", "tileas.release", "tileas.await")
GUARD = "cuda_tile.cmpi"

Change = Callable[[ir.Operation], None]


@dataclass(frozen=True)
class RingMutant:
    """One change of one op.

    Attributes:
        name: The op's name and the change.
        number: The place of the op among all ops of the entry that `sites` gives.
    """

    name: str
    number: int

    def apply(self, module: ir.Operation) -> None:
        """Makes the change in a module that `sites` would list in the same way."""
        op = list(sites(module))[self.number]
        CHANGES[self.name.partition(": ")[2]](op)


def sites(module: ir.Operation) -> Iterator[ir.Operation]:
    """The ops that mutants change, in program order."""
    for entry in entries(module):
        for op in nested_ops(entry):
            is_guard = op.name == GUARD and _guards_copies(op)
            if op.name in (*TURNS, *WAITS, *COPIES) or is_guard:
                yield op


def mutants(module: ir.Operation) -> list[RingMutant]:
    """Every mutant of a module."""
    return [
        RingMutant(f"{op.name.partition('.')[2]}: {change}", number)
        for number, op in enumerate(sites(module))
        for change in _changes(op)
    ]


def _changes(op: ir.Operation) -> Iterator[str]:
    if op.name in TURNS:
        yield from ("turn + 1", "turn - 1")
    if op.name in WAITS and "groups" in op.attributes:
        yield "groups + 1"
        if _groups(op):
            yield "groups - 1"
    match op.name:
        case "tileas.publish":
            yield from ("deleted", "right behind the acquire")
        case "tileas.release":
            yield "deleted"
            if _take_of(op) is not None:
                yield "right behind the take"
            if len(op.operands) > 2:
                yield "waits for no product"
        case "tileas.copy_in" | "tileas.gather_in":
            yield from ("deleted", "behind the publish")
        case "cuda_tile.cmpi":
            yield from ("bound + 1", "bound - 1")
        case _:
            pass


def _groups(op: ir.Operation) -> int:
    return ir.IntegerAttr(op.attributes["groups"]).value


def _guards_copies(op: ir.Operation) -> bool:
    """Whether a comparison says if the turn of some copies still comes."""
    if constant_of(op.operands[1]) is None:
        return False
    users = [use.owner.operation for use in op.results[0].uses]
    users += [
        use.owner.operation
        for user in users
        if user.name == "cuda_tile.andi"
        for use in user.results[0].uses
    ]
    return any(
        user.name == "cuda_tile.if" and any(i.name in COPIES for i in nested_ops(user))
        for user in users
    )


def _take_of(op: ir.Operation) -> ir.Operation | None:
    """The take of a release that stands in its block and has its turn."""
    for other in block_ops(op.block):
        if other.name == "tileas.take" and list(other.operands) == list(op.operands):
            return other
    return None


# Changes ------------------------------------------------------------------------------


def _shift(by: int) -> Change:
    def change(op: ir.Operation) -> None:
        with ir.InsertionPoint(op), op.location:
            op.operands[1] = plus(op.operands[1], by)

    return change


def _count(by: int) -> Change:
    def change(op: ir.Operation) -> None:
        i64 = ir.IntegerType.get_signless(64)
        op.attributes["groups"] = ir.IntegerAttr.get(i64, _groups(op) + by)

    return change


def _bound(by: int) -> Change:
    def change(op: ir.Operation) -> None:
        number = constant_of(op.operands[1])
        with ir.InsertionPoint(op), op.location:
            op.operands[1] = constant((number or 0) + by, op.operands[1].type)

    return change


def _delete(op: ir.Operation) -> None:
    for result in op.results:  # a copy's token
        if list(result.uses):
            with ir.InsertionPoint(op), op.location:
                made = ir.Operation.create("cuda_tile.make_token", [result.type])
            result.replace_all_uses_with(made.results[0])
    op.erase()


def _publish_early(op: ir.Operation) -> None:
    for other in block_ops(op.block):
        if other.name == "tileas.acquire" and list(other.operands) == list(op.operands):
            op.move_after(other)


def _release_early(op: ir.Operation) -> None:
    take = _take_of(op)
    if take is not None:
        op.move_after(take)


def _release_without(op: ir.Operation) -> None:
    with ir.InsertionPoint(op), op.location:
        tileas.ReleaseOp(op.operands[0], op.operands[1], [])
    op.erase()


def _copy_late(op: ir.Operation) -> None:
    acquire = defining_op(copy_buffer(op))
    if acquire is None:
        return
    outer = (
        op
        if op.block == acquire.block
        else next(enclosing_ops(op.results[0])).operation
    )
    for other in block_ops(outer.block):
        if other.name == "tileas.publish" and (
            list(other.operands) == list(acquire.operands)
        ):
            outer.move_after(other)


CHANGES: dict[str, Change] = {
    "turn + 1": _shift(1),
    "turn - 1": _shift(-1),
    "groups + 1": _count(1),
    "groups - 1": _count(-1),
    "bound + 1": _bound(1),
    "bound - 1": _bound(-1),
    "deleted": _delete,
    "right behind the acquire": _publish_early,
    "right behind the take": _release_early,
    "waits for no product": _release_without,
    "behind the publish": _copy_late,
}


def reason_for(mutant: RingMutant, module: ir.Operation) -> str:
    """Why a mutant is as right as the program, so that nobody may notice it."""
    if mutant.name.endswith("groups - 1"):
        return "waits for more than it must"
    op = list(sites(module))[mutant.number]
    if mutant.name == "release: deleted" and _is_last(op):
        return "nobody acquires a slot afterwards"
    if mutant.name == "await: groups + 1" and _was_awaited(op):
        return "a release has waited for the product"
    return ""


def _was_awaited(op: ir.Operation) -> bool:
    """Whether the loop that gives a product waits for it before it goes on."""
    loop = defining_op(op.operands[0])
    return loop is not None and any(
        inner.name == "tileas.release"
        and inner.block == loop.regions[0].blocks[0]
        and len(inner.operands) > 2
        and not _groups(inner)
        for inner in nested_ops(loop)
    )


def _is_last(op: ir.Operation) -> bool:
    """Whether a release stands in no loop, and no acquire of its ring behind it."""
    if any(outer.operation.name in LOOPS for outer in enclosing_ops(op.operands[1])):
        return False
    entry = enclosing_entry(op)
    ops = list(nested_ops(entry))
    return not any(
        other.name == "tileas.acquire" and other.operands[0] == op.operands[0]
        for other in ops[ops.index(op) :]
    )
