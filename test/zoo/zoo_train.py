# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""References of `test/kernels/zoo/train.py`."""

from __future__ import annotations

import numpy as np
from zoo_launch import (
    CLOSE,
    KINDS,
    Launch,
    integers,
    launch,
    normal,
    sigmoid,
    wide,
    zeros,
)


@launch("adamw_f32")
def adamw() -> Launch:
    p, m = normal("f32", 150), normal("f32", 150, seed=1)
    g, v = normal("bf16", 150, seed=2), normal("f32", 150, seed=3) ** 2
    lr, decay, fix1, fix2 = (np.float32(x) for x in (0.01, 0.1, 0.1, 0.001))
    first = 0.9 * wide(m) + 0.1 * wide(g)
    second = 0.999 * wide(v) + 0.001 * wide(g) ** 2
    step = (first / float(fix1)) / (np.sqrt(second / float(fix2)) + 1e-8)
    new = wide(p) - float(lr) * (step + float(decay) * wide(p))
    args = [p, g, m, v, lr, decay, fix1, fix2]
    return Launch(args, (3,), {0: new, 2: first, 3: second}, CLOSE["f32"])


@launch("momentum_f64")
def momentum() -> Launch:
    p, g, m = (normal("f64", 70, seed=seed) for seed in range(3))
    velocity = float(np.float32(0.9)) * m + g  # cuTile's constants are f32
    args = [p, g, m, np.float32(0.125)]
    expected = {0: p - 0.125 * velocity, 2: velocity}
    return Launch(args, (3,), expected, CLOSE["f64"])


@launch("sign_step_f32")
def sign_step() -> Launch:
    p, g, m = (normal("f32", 100, seed=seed) for seed in range(3))
    g[:5], m[:5] = 0, 0
    sign = np.sign(0.9 * wide(m) + 0.1 * wide(g))
    args = [p, g, m, np.float32(0.25)]
    expected = {0: wide(p) - 0.25 * sign, 2: 0.99 * wide(m) + 0.01 * wide(g)}
    return Launch(args, (2,), expected, CLOSE["f32"])


@launch("clip_norm_f16")
def clip_norm() -> Launch:
    g = normal("f16", 150)
    total = np.array([150.0], np.float32)
    y = wide(g) * min(3 / (np.sqrt(150) + 1e-6), 1)
    return Launch([g, total, np.float32(3)], (3,), {0: y}, CLOSE["f16"])


@launch("embedding_f16")
def embedding() -> Launch:
    table, places = normal("f16", 30, 32), normal("f16", 20, 32, seed=1)
    tokens = integers("i64", 0, 30, 20)
    y = table[tokens] + places
    args = [table, tokens, places, zeros("f16", 20, 32)]
    return Launch(args, (3,), {3: y})


@launch("embedding_backward_f32", "f32")
@launch("embedding_backward_f16", "f16")
def embedding_backward(kind: str) -> Launch:
    # Small integers: their sums are exact in any order.
    g = integers("i8", -4, 5, 24, 16).astype(KINDS[kind])
    tokens = integers("i32", 0, 6, 24)
    exact = np.zeros((6, 16))
    np.add.at(exact, tokens, wide(g))
    return Launch([g, tokens, zeros(kind, 6, 16)], (3,), {2: exact})


@launch("average_bf16")
def average() -> Launch:
    p, shadow = normal("f32", 100), normal("bf16", 100, seed=1)
    y = 0.75 * wide(shadow) + 0.25 * wide(p)
    return Launch([p, shadow, np.float32(0.75)], (2,), {1: y}, CLOSE["bf16"])


@launch("column_sums_f16")
def column_sums() -> Launch:
    x = normal("f16", 40, 24)
    exact = wide(x).sum(axis=0)
    return Launch([x, zeros("f32", 24)], (2,), {1: exact}, CLOSE["f32"])


@launch("lstm_f32")
def lstm() -> Launch:
    gates, c = normal("f32", 8, 128), normal("f32", 8, 32)
    a, f, g, o = np.split(wide(gates), 4, axis=1)
    cell = sigmoid(f) * wide(c) + sigmoid(a) * np.tanh(g)
    h = sigmoid(o) * np.tanh(cell)
    args = [gates, c, zeros("f32", 8, 32)]
    return Launch(args, (2, 2), {1: cell, 2: h}, CLOSE["f32"])


@launch("gru_f32")
def gru() -> Launch:
    x, w = normal("f32", 3, 16, 16), normal("f16", 16, 16, scale=0.25)
    h = np.zeros((16, 16))
    for tile in wide(x):
        z = sigmoid(tile)
        h = z * h + (1 - z) * np.tanh(
            h.astype(np.float16).astype(float) @ wide(w) + tile
        )
    return Launch([x, w, zeros("f32", 16, 16)], (1,), {2: h}, 2e-3)


@launch("loss_scale_f16")
def loss_scale() -> Launch:
    g = normal("f16", 150, scale=1000)
    g[77] = np.inf
    args = [g, zeros("i32", 1)]
    expected = {0: wide(g) / 1024, 1: np.ones(1, np.int32)}
    return Launch(args, (3,), expected, CLOSE["f16"])
