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
from cuda_tile._mlir._mlir_libs._cuda_tile import BufferType
from cuda_tile._mlir.dialects import tileas
from cuda_tile.ir.copies import copy_buffer
from cuda_tile.ir.plan import PLAN_ATTRIBUTE
from cuda_tile.ir.scalars import constant, constant_of, plus
from cuda_tile.ir.traits import COPIES, LOOPS
from cuda_tile.ir.walk import (
    block_ops,
    defining_op,
    enclosing_entry,
    enclosing_ops,
    entries,
    nested_ops,
)

ITERATIONS = ("tileas.acquire", "tileas.publish", "tileas.take", "tileas.release")
WAITS = ("tileas.take", "tileas.release", "tileas.await")
GUARD = "cuda_tile.cmpi"
FILL, DRAIN = "tileas.store_shared", "tileas.load_shared"
"""How threads fill a slot, and take what they convert for another."""
PRODUCT = "tileas.wgmma"

OF_OP = {
    "tileas.publish": ("deleted", "right behind the acquire"),
    "tileas.release": ("deleted",),
    "tileas.copy_in": ("deleted", "behind the publish"),
    "tileas.gather_in": ("deleted", "behind the publish"),
    FILL: ("store deleted", "behind the publish"),
    DRAIN: ("behind the release",),
    PRODUCT: ("never promoted",),
    GUARD: ("bound + 1", "bound - 1"),
}
"""Changes of every op of a kind."""

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
            if (
                op.name in (*ITERATIONS, *WAITS, *COPIES)
                or (op.name == GUARD and _guards_copies(op))
                or (op.name == FILL and _slot_of(op, 1) is not None)
                or (op.name == DRAIN and _release_behind(op) is not None)
                or (op.name == PRODUCT and _promotion(op))
            ):
                yield op


def mutants(module: ir.Operation) -> list[RingMutant]:
    """Every mutant of a module."""
    return [
        RingMutant(f"{op.name.partition('.')[2]}: {change}", number)
        for number, op in enumerate(sites(module))
        for change in _changes(op)
    ]


def _changes(op: ir.Operation) -> Iterator[str]:
    if op.name in ITERATIONS:
        yield from ("iteration + 1", "iteration - 1")
    if op.name in WAITS and "groups" in op.attributes:
        yield "groups + 1"
        if _groups(op):
            yield "groups - 1"
    yield from OF_OP.get(op.name, ())
    if op.name == "tileas.release" and _take_of(op) is not None:
        yield "right behind the take"
    if op.name == "tileas.release" and len(op.operands) > 2:
        yield "waits for no product"
    if op.name == PRODUCT and _promotion(op) < BufferType(op.operands[1].type).shape[0]:
        yield "promoted half as often"


def _groups(op: ir.Operation) -> int:
    return ir.IntegerAttr(op.attributes["groups"]).value


def _promotion(op: ir.Operation) -> int:
    """Elements along K after which a product's sums are promoted; 0 for never."""
    plan = ir.DictAttr(op.attributes[PLAN_ATTRIBUTE])
    return ir.IntegerAttr(plan["promote"]).value if "promote" in plan else 0


def _slot_of(op: ir.Operation, number: int) -> ir.Operation | None:
    """The acquire or take that gives an operand; None if it is no slot."""
    made = defining_op(op.operands[number])
    return made if made is not None and made.name in ITERATIONS else None


def _release_behind(op: ir.Operation) -> ir.Operation | None:
    """The release of the slot that a load reads, if it stands before what it gives."""
    take = _slot_of(op, 0)
    ops = block_ops(op.block)
    if take is None or op not in ops:
        return None
    for other in ops[ops.index(op) + 1 :]:
        if any(value.owner == op for value in other.operands):
            return None
        if other.name == "tileas.release" and (
            list(other.operands)[:2] == list(take.operands)
        ):
            return other
    return None


