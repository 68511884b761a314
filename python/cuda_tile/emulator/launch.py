# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launching a kernel on the emulator."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator import arguments
from cuda_tile.emulator.arguments import global_memory
from cuda_tile.emulator.bounds.chip import Chip
from cuda_tile.emulator.bounds.compute import (
    Launched,
    find_bounds,
    watched_places,
)
from cuda_tile.emulator.errors import (
    Fault,
    FaultAt,
    Finding,
    FindingError,
    LaunchError,
)
from cuda_tile.emulator.extents import launch_extents, volume
from cuda_tile.emulator.isa import instruction_table
from cuda_tile.emulator.machine.build import Builder
from cuda_tile.emulator.machine.builtins import Builtins
from cuda_tile.emulator.machine.machine import Machine
from cuda_tile.emulator.machine.poll_state import PollState
from cuda_tile.emulator.machine.program import Program
from cuda_tile.emulator.machine.schedule import Scheduler, Watcher
from cuda_tile.emulator.memory.alignment import Alignment
from cuda_tile.emulator.memory.counters import Counters
from cuda_tile.emulator.memory.spaces import Spaces
from cuda_tile.emulator.memory.symbols import Symbols
from cuda_tile.emulator.memory.traffic import Traffic
from cuda_tile.emulator.ptx.parse import parse
from cuda_tile.emulator.ptx.source import source_places
from cuda_tile.emulator.ptx.syntax import Function, Module, Register
from cuda_tile.emulator.report import CHECKED_ADVERSARIAL, CHECKED_FAST, Report
from cuda_tile.emulator.sync.copies import Copies
from cuda_tile.emulator.threads.geometry import Dim3, Geometry
from cuda_tile.exact.algebra import algebra_of
from cuda_tile.machine.code import MachineCode
from cuda_tile.runtime.memory import GlobalMemory
from cuda_tile.runtime.options import RunOptions, read, takes_options
from cuda_tile.runtime.preceding import Preceding, byte_ranges

Mode = Literal["fast", "adversarial"]

# Lanes that run together in fast mode: many enough to hide Python's cost per step,
# few enough to stay in the cache (measured with NumPy 2.4 on one x86 core).
_LANES_TOGETHER = 2048
_SHARED_TOGETHER_BYTES = 32 << 20
_LOCAL_TOGETHER_BYTES = 64 << 20
# Adversarial: enough that CTAs interleave in every order.
_CTAS_INTERLEAVED = 4
# Clocks per warp and byte take much more memory than the bytes themselves.
_CLOCKED_TOGETHER_BYTES = 1 << 20
_DEFAULT_LIMIT = 50_000_000
_MOST_COOPERATIVE_THREADS = 1 << 17
_WORKSPACE_BYTES = 8
# Memory of each thread for alloca and for frames of functions that call themselves.
STACK_BYTES = 16384


@takes_options
def launch(
    ptx: str | Module,
    entry: str | None = None,
    *,
    grid: int | Sequence[int],
    block: int | Sequence[int],
    args: Sequence[Any],
    shared_bytes: int = 0,
    cluster: int | Sequence[int] = (1, 1, 1),
    cooperative: bool = False,
    stack_bytes: int = STACK_BYTES,
    memory: GlobalMemory | None = None,
    bounds: Chip | None = None,
    registers: int | None = None,
    machine: MachineCode | None = None,
    preceding: Preceding = None,
    strict: bool = False,
    watcher: Watcher | None = None,
    **choices: Any,
) -> Report:
    """Runs a kernel given as PTX text.

    Args:
        ptx: The PTX text, or what `parse` made of it.
        entry: Its name, as the text or as C++ has it; None for the only one.
        grid: CTAs in x, y, z; clusters, if the kernel has `.blocksareclusters`.
        block: Threads of a CTA in x, y, z; (1, 1, 1) will do if the kernel has that.
        args: One value per parameter: NumPy arrays for pointers, which are read and
            written in place, None for a null pointer; numbers, or NumPy scalars of
            exactly the parameter's size; `TensorMap` for a tensor map.
        shared_bytes: Dynamic shared memory per CTA.
        cluster: CTAs per cluster in x, y, z.
        cooperative: Whether all CTAs run together, and may wait (this_grid().sync()).
        stack_bytes: Memory of each thread for alloca and recursion.
        memory: Memory that already holds arrays which pointers in `args` point to.
        bounds: Row of `cuda_tile.targets` whose rates make `Report.bounds`, or None.
        registers: Registers per thread that ptxas gave, if known, for resident CTAs.
        machine: What `bounds.slots.machine_code` gives, for `bounds` to count.
        preceding: Arrays that the preceding grid of a programmatic launch writes, or
            "all": adversarial mode finds accesses before griddepcontrol.wait.
        strict: Whether a bulk copy over what threads have read needs a proxy fence.
        watcher: Asked before each instruction; a debugger.
        choices: Attributes of `cuda_tile.runtime.options.RunOptions`.

    Raises:
        PtxError: The text is malformed, or an instruction unknown, at its `line`.
        LaunchError: Arguments or dimensions do not fit the kernel.
        FindingError: The kernel did something it must not.
        UserError: An option has a value that it cannot have.

    All of them are `cuda_tile.errors.UserError`, and nothing else is raised. Arrays are
    as they were unless it is a `FindingError`.
    """
    options = read(choices).for_judge("emulator")
    shared_bytes = arguments.whole(shared_bytes, "shared_bytes", 0)
    module, function = _entry(ptx, entry)
    dims, memory = launch_extents(function, grid, block, cluster), global_memory(memory)
    args = arguments.elements(function, args, options.numbers)
    values = arguments.register_arrays(function, args, memory)
    symbols = Symbols(module, function, memory, shared_bytes, stack_bytes)
    run = _Run(module, function, symbols, memory, dims, options, cooperative)
    run.expect(preceding, args, strict=strict)
    params = arguments.pack(function, values, symbols)
    run.prepare(params, registers, watcher)
    run.execute(bounds, registers, machine)
    arguments.elements(function, args, options.numbers)
    return run.report


