# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mbarriers: barriers in shared memory that copies and threads arrive at.

A phase of one is over when as many have arrived as it was made for and all bytes that
copies announced have landed; a wait names the parity of the phase (PTX ISA, "Parallel
Synchronization and Communication Instructions: mbarrier"). An arrival of a thread
releases what it did before, the end of a wait acquires it, in the CTA.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.emit.emitter import Emitter


def init(e: Emitter, pointer: ir.Value, arrivals: int) -> None:
    """Makes an mbarrier, whose first phase is about to run.

    Args:
        e: The emitter.
        pointer: The address of the mbarrier in shared memory.
        arrivals: Arrivals of a phase.
    """
    count = e.builder.constant(e.builder.i32, arrivals)
    e.builder.create("nvvm.mbarrier.init", [], [pointer, count])


def fence_init(e: Emitter) -> None:
    """What this thread made is visible to copies too, from sm_90 on, which has them."""
    if e.target.has("nvvm.fence.mbarrier.init"):
        e.builder.create("nvvm.fence.mbarrier.init", [], [])


def wait(e: Emitter, pointer: ir.Value, parity: ir.Value) -> None:
    """Waits until the phase of a parity (i32, 0 or 1) is over.

    A try may fail before that, so it stands in a loop.

    Args:
        e: The emitter.
        pointer: The address of the mbarrier in shared memory.
        parity: The parity of the phase.
    """
    b = e.builder
    again, after = b.block(), b.block()
    b.branch(again)
    b.enter(again)
    has_try = e.target.has("nvvm.mbarrier.try_wait")
    name = "nvvm.mbarrier.try_wait" if has_try else "nvvm.mbarrier.test.wait"
    b.branch_if(b.op(name, b.i1, pointer, parity), after, again)
    b.enter(after)


def arrive(e: Emitter, pointer: ir.Value) -> None:
    """One arrival, of this thread.

    Args:
        e: The emitter.
        pointer: The address of the mbarrier in shared memory.
    """
    e.builder.op("nvvm.mbarrier.arrive", e.builder.i64, pointer)


def arrive_with_copies(e: Emitter, pointer: ir.Value) -> None:
    """One arrival, once the thread's `cp.async` so far have landed.

    It counts among those that the mbarrier was made for (`noinc`).

    Args:
        e: The emitter.
        pointer: The address of the mbarrier in shared memory.
    """
    yes = ir.BoolAttr.get(True)
    e.builder.create("nvvm.cp.async.mbarrier.arrive", [], [pointer], {"noinc": yes})


def expect(e: Emitter, pointer: ir.Value, n_bytes: int) -> None:
    """One arrival, which announces bytes that bulk copies will bring.

    Args:
        e: The emitter.
        pointer: The address of the mbarrier in shared memory.
        n_bytes: The bytes that will arrive.
    """
    b = e.builder
    count = b.constant(b.i32, n_bytes)
    b.op("nvvm.mbarrier.arrive.expect_tx", b.i64, pointer, count)
