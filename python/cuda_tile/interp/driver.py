# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a kernel of a module on the CPU, tile block by tile block."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from cuda_tile._mlir import ir
from cuda_tile.errors import UserError, add_note, expect
from cuda_tile.exact.algebra import algebra_of
from cuda_tile.interp import decisions
from cuda_tile.interp.decode import decode
from cuda_tile.interp.exact import Rules
from cuda_tile.interp.machine import (
    BlockTrace,
    Launch,
    Stop,
    TileBlock,
    Trace,
    Watcher,
)
from cuda_tile.interp.program import Entry, Program
from cuda_tile.interp.races import Races
from cuda_tile.interp.schedule import run_blocks
from cuda_tile.interp.values import InterpError, RaceError
from cuda_tile.runtime.args import Argument, Bound, Multicast, bind_args
from cuda_tile.runtime.elements import Array
from cuda_tile.runtime.memory import GlobalMemory
from cuda_tile.runtime.options import read, takes_options
from cuda_tile.runtime.preceding import Preceding, byte_ranges
from cuda_tile.runtime.report import Finding, RunReport


@dataclass
class InterpReport(RunReport[Finding]):
    """What a launch did.

    Attributes:
        grid: Tile blocks along x, y, z.
        block_count: Tile blocks that ran.
        seconds: Wall time of the launch.
    """

    grid: tuple[int, int, int] = (1, 1, 1)
    block_count: int = 1
    seconds: float = 0.0


CHECKED = {
    "strict": "bounds, races, undefined behaviour, unspecified elements",
    "hardware": "bounds, races, what hardware does not run; warnings of the rest",
    "permissive": "nothing",
}
"""What each mode looks at."""


@dataclass(frozen=True)
class InterpFinding(Finding):
    """One fault of a kernel on the interpreter.

    Attributes:
        location: Its place in the source, with the tile block; empty if unknown.
        op_name: Mnemonic of the op at fault, or None.
        block_id: Tile block that failed, or None outside any.
    """

    location: str = ""
    op_name: str | None = None
    block_id: tuple[int, int, int] | None = None

    @property
    def where(self) -> str:
        """Kernel and location."""
        return f"{self.kernel}: {self.location}" if self.location else self.kernel

    @classmethod
    def of(cls, error: InterpError, kernel: str) -> InterpFinding:
        """The finding of an error."""
        place, message = error.location or "", error.message
        kind = "race" if isinstance(error, RaceError) else "undefined"
        return cls(kind, message, kernel, place, error.op_name, error.block_id)


class AssertionsFailed(InterpError):
    """A launch ended, and asserts in it were false.

    Attributes:
        report: What the launch did; `findings` has one per false element.
    """

    def __init__(self, report: InterpReport) -> None:
        self.report = report
        failures = [each.message for each in report.findings if each.kind == "assert"]
        count = len(failures)
        rest = f"\n... and {count - 8} more" if count > 8 else ""
        super().__init__(
            f"{report.kernel}: {count} assertion{'s' if count > 1 else ''} failed:\n"
            + "\n".join(failures[:8])
            + rest,
            kernel=report.kernel,
            op_name="assert",
        )
        self.stdout = report.stdout


@takes_options
def run(
    module: Any,
    entry: str | None = None,
    *,
    grid: int | Sequence[int],
    args: Sequence[Argument],
    memory: GlobalMemory | None = None,
    trace: Trace | None = None,
    on_block: BlockTrace | None = None,
    preceding: Preceding = None,
    **choices: Any,
) -> InterpReport:
    """Runs one kernel; arrays among `args` are changed in place.

    Args:
        module: `ir.Module` (or operation) of level T or W; layouts are ignored. A
            `Program` from `load` keeps its globals from launch to launch.
        entry: Name of the kernel, or None where the module has only one.
        grid: Tile blocks along x, y, z; missing dimensions are 1.
        args: The kernel's parameters in order; NumPy arrays stand for pointers.
        memory: Where pointers may point besides `args`, or None for only there.
        trace: Called after each op, terminators excepted, with the decoded op and its
            results; `trace.describe` makes a line of them.
        on_block: Called with a tile block's place in the grid whenever it resumes;
            the ops traced from then on belong to it.
        preceding: Arrays that the preceding grid of a programmatic launch writes, or
            "all"; accesses to them that are not ordered after gdc_wait_tko are errors.
            None for a launch after the preceding grid.
        choices: Attributes of `cuda_tile.runtime.options.RunOptions`. A finding that
            is collected ends the launch, but a false assertion does not.

    Raises:
        UserError: The entry, the grid or an argument does not fit.
        InterpError: The kernel did something undefined, `limit` was reached, or no
            tile block can go on.
        AssertionsFailed: The launch ended with false assertions.
        Unsupported: An op has no rule.
        KeyboardInterrupt: With a note that says where the kernel stood.
    """
    session = Session(
        module,
        entry,
        grid=grid,
        args=args,
        memory=memory,
        trace=trace,
        on_block=on_block,
        preceding=preceding,
        **choices,
    )
    return session.finish()


