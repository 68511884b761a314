# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""References of `test/kernels/zoo/combine.py`."""

from __future__ import annotations

import numpy as np
from zoo_launch import CLOSE, Launch, integers, launch, normal, softmax, wide, zeros


@launch("dot_f16")
def dot() -> Launch:
    x, y = normal("f16", 300), normal("f16", 300, seed=1)
    exact = np.array([wide(x) @ wide(y)])
    return Launch([x, y, zeros("f32", 1)], (3,), {2: exact}, CLOSE["f32"])


@launch("extremes_i32")
def extremes() -> Launch:
    x = integers("i32", -20, 20, 8, 32)
    args = [x, *(zeros("i32", 8) for _ in range(4))]
    expected = [x.min(axis=1), x.argmin(axis=1), x.max(axis=1), x.argmax(axis=1)]
    return Launch(args, (2,), dict(enumerate(expected, 1)))


@launch("nearest_f16")
def nearest() -> Launch:
    x = normal("f16", 16, 16)
    x[[3, 9], 2] = np.nan
    y = np.argmin(np.abs(x), axis=0)
    return Launch([x, zeros("i32", 16)], (2,), {1: y})


@launch("logsumexp_f64")
def logsumexp() -> Launch:
    x = normal("f64", 5, 30, scale=10)
    y = np.logaddexp.reduce(x, axis=1)[:, None]
    return Launch([x, zeros("f64", 5, 1)], (5,), {1: y}, CLOSE["f64"])


@launch("cross_entropy_bf16", "bf16", 100)
@launch("cross_entropy_f32", "f32", 50)
def cross_entropy(kind: str, classes: int) -> Launch:
    x = normal(kind, 6, classes, scale=2)
    labels = integers("i32", 0, classes, 6)
    smooth = float(np.float32(0.125))
    p = softmax(x)
    target = np.full((6, classes), smooth / classes)
    target[np.arange(6), labels] += 1 - smooth
    loss = -(target * np.log(p)).sum(axis=1, keepdims=True)
    args = [x, labels, zeros("f32", 6, 1), zeros(kind, 6, classes), np.float32(0.125)]
    return Launch(args, (6,), {2: loss, 3: p - target}, CLOSE[kind])


@launch("divergence_f32")
def divergence() -> Launch:
    p, q = (softmax(normal("f32", 6, 32, seed=s)).astype(np.float32) for s in (0, 1))
    p[:, ::5] = 0
    with np.errstate(all="ignore"):
        terms = np.where(p > 0, wide(p) * np.log2(wide(p) / wide(q)), 0.0)
    exact = terms.sum(axis=1, keepdims=True)
    return Launch([p, q, zeros("f32", 6, 1)], (6,), {2: exact}, CLOSE["f32"])


@launch("count_bits_u32")
def count_bits() -> Launch:
    x = integers("u32", 0, 2**32, 8, 16)
    x[2] |= np.uint32(0x80000001)
    total = np.unpackbits(x.view(np.uint8), axis=1).sum(axis=1)
    every = np.bitwise_and.reduce(x, axis=1)
    odd = np.bitwise_xor.reduce(x, axis=1)
    y = np.stack((total.astype(np.uint32), every, odd))
    return Launch([x, zeros("u32", 3, 8)], (2,), {1: y})


@launch("any_all_b1")
def any_all() -> Launch:
    x = integers("b1", 0, 2, 16, 16)
    x[3], x[5] = True, False
    y = np.stack((x.any(axis=1), x.all(axis=1)), axis=1)
    return Launch([x, zeros("b1", 16, 2)], (2,), {1: y})


@launch("distances_f32")
def distances() -> Launch:
    x, y = normal("f32", 12, 7), normal("f32", 10, 7)
    exact = ((wide(x)[:, None] - wide(y)[None]) ** 2).sum(axis=2)
    return Launch([x, y, zeros("f32", 12, 10)], (2, 2), {2: exact}, CLOSE["f32"])


@launch("cosine_bf16")
def cosine() -> Launch:
    x, y = normal("bf16", 5, 64), normal("bf16", 5, 64, seed=1)
    length = np.linalg.norm(wide(x), axis=1) * np.linalg.norm(wide(y), axis=1)
    exact = (wide(x) * wide(y)).sum(axis=1) / length
    return Launch([x, y, zeros("f32", 5)], (5,), {2: exact}, CLOSE["f32"])


@launch("histogram_weighted_f32")
def histogram_weighted() -> Launch:
    x, weights = normal("f32", 128), normal("f32", 128, seed=1)
    place = np.floor((x + np.float32(2)) / np.float32(0.25)).astype(int)
    inside = (place >= 0) & (place < 16)
    exact = np.bincount(place[inside], wide(weights)[inside], 16)
    args = [x, weights, zeros("f32", 16), np.float32(-2), np.float32(0.25)]
    return Launch(args, (2,), {2: exact}, CLOSE["f32"])


@launch("histogram_joint_u8")
def histogram_joint() -> Launch:
    x, y = integers("u8", 0, 8, 96), integers("u8", 0, 8, 96, seed=1)
    exact = np.bincount(x * 8 + y, minlength=64).astype(np.int32)
    return Launch([x, y, zeros("i32", 64)], (3,), {2: exact})


@launch("matrix_norms_f64")
def matrix_norms() -> Launch:
    x = normal("f64", 13, 11)
    exact = np.array([np.linalg.norm(x, 1), np.linalg.norm(x, np.inf)])
    return Launch([x, zeros("f64", 2)], (1,), {1: exact}, CLOSE["f64"])
