# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Judges one candidate: which calls are made, and what is looked at in each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cuda_tile.errors import CudaTileError, InternalError
from cuda_tile.judge.arguments import arrays_of
from cuda_tile.judge.compare import Expected, expect, first_fault
from cuda_tile.judge.device import Booked, Device, LaunchTimeout
from cuda_tile.judge.provenance import (
    AnyWay,
    Place,
    find_way,
    is_plain,
    is_same_way,
    same,
    same_elements,
)
from cuda_tile.judge.reference import Reference, with_data_of
from cuda_tile.judge.verdict import Verdict
from cuda_tile.judge.wire import Wire, WireError
from cuda_tile.runtime.elements import Array

PATTERNS = (0xFF, 0xFF, 0x5B)
"""What unwritten memory has in the first, second and third call: NaN, NaN, a number."""
CALLS = ("first", "other data in the same arrays", "first data again, in new arrays")
MOST_FINDINGS = 8


class Over(Exception):
    """No more is to be learned of a candidate."""


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

    @property
    def place(self) -> dict[str, Any]:
        """Where, for findings."""
        shapes = " ".join(f"{a.dtype}{list(a.shape)}" for a in arrays_of(self.args))
        return {"case": f"{self.case} ({shapes})", "call": CALLS[self.turn]}


@dataclass(frozen=True)
class Rules:
    """What a candidate is held to.

    Attributes:
        seconds: Time of a call without its launches, in which it runs or waits for
            anything but a processor; CPU time of a launch.
        mode: The interpreter's.
        slower: Instructions over those of the reference's program that are too slow.
        emulate: Whether a small case is compiled and emulated too.
        gpu: The chip that is emulated.
    """

    seconds: float = 20
    mode: str = "strict"
    slower: float = 4
    emulate: bool = True
    gpu: str = "sm_90"