def _entry(ptx: object, name: str | None) -> tuple[Module, Function]:
    module = _module(ptx)
    return module, find_entry(module, name)


def _module(ptx: object) -> Module:
    if isinstance(ptx, Module):
        return ptx
    if not isinstance(ptx, str):
        got = type(ptx).__name__
        raise LaunchError(f"expected PTX text or what `parse` made of it, got {got}")
    return _parsed(ptx)


@lru_cache(maxsize=4)
def _parsed(ptx: str) -> Module:
    """A text is often launched again: with another seed, mode or arguments."""
    return parse(ptx)


def find_entry(module: Module, name: str | None) -> Function:
    """Returns the entry of a name, or the only one.

    Raises:
        LaunchError: There is no such entry, or more than one.
    """
    entries = [f for f in module.functions.values() if f.is_entry and f.is_defined]
    found = [f for f in entries if name is None or f.name == name]
    if not found and name is not None:
        # Itanium C++ ABI, "Mangling": a name stands behind its length.
        mangled = f"{len(name)}{name}"
        found = [f for f in entries if f.name.startswith("_Z") and mangled in f.name]
    if len(found) == 1:
        return found[0]
    names = ", ".join(f.name for f in entries) or "none"
    wanted = "one entry" if name is None else f"entry {name!r}"
    raise LaunchError(f"expected {wanted}, the module has {names}")


