# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The definition of the ring protocol: what its ops and accesses to slots require.

`released <= taken <= published <= acquired <= released + S`, each counted in order. A
slot is written between its acquire and its publish, and read between its take and its
release, which waits for the products that read it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile._mlir._mlir_libs._cuda_tile import BufferType, PendingType, RingType
from cuda_tile.checkers.protocol_state import (
    STEPS,
    Frame,
    Pending,
    Ring,
    Role,
    Slot,
    State,
)
from cuda_tile.ir.async_products import runs_by_itself
from cuda_tile.ir.attributes import integer
from cuda_tile.ir.rings import RING, ring_of
from cuda_tile.ir.traits import AWAITS, RING_STEPS, SLOT_GIVERS, TERMINATORS
from cuda_tile.ir.walk import defining_op, location_text


class Fault(Exception):
    """A path on which the protocol is broken.

    Attributes:
        op: The op that meets it.
        what: The text: what was expected, and what was found.
    """

    def __init__(self, op: ir.Operation, what: str) -> None:
        super().__init__(what)
        self.op, self.what = op, what


class Blocked(Exception):
    """A role waits for another one."""


class Action(NamedTuple):
    """The effects of an op of a role, computed once for the search.

    Attributes:
        op: The op.
        is_control: Whether it has regions, or ends one.
        step: Its step of a ring; `make` of the op that makes one, empty for others.
        ring: That ring.
        slots: How many slots the ring has.
        accesses: The buffers of other ops, with the views behind each, and whether they
            are read and written.
        starts: Whether it starts an asynchronous product.
        sums: Pending values that it waits for.
        groups: How many groups a wait for these may leave in flight; below 0 if it
            waits for the very products.
        results: Its results that are slots or sums.
    """

    op: ir.Operation
    is_control: bool
    step: str = ""
    ring: ir.Operation | None = None
    slots: int = 0
    accesses: tuple[tuple[tuple[ir.Value, ...], bool, bool], ...] = ()
    starts: bool = False
    sums: tuple[ir.Value, ...] = ()
    groups: int = -1
    results: tuple[ir.Value, ...] = ()


def action_of(op: ir.Operation) -> Action:
    """What an op does.

    Args:
        op: The op.
    """
    name = op.name
    if len(op.regions) or name in TERMINATORS:
        return Action(op, is_control=True)
    if name == RING:
        return Action(op, is_control=False, step="make", ring=op)
    sums = tuple(v for v in op.operands if isinstance(v.type, PendingType))
    action = Action(op, is_control=False, sums=sums if name in AWAITS else ())
    if sums and "groups" in op.attributes:
        action = action._replace(groups=integer(op, "groups"))
    if name in RING_STEPS:
        ring, slots = ring_of(op), RingType(op.operands[0].type).slots
        results = tuple(op.results) if name in SLOT_GIVERS else ()
        step = name.removeprefix("tileas.")
        return action._replace(step=step, ring=ring, slots=slots, results=results)
    found = _cuda_tile.buffer_accesses(op)
    return action._replace(
        accesses=tuple((views_behind(op.operands[n]), r, w) for n, r, w in found),
        starts=runs_by_itself(op),
        results=tuple(v for v in op.results if isinstance(v.type, PendingType)),
    )


