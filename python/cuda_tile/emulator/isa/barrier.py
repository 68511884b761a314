# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX ISA: "Parallel Synchronization and Communication Instructions": barriers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from cuda_tile.emulator.isa.chapter import Chapter
from cuda_tile.emulator.isa.move import SCOPES
from cuda_tile.emulator.machine.build import Builder
from cuda_tile.emulator.machine.machine import Machine
from cuda_tile.emulator.machine.step import Barrier, Compiled, Wait
from cuda_tile.emulator.ordering.memory_order import MemoryOrder
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.syntax import Immediate, Negated, Operand, Register
from cuda_tile.emulator.ptx.types import PRED, U32, Array
from cuda_tile.emulator.tensor.map_object import SIZE_BYTES
from cuda_tile.emulator.threads.lanes import WARP_LANES, Lanes

CHAPTER = Chapter("Parallel Synchronization and Communication Instructions: barriers")


@CHAPTER.instruction("bar")
def bar(form: Form, b: Builder) -> Compiled:
    """Parallel Synchronization bar{.cta}: always aligned; `bar.warp.sync`."""
    if form.flag("warp"):
        form.require("sync")
        (mask,) = form.operands(1)
        meets = b.machine.is_adversarial
        step = b.step(partial(_meet, b.machine)) if meets else b.no_effect()
        step.convergence = b.src(mask, U32)
        return step
    form.flag("cta")
    return _barrier(form, b, form.choice("sync", "arrive", "red"), is_bar=True)


@CHAPTER.instruction("barrier")
def barrier(form: Form, b: Builder) -> Compiled:
    """Parallel Synchronization barrier{.cta, .cluster}: aligned where it says so."""
    if form.flag("cluster"):
        return _cluster(form, b)
    form.flag("cta")
    return _barrier(form, b, form.choice("sync", "arrive", "red"), is_bar=False)


def _cluster(form: Form, b: Builder) -> Compiled:
    """`barrier.cluster.arrive{.release, .relaxed}` and `.wait{.acquire}`."""
    kind = form.choice("arrive", "wait")
    order = form.option("release", "relaxed") if kind == "arrive" else ""
    if kind == "wait":
        form.flag("acquire")
    is_aligned = form.flag("aligned")
    form.operands(0)
    clusters = b.clusters
    if kind == "arrive":
        releases = order != "relaxed"
        step = b.step(lambda lanes: clusters.arrive(lanes, releases=releases))
        step.convergence = "warp" if is_aligned else None
        return step
    return Wait(
        lambda lanes, forced: clusters.poll(lanes, acquires=True),
        lambda lanes, result: None,
        clusters.words,
        is_aligned=is_aligned,
    )


def _barrier(form: Form, b: Builder, kind: str, *, is_bar: bool) -> Compiled:
    if kind == "red":
        return _reduction(form, b, is_bar=is_bar)
    is_aligned = is_bar or form.flag("aligned")
    least = 2 if kind == "arrive" else 1
    number, *threads = form.some_operands(least, 2)
    return Barrier(
        _number(form, b, number),
        _threads(form, b, threads),
        waits=kind == "sync",
        is_aligned=is_aligned,
    )


def _number(form: Form, b: Builder, operand: Operand) -> np.ndarray:
    numbers = b.src(operand, U32)
    if not isinstance(operand, Negated) and not numbers.flags.writeable:
        value = int(numbers[0])
        if value > 15:
            form.error(f"expected a barrier from 0 to 15, got {value}")
    return numbers


def _threads(form: Form, b: Builder, operands: list[Operand]) -> Array | None:
    """The thread count, if one stands."""
    if not operands:
        return None
    counts = b.src(operands[0], U32)
    if isinstance(operands[0], Immediate) and (not counts[0] or counts[0] % WARP_LANES):
        form.error(f"expected a multiple of 32 threads, got {counts[0]}")
    return counts


def _meet(machine: Machine, lanes: Lanes) -> None:
    """What lanes of a warp did before they met is known to each of them."""
    assert machine.lane_knowledge is not None, "adversarial machines have it"
    machine.lane_knowledge.meet(lanes)


def _reduction(form: Form, b: Builder, *, is_bar: bool) -> Compiled:
    """`.red.popc.u32 d, a{, b}, {!}c` and `.red.{and,or}.pred p, a{, b}, {!}c`."""
    operation = form.choice("popc", "and", "or")
    is_aligned = is_bar or form.flag("aligned")
    ty = U32 if operation == "popc" else PRED
    form.require(ty.name)
    d, number, *rest = form.some_operands(3, 4)
    source = rest[-1]
    values, negated = b.pred(source), isinstance(source, Negated)
    dst = b.dst(d, ty)
    combine: dict[str, Callable[[np.ndarray], object]] = {
        "popc": np.count_nonzero,
        "and": np.all,
        "or": np.any,
    }

    defined = b.machine.defined[d] if isinstance(d, Register) else None

    def finish(lanes: Lanes) -> None:
        dst[lanes.index] = combine[operation](values[lanes.index] ^ negated)
        if defined is not None:
            defined[lanes.index] = True

    return Barrier(
        _number(form, b, number),
        _threads(form, b, rest[:-1]),
        waits=True,
        is_aligned=is_aligned,
        finish=finish,
    )


