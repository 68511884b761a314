# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX ISA: "TensorCore 5th Generation Family Instructions".

Here: alloc, dealloc, relinquish_alloc_permit, fence, wait, commit. The moves of data
are in `tcgen05_move`, the products in `tcgen05_mma`.
"""

from __future__ import annotations

from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.isa.chapter import Chapter
from cuda_tile.emulator.isa.mbarrier import barrier_place
from cuda_tile.emulator.isa.tcgen05_mma import mma
from cuda_tile.emulator.isa.tcgen05_move import copy, load, shift, store
from cuda_tile.emulator.machine.build import Builder
from cuda_tile.emulator.machine.step import Compiled, Wait
from cuda_tile.emulator.memory.spaces import WINDOW_MASK
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.types import TYPES, U32, Bool
from cuda_tile.emulator.tensor.unit import TensorUnit
from cuda_tile.emulator.threads.lanes import Lanes

CHAPTER = Chapter("TensorCore 5th Generation Family Instructions")

_COMPLETES = "mbarrier::arrive::one"


@CHAPTER.instruction("tcgen05")
def tcgen05(form: Form, b: Builder) -> Compiled:
    """All tcgen05 instructions."""
    unit = b.tensor
    assert unit is not None, "a kernel with tcgen05 has tensor memory"
    kind = form.choice(
        "alloc",
        "dealloc",
        "relinquish_alloc_permit",
        "fence::before_thread_sync",
        "fence::after_thread_sync",
        "wait::ld",
        "wait::st",
        "commit",
        "ld",
        "st",
        "cp",
        "shift",
        "mma",
    )
    name, _, detail = kind.partition("::")
    if name == "fence":
        return _fence(form, b, unit, is_before=detail == "before_thread_sync")
    if name == "wait":
        return _wait(form, b, unit, cast(Literal["ld", "st"], detail))
    rules = {
        "alloc": _alloc,
        "dealloc": _dealloc,
        "relinquish_alloc_permit": _relinquish,
        "commit": _commit,
        "ld": load,
        "st": store,
        "cp": copy,
        "shift": shift,
        "mma": mma,
    }
    return rules[name](form, b, unit)


def _fence(form: Form, b: Builder, unit: TensorUnit, *, is_before: bool) -> Compiled:
    form.operands(0)
    machine = b.machine
    act = unit.order.fence_before if is_before else unit.order.fence_after

    def run(lanes: Lanes) -> None:
        for warp in lanes.warps:
            lane = int(warp) * 32
            act(unit.cluster(lane), int(machine.agents[lane]))

    return b.step(run)


def _wait(
    form: Form, b: Builder, unit: TensorUnit, kind: Literal["ld", "st"]
) -> Compiled:
    form.require("sync", "aligned")
    form.operands(0)
    machine = b.machine

    def run(lanes: Lanes) -> None:
        for warp in unit.warps(lanes):
            lane = int(warp.numbers[0])
            unit.order.wait(unit.cluster(lane), int(machine.agents[lane]), kind)

    step = b.step(run)
    step.convergence = "warp"
    return step


# Allocation ------------------------------------------------------------------------


def _alloc(form: Form, b: Builder, unit: TensorUnit) -> Compiled:
    """tcgen05.alloc: writes the address of columns to shared memory."""
    group = unit.cta_group(form)
    form.require("sync", "aligned")
    space = "shared" if form.flag("shared::cta") else ""
    form.require("b32")
    target, count = form.operands(2)
    address, counts = b.address(target, space), b.stored(count, U32)
    machine, spaces, at = b.machine, b.spaces, b.at

    def poll(lanes: Lanes, forced: bool) -> Bool:
        done = np.zeros(lanes.count, np.bool_)
        for warp in unit.warps(lanes):
            lane = int(warp.numbers[0])
            columns = unit.uniform(warp, counts[warp.index], "number of columns")
            ctas = unit.ctas(lane, group)
            start = unit.allocator.allocate(at, lane, columns, ctas)
            if start is None:
                continue
            first = Lanes(warp.numbers[:1], machine.n_lanes)
            where = address(first) & np.uint64(WINDOW_MASK)
            spaces.check_alignment(first, where, 4)
            offsets = spaces.shared_offsets(first, where, 4, "tcgen05.alloc")
            data = np.array([start], np.uint32).view(np.uint8).reshape(1, 4)
            agents = machine.agents[warp.numbers[:1]]
            machine.shadow.write_slot(at, offsets, data, agents, machine.shared)
            done |= np.isin(lanes.numbers, warp.numbers)
        return done

    def words(lanes: Lanes) -> str:
        lane = int(lanes.numbers[0])
        cta, ctas = int(machine.cta_of[lane]), unit.ctas(lane, group)
        return unit.allocator.words(cta, int(counts[lane]), ctas)

    return Wait(poll, _nothing, words, is_aligned=True)


def _nothing(lanes: Lanes, result: bool) -> None:
    """All is done when the wait is over."""


def _dealloc(form: Form, b: Builder, unit: TensorUnit) -> Compiled:
    """tcgen05.dealloc."""
    group = unit.cta_group(form)
    form.require("sync", "aligned", "b32")
    where, count = form.operands(2)
    addresses, counts = b.stored(where, U32), b.stored(count, U32)
    at = b.at

    def poll(lanes: Lanes, forced: bool) -> Bool:
        done = np.zeros(lanes.count, np.bool_)
        for warp in unit.warps(lanes):
            lane = int(warp.numbers[0])
            columns = unit.uniform(warp, counts[warp.index], "number of columns")
            address = unit.uniform(warp, addresses[warp.index], "address")
            ctas = unit.ctas(lane, group)
            if unit.allocator.free(at, lane, address, columns, ctas):
                done |= np.isin(lanes.numbers, warp.numbers)
        return done

    def words(lanes: Lanes) -> str:
        return "tcgen05.dealloc by the peer CTA"

    return Wait(poll, _nothing, words, is_aligned=True)


def _relinquish(form: Form, b: Builder, unit: TensorUnit) -> Compiled:
    """tcgen05.relinquish_alloc_permit."""
    unit.cta_group(form)
    form.require("sync", "aligned")
    form.operands(0)
    machine = b.machine

    def run(lanes: Lanes) -> None:
        for warp in unit.warps(lanes):
            unit.allocator.relinquish(int(machine.cta_of[warp.numbers[0]]))

    step = b.step(run)
    step.convergence = "warp"
    return step


# Completion ------------------------------------------------------------------------


def _commit(form: Form, b: Builder, unit: TensorUnit) -> Compiled:
    """tcgen05.commit: an mbarrier learns of the end of this thread's operations."""
    unit.cta_group(form)
    form.require(_COMPLETES)
    space = "shared::cluster" if form.flag("shared::cluster") else ""
    is_multicast = form.flag("multicast::cluster")
    form.require("b64")
    operands = form.operands(1 + is_multicast)
    place = barrier_place(form, b, operands[0], space)
    masks = b.stored(operands[1], TYPES["u16"]) if is_multicast else None
    machine, at = b.machine, b.at

    def run(lanes: Lanes) -> None:
        for lane in unit.issuer(lanes):
            cell = int(place(Lanes(np.array([lane]), machine.n_lanes))[0])
            cells = [cell]
            if masks is not None:
                cells = _multicast(b, lane, cell, int(masks[lane]))
            unit.pipe.commit(at, lane, cells)

    return b.step(run)


def _multicast(b: Builder, lane: int, cell: int, mask: int) -> list[int]:
    """Places of the mbarriers at one offset in the CTAs of a mask."""
    machine = b.machine
    size, stride = machine.geometry.cluster_size, machine.stride_bytes
    if mask >> size or not mask:
        raise Fault("tcgen05", f"expected a mask of the {size} CTAs, got {mask:#x}")
    first = int(machine.cta_of[lane]) // size * size
    ranks: NDArray[np.intp] = np.flatnonzero([mask >> rank & 1 for rank in range(size)])
    return [cell % stride + (first + int(rank)) * stride for rank in ranks]
