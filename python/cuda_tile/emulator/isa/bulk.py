# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX ISA: "Asynchronous copy": bulk copies, and of tensors.

`cp.async.bulk`, `cp.async.bulk.tensor`, `cp.reduce.async.bulk.tensor`, their
prefetches and groups. Tensor copies know the tiled mode.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.isa.bulk_places import (
    checked_size,
    chunk_places,
    copy_targets,
    global_address,
    one_by_one,
    outgoing,
    shared_address,
)
from cuda_tile.emulator.isa.bulk_reduce import plain_reduction
from cuda_tile.emulator.isa.mbarrier import COMPLETES, barrier_place
from cuda_tile.emulator.isa.move import memory_operand, operands_before_policy
from cuda_tile.emulator.isa.tensormap import read_object
from cuda_tile.emulator.machine.build import Builder
from cuda_tile.emulator.machine.step import Compiled
from cuda_tile.emulator.memory.spaces import Addresses
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.syntax import Address, Operand, Variable, Vector
from cuda_tile.emulator.ptx.types import B64, TYPES, U32
from cuda_tile.emulator.shadow.global_rows import GlobalRows
from cuda_tile.emulator.shadow.in_flight import CHUNK_BYTES
from cuda_tile.emulator.tensor import rows
from cuda_tile.emulator.tensor.map_object import REDUCTIONS, Tensor
from cuda_tile.emulator.tensor.rows import TensorRows
from cuda_tile.emulator.threads.lanes import Lanes
from cuda_tile.runtime.memory import MemoryFault

Offsets = NDArray[np.int64]
_TENSOR_ALIGN = 128


def bulk(form: Form, b: Builder, *, reduces: bool = False) -> Compiled:
    """Everything after `cp.async.bulk` or `cp.reduce.async.bulk`."""
    if form.flag("commit_group"):
        form.operands(0)
        return b.step(b.bulk.commit)
    if form.flag("wait_group"):
        reads_only = form.flag("read")
        (count,) = form.operands(1)
        pending = b.groups(count)
        return b.step(lambda lanes: b.bulk.wait(lanes, pending, reads_only=reads_only))
    if form.flag("prefetch"):
        return _prefetch(form, b)
    if form.flag("tensor"):
        return _tensor(form, b, reduces=reduces)
    return plain_reduction(form, b) if reduces else _plain(form, b)


def _prefetch(form: Form, b: Builder) -> Compiled:
    """cp.async.bulk.prefetch: no effect on values."""
    if form.flag("tensor"):
        form.choice("1d", "2d", "3d", "4d", "5d")
        form.require("L2", "global")
        rows = _mode(form, "gather4")
        has_policy = form.flag("L2::cache_hint")
        (x,) = operands_before_policy(form, b, 1, has_policy=has_policy)
        _tensor_operand(form, b, x, None, by_rows=rows)
    else:
        form.require("L2", "global")
        has_policy = form.flag("L2::cache_hint")
        x, size = operands_before_policy(form, b, 2, has_policy=has_policy)
        b.address(x, "global")
        b.src(size, U32)
    return b.no_effect()


def _mode(form: Form, rows: str) -> bool:
    """Takes `.tile`, or `.tile::` and how rows are called; says which it was."""
    mode = form.prefix("tile") or form.prefix("im2col")
    if mode not in ("", "tile", f"tile::{rows}"):
        form.error(
            f"expected '.tile' or '.tile::{rows}', got '.{mode}', which is not "
            "supported"
        )
    return "::" in mode


# Plain copies ----------------------------------------------------------------------


