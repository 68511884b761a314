# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX ISA: "Asynchronous copy": cp.reduce.async.bulk of plain memory.

Each element of global or of another CTA's shared memory is combined with one of the
CTA's shared memory. Elements are updated atomically, one after another.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.isa.atomic import SHARED_TYPES, Update, update_rule
from cuda_tile.emulator.isa.bulk_places import (
    checked_size,
    chunk_places,
    copy_targets,
    global_address,
    one_by_one,
    outgoing,
    shared_address,
)
from cuda_tile.emulator.isa.mbarrier import COMPLETES, barrier_place
from cuda_tile.emulator.isa.move import operands_before_policy
from cuda_tile.emulator.machine.build import Builder
from cuda_tile.emulator.machine.step import Compiled
from cuda_tile.emulator.memory.spaces import Addresses
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.types import U32, Type
from cuda_tile.emulator.shadow.in_flight import CHUNK_BYTES
from cuda_tile.emulator.threads.lanes import Lanes

# PTX ISA, cp.reduce.async.bulk: types of each operation on global memory.
_GLOBAL: dict[str, tuple[str, ...]] = {
    "and": ("b32", "b64"),
    "or": ("b32", "b64"),
    "xor": ("b32", "b64"),
    "add": ("u32", "s32", "u64", "f32", "f64", "f16", "bf16"),
    "inc": ("u32",),
    "dec": ("u32",),
    "min": ("u32", "s32", "u64", "s64", "f16", "bf16"),
    "max": ("u32", "s32", "u64", "s64", "f16", "bf16"),
}


def plain_reduction(form: Form, b: Builder) -> Compiled:
    """cp.reduce.async.bulk to `.global` or `.shared::cluster`."""
    if form.flag("global"):
        return _to_global(form, b)
    form.require("shared::cluster", "shared::cta", COMPLETES)
    update, ty = _operation(form, b, SHARED_TYPES, "shared")
    operands = form.operands(4)
    target, source = (shared_address(form, b, x) for x in operands[:2])
    sizes = b.src(operands[2], U32)
    place = barrier_place(form, b, operands[3], "shared")
    engine, at = b.bulk, b.at

    def run(lanes: Lanes) -> None:
        for number, lane in one_by_one(b, lanes):
            size = checked_size(int(sizes[number]))
            chunks = chunk_places(b, lane, target(lane), size, CHUNK_BYTES, 0)
            near = chunk_places(b, lane, source(lane), size, CHUNK_BYTES, 0)
            cell = int(place(lane)[0])
            copy_targets(b, number, chunks, cell, None)
            data = engine.read_shared(at, number, near)
            engine.reduce_shared(
                at,
                number,
                chunks,
                cell,
                lambda old, data=data: _combined(update, ty, old, data()),
            )

    return b.step(run)


def _operation(
    form: Form, b: Builder, table: dict[str, tuple[str, ...]], space: str
) -> tuple[Update, Type]:
    operation = form.choice(*table)
    is_noftz = form.flag("noftz")
    ty = form.type(*table[operation])
    if is_noftz != (operation == "add" and ty.name in ("f16", "bf16")):
        form.error("expected '.noftz' exactly for '.add' of 16-bit floats")
    return update_rule(operation, ty, space, b.algebra), ty


def _combined(
    update: Update, ty: Type, old: NDArray[np.uint8], data: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """Applies an operation to the elements of two byte arrays, uint8[n]."""
    before, values = old.view(ty.dtype), data.view(ty.dtype)
    new = update(before, values).astype(ty.dtype, copy=False)
    return np.ascontiguousarray(new).view(np.uint8)


def _to_global(form: Form, b: Builder) -> Compiled:
    form.require("shared::cta", "bulk_group")
    has_policy = form.flag("L2::cache_hint")
    update, ty = _operation(form, b, _GLOBAL, "global")
    operands = operands_before_policy(form, b, 3, has_policy=has_policy)
    target = global_address(form, b, operands[0])
    source = shared_address(form, b, operands[1])
    sizes = b.src(operands[2], U32)
    engine, memory, at = b.bulk, b.machine.memory, b.at

    def run(lanes: Lanes) -> None:
        for number, lane in one_by_one(b, lanes):
            size = int(sizes[number])
            chunks, rows = outgoing(b, lane, source(lane), target(lane), size)

            def sink(
                data: NDArray[np.uint8], where: Addresses = rows.addresses
            ) -> None:
                old = memory.load(where, len(data)).reshape(-1)
                memory.store(where, _combined(update, ty, old, data).reshape(1, -1))

            engine.out_of_shared(at, number, chunks, sink, rows, updates=True)

    return b.step(run)
