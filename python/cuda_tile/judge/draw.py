# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays that are hard on a kernel, for the inputs of a reference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cuda_tile.runtime.elements import Array

_KINDS: tuple[Callable[[np.random.Generator, Sequence[int]], Array], ...] = (
    lambda rng, shape: rng.standard_normal(shape),
    lambda rng, shape: rng.random(shape) + 0.5,
    lambda rng, shape: -10 * rng.random(shape),
    lambda rng, shape: rng.standard_normal(shape) * 1e-3,
    lambda rng, shape: rng.standard_normal(shape) * 30,
    lambda rng, shape: np.full(shape, rng.standard_normal()),
)


def draw(
    rng: np.random.Generator,
    shape: int | Sequence[int],
    dtype: Any = np.float32,
    number: int = 0,
) -> Array:
    """An array of floats of one kind: mixed, positive, negative, small, large, equal.

    Args:
        rng: Draws the values.
        shape: Its extents.
        dtype: Its element type.
        number: The number of the case; each takes the next kind.
    """
    extents = (shape,) if isinstance(shape, int) else tuple(shape)
    return np.asarray(_KINDS[number % len(_KINDS)](rng, extents)).astype(dtype)
