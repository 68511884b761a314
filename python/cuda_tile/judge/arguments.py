# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments and results of functions: which are arrays, and copies of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from cuda_tile.judge.tensors import as_array_of
from cuda_tile.runtime.elements import Array


def as_array(value: object) -> Array | None:
    """An argument as an array, or None if it is a number."""
    return cast(Array, value) if isinstance(value, np.ndarray) else None


def arrays_of(args: Sequence[Any]) -> list[Array]:
    """The arrays among arguments."""
    return [array for arg in args if (array := as_array(arg)) is not None]


def copied(args: Sequence[Any]) -> list[Any]:
    """Arguments with a copy of each array."""
    return [arg if (array := as_array(arg)) is None else array.copy() for arg in args]


def outputs_of(result: Any) -> list[Array]:
    """What a function gave, as a list of arrays, in the same memory."""
    if result is None:
        return []
    items = cast("Any", result if isinstance(result, (tuple, list)) else (result,))
    return [as_array_of(item) for item in items]
