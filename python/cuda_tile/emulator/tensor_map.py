"""Tensor maps: how the copy engine sees an array, as a launch argument.

CUDA Driver API, "Tensor Map Object Management": cuTensorMapEncodeTiled, whose limits
are checked here. PTX ISA, "Tensor Memory Access: Tiled Mode", "Swizzling Modes".
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.errors import Fault, LaunchError
from cuda_tile.emulator.global_rows import GlobalRows

SIZE_BYTES = 128
_MAGIC = b"cuda-tile tensor map"
_MOST_RANK = 5
_MOST_BOX = 256
_MOST_EXTENT = 1 << 32
_MOST_STRIDE_BYTES = 1 << 40
_SWIZZLES = (0, 32, 64, 128)

Fill = Literal["zero", "nan"]


class TensorMap:
    """A tiled view of an array for cp.async.bulk.tensor.

    Args:
        array: The array, of 1 to 5 dimensions, last dimension contiguous. PTX
            coordinates name dimensions from the last to the first.
        box: Extents of a copied box, in the order of the array's dimensions.
        swizzle_bytes: 0, or the span of the swizzle in shared memory: 32, 64, 128.
        fill: What loads put in elements outside the array: zeros, or for floats NaN.

    Raises:
        LaunchError: The hardware's limits are broken.
    """

    def __init__(
        self,
        array: NDArray[Any],
        box: Sequence[int],
        swizzle_bytes: int = 0,
        fill: Fill = "zero",
    ) -> None:
        self.array = _plain(array)
        self.box = _box(box)
        self.swizzle_bytes = swizzle_bytes
        self.fill = fill
        self._check()
        # Elements by their bits: the engine moves bytes.
        self.bits: NDArray[Any] = array.view(f"u{array.itemsize}")

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return self.array.ndim

    @property
    def box_bytes(self) -> int:
        """Size of a box in shared memory; elements outside the array count."""
        return int(np.prod(self.box)) * self.array.itemsize

    def _check(self) -> None:
        array, box = self.array, self.box
        if not 1 <= array.ndim <= _MOST_RANK or len(box) != array.ndim:
            raise LaunchError(
                f"tensor map: expected 1 to 5 dimensions and a box of as many, got an "
                f"array of {array.ndim} and a box of {len(box)}"
            )
        _must(array.itemsize in (1, 2, 4, 8), "elements of 1 to 8 bytes", array.dtype)
        _must(min(array.shape) > 0, "extents above 0", array.shape)
        _must(max(array.shape) <= _MOST_EXTENT, "extents up to 2**32", array.shape)
        _must(
            all(1 <= extent <= _MOST_BOX for extent in box),
            "box extents from 1 to 256",
            box,
        )
        address = int(array.__array_interface__["data"][0])
        _must(address % 16 == 0, "an array at a multiple of 16 bytes", hex(address))
        _must(
            array.strides[-1] == array.itemsize or array.shape[-1] == 1,
            "a contiguous last dimension",
            array.strides,
        )
        _must(
            all(
                s % 16 == 0 and 0 <= s < _MOST_STRIDE_BYTES for s in array.strides[:-1]
            ),
            "strides that are multiples of 16 bytes",
            array.strides,
        )
        inner = box[-1] * array.itemsize
        _must(inner % 16 == 0, "a box of a multiple of 16 bytes in a row", inner)
        is_swizzle = isinstance(cast(object, self.swizzle_bytes), int)
        is_swizzle = is_swizzle and self.swizzle_bytes in _SWIZZLES
        _must(is_swizzle, "a swizzle of 0, 32, 64 or 128", repr(self.swizzle_bytes))
        _must(
            not self.swizzle_bytes or inner <= self.swizzle_bytes,
            f"box rows within the swizzle of {self.swizzle_bytes} bytes",
            inner,
        )
        _must(self.fill in ("zero", "nan"), "fill 'zero' or 'nan'", repr(self.fill))
        _must(
            self.fill != "nan" or array.dtype.kind in "fV",
            "floats for fill 'nan'",
            array.dtype,
        )

    def encode(self, number: int) -> bytes:
        """Returns the 128 bytes that stand for the map in memory."""
        return (_MAGIC + number.to_bytes(4, "little")).ljust(SIZE_BYTES, b"\0")

    # Boxes -------------------------------------------------------------------------

    def _overlap(
        self, start: Sequence[int]
    ) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
        """Where a box at `start` overlaps the array: in the array, and in the box."""
        outer: list[slice] = []
        inner: list[slice] = []
        for first, extent, size in zip(start, self.box, self.array.shape, strict=True):
            low, high = max(first, 0), min(first + extent, size)
            high = max(high, low)
            outer.append(slice(low, high))
            inner.append(slice(low - first, high - first))
        return tuple(outer), tuple(inner)

    def rows(self, start: Sequence[int]) -> GlobalRows:
        """Where the part of a box that lies in the array has its rows in memory."""
        outer, _ = self._overlap(start)
        address = int(self.array.__array_interface__["data"][0])
        first, last = int(outer[-1].start), int(outer[-1].stop)
        places = np.array([address + first * self.array.itemsize], np.uint64)
        for part, stride in zip(outer[:-1], self.array.strides[:-1], strict=True):
            steps = np.arange(part.start, part.stop, dtype=np.uint64) * np.uint64(
                stride
            )
            places = np.add.outer(places, steps).ravel()
        size = (last - first) * self.array.itemsize
        return GlobalRows(places if size else places[:0], size)

    def load(self, start: Sequence[int]) -> NDArray[np.uint8]:
        """Reads the box at `start` (in the array's order); returns its bytes, flat."""
        bits = np.zeros(self.box, self.bits.dtype)
        if self.fill == "nan":
            bits[...] = np.array(np.nan, self.array.dtype).view(self.bits.dtype)
        outer, inner = self._overlap(start)
        bits[inner] = self.bits[outer]
        return bits.reshape(-1).view(np.uint8)

    def store(
        self, start: Sequence[int], data: NDArray[np.uint8], operation: str = ""
    ) -> None:
        """Writes the bytes of a box; elements outside the array are left out.

        Args:
            start: First element of the box, in the array's order.
            data: uint8[box_bytes].
            operation: A reduction, `add`, `min`, `max`, `inc`, `dec`, `and`, `or`,
                `xor`; else empty.

        Raises:
            Fault: The array's type does not have the reduction.
        """
        outer, inner = self._overlap(start)
        bits = data.view(self.bits.dtype).reshape(self.box)[inner]
        if not operation:
            self.bits[outer] = bits
            return
        if operation in ("and", "or", "xor"):
            self.bits[outer] = REDUCTIONS[operation](self.bits[outer], bits)
            return
        dtype = self.array.dtype
        if operation in ("inc", "dec") and dtype != np.uint32:
            raise Fault("tma", f"expected uint32 for '.{operation}', got {dtype}")
        values = np.ascontiguousarray(bits).view(dtype)
        self.array[outer] = REDUCTIONS[operation](self.array[outer], values)


def increment(old: NDArray[Any], limit: NDArray[Any]) -> NDArray[Any]:
    """PTX's `inc`: one more, 0 from the limit on."""
    zero = np.zeros_like(old)
    return np.where(old >= limit, zero, old + 1)


def decrement(old: NDArray[Any], limit: NDArray[Any]) -> NDArray[Any]:
    """PTX's `dec`: one less, the limit from 0 and from above it."""
    wraps = (old == 0) | (old > limit)
    return np.where(wraps, limit, old - 1)


# Reductions of cp.reduce.async.bulk.tensor.
REDUCTIONS: dict[str, Any] = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "inc": increment,
    "dec": decrement,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


def _plain(array: object) -> NDArray[Any]:
    if not isinstance(array, np.ndarray):
        raise LaunchError(f"tensor map: expected an array, got {type(array).__name__}")
    found = cast(NDArray[Any], array)
    is_number = found.dtype.kind in "biufV" and found.dtype.names is None
    _must(is_number, "an array of real numbers", found.dtype)
    _must(found.dtype.isnative, "an array of this machine's byte order", found.dtype)
    return found


def _box(box: object) -> tuple[int, ...]:
    extents = tuple(cast(Sequence[Any], box)) if np.iterable(box) else ()
    _must(
        bool(extents) and all(isinstance(e, Integral) for e in extents),
        "a box of integers, one for each dimension",
        repr(box),
    )
    return tuple(int(extent) for extent in extents)


def _must(holds: bool, expected: str, got: object) -> None:
    if not holds:
        raise LaunchError(f"tensor map: expected {expected}, got {got}")


def decode(data: bytes) -> int | None:
    """Returns the number that `encode` wrote; None where no tensor map lies."""
    if data[: len(_MAGIC)] != _MAGIC:
        return None
    return int.from_bytes(data[len(_MAGIC) : len(_MAGIC) + 4], "little")


def swizzled(
    offsets: NDArray[np.int64], span_bytes: int, first_row: int = 0
) -> NDArray[np.int64]:
    """Permutes 16-byte chunks by address bits: of bits 4-6 those of the span change.

    Args:
        offsets: Addresses within the CTA's shared memory.
        span_bytes: 0, 32, 64 or 128.
        first_row: The 128 bytes, of eight, that the pattern starts with.
    """
    if not span_bytes:
        return offsets
    row = (offsets >> 7) - first_row
    return offsets ^ ((row & (span_bytes // 16 - 1)) << 4)
