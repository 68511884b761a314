# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor-map objects: the 1024 bits in memory that tell the copy engine of a tensor.

PTX ISA, "Tensors", "tensormap.replace": the object is opaque, so this is a layout of
our own; zeros are an object whose fields are yet to be set. CUDA Driver API, "Tensor
Map Object Management": the limits of its fields.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import DTypeLike, NDArray

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.shadow.global_rows import GlobalRows
from cuda_tile.runtime.memory import GlobalMemory

SIZE_BYTES = 128
MOST_RANK = 5
_MARK = b"tensor-map"
_MOST_BOX = 256
_MOST_STRIDE_BYTES = 1 << 40
SWIZZLES = (0, 32, 64, 128)

# Numbers, with dimensions from the innermost to the outermost.
_OBJECT = np.dtype(
    {
        "names": [
            "mark",
            "global_address",
            "global_stride",
            "global_dim",
            "box_dim",
            "element_stride",
            "rank",
            "elemtype",
            "interleave_layout",
            "swizzle_mode",
            "swizzle_atomicity",
            "fill_mode",
        ],
        "formats": [
            "S10",
            "<u8",
            ("<u8", 4),
            ("<u4", 5),
            ("<u4", 5),
            ("<u4", 5),
            *["u1"] * 6,
        ],
        "offsets": [114, 0, 8, 40, 60, 80, 100, 101, 102, 103, 104, 105],
        "itemsize": SIZE_BYTES,
    }
)
# PTX ISA, tensormap.replace: what the numbers of `elemtype` mean, from 0 on.
_ELEMENTS: tuple[DTypeLike, ...] = (
    np.uint8,
    np.uint16,
    np.uint32,
    np.int32,
    np.uint64,
    np.int64,
    np.float16,
    np.float32,
    np.float32,
    np.float64,
    ml_dtypes.bfloat16,
    np.float32,
    np.float32,
)
# Bits of elements that are packed in memory; in shared memory 16 of them begin a piece
# of 16 bytes: b4x16_p64 and b6x16_p32. CUDA Driver API: 16U4_ALIGN16B, 16U6_ALIGN16B.
_PACKED = {14: 4, 15: 6}
_PACKED_EXTENT = 128
_PIECE_BYTES = 16


