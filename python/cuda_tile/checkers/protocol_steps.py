# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the ops of a ring and the accesses to its slots need, by definition.

`released <= taken <= published <= acquired <= released + S`, each counted in order. A
slot is written between its acquire and its publish, and read between its take and its
release, which waits for the products that read it.
"""

from __future__ import annotations

from collections.abc import Callable

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
from cuda_tile.ir.traits import AWAITS, RING_STEPS, SLOT_GIVERS
from cuda_tile.ir.walk import defining_op, location_text


class Fault(Exception):
    """A path on which the protocol is broken.

    Attributes:
        op: The op that meets it.
        what: What was expected, and what came.
    """

    def __init__(self, op: ir.Operation, what: str) -> None:
        super().__init__(what)
        self.op, self.what = op, what


class Blocked(Exception):
    """A role waits for another one."""


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

    def run(self, op: ir.Operation) -> None:
        """Executes an op without regions that is no terminator.

        Args:
            op: The op.

        Raises:
            Blocked: It waits; nothing has changed.
            Fault: It may not run.
        """
        if op.name == RING:
            self._make(op)
        elif op.name in RING_STEPS:
            self._step(op)
        else:
            self._access(op)
            if op.name in AWAITS:
                self._wait(op)

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

    def _step(self, op: ir.Operation) -> None:
        step, made_by = op.name.removeprefix("tileas."), ring_of(op)
        ring, iteration = self.state.rings[made_by], self.number_of(op.operands[1])
        self._check_order(op, step, ring, iteration)
        if step == "release":
            self._wait(op)
            self._check_read(op, ring, iteration)
            ring.filled.pop(iteration, None)
            ring.readers.pop(iteration, None)
        ring.counts[step] += 1
        if op.name in SLOT_GIVERS:
            for place, buffer in enumerate(op.results):
                self.frame.values[buffer] = Slot(made_by, iteration, place)

    def _check_order(
        self, op: ir.Operation, step: str, ring: Ring, iteration: int
    ) -> None:
        """A step is for the next iteration, by one role, and behind what it needs."""
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
        slots = RingType(op.operands[0].type).slots if step == "acquire" else 0
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

    def _access(self, op: ir.Operation) -> None:
        for place, is_read, is_written in _cuda_tile.buffer_accesses(op):
            slot = slot_of(self.role, op.operands[place])
            if slot is not None and is_written:
                self._check_held(op, slot, "acquire", "publish")
                filled = self.state.rings[slot.ring].filled
                had = filled.get(slot.iteration, frozenset[int]())
                filled[slot.iteration] = had | {slot.number}
            if slot is not None and is_read:
                self._check_held(op, slot, "take", "release")
                self._read(op, slot)
        if runs_by_itself(op):
            self.frame.values[op.results[0]] = Pending(self.role.started)
            self.role.started += 1
        else:
            sums = [v for v in op.results if isinstance(v.type, PendingType)]
            self.frame.values.update(dict.fromkeys(sums, Pending(-1)))

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

    def _read(self, op: ir.Operation, slot: Slot) -> None:
        ring = self.state.rings[slot.ring]
        if slot.number not in ring.filled.get(slot.iteration, ()):
            raise Fault(
                op,
                f"expected '{op.name}' of iteration t to read what filled buffer "
                f"{slot.number} of its slot of {_ring(slot.ring)}, got nothing between "
                f"{users(slot.ring, 'acquire', 'publish')} of iteration t",
            )
        if runs_by_itself(op):
            ring.readers[slot.iteration] = self.role.started

    def _wait(self, op: ir.Operation) -> None:
        """Products are over that a wait names, and all but its youngest groups."""
        sums = [v for v in op.operands if isinstance(v.type, PendingType)]
        numbers = [self._product(v) + 1 for v in sums]
        if sums and "groups" in op.attributes:
            numbers = [self.role.started - integer(op, "groups")]
        self.role.done = max([self.role.done, *numbers])

    def _product(self, value: ir.Value) -> int:
        found = self.role.lookup(value)
        return found.product if isinstance(found, Pending) else -1


def slot_of(role: Role, value: ir.Value) -> Slot | None:
    """The slot of which a buffer is a view; None for one of no ring.

    Args:
        role: Who uses it.
        value: The buffer.
    """
    while not isinstance(found := role.lookup(value), Slot):
        op = defining_op(value)
        behind = [] if op is None else list(op.operands)
        views = [v for v in behind if isinstance(v.type, BufferType)]
        if not views:
            return None
        value = views[0]
    return found


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
