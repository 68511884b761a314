# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shuffle mode: weak accesses are delayed at random, as far as tokens allow.

Only tokens order memory operations, so a weak load or store may execute at any time
before an op needs its result or its token. In shuffle mode each is delayed with even
odds; a placeholder (`Later`) stands for its results until an op needs them. Program
order is one legal execution, this makes others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cuda_tile.interp.program import Op
from cuda_tile.interp.protocol import Running
from cuda_tile.interp.undefined import as_results

DELAYED = frozenset(
    ("load_ptr_tko", "store_ptr_tko", "load_view_tko", "store_view_tko")
)
"""Ops that may be delayed while they are weak."""

FIRST_PASSED = {
    "yield": 0,
    "continue": 0,
    "break": 0,
    "join_tokens": 0,
    "loop": 0,
    "for": 3,
    "if": 1,
}
"""Ops that forward operands unread, with the first operand that they forward."""

MAX_PENDING = 32
"""Most delayed accesses of one block; beyond that, one of them executes."""


@dataclass(eq=False, slots=True)
class LateOp:
    """A delayed op; `results` is None until it has executed."""

    op: Op
    values: tuple[Any, ...]
    results: tuple[Any, ...] | None = None


@dataclass(frozen=True, slots=True)
class Later:
    """Placeholder for result `index` of a delayed op."""

    late: LateOp
    index: int


class Delays:
    """The delayed ops of one tile block."""

    def __init__(self) -> None:
        self._pending: list[LateOp] = []

    def settle(self, run: Running, op: Op, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """The operands; delayed ops whose results `op` reads are executed first."""
        passed = FIRST_PASSED.get(op.name, len(values))
        return tuple(
            self.force(run, value) if index < passed else value
            for index, value in enumerate(values)
        )

    def delay(
        self, run: Running, op: Op, values: tuple[Any, ...]
    ) -> tuple[Later, ...] | None:
        """Delays an op and gives placeholders for its results, or None."""
        waits_for_others = op.name == "join_tokens" and any(
            type(value) is Later for value in values
        )
        if not waits_for_others and not (
            op.name in DELAYED and not op.waits and bool(run.launch.random.integers(2))
        ):
            return None
        late = LateOp(op, values)
        self._pending.append(late)
        if len(self._pending) > MAX_PENDING:
            self._run(run, self._pending[run.launch.random.integers(MAX_PENDING)])
        return tuple(Later(late, index) for index in range(len(op.results)))

    def is_late(self, results: tuple[Any, ...]) -> bool:
        """Whether some of the results are placeholders."""
        return any(type(result) is Later for result in results)

    def finish(self, run: Running) -> None:
        """Executes everything that is delayed, in random order."""
        while self._pending:
            place = run.launch.random.integers(len(self._pending))
            self._run(run, self._pending[place])

    def force(self, run: Running, value: Any) -> Any:
        """The value; if it is a placeholder, its op is executed first."""
        if type(value) is not Later:
            return value
        return self._run(run, value.late)[value.index]

    def _run(self, run: Running, late: LateOp) -> tuple[Any, ...]:
        if late.results is None:
            values = tuple(self.force(run, value) for value in late.values)
            late.results = as_results(run.evaluate(late.op, values))
            self._pending.remove(late)
            if run.launch.trace is not None:
                run.launch.trace(late.op, late.results)
        return late.results
