# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Barrier insertion for shared memory; no other pass inserts barriers for it.

Contract: in, allocated level W; out, between any two accesses of overlapping
shared bytes by different threads, one of them a store, every path has a
`tileas.barrier`, one of the role inside `roles`. It is `async` between what threads
write and copies or products that read it by themselves; what copies read is written
behind an `await_copies`. Rings need none but a barrier from a release to the acquire
of the same ring where its `sync` is `groups`: there a `take` is a barrier. Running the
pass again adds nothing.

What is needed is inserted right before the op that needs it
(`analysis/shared_accesses.py`). It may stand in a branch of `if` or in a loop:
conditions and bounds are scalars, equal in all threads, so that all threads reach the
barrier or none does.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import tileas
from cuda_tile.analysis.control_flow import ControlFlow
from cuda_tile.analysis.shared_accesses import Need, Pending, SharedAccesses
from cuda_tile.ir.walk import entries
from cuda_tile.options import Options


def run(module: ir.Operation, options: Options) -> None:
    """Inserts the barriers of every entry of `module`."""
    del options
    for entry in entries(module):
        flow = ControlFlow(entry)
        analysis = SharedAccesses(flow)
        analysis.solve(Pending())
        for op in list(flow.ops()):
            pending = analysis.before(op)
            if pending is not None:
                _insert(op, analysis.needs(op, pending))


def _insert(op: ir.Operation, need: Need) -> None:
    """Puts before an op what it needs."""
    if not (need.barrier or need.copies):
        return
    with ir.InsertionPoint(op), op.location:
        if need.copies:
            tileas.AwaitCopiesOp(read=True)
        if need.barrier:
            tileas.BarrierOp(async_=need.fence)
