# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Barrier insertion for shared memory; no other pass inserts barriers for it.

Contract: in, allocated level W; out, between any two accesses of overlapping
shared bytes by different threads, one of them a store, every path has a
`tileas.barrier`, one of the role inside `roles`. It is `async` between what threads
write and copies or products that read it by themselves; what copies read is written
behind an `await_copies`. Rings need none but a barrier from a release to the acquire
of the same ring where its `sync` is `groups`: there a `take` is a barrier. Running the
pass again adds nothing. In a cluster each is one of all its CTAs, and one stands
before the first store to another CTA.

What is needed is inserted right before the op that needs it
(`analysis/shared_accesses.py`), or once before a loop whose iterations need it only for
what was accessed before the first of them. It may stand in a branch of `if` or in a
loop: conditions and bounds are scalars, equal in all threads, so that all threads reach
the barrier or none does.
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
    """What is needed, with barriers moved before loops where there are fewer then.

    A loop is asked only if something is pending where it begins, the outermost first.
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
    """The loops around ops that need a barrier, with these needs; outer ones first."""
    found: dict[ir.Operation, list[Need]] = {}
    for op, need in needs.items():
        parent = op.parent if need.barrier else None
        while parent is not None:
            if _cuda_tile.is_loop(parent):
                found.setdefault(parent.operation, []).append(need)
            parent = parent.operation.parent
    return sorted(found.items(), key=lambda item: loop_depth(item[0]))


def _weight(needs: Needs) -> int:
    """How many barriers run if every loop has so many iterations."""
    return sum(
        BARRIER_LOOP_TRIPS ** loop_depth(op)
        for op, need in needs.items()
        if need.barrier
    )


def _insert(op: ir.Operation, need: Need) -> None:
    """Puts before an op what it needs."""
    with ir.InsertionPoint(op), op.location:
        if need.copies:
            tileas.AwaitCopiesOp(read=True)
        if need.barrier:
            tileas.BarrierOp(async_=need.fence)
