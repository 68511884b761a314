# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Branches and loops inside what one op becomes."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from cuda_tile._mlir import ir
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.exchange import ALL_LANES


@contextmanager
def when(e: Emitter, condition: ir.Value) -> Generator[None]:
    """Emits what follows for the threads where the condition holds.

    Args:
        e: The emitter.
        condition: An i1.
    """
    b = e.builder
    then, after = b.block(), b.block()
    b.branch_if(condition, then, after)
    b.enter(then)
    with e.packer.scope():
        yield
    b.branch(after)
    b.enter(after)


@contextmanager
def counting(e: Emitter, stop: int) -> Generator[ir.Value]:
    """Emits what follows as the body of a loop, for 0 to `stop` - 1 (i32).

    Args:
        e: The emitter.
        stop: The number of iterations.
    """
    b = e.builder
    head, after = b.block([b.i32]), b.block()
    b.branch(head, [b.constant(b.i32, 0)])
    b.enter(head)
    number = head.arguments[0]
    with e.packer.scope():
        yield number
    following = b.add(number, 1)
    more = b.icmp("ult", following, stop)
    b.branch_if(more, head, after, [following])
    b.enter(after)


def is_first(e: Emitter) -> ir.Value:
    """Whether this is thread 0, which does what is done once per role."""
    return e.builder.icmp("eq", e.threads.index, 0)


def barrier(e: Emitter) -> None:
    """All threads of the role wait for each other; of the CTA outside roles.

    Barrier 0 belongs to the CTA, k + 1 to role k; one warp needs none. In a cluster all
    its CTAs wait for each other: arrivals release and the wait acquires (PTX ISA,
    "barrier.cluster"). So do those of a pair outside roles: before them mbarriers are
    made that both arrive at, behind them one may end.
    """
    b, role = e.builder, e.role
    if e.threads.cluster > 1 or (e.is_pair and role.number < 0):
        for name in ("nvvm.cluster.arrive", "nvvm.cluster.wait"):
            b.create(name, [], [], {"aligned": ir.UnitAttr.get()})
    elif role.warps == 1 and not role.is_single:
        warp_barrier(e)
    elif role.number < 0:
        b.create("nvvm.barrier0", [], [])
    elif not role.is_single:
        operands = (role.number + 1, role.threads)
        sizes = ir.DenseI32ArrayAttr.get([1, 1, 0])
        b.create(
            "nvvm.barrier",
            [],
            [b.constant(b.i32, number) for number in operands],
            {"operandSegmentSizes": sizes},
        )


def warp_barrier(e: Emitter) -> None:
    """The threads of each warp wait for each other."""
    b = e.builder
    b.create("nvvm.bar.warp.sync", [], [b.constant(b.i32, ALL_LANES)])


@contextmanager
def one_thread(e: Emitter) -> Generator[None]:
    """Emits what follows for one thread of the role."""
    chosen = e.threads.chosen
    if chosen is None and e.role.is_single:
        yield
        return
    with when(e, e.threads.is_first() if chosen is None else chosen):
        yield


def proxy_fence(e: Emitter, *, is_global: bool = False) -> None:
    """Makes the writes of this thread to shared memory visible to the async proxy.

    That is how bulk copies and products that run by themselves access it (PTX ISA,
    "membar/fence": .proxy.async).

    Args:
        e: The emitter.
        is_global: Whether that includes what the thread knows of global memory.
    """
    b = e.builder
    if is_global:
        kind = b.attribute("#nvvm.proxy_kind<async>")
        b.create("nvvm.fence.proxy", [], [], {"kind": kind})
        return
    attributes = {
        "kind": b.attribute("#nvvm.proxy_kind<async.shared>"),
        "space": b.attribute("#nvvm.shared_space<cta>"),
    }
    b.create("nvvm.fence.proxy", [], [], attributes)
