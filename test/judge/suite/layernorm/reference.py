# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

CASES = 4
SHAPES = (4, 128), (3, 100), (8, 256), (5, 65)


def inputs(rng, number):
    rows, n = SHAPES[number]
    x = rng.standard_normal((rows, n)) * 2 + number
    weight, bias = rng.standard_normal((2, n))
    return x.astype("f4"), weight.astype("f4"), bias.astype("f4"), 1e-5


def reference(x, weight, bias, eps):
    mean, variance = x.mean(1, keepdims=True), x.var(1, keepdims=True)
    return (x - mean) / np.sqrt(variance + eps) * weight + bias
