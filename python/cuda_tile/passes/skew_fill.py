# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Software pipelining: a loop's copies start iterations ahead of their use.

A loop over k whose copies run a iterations ahead becomes

    fill(lower) ... fill(lower + (a - 1) * step)          if the loop gets so far
    for k { take(k); fill(k + a * step) if that iteration comes; uses; release(k) }

If the ring has a slot for it, the fill stands right after the take: the barrier of the
take ensures that all threads have read the slot's earlier contents, so that the loop
needs no other barrier. With one slot less the fill stands after the release.
Asynchronous products start first. Table entries that give the addresses of copies are
loaded an iteration before the copies (passes/skew_tables.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import RingType
from cuda_tile._mlir.dialects import cuda_tile
from cuda_tile.errors import UserError
from cuda_tile.ir.async_products import runs_by_itself
from cuda_tile.ir.carried import carry_all, first_carried, leaves, set_ends
from cuda_tile.ir.cloned import clone_with
from cuda_tile.ir.copies import (
    CP_ASYNC,
    copy_buffer,
    copy_engine,
    copy_numbers,
    waits_by_groups,
)
from cuda_tile.ir.plan import PLAN_ATTRIBUTE
from cuda_tile.ir.pruning import prune_loop
from cuda_tile.ir.scalars import at_most, constant_of, plus
from cuda_tile.ir.traits import BUFFER_RENAMES, COPIES, RELEASES, RING_STEPS
from cuda_tile.ir.walk import block_ops, defining_op, location_text
from cuda_tile.passes.skew_slice import BackwardSlice, CannotMove
from cuda_tile.passes.skew_tables import Tables
from cuda_tile.passes.skew_trips import Trips, last_index
from cuda_tile.records import dataclass

Known = dict[ir.Value, ir.Value]


@dataclass(eq=False)
class Fill:
    """The ops of one ring in a loop.

    Attributes:
        ring: The ring.
        acquire, publish, take, release: The ops of its iteration.
        copies: The copies that fill the slot.
        ahead: Iterations by which the copies run ahead.
        by_groups: Whether takes wait for groups.
    """

    ring: ir.Value
    acquire: ir.Operation
    publish: ir.Operation
    take: ir.Operation
    release: ir.Operation
    copies: list[ir.Operation]
    ahead: int
    by_groups: bool


def fills_of(loop: ir.Operation) -> list[Fill]:
    """The rings that are filled and drained directly in the body of a loop."""
    rings: dict[ir.Value, dict[str, ir.Operation]] = {}
    copies: dict[ir.Operation, list[ir.Operation]] = {}
    for op in block_ops(loop.regions[0].blocks[0]):
        if op.name in COPIES:
            acquire = defining_op(copy_buffer(op))
            if acquire is not None:
                copies.setdefault(acquire, []).append(op)
        ring, release = _ring_of(op)
        if ring is not None:
            name = op.name if release is None else "tileas.release"
            rings.setdefault(ring, {})[name.removeprefix("tileas.")] = op
    found: list[Fill] = []
    for ring, ops in rings.items():
        mine = copies.get(ops["acquire"], []) if "acquire" in ops else []
        if len(ops) == 4 and mine:
            ahead = min(copy_numbers(op)[1] for op in mine)
            by_groups = waits_by_groups(ring)
            found.append(
                Fill(ring, **ops, copies=mine, ahead=ahead, by_groups=by_groups)
            )
    return found


def _ring_of(op: ir.Operation) -> tuple[ir.Value | None, ir.Operation | None]:
    """The ring of an op and the op; for an `if`, the ring that it releases."""
    if op.name in RING_STEPS:
        return op.operands[0], None
    if op.name == "cuda_tile.if":
        for inner in block_ops(op.regions[0].blocks[0]):
            if inner.name in RELEASES:
                return inner.operands[0], inner
    return None, None


class FillAhead:
    """Moves the copies of one loop ahead.

    Args:
        loop: The loop.
    """

    def __init__(self, loop: ir.Operation) -> None:
        self._loop = loop
        self._fills = [fill for fill in fills_of(loop) if fill.ahead > 0]
        self._slices: dict[int, BackwardSlice] = {}
        self._tables: dict[int, Tables] = {}
        self._distances: dict[int, list[Fill]] = {}
        for fill in self._fills:
            self._distances.setdefault(fill.ahead, []).append(fill)

    @cached_property
    def _has_tokens(self) -> bool:
        """Whether the tokens of the copies order any op."""
        copies = [copy for fill in self._fills for copy in fill.copies]
        return any(list(copy.results[0].uses) for copy in copies)

    def apply(self) -> None:
        """Changes the loop.

        Raises:
            CannotMove: The copies cannot run ahead; nothing was changed.
            UserError: The plan asks for more iterations than the ring has slots for.
        """
        if not self._fills:
            return
        if any(leaves(op) for op in block_ops(self._loop.regions[0].blocks[0])):
            raise CannotMove("some of its iterations end early")
        self._iterations = {fill: self._iteration_number(fill) for fill in self._fills}
        self._last = last_index(self._loop) if any(map(_counts, self._fills)) else None
        for fill in self._fills:
            _check_slots(fill)
        for ahead, fills in self._distances.items():
            self._slices[ahead] = found = BackwardSlice(self._loop)
            for fill in fills:
                found.add(v for copy in fill.copies for v in _inputs(copy))
            self._tables[ahead] = Tables.of(found)
        trips = Trips.of(self._loop, self._farthest)
        carried = self._start(trips)
        self._continue(carried)

    @property
    def _farthest(self) -> int:
        """The most iterations by which any copy or table load runs ahead."""
        return max(ahead + tables.lead for ahead, tables in self._tables.items())

    def _iteration_number(self, fill: Fill) -> int:
        """The number of the carried value that is the iteration of a ring."""
        iteration = fill.acquire.operands[1]
        body = self._loop.regions[0].blocks[0]
        if isinstance(iteration.owner, ir.Block) and iteration.owner == body:
            return ir.BlockArgument(iteration).arg_number - first_carried(self._loop)[1]
        raise CannotMove("the iteration of their ring is not carried by the loop")

    def _start(self, trips: Trips) -> list[ir.Value]:
        """Inserts the fills before the loop; returns the values that it then carries.

        These are the token after all copies, if it matters, then for each distance the
        values that its slice carries and the entries of its tables.
        """
        first_operand, _ = first_carried(self._loop)
        initial = list(self._loop.operands)[first_operand:]
        with ir.InsertionPoint(self._loop), self._loop.location:
            token = cuda_tile.MakeTokenOp().result if self._has_tokens else None
            states: dict[int, Sequence[ir.Value]] = {
                ahead: [initial[j] for j in sorted(self._slices[ahead].carried)]
                for ahead in self._distances
            }
            found = {a: self._first_entries(a, trips) for a in self._distances}
            for iteration in range(-max(self._distances), 0):
                for fill in self._fills:
                    number = iteration + fill.ahead
                    if number < 0:
                        continue
                    state = [*states[fill.ahead], *found[fill.ahead].get(number, ())]
                    known = self._known(fill.ahead, state, trips.first(number))
                    at = plus(initial[self._iterations[fill]], number)
                    token, news = self._fill(
                        fill, at, trips.reaches(number), known, token
                    )
                    states[fill.ahead] = news or states[fill.ahead]
            for a, state in states.items():
                entries = found[a].get(a) or self._entries(a, a, trips, state)
                states[a] = [*state, *entries]
        tokens = [] if token is None else [token]
        return tokens + [v for ahead in self._distances for v in states[ahead]]

    def _first_entries(self, ahead: int, trips: Trips) -> dict[int, list[ir.Value]]:
        """The entries of tables for the first iterations, by their number.

        All are loaded before the first is awaited. None if the slice carries values,
        which are known only after the earlier fills.
        """
        if self._slices[ahead].carried or not self._tables[ahead].entries:
            return {}
        return {n: self._entries(ahead, n, trips, ()) for n in range(ahead + 1)}

    def _entries(
        self, ahead: int, number: int, trips: Trips, state: Sequence[ir.Value]
    ) -> list[ir.Value]:
        """The entries of tables for one of the first iterations.

        Args:
            ahead: The distance.
            number: The iteration.
            trips: The iterations of the loop.
            state: The values that the slice carries to it.
        """
        if not self._tables[ahead].entries:
            return []
        known = self._known(ahead, state, trips.first(number))
        return self._tables[ahead].look_up(trips.reaches(number), known)

    def _known(self, ahead: int, state: Sequence[ir.Value], index: ir.Value) -> Known:
        """The known values of an iteration.

        Args:
            ahead: The distance of its copies.
            state: The values that their slice carries, and the entries of their tables.
            index: The loop's index in it.
        """
        arguments = list(self._loop.regions[0].blocks[0].arguments)
        first = first_carried(self._loop)[1]
        numbers = sorted(self._slices[ahead].carried)
        keys = [*(arguments[first + j] for j in numbers), *self._tables[ahead].entries]
        return {arguments[0]: index, **dict(zip(keys, state, strict=False))}

    def _fill(
        self,
        fill: Fill,
        iteration: ir.Value,
        condition: ir.Value,
        known: Known,
        token: ir.Value | None,
    ) -> tuple[ir.Value | None, Sequence[ir.Value] | None]:
        """One fill at the insertion point.

        Args:
            fill: The ring.
            iteration: Its iteration.
            condition: Whether the loop gets that far.
            known: The values of the iteration.
            token: The token after all copies so far, or None.

        Returns:
            The token after these copies; the values that the slice carries to the next
            iteration, if this is the last ring of its distance.
        """
        fills, slice_ = self._distances[fill.ahead], self._slices[fill.ahead]
        updates = sorted(slice_.carried) if fills[-1] is fill else []
        ends = block_ops(self._loop.regions[0].blocks[0])[-1]
        arguments = list(self._loop.regions[0].blocks[0].arguments)
        first = first_carried(self._loop)[1]
        before = [known[arguments[first + j]] for j in updates]
        held = [] if token is None else [token]
        if token is not None:
            known |= {copy.results[0]: token for f in self._fills for copy in f.copies}
        target = self._acquire(fill, iteration) if fill.by_groups else None
        types = [value.type for value in (*held, *before)]
        made = cuda_tile.IfOp(types, condition).operation  # async_copies C10
        with ir.InsertionPoint(made.regions[0].blocks.append()):
            index = known[arguments[0]]
            if self._last is not None and constant_of(index) is None:
                known[arguments[0]] = at_most(index, self._last)
            buffers = target or self._acquire(fill, iteration)
            tokens = [
                self._copy(copy, buffers, slice_, known).results[0]
                for copy in fill.copies
            ]
            if not fill.by_groups:
                self._publish(fill, iteration)
            after = held and [cuda_tile.JoinTokensOp([*held, *tokens]).result]
            if after:
                known |= {c.results[0]: after[0] for c in fill.copies}
            news = [slice_.value_of(ends.operands[j], known) for j in updates]
            cuda_tile.YieldOp([*after, *news])
        if types:
            with ir.InsertionPoint(made.regions[1].blocks.append()):
                cuda_tile.YieldOp([*held, *before])
        if fill.by_groups:
            self._publish(fill, iteration)
        results = list(made.results)
        rest = results[len(held) :]
        return (results[0] if held else None), (rest if updates else None)

    def _acquire(self, fill: Fill, iteration: ir.Value) -> dict[ir.Value, ir.Value]:
        """Acquires a slot: its buffers, by those of the original op."""
        made = fill.acquire.clone()
        made.operands[1] = iteration
        return dict(zip(fill.acquire.results, made.results, strict=True))

    def _publish(self, fill: Fill, iteration: ir.Value) -> None:
        made = fill.publish.clone()
        made.operands[1] = iteration

    def _copy(
        self,
        copy: ir.Operation,
        buffers: dict[ir.Value, ir.Value],
        slice_: BackwardSlice,
        known: Known,
    ) -> ir.Operation:
        operands = [
            buffers[value] if value in buffers else slice_.value_of(value, known)
            for value in copy.operands
        ]
        made = clone_with(copy, operands)
        if PLAN_ATTRIBUTE in made.attributes:
            del made.attributes[PLAN_ATTRIBUTE]
        return made

    def _continue(self, carried: Sequence[ir.Value]) -> None:
        """Replaces the fills in the loop by those of later iterations."""
        self._loop, arguments = carry_all(self._loop, carried)
        for slice_ in self._slices.values():
            slice_.loop = self._loop
        body = self._loop.regions[0].blocks[0]
        token = arguments.pop(0) if self._has_tokens else None
        head = token
        states: dict[int, Sequence[ir.Value]] = {}
        for ahead in self._distances:
            count = len(self._slices[ahead].carried) + len(self._tables[ahead].entries)
            states[ahead], arguments = arguments[:count], arguments[count:]
        with ir.InsertionPoint.at_block_begin(body), self._loop.location:
            trips = Trips.of(self._loop, self._farthest)
            ends = {
                a + t.lead * late for a, t in self._tables.items() for late in (0, 1)
            }
            conditions = {a: trips.comes_later(a) for a in sorted(ends)}
        for fill in self._fills:
            with self._place(fill), fill.acquire.location:
                ahead, state = fill.ahead, states[fill.ahead]
                known = self._known(ahead, state, trips.later(body.arguments[0], ahead))
                at = plus(fill.acquire.operands[1], ahead)
                token, news = self._fill(fill, at, conditions[ahead], known, token)
                if self._distances[ahead][-1] is fill:
                    states[ahead] = self._next_state(
                        ahead, news or (), trips, conditions
                    )
        self._remove_serial(head, token)
        end = block_ops(body)[-1]
        tokens = [] if token is None else [token]
        rest = [v for ahead in self._distances for v in states[ahead]]
        set_ends(end, [*end.operands, *tokens, *rest])
        prune_loop(self._loop)

    def _next_state(
        self,
        ahead: int,
        news: Sequence[ir.Value],
        trips: Trips,
        conditions: dict[int, ir.Value],
    ) -> list[ir.Value]:
        """The values that the loop carries on for a distance, after its last fill.

        Args:
            ahead: The distance.
            news: The values that its slice carries.
            trips: The iterations of the loop.
            conditions: Whether the iteration at each distance exists.
        """
        tables = self._tables[ahead]
        later = ahead + tables.lead
        index = trips.later(self._loop.regions[0].blocks[0].arguments[0], later)
        known = self._known(ahead, news, index)
        return [*news, *tables.look_up(conditions[later], known)]

    def _place(self, fill: Fill) -> ir.InsertionPoint:
        """Where a ring is filled in the loop."""
        if fill.ahead + _lag(fill) < _slots(fill):
            return ir.InsertionPoint.after(_last_start(fill))
        return ir.InsertionPoint.after(fill.release)

    def _remove_serial(self, head: ir.Value | None, token: ir.Value | None) -> None:
        """Erases the fills of this iteration; ops that waited for them wait for all."""
        end = block_ops(self._loop.regions[0].blocks[0])[-1]
        for fill in self._fills:
            for copy in fill.copies:
                if token is not None and head is not None:
                    for index, value in enumerate(end.operands):
                        if value == copy.results[0]:
                            end.operands[index] = token
                    copy.results[0].replace_all_uses_with(head)
            for op in (*fill.copies, fill.publish, fill.acquire):
                op.erase()


def _last_start(fill: Fill) -> ir.Operation:
    """The last asynchronous product that reads a slot, or its take.

    Such a product only starts there, and should start before the copies are issued.
    """
    found = fill.take
    work = list(fill.take.results)
    while work:
        for use in work.pop().uses:
            op = use.owner.operation
            if op.name in BUFFER_RENAMES:
                work.append(op.results[0])
            is_later = op.block == found.block and runs_by_itself(op)
            if is_later and found.is_before_in_block(op):
                found = op
    return found


def _counts(fill: Fill) -> bool:
    """Whether threads compute addresses of the copies; then index bounds save work."""
    return any(copy_engine(copy) == CP_ASYNC for copy in fill.copies)


def _inputs(copy: ir.Operation) -> list[ir.Value]:
    """The operands of a copy, except its buffer."""
    buffer = copy_buffer(copy)
    return [value for value in copy.operands if value != buffer]


def _slots(fill: Fill) -> int:
    return RingType(fill.ring.type).slots


def _lag(fill: Fill) -> int:
    """Iterations by which the release trails."""
    return 0 if fill.release.name in RELEASES else 1


def _check_slots(fill: Fill) -> None:
    slots, lag = _slots(fill), _lag(fill)
    if fill.ahead + lag > slots:
        trailing = f" and a release that trails by {lag}" if lag else ""
        raise UserError(
            f"expected copies to run at most {slots - lag} iterations ahead in a ring "
            f"of {slots} slots{trailing}, got ahead = {fill.ahead}",
            location_text(fill.acquire),
        )