class _Run:
    """One launch: a machine that runs the grid's CTAs, some at a time."""

    def __init__(
        self,
        module: Module,
        entry: Function,
        symbols: Symbols,
        memory: GlobalMemory,
        dims: tuple[Dim3, Dim3, Dim3],
        options: RunOptions,
        cooperative: bool,
    ) -> None:
        self._module = module
        self._options = options
        self._entry = entry
        self._functions = symbols.functions
        n_instructions = sum(len(function.code) for function in self._functions)
        counters = Counters(n_instructions)
        alignment = Alignment(memory.regions)
        counters.alignment = alignment if alignment.is_needed else None
        is_adversarial = options.mode == "adversarial"
        seed = options.seed or 0
        checked = CHECKED_ADVERSARIAL if is_adversarial else CHECKED_FAST
        self.report = Report(
            entry.name,
            module=module,
            functions=self._functions,
            counters=counters,
            checked=checked.format(seed=seed),
        )
        keeps = dims[2] != (1, 1, 1) or _is_asynchronous(self._functions)
        is_precise = keeps or _synchronises_some(self._functions)
        is_precise = is_precise or _uses_flags(self._functions)
        if is_adversarial:
            most = min(_CTAS_INTERLEAVED, _with_local(dims[1], symbols))
        else:
            most = _together(dims, symbols, is_precise)
        if cooperative:
            most = _all_together(dims)
        size = volume(dims[2])
        if not is_adversarial and _cancels(self._functions):
            most = size  # so that clusters are left to cancel
        whole = max(most // size, 1) * size
        geometry = Geometry(*dims, min(whole, volume(dims[0])))
        self.machine = Machine(
            geometry,
            symbols,
            memory,
            counters,
            np.random.default_rng(seed),
            is_adversarial=is_adversarial,
            is_precise=is_precise,
            keeps=keeps,
        )
        if cooperative:
            _provide_workspace(self.machine)

    def expect(
        self, preceding: Preceding, args: Sequence[Any], *, strict: bool
    ) -> None:
        """Notes what the preceding grid writes, and how strict to be; see `launch`."""
        self.machine.shadow.is_strict = strict
        ranges = byte_ranges(preceding, (getattr(arg, "array", arg) for arg in args))
        if self.machine.global_shadow is not None:
            self.machine.global_shadow.preceding = ranges

    def prepare(
        self,
        params: NDArray[np.uint8],
        registers: int | None,
        watcher: Watcher | None,
    ) -> None:
        """Compiles the functions."""
        machine = self.machine
        spaces, copies = Spaces(machine, params), Copies(machine)
        (declared,) = self._entry.limits.get("maxnreg", (0,))
        (resident,) = self._entry.limits.get("minnctapersm", (1,))
        builder = Builder(
            *(machine, spaces, copies, declared, max(1, resident)),
            target=self._module.target,
            registers=registers,
            algebra=algebra_of(self._options.numbers),
        )
        if builder.tensor is not None:
            builder.tensor.order.by_issue = self._options.order == "issue"
        rule_of = instruction_table().rule
        self._programs: dict[str, Program] = {}
        first = 0
        for function in self._functions:
            program = Program(function, first, builder, rule_of)
            self._programs[function.name] = program
            first += len(function.code)
        machine.polls.state_of = PollState(machine, self._steering()).of
        self._builtins = Builtins(machine, spaces, builder.algebra)
        limit = self._options.limit or _DEFAULT_LIMIT
        self._scheduler = Scheduler(
            machine, self._programs, builder, self._builtins, limit
        )
        if watcher is not None:
            self._scheduler.watcher = watcher
            watcher.begins(machine, self._scheduler)

    def _steering(self) -> frozenset[Register]:
        """The registers on which it depends how the kernel goes on.

        All, where functions are called: their arguments and results are no registers.
        """
        if len(self._functions) > 1:
            of = self.machine.registers_of
            return frozenset(r for f in self._functions for r in of(f))
        return self._programs[self._entry.name].steering

    def execute(
        self,
        chip: Chip | None,
        registers: int | None,
        code: MachineCode | None,
    ) -> None:
        """Runs the whole grid; with a chip, also computes bounds."""
        if chip is None:
            self._run_grid()
            return
        watched = watched_places(self._functions)
        machine = self.machine
        traffic = machine.counters.traffic = Traffic(machine, watched)
        self._run_grid()
        (declared,) = self._entry.limits.get("maxnreg", (None,))
        launched = Launched(
            self._module,
            self._functions,
            volume(machine.geometry.grid),
            machine.geometry.cluster_size,
            machine.geometry.threads_per_cta,
            machine.symbols.shared_bytes,
            machine.stride_bytes,
            declared if registers is None else registers,
            machine.counters.tensor_columns,
            code,
        )
        counters = machine.counters
        self.report.bounds = find_bounds(chip, launched, counters, traffic)

    def _run_grid(self) -> None:
        collects = self._options.collect
        geometry = self.machine.geometry
        shadow = self.machine.shadow
        shadow.log.naming = self._name
        shadow.report = self._collect if collects else _raise
        watch = self.machine.global_shadow
        if watch is not None:
            watch.report, watch.naming = shadow.report, self._name
        queue = self.machine.queue
        entry = self._programs[self._entry.name]
        try:
            with np.errstate(all="ignore"):
                while (batch := queue.take(geometry.n_ctas))[1]:
                    self.machine.start(*batch)
                    self._scheduler.run(entry)
        except FaultAt as fault:
            finding = self._finding(fault.fault.kind, fault.fault.message, fault.at)
            if not collects:
                raise FindingError(finding, self._builtins.printed.text) from None
            self.report.findings.append(finding)
        finally:
            self.report.stdout = self._builtins.printed.text
            self.report.steps = self.report.totals["warps"]
            self.report.warnings += watch.warnings() if watch is not None else ()

    def _collect(self, kind: str, message: str, at: int) -> None:
        """Keeps the first finding of each kind at each instruction."""
        finding = self._finding(kind, message, at)
        known = {(other.kind, other.line) for other in self.report.findings}
        if (finding.kind, finding.line) not in known:
            self.report.findings.append(finding)

    def _finding(self, kind: str, message: str, at: int) -> Finding:
        line = self._line(at)
        places = source_places(self._module.lines)
        return Finding(
            kind,
            message,
            self._entry.name,
            line,
            self._module.source(line),
            places[line - 1] if line else "",
        )

    def _line(self, at: int) -> int:
        for function in self._functions:
            if at < len(function.code):
                return function.code[at].line
            at -= len(function.code)
        return 0

    def _name(self, at: int) -> str:
        line = self._line(at)
        return f"line {line} ({self._module.source(line)})"


def _raise(kind: str, message: str, at: int) -> None:
    raise Fault(kind, message)


def _together(dims: tuple[Dim3, Dim3, Dim3], symbols: Symbols, is_precise: bool) -> int:
    """How many CTAs run together in fast mode: as many as fit well."""
    grid, block, _ = dims
    total = volume(grid)
    lanes = -(-block[0] * block[1] * block[2] // 32) * 32
    shared = _CLOCKED_TOGETHER_BYTES if is_precise else _SHARED_TOGETHER_BYTES
    most = min(
        total,
        _LANES_TOGETHER // lanes,
        shared // max(symbols.shared_bytes, 1),
        _with_local(block, symbols),
    )
    most = max(most, 1)
    even = [count for count in range(1, most + 1) if total % count == 0]
    return even[-1] if even[-1] * 2 > most else most


def _with_local(block: Dim3, symbols: Symbols) -> int:
    """How many CTAs' local memory fits well."""
    lanes = -(-block[0] * block[1] * block[2] // 32) * 32
    return max(_LOCAL_TOGETHER_BYTES // max(symbols.local_bytes * lanes, 1), 1)


def _all_together(dims: tuple[Dim3, Dim3, Dim3]) -> int:
    """All CTAs of a cooperative launch."""
    total = volume(dims[0])
    threads = total * volume(dims[1])
    if threads > _MOST_COOPERATIVE_THREADS:
        raise LaunchError(
            f"expected at most {_MOST_COOPERATIVE_THREADS} threads in a cooperative "
            f"launch, got {threads}"
        )
    return total


def _provide_workspace(machine: Machine) -> None:
    """Gives a cooperative grid what the driver does: the memory of its barrier.

    PTX ISA, "Special Registers: %envreg<32>", leaves them to the driver; CUDA's header
    cooperative_groups/details/driver_abi.h has the address of the workspace in 1 (high
    half) and 2, and in it a size and the barrier, both 32 bits.
    """
    address = machine.memory.allocate("grid workspace", _WORKSPACE_BYTES)
    for name, value in (("%envreg1", address >> 32), ("%envreg2", address)):
        machine.specials[name] = np.full(machine.n_lanes, value & 0xFFFFFFFF, np.uint32)


def _is_asynchronous(functions: list[Function]) -> bool:
    """Whether mbarriers, bulk copies or warpgroup products are used."""
    return any(
        instruction.opcode in ("mbarrier", "wgmma", "tcgen05")
        or "bulk" in instruction.modifiers
        or "mbarrier" in instruction.modifiers
        for function in functions
        for instruction in function.code
    )


def _cancels(functions: list[Function]) -> bool:
    """Whether clusters may cancel others."""
    return any(
        instruction.opcode == "clusterlaunchcontrol"
        for function in functions
        for instruction in function.code
    )


def _uses_flags(functions: list[Function]) -> bool:
    """Whether strong accesses to memory may order others, not only barriers."""
    return any(
        _may_order(instruction.opcode, set(instruction.modifiers))
        for function in functions
        for instruction in function.code
    )


def _may_order(opcode: str, modifiers: set[str]) -> bool:
    if opcode == "membar" or (opcode == "fence" and "proxy" not in modifiers):
        return True
    acquires = {"volatile", "acquire", "acq_rel"}
    if opcode in ("ld", "atom") and acquires & modifiers:
        return True
    # A strong read of shared memory orders its warp after the write that it observes.
    is_strong = bool((acquires | {"relaxed", "release"}) & modifiers)
    if opcode in ("atom", "red") or (opcode in ("ld", "st") and is_strong):
        return "global" not in modifiers
    return False


def _synchronises_some(functions: list[Function]) -> bool:
    """Whether barriers may hold some warps of a CTA and not others."""
    for function in functions:
        for instruction in function.code:
            if instruction.opcode in ("bar", "barrier"):
                plain = "warp" in instruction.modifiers
                counted = len(instruction.operands) > 1
                if not plain and counted and "red" not in instruction.modifiers:
                    return True
                if "red" in instruction.modifiers and len(instruction.operands) > 3:
                    return True
    return False