class Court:
    """Judges one candidate.

    Args:
        wire: The way to its process.
        reference: What it is compared with.
        seed: Draws data and orders.
        rules: What it is held to.
        say: Told where the judge is, for the case that its own time ends.
    """

    def __init__(
        self,
        wire: Wire,
        reference: Reference,
        seed: int,
        rules: Rules,
        say: Callable[[str], None],
    ) -> None:
        self.verdict = Verdict(seed=seed)
        self._wire, self._reference, self._rules = wire, reference, rules
        self._say, self._seed = say, seed
        self._calls: dict[tuple[int, int], Call] = {}
        self._where: dict[str, Any] = {}

    def judge(self) -> Verdict:
        """Makes the calls and compares; gives the verdict."""
        try:
            self._begin()
            for case, turn in self._plan():
                self._call(case, turn)
            self._compare_calls()
        except Over:
            pass
        except WireError as error:
            self.verdict.add("faulty", f"its process ended: {error}", **self._where)
        except TimeoutError:
            limit = self._rules.seconds
            self.verdict.add("faulty", f"took longer than {limit:g} s", **self._where)
        self._count()
        return self.verdict

    @property
    def reference(self) -> Reference:
        """What the candidate is compared with."""
        return self._reference

    @property
    def rules(self) -> Rules:
        """What the candidate is held to."""
        return self._rules

    @property
    def calls(self) -> dict[tuple[int, int], Call]:
        """The calls that ended, by case and turn."""
        return self._calls

    def _begin(self) -> None:
        self._where = {"call": "import"}
        facts, _ = self._receive()
        self.verdict.sandbox = {str(k): str(v) for k, v in facts["held"].items()}
        facts, _ = self._receive()
        if facts["kind"] == "raised":
            self._raised(facts)
        if facts["kind"] != "loaded":
            self.verdict.add("faulty", "sent a message that is none")
            raise Over

    def _plan(self) -> list[tuple[int, int]]:
        """The calls: all cases, then both others of each, in an order of the seed."""
        cases = range(self._reference.cases)
        rest = [(case, turn) for turn in (1, 2) for case in cases]
        order = np.random.default_rng([self._seed, 1]).permutation(len(rest))
        return [*((case, 0) for case in cases), *(rest[place] for place in order)]

    def _arguments(self, case: int, turn: int) -> list[Any]:
        args = self._reference.inputs(case, [self._seed, 0])
        if turn != 1:
            return args
        other = self._reference.inputs(case, [self._seed, 7])
        return with_data_of(args, other, self._reference.path)

    def _expected(self, args: Sequence[Any], case: int) -> tuple[Expected, list[Array]]:
        """What is right: outputs first, then the arrays that the reference changes."""
        changed = self._reference.answer(args)[1]
        which = [
            number
            for number, (was, now) in enumerate(
                zip(arrays_of(args), changed, strict=True)
            )
            if not same(now, was)
        ]

        def answer(args: Sequence[Any]) -> list[Array]:
            outputs, arrays = self._reference.answer(args)
            return [*outputs, *(arrays[number] for number in which)]

        rng = np.random.default_rng([self._seed, 2, case])
        return expect(answer, args, rng, self._reference.tolerance), changed

    def _call(self, case: int, turn: int) -> None:
        args = self._arguments(case, turn)
        expected, changed = self._expected(args, case)
        device = Device(arrays_of(args), self._rules.seconds, self._rules.mode)
        call = Call(case, turn, args, expected, changed, device, [], [])
        self._where = call.place
        self._say(str(call.place))
        arrays = arrays_of(args)
        numbers = iter(range(len(arrays)))
        words = [
            {"array": next(numbers)} if isinstance(arg, np.ndarray) else arg
            for arg in args
        ]
        order = {
            "slot": case,
            "is_fresh": turn == 2,
            "pattern": PATTERNS[turn],
            "is_tensors": self._reference.has_tensors,
        }
        self._wire.send({**order, "args": words}, arrays)
        results, count = self._serve(call)
        self._calls[case, turn] = call
        self._look_at(call, results, count)

    def _receive(self) -> tuple[dict[str, Any], list[Array]]:
        """The next message that is no accusation."""
        deadline = self._wire.now() + self._rules.seconds
        while True:
            facts, arrays = self._wire.receive(deadline)
            if facts.get("kind") != "attempt":
                return facts, arrays
            self.verdict.add(
                "cheating", f"asked for {facts.get('what')}, which it must not"
            )

    def _serve(self, call: Call) -> tuple[list[Array], int]:
        """Runs the launches of a call until it ends."""
        while True:
            facts, arrays = self._receive()
            match facts.get("kind"):
                case "launch":
                    self._launch(call, facts, arrays)
                case "raised":
                    self._raised(facts)
                case "done" if isinstance(facts.get("count"), int):
                    return arrays, facts["count"]
                case _:
                    self.verdict.add("faulty", "sent a message that is none")
                    raise Over

    def _raised(self, facts: dict[str, Any]) -> None:
        self.verdict.add(
            "faulty",
            f"raised {facts.get('text')}",
            **self._where,
            source=facts.get("line"),
        )
        raise Over

    def _launch(self, call: Call, facts: dict[str, Any], arrays: list[Array]) -> None:
        number = len(call.device.launches)
        place = {**call.place, "launch": number, "kernel": str(facts.get("kernel"))}
        try:
            booked = call.device.run(facts, arrays)
        except LaunchTimeout:
            seconds = self._rules.seconds
            self.verdict.add("faulty", f"the launch takes over {seconds:g} s", **place)
            raise Over from None
        except InternalError:
            raise
        except (CudaTileError, ValueError, TypeError, KeyError, IndexError) as error:
            self.verdict.add("faulty", f"the launch failed: {error}", **place)
            raise Over from None
        left = zip(booked.before, booked.after, strict=True)
        changed = [n for n, (was, now) in enumerate(left) if not same(now, was)]
        self._wire.send(
            {"kind": "ran", "changed": changed, "count": booked.ops},
            [booked.after[n] for n in changed],
        )

    def _look_at(self, call: Call, results: list[Array], count: int) -> None:
        """Compares what a call gave, and asks where it came from."""
        outputs, inputs = results[:count], results[count:]
        if len(inputs) != len(call.changed):
            self.verdict.add("faulty", "sent a message that is none", **call.place)
            raise Over
        before = arrays_of(call.args)
        returned = len(call.expected.values)
        for number, (was, should, now) in enumerate(
            zip(before, call.changed, inputs, strict=True)
        ):
            if not same(should, was):
                outputs.append(now)
                returned -= 1
            elif not same(now, was):
                self.verdict.add(
                    "wrong", "changed an input", **call.place, array=number
                )
        call.outputs, call.returned = outputs, returned
        if len(outputs) != len(call.expected.values):
            self.verdict.add(
                "wrong",
                f"expected {returned} outputs, got {count}",
                **call.place,
            )
            raise Over
        if not call.device.launches and any(v.size for v in call.expected.values):
            self.verdict.add("cheating", "launched no kernel", **call.place)
        for number in range(len(outputs)):
            self._look_at_output(call, number)
        if len(self.verdict.findings) >= MOST_FINDINGS:
            raise Over

    def _look_at_output(self, call: Call, number: int) -> None:
        got, value = call.outputs[number], call.expected.values[number]
        place = {**call.place, "array": f"output {number}"}
        call.ways.append(self._origin(call, got, place))
        if got.dtype != value.dtype or got.shape != value.shape:
            self.verdict.add(
                "wrong",
                f"expected {value.dtype}{list(value.shape)}, got "
                f"{got.dtype}{list(got.shape)}",
                **place,
            )
            return
        fault = first_fault(
            got, value, call.expected.exact[number], call.expected.bounds[number]
        )
        if fault is not None:
            element, said = fault
            self._wrong(call, number, said, {**place, "element": list(element)})

    def _wrong(self, call: Call, number: int, said: str, place: dict[str, Any]) -> None:
        earlier = [
            other
            for other in self._calls.values()
            if other is not call
            and len(other.outputs) > number
            and call.outputs[number].size > 1
            and same(other.outputs[number], call.outputs[number])
        ]
        if earlier and not call.device.launches:
            self.verdict.add(
                "cheating", f"gave the answer of an earlier call: {said}", **place
            )
        self.verdict.add("wrong", said, **place)

    def _origin(self, call: Call, got: Array, place: dict[str, Any]) -> AnyWay | None:
        """Where an output came from: it must be what launches left."""
        if not got.size or not call.device.launches:
            return None
        left = {
            key: array
            for key, array in call.device.known().items()
            if key[0] == "launch"
        }
        way = find_way(got, left)
        if way is None:
            self.verdict.add(
                "cheating",
                "expected what a launch left, got what the host computed",
                **place,
            )
            return None
        made = way.apply(call.device.made, got.shape, np.bool_)
        if made is None or not made.any():
            self.verdict.add(
                "cheating", "no launch has written an element of it", **place
            )
        return way

    def _compare_calls(self) -> None:
        """What must not depend on data, on leftover memory or on earlier calls."""
        for case in range(self._reference.cases):
            first, other, again = (self._calls[case, turn] for turn in range(3))
            self._compare_launches(first, other)
            self._compare_again(first, again)
            for number, (one, two) in enumerate(
                zip(first.outputs, again.outputs, strict=True)
            ):
                if not same(one, two):
                    self.verdict.add(
                        "faulty",
                        "two calls with the same data differ: it depends on memory "
                        "that nobody wrote, or on earlier calls",
                        **again.place,
                        array=f"output {number}",
                    )

    def _compare_launches(self, first: Call, other: Call) -> None:
        one, two = first.device.launches, other.device.launches
        if [booked.what for booked in one] != [booked.what for booked in two]:
            self.verdict.add(
                "cheating",
                "expected the same launches for other data of the same shapes, got "
                "another kernel, grid or number: the host looks at the data",
                **other.place,
            )
            return
        for number, pair in enumerate(zip(one, two, strict=True)):
            self._compare_arrays(first, other, number, pair)
        for number in range(len(first.ways)):
            self._compare_outputs(first, other, number)

    def _compare_again(self, first: Call, again: Call) -> None:
        """The same data must have the same launches: no answer was kept."""
        one, two = first.device.launches, again.device.launches
        if [booked.what for booked in one] != [booked.what for booked in two]:
            self.verdict.add(
                "cheating",
                "expected the same launches for the same data, got another kernel, "
                "grid or number: the host knows what it has seen",
                **again.place,
            )
            return
        for number, (was, now) in enumerate(zip(one, two, strict=True)):
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
            self.verdict.add(
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
            self.verdict.add(
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
        self.verdict.add(
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

    def _count(self) -> None:
        launches = [b for call in self._calls.values() for b in call.device.launches]
        self.verdict.counts["calls"] = len(self._calls)
        self.verdict.counts["launches"] = len(launches)
        self.verdict.counts["operations"] = sum(booked.ops for booked in launches)


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
