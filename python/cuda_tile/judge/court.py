# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Judges one candidate: which calls are made, and what is looked at in each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from cuda_tile.errors import CudaTileError, InternalError
from cuda_tile.judge.arguments import arrays_of
from cuda_tile.judge.compare import Expected, expect, first_fault
from cuda_tile.judge.device import Device, LaunchTimeout
from cuda_tile.judge.provenance import (
    AnyWay,
    find_way,
    same,
)
from cuda_tile.judge.reference import Reference
from cuda_tile.judge.repeats import PATTERNS, Call, Repeats
from cuda_tile.judge.verdict import Verdict
from cuda_tile.judge.wire import Wire, WireError
from cuda_tile.runtime.elements import Array

MOST_FINDINGS = 8


class Over(Exception):
    """No more is to be learned of a candidate."""


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
            Repeats(self.verdict, self._calls, self._seed).compare()
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
        args = self._reference.inputs(case, self._seed, turn)
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
        results, facts = self._serve(call)
        self._calls[case, turn] = call
        self._look_at(call, results, facts)

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

    def _serve(self, call: Call) -> tuple[list[Array], dict[str, Any]]:
        """Runs the launches of a call until it ends."""
        while True:
            facts, arrays = self._receive()
            match facts.get("kind"):
                case "launch":
                    self._launch(call, facts, arrays)
                case "raised":
                    self._raised(facts)
                case "done" if isinstance(facts.get("count"), int):
                    self._await(call, facts.get("pending"))
                    return arrays, facts
                case _:
                    self.verdict.add("faulty", "sent a message that is none")
                    raise Over

    def _await(self, call: Call, pending: object) -> None:
        """Of launches on other streams: the result must wait for them."""
        if pending:
            said = "launches on other streams that nothing waits for"
            self.verdict.add(
                "faulty", f"returned before {pending} {said}", **call.place
            )

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

    def _look_at(self, call: Call, results: list[Array], facts: dict[str, Any]) -> None:
        """Compares what a call gave, and asks where it came from."""
        count: int = facts["count"]
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
        said = facts.get("places")
        call.places = cast("list[object]", said) if isinstance(said, list) else []
        for number in range(len(outputs)):
            self._look_at_output(call, number)
        if len(self.verdict.findings) >= MOST_FINDINGS:
            raise Over

    def _look_at_output(self, call: Call, number: int) -> None:
        got, value = call.outputs[number], call.expected.values[number]
        place = {**call.place, "array": f"output {number}"}
        call.ways.append(self._origin(call, number, place))
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

    def _origin(self, call: Call, number: int, place: dict[str, Any]) -> AnyWay | None:
        """Where an output came from: it must be what launches left."""
        got = call.outputs[number]
        if not got.size or not call.device.launches:
            return None
        left = {
            key: array
            for key, array in call.device.known().items()
            if key[0] == "launch"
        }
        way = find_way(got, left)
        if way is None and number < len(call.places):
            way = call.device.mosaic(got, call.places[number])
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

    def _count(self) -> None:
        launches = [b for call in self._calls.values() for b in call.device.launches]
        self.verdict.counts["calls"] = len(self._calls)
        self.verdict.counts["launches"] = len(launches)
        self.verdict.counts["operations"] = sum(booked.ops for booked in launches)
