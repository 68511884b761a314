# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of f32 in NumPy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def fma(x: Floats, y: Floats, z: Floats, *, up: bool = False) -> Floats:
    """In f64, where the product is exact, rounded to odd; then a second time."""
    product, other = x.astype(np.float64) * y, z.astype(np.float64)
    total = product + other
    part = total - product
    lost = (product - (total - part)) + (other - part)
    bits = total.view(np.int64)
    step = np.where((lost > 0) == (total > 0), 1, -1)
    bits = np.where((lost != 0) & (bits & 1 == 0), bits + step, bits)
    exact = bits.view(np.float64)
    near = exact.astype(np.float32)
    return np.where(up & (near < exact), np.nextafter(near, np.float32(np.inf)), near)