@CHAPTER.instruction("membar")
def membar(form: Form, b: Builder) -> Compiled:
    """Parallel Synchronization membar: memory operations are in order here."""
    if form.flag("proxy"):
        return _proxy_fence(form, b)
    scope = form.choice("cta", "gl", "sys")
    form.operands(0)
    return _ordering(b, MemoryOrder.of("sc", scope), is_sc=True)


@CHAPTER.instruction("fence")
def fence(form: Form, b: Builder) -> Compiled:
    """Parallel Synchronization fence, with `.proxy` and `.mbarrier_init`."""
    if form.flag("proxy"):
        return _proxy_fence(form, b)
    if form.flag("mbarrier_init"):
        form.require("release", "cluster")
        form.operands(0)
        return b.step(b.mbarriers.fence_init)
    order = form.option("sc", "acq_rel", "acquire", "release")
    restricts = ("sync_restrict::shared::cta", "sync_restrict::shared::cluster")
    if order and form.option(*restricts):
        scope = form.choice("cluster")
    else:
        scope = form.choice(*SCOPES)
    form.operands(0)
    semantics = order or "acq_rel"
    return _ordering(b, MemoryOrder.of(semantics, scope), is_sc=semantics == "sc")


def _fence_async(b: Builder, space: str, lanes: Lanes) -> None:
    """fence.proxy.async: of one state space, or of all."""
    known = b.machine.order
    if space != "global":
        b.mbarriers.fence_proxy(lanes)
    if not space.startswith("shared") and known is not None:
        known.fence_proxy(lanes)


def _ordering(b: Builder, order: MemoryOrder | None, *, is_sc: bool) -> Compiled:
    known, older = b.machine.order, b.machine.older_writes
    if known is None or order is None:
        return b.no_effect()

    def run(lanes: Lanes) -> None:
        if is_sc and older is not None:
            older.fence(lanes)
        known.fence(lanes, order)

    return b.step(run)


def _proxy_fence(form: Form, b: Builder) -> Compiled:
    """`.alias`, `.async{.global, .shared::cta, ...}`, `.tensormap::generic`."""
    kind = form.choice("alias", "async", "async::generic", "tensormap::generic")
    if kind == "async":
        space = form.option("global", "shared::cta", "shared::cluster")
        form.operands(0)
        return b.step(partial(_fence_async, b, space))
    if kind == "async::generic":
        return _fence_one_way(form, b)
    if kind == "tensormap::generic":
        return _tensormap_fence(form, b)
    form.operands(0)
    return b.no_effect()


def _fence_one_way(form: Form, b: Builder) -> Compiled:
    """`.async::generic.release` and `.acquire`: fences of memory in the cluster too.

    PTX ISA, "membar / fence": a release proxy fence synchronises with an acquire one.
    """
    order = form.choice("acquire", "release")
    form.choice("sync_restrict::shared::cta", "sync_restrict::shared::cluster")
    form.require("cluster")
    form.operands(0)
    known, fence = b.machine.order, MemoryOrder.of(order, "cluster")

    def run(lanes: Lanes) -> None:
        if known is not None and fence is not None and fence.acquires:
            known.fence(lanes, fence)
        b.mbarriers.fence_proxy(lanes)
        if known is not None and fence is not None and fence.releases:
            known.fence(lanes, fence)

    return b.step(run)


def _tensormap_fence(form: Form, b: Builder) -> Compiled:
    """`.release.scope`, `.acquire.scope [map], 128`: fences of their scope too."""
    kind, order = form.choice("acquire", "release"), form.choice(*SCOPES)
    fence = MemoryOrder.of("acq_rel", order)
    known, maps = b.machine.order, b.maps
    address = None
    if kind == "acquire":
        x, size = form.operands(2)
        address = b.address(x, "")
        if b.integer(size, "a constant size") != SIZE_BYTES:
            form.error(f"expected a size of {SIZE_BYTES}")
    else:
        form.operands(0)

    def run(lanes: Lanes) -> None:
        if known is not None and fence is not None:
            known.fence(lanes, fence)
        if address is None:
            maps.release(lanes)
        else:
            maps.acquire(lanes, address(lanes))

    return b.step(run)
