# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A sum of two arrays."""

from cuda_tile.judge import draw

SIZES = 256, 1000, 1, 129, 2048, 300


def inputs(rng, number):
    n = SIZES[number]
    return draw(rng, n, number=number), draw(rng, n, number=number + 1)


def reference(x, y):
    return x + y