def _guards_copies(op: ir.Operation) -> bool:
    """Whether a comparison says if the iteration of some copies still comes."""
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
    """The take of a release that stands in its block and has its iteration."""
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


def _load_late(op: ir.Operation) -> None:
    release = _release_behind(op)
    if release is not None:
        op.move_after(release)


def _promote(times: int) -> Change:
    def change(op: ir.Operation) -> None:
        plan = {
            item.name: item.attr for item in ir.DictAttr(op.attributes[PLAN_ATTRIBUTE])
        }
        i64 = ir.IntegerType.get_signless(64)
        plan["promote"] = ir.IntegerAttr.get(i64, _promotion(op) * times)
        op.attributes[PLAN_ATTRIBUTE] = ir.DictAttr.get(plan)

    return change


def _copy_late(op: ir.Operation) -> None:
    acquire = _slot_of(op, 1) if op.name == FILL else defining_op(copy_buffer(op))
    if acquire is None:
        return
    outer = op
    if op.block != acquire.block:
        outer = next(enclosing_ops(op.results[0])).operation
    for other in block_ops(outer.block):
        if other.name == "tileas.publish" and (
            list(other.operands) == list(acquire.operands)
        ):
            outer.move_after(other)


CHANGES: dict[str, Change] = {
    "iteration + 1": _shift(1),
    "iteration - 1": _shift(-1),
    "groups + 1": _count(1),
    "groups - 1": _count(-1),
    "bound + 1": _bound(1),
    "bound - 1": _bound(-1),
    "deleted": _delete,
    "right behind the acquire": _publish_early,
    "right behind the take": _release_early,
    "waits for no product": _release_without,
    "behind the publish": _copy_late,
    "store deleted": _delete,
    "behind the release": _load_late,
    "never promoted": _promote(0),
    "promoted half as often": _promote(2),
}


def reason_for(mutant: RingMutant, module: ir.Operation) -> str:
    """Why a mutant is as right as the program, so that nobody may notice it."""
    if mutant.name.endswith("groups - 1"):
        return "waits for more than it must"
    op = list(sites(module))[mutant.number]
    if mutant.name == "release: deleted" and _is_last(op):
        return "nobody acquires a slot afterwards"
    if mutant.name in WAITING and _waited_before(op):
        return "a release before it has waited for the product"
    if mutant.name == "await: groups + 1" and _was_awaited(op):
        return "a release has waited for the product"
    return ""


WAITING = ("release: groups + 1", "release: waits for no product")


def _waited_before(op: ir.Operation) -> bool:
    """Whether the release of another ring waits for the same products."""
    around = enclosing_ops(op.operands[1])
    loop = next((outer for outer in around if outer.name in LOOPS), None)
    for other in nested_ops(loop) if loop is not None else ():
        if other == op:
            return False
        if (
            other.name == "tileas.release"
            and list(other.operands)[2:] == list(op.operands)[2:]
            and _groups(other) <= _groups(op)
            and _condition(other) == _condition(op)
        ):
            return True
    return False


def _condition(op: ir.Operation) -> list[ir.Value]:
    """What is compared in front of the branch that an op stands in."""
    branch = op.parent
    if branch is None or branch.operation.name != "cuda_tile.if":
        return []
    compared = defining_op(branch.operation.operands[0])
    return [] if compared is None else list(compared.operands)


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
    """Whether a release stands in no loop, and nothing uses its ring behind it.

    Where another role fills the ring, its acquires may stand further down; they wait
    for a release only where a later iteration is taken, too.
    """
    if any(outer.operation.name in LOOPS for outer in enclosing_ops(op.operands[1])):
        return False
    entry = enclosing_entry(op)
    ops = list(nested_ops(entry))
    behind = {
        other.name
        for other in ops[ops.index(op) :]
        if other.name in ITERATIONS and other.operands[0] == op.operands[0]
    }
    return not {"tileas.acquire", "tileas.take"} <= behind
