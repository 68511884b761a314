# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX ISA: "tensormap.replace", "tensormap.cp_fenceproxy"."""

from __future__ import annotations

import numpy as np

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.isa.bulk_places import one_by_one
from cuda_tile.emulator.isa.chapter import Chapter
from cuda_tile.emulator.isa.move import SCOPES, memory_operand, take_space
from cuda_tile.emulator.machine.build import Builder
from cuda_tile.emulator.machine.step import Compiled
from cuda_tile.emulator.memory.spaces import WINDOWS, Addresses, Spaces
from cuda_tile.emulator.ordering.global_order import MemoryOrder
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.tensor.map_object import SIZE_BYTES, dimensions, replaced
from cuda_tile.emulator.threads.lanes import Lanes

CHAPTER = Chapter("Data Movement and Conversion Instructions: tensormap")

_WORD_BYTES = 32
# Fields by the kind of their value: a number, one of each dimension, a constant.
_NUMBERS = ("global_address", "rank")
_PER_DIMENSION = ("box_dim", "global_dim", "global_stride", "element_stride")
_CHOICES = (
    "elemtype",
    "interleave_layout",
    "swizzle_mode",
    "swizzle_atomicity",
    "fill_mode",
)


@CHAPTER.instruction("tensormap")
def tensormap(form: Form, b: Builder) -> Compiled:
    """Changes of tensor-map objects in memory."""
    if form.choice("replace", "cp_fenceproxy") == "replace":
        return _replace(form, b)
    return _copy(form, b)


def read_object(
    spaces: Spaces, at: int, space: str, lane: Lanes, where: Addresses
) -> bytes:
    """Loads the 128 bytes of an object for one lane."""
    spaces.check_alignment(lane, where, 64)
    parts = [
        spaces.load(at, space, lane, where + np.uint64(part), _WORD_BYTES)
        for part in range(0, SIZE_BYTES, _WORD_BYTES)
    ]
    return b"".join(part.tobytes() for part in parts)


def _write_object(
    spaces: Spaces, at: int, space: str, lane: Lanes, where: Addresses, data: bytes
) -> None:
    words = np.frombuffer(data, np.uint8).reshape(-1, _WORD_BYTES)
    for number, word in enumerate(words):
        place = where + np.uint64(number * _WORD_BYTES)
        spaces.store(at, space, lane, place, word.reshape(1, -1))


def _replace(form: Form, b: Builder) -> Compiled:
    """tensormap.replace: a weak access to the whole object, one field of which changes.

    The rank is given less one, as the object has it.
    """
    form.require("tile")
    field = form.choice(*_NUMBERS, *_PER_DIMENSION, *_CHOICES)
    space = take_space(form)
    if space not in ("", "global", "shared"):
        form.error(f"expected global or shared memory, got .{space}")
    form.require("b1024")
    ty = form.type("b64" if field in ("global_address", "global_stride") else "b32")
    x, *rest = form.operands(3 if field in _PER_DIMENSION else 2)
    place = None
    if field in _PER_DIMENSION:
        place = b.integer(rest.pop(0), "a constant dimension")
        if not 0 <= place < dimensions(field):
            form.error(f"expected a dimension below {dimensions(field)}, got {place}")
    if field in _CHOICES:
        b.integer(rest[0], "a constant")
    values = b.stored(rest[0], ty) if field not in _CHOICES else b.src(rest[0], ty)
    space, address = memory_operand(form, b, x, space)
    spaces, maps, at = b.spaces, b.maps, b.at

    def run(lanes: Lanes) -> None:
        b.machine.progress += 1
        for number, lane in one_by_one(b, lanes):
            where = address(lane)
            old = read_object(spaces, at, space, lane, where)
            new = replaced(old, field, int(values[number]), place)
            _write_object(spaces, at, space, lane, where, new)
            if space == "global" or is_global(int(where[0])):
                maps.change(at, number, int(where[0]), releases=False)

    return b.step(run)


def is_global(address: int) -> bool:
    """Whether a generic address is in global memory."""
    return address >> 56 not in {window >> 56 for window in WINDOWS.values()}


def _copy(form: Form, b: Builder) -> Compiled:
    """tensormap.cp_fenceproxy: a warp copies an object to global memory, and releases.

    The release counts as a fence of its scope for other memory too.
    """
    form.require("global", "shared::cta", "tensormap::generic", "release")
    order = MemoryOrder.of("acq_rel", form.choice(*SCOPES))
    form.require("sync", "aligned")
    x, y, size = form.operands(3)
    if b.integer(size, "a constant size") != SIZE_BYTES:
        form.error(f"expected a size of {SIZE_BYTES}")
    _, target = memory_operand(form, b, x, "global")
    _, source = memory_operand(form, b, y, "shared")
    spaces, machine, maps, at = b.spaces, b.machine, b.maps, b.at

    def run(lanes: Lanes) -> None:
        machine.progress += 1
        for warp in lanes.warps:
            first = int(lanes.numbers[np.searchsorted(lanes.numbers, warp * 32)])
            lane = Lanes(np.array([first]), machine.n_lanes)
            mates = Lanes(lanes.numbers[lanes.numbers >> 5 == warp], machine.n_lanes)
            if any((ends(mates) != ends(lane)).any() for ends in (target, source)):
                raise Fault("tma", "expected equal addresses in all lanes of a warp")
            where = target(lane)
            spaces.check_alignment(lane, where, SIZE_BYTES)
            data = read_object(spaces, at, "shared", lane, source(lane))
            _write_object(spaces, at, "global", lane, where, data)
            maps.change(at, first, int(where[0]), releases=True)
        if machine.order is not None and order is not None:
            machine.order.fence(lanes, order)

    step = b.step(run)
    step.convergence = "warp"
    return step