class Steps:
    """Executes one op of one role.

    Args:
        state: Where all roles are; it is changed.
        number: The role.
        number_of: The iteration that an op of a ring is for.
    """

    def __init__(
        self, state: State, number: int, number_of: Callable[[ir.Value], int]
    ) -> None:
        self.state, self.number, self.number_of = state, number, number_of
        self.role: Role = state.roles[number]
        self.frame: Frame = self.role.frames[-1]

    def run(self, action: Action) -> None:
        """Executes an op without regions that is no terminator.

        Args:
            action: What it does.

        Raises:
            Blocked: It waits; nothing has changed.
            Fault: It may not run.
        """
        if action.ring is None:
            self._access(action)
            self._wait(action)
        elif action.step == "make":
            self._make(action.ring)
        else:
            self._step(action, action.ring)

    def _make(self, op: ir.Operation) -> None:
        """A ring is made, or made anew where nothing uses its slots any more."""
        earlier = self.state.rings.get(op, Ring()).counts
        if (held := earlier["take"] - earlier["release"]) > 0:
            raise Fault(
                op,
                f"expected each iteration that {users(op, 'take')} reads to be "
                f"released before {_ring(op)} is made anew, got {held} that are not",
            )
        self.state.rings[op] = Ring()

    def _step(self, action: Action, made_by: ir.Operation) -> None:
        op, step, ring = action.op, action.step, self.state.rings[made_by]
        iteration = self.number_of(op.operands[1])
        self._check_order(action, ring, iteration)
        if step == "release":
            self._wait(action)
            self._check_read(op, ring, iteration)
            ring.filled.pop(iteration, None)
            ring.readers.pop(iteration, None)
        ring.counts[step] += 1
        for place, buffer in enumerate(action.results):
            self.frame.values[buffer] = Slot(made_by, iteration, place)

    def _check_order(self, action: Action, ring: Ring, iteration: int) -> None:
        """Checks that a step is the next one, by one role, after what it needs."""
        op, step = action.op, action.step
        following = ring.counts[step]
        if iteration != following:
            raise Fault(
                op,
                f"expected '{op.name}' of iteration t of {_named(op)}, got it of "
                f"iteration t{iteration - following:+d}: each follows that of the "
                f"iteration before, as {others(op, step)} do",
            )
        if ring.who.setdefault(step, self.number) != self.number:
            raise Fault(op, f"expected one role to {step} slots of {_named(op)}")
        before = STEPS[STEPS.index(step) - 1]
        slots = action.slots if step == "acquire" else 0
        if ring.counts[before] > iteration - slots:
            return
        if step in ("acquire", "take"):
            raise Blocked
        raise Fault(op, needs(op, before, slots))

    def _check_read(self, op: ir.Operation, ring: Ring, iteration: int) -> None:
        if ring.readers.get(iteration, -1) >= self.role.done:
            raise Fault(
                op,
                f"expected '{op.name}' of iteration t of {_named(op)} behind a wait "
                "for the products that read its slot, got one that leaves "
                f"{self.role.started - self.role.done} of them in flight",
            )

    def _access(self, action: Action) -> None:
        op = action.op
        for views, is_read, is_written in action.accesses:
            slot = slot_of(self.role, views)
            if slot is not None and is_written:
                self._check_held(op, slot, "acquire", "publish")
                filled = self.state.rings[slot.ring].filled
                had = filled.get(slot.iteration, frozenset[int]())
                filled[slot.iteration] = had | {slot.number}
            if slot is not None and is_read:
                self._check_held(op, slot, "take", "release")
                self._read(action, slot)
        if action.starts:
            self.frame.values[action.results[0]] = Pending(self.role.started)
            self.role.started += 1
        else:
            self.frame.values.update(dict.fromkeys(action.results, Pending(-1)))

    def _check_held(self, op: ir.Operation, slot: Slot, first: str, last: str) -> None:
        counts = self.state.rings[slot.ring].counts
        if counts[last] <= slot.iteration < counts[first]:
            return
        far = counts[last] - 1 - slot.iteration
        raise Fault(
            op,
            f"expected '{op.name}' to use a slot of {_ring(slot.ring)} between "
            f"'tileas.{first}' and 'tileas.{last}' of its iteration t, got it behind "
            f"'tileas.{last}' of iteration t{far and f'{far:+d}'}, after which "
            f"{users(slot.ring, first, last)} may change it",
        )

    def _read(self, action: Action, slot: Slot) -> None:
        op, ring = action.op, self.state.rings[slot.ring]
        if slot.number not in ring.filled.get(slot.iteration, ()):
            raise Fault(
                op,
                f"expected '{op.name}' of iteration t to read what filled buffer "
                f"{slot.number} of its slot of {_ring(slot.ring)}, got nothing between "
                f"{users(slot.ring, 'acquire', 'publish')} of iteration t",
            )
        if action.starts:
            ring.readers[slot.iteration] = self.role.started

    def _wait(self, action: Action) -> None:
        """Completes the products that a wait names, and all but its youngest groups."""
        numbers = [self._product(v) + 1 for v in action.sums]
        if numbers and action.groups >= 0:
            numbers = [self.role.started - action.groups]
        self.role.done = max([self.role.done, *numbers])

    def _product(self, value: ir.Value) -> int:
        found = self.role.lookup(value)
        return found.product if isinstance(found, Pending) else -1


def views_behind(value: ir.Value) -> tuple[ir.Value, ...]:
    """A buffer, and the buffers that it is a view of, the nearest first.

    Args:
        value: The buffer.
    """
    found = [value]
    while (op := defining_op(found[-1])) is not None:
        views = [v for v in op.operands if isinstance(v.type, BufferType)]
        if not views:
            break
        found.append(views[0])
    return tuple(found)


def slot_of(role: Role, views: Sequence[ir.Value]) -> Slot | None:
    """The slot of which a buffer is a view; None for one of no ring.

    Args:
        role: Who uses it.
        views: The buffer, and those that it is a view of.
    """
    known = map(role.lookup, views)
    return next((found for found in known if isinstance(found, Slot)), None)


def needs(op: ir.Operation, before: str, slots: int) -> str:
    """What a step of iteration t waits for, and who does that."""
    behind = f"t-{slots}" if slots else "t"
    return (
        f"expected 'tileas.{before}' of iteration {behind} of {_named(op)} before "
        f"'{op.name}' of iteration t, got none: {others(op, before)} is for another "
        "iteration, or behind it"
    )


def others(op: ir.Operation, step: str) -> str:
    """The ops that make a step of the ring of an op, and where they are."""
    return users(ring_of(op), step)


def users(ring: ir.Operation, *steps: str) -> str:
    """The ops that make some steps of a ring, and where they are."""
    names = {f"tileas.{step}" for step in steps}
    users = (use.owner.operation for use in ring.results[0].uses)
    found = [f"'{u.name}' ({location_text(u)})" for u in users if u.name in names]
    return " and ".join(sorted(set(found))) or "nothing"


def _named(op: ir.Operation) -> str:
    return _ring(ring_of(op))


def _ring(ring: ir.Operation) -> str:
    return f"the ring of {location_text(ring)}"
