# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a kernel of a module on the CPU, tile block by tile block."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from cuda_tile._mlir import ir
from cuda_tile.errors import UserError, add_note, expect
from cuda_tile.exact.algebra import Algebra, Numbers, algebra_of
from cuda_tile.interp import decisions
from cuda_tile.interp.alarms import Unspecified
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
from cuda_tile.runtime.preceding import Preceding, byte_ranges
from cuda_tile.runtime.report import Finding, OnFinding, check_on_finding, mode_on

ReduceOrder: TypeAlias = Literal["tree", "left", "swapped", "shuffle"]


@dataclass(frozen=True, slots=True)
class InterpReport:
    """What a launch did.

    Attributes:
        entry: Name of the kernel.
        grid: Tile blocks along x, y, z.
        block_count: Tile blocks that ran.
        op_count: Ops that ran, in all blocks.
        seconds: Wall time of the launch.
        stdout: What the kernel printed.
        failures: A line per element that an assert found false.
        warnings: What is no error in this mode, but where a compiled kernel may differ,
            each with its source line and, above one, how often it came.
        findings: Faults, where they are collected; the first one ends the launch.
        checked: What was looked at and what was not, in one line.
    """

    entry: str
    grid: tuple[int, int, int]
    block_count: int
    op_count: int
    seconds: float
    stdout: str = ""
    failures: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    checked: str = ""

    @property
    def kernel(self) -> str:
        """Name of the kernel."""
        return self.entry

    @property
    def steps(self) -> int:
        """Ops that ran, in all blocks."""
        return self.op_count


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
        location: Where it stands in the source, with the tile block; empty if unknown.
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
        """What an error says."""
        place, message = error.location or "", error.message
        kind = "race" if isinstance(error, RaceError) else "undefined"
        return cls(kind, message, kernel, place, error.op_name, error.block_id)


class AssertionsFailed(InterpError):
    """A launch ended, and asserts in it were false.

    Attributes:
        report: What the launch did; `failures` holds a line per false element.
    """

    def __init__(self, report: InterpReport) -> None:
        self.report = report
        count = len(report.failures)
        rest = f"\n... and {count - 8} more" if count > 8 else ""
        super().__init__(
            f"{report.entry}: {count} assertion{'s' if count > 1 else ''} failed:\n"
            + "\n".join(report.failures[:8])
            + rest,
            kernel=report.entry,
            op_name="assert",
        )
        self.stdout = report.stdout


def run(
    module: Any,
    entry: str | None = None,
    *,
    grid: int | Sequence[int],
    args: Sequence[Argument],
    memory: GlobalMemory | None = None,
    mode: str = "strict",
    seed: int | None = None,
    reduce_order: ReduceOrder | None = None,
    trace: Trace | None = None,
    on_block: BlockTrace | None = None,
    limit: int | None = None,
    preceding: Preceding = None,
    numbers: Numbers | Algebra = "floats",
    unspecified: Unspecified = "pattern",
    on_finding: OnFinding = "raise",
) -> InterpReport:
    """Runs one kernel; arrays among `args` are changed in place.

    Args:
        module: `ir.Module` (or operation) of level T or W; layouts are ignored. A
            `Program` from `load` keeps its globals from launch to launch.
        entry: Name of the kernel, or None where the module has only one.
        grid: Tile blocks along x, y, z; missing dimensions are 1.
        args: The kernel's parameters in order; NumPy arrays stand for pointers.
        memory: Where pointers may point besides `args`, or None for only there.
        mode: A name of `runtime.report.MODES`. `strict` makes undefined behaviour an
            error; `hardware` warns where hardware runs it all the same; `permissive`
            looks for none of it and gives the value that hardware most likely gives.
        seed: Shuffles all that the text leaves open: the order of blocks and how they
            interleave, of weak accesses that no token orders, of the elements of an
            atomic, of sums in mmaf, and of reductions unless `reduce_order` says
            otherwise. None runs x fastest, then y, then z, in program order.
        reduce_order: How reductions combine elements; see `reduce.py`.
        trace: Called after each op, terminators excepted, with the decoded op and its
            results; `trace.describe` makes a line of them.
        on_block: Called with a tile block's place in the grid whenever it goes on;
            the ops traced from then on are its.
        limit: Largest number of ops to run, or None.
        preceding: Arrays that the preceding grid of a programmatic launch writes, or
            "all"; accesses to them that are not ordered after gdc_wait_tko are errors.
            None for a launch after the preceding grid.
        numbers: What floats mean: "floats", or "exact" for elements of a ring, whose
            sums have no order (docs/exact.md). Floats in `args` become elements.
        unspecified: What elements are that nothing specifies: "pattern" shows, NaN
            for floats, wherever a stored value depends on them; "zero" hides them, as
            hardware often does. Under a seed hardware mode draws them.
        on_finding: Whether what is undefined raises, or ends the launch and is in
            `InterpReport.findings`; so are false assertions, which end none.

    Raises:
        UserError: The entry, the grid or an argument does not fit.
        InterpError: The kernel did something undefined, `limit` was reached, or no
            tile block can go on.
        AssertionsFailed: The launch ended with false assertions.
        Unsupported: An op has no rule.
        KeyboardInterrupt: With a note that says where the kernel stood.
    """
    check_on_finding(on_finding)
    session = Session(
        module,
        entry,
        grid=grid,
        args=args,
        memory=memory,
        mode=mode,
        seed=seed,
        reduce_order=reduce_order,
        trace=trace,
        on_block=on_block,
        limit=limit,
        preceding=preceding,
        numbers=numbers,
        unspecified=unspecified,
    )
    return session.finish(on_finding)


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


