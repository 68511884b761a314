# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays with the alignment of cudaMalloc; NumPy aligns only to 16 bytes."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

ALIGNMENT_BYTES = 128


def aligned(
    shape: Sequence[int], dtype: Any = np.float32, *, skip_bytes: int = 0
) -> NDArray[Any]:
    """An array of zeros at a multiple of 128 bytes, and `skip_bytes` more.

    Its memory is not NumPy's, so that it is counted where it is.
    """
    size = prod(shape) * np.dtype(dtype).itemsize
    memory = bytearray(size + ALIGNMENT_BYTES + skip_bytes)
    raw = np.frombuffer(memory, np.uint8)
    start = -raw.ctypes.data % ALIGNMENT_BYTES + skip_bytes
    return raw[start : start + size].view(dtype).reshape(shape)


def placed(values: NDArray[Any]) -> NDArray[Any]:
    """A copy of values at a multiple of 128 bytes."""
    array = aligned(values.shape, values.dtype)
    array[...] = values
    return array
