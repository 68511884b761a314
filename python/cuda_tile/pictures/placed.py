# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the pictures show of a kernel at the end of level W."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import BufferType, PendingType, RingType
from cuda_tile.ir.attributes import integer
from cuda_tile.ir.rings import (
    MBARRIERS_ATTRIBUTE,
    buffer_type_bytes,
    places_in,
    ring_of,
)
from cuda_tile.ir.roles import find_roles, roles_of
from cuda_tile.ir.tiles import (
    buffer_layout_of,
    element_bits,
    element_name,
    is_distributed,
    layout_of,
    tile_of,
)
from cuda_tile.ir.traits import BUFFER_LOADS, BUFFER_MAKERS, BUFFER_STORES, RINGS
from cuda_tile.ir.walk import entry_name, location_text, nested_ops
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.shared import SharedLayout
from cuda_tile.pictures.bank_picture import WarpAccess, find_access
from cuda_tile.pictures.iterations_picture import Ring
from cuda_tile.targets import find_target

_BIT = "i1"


@dataclass
class UsedLayout:
    """A layout of tiles, and which tiles have it.

    Attributes:
        layout: The layout.
        ops: How many values have it, by the name of the op that makes them.
        bytes_: Of all registers of the largest of these tiles.
    """

    layout: LinearLayout
    ops: dict[str, int] = field(default_factory=dict[str, int])
    bytes_: int = 0

    @property
    def text(self) -> str:
        """The ops, most frequent first."""
        ordered = sorted(self.ops.items(), key=lambda item: -item[1])
        return ", ".join(f"{name} ({count})" for name, count in ordered[:6])


@dataclass
class UsedBuffer:
    """A buffer in shared memory, or one of each slot of a ring.

    Attributes:
        text: What it is: `ring 0, buffer 1: 64x128xf16`.
        layout: Its layout.
        bits: Of an element.
        accesses: What warps do to it, with where that stands.
    """

    text: str
    layout: SharedLayout
    bits: int
    accesses: list[tuple[str, WarpAccess]] = field(
        default_factory=list[tuple[str, WarpAccess]]
    )


@dataclass(frozen=True)
class Place:
    """A range of shared memory.

    Attributes:
        text: What lies there.
        start: Its first byte.
        size: How many bytes.
        parts: Slots of a ring, else 1.
    """

    text: str
    start: int
    size: int
    parts: int = 1


@dataclass
class PlacedKernel:
    """A kernel at the end of level W, as far as pictures show it."""

    name: str
    layouts: list[UsedLayout]
    buffers: list[UsedBuffer]
    rings: list[Ring]
    roles: list[str]
    places: list[Place]


def describe(entry: ir.Operation, gpu: str) -> PlacedKernel:
    """Reads an entry at the end of level W."""
    ops = list(nested_ops(entry))
    roles = find_roles(entry)
    names = [] if roles is None else [role.name for role in roles_of(roles)]
    rings = [op for op in ops if op.name in RINGS]
    return PlacedKernel(
        entry_name(entry),
        _layouts(ops),
        _buffers(ops, rings, gpu),
        [_ring(op) for op in rings],
        names,
        list(_places(ops, rings)),
    )


def _layouts(ops: list[ir.Operation]) -> list[UsedLayout]:
    found: dict[LinearLayout, UsedLayout] = {}
    for op in ops:
        for value in op.results:
            if not is_distributed(value) or tile_of(value).layout is None:
                continue
            layout = layout_of(value)
            used = found.setdefault(layout, UsedLayout(layout))
            name = op.name.removeprefix("cuda_tile.")
            used.ops[name] = used.ops.get(name, 0) + 1
            bits = element_bits(tile_of(value).element_type)
            used.bytes_ = max(used.bytes_, layout.n_elements * bits // 8)
    return sorted(found.values(), key=lambda used: (-used.bytes_, used.text))


def _ring(op: ir.Operation) -> Ring:
    ty = RingType(op.results[0].type)
    return Ring(ty.slots, " and ".join(map(_buffer_text, ty.buffers)))


def _buffer_text(ty: ir.Type) -> str:
    buffer = BufferType(ty)
    shape = "x".join(map(str, buffer.shape))
    return f"{shape}x{element_name(buffer.element_type)}"


def _buffers(
    ops: list[ir.Operation], rings: list[ir.Operation], gpu: str
) -> list[UsedBuffer]:
    """The different buffers, in the order of their first use."""
    found: dict[tuple[str, SharedLayout], UsedBuffer] = {}
    for op in ops:
        for value in op.results:
            if not isinstance(value.type, BufferType):
                continue
            used = _used(found, value)
            if op.operands and isinstance(op.operands[0].type, RingType):
                number = rings.index(ring_of(op))
                used.text = f"slot of ring {number}: {_buffer_text(value.type)}"
        access = _access(op, gpu)
        if access is not None:
            buffer, how = access
            used = _used(found, buffer)
            where = f"{op.name} at {location_text(op)}"
            if all(how != known for _, known in used.accesses):
                used.accesses.append((where, how))
    return list(found.values())


def _used(
    found: dict[tuple[str, SharedLayout], UsedBuffer], value: ir.Value
) -> UsedBuffer:
    text, layout = _buffer_text(value.type), buffer_layout_of(value)
    bits = element_bits(BufferType(value.type).element_type)
    return found.setdefault((text, layout), UsedBuffer(f"buffer: {text}", layout, bits))


def _access(op: ir.Operation, gpu: str) -> tuple[ir.Value, WarpAccess] | None:
    """The buffer that an op of threads accesses, and how its first warp does."""
    if op.name in BUFFER_STORES:
        tile, buffer, stores = op.operands[0], op.operands[1], True
    elif op.name in BUFFER_LOADS:
        tile, buffer, stores = op.results[0], op.operands[0], False
    else:
        return None
    if isinstance(tile.type, PendingType) or not is_distributed(tile):
        return None
    element = BufferType(buffer.type).element_type
    matrices = str(element) != _BIT and op.name != "tileas.load_part"
    if stores:
        matrices = matrices and find_target(gpu).has("nvvm.stmatrix")
    else:
        matrices = matrices and len(op.operands) == 1
    how = find_access(
        layout_of(tile),
        buffer_layout_of(buffer),
        element_bits(element),
        stores=stores,
        matrices=matrices,
    )
    return None if how is None else (buffer, how)


def _places(ops: list[ir.Operation], rings: list[ir.Operation]) -> Iterator[Place]:
    """Where everything lies in shared memory, lowest first."""
    found: list[Place] = []
    for op in ops:
        if "offset" not in op.attributes:
            continue
        start = integer(op, "offset")
        if op.name in RINGS:
            places = places_in(op)
            text = f"ring {rings.index(op)}: {_ring(op).text}"
            is_apart = MBARRIERS_ATTRIBUTE in op.attributes
            size = places.data_bytes if is_apart else places.size_bytes
            found.append(Place(text, start, size, places.slots))
        elif op.name in BUFFER_MAKERS:
            ty = op.results[0].type
            size = buffer_type_bytes(ty)
            found.append(Place(f"buffer: {_buffer_text(ty)}", start, size))
    yield from sorted(found, key=lambda place: (place.start, -place.size))
