# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A line per op for people who watch a kernel run: shape, range, first elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from cuda_tile.interp.flight import Ring
from cuda_tile.interp.program import Op, TileType
from cuda_tile.interp.undefined import data_of, mask_of
from cuda_tile.interp.values import (
    Buffer,
    Pending,
    TensorView,
    TileView,
    Token,
    Value,
)
from cuda_tile.runtime.elements import Array
from cuda_tile.runtime.number_text import address_text, first_elements

FIRST_ELEMENTS = 4
"""How many elements of a tile a line shows."""


def describe(op: Op, results: tuple[Any, ...]) -> str:
    """One op and its results, for example `addf -> tile<8xf32> 1..8: 1 2 3 4 ...`."""
    shown = [
        describe_value(value, kind.element.name if isinstance(kind, TileType) else "")
        for value, kind in zip(results, op.result_types, strict=True)
    ]
    return f"{op.location}: {op.name}" + (f" -> {', '.join(shown)}" if shown else "")


def describe_value(value: Value, element: str = "") -> str:
    """One value in words; `element` names the element type of a tile."""
    if isinstance(value, Token):
        count = value.events.bit_count()
        return f"token after {count} access{'es' if count != 1 else ''}"
    if isinstance(value, TensorView):
        return (
            f"tensor_view at {value.address:#x}, shape {list(value.shape)}, "
            f"strides {list(value.strides)}"
        )
    if isinstance(value, TileView):
        return f"tiles of {list(value.type.tile_shape)} over {list(value.tensor.shape)}"
    if isinstance(value, Buffer):
        return f"buffer {list(value.data.shape)}, {int(value.written.sum())} written"
    if isinstance(value, Ring):
        return value.describe()
    if isinstance(value, Pending):
        return "a pending tile"
    return _describe_tile(data_of(value), mask_of(value), element)


def _describe_tile(data: Array, undefined: Array, element: str) -> str:
    flat = data.reshape(-1)
    shape = "".join(f"{size}x" for size in data.shape)
    first = first_elements(flat, FIRST_ELEMENTS, address_text)
    lost = int(undefined.sum())
    unknown = f", {lost} unspecified" if lost else ""
    known = flat[~undefined.reshape(-1)]
    span = ""
    if known.size > 1 and data.dtype != np.bool_:
        wide = known if data.dtype.kind in "iu" else known.astype(np.float64)
        numbers = wide[~np.isnan(wide)] if wide.dtype.kind == "f" else wide
        span = " all NaN"
        if numbers.size:
            span = f" {address_text(numbers.min())}..{address_text(numbers.max())}"
    return f"tile<{shape}{element or data.dtype}>{span}{unknown}: {first}"
