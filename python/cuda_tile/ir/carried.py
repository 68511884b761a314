# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds and removes values that loops and branches carry.

The number of operands and results of an op is fixed. To add a carried value, a new op
is built, which takes over the blocks of the old one.
"""

from __future__ import annotations

from collections.abc import Sequence

from cuda_tile._mlir import ir
from cuda_tile.errors import InternalError
from cuda_tile.ir.attributes import attributes_of
from cuda_tile.ir.traits import FOR_LOOPS, LOOPS, TILE_LOOPS
from cuda_tile.ir.walk import nested_ops
from cuda_tile.records import dataclass

BRANCH = "cuda_tile.if"
_ENDS = {
    "cuda_tile.continue": LOOPS,
    "cuda_tile.break": frozenset(["cuda_tile.loop"]),
    "cuda_tile.yield": frozenset([BRANCH]),
    "tileas.next_tile": LOOPS,
}
"""Terminators that hand values on, and the ops that receive them."""
BOUNDS = 3
"""Operands of a `for` before its initial values: lower bound, upper bound, step."""


def first_carried(op: ir.Operation) -> tuple[int, int]:
    """The first operand, and the first region argument, that an op carries."""
    if op.name in FOR_LOOPS:
        return BOUNDS, 1
    return (0, 3) if op.name in TILE_LOOPS else (0, 0)


def receiver(end: ir.Operation) -> ir.Operation | None:
    """The op to which a terminator passes its operands; None if there is none."""
    kinds = _ENDS.get(end.name, frozenset[str]())
    parent = end.parent
    while parent is not None:
        if parent.operation.name in kinds:
            return parent.operation
        if parent.operation.name != BRANCH:  # such as a reduction's own yield
            return None
        parent = parent.operation.parent
    return None


def ends_of(op: ir.Operation) -> list[ir.Operation]:
    """The terminators that pass values to an op's next iteration or its results."""
    found: list[ir.Operation] = []
    for inner in nested_ops(op):
        if inner.name in _ENDS:
            target = receiver(inner)
            if target is not None and target == op:
                found.append(inner)
    return found


def rebuild(
    op: ir.Operation, operands: Sequence[ir.Value], types: Sequence[ir.Type]
) -> ir.Operation:
    """An op in place of another, with its blocks, attributes and location.

    The first results correspond. The old op is erased; its terminators stay unchanged.

    Args:
        op: The op, which is erased.
        operands: The operands of the new op.
        types: The types of its results.
    """
    made = ir.Operation.create(
        op.name,
        results=list(types),
        operands=list(operands),
        attributes=attributes_of(op),
        regions=len(op.regions),
        loc=op.location,
        ip=ir.InsertionPoint(op),
    )
    for old, new in zip(op.regions, made.regions, strict=True):
        for block in list(old.blocks):
            block.append_to(new)
    for old, new in zip(op.results, made.results, strict=False):
        old.replace_all_uses_with(new)
    op.erase()
    return made


def set_ends(end: ir.Operation, operands: Sequence[ir.Value]) -> ir.Operation:
    """Gives a terminator other operands.

    Args:
        end: The terminator, which is replaced.
        operands: Its new operands.
    """
    return rebuild(end, operands, [])


def carry_all(
    loop: ir.Operation, initials: Sequence[ir.Value]
) -> tuple[ir.Operation, list[ir.Value]]:
    """Appends values that a loop carries; gives the loop and new arguments.

    The terminators must still be given their next values (`set_ends`).

    Args:
        loop: The loop, which is rebuilt.
        initials: The initial values.
    """
    types = [value.type for value in initials]
    made = rebuild(
        loop,
        [*loop.operands, *initials],
        [*(result.type for result in loop.results), *types],
    )
    block = made.regions[0].blocks[0]
    return made, [block.add_argument(ty, made.location) for ty in types]


def drop(loop: ir.Operation, dead: Sequence[int]) -> ir.Operation:
    """Rebuilds a loop without some of the values that it carries.

    Args:
        loop: The loop.
        dead: Numbers of the values. Their results and region arguments have no uses.
    """
    first_operand, first_argument = first_carried(loop)
    gone = set(dead)
    for end in ends_of(loop):
        set_ends(end, [v for i, v in enumerate(end.operands) if i not in gone])
    kept = [i for i in range(len(loop.results)) if i not in gone]
    initials = list(loop.operands)[first_operand:]
    heirs = [loop.results[i] for i in kept]
    block = loop.regions[0].blocks[0]
    for i in sorted(gone, reverse=True):
        block.erase_argument(first_argument + i)
    made = ir.Operation.create(
        loop.name,
        results=[result.type for result in heirs],
        operands=[
            *list(loop.operands)[:first_operand],
            *(initials[i] for i in kept),
        ],
        attributes=attributes_of(loop),
        regions=1,
        loc=loop.location,
        ip=ir.InsertionPoint(loop),
    )
    block.append_to(made.regions[0])
    for old, new in zip(heirs, made.results, strict=True):
        old.replace_all_uses_with(new)
    loop.erase()
    return made


