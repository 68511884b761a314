# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stages of a software pipeline: which ops of a loop run an iteration behind others.

The pass `skew` asks for them. A product whose plan has `stage = 1` runs one iteration
behind its operands, and so do all ops that depend on it in its iteration. All other ops
run as early as possible, except for ops that cost nothing when they run late (scalars,
takes of slots, stores to buffers that only later ops read). These stay in the iteration
of their users, so that tiles cross iterations but slots and buffers do not.

A slot is released in the stage of the last op that reads it. Ops whose effects are not
known to be independent of each other stay in one stage, and so in their order.

A sum in tensor memory takes no registers until it is awaited. So if later products
depend on such a sum, its await is late, too, and only its product is early: it runs
while threads compute with the sum of the iteration before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import BufferType, PendingType
from cuda_tile.engines.registry import engine_of_op
from cuda_tile.ir.async_products import begins_sum, reader_name, runs_by_itself
from cuda_tile.ir.carried import ancestor_in, first_carried, leaves
from cuda_tile.ir.copies import planned
from cuda_tile.ir.memory_order import memory_order
from cuda_tile.ir.tiles import is_distributed
from cuda_tile.ir.traits import (
    AWAITS,
    BUFFER_LOADS,
    BUFFER_MAKERS,
    BUFFER_RENAMES,
    BUFFER_STORES,
    BUFFER_USERS,
    COPIES,
    DRAIN_STEPS,
    ENDS_THREADS,
    FILL_STEPS,
    LOADS,
    PRODUCT_WAITS,
    RELEASES,
    TAKES,
    TERMINATORS,
    is_pure,
)
from cuda_tile.ir.walk import block_ops, defining_op, location_text, nested_ops
from cuda_tile.ods import ops_by_rule
from cuda_tile.records import dataclass

AWAIT, SETTLED = "tileas.await", "tileas.settled"
TAKE, RELEASE = "tileas.take", "tileas.release"
RENAMES = "tileas.reinterpret"
_FOLLOW = ops_by_rule(
    "stands in the iteration of its users",
    TAKE,
    SETTLED,
    RENAMES,
    "tileas.alloc_shared",
)
_ORDERED_BY_USE = DRAIN_STEPS | AWAITS | BUFFER_USERS
"""Ops with effects whose order among stages is known to be free, as is that of products
that run by themselves: each stage keeps its own, and buffers and slots do not cross."""
_HAND_ON = TERMINATORS - ENDS_THREADS - {"cuda_tile.break"}
"""Terminators behind which their op goes on, or is over."""
_FILLS = FILL_STEPS | COPIES


class CannotStage(Exception):
    """The products of a loop cannot run in different iterations; the text says why."""


def outer_values(op: ir.Operation) -> list[ir.Value]:
    """The values from outside that an op and the ops in its regions use."""
    if not len(op.regions):
        return list(op.operands)
    inside = list(nested_ops(op))
    around = {op, *inside}
    found = dict.fromkeys(op.operands)
    for inner in inside:
        for value in inner.operands:
            owner = value.owner
            home = owner.owner if isinstance(owner, ir.Block) else owner.operation
            if home.operation not in around:
                found[value] = None
    return list(found)


def has_effects(op: ir.Operation) -> bool:
    """Whether an op does more than compute its results.

    A weak load only computes: only tokens order what it reads. An op from which control
    may leave the block does more: the ops after it may then not run.
    """
    if len(op.regions):
        if leaves(op):
            return True
        inside = [inner for inner in nested_ops(op) if inner.name not in _HAND_ON]
        return any(has_effects(inner) for inner in inside if not len(inner.regions))
    if op.name in LOADS:
        return memory_order(op).is_strong
    return not is_pure(op)


def _is_ordered_by_use(op: ir.Operation) -> bool:
    return op.name in _ORDERED_BY_USE or runs_by_itself(op)


def keeps_sum(op: ir.Operation) -> bool:
    """Whether an op is a product whose sum takes no registers until it is awaited."""
    return runs_by_itself(op) and "registers" not in engine_of_op(reader_name(op)).sums


def root_of(buffer: ir.Value) -> ir.Value:
    """The original value of a buffer, behind all its names.

    Args:
        buffer: The buffer, or one of its names.
    """
    maker = defining_op(buffer)
    while maker is not None and maker.name in BUFFER_RENAMES:
        buffer = maker.operands[0]
        maker = defining_op(buffer)
    return buffer


def is_free(op: ir.Operation) -> bool:
    """Whether an op may be rematerialised at each use: it has no operands."""
    return not len(op.operands) and is_pure(op)


