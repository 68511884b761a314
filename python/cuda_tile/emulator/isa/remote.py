# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX ISA: st.async, red.async and st.bulk: stores to shared memory of the cluster.

The asynchronous ones complete on an mbarrier that lies in the CTA they write to.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.isa.atomic import SHARED_TYPES, update_rule
from cuda_tile.emulator.isa.bulk_places import one_by_one, shared_address
from cuda_tile.emulator.isa.chapter import Chapter
from cuda_tile.emulator.isa.mbarrier import COMPLETES, barrier_place
from cuda_tile.emulator.isa.move import MEMORY_TYPES, memory_operand
from cuda_tile.emulator.machine.build import Builder
from cuda_tile.emulator.machine.step import Compiled
from cuda_tile.emulator.ordering.global_order import MemoryOrder
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.syntax import Operand
from cuda_tile.emulator.ptx.types import B64, Array, Index, Type
from cuda_tile.emulator.threads.lanes import Lanes

Offsets = NDArray[np.int64]
CHAPTER = Chapter("Data Movement and Conversion Instructions: remote shared memory")

_TYPES = ("b32", "b64", "u32", "u64", "s32", "s64", "f32", "f64")


@CHAPTER.instruction("st", "async")
def store_async(form: Form, b: Builder) -> Compiled:
    """Data Movement st.async: to the shared memory of a CTA of the cluster."""
    form.require("async")
    if form.next in ("mmio", "release"):
        return _store_released(form, b)
    form.flag("weak")
    form.flag("shared::cluster")
    form.require(COMPLETES)
    width = {"v2": 2, "v4": 4, "": 1}[form.option("v2", "v4")]
    ty = form.type(*_TYPES)
    size = ty.bytes * width
    if size > 16:
        form.error(f"expected at most 16 bytes, got {size}")
    x, values, barrier = form.operands(3)
    parts = form.vector(values, width) if width > 1 else (values,)
    sources = [b.stored(part, ty) for part in parts]
    places = _places(form, b, x, barrier, size)
    engine, at = b.bulk, b.at

    def run(lanes: Lanes) -> None:
        offsets, cells = places(lanes)
        values = np.stack([source[lanes.index] for source in sources], axis=1)
        for some in _alike(lanes, offsets, cells):
            data = np.ascontiguousarray(values[some]).view(np.uint8).reshape(-1)
            number, cell = int(lanes.numbers[some[0]]), int(cells[some[0]])
            where = offsets[some]
            engine.into_shared(
                at, number, where, cell, lambda data=data: data, size, is_bulk=False
            )

    return b.step(run)


