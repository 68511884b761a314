"""One tile block that runs, and what all blocks of a launch share.

Walks decoded ops and calls their rules; the meaning of ops is in the family modules.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from cuda_tile.errors import InternalError
from cuda_tile.interp.accesses import AccessLog
from cuda_tile.interp.program import Block, Entry, Op
from cuda_tile.interp.table import PARTIAL
from cuda_tile.interp.undefined import as_results, spread
from cuda_tile.interp.values import InterpError, Jump, Mask, Partial
from cuda_tile.runtime.elements import Array
from cuda_tile.runtime.memory import GlobalMemory

Trace = Callable[[Op, tuple[Any, ...]], None]
"""Called after each op with the op and its results."""


@dataclass(slots=True)
class Launch:
    """What the blocks of one launch share.

    Attributes:
        kernel: Name of the entry.
        memory: Everything a pointer may reach.
        grid: Tile blocks along x, y, z.
        is_checked: Whether undefined behaviour is an error.
        reduce_order: `tree`, `left` or `shuffle`: how reductions combine elements.
        random: Source of the shuffles.
        trace: Called after each op, or None.
        limit: Ops that may run before the launch is given up, or None.
        op_count: Ops run so far.
    """

    kernel: str
    memory: GlobalMemory
    grid: tuple[int, int, int]
    is_checked: bool
    reduce_order: str
    random: np.random.Generator
    trace: Trace | None = None
    limit: int | None = None
    op_count: int = 0


@dataclass(slots=True)
class TileBlock:
    """One tile block: its id, its values, its memory accesses."""

    launch: Launch
    entry: Entry
    block_id: tuple[int, int, int]
    slots: list[Any] = field(default_factory=list[Any])
    accesses: AccessLog = field(default_factory=AccessLog)

    def run(self, arguments: tuple[Array, ...]) -> None:
        """Runs the entry's body once with 0-d arguments."""
        self.slots = [None] * self.entry.slot_count
        self.run_block(self.entry.body, arguments)

    def run_block(self, block: Block, arguments: tuple[Any, ...]) -> Jump:
        """Runs a block to its end and says how it ended, with which values."""
        for slot, value in zip(block.arguments, arguments, strict=True):
            self.slots[slot] = value
        for op in block.ops:
            result = self.step(op)
            if isinstance(result, Jump):
                return result
        return Jump("yield", ())

    def step(self, op: Op) -> Jump | None:
        """Runs one op and keeps its results."""
        launch = self.launch
        launch.op_count += 1
        if launch.limit is not None and launch.op_count > launch.limit:
            self.fail(
                op, f"more than {launch.limit} ops ran; raise the limit if needed"
            )
        values = tuple(self.slots[slot] for slot in op.operands)
        if any(type(value) is Partial for value in values):
            rule = PARTIAL.get(op.name, spread)
            result = rule(self, op, *values)
        else:
            result = op.rule(self, op, *values)
        if isinstance(result, Jump):
            return result
        self._keep(op, as_results(result))
        return None

    def _keep(self, op: Op, results: tuple[Any, ...]) -> None:
        if len(results) != len(op.results):
            raise InternalError(
                f"interp: the rule of '{op.name}' gave {len(results)} values, "
                f"expected {len(op.results)}"
            )
        for slot, value in zip(op.results, results, strict=True):
            self.slots[slot] = value
        if self.launch.trace is not None:
            self.launch.trace(op, results)

    def fail(
        self, op: Op, message: str, element_index: tuple[int, ...] | None = None
    ) -> NoReturn:
        """Raises an `InterpError` that names kernel, block, op and element."""
        element = f", element {list(element_index)}" if element_index else ""
        name = op.name if "." in op.name else f"cuda_tile.{op.name}"
        raise InterpError(
            f"{self.launch.kernel}, tile block {self.block_id}: '{name}'{element}: "
            f"{message}",
            op.location,
            kernel=self.launch.kernel,
            block_id=self.block_id,
            op_name=op.name,
            element_index=element_index,
        )

    def forbid(self, op: Op, bad: Mask, message: str) -> None:
        """In checked mode, fails at the first True element of `bad`."""
        if self.launch.is_checked and np.any(bad):
            where = np.argwhere(bad)[0]
            self.fail(op, message, tuple(int(i) for i in where))

    def defined(self, op: Op, value: Any, what: str) -> Any:
        """The value itself; fails where some element of it is unspecified."""
        if isinstance(value, Partial):
            where = tuple(int(i) for i in np.argwhere(value.undefined)[0])
            self.fail(op, f"{what} is unspecified (read without padding)", where)
        return value