def _plain(form: Form, b: Builder) -> Compiled:
    """cp.async.bulk: 16-byte multiples between global and shared memory."""
    if form.flag("global"):
        return _plain_out(form, b)
    form.choice("shared::cluster", "shared::cta")
    origin = form.choice("global", "shared::cta")
    form.require(COMPLETES)
    is_multicast = form.flag("multicast::cluster")
    has_policy = form.flag("L2::cache_hint")
    operands = operands_before_policy(form, b, 4 + is_multicast, has_policy=has_policy)
    masks = b.src(operands.pop(), TYPES["u16"]) if is_multicast else None
    target = shared_address(form, b, operands[0])
    sizes = b.src(operands[2], U32)
    place = barrier_place(form, b, operands[3], "shared")
    is_near = origin != "global"
    source = (
        shared_address(form, b, operands[1])
        if is_near
        else global_address(form, b, operands[1])
    )
    spaces, engine, at = b.spaces, b.bulk, b.at

    def run(lanes: Lanes) -> None:
        for number, lane in one_by_one(b, lanes):
            size = checked_size(int(sizes[number]))
            chunks = chunk_places(b, lane, target(lane), size, CHUNK_BYTES, 0)
            mask = None if masks is None else int(masks[number])
            where = source(lane)
            if not is_near:
                spaces.check_alignment(lane, where, CHUNK_BYTES)
                engine.reads_global(at, number, GlobalRows(where, size))
            for some, cell in copy_targets(
                b, number, chunks, int(place(lane)[0]), mask
            ):
                if is_near:
                    near = chunk_places(b, lane, where, size, CHUNK_BYTES, 0)
                    engine.between_shared(at, number, some, cell, near)
                    continue
                data = spaces.load_bytes(lane, where, size).reshape(-1)
                engine.into_shared(at, number, some, cell, lambda data=data: data)

    return b.step(run)


