# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Backward slices: the ops that a role must run so that some ops of a kernel run there.

The backward slice of some ops consists of the ops that compute their operands, the
loops and branches around them with their bounds and conditions, and the carried values
that these need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from dataclasses import field

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import TokenType
from cuda_tile.analysis.tokens import (
    GRID_WAIT,
    TokenOrder,
    is_plain_load,
    token_operand,
)
from cuda_tile.ir.carried import BRANCH, ends_of, first_carried
from cuda_tile.ir.memory_order import memory_order
from cuda_tile.ir.tiles import is_distributed, layout_of
from cuda_tile.ir.traits import COUNTED_LOOPS, LOOPS, ORDER_NOTHING, READS, is_pure
from cuda_tile.ir.walk import block_ops, defining_op, location_text, nested_ops, op_stem
from cuda_tile.records import dataclass

_PASS_TOKENS = READS | ORDER_NOTHING


class CannotSplit(Exception):
    """A role needs an op that can run only in another role; the text names it."""


@dataclass
class Kept:
    """Numbers of the carried values of an op with regions that are needed.

    Attributes:
        arguments: Those needed inside its regions; none for an `if`.
        results: Those needed after it.
    """

    arguments: set[int] = field(default_factory=set[int])
    results: set[int] = field(default_factory=set[int])


class RoleSlice:
    """A backward slice of an entry.

    Args:
        outside: Ops of the entry's body whose values every role may use.
        check: Raises `CannotSplit` for an op that must not be in the slice.
        whole: Names of the ops whose carried values are all kept.

    Attributes:
        ops: The ops of the slice, those with regions included, without terminators.
    """

    def __init__(
        self,
        outside: Iterable[ir.Operation],
        check: Callable[[ir.Operation], None],
        whole: Set[str] = frozenset(),
    ) -> None:
        self.ops: set[ir.Operation] = set()
        self._outside = set(outside)
        self._check = check
        self._whole = whole
        self._kept: dict[ir.Operation, Kept] = {}
        self._ends: dict[ir.Operation, list[ir.Operation]] = {}

    def kept(self, op: ir.Operation) -> Kept:
        """The carried values of a loop or branch of the slice that are needed."""
        found = self._kept.get(op)
        if found is None:
            found = Kept()
            if op.name in COUNTED_LOOPS:
                found.results = found.arguments
            self._kept[op] = found
        return found

    def ends(self, op: ir.Operation) -> list[ir.Operation]:
        """The terminators that forward values to an op."""
        found = self._ends.get(op)
        if found is None:
            found = self._ends[op] = ends_of(op)
        return found

    def needed_of(self, end: ir.Operation, receiver: ir.Operation) -> list[int]:
        """Numbers of a terminator's operands that the slice needs.

        Args:
            end: The terminator.
            receiver: The op to which it passes values.
        """
        kept = self.kept(receiver)
        is_exit = end.name != "cuda_tile.continue"
        return sorted(kept.results if is_exit else kept.arguments)

    def add(self, op: ir.Operation) -> None:
        """Adds an op and all that it needs.

        Raises:
            CannotSplit: One of these ops must not be in the slice.
        """
        work = self._enter(op)
        while work:
            work += self._value(work.pop())

    def _enter(self, op: ir.Operation) -> list[ir.Value]:
        """Adds an op and the ops around it; returns the values that they need."""
        needed: list[ir.Value] = []
        work = [op]
        while work:
            op = work.pop()
            if op in self.ops:
                continue
            self._check(op)
            self.ops.add(op)
            if op.parent is not None and is_control(op.parent.operation):
                work.append(op.parent.operation)
            needed += list(op.operands)[: n_steering(op)]  # roles C10
            if is_control(op):
                parents = [end.parent for end in self.ends(op)]
                work += [p.operation for p in parents if p is not None]
            else:
                needed += [v for inner in nested_ops(op) for v in inner.operands]
            if op.name in self._whole:
                needed += self._everything(op)
        return needed

    def _everything(self, op: ir.Operation) -> list[ir.Value]:
        """All values that an op forwards."""
        inits = len(op.operands) - n_steering(op)
        needed = [v for n in range(inits) for v in self._argument(op, n)]
        return needed + [v for n in range(len(op.results)) for v in self._result(op, n)]

    def _value(self, value: ir.Value) -> list[ir.Value]:
        """Adds the op that makes a value; returns the values that it needs."""
        value = passed_token(value)
        owner = value.owner
        if isinstance(owner, ir.Block):
            op = owner.owner.operation
            number = ir.BlockArgument(value).arg_number
            if not is_control(op):
                return []
            number -= first_carried(op)[1]
            return [*self._enter(op), *self._argument(op, number)]
        op = owner.operation
        if op in self._outside or is_unordered(value):
            return []
        needed = self._enter(op)
        if is_control(op):
            needed += self._result(op, ir.OpResult(value).result_number)
        return needed

    def _argument(self, op: ir.Operation, number: int) -> list[ir.Value]:
        """A region argument needs its initial value and its previous one."""
        kept = self.kept(op).arguments
        if number < 0 or number in kept:
            return []
        kept.add(number)
        first = first_carried(op)[0]
        is_continue = [e for e in self.ends(op) if e.name != "cuda_tile.break"]
        return [op.operands[first + number], *(e.operands[number] for e in is_continue)]

    def _result(self, op: ir.Operation, number: int) -> list[ir.Value]:
        """A result needs the values that terminators which leave the op forward."""
        if op.name in COUNTED_LOOPS:
            return self._argument(op, number)
        kept = self.kept(op).results
        if number in kept:
            return []
        kept.add(number)
        exits = [e for e in self.ends(op) if e.name != "cuda_tile.continue"]
        return [e.operands[number] for e in exits]


