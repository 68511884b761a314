# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A product of halves, whose tolerance is as wide as some terms are large."""

import numpy as np

CASES = 3
SHAPES = (32, 32, 128), (32, 40, 100), (16, 32, 66)


def inputs(rng, number):
    m, n, k = SHAPES[number]
    a = rng.standard_normal((m, k)).astype(np.float16)
    return a, rng.standard_normal((k, n)).astype(np.float16)


def reference(a, b):
    return (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16)