@dataclass(eq=False)
class Stages:
    """The stages of the ops of a loop.

    Attributes:
        loop: The loop.
        ops: The ops of its body but for the terminator, in order.
        end: The terminator.
        of: The stage of each op.
    """

    loop: ir.Operation
    ops: list[ir.Operation]
    end: ir.Operation
    of: dict[ir.Operation, int] = field(default_factory=dict[ir.Operation, int])

    @classmethod
    def find(cls, loop: ir.Operation) -> Stages | None:
        """The stages of a loop; None if all are the same.

        Raises:
            CannotStage: Plans ask for stages that the loop cannot have.
        """
        *ops, end = block_ops(loop.regions[0].blocks[0])
        products = list(filter(runs_by_itself, ops))
        late = [op for op in products if planned(op, "stage", 0)]
        if not late:
            return None
        found = cls(loop, ops, end, dict.fromkeys(ops, 0))
        found._refuse_fills()
        found.of |= dict.fromkeys(late, 1)
        found._propagate()
        found._delay_awaits()
        if all(found.of[op] for op in products):
            return None
        found._sink()
        found._check()
        return found

    @property
    def body(self) -> ir.Block:
        """The block of the loop."""
        return self.loop.regions[0].blocks[0]

    def made_by(self, value: ir.Value) -> ir.Operation | None:
        """The op of the body that makes a value; None if none does."""
        op = defining_op(value)
        return op if op is not None and op in self.of else None

    def number(self, value: ir.Value) -> int | None:
        """The number of the carried value that an argument is; None for others."""
        if isinstance(value.owner, ir.Block) and value.owner == self.body:
            number = ir.BlockArgument(value).arg_number - first_carried(self.loop)[1]
            return number if number >= 0 else None
        return None

    def of_carried(self, number: int) -> int:
        """The stage in which a carried value is updated."""
        seen: set[int] = set()
        while number not in seen:
            seen.add(number)
            value = self.end.operands[number]
            op = self.made_by(value)
            if op is not None:
                return self.of[op]
            following = self.number(value)
            if following is None:
                return 0
            number = following
        return 0

    def crossing(self) -> list[ir.Value]:
        """The values of the earlier stage that the later one uses, in order."""
        found: dict[ir.Value, None] = {}
        used = [v for op in self.ops if self.of[op] for v in outer_values(op)]
        used += [v for n, v in enumerate(self.end.operands) if self.of_carried(n)]
        for value in used:
            op, number = self.made_by(value), self.number(value)
            if op is not None:
                if not self.of[op] and not is_free(op):
                    found[value] = None
            elif number is not None:
                if not self.of_carried(number):
                    found[value] = None
            elif isinstance(value.owner, ir.Block) and value.owner == self.body:
                found[value] = None
        return list(found)

    def sums_before(self, op: ir.Operation) -> list[ir.Value]:
        """The tiles of the iteration before that an early op overwrites.

        The sums of all iterations have one place in tensor memory. So the sum of the
        iteration before must have been awaited where the next sum begins, and where
        threads store operands of the next product.
        """
        if op.name in BUFFER_STORES:
            readers = filter(keeps_sum, self._users([root_of(op.operands[1])]))
            return [value for reader in readers for value in self.sums_before(reader)]
        if not begins_sum(op) and not keeps_sum(op):
            return []
        users = [user for user in self._users(op.results) if user in self.of]
        found = [v for user in users for v in self.sums_before(user)]
        awaits = [
            user for user in users if user.name in PRODUCT_WAITS and self.of[user]
        ]
        return found + [value for user in awaits for value in user.results]

    def _refuse_fills(self) -> None:
        """Refuses copies of the same role, which run ahead by another rule.

        Raises:
            CannotStage: The loop has such copies, or slots are used inside an op.
        """
        for op in self.ops:
            inside = list(nested_ops(op)) if len(op.regions) else []
            if op.name in _FILLS or any(inner.name in _FILLS for inner in inside):
                raise CannotStage(
                    "the same warps copy and multiply; with a role that loads they "
                    "would not"
                )
            if any(map(_is_ordered_by_use, inside)):
                raise CannotStage(
                    f"slots or products are used inside '{op.name}' at "
                    f"{location_text(op)}"
                )

    def _propagate(self) -> None:
        """Makes ops late that depend on late ops, and the release of their slots."""
        readers = self._readers()
        for op in self.ops:
            makers = [self.made_by(value) for value in outer_values(op)]
            makers += [*readers.get(op, []), *self._stores_read_by(op)]
            if any(self.of[maker] for maker in makers if maker is not None):
                self.of[op] = 1

    def _stores_read_by(self, op: ir.Operation) -> list[ir.Operation]:
        """The stores to the buffer from which an op loads."""
        if op.name not in BUFFER_LOADS:
            return []
        users = self._users([root_of(op.operands[0])])
        return [user for user in users if user.name in BUFFER_STORES]

    def _delay_awaits(self) -> None:
        """Makes awaits late of sums that take no registers, if late ops need them."""
        made = [op for op in self.ops if not self.of[op] and keeps_sum(op)]
        awaits = [user for op in made for user in self._users(op.results)]
        late = [
            op for op in awaits if op.name in PRODUCT_WAITS and self._leads_to_late(op)
        ]
        if late:
            self.of |= dict.fromkeys(late, 1)
            self._propagate()

    def _leads_to_late(self, op: ir.Operation) -> bool:
        """Whether a late op depends on an op in the same iteration."""
        made: list[ir.Value] = list(op.results)
        if op.name in BUFFER_STORES:
            made.append(root_of(op.operands[1]))
        users = [
            u for u in self._users(made) if u in self.of and self._is_behind(op, u)
        ]
        return any(self.of[user] or self._leads_to_late(user) for user in users)

    def _is_behind(self, op: ir.Operation, other: ir.Operation) -> bool:
        return self.ops.index(op) < self.ops.index(other)

    def _readers(self) -> dict[ir.Operation, list[ir.Operation]]:
        """For each release, the ops that must have finished with its slot.

        Raises:
            CannotStage: A ring has more than one iteration in an iteration of the loop.
        """
        takes: dict[ir.Value, ir.Operation] = {}
        found: dict[ir.Operation, list[ir.Operation]] = {}
        released: set[ir.Value] = set()
        for op in self.ops:
            if op.name in TAKES:
                if op.operands[0] in takes:
                    raise CannotStage("a ring is taken twice in an iteration")
                takes[op.operands[0]] = op
            elif op.name in RELEASES and (ring := op.operands[0]) in takes:
                if ring in released:
                    raise CannotStage("a ring is released twice in an iteration")
                released.add(ring)
                found[op] = list(self._users(takes[ring].results))
        return found

    def _users(self, buffers: Iterable[ir.Value]) -> Iterator[ir.Operation]:
        """The ops of the body that read buffers, and the awaits of products."""
        for buffer in buffers:
            for use in buffer.uses:
                user = ancestor_in(self.body, use.owner.operation)
                if user is None:
                    continue
                yield user
                if user.name in BUFFER_RENAMES or (
                    runs_by_itself(user) and not keeps_sum(user)
                ):
                    yield from self._users(user.results)

    def _sink(self) -> None:
        """Moves ops that cost nothing when they run late to their users' stage."""
        changed = True
        while changed:
            changed = False
            for op in reversed(self.ops):
                if not self.of[op] and self._may_sink(op) and self._is_used_late(op):
                    self.of[op] = changed = 1

    def _may_sink(self, op: ir.Operation) -> bool:
        if op.name in _FOLLOW:
            return True
        if op.name in BUFFER_STORES:
            return True
        return self._is_of_scalars(op)

    def _is_of_scalars(self, op: ir.Operation) -> bool:
        """Whether an op, and the body's tiles that it uses, depend on scalars only.

        An example is a mask: rematerialised at its use, it takes no registers before.
        """
        if len(op.regions) or not is_pure(op):
            return False
        tiles = [value for value in op.operands if is_distributed(value)]
        if any(self.number(value) is not None for value in tiles):
            return False
        makers = (self.made_by(value) for value in tiles)
        return all(self._is_of_scalars(maker) for maker in makers if maker is not None)

    def _is_used_late(self, op: ir.Operation) -> bool:
        """Whether all users of an op, and of carried values that it makes, are late."""
        values = list(op.results)
        if op.name in BUFFER_STORES:
            values = [op.operands[1]]
        users = {user for value in values for user in self._all_users(value)} - {op}
        if op.name in TAKES:
            users = {user for user in users if user.name not in RELEASES}
        if op.name in BUFFER_MAKERS:
            users = {user for user in users if user.name not in BUFFER_STORES}
        return bool(users) and all(self.of[user] for user in users)

    def _all_users(self, value: ir.Value) -> Iterator[ir.Operation]:
        """The ops that use a value, or the carried values that it becomes."""
        for use in value.uses:
            owner = use.owner.operation
            if owner == self.end:
                first = first_carried(self.loop)[1]
                argument = self.body.arguments[first + use.operand_number]
                users = [
                    ancestor_in(self.body, u.owner.operation) for u in argument.uses
                ]
                yield from (u for u in users if u is not None and u != self.end)
                continue
            user = ancestor_in(self.body, owner)
            if user is not None:
                yield user

    def _check(self) -> None:
        """Refuses stages that would break the order of ops.

        Raises:
            CannotStage: Buffers, pending values or effects would cross iterations.
        """
        for value in self.crossing():
            if isinstance(value.type, BufferType | PendingType):
                maker = defining_op(value)
                if maker is not None and keeps_sum(maker):
                    continue
                name = "a slot" if maker is None else f"'{maker.name}'"
                where = location_text(self.loop if maker is None else maker)
                raise CannotStage(
                    f"what {name} at {where} gives would be read in two iterations"
                )
        others = [
            op for op in self.ops if has_effects(op) and not _is_ordered_by_use(op)
        ]
        if len({self.of[op] for op in others}) > 1:
            early = next(op for op in others if not self.of[op])
            raise CannotStage(
                f"'{early.name}' at {location_text(early)} would overtake other effects"
            )
