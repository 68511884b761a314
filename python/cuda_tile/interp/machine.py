# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A running tile block, and the state that all blocks of a launch share.

Executes decoded ops by their rules; the semantics of ops are in the family modules. A
tile block is a coroutine: it yields after each op that other blocks may wait for or
that may itself wait, and at breakpoints.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from math import prod
from types import GeneratorType
from typing import Any, NoReturn, Protocol, TypeAlias, cast

import numpy as np

from cuda_tile.errors import InternalError
from cuda_tile.exact.algebra import Algebra
from cuda_tile.interp.alarms import Alarms
from cuda_tile.interp.delay import Delays
from cuda_tile.interp.flight import Flight
from cuda_tile.interp.log import AccessLog
from cuda_tile.interp.origins import Origins
from cuda_tile.interp.program import Block, Entry, Global, Op
from cuda_tile.interp.protocol import Trace
from cuda_tile.interp.races import Races
from cuda_tile.interp.scratch import Scratch, release, reserve
from cuda_tile.interp.table import PARTIAL
from cuda_tile.interp.undefined import as_results, spread
from cuda_tile.interp.values import InterpError, Jump, Mask, Partial
from cuda_tile.runtime.elements import Array, Element, from_memory, poison
from cuda_tile.runtime.memory import GlobalMemory
from cuda_tile.runtime.preceding import ByteRanges

BlockTrace = Callable[[tuple[int, int, int]], None]
"""Called with the id of a tile block whenever it resumes."""


class Watcher(Protocol):
    """Sees what the tile blocks of a launch do, and says where they stop."""

    def before(self, run: TileBlock, op: Op) -> bool:
        """Whether to stop before an op; those of a reduction's body are not asked."""
        ...

    def after(self, run: TileBlock, op: Op, results: tuple[Any, ...]) -> bool:
        """Whether to stop after an op; `results` may be placeholders (`delay.py`)."""
        ...

    def wrote(
        self, run: TileBlock, op: Op, places: Array, positions: Array, size_bytes: int
    ) -> None:
        """An op stored to memory.

        Args:
            run: The tile block.
            op: The store or atomic.
            places: Byte addresses of the elements that were stored.
            positions: Their places in the op's flat tile.
            size_bytes: Bytes per element.
        """
        ...


@dataclass(slots=True)
class Launch:
    """What the blocks of one launch share.

    Attributes:
        kernel: Name of the entry.
        memory: Everything a pointer may reach.
        grid: Tile blocks along x, y, z.
        is_checked: Whether undefined behaviour is looked for.
        is_strict: Whether undefined behaviour that hardware tolerates is an error, too.
        is_shuffled: Whether weak accesses are delayed at random.
        has_zeros: Whether unspecified elements are zeros.
        algebra: The numbers that replace floats, if any; see `exact.py`.
        order: `tree`, `left`, `swapped` or `shuffle`; see `reduce.py`.
        random: Source of the shuffles.
        globals: The module's globals by name.
        races: Finds races between blocks, or None in permissive mode.
        replicas: Multicast arrays: first and last byte, addresses of the replicas.
        trace: Called after each op, or None.
        on_block: Called when a tile block resumes, or None.
        watcher: Sees each op and may stop there, or None.
        limit: Most ops that may run before the launch fails, or None.
        op_count: Ops run so far.
        write_count: Accesses so far that wrote something.
        output: What the kernel printed, a string per print.
        failures: Lines of failed assertions.
        alarms: Behaviour that is no error in this mode, but probably not intended.
        scratch: Memory of the live allocas.
        retired: Memory of ended allocas; kept so that its addresses, which the access
            logs still name, are not reused.
        live: Blocks that have begun and not ended.
        preceding: Bytes that the preceding grid of a programmatic launch may write.
    """

    kernel: str
    memory: GlobalMemory
    grid: tuple[int, int, int]
    is_checked: bool
    is_strict: bool
    order: str | None
    random: np.random.Generator
    is_shuffled: bool = False
    has_zeros: bool = False
    algebra: Algebra | None = None
    globals: dict[str, Global] = field(default_factory=dict[str, Global])
    races: Races | None = None
    replicas: list[tuple[int, int, list[int]]] = field(
        default_factory=list[tuple[int, int, list[int]]]
    )
    trace: Trace | None = None
    on_block: BlockTrace | None = None
    watcher: Watcher | None = None
    limit: int | None = None
    op_count: int = 0
    write_count: int = 0
    output: list[str] = field(default_factory=list[str])
    failures: list[str] = field(default_factory=list[str])
    alarms: Alarms = field(default_factory=Alarms)
    scratch: list[Scratch] = field(default_factory=list[Scratch])
    retired: list[Scratch] = field(default_factory=list[Scratch])
    live: list[TileBlock] = field(default_factory=list["TileBlock"])
    preceding: ByteRanges = ()

    def waiting(self) -> str:
        """Names the ops at which blocks wait for others, as the end of a message."""
        places = [
            f"tile block {run.block_id} at '{run.wait.name}' ({run.wait.location})"
            for run in self.live[:4]
            if run.wait is not None
        ]
        if places:
            return f"; waiting: {'; '.join(places)}"
        waiting = (
            prod(self.grid) - 1 - max((run.number for run in self.live), default=0)
        )
        if not waiting:
            return ""
        return (
            f"; {waiting} tile blocks had no turn yet: one that waits for others must "
            "read by relaxed or acquire loads, or atomics"
        )

    def standing(self) -> str:
        """Names the op at which the running block stands."""
        for run in self.live:
            if run.is_running and run.at is not None:
                return (
                    f"{self.kernel} stood in tile block {run.block_id} at "
                    f"'{run.at.name}' ({run.at.location}), after {self.op_count} ops"
                    f"{self.waiting()}"
                )
        return f"{self.kernel} stood after {self.op_count} ops"


