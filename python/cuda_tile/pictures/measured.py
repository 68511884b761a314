# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a compiled kernel on the emulator, for counts, bounds and uses of rings."""

from __future__ import annotations

from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cuda_tile import api, interp, running
from cuda_tile._mlir import ir
from cuda_tile.emulator.bounds.compute import Bounds
from cuda_tile.emulator.report import Counts
from cuda_tile.errors import CudaTileError, UserError
from cuda_tile.interp.program import Block, Op
from cuda_tile.ir.traits import RINGS
from cuda_tile.ir.walk import entries, entry_name
from cuda_tile.pictures.inputs import Inputs, generate_inputs, read_inputs
from cuda_tile.timing.counting import counting

STEP_LIMIT = 400_000
"""Steps of the emulator, some ten seconds; a kernel that needs more is not run."""
OP_LIMIT = 200_000
"""Ops of the interpreter, about as long."""
MOST_EVENTS = 2_000
_RING_OPS = {
    "tileas.acquire": "acquire",
    "tileas.publish": "publish",
    "tileas.take": "take",
    "tileas.release": "release",
}


@dataclass(frozen=True)
class RingEvent:
    """One step of a ring in a run.

    Attributes:
        role: The number of the role that made it; -1 without roles.
        ring: The number of the ring in the kernel.
        kind: `acquire`, `publish`, `take` or `release`.
        iteration: Which iteration of the ring, counted from 0.
    """

    role: int
    ring: int
    kind: str
    iteration: int


@dataclass(frozen=True)
class Run:
    """What one kernel did.

    Attributes:
        kernel: Its name.
        inputs: What it was run with; None where there was nothing to run it with.
        failure: Why there are no counts; empty if there are.
        lines: Counts by line of the PTX text.
        totals: Their sums.
        bounds: How fast the chip could do this at best.
        events: The steps of its rings, in order, of one tile block.
    """

    kernel: str
    inputs: Inputs | None
    failure: str = ""
    lines: dict[int, Counts] = field(default_factory=dict[int, Counts])
    totals: Counts = field(default_factory=Counts)
    bounds: Bounds | None = None
    events: tuple[RingEvent, ...] = ()


def run_kernels(
    module: ir.Module,
    placed: ir.Operation | ir.Module,
    compiled: api.Compiled,
    given: str | None,
) -> list[Run]:
    """Runs every kernel of a module.

    Args:
        module: As the user wrote it.
        placed: The same at the end of level W.
        compiled: The same compiled.
        given: Grid and arguments as text; None to make some up.

    Raises:
        UserError: What was given is malformed, or not for one kernel. A kernel that
            fails is no error: its `Run` says so.
    """
    found = entries(module.operation)
    if given is not None and len(found) != 1:
        raise UserError(
            f"expected one kernel in the module with --report-run, got {len(found)}"
        )
    return [_run(entry, placed, module, compiled, given) for entry in found]


def _run(
    entry: ir.Operation,
    placed: ir.Operation | ir.Module,
    module: ir.Module,
    compiled: api.Compiled,
    given: str | None,
) -> Run:
    name = entry_name(entry)
    if given is not None:
        inputs = read_inputs(given, entry)
    else:
        try:
            inputs = generate_inputs(entry)
        except CudaTileError as error:
            return Run(name, None, f"no inputs could be generated: {error.message}")
    args: list[Any] = [copy(arg) for arg in inputs.args]
    counted = _counted(name, inputs, args, module, compiled)
    if counted.failure:
        return counted
    _refill(args, inputs.args)
    return replace(counted, events=_ring_events(placed, name, args))


def _counted(
    name: str,
    inputs: Inputs,
    args: list[Any],
    module: ir.Module,
    compiled: api.Compiled,
) -> Run:
    """What the emulator counts; it writes into `args`."""
    try:
        report = running.run(
            module,
            name,
            grid=inputs.grid,
            args=args,
            on="emulator",
            compiled=compiled,
            **counting(compiled, name),
            limit=STEP_LIMIT,
        )
    except CudaTileError as error:
        return Run(name, inputs, error.message)
    return Run(name, inputs, "", report.by_line(), report.totals, report.bounds)


def _refill(args: list[Any], source: list[Any]) -> None:
    """Gives arrays that a kernel wrote into their values back, in their memory."""
    for array, values in zip(args, source, strict=True):
        if isinstance(array, np.ndarray):
            array[...] = values


class _Enough(Exception):
    """The run has shown what the picture has room for."""


def _ring_events(
    placed: ir.Operation | ir.Module, kernel: str, args: list[Any]
) -> tuple[RingEvent, ...]:
    """The ring ops that the interpreter meets at level W; none if it fails.

    The four counters of a ring go up one by one, so the n-th op of a kind is iteration
    n.
    """
    program = interp.load(placed)
    roles, rings = _places(program.entries[kernel].body)
    if not rings:
        return ()
    events: list[RingEvent] = []
    iterations: dict[tuple[int, str], int] = {}

    def note(op: Op, _results: tuple[Any, ...]) -> None:
        kind = _RING_OPS.get(op.name)
        if kind is None:
            return
        ring = rings[op.operands[0]]
        iteration = iterations.get((ring, kind), 0)
        iterations[ring, kind] = iteration + 1
        events.append(RingEvent(roles.get(op, -1), ring, kind, iteration))
        if len(events) >= MOST_EVENTS:
            raise _Enough

    with suppress(_Enough, CudaTileError):
        interp.run(
            program,
            kernel,
            grid=1,
            args=args,
            trace=note,
            limit=OP_LIMIT,
            mode="permissive",
        )
    return tuple(events)


def _places(block: Block) -> tuple[dict[Op, int], dict[int, int]]:
    """The role of each op that stands in one, and the number of each ring's value."""
    roles: dict[Op, int] = {}
    rings: dict[int, int] = {}

    def visit(block: Block, role: int) -> None:
        for op in block.ops:
            roles[op] = role
            if op.name in RINGS:
                rings[op.results[0]] = len(rings)
            for number, region in enumerate(op.regions):
                if region is not None:
                    visit(region, number if op.name == "tileas.roles" else role)

    visit(block, -1)
    return roles, rings
