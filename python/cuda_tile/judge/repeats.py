# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The calls of a case beside each other: what must not differ, and what must."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cuda_tile.judge.arguments import arrays_of
from cuda_tile.judge.compare import Expected
from cuda_tile.judge.device import Booked, Device
from cuda_tile.judge.provenance import (
    AnyWay,
    Place,
    find_way,
    is_plain,
    is_same_way,
    same,
    same_elements,
)
from cuda_tile.judge.verdict import Verdict
from cuda_tile.runtime.elements import Array

PATTERNS = (0xFF, 0xFF, 0x5B)
"""What unwritten memory has in the first, second and third call: NaN, NaN, a number."""
CALLS = ("first", "other data in the same arrays", "first data again, in new arrays")


def place_of_call(case: int, turn: int, args: Sequence[Any]) -> dict[str, Any]:
    """Where, for findings: the case with its arrays, and what `CALLS` says of it."""
    shapes = " ".join(f"{a.dtype}{list(a.shape)}" for a in arrays_of(args))
    return {"case": f"{case} ({shapes})", "call": CALLS[turn]}


@dataclass
class Call:
    """One call of the candidate.

    Attributes:
        case: Its case.
        turn: 0, 1 or 2: what `CALLS` says.
        args: The arguments.
        expected: What is right.
        changed: The arrays among the arguments as the reference leaves them.
        device: What ran.
        outputs: What the candidate gave.
        ways: Where each output came from.
        returned: How many of the outputs the function returns; the rest are arguments.
        places: Where the candidate says that these lie.
    """

    case: int
    turn: int
    args: list[Any]
    expected: Expected
    changed: list[Array]
    device: Device
    outputs: list[Array]
    ways: list[AnyWay | None]
    returned: int = 0
    places: list[object] = field(default_factory=list[object])

    @property
    def place(self) -> dict[str, Any]:
        """Where, for findings."""
        return place_of_call(self.case, self.turn, self.args)


class Repeats:
    """Compares the calls of each case.

    Args:
        verdict: Gets what is found.
        calls: All calls, by case and turn.
        seed: Draws what is tried in place of an array.
    """

    def __init__(
        self, verdict: Verdict, calls: Mapping[tuple[int, int], Call], seed: int
    ) -> None:
        self._verdict, self._calls, self._seed = verdict, calls, seed

    def compare(self) -> None:
        """What must not depend on data, on leftover memory or on earlier calls."""
        for case in sorted({case for case, _ in self._calls}):
            first, other, again = (self._calls[case, turn] for turn in range(3))
            self._compare_launches(first, other)
            self._compare_again(first, again)
            for number, (one, two) in enumerate(
                zip(first.outputs, again.outputs, strict=True)
            ):
                if not same(one, two):
                    self._verdict.add(
                        "faulty",
                        "two calls with the same data differ: it depends on memory "
                        "that nobody wrote, or on earlier calls",
                        **again.place,
                        array=f"output {number}",
                    )

    def _compare_launches(self, first: Call, other: Call) -> None:
        told = "other data of the same shapes", "the host looks at the data"
        if not self._has_same_launches(first, other, *told):
            return
        pairs = zip(first.device.launches, other.device.launches, strict=True)
        for number, pair in enumerate(pairs):
            self._compare_arrays(first, other, number, pair)
        for number in range(len(first.ways)):
            self._compare_outputs(first, other, number)

    def _has_same_launches(
        self, first: Call, other: Call, data: str, reason: str
    ) -> bool:
        """Whether two calls launch the same; blames the candidate if they do not."""
        one, two = ([b.what for b in c.device.launches] for c in (first, other))
        if one != two:
            said = f"expected the same launches for {data}, got another kernel, grid "
            self._verdict.add("cheating", f"{said}or number: {reason}", **other.place)
        return one == two

    def _compare_again(self, first: Call, again: Call) -> None:
        """The same data must have the same launches: no answer was kept."""
        told = "the same data", "the host knows what it has seen"
        if not self._has_same_launches(first, again, *told):
            return
        pairs = zip(first.device.launches, again.device.launches, strict=True)
        for number, (was, now) in enumerate(pairs):
            for place, before in enumerate(was.before):
                found = _as_unwritten(now.before[place], again.turn)
                if same(before, found) or self._ignored(first, was, place, found):
                    continue
                self._accuse(first, again, number, place)

    def _ignored(self, call: Call, booked: Booked, place: int, other: Array) -> bool:
        rng = np.random.default_rng([self._seed, 3, place])
        return call.device.ignores(booked, place, other, rng)

    def _compare_outputs(self, first: Call, other: Call, number: int) -> None:
        """The host may move what launches left, in a way that data does not decide."""
        one, two = (
            (call.ways[number], call.outputs[number], call.device.pool)
            for call in (first, other)
        )
        if one[0] is None or two[0] is None:
            return
        place = {**other.place, "array": f"output {number}"}
        if not is_same_way(one, two):
            self._verdict.add(
                "cheating", "the host chose by the data which elements to give", **place
            )
        made = [
            way.apply(call.device.made, call.outputs[number].shape, np.bool_)
            for call, way in ((first, one[0]), (other, two[0]))
        ]
        if made[0] is None or made[1] is None or number >= first.returned:
            return
        is_made = same_elements(one[1], two[1]) | (
            (made[0] | is_plain(one[1])) & (made[1] | is_plain(two[1]))
        )
        if not is_made.all():
            count, size = int((~is_made).sum()), is_made.size
            self._verdict.add(
                "unknown" if 2 * count < size else "cheating",
                f"{count} of {size} elements are what the host copied there, and no "
                "launch has written them",
                **place,
            )

    def _compare_arrays(
        self, first: Call, other: Call, number: int, pair: tuple[Booked, Booked]
    ) -> None:
        one, two = pair
        for place in range(len(one.before)):
            pools = [_known_before(call.device, number) for call in (first, other)]
            if is_same_way(
                (one.ways[place], one.before[place], pools[0]),
                (two.ways[place], two.before[place], pools[1]),
            ) or (
                self._ignored(first, one, place, two.before[place])
                and self._ignored(other, two, place, one.before[place])
            ):
                continue
            self._accuse(first, first, number, place)

    def _accuse(self, first: Call, call: Call, number: int, place: int) -> None:
        """Of an array of a launch that is no input, no constant and no launch's."""
        booked = call.device.launches[number]
        before = booked.before[place]
        is_answer = any(
            find_way(value, {("input", 0, 0): before}) is not None
            for value in first.expected.values
            if value.size > 1 and value.dtype == before.dtype
        )
        is_metadata = before.dtype.kind in "iub"
        self._verdict.add(
            "unknown" if is_metadata and not is_answer else "cheating",
            "expected an input, a constant or what a launch left, got what the "
            "host computed from data"
            if call is first
            else "expected the same arrays for the same data, got others: the host "
            "knows what it has seen",
            **call.place,
            launch=number,
            kernel=booked.kernel,
            array=place,
        )


def _as_unwritten(array: Array, turn: int) -> Array:
    """An array with unwritten elements as they are in the first call."""
    was, now = (
        np.frombuffer(bytes([PATTERNS[each]]) * array.dtype.itemsize, array.dtype)[0]
        for each in (0, turn)
    )
    return np.where(same_elements(array, np.broadcast_to(now, array.shape)), was, array)


def _known_before(device: Device, number: int) -> dict[Place, Array]:
    """What was known before a launch, the youngest first."""
    return {
        place: array
        for place, array in device.known().items()
        if place[0] == "input" or place[1] < number
    }