@dataclass(frozen=True)
class Carried:
    """A value that an op carries.

    Attributes:
        op: The rebuilt op.
        value: The value inside its region; for an `if`, the value before it.
        result: The value after the op.
    """

    op: ir.Operation
    value: ir.Value
    result: ir.Value


def carry(op: ir.Operation, initial: ir.Value) -> Carried:
    """Appends a value that a loop or `if` carries.

    The terminators must still be given its next value (`set_ends`).

    Args:
        op: The loop or `if`, which is rebuilt.
        initial: The initial value.

    Raises:
        InternalError: The op is neither.
    """
    if op.name == BRANCH:
        types = [*(result.type for result in op.results), initial.type]
        made = rebuild(op, list(op.operands), types)
        for region in made.regions:
            if not len(region.blocks):
                block = region.blocks.append()
                with ir.InsertionPoint(block), made.location:
                    ir.Operation.create("cuda_tile.yield")
        return Carried(made, initial, made.results[-1])
    if op.name not in LOOPS:
        raise InternalError(f"expected a loop or if that carries values, got {op.name}")
    made, (argument,) = carry_all(op, [initial])
    return Carried(made, argument, made.results[-1])


def ancestor_in(block: ir.Block, op: ir.Operation) -> ir.Operation | None:
    """`op`, or the op around it, that stands in a block; None if neither does.

    Args:
        block: The block.
        op: An op in it, at any depth.
    """
    found: ir.Operation | None = op
    while found is not None and found.block != block:
        parent = found.parent
        found = None if parent is None else parent.operation
        if found is not None and found.name == "cuda_tile.entry":
            return None
    return found


def leaves(op: ir.Operation) -> bool:
    """Whether control may leave the block that holds `op` from inside `op`."""
    return bool(exits_of(op))


def exits_of(op: ir.Operation) -> list[ir.Operation]:
    """The terminators in an op with which control leaves the block that holds it."""
    if not len(op.regions):
        return []
    inside = list(nested_ops(op))
    around = {op, *inside}
    return [
        inner
        for inner in inside
        if inner.name == "cuda_tile.return"
        or (
            (inner.name in _ENDS and (to := receiver(inner)) is not None)
            and to not in around
        )
    ]


class CarriedVariable:
    """A variable that changes at one place and that the ops around it carry.

    Args:
        around: The ops that carry it, the innermost first; they are rebuilt.
        anchor: An op of the block in which it is changed.
        initial: Its value before the outermost op.
    """

    def __init__(
        self, around: Sequence[ir.Operation], anchor: ir.Operation, initial: ir.Value
    ) -> None:
        self._anchor = anchor
        self.levels: list[Carried] = []
        """The ops as they are now, the outermost first."""
        value = initial
        for op in reversed(around):
            self.levels.append(carry(op, value))
            value = self.levels[-1].value
        self.value = value
        """The variable's value at the beginning of the block."""

    def change(self, after: ir.Operation, value: ir.Value) -> None:
        """Completes the terminators: the variable is `value` after the op `after`.

        Args:
            after: The op behind which it changes.
            value: Its new value.
        """
        for level in reversed(self.levels):
            for end in ends_of(level.op):
                set_ends(end, [*end.operands, self._at(end, after, value)])

    def _at(self, end: ir.Operation, after: ir.Operation, new: ir.Value) -> ir.Value:
        """The variable's value at a terminator."""
        if (place := ancestor_in(self._anchor.block, end)) is not None:
            return self.value if _is_before(place, after) else new
        for outer, inner in reversed(
            list(zip(self.levels, self.levels[1:], strict=False))
        ):
            if (place := ancestor_in(inner.op.block, end)) is not None:
                is_behind = place != inner.op and _is_before(inner.op, place)
                return inner.result if is_behind else outer.value
        return self.levels[0].value


def _is_before(op: ir.Operation, other: ir.Operation) -> bool:
    return op.is_before_in_block(other)