def load(module: Any) -> Program:
    """Decodes a module and initialises its globals, as loading it on a GPU does.

    Raises:
        UserError: This is no module, or one without a kernel.
    """
    if isinstance(module, Program):
        return module
    if not isinstance(module, (ir.Module, ir.OpView, ir.Operation)):
        raise UserError(
            "expected a module, such as `cuda_tile.load` gives of a file, got a "
            f"{type(module).__name__}"
        )
    return decode(module)


class Session:
    """A launch that is under way; `run` takes it to its end.

    The arguments are those of `run`, and the watcher.

    Attributes:
        entry: The kernel.
        launch: What its tile blocks share.
        block_ids: The tile blocks in program order.
    """

    def __init__(
        self,
        module: Any,
        entry: str | None = None,
        *,
        grid: int | Sequence[int],
        args: Sequence[Argument],
        memory: GlobalMemory | None = None,
        trace: Trace | None = None,
        on_block: BlockTrace | None = None,
        preceding: Preceding = None,
        watcher: Watcher | None = None,
        **choices: Any,
    ) -> None:
        self._start = time.perf_counter()
        self._options = options = read(choices).for_judge("interp")
        expect("memory", memory, (GlobalMemory, type(None)), "a GlobalMemory or None")
        for name, function in (("trace", trace), ("on_block", on_block)):
            expect(name, function, (Callable, type(None)), "a function or None")
        program = load(module)
        algebra = algebra_of(options.numbers)
        if algebra is not None:
            program = Rules(algebra).program(program)
        kernel = _select(program, entry)
        is_checked = options.mode != "permissive"
        extents = _grid(kernel.name, grid, is_checked=is_checked)
        if kernel.is_pair:
            extents = 2 * extents[0], *extents[1:]
        names = [parameter.element.name for parameter in kernel.parameters]
        bound = bind_args(names, args, kernel.name)
        if algebra is not None:
            bound = algebra.enter(bound)
        self._bound = bound
        memory = GlobalMemory() if memory is None else memory
        for variable in program.globals.values():
            memory.add(f"global @{variable.name}", variable.memory)
        self._arguments = tuple(
            _argument(memory, f"argument {index}", value)
            for index, value in enumerate(bound)
        )
        self.entry = kernel
        self.block_ids = _block_ids(extents)
        has_races = is_checked and len(self.block_ids) > 1
        self.launch = Launch(
            kernel=kernel.name,
            memory=memory,
            grid=extents,
            is_checked=is_checked,
            is_strict=options.mode == "strict",
            is_shuffled=options.seed is not None,
            has_zeros=options.unspecified == "zero",
            algebra=algebra,
            order=options.order,
            random=np.random.default_rng(options.seed),
            globals=program.globals,
            races=Races(memory) if has_races else None,
            replicas=_replicas(bound),
            trace=trace,
            on_block=on_block,
            watcher=watcher,
            limit=options.limit,
            preceding=byte_ranges(preceding, bound),
        )

    def stops(self) -> Generator[Stop, None, None]:
        """Runs the launch; pauses wherever the watcher asks for it."""
        steps = run_blocks(self._tile_blocks(), self._arguments)
        while True:
            try:
                with np.errstate(all="ignore"):
                    stop = next(steps, None)
            except InterpError as error:
                error.stdout = "".join(self.launch.output)
                raise
            except KeyboardInterrupt as error:
                add_note(error, self.launch.standing())
                raise
            if stop is None:
                if self.launch.algebra is not None:
                    self.launch.algebra.enter(self._bound)
                return
            yield stop

    def _tile_blocks(self) -> Iterator[TileBlock]:
        """The tile blocks in the order in which they begin.

        For a persistent kernel these are CTAs: each serves two tile blocks, or as many
        as a seed says; which ones and in which order is unspecified.
        """
        order: Any = range(len(self.block_ids))
        random = self.launch.random
        if self.launch.is_shuffled:
            order = random.permutation(len(self.block_ids))
        ids = [self.block_ids[int(place)] for place in order]
        if not self.entry.is_persistent:
            for number, place in enumerate(ids):
                yield TileBlock(self.launch, self.entry, place, number)
            return
        count = -(-len(ids) // 2)
        if self.launch.is_shuffled:
            count = int(random.integers(1, len(ids) + 1))
        for number in range(count):
            served = tuple(ids[number::count])
            yield TileBlock(self.launch, self.entry, served[0], number, served=served)

    def finish(self) -> InterpReport:
        """Runs the launch to its end; as `run`."""
        try:
            for _ in self.stops():
                pass
        except InterpError as error:
            return self.outcome(error)
        return self.report()

    def outcome(self, error: InterpError) -> InterpReport:
        """The report of a launch that an error ended, if findings are collected.

        Raises:
            AssertionsFailed: Some assertion was false before, which ends a kernel on a
                GPU, and findings are not collected.
            InterpError: They are not, and none was: the error.
        """
        if self._options.collect:
            return self.report(InterpFinding.of(error, self.launch.kernel))
        self.report()
        raise error

    def report(self, *found: Finding) -> InterpReport:
        """The report of the launch after its end.

        Args:
            found: The finding that ended it.

        Raises:
            AssertionsFailed: Some assertion was false, and findings are not collected.
        """
        launch, options = self.launch, self._options
        asserts = [Finding("assert", text, launch.kernel) for text in launch.failures]
        order = "one random order" if launch.is_shuffled else "program order"
        report = InterpReport(
            launch.kernel,
            [*found, *asserts],
            "".join(launch.output),
            launch.alarms.lines(),
            f"{CHECKED[options.mode or '']}, in {order}; not other orders",
            launch.op_count,
            launch.grid,
            len(self.block_ids),
            time.perf_counter() - self._start,
        )
        if asserts and not options.collect:
            raise AssertionsFailed(report)
        return report


def _replicas(bound: Sequence[Bound]) -> list[tuple[int, int, list[int]]]:
    """First and last byte of each multicast array, and where its replicas begin."""
    return [
        (
            _address(array),
            _address(array) + array.nbytes,
            [_address(target) for target in array.targets],
        )
        for array in bound
        if isinstance(array, Multicast)
    ]


def _address(array: Array) -> int:
    return int(array.__array_interface__["data"][0])


def _select(program: Program, name: str | None) -> Entry:
    known = ", ".join(program.entries)
    if name is None:
        if len(program.entries) > 1:
            raise UserError(f"expected the name of a kernel, one of: {known}")
        return next(iter(program.entries.values()))
    if name not in program.entries:
        raise UserError(f"expected a kernel among {known}, got '{name}'")
    return program.entries[name]


def _grid(
    kernel: str, grid: int | Sequence[int], *, is_checked: bool
) -> tuple[int, int, int]:
    grid = (grid,) if isinstance(grid, int) else tuple(grid)
    if not 1 <= len(grid) <= 3 or any(int(n) != n or n < 1 for n in grid):
        raise UserError(
            f"{kernel}: expected a grid of one to three sizes, got {list(grid)}"
        )
    most = decisions.MAX_GRID_EXTENT
    if is_checked and max(grid) > most:
        raise UserError(
            f"{kernel}: expected a grid of at most {most} blocks per axis, "
            f"got {list(grid)}"
        )
    x, y, z = (*(int(extent) for extent in grid), 1, 1)[:3]
    return x, y, z


def _block_ids(grid: tuple[int, int, int]) -> list[tuple[int, int, int]]:
    ranges = (range(grid[2]), range(grid[1]), range(grid[0]))
    return [(x, y, z) for z, y, x in product(*ranges)]


def _argument(memory: GlobalMemory, name: str, value: Bound) -> Array:
    """A parameter as a 0-d tile; arrays become their address."""
    if value is None:
        return np.array(0, dtype=np.uint64)
    if isinstance(value, np.ndarray):
        return np.array(memory.add(name, value), dtype=np.uint64)
    return np.asarray(value)
