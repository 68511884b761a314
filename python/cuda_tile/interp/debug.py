# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A debugger for kernels: run to an op, look at values as NumPy arrays, go on.

debugger = interp.Debugger(module, grid=(4,), args=[a, b, c])
debugger.break_at("addf")                # or "kernels.py:12", or a function
while stop := debugger.run():
    print(stop.block_id, stop.describe())
    print(stop.operand(0).max())
print(debugger.report)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeAlias, cast

import numpy as np

from cuda_tile.errors import UserError
from cuda_tile.interp import trace
from cuda_tile.interp.driver import InterpReport, Session
from cuda_tile.interp.machine import Stop, TileBlock
from cuda_tile.interp.program import Op, all_ops
from cuda_tile.interp.undefined import data_of, mask_of
from cuda_tile.interp.values import Mask, Partial
from cuda_tile.runtime.args import Argument
from cuda_tile.runtime.elements import Array

Break: TypeAlias = Callable[[Op], bool]
"""Whether to stop after an op."""


class StopView:
    """A tile block that stands just after an op.

    Attributes:
        op: The op that ran last, with name, attributes and location.
        block_id: The tile block, x, y, z.
    """

    def __init__(self, stop: Stop) -> None:
        self._stop = stop
        self.op: Op = stop.op
        self.block_id: tuple[int, int, int] = stop.run.block_id

    @property
    def location(self) -> str:
        """Where the op comes from."""
        return self.op.location

    def operand(self, index: int) -> Any:
        """Operand `index`: a tile as a NumPy array (a copy), other values as kept."""
        return self._shown(self._raw(self.op.operands, index, "operand"))

    def result(self, index: int = 0) -> Any:
        """Result `index`, as `operand` gives operands."""
        return self._shown(self._raw(self.op.results, index, "result"))

    def unspecified(self, index: int = 0) -> Mask:
        """Which elements of result `index` are unspecified."""
        value = self._raw(self.op.results, index, "result")
        if not isinstance(value, (np.ndarray, Partial)):
            raise UserError(
                f"expected a result of '{self.op.name}' that is a tile, got {index}"
            )
        return mask_of(cast("Array | Partial", value))

    def __repr__(self) -> str:
        return f"<tile block {self.block_id} after {self.describe()}>"

    def describe(self) -> str:
        """The op and its results on one line, as `--trace` prints them."""
        results = tuple(self._force(value) for value in self._stop.results)
        return trace.describe(self.op, results)

    def _raw(self, slots: tuple[int, ...], index: int, what: str) -> Any:
        if not 0 <= index < len(slots):
            raise UserError(
                f"expected {what} 0 to {len(slots) - 1} of '{self.op.name}', "
                f"got {index}"
            )
        return self._force(self._stop.run.slots[slots[index]])

    def _force(self, value: Any) -> Any:
        return self._stop.run.delays.force(self._stop.run, value)

    def _shown(self, value: Any) -> Any:
        data: Any = data_of(value)
        return np.array(cast(Array, data)) if isinstance(data, np.ndarray) else data


class _Breaks:
    """The breakpoints of a `Debugger`, as its launch asks for them.

    Attributes:
        wanted: After which ops to stop.
        is_stepping: Whether to stop after every one.
    """

    def __init__(self) -> None:
        self.wanted: list[Break] = []
        self.is_stepping = False

    def before(self, run: TileBlock, op: Op) -> bool:
        """Never before an op."""
        return False

    def after(self, run: TileBlock, op: Op, results: tuple[Any, ...]) -> bool:
        """After those that are wanted."""
        return self.is_stepping or any(is_wanted(op) for is_wanted in self.wanted)

    def wrote(
        self, run: TileBlock, op: Op, places: Array, positions: Array, size_bytes: int
    ) -> None:
        """Stores make no difference."""


class Debugger:
    """A launch that stops where it is told to; the arguments are those of `run`."""

    def __init__(
        self,
        module: Any,
        entry: str | None = None,
        *,
        grid: int | Sequence[int],
        args: Sequence[Argument],
        **options: Any,
    ) -> None:
        self._breaks = _Breaks()
        self._session = Session(
            module, entry, grid=grid, args=args, watcher=self._breaks, **options
        )
        self._stops: Generator[Stop, None, None] | None = None
        self._report: InterpReport | None = None
        self.block_id: tuple[int, int, int] | None = None

    def break_at(self, where: str | Break) -> None:
        """Stops after every op that `where` names.

        Args:
            where: An op's name (`mmaf`), the end of a location (`kernels.py:12`, a
                column may be left out), or a function from an op to whether to stop.

        Raises:
            UserError: No op of the kernel is meant.
        """
        ops = all_ops(self._session.entry.body)
        wanted = _matcher(where, ops) if isinstance(where, str) else where
        if not any(wanted(op) for op in ops):
            raise UserError(
                f"expected the name or location of an op, got '{where}'; the kernel "
                f"has {_known(ops, str(where))}"
            )
        self._breaks.wanted.append(wanted)

    def only_in(self, block_id: tuple[int, int, int] | None) -> None:
        """Stops only in this tile block from now on; None for in all."""
        self.block_id = block_id

    def run(self) -> StopView | None:
        """Continues to the next stop; None when the launch has ended.

        Raises:
            InterpError: As `interp.run`.
        """
        if self._stops is None:
            self._stops = self._session.stops()
        for stop in self._stops:
            if self.block_id in (None, stop.run.block_id):
                return StopView(stop)
        self._report = self._session.report()
        return None

    def step(self) -> StopView | None:
        """Continues to the next op of any block that runs."""
        self._breaks.is_stepping = True
        try:
            return self.run()
        finally:
            self._breaks.is_stepping = False

    @property
    def report(self) -> InterpReport:
        """The report of the launch.

        Raises:
            UserError: The launch has not ended.
        """
        if self._report is None:
            raise UserError("expected a launch that has ended; call run() until None")
        return self._report


def _matcher(where: str, ops: Sequence[Op]) -> Break:
    """The ops of `ops` that a name, or the end of a location, means."""
    place = re.compile(rf"(?<![\w.:-]){re.escape(where)}(:\d+)*(?![\w:])")
    wanted = {
        op for op in ops if where and (op.name == where or place.search(op.location))
    }
    return wanted.__contains__


def _known(ops: Sequence[Op], where: str) -> str:
    """Proposals for a place that was not found: lines, or names of ops."""
    if ":" not in where:
        return ", ".join(sorted({op.name for op in ops}))
    return ", ".join(dict.fromkeys(op.location.rpartition(":")[0] for op in ops))