def _plain_out(form: Form, b: Builder) -> Compiled:
    form.require("shared::cta", "bulk_group")
    has_policy = form.flag("L2::cache_hint")
    has_mask = form.flag("cp_mask")
    operands = list(form.operands(3 + has_policy + has_mask))
    masks = b.src(operands.pop(), TYPES["u16"]) if has_mask else None
    if has_policy:
        b.src(operands.pop(), B64)
    target, source = (
        global_address(form, b, operands[0]),
        shared_address(form, b, operands[1]),
    )
    sizes = b.src(operands[2], U32)
    engine, at = b.bulk, b.at

    def run(lanes: Lanes) -> None:
        for number, lane in one_by_one(b, lanes):
            size = int(sizes[number])
            chunks, rows = outgoing(b, lane, source(lane), target(lane), size)
            mask = 0xFFFF if masks is None else int(masks[number])
            copied = np.tile((mask >> np.arange(16) & 1).astype(np.bool_), size // 16)

            def sink(
                data: NDArray[np.uint8],
                where: Addresses = rows.addresses,
                copied: NDArray[np.bool_] = copied,
            ) -> None:
                old = b.machine.memory.load(where, len(data))
                b.machine.memory.store(where, np.where(copied, data, old))

            engine.out_of_shared(at, number, chunks, sink, rows)

    return b.step(run)


# Tensor copies ---------------------------------------------------------------------


def _tensor_operand(
    form: Form, b: Builder, x: Operand, rank: int | None, *, by_rows: bool = False
) -> Callable[[int, Lanes], tuple[Tensor | TensorRows, list[int]]]:
    """Returns what reads a lane's tensor map and coordinates (in array order)."""
    if not isinstance(x, Address) or len(x.coordinates) != 1:
        form.error("expected [tensorMap, {coordinates}]")
    vector = x.coordinates[0]
    if not isinstance(vector, Vector):
        form.error("expected coordinates in braces")
    if by_rows:
        if rank not in (None, 2):
            form.error(f"expected '.2d' for rows of a tensor, got '.{rank}d'")
        rank = 1 + rows.COUNT
    if rank is not None and len(vector.elements) != rank:
        form.error(f"expected {rank} coordinates, got {len(vector.elements)}")
    is_param = isinstance(x.base, Variable) and x.base.space == "param"
    plain = Address(x.base, x.offset_bytes)
    space, address = memory_operand(form, b, plain, "param" if is_param else "")
    starts = [b.src(element, TYPES["s32"]) for element in reversed(vector.elements)]
    maps, spaces, at = b.maps, b.spaces, b.at

    def read(number: int, lane: Lanes) -> tuple[Tensor | TensorRows, list[int]]:
        where = address(lane)
        maps.check_use(at, number, int(where[0]))
        found = Tensor.decode(read_object(spaces, at, space, lane, where))
        start = [int(start[number]) for start in starts]
        if by_rows:
            return TensorRows(found), start
        if found.rank != len(starts):
            raise Fault(
                "tma",
                f"expected a tensor map of rank {len(starts)}, got {found.rank}",
            )
        return found, start

    return read


def _rows(
    b: Builder,
    lane: Lanes,
    tensor: Tensor | TensorRows,
    start: list[int],
    access: str,
) -> GlobalRows:
    """Where a box lies in memory, which must be there."""
    rows = tensor.rows(start)
    try:
        b.machine.memory.check(rows.addresses, rows.size_bytes, access)
    except MemoryFault as fault:
        who = b.spaces.name_lane(lane, 0)
        raise Fault("out of bounds", f"{fault} (in a box that {who} copies)") from fault
    return rows


def _tensor(form: Form, b: Builder, *, reduces: bool) -> Compiled:
    """cp.async.bulk.tensor and cp.reduce.async.bulk.tensor, 1d to 5d, tiled.

    ptxas takes the mode and the group before the state spaces as well.
    """
    rank = int(form.choice("1d", "2d", "3d", "4d", "5d")[0])
    early_group = form.option("cta_group::1", "cta_group::2")
    mode = form.next
    by_rows = mode.startswith("tile") and _mode(form, mode.rpartition("::")[2])
    if form.next == "global" and not early_group:
        scatters = by_rows and mode.endswith("scatter4")
        if by_rows and not scatters:
            form.fail("'.shared::cluster' or '.shared::cta'")
        return _tensor_out(form, b, rank, reduces=reduces, by_rows=scatters)
    if mode.endswith("scatter4"):
        form.fail("'.global'")
    if reduces:
        form.fail("'.global'")
    form.choice("shared::cluster", "shared::cta")
    form.require("global")
    by_rows = _mode(form, "gather4") or by_rows
    form.require(COMPLETES)
    is_multicast = form.flag("multicast::cluster")
    group = early_group or form.option("cta_group::1", "cta_group::2")
    has_policy = form.flag("L2::cache_hint")
    operands = operands_before_policy(form, b, 3 + is_multicast, has_policy=has_policy)
    masks = b.src(operands.pop(), TYPES["u16"]) if is_multicast else None
    target = shared_address(form, b, operands[0])
    read = _tensor_operand(form, b, operands[1], rank, by_rows=by_rows)
    place = barrier_place(form, b, operands[2], "shared")
    engine, memory, at = b.bulk, b.machine.memory, b.at

    def run(lanes: Lanes) -> None:
        for number, lane in one_by_one(b, lanes):
            tensor, start = read(number, lane)
            chunks = chunk_places(
                b,
                lane,
                target(lane),
                tensor.box_bytes,
                _TENSOR_ALIGN,
                tensor.swizzle_bytes,
            )
            mask = None if masks is None else int(masks[number])
            near = int(place(lane)[0])
            engine.reads_global(at, number, _rows(b, lane, tensor, start, "load"))
            pairs = group == "cta_group::2"
            for some, cell in copy_targets(b, number, chunks, near, mask, pairs=pairs):
                engine.into_shared(
                    at,
                    number,
                    some,
                    cell,
                    lambda t=tensor, s=start: t.load(memory, s),
                    tensor.piece_bytes,
                )

    return b.step(run)


def _check_integers(tensor: Tensor | TensorRows) -> None:
    if not isinstance(tensor, Tensor) or tensor.dtype.kind not in "iub":
        raise Fault("tma", "expected integers to reduce to with exact numbers")


def _tensor_out(
    form: Form, b: Builder, rank: int, *, reduces: bool, by_rows: bool
) -> Compiled:
    form.require("global", "shared::cta")
    operation = form.choice(*REDUCTIONS) if reduces else ""
    by_rows = _mode(form, "scatter4") or by_rows
    form.require("bulk_group")
    has_policy = form.flag("L2::cache_hint")
    operands = operands_before_policy(form, b, 2, has_policy=has_policy)
    read = _tensor_operand(form, b, operands[0], rank, by_rows=by_rows)
    source = shared_address(form, b, operands[1])
    engine, memory, at = b.bulk, b.machine.memory, b.at

    def run(lanes: Lanes) -> None:
        for number, lane in one_by_one(b, lanes):
            tensor, start = read(number, lane)
            if reduces and b.algebra:
                _check_integers(tensor)
            size, span = tensor.box_bytes, tensor.swizzle_bytes
            chunks = chunk_places(b, lane, source(lane), size, _TENSOR_ALIGN, span)

            def sink(
                data: NDArray[np.uint8],
                tensor: Tensor | TensorRows = tensor,
                start: list[int] = start,
            ) -> None:
                tensor.store(memory, start, data, operation)

            rows = _rows(b, lane, tensor, start, "store")
            inside = None
            if rows.size_bytes * len(rows.addresses) < size:
                inside = tensor.inside(start).reshape(-1, CHUNK_BYTES)
            engine.out_of_shared(
                *(at, number, chunks, sink, rows), updates=reduces, needed=inside
            )

    return b.step(run)
