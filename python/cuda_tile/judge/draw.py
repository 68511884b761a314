# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays that are hard on a kernel, for the inputs of a reference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cuda_tile.runtime.elements import Array


class Draws(np.random.Generator):
    """Draws the data of a call.

    Attributes:
        words: The seed.
        kinds_on: By how many kinds `draw` goes on from the case's own. Other data of a
            case is of another kind, so that nobody knows a case by its kind.
    """

    words: Sequence[int] = ()
    kinds_on: int = 0


OTHER_KINDS_ON = 3


def draws(words: Sequence[int], kinds_on: int = 0) -> Draws:
    """A generator, as `numpy.random.default_rng` makes it.

    Args:
        words: The seed.
        kinds_on: As the generator has it.
    """
    made = Draws(np.random.PCG64(np.random.SeedSequence(words)))
    made.words, made.kinds_on = words, kinds_on
    return made


RUN = 4


def _runs(rng: np.random.Generator, shape: Sequence[int]) -> Array:
    """Two numbers in runs: who sees two equal elements must not take all to be."""
    size = int(np.prod(shape))
    values = rng.choice(rng.standard_normal(2), -(-size // RUN))
    return np.repeat(values, RUN)[:size].reshape(shape)


_KINDS: tuple[Callable[[np.random.Generator, Sequence[int]], Array], ...] = (
    lambda rng, shape: rng.standard_normal(shape),
    lambda rng, shape: rng.random(shape) + 0.5,
    lambda rng, shape: -10 * rng.random(shape),
    lambda rng, shape: rng.standard_normal(shape) * 1e-3,
    lambda rng, shape: rng.standard_normal(shape) * 30,
    lambda rng, shape: np.full(shape, rng.standard_normal()),
    _runs,
)


def draw(
    rng: np.random.Generator,
    shape: int | Sequence[int],
    dtype: Any = np.float32,
    number: int = 0,
) -> Array:
    """An array of floats of one kind.

    Mixed, positive, negative, small, large, equal, or two in runs.

    Args:
        rng: Draws the values.
        shape: Its extents.
        dtype: Its element type.
        number: The number of the case; each takes the next kind.
    """
    extents = (shape,) if isinstance(shape, int) else tuple(shape)
    number += rng.kinds_on if isinstance(rng, Draws) else 0
    return np.asarray(_KINDS[number % len(_KINDS)](rng, extents)).astype(dtype)
