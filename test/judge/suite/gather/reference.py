# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from cuda_tile.judge import draw

CASES = 4
SIZES = (256, 100), (1000, 300), (64, 500), (128, 128)


def inputs(rng, number):
    n, count = SIZES[number]
    index = rng.integers(0, n, count).astype(np.int32)
    return draw(rng, n, number=number), index


def reference(x, index):
    return x[index]
