# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which values a role may still use from where it is."""

from __future__ import annotations

from collections.abc import Sequence

from cuda_tile._mlir import ir
from cuda_tile.analysis.control_flow import ControlFlow, Point, counted_loop
from cuda_tile.checkers.protocol_state import Frame
from cuda_tile.ir.traits import LOOPS


class LaterUses:
    """The uses of values that come behind a place.

    Args:
        flow: The control flow of the entry.
    """

    def __init__(self, flow: ControlFlow) -> None:
        self._flow = flow
        self._chains: dict[ir.Operation, tuple[ir.Operation, ...]] = {}
        self._places: dict[ir.Operation, int] = {}
        self._users: dict[ir.Value, list[ir.Operation]] = {}
        self._live: dict[tuple[tuple[Point, int], ...], dict[ir.Value, bool]] = {}

    def live(self, frames: Sequence[Frame]) -> list[ir.Value]:
        """Which values that the first region of some has may still be used.

        Args:
            frames: The regions that a role is in, from that which has the values on.
        """
        where = tuple((frame.point, frame.place) for frame in frames)
        known = self._live.setdefault(where, {})
        for value in frames[0].values:
            if value not in known:
                known[value] = self._is_live(frames, value)
        return [value for value in frames[0].values if known[value]]

    def _is_live(self, frames: Sequence[Frame], value: ir.Value) -> bool:
        if value not in self._users:
            self._users[value] = [use.owner.operation for use in value.uses]
        return any(self._is_ahead(frames, user, value) for user in self._users[value])

    def _is_ahead(
        self, frames: Sequence[Frame], user: ir.Operation, value: ir.Value
    ) -> bool:
        chain = self._chain(user)
        start = frames[0].point.op
        begin = chain.index(start) + 1 if start in chain else 0
        for frame, op in zip(frames, chain[begin:], strict=False):
            if frame is not frames[0] and frame.point.op.name in LOOPS:
                return True  # in its next iteration
            place = self._place(frame, op)
            if place != frame.place:
                return place > frame.place
            if op == user:
                return frame is frames[-1] or _is_bound(user, value)
        return True

    def _chain(self, op: ir.Operation) -> tuple[ir.Operation, ...]:
        """An op behind those around it, the outermost first."""
        if op not in self._chains:
            parent = op.parent
            outer = () if parent is None else self._chain(parent.operation)
            self._chains[op] = (*outer, op)
        return self._chains[op]

    def _place(self, frame: Frame, op: ir.Operation) -> int:
        """Where an op is in a region; before all of it if it is in another one."""
        if op not in self._places:
            steps = self._flow.steps(frame.point)
            self._places.update({each: n for n, (each, _) in enumerate(steps)})
        return self._places[op] if op.block == frame.point.block else -1


def _is_bound(op: ir.Operation, value: ir.Value) -> bool:
    """Whether a loop asks for a value again after each iteration."""
    loop = counted_loop(op)
    return loop is not None and value in (loop.lower, loop.upper)
