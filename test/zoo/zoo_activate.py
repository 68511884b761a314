# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""References of `test/kernels/zoo/activate.py`."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from zoo_launch import (
    CLOSE,
    Array,
    Launch,
    integers,
    launch,
    normal,
    sigmoid,
    tiles,
    wide,
    zeros,
)

erf = np.vectorize(math.erf)


def gelu_tanh(x: Array) -> Array:
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def gelu_erf(x: Array) -> Array:
    return 0.5 * x * (1 + erf(x / math.sqrt(2)))


def softplus(x: Array) -> Array:
    return np.logaddexp(0, x)


def mish(x: Array) -> Array:
    return x * np.tanh(softplus(x))


def silu(x: Array) -> Array:
    return x * sigmoid(x)


def elu(x: Array) -> Array:
    return np.where(x > 0, x, np.expm1(x))


def hard_swish(x: Array) -> Array:
    return x * np.clip(x + 3, 0, 6) / 6


@launch("gelu_tanh_f16", "f16", gelu_tanh, 384, 128)
@launch("gelu_erf_f32", "f32", gelu_erf, 150, 64)
@launch("silu_bf16", "bf16", silu, 300, 128)
@launch("mish_f32", "f32", mish, 100, 64)
@launch("softplus_f16", "f16", softplus, 150, 64)
@launch("hard_swish_f16", "f16", hard_swish, 150, 64)
@launch("elu_f32", "f32", elu, 100, 64)
def elementwise(
    kind: str, function: Callable[[Array], Array], size: int, tile: int
) -> Launch:
    x = normal(kind, size, scale=3)
    y = function(wide(x))
    args = [x, zeros(kind, size)]
    return Launch(args, tiles((size, tile)), {1: y}, CLOSE[kind])


@launch("leaky_relu_bf16")
def leaky_relu() -> Launch:
    x = normal("bf16", 150)
    y = np.where(wide(x) > 0, wide(x), wide(x) * float(np.float32(0.1)))
    args = [x, zeros("bf16", 150), np.float32(0.1)]
    return Launch(args, (3,), {1: y}, CLOSE["bf16"])


@launch("swiglu_bf16")
def swiglu() -> Launch:
    x = normal("bf16", 16, 128)
    y = silu(wide(x[:, :64])) * wide(x[:, 64:])
    return Launch([x, zeros("bf16", 16, 64)], (16, 2), {1: y}, CLOSE["bf16"])


@launch("geglu_backward_f32")
def geglu_backward() -> Launch:
    x, g, dy = (normal("f32", 100, seed=seed) for seed in range(3))
    cdf = 0.5 * (1 + erf(wide(g) / math.sqrt(2)))
    pdf = np.exp(-0.5 * wide(g) ** 2) / math.sqrt(2 * math.pi)
    dx, dg = wide(dy) * g * cdf, wide(dy) * x * (cdf + g * pdf)
    args = [x, g, dy, zeros("f32", 100), zeros("f32", 100)]
    return Launch(args, (2,), {3: dx, 4: dg}, CLOSE["f32"])


@launch("sigmoid_backward_f16")
def sigmoid_backward() -> Launch:
    y = sigmoid(normal("f16", 100)).astype(np.float16)
    dy = normal("f16", 100, seed=1)
    dx = wide(dy) * y * (1 - wide(y))
    return Launch([y, dy, zeros("f16", 100)], (2,), {2: dx}, CLOSE["f16"])


@launch("relu_square_i16")
def relu_square() -> Launch:
    x = integers("i16", -150, 150, 20, 40)
    y = np.ascontiguousarray((np.maximum(x, 0) ** 2).T)
    return Launch([x, zeros("i16", 40, 20)], (3, 3), {1: y})


def mixed(bits: Array) -> Array:
    """The kernel's hash, in u32."""
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        bits = (bits ^ (bits >> np.uint32(shift))) * np.uint32(factor)
    return bits ^ (bits >> np.uint32(16))


@launch("dropout_hash_f32")
def dropout_hash() -> Launch:
    x, seed, keep = normal("f32", 300), np.uint32(12345), np.float32(0.75)
    bits = mixed(np.arange(300, dtype=np.uint32) + seed)
    kept = (bits >> np.uint32(8)) / 2.0**24 < keep
    y = np.where(kept, wide(x) / float(keep), 0.0)
    args = [x, zeros("f32", 300), seed, keep]
    return Launch(args, (3,), {1: y}, CLOSE["f32"])
