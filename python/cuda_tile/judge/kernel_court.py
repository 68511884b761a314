# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Judges a candidate that is a file of Tile IR or PTX, see `launches`.

There is no host that could cheat: the judge makes the calls itself. Each case is called
with its data, with other data, and with the first data over other leftover memory; the
largest case that is small enough runs in an adversarial order too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np

from cuda_tile.errors import CudaTileError, InternalError, Unsupported, UserError
from cuda_tile.exact import entered
from cuda_tile.judge.arguments import arrays_of, as_array, copied
from cuda_tile.judge.compare import Expected, expect, first_fault
from cuda_tile.judge.court import MOST_FINDINGS, Over, Rules
from cuda_tile.judge.device import LaunchTimeout, time_limit
from cuda_tile.judge.emulated import MOST_OPS, reference_instructions
from cuda_tile.judge.exactly import compare_exactly, exact_outputs
from cuda_tile.judge.launches import Kernel, Launch, load_kernel
from cuda_tile.judge.provenance import same
from cuda_tile.judge.reference import Reference
from cuda_tile.judge.repeats import CALLS, PATTERNS, place_of_call
from cuda_tile.judge.verdict import Verdict, Word
from cuda_tile.runtime.elements import Array


@dataclass
class KernelCall:
    """One call of a kernel.

    Attributes:
        case: Its case.
        turn: 0, 1 or 2: what `repeats.CALLS` says.
        args: The arguments of the reference.
        expected: What is right: what it returns, then what it changes.
        which: The arrays among the arguments that it changes.
        outputs: What the kernel left there.
        work: Operations of the interpreter, instructions of warps of PTX.
    """

    case: int
    turn: int
    args: list[Any]
    expected: Expected
    which: list[int]
    outputs: list[Array] = field(default_factory=list[Array])
    work: int = 0

    @property
    def place(self) -> dict[str, Any]:
        """Where, for findings."""
        return place_of_call(self.case, self.turn, self.args)