def _places(
    form: Form, b: Builder, x: Operand, barrier: Operand, size: int
) -> Callable[[Lanes], tuple[Offsets, Offsets]]:
    """Returns what finds lanes' targets and mbarriers in the machine's memory."""
    target, place = (
        shared_address(form, b, x),
        barrier_place(form, b, barrier, "shared"),
    )
    spaces, stride = b.spaces, b.machine.stride_bytes

    def find(lanes: Lanes) -> tuple[Offsets, Offsets]:
        where = target(lanes)
        spaces.check_alignment(lanes, where, size)
        offsets = spaces.shared_offsets(lanes, where, size, "store")
        cells = place(lanes)
        if (offsets // stride != cells // stride).any():
            raise Fault("async", "expected data and mbarrier in one CTA's memory")
        return offsets.copy(), cells

    return find


def _alike(lanes: Lanes, offsets: Offsets, cells: Offsets) -> list[Index]:
    """Positions of lanes of one warp with one mbarrier, that write different places."""
    order = np.argsort(offsets, kind="stable")
    ordered = offsets[order]
    starts = np.concatenate(([True], ordered[1:] != ordered[:-1]))
    first = np.maximum.accumulate(np.where(starts, np.arange(len(order)), 0))
    turn = np.empty(len(order), np.int64)
    turn[order] = np.arange(len(order)) - first
    keys = np.stack([turn, lanes.numbers >> 5, cells])
    _, group = np.unique(keys, axis=1, return_inverse=True)
    return [np.flatnonzero(group == number) for number in range(int(group.max()) + 1)]


@CHAPTER.instruction("red", "async")
def red_async(form: Form, b: Builder) -> Compiled:
    """Parallel Synchronization red.async: updates shared memory of the cluster."""
    form.require("async")
    if form.next in ("mmio", "release"):
        return _reduce_released(form, b)
    form.require("relaxed", "cluster")
    form.flag("shared::cluster")
    form.require(COMPLETES)
    operation = form.choice(*SHARED_TYPES)
    ty = form.type(*SHARED_TYPES[operation])
    x, value, barrier = form.operands(3)
    source = b.stored(value, ty)
    places = _places(form, b, x, barrier, ty.bytes)
    update, engine, at = update_rule(operation, ty, "shared"), b.bulk, b.at

    def run(lanes: Lanes) -> None:
        offsets, cells = places(lanes)
        values = source[lanes.index]
        for some in _alike(lanes, offsets, cells):
            value = values[some]

            def change(
                old: NDArray[np.uint8],
                value: NDArray[np.generic] = value,
                ty: Type = ty,
            ) -> NDArray[np.uint8]:
                return update(old.view(ty.dtype), value).astype(ty.dtype).view(np.uint8)

            number, cell = int(lanes.numbers[some[0]]), int(cells[some[0]])
            engine.reduce_shared(at, number, offsets[some], cell, change, ty.bytes)

    return b.step(run)


def _released(form: Form) -> tuple[MemoryOrder, str]:
    """Takes `{.mmio}.release.scope{.global}`; returns the order and the space.

    These happen at once here, as they may.
    """
    scopes = ("sys",) if form.flag("mmio") else ("gpu", "sys")
    form.require("release")
    order = MemoryOrder.of("release", form.choice(*scopes))
    assert order is not None, "a release is strong"
    return order, form.option("global")


def _store_released(form: Form, b: Builder) -> Compiled:
    """st.async{.mmio}.release: a store to global memory after all before it."""
    order, space = _released(form)
    ty = form.type(*MEMORY_TYPES)
    if ty.bits == 128:
        form.error("expected at most 64 bits")
    x, value = form.operands(2)
    space, address = memory_operand(form, b, x, space)
    source, machine, spaces, at = b.stored(value, ty), b.machine, b.spaces, b.at

    def run(lanes: Lanes) -> None:
        machine.progress += 1
        data = np.ascontiguousarray(source[lanes.index]).reshape(-1, 1).view(np.uint8)
        spaces.store(at, space, lanes, address(lanes), data, order)

    return b.step(run)


def _reduce_released(form: Form, b: Builder) -> Compiled:
    """red.async{.mmio}.release: an update of global memory after all before it."""
    order, space = _released(form)
    operation = form.choice(*SHARED_TYPES)
    ty = form.type(*SHARED_TYPES[operation])
    x, value = form.operands(2)
    space, address = memory_operand(form, b, x, space)
    source, spaces, at = b.stored(value, ty), b.spaces, b.at
    update = update_rule(operation, ty, "global", b.algebra)

    def run(lanes: Lanes) -> None:
        values = source[lanes.index]

        def change(old: Array, which: Array) -> Array:
            return update(old, values[which][:, None]).astype(ty.dtype, copy=False)

        where = address(lanes)
        spaces.atomic(at, space, lanes, where, ty, 1, change, order, returns=False)

    return b.step(run)


@CHAPTER.instruction("st", "bulk")
def store_bulk(form: Form, b: Builder) -> Compiled:
    """Data Movement st.bulk: fills shared memory with zeros."""
    form.require("bulk")
    form.flag("weak")
    form.flag("shared::cta")
    x, size, value = form.operands(3)
    address, sizes = shared_address(form, b, x), b.src(size, B64)
    if b.integer(value, "a constant initial value") != 0:
        form.error("expected an initial value of 0")
    spaces, at = b.spaces, b.at

    def run(lanes: Lanes) -> None:
        for number, lane in one_by_one(b, lanes):
            where, count = address(lane), int(sizes[number])
            if count % 8:
                raise Fault("st.bulk", f"expected a multiple of 8 bytes, got {count}")
            b.machine.progress += 1
            if count:
                spaces.fill_shared(at, lane, where, count)

    return b.step(run)
