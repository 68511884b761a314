# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

from cuda_tile.emulator.errors import LaunchError
from cuda_tile.emulator.tensor.map_object import MOST_RANK, SWIZZLES, Tensor

Fill = Literal["zero", "nan"]


class TensorMap:
    """A tiled view of an array for cp.async.bulk.tensor.

    Args:
        array: The array, of 1 to 5 dimensions, last dimension contiguous. PTX
            coordinates name dimensions from the last to the first.
        box: Extents of a copied box, in the order of the array's dimensions.
        swizzle_bytes: 0, or the span of the swizzle in shared memory: 32, 64, 128.
        fill: What loads put in elements outside the array: zeros, or for floats NaN.
        packed_bits: 4 or 6 if bytes of the array hold packed elements, which loads pad
            in shared memory; the box then counts elements. 0 for others.

    Raises:
        LaunchError: The hardware's limits are broken.
    """

    def __init__(
        self,
        array: NDArray[Any],
        box: Sequence[int],
        swizzle_bytes: int = 0,
        fill: Fill = "zero",
        packed_bits: int = 0,
    ) -> None:
        self.array = _plain(array)
        extents = _box(box)
        if not 1 <= array.ndim <= MOST_RANK or len(extents) != array.ndim:
            raise LaunchError(
                f"tensor map: expected 1 to 5 dimensions and a box of as many, got an "
                f"array of {array.ndim} and a box of {len(extents)}"
            )
        _must(array.itemsize in (1, 2, 4, 8), "elements of 1 to 8 bytes", array.dtype)
        _must(
            array.strides[-1] == array.itemsize or array.shape[-1] == 1,
            "a contiguous last dimension",
            array.strides,
        )
        is_swizzle = isinstance(cast(object, swizzle_bytes), int)
        is_swizzle = is_swizzle and swizzle_bytes in SWIZZLES
        _must(is_swizzle, "a swizzle of 0, 32, 64 or 128", repr(swizzle_bytes))
        _must(fill in ("zero", "nan"), "fill 'zero' or 'nan'", repr(fill))
        _must(packed_bits in (0, 4, 6), "packed elements of 4 or 6 bits", packed_bits)
        shape = array.shape
        if packed_bits:
            _must(array.dtype == np.uint8, "packed elements in uint8", array.dtype)
            shape = (*shape[:-1], shape[-1] * 8 // packed_bits)
        self.tensor = Tensor(
            int(array.__array_interface__["data"][0]),
            array.dtype,
            shape,
            array.strides[:-1],
            extents,
            swizzle_bytes,
            fill == "nan",
            packed_bits,
        )
        if problem := self.tensor.problem():
            raise LaunchError(f"tensor map: {problem}")


def _must(holds: bool, expected: str, got: object) -> None:
    if not holds:
        raise LaunchError(f"tensor map: expected {expected}, got {got}")


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