class KernelCourt:
    """Judges one file.

    Args:
        path: The candidate.
        reference: What it is compared with; it has a function `launch`.
        seed: Draws data and orders.
        rules: What the candidate is held to.
        say: Told where the judge is, for the case that its own time ends.

    Raises:
        UserError: The reference has no `launch`.
    """

    def __init__(
        self,
        path: Path,
        reference: Reference,
        seed: int,
        rules: Rules,
        say: Callable[[str], None],
    ) -> None:
        if not callable(reference.names.get("launch")):
            raise UserError(
                f"{reference.path}: expected a function launch for '{path.name}', "
                "which has kernels and no host; see docs/judging.md"
            )
        self.verdict = Verdict(seed=seed)
        self.rules = rules
        self.reference = reference
        self._path, self._seed, self._say = path, seed, say
        self._kernel: Kernel
        self._calls: dict[tuple[int, int], KernelCall] = {}

    def judge(self) -> Verdict:
        """Makes the calls and compares; gives the verdict."""
        with suppress(Over):
            self._kernel = self._load()
            for case in range(self.reference.cases):
                for turn in range(len(CALLS)):
                    self._call(case, turn)
                self._compare_calls(case)
        self.verdict.counts["calls"] = len(self._calls)
        self.verdict.counts["operations"] = sum(c.work for c in self._calls.values())
        if self.verdict.word == "right":
            self._look_at_largest()
        if self.verdict.word in ("right", "slow") and (read := self._kernel.moods()):
            said = "that differs from run to run on a chip: it may choose by that"
            self.verdict.add("unknown", f"reads {', '.join(read)}, {said}")
        return self.verdict

    def _load(self) -> Kernel:
        try:
            return load_kernel(self._path, self.rules.gpu)
        except InternalError:
            raise
        except CudaTileError as error:
            self.verdict.add("faulty", f"it is no kernel: {error}")
            raise Over from None

    # Calls ---------------------------------------------------------------------------

    def _call(self, case: int, turn: int) -> None:
        call = self._make(case, turn)
        self._say(str(call.place))
        mode = self.rules.mode
        call.work = self._run(call, lambda each: self._kernel.run(each, mode))
        self._calls[case, turn] = call
        self._compare(call, "wrong")
        if len(self.verdict.findings) >= MOST_FINDINGS:
            raise Over

    def _make(self, case: int, turn: int) -> KernelCall:
        """The arguments of a call, and what is right."""
        args = self.reference.inputs(case, self._seed, turn)
        changed = self.reference.answer(args)[1]
        pairs = zip(arrays_of(args), changed, strict=True)
        which = [n for n, (was, now) in enumerate(pairs) if not same(now, was)]

        def answer(args: Sequence[Any]) -> list[Array]:
            outputs, arrays = self.reference.answer(args)
            return [*outputs, *(arrays[number] for number in which)]

        rng = np.random.default_rng([self._seed, 2, case])
        expected = expect(answer, args, rng, self.reference.tolerance)
        return KernelCall(case, turn, args, expected, which)

    def _run(self, call: KernelCall, run: Callable[[Launch], int]) -> int:
        """Runs the launches of a call on new memory; gives what they did in all."""
        args = copied(call.args)
        launches = self._launches(call, args)
        done = sum(
            self._launch(partial(run, launch), {**call.place, "launch": number})
            for number, launch in enumerate(launches)
        )
        self._look_at_inputs(call, arrays_of(args))
        call.outputs = _outputs(call, launches, args)
        return done

    def _launch(self, run: Callable[[], int], place: dict[str, Any]) -> int:
        try:
            with time_limit(self.rules.seconds):
                return run()
        except (InternalError, Unsupported):
            raise
        except LaunchTimeout:
            said = f"the launch takes over {self.rules.seconds:g} s"
        except CudaTileError as error:
            said = f"the launch failed: {error}"
        self.verdict.add("faulty", said, **place)
        raise Over

    def _launches(self, call: KernelCall, args: Sequence[Any]) -> list[Launch]:
        """What the reference asks for; memory that it does not fill has a pattern."""

        def empty(shape: int | Sequence[int], dtype: Any = np.float32) -> Array:
            found = np.empty(shape, dtype)
            found.view(np.uint8).fill(PATTERNS[call.turn])
            return found

        asked: object = self.reference.names["launch"](empty, *args)
        listed = [asked] if isinstance(asked, Launch) else asked
        is_list = isinstance(listed, (list, tuple))
        found = list(cast("Sequence[object]", listed)) if is_list else [listed]
        if not found or not all(isinstance(each, Launch) for each in found):
            self._refuse(f"expected launch to give a Launch or a list, got {asked!r}")
        launches = cast("list[Launch]", found)
        self._check_outputs(call, [a for each in launches for a in each.outputs])
        return launches

    def _check_outputs(self, call: KernelCall, outputs: Sequence[Array]) -> None:
        values = call.expected.values[: len(call.expected.values) - len(call.which)]
        kinds = [
            [(each.dtype.name, each.shape) for each in arrays]
            for arrays in (values, outputs)
        ]
        if kinds[0] != kinds[1]:
            said = f"expected outputs of launch like the reference's, {kinds[0]}"
            self._refuse(f"{said}, got {kinds[1]}")

    def _refuse(self, said: str) -> None:
        raise UserError(f"{self.reference.path}: {said}")

    # What came -----------------------------------------------------------------------

    def _look_at_inputs(self, call: KernelCall, arrays: Sequence[Array]) -> None:
        for number, (was, now) in enumerate(
            zip(arrays_of(call.args), arrays, strict=True)
        ):
            if number not in call.which and not same(now, was):
                said = "changed an input"
                self.verdict.add("wrong", said, **call.place, array=number)

    def _compare(self, call: KernelCall, word: Word, why: str = "") -> None:
        facts = zip(
            call.outputs,
            call.expected.values,
            call.expected.exact,
            call.expected.bounds,
            strict=True,
        )
        for number, each in enumerate(facts):
            fault = first_fault(*each)
            if fault is not None:
                element, said = fault
                place = {**call.place, "array": f"output {number}"}
                self.verdict.add(word, why + said, **place, element=list(element))

    def _compare_calls(self, case: int) -> None:
        """What must not depend on leftover memory."""
        first, again = self._calls[case, 0], self._calls[case, 2]
        pairs = zip(first.outputs, again.outputs, strict=True)
        for number, (one, two) in enumerate(pairs):
            if not same(one, two):
                self.verdict.add(
                    "faulty",
                    "two calls with the same data differ: it depends on memory that "
                    "nobody wrote",
                    **again.place,
                    array=f"output {number}",
                )

    # The largest case once more ------------------------------------------------------

    def _look_at_largest(self) -> None:
        """In exact numbers, and in an adversarial order."""
        small = [
            call
            for (_, turn), call in self._calls.items()
            if turn == 0 and 0 < call.work <= MOST_OPS
        ]
        if not small:
            said = "no case is small enough for exact numbers and adversarial orders"
            self.verdict.notes.append(said)
            return
        call = max(small, key=lambda call: call.work)
        self._look_exactly(call)
        if self.verdict.word == "right" and self.rules.emulate:
            self._emulate(call)

    def _look_exactly(self, call: KernelCall) -> None:
        """No tolerance hides a term that is left out, see `exactly`."""
        values = call.expected.values
        wanted = exact_outputs(self, call.args, call.which, values)
        got = None if wanted is None else self._exact_outputs(call)
        if wanted is not None and got is not None:
            word = self._kernel.differs_exactly
            compare_exactly(self.verdict, wanted, got, call.place, word)

    def _exact_outputs(self, call: KernelCall) -> list[Array] | None:
        """What the kernel leaves of exact numbers; None if that says nothing."""
        args = [each if as_array(each) is None else entered(each) for each in call.args]
        launches, said = self._launches(call, args), self._kernel.unlawful()
        try:
            for launch in () if said else launches:
                self._kernel.run_exactly(launch)
        except CudaTileError as error:
            said = str(error)
        if said:
            self.verdict.notes.append(f"not compared in exact numbers: {said}")
            return None
        return _outputs(call, launches, args)

    def _emulate(self, call: KernelCall) -> None:
        order = self._seed % 1000
        try:
            ours = self._run(call, lambda each: self._kernel.emulate(each, order))
        except Unsupported as error:
            self.verdict.notes.append(f"not emulated: {error}")
            return
        except Over:
            return
        self._compare(call, self._kernel.differs, "in an adversarial order ")
        theirs = reference_instructions(self, call.args, call.place, self._seed)
        self.verdict.weigh(ours, theirs, self.rules.slower, call.place)


def _outputs(
    call: KernelCall, launches: Sequence[Launch], args: Sequence[Any]
) -> list[Array]:
    """What the launches left in outputs and in arguments that they should change."""
    arrays = arrays_of(args)
    returned = [np.array(out) for launch in launches for out in launch.outputs]
    return [*returned, *(arrays[number] for number in call.which)]
