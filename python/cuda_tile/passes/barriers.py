# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Barrier insertion for shared memory; no other pass inserts barriers for it.

Contract: in, allocated level W; out, every path between two accesses of overlapping
shared bytes by different threads, one of them a store, has a `tileas.barrier`; inside
`roles` it is one of the role. It is `async` between writes of threads and copies or
products that read asynchronously. Threads write bytes that copies read only after an
`await_copies`. Rings need no barrier, except from a release to the acquire of the same
ring if its `sync` is `groups`; then a `take` is a barrier. Running the pass again adds
nothing. In a cluster each barrier is one of all its CTAs, and one stands before the
first store to another CTA.

A barrier is inserted right before the op that needs it (`analysis/shared_accesses.py`),
or once before a loop whose iterations need it only for accesses before the first of
them. It may stand in a branch of `if` or in a loop: conditions and bounds are scalars,
equal in all threads, so that all threads reach the barrier or none does.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile._mlir.dialects import tileas
from cuda_tile.analysis.control_flow import ControlFlow
from cuda_tile.analysis.shared_accesses import Need, Needs, SharedAccesses
from cuda_tile.constants import BARRIER_LOOP_TRIPS
from cuda_tile.ir.walk import loop_depth
from cuda_tile.passes.each_kernel import each_kernel


@each_kernel
def run(entry: ir.Operation) -> None:
    """Inserts the barriers of an entry."""
    analysis = SharedAccesses(ControlFlow(entry))
    analysis.solve(analysis.not_started())
    for op, need in _before_loops(analysis, analysis.all_needs()).items():
        _insert(op, need)


def _before_loops(analysis: SharedAccesses, needs: Needs) -> Needs:
    """Moves barriers before loops if fewer barriers then run.

    Only loops with pending accesses at their start are tried, the outermost first.
    """
    ahead: Needs = {}
    for loop, inside in _loops_around(needs):
        pending = analysis.before(loop)
        if pending is None or not (pending.reads or pending.writes):
            continue
        fence = any(need.fence for need in inside)
        trial = {**ahead, loop: Need(barrier=True, fence=fence)}
        other = analysis.assuming(trial)
        other.solve(other.not_started())
        left = other.all_needs()
        if _weight(left | trial) < _weight(needs | ahead):
            analysis, needs, ahead = other, left, trial
    return needs | ahead


def _loops_around(needs: Needs) -> list[tuple[ir.Operation, list[Need]]]:
    """The loops around ops that need a barrier, with the needs; outer loops first."""
    found: dict[ir.Operation, list[Need]] = {}
    for op, need in needs.items():
        parent = op.parent if need.barrier else None
        while parent is not None:
            if _cuda_tile.is_loop(parent):
                found.setdefault(parent.operation, []).append(need)
            parent = parent.operation.parent
    return sorted(found.items(), key=lambda item: loop_depth(item[0]))


def _weight(needs: Needs) -> int:
    """How many barriers run if every loop has `BARRIER_LOOP_TRIPS` iterations."""
    return sum(
        BARRIER_LOOP_TRIPS ** loop_depth(op)
        for op, need in needs.items()
        if need.barrier
    )


def _insert(op: ir.Operation, need: Need) -> None:
    """Inserts the synchronisation that an op needs before it."""
    with ir.InsertionPoint(op), op.location:
        if need.copies:
            tileas.AwaitCopiesOp(read=True)
        if need.barrier:
            tileas.BarrierOp(async_=need.fence)