@dataclass(frozen=True)
class Tensor:
    """What a tensor-map object says; dimensions from the outermost to the innermost.

    Attributes:
        address: Of the first element.
        dtype: Of the elements.
        extents: Of the tensor.
        strides: Of all dimensions but the last, in bytes.
        box: Extents of a copied box.
        swizzle_bytes: 0, or the span of the swizzle in shared memory.
        fills_nan: Whether loads put NaN, and not zero, outside the tensor.
        packed_bits: Bits of an element packed in memory, 4 or 6; the type is then
            uint8. 0 for others.
    """

    address: int
    dtype: np.dtype[Any]
    extents: tuple[int, ...]
    strides: tuple[int, ...]
    box: tuple[int, ...]
    swizzle_bytes: int
    fills_nan: bool
    packed_bits: int = 0

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.extents)

    @property
    def box_bytes(self) -> int:
        """Size of a box in shared memory; elements outside the tensor count."""
        return prod(self.box) * self.dtype.itemsize

    @property
    def piece_bytes(self) -> int:
        """Of each 16 bytes in shared memory, how many a copy writes and counts.

        That the padding is not counted follows from kernels that Triton compiles.
        """
        return 2 * self.packed_bits or _PIECE_BYTES

    def problem(self) -> str:
        """Says which limit of the hardware is broken; empty if none is."""
        inner = self.box[-1] * self.dtype.itemsize
        limits: tuple[tuple[bool, str, object], ...] = (
            (min(self.extents) > 0, "extents above 0", self.extents),
            (max(self.extents) <= 1 << 32, "extents up to 2**32", self.extents),
            (
                all(1 <= extent <= _MOST_BOX for extent in self.box),
                "box extents from 1 to 256",
                self.box,
            ),
            (
                self.address % 16 == 0,
                "an array at a multiple of 16 bytes",
                hex(self.address),
            ),
            (
                all(s % 16 == 0 and 0 <= s < _MOST_STRIDE_BYTES for s in self.strides),
                "strides that are multiples of 16 bytes",
                self.strides,
            ),
            (inner % 16 == 0, "a box of a multiple of 16 bytes in a row", inner),
            (
                not self.swizzle_bytes or inner <= self.swizzle_bytes,
                f"box rows within the swizzle of {self.swizzle_bytes} bytes",
                inner,
            ),
            (
                not self.fills_nan or self.dtype.kind in "fV",
                "floats for fill 'nan'",
                self.dtype,
            ),
        )
        if self.packed_bits:
            limits += self._packed_limits()
        for holds, expected, got in limits:
            if not holds:
                return f"expected {expected}, got {got}"
        return ""

    def _packed_limits(self) -> tuple[tuple[bool, str, object], ...]:
        wide = _PACKED_EXTENT
        return (
            (
                self.address % 32 == 0,
                "an array at a multiple of 32 bytes",
                self.address,
            ),
            (
                self.extents[-1] % wide == 0,
                f"rows of a multiple of {wide} packed elements",
                self.extents,
            ),
            (
                self.box[-1] == wide,
                f"{wide} packed elements in a row of a box",
                self.box,
            ),
        )

    # In memory ---------------------------------------------------------------------

    def encode(self) -> bytes:
        """Returns the object's 128 bytes."""
        found = np.zeros((), _OBJECT)
        found["mark"] = _MARK
        found["global_address"] = self.address
        for name, values in (
            ("global_stride", self.strides),
            ("global_dim", self.extents),
            ("box_dim", self.box),
            ("element_stride", (1,) * self.rank),
        ):
            inward = [value & 0xFFFFFFFFFFFFFFFF for value in values[::-1]]
            found[name][: len(inward)] = inward
        found["rank"] = self.rank - 1
        numbers = {bits: number for number, bits in _PACKED.items()}
        found["elemtype"] = numbers.get(self.packed_bits, _element_number(self.dtype))
        found["swizzle_mode"] = SWIZZLES.index(self.swizzle_bytes)
        found["fill_mode"] = self.fills_nan
        return found.tobytes()

    @classmethod
    def decode(cls, data: bytes) -> Tensor:
        """Reads an object.

        Raises:
            Fault: There is none, it breaks a limit, or asks for what is not supported.
        """
        found = np.frombuffer(data, _OBJECT)[0]
        if found["mark"] != _MARK:
            raise Fault("tma", "expected a tensor map, got other bytes")
        rank = int(found["rank"]) + 1
        if rank > MOST_RANK:
            raise Fault("tma", f"expected a tensor map of rank 1 to 5, got {rank}")
        element = int(found["elemtype"])
        packed_bits = _PACKED.get(element, 0)
        for name, got, allowed in (
            ("elemtype", 0 if packed_bits else element, len(_ELEMENTS)),
            ("interleave_layout", int(found["interleave_layout"]), 1),
            ("swizzle_mode", int(found["swizzle_mode"]), len(SWIZZLES)),
            ("swizzle_atomicity", int(found["swizzle_atomicity"]), 1),
            ("fill_mode", int(found["fill_mode"]), 2),
        ):
            if got >= allowed:
                raise Fault(
                    "tma",
                    f"expected a tensor map with {name} from 0 to {allowed - 1}, got "
                    f"{got}, which is not supported",
                )
        steps = [int(step) for step in found["element_stride"][:rank]]
        if set(steps) != {1}:
            raise Fault(
                "tma",
                f"expected a tensor map with element strides of 1, got {steps}; others "
                "are not supported",
            )

        def outward(name: str, count: int) -> tuple[int, ...]:
            return tuple(int(value) for value in found[name][:count][::-1])

        tensor = cls(
            int(found["global_address"]),
            np.dtype(np.uint8 if packed_bits else _ELEMENTS[element]),
            outward("global_dim", rank),
            outward("global_stride", rank - 1),
            outward("box_dim", rank),
            SWIZZLES[int(found["swizzle_mode"])],
            bool(found["fill_mode"]),
            packed_bits,
        )
        if problem := tensor.problem():
            raise Fault("tma", f"{problem} in a tensor map")
        return tensor

    # Boxes -------------------------------------------------------------------------

    def _overlap(
        self, start: Sequence[int]
    ) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
        """Where a box at `start` overlaps the tensor: in the tensor, in the box.

        Packed elements of the last dimension are counted in bytes.
        """
        outer: list[slice] = []
        inner: list[slice] = []
        for first, extent, size in zip(start, self.box, self.extents, strict=True):
            low, high = max(first, 0), min(first + extent, size)
            high = max(high, low)
            outer.append(slice(low, high))
            inner.append(slice(low - first, high - first))
        if self.packed_bits:
            if start[-1] % _PACKED_EXTENT:
                raise Fault(
                    "tma",
                    f"expected a multiple of {_PACKED_EXTENT} as the first coordinate "
                    f"of packed elements, got {start[-1]}",
                )
            outer[-1], inner[-1] = self._packed(outer[-1]), self._packed(inner[-1])
        return tuple(outer), tuple(inner)

    def _packed(self, part: slice) -> slice:
        bits = self.packed_bits
        return slice(part.start * bits // 8, part.stop * bits // 8)

    def inside(self, start: Sequence[int]) -> NDArray[np.bool_]:
        """Which bytes of a box at `start` lie in the tensor, bool[box_bytes]."""
        width = self.box[-1] * self.packed_bits // 8 or self.box[-1]
        found = np.zeros((*self.box[:-1], width), np.bool_)
        found[self._overlap(start)[1]] = True
        return np.repeat(found.ravel(), self.dtype.itemsize)

    def rows(self, start: Sequence[int]) -> GlobalRows:
        """Where the part of a box that lies in the tensor has its rows in memory."""
        outer, _ = self._overlap(start)
        first, last = outer[-1].start, outer[-1].stop
        places = np.array([self.address + first * self.dtype.itemsize], np.uint64)
        for part, stride in zip(outer[:-1], self.strides, strict=True):
            steps = np.arange(part.start, part.stop, dtype=np.uint64)
            places = np.add.outer(places, steps * np.uint64(stride)).ravel()
        size = (last - first) * self.dtype.itemsize
        return GlobalRows(places if size else places[:0], size)

    def load(self, memory: GlobalMemory, start: Sequence[int]) -> NDArray[np.uint8]:
        """Reads the box at `start`; returns its bytes, flat."""
        word = np.dtype(f"u{self.dtype.itemsize}")
        width = self.box[-1] * self.packed_bits // 8 or self.box[-1]
        bits = np.zeros((*self.box[:-1], width), word)
        if self.fills_nan:
            bits[...] = np.array(np.nan, self.dtype).view(word)
        _, inner = self._overlap(start)
        bits[inner] = self._read(memory, start).view(word)
        return bits.reshape(-1).view(np.uint8)

    def _read(self, memory: GlobalMemory, start: Sequence[int]) -> NDArray[Any]:
        """The elements of a box that lie in the tensor."""
        outer, _ = self._overlap(start)
        rows = self.rows(start)
        shape = [part.stop - part.start for part in outer]
        if not prod(shape):
            return np.zeros(shape, self.dtype)
        data = memory.load(rows.addresses, rows.size_bytes)
        return np.ascontiguousarray(data).view(self.dtype).reshape(shape)

    def store(
        self,
        memory: GlobalMemory,
        start: Sequence[int],
        data: NDArray[np.uint8],
        operation: str = "",
    ) -> None:
        """Writes the bytes of a box; elements outside the tensor are left out.

        Args:
            memory: Global memory.
            start: First element of the box.
            data: uint8[box_bytes].
            operation: A reduction, `add`, `min`, `max`, `inc`, `dec`, `and`, `or`,
                `xor`; else empty.

        Raises:
            Fault: The elements' type does not have the reduction.
        """
        if self.packed_bits:
            raise Fault("tma", "expected no store of padded elements")
        _, inner = self._overlap(start)
        values = data.view(self.dtype).reshape(self.box)[inner]
        if not values.size:
            return
        if operation:
            values = self._reduced(self._read(memory, start), values, operation)
        octets = np.ascontiguousarray(values).view(np.uint8)
        rows = self.rows(start)
        memory.store(rows.addresses, octets.reshape(-1, rows.size_bytes))

    def _reduced(
        self, old: NDArray[Any], values: NDArray[Any], operation: str
    ) -> NDArray[Any]:
        if operation in ("inc", "dec") and self.dtype != np.uint32:
            raise Fault("tma", f"expected uint32 for '.{operation}', got {self.dtype}")
        if operation in ("and", "or", "xor"):
            word = np.dtype(f"u{self.dtype.itemsize}")
            old, values = old.view(word), values.view(word)
        return REDUCTIONS[operation](old, values)


def replaced(data: bytes, field: str, value: int, place: int | None) -> bytes:
    """Returns an object with one field changed.

    Args:
        data: The object, or zeros.
        field: As tensormap.replace calls it.
        value: The new number.
        place: Which dimension, from the innermost on; None where there is one number.

    Raises:
        Fault: There is neither an object nor zeros.
    """
    found = np.frombuffer(data, _OBJECT).copy()
    if found["mark"][0] != _MARK and any(data):
        raise Fault("tma", "expected a tensor map or zeros, got other bytes")
    found["mark"] = _MARK
    if place is None:
        found[field] = value & (1 << 8 * found[field].itemsize) - 1
    else:
        found[field][0, place] = value
    return found.tobytes()


def dimensions(field: str) -> int:
    """How many numbers a field of an object has; 0 for a plain number."""
    shape = _OBJECT[field].shape
    return shape[0] if shape else 0


def _element_number(dtype: np.dtype[Any]) -> int:
    """The type that moves elements of a NumPy type; odd ones go by their size."""
    for number, name in enumerate(_ELEMENTS):
        if dtype == name:
            return number
    return {1: 0, 2: 1, 4: 2, 8: 4}[dtype.itemsize]


def increment(old: NDArray[Any], limit: NDArray[Any]) -> NDArray[Any]:
    """PTX's `inc`: one more, 0 from the limit on."""
    zero = np.zeros_like(old)
    return np.where(old >= limit, zero, old + 1)


def decrement(old: NDArray[Any], limit: NDArray[Any]) -> NDArray[Any]:
    """PTX's `dec`: one less, the limit from 0 and from above it."""
    wraps = (old == 0) | (old > limit)
    return np.where(wraps, limit, old - 1)


# Reductions of cp.reduce.async.bulk.tensor.
REDUCTIONS: dict[str, Callable[[NDArray[Any], NDArray[Any]], NDArray[Any]]] = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "inc": increment,
    "dec": decrement,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}