def is_control(op: ir.Operation) -> bool:
    """Whether an op is a loop or a branch."""
    return op.name in LOOPS or op.name == BRANCH


def n_steering(op: ir.Operation) -> int:
    """How many operands an op always needs; it only forwards the others."""
    return first_carried(op)[0] if op.name in LOOPS else len(op.operands)


def passed_token(value: ir.Value) -> ir.Value:
    """Looks through a token to the one that a weak load or a copy into a buffer took.

    An op that only reads may come after either token. The same holds for tokens of ops
    that order no memory.
    """
    while isinstance(value.type, TokenType):
        op = defining_op(value)
        if op is None or op.name not in _PASS_TOKENS:
            return value
        if memory_order(op).is_strong:
            return value
        given = token_operand(op)
        if given is None:
            return value
        value = given
    return value


def is_unordered(value: ir.Value) -> bool:
    """Whether a value is a token of an op that orders no memory and takes no token."""
    op = defining_op(value)
    return op is not None and op.name in ORDER_NOTHING


def is_uniform(value: ir.Value) -> bool:
    """Whether each thread holds all of a value."""
    if not is_distributed(value):
        return True
    layout = layout_of(value)
    return not any(any(column) for column in (*layout.lane, *layout.warp))


class Repeatable:
    """Checks that one thread can run ops for all threads, and that they can run twice.

    Args:
        entry: The entry.
    """

    def __init__(self, entry: ir.Operation) -> None:
        self._order = TokenOrder(entry)

    def check(self, op: ir.Operation) -> None:
        """Refuses an op that a role cannot run by itself.

        Raises:
            CannotSplit: The op has tiles that threads divide, or effects.
        """
        if is_control(op):
            return
        where = f"'{op_stem(op)}' at {location_text(op)}"
        if not all(map(is_uniform, (*op.operands, *op.results))):  # roles C1
            raise CannotSplit(f"it depends on a tile, of {where}")
        if op.name in READS:
            self.check_order(op)
        elif not is_pure(op) and op.name != GRID_WAIT:  # roles C2, C8
            raise CannotSplit(f"it depends on {where}, which must not run twice")

    def check_order(self, load: ir.Operation) -> None:
        """Refuses a load or copy whose order with accesses of other roles matters.

        Each role waits for the preceding grid itself, if its loads do.

        Raises:
            CannotSplit: The load is strong, or tokens order it with a store or acquire.
        """
        where = f"'{op_stem(load)}' at {location_text(load)}"
        if memory_order(load).is_strong:  # roles C3
            raise CannotSplit(f"it depends on {where}, which must not run twice")
        for op in self._order.before(load):
            # roles C4, C7
            if op.name != GRID_WAIT and not is_plain_load(op):
                raise CannotSplit(
                    f"{where} comes after '{op_stem(op)}' at {location_text(op)}"
                )
        for op in self._order.writes_after(load):  # roles C5, C6
            raise CannotSplit(
                f"'{op_stem(op)}' at {location_text(op)} comes after {where}"
            )


def effects_of(ops: Iterable[ir.Operation]) -> list[ir.Operation]:
    """The ops, including those in their regions, that have effects."""
    found: list[ir.Operation] = []
    for op in ops:
        if is_control(op):
            for region in op.regions:
                for block in region.blocks:
                    found += effects_of(block_ops(block)[:-1])
        elif not is_pure(op):
            found.append(op)
    return found
