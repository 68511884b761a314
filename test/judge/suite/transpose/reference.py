# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

CASES = 4
SHAPES = (64, 64), (33, 70), (1, 100), (128, 20)


def inputs(rng, number):
    return (rng.standard_normal(SHAPES[number]).astype(np.float16),)


def reference(x):
    return np.ascontiguousarray(x.T)