@dataclass(eq=False, slots=True)
class TileBlock:
    """One tile block: its id, its values, its memory accesses.

    Attributes:
        launch: The state that it shares with the others.
        entry: The kernel.
        block_id: Its place in the grid; for a persistent kernel, that of the tile block
            that it serves.
        number: Its number in the order in which blocks begin.
        slots: Its values.
        accesses: Its memory accesses so far.
        delays: Its delayed accesses.
        scratch: Its live allocas, oldest first.
        wait: The op at which it yielded last.
        at: The op that began last.
        is_running: Whether it is the block that runs now.
        broken: Slots of false assumptions about strides, and the assumptions.
        flight: The copies and products that it has started.
        role: The region of `tileas.roles` that runs now, counted from 1; 0 outside.
        served: The tile blocks that it serves, in order, if the kernel is persistent.
        origins: The accesses that gave it unspecified elements.
    """

    launch: Launch
    entry: Entry
    block_id: tuple[int, int, int]
    number: int = 0
    slots: list[Any] = field(default_factory=list[Any])
    accesses: AccessLog = field(default_factory=AccessLog)
    delays: Delays = field(default_factory=Delays)
    scratch: list[Scratch] = field(default_factory=list[Scratch])
    wait: Op | None = None
    at: Op | None = None
    is_running: bool = False
    broken: dict[int, tuple[Op, str]] = field(default_factory=dict[int, tuple[Op, str]])
    flight: Flight = field(default_factory=Flight)
    role: int = 0
    served: tuple[tuple[int, int, int], ...] = ()
    origins: Origins = field(default_factory=Origins)

    def run(self, arguments: tuple[Array, ...]) -> Body:
        """Runs the entry's body once with 0-d arguments."""
        self.slots = [None] * self.entry.slot_count
        end = yield from self.run_block(self.entry.body, arguments)
        self.delays.finish(self)
        self.flight.finish(self)
        self.free(0)
        return end

    def run_block(self, block: Block, arguments: tuple[Any, ...]) -> Body:
        """Runs a block to its end; gives its terminator and the operands of that."""
        for slot, value in zip(block.arguments, arguments, strict=True):
            self.slots[slot] = value
        launch = self.launch
        watcher = launch.watcher
        for op in block.ops:
            if watcher is not None and watcher.before(self, op):
                yield Stop(self, op, ())
            result: Any = self._begin(op)
            if type(result) is GeneratorType:
                result = yield from cast(Generator[Event, None, Any], result)
            if isinstance(result, Jump):
                if watcher is not None and watcher.after(self, op, ()):
                    yield Stop(self, op, ())
                return result
            results = self._keep(op, as_results(result))
            if watcher is not None and watcher.after(self, op, results):
                yield Stop(self, op, results)
            if op.waits:
                self.delays.finish(self)
                self.wait = op
                yield None
            elif self.role and launch.is_shuffled and op.name.startswith("tileas."):
                yield PAUSE
        return Jump("yield", ())

    def wait_until(
        self, op: Op, can_go_on: Callable[[], bool], why: str
    ) -> Generator[Event, None, None]:
        """Waits at an op until another role lets it go on.

        Args:
            op: The op.
            can_go_on: Tells whether it may continue; called again after others ran.
            why: The reason for the wait, as in "iteration 5 is not published yet".

        Raises:
            InterpError: It must wait, and there are no other roles.
        """
        while not can_go_on():
            if not self.role:
                self.fail(
                    op,
                    f"waits for ever: {why}, and outside 'tileas.roles' nothing else "
                    "runs that could do it",
                )
            yield Blocked(op, can_go_on, why)

    def run_pure(self, block: Block, arguments: tuple[Any, ...]) -> Jump:
        """Runs a block without control flow or memory accesses."""
        for slot, value in zip(block.arguments, arguments, strict=True):
            self.slots[slot] = value
        for op in block.ops:
            result = self._begin(op)
            if isinstance(result, Jump):
                return result
            self._keep(op, as_results(result))
        return Jump("yield", ())

    def _begin(self, op: Op) -> Any:
        """Counts one op and evaluates it; ops with regions give a coroutine."""
        launch = self.launch
        launch.op_count += 1
        self.at = op
        if launch.limit is not None and launch.op_count > launch.limit:
            self.fail(
                op,
                f"more than {launch.limit} ops ran; raise the limit if needed"
                f"{launch.waiting()}",
            )
        values = tuple(self.slots[slot] for slot in op.operands)
        if launch.is_shuffled:
            values = self.delays.settle(self, op, values)
            late = self.delays.delay(self, op, values)
            if late is not None:
                return late
        return self.evaluate(op, values)

    def evaluate(self, op: Op, values: tuple[Any, ...]) -> Any:
        """Calls the rule that fits the values."""
        if any(type(value) is Partial for value in values):
            return PARTIAL.get(op.name, spread)(self, op, *values)
        result = op.rule(self, op, *values)
        self.origins.note(op, result)
        return result

    def _keep(self, op: Op, results: tuple[Any, ...]) -> tuple[Any, ...]:
        if len(results) != len(op.results):
            raise InternalError(
                f"interp: the rule of '{op.name}' gave {len(results)} values, "
                f"expected {len(op.results)}"
            )
        for slot, value in zip(op.results, results, strict=True):
            self.slots[slot] = value
        if self.launch.trace is not None and not self.delays.is_late(results):
            self.launch.trace(op, results)
        return results

    def allocate(self, op: Op, size_bytes: int, align: int, *, is_shared: bool) -> int:
        """Memory of an alloca, until the scope around it ends."""
        memory = self.launch.memory
        try:
            piece = reserve(memory, op, size_bytes, align, is_shared=is_shared)
        except (MemoryError, ValueError):  # NumPy's of what no array can hold
            self.fail(op, f"expected {size_bytes} bytes of memory, got less")
        piece.owner = self.number
        self.scratch.append(piece)
        self.launch.scratch.append(piece)
        return piece.start

    def free(self, keep: int) -> None:
        """Ends the life of all but the oldest `keep` allocas of the block."""
        if len(self.scratch) <= keep:
            return
        self.delays.finish(self)
        for piece in self.scratch[keep:]:
            release(self.launch.memory, piece)
            self.launch.scratch.remove(piece)
            self.launch.retired.append(piece)
        del self.scratch[keep:]

    def fail(
        self,
        op: Op,
        message: str,
        element_index: tuple[int, ...] | None = None,
        kind: type[InterpError] = InterpError,
    ) -> NoReturn:
        """Raises an `InterpError` that names kernel, block, op and element."""
        element = f", element {list(element_index)}" if element_index else ""
        name = op.name if "." in op.name else f"cuda_tile.{op.name}"
        raise kind(
            f"{self.launch.kernel}, tile block {self.block_id}: '{name}'{element}: "
            f"{message}",
            op.location,
            kernel=self.launch.kernel,
            block_id=self.block_id,
            op_name=op.name,
            element_index=element_index,
        )

    def doubt(
        self, op: Op, kind: str, message: str, index: tuple[int, ...] | None = None
    ) -> None:
        """Reports behaviour that is undefined, but that hardware tolerates.

        It fails in strict mode; hardware mode counts a warning and continues.

        Args:
            op: The op.
            kind: Distinguishes its warnings: one text per op and kind is kept.
            message: The text: what is undefined.
            index: The element at fault.
        """
        if self.launch.is_strict:
            self.fail(op, message, index)
        element = f", element {list(index)}" if index else ""
        name = f"'{op.name}'{element} in tile block {self.block_id}"
        self.launch.alarms.note(op.location, kind, f"{name}: {message}")

    def unspecified(self, shape: tuple[int, ...], kind: Element) -> Array:
        """A tile of unspecified elements.

        Hardware mode computes with zeros, since hardware survives addresses, masks and
        indices of zeros, and with random bits under a seed; it stores `shown`. The
        other modes use a conspicuous pattern, unless zeros are asked for.
        """
        launch = self.launch
        is_hardware = launch.is_checked and not launch.is_strict
        if not is_hardware and not launch.has_zeros:
            return poison(shape, kind)
        size = (prod(shape), kind.storage_bytes)
        raw = np.zeros(size, np.uint8)
        if is_hardware and launch.is_shuffled:
            raw = launch.random.integers(0, 256, size, np.uint8)
        return from_memory(raw, kind).reshape(shape)

    def shown(self, values: Array, lost: Mask, kind: Element) -> Array:
        """Values to store, with the pattern of `poison` for unspecified elements.

        Under a seed their bits are random, so that they differ each time.

        Args:
            values: The tile.
            lost: The elements that depend on unspecified ones, of the same shape.
            kind: Their type.
        """
        launch = self.launch
        if launch.has_zeros or launch.is_shuffled or launch.algebra:
            return values
        return np.where(lost, poison(values.shape, kind), values)

    def forbid(self, op: Op, bad: Mask, message: str, got: Array | None = None) -> None:
        """Unless permissive, fails at the first True element of `bad`.

        Args:
            op: The op.
            bad: The elements at fault.
            message: The text of the fault.
            got: Values of the same shape; the message names the one at fault.
        """
        if self.launch.is_checked and np.any(bad):
            where = tuple(int(i) for i in np.argwhere(bad)[0])
            value = "" if got is None else f", got {got[where]}"
            self.fail(op, message + value, where)

    def defined(self, op: Op, value: Any, what: str) -> Any:
        """The value itself; doubts it where some element is unspecified."""
        if isinstance(value, Partial):
            where = tuple(int(i) for i in np.argwhere(value.undefined)[0])
            origin = self.origins.text(self.entry, op)
            self.doubt(op, what, f"{what} is unspecified{origin}", where)
            return value.data
        return value


@dataclass(frozen=True, slots=True)
class Stop:
    """A tile block that stopped where the watcher asked for it.

    Attributes:
        run: The tile block.
        op: The op before or after which it stands.
        results: Its results, if it ran.
    """

    run: TileBlock
    op: Op
    results: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Blocked:
    """A role that waits for another one; `interp/roles.py` lets these run.

    Attributes:
        op: The op that waits.
        can_go_on: Tells whether it may continue.
        why: The reason for the wait.
    """

    op: Op | None
    can_go_on: Callable[[], bool]
    why: str


PAUSE = Blocked(None, lambda: True, "")
"""A role that lets others run; under a seed after each op that they may see."""

Event: TypeAlias = Stop | Blocked | None
"""What a coroutine yields: None where other blocks may run, a `Stop` at a breakpoint,
`Blocked` inside `tileas.roles` where other roles may run."""

Body: TypeAlias = Generator[Event, None, Jump]
"""A coroutine that runs a block."""
