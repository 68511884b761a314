# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""References of `test/kernels/zoo/normalise.py`."""

from __future__ import annotations

import numpy as np
from zoo_launch import CLOSE, Array, Launch, launch, normal, softmax, wide, zeros

EPS = np.float32(1e-5)


def hat(x: Array, axis: int | tuple[int, ...] = -1) -> tuple[Array, Array]:
    """Normalised, and one over the deviation."""
    centred = wide(x) - wide(x).mean(axis=axis, keepdims=True)
    rstd = 1 / np.sqrt((centred**2).mean(axis=axis, keepdims=True) + 1e-5)
    return centred * rstd, rstd


@launch("layernorm_f32", "f32", 5, 100)
@launch("layernorm_bf16", "bf16", 6, 50)
def layernorm(kind: str, rows: int, columns: int) -> Launch:
    x, w, b = normal(kind, rows, columns), normal(kind, columns), normal(kind, columns)
    y = hat(x)[0] * wide(w) + wide(b)
    args = [x, w, b, zeros(kind, rows, columns), EPS]
    return Launch(args, (rows,), {3: y}, CLOSE[kind])


@launch("layernorm_backward_f32")
def layernorm_backward() -> Launch:
    x, dy = normal("f32", 6, 50), normal("f32", 6, 50, seed=1)
    w = normal("f32", 50)
    h, rstd = hat(x)
    scaled = wide(dy) * wide(w)
    first = scaled.mean(axis=1, keepdims=True)
    second = (scaled * h).mean(axis=1, keepdims=True)
    dx = (scaled - first - h * second) * rstd
    dw = (wide(dy) * h).sum(axis=0)
    args = [x, w, dy, zeros("f32", 6, 50), zeros("f32", 50), EPS]
    return Launch(args, (6,), {3: dx, 4: dw}, CLOSE["f32"])


@launch("rmsnorm_f16", "f16", 16, 112)
@launch("rmsnorm_f32", "f32", 7, 50)
def rmsnorm(kind: str, rows: int, columns: int) -> Launch:
    x, w = normal(kind, rows, columns), normal(kind, columns)
    if kind == "f32":  # the kernel takes any strides
        x = normal(kind, columns, rows).T
    y = wide(x) / np.sqrt((wide(x) ** 2).mean(1, keepdims=True) + 1e-5) * wide(w)
    args = [x, w, zeros(kind, rows, columns), EPS]
    return Launch(args, (rows,), {2: y}, CLOSE[kind])


@launch("rmsnorm_residual_f16")
def rmsnorm_residual() -> Launch:
    x, r = normal("f16", 3, 100), normal("f16", 3, 100, seed=1)
    w = normal("f16", 100)
    both = x + r
    y = wide(both) / np.sqrt((wide(both) ** 2).mean(1, keepdims=True) + 1e-5) * wide(w)
    args = [x, r, w, zeros("f16", 3, 100), EPS]
    return Launch(args, (3,), {1: both, 3: y}, CLOSE["f16"])


@launch("groupnorm_f32")
def groupnorm() -> Launch:
    x = normal("f32", 2, 12, 30)
    w, b = normal("f32", 12), normal("f32", 12, seed=1)
    h = hat(x.reshape(2, 3, 120))[0].reshape(2, 12, 30)
    y = h * wide(w)[None, :, None] + wide(b)[None, :, None]
    args = [x, w, b, zeros("f32", 2, 12, 30), EPS]
    return Launch(args, (2, 3), {3: y}, CLOSE["f32"])


@launch("batchnorm_statistics_f32")
def batchnorm_statistics() -> Launch:
    x = normal("f32", 21, 40)
    args = [x, zeros("f32", 40), zeros("f32", 40)]
    expected = {1: wide(x).mean(axis=0), 2: wide(x).var(axis=0)}
    return Launch(args, (3,), expected, CLOSE["f32"])


@launch("batchnorm_relu_f16")
def batchnorm_relu() -> Launch:
    x = normal("f16", 20, 40)
    mean, variance = normal("f32", 40), normal("f32", 40, seed=1) ** 2 + np.float32(0.5)
    w, b = normal("f32", 40, seed=2), normal("f32", 40, seed=3)
    y = (wide(x) - mean) / np.sqrt(wide(variance) + 1e-5) * w + b
    args = [x, mean, variance, w, b, zeros("f16", 20, 40)]
    return Launch(args, (3, 2), {5: np.maximum(y, 0)}, CLOSE["f16"])


@launch("welford_f32")
def welford() -> Launch:
    x = normal("f32", 8, 32)
    args = [x, zeros("f32", 8), zeros("f32", 8)]
    expected = {1: wide(x).mean(axis=1), 2: wide(x).var(axis=1) * 32}
    return Launch(args, (2,), expected, CLOSE["f32"])


@launch("unit_rows_bf16")
def unit_rows() -> Launch:
    x = normal("bf16", 16, 64)
    y = wide(x) / np.linalg.norm(wide(x), axis=1, keepdims=True)
    return Launch([x, zeros("bf16", 16, 64)], (2,), {1: y}, CLOSE["bf16"])


@launch("softmax_online_f32")
def softmax_online() -> Launch:
    x = normal("f32", 3, 100, scale=4)
    return Launch([x, zeros("f32", 3, 100)], (3,), {1: softmax(x)}, CLOSE["f32"])


@launch("log_softmax_f16")
def log_softmax() -> Launch:
    x = normal("f16", 3, 100, scale=4)
    y = np.log(softmax(x))
    return Launch([x, zeros("f16", 3, 100)], (3,), {1: y}, CLOSE["f16"])


@launch("softmax_backward_f32")
def softmax_backward() -> Launch:
    p = softmax(normal("f32", 4, 50)).astype(np.float32)
    g = normal("f32", 4, 50, seed=1)
    dx = wide(p) * (wide(g) - (wide(p) * wide(g)).sum(axis=1, keepdims=True))
    return Launch([p, g, zeros("f32", 4, 50)], (4,), {2: dx}, CLOSE["f32"])


@launch("softmax_columns_f64")
def softmax_columns() -> Launch:
    x = normal("f64", 16, 24)
    y = softmax(x, axis=0)
    return Launch([x, zeros("f64", 16, 24)], (3,), {1: y}, CLOSE["f64"])