def _check_options(
    reduce_order: str | None,
    seed: int | None,
    limit: int | None,
    numbers: object,
    unspecified: str,
) -> None:
    """Refuses what no option can be."""
    for name, value, known in (
        *(
            [("numbers", numbers, get_args(Numbers))]
            if isinstance(numbers, str)
            else []
        ),
        ("unspecified", unspecified, get_args(Unspecified)),
        ("reduce_order", reduce_order, (None, *get_args(ReduceOrder))),
    ):
        expect(name, value, (str, type(None)), "a word")
        if value not in known:
            words = ", ".join(str(word) for word in known)
            raise UserError(f"expected {name} to be one of {words}, got {value!r}")
    for name, number in (("seed", seed), ("limit", limit)):
        expect(name, number, (int, np.integer, type(None)), "a whole number or None")
    if seed is not None and seed < 0:
        raise UserError(f"expected a seed of 0 or more, got {seed}")
    if limit is not None and limit < 1:
        raise UserError(f"expected a limit above 0, got {limit}")


class Session:
    """A launch that is under way; `run` takes it to its end.

    The arguments are those of `run`, and who watches.

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
        mode: str = "strict",
        seed: int | None = None,
        reduce_order: ReduceOrder | None = None,
        trace: Trace | None = None,
        on_block: BlockTrace | None = None,
        limit: int | None = None,
        preceding: Preceding = None,
        watcher: Watcher | None = None,
        numbers: Numbers | Algebra = "floats",
        unspecified: Unspecified = "pattern",
    ) -> None:
        self._start = time.perf_counter()
        mode, seed = mode_on("interp", mode, seed)
        self._mode = mode
        _check_options(reduce_order, seed, limit, numbers, unspecified)
        expect("memory", memory, (GlobalMemory, type(None)), "a GlobalMemory or None")
        for name, function in (("trace", trace), ("on_block", on_block)):
            expect(name, function, (Callable, type(None)), "a function or None")
        program = load(module)
        algebra = algebra_of(numbers)
        if algebra is not None:
            program = Rules(algebra).program(program)
        kernel = _select(program, entry)
        extents = _grid(kernel.name, grid, mode)
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
        is_checked = mode != "permissive"
        has_races = is_checked and len(self.block_ids) > 1
        self.launch = Launch(
            kernel=kernel.name,
            memory=memory,
            grid=extents,
            is_checked=is_checked,
            is_strict=mode == "strict",
            is_shuffled=seed is not None,
            has_zeros=unspecified == "zero",
            algebra=algebra,
            reduce_order=reduce_order or ("tree" if seed is None else "shuffle"),
            random=np.random.default_rng(seed),
            globals=program.globals,
            races=Races(memory) if has_races else None,
            replicas=_replicas(bound),
            trace=trace,
            on_block=on_block,
            watcher=watcher,
            limit=limit,
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

        Of a persistent kernel the CTAs: each serves two tile blocks, or as many as a
        seed says; which ones and in which order is open.
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

    def finish(self, on_finding: OnFinding) -> InterpReport:
        """Runs the launch to its end; as `run`."""
        try:
            for _ in self.stops():
                pass
        except InterpError as error:
            if on_finding == "raise":
                if self.launch.failures:  # on a GPU these end the kernel before
                    raise AssertionsFailed(self.report(collects=True)) from error
                raise
            found = InterpFinding.of(error, self.launch.kernel)
            return self.report(collects=True, found=(found,))
        return self.report(collects=on_finding == "collect")

    def report(
        self, *, collects: bool = False, found: tuple[Finding, ...] = ()
    ) -> InterpReport:
        """What the launch did, once it ended.

        Args:
            collects: Whether false assertions are findings of the report.
            found: What ended the launch.

        Raises:
            AssertionsFailed: Some assertion was false, and they are not collected.
        """
        launch = self.launch
        asserts = (Finding("assert", text, launch.kernel) for text in launch.failures)
        order = "one random order" if launch.is_shuffled else "program order"
        report = InterpReport(
            launch.kernel,
            launch.grid,
            len(self.block_ids),
            launch.op_count,
            time.perf_counter() - self._start,
            "".join(launch.output),
            tuple(launch.failures),
            launch.alarms.lines(),
            (*found, *asserts) if collects else (),
            f"{CHECKED[self._mode]}, in {order}; not other orders",
        )
        if launch.failures and not collects:
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


def _grid(kernel: str, grid: int | Sequence[int], mode: str) -> tuple[int, int, int]:
    grid = (grid,) if isinstance(grid, int) else tuple(grid)
    if not 1 <= len(grid) <= 3 or any(int(n) != n or n < 1 for n in grid):
        raise UserError(
            f"{kernel}: expected a grid of one to three sizes, got {list(grid)}"
        )
    most = decisions.MAX_GRID_EXTENT
    if mode != "permissive" and max(grid) > most:
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
