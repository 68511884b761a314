# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two's complement arithmetic helpers: readings of integer tiles, and wrapping.

Tiles hold integers in their signed reading (`elements.py`). Widths up to 32 compute in
64 bits and wrap; i64 relies on 64-bit wrap-around of uint64.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cuda_tile.interp import decisions
from cuda_tile.runtime.elements import Array, Element

Signed = NDArray[np.int64]
Unsigned = NDArray[np.uint64]


def signed(values: Array) -> Signed:
    """The signed reading S(x)."""
    if values.dtype == np.bool_:
        return values.astype(np.int64) * decisions.TRUE_I1_SIGNED
    return values.astype(np.int64)


def unsigned(values: Array, kind: Element) -> Unsigned:
    """The unsigned reading U(x)."""
    if values.dtype == np.bool_:
        return values.astype(np.uint64)
    wide = values.astype(np.int64).view(np.uint64)
    if kind.bits == 64:
        return wide
    return wide & np.uint64((1 << kind.bits) - 1)


def reading(values: Array, kind: Element, signedness: str) -> Signed | Unsigned:
    """S(x) or U(x), by the keyword `signed` or `unsigned`."""
    return signed(values) if signedness == "signed" else unsigned(values, kind)


def wrap(values: NDArray[Any], kind: Element) -> Array:
    """The low `kind.bits` bits of 64-bit integers, as a tile of `kind`."""
    if kind.bits == 1:
        return np.asarray((values & values.dtype.type(1)) != 0)
    if kind.bits == 4:
        low = values.astype(np.int64) & 15
        return np.asarray((low - ((low & 8) << 1)).astype(kind.dtype))
    return np.asarray(values.astype(kind.dtype))


def big(values: Array, kind: Element, signedness: str) -> NDArray[np.object_]:
    """S(x) or U(x) as Python integers, for exact checks at any width."""
    return np.asarray(reading(values, kind, signedness).astype(object))


def limits(kind: Element, signedness: str) -> tuple[int, int]:
    """Smallest and largest value of a reading of `kind`."""
    if signedness == "signed":
        return -(1 << kind.bits - 1), (1 << kind.bits - 1) - 1
    return 0, (1 << kind.bits) - 1
