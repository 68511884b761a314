# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Activations, forward and backward, and dropout."""

import math

import cuda.tile as ct
from registry import ConstInt, add

ROOT_HALF = math.sqrt(0.5)
ROOT_2_OVER_PI = math.sqrt(2 / math.pi)
PEAK = 1 / math.sqrt(2 * math.pi)


def elementwise(function):
    @ct.kernel
    def apply(x, y, size: ConstInt):
        i = ct.bid(0)
        tile = ct.astype(ct.load(x, index=(i,), shape=(size,)), ct.float32)
        ct.store(y, index=(i,), tile=ct.astype(function(tile), y.dtype))

    return apply


def sigmoid(x):
    return 1.0 / (1.0 + ct.exp(-x))


def gelu_tanh(x):
    inner = ROOT_2_OVER_PI * (x + 0.044715 * x * x * x)
    return 0.5 * x * (1.0 + ct.tanh(inner))


def error_function(x):
    """The polynomial 7.1.26 of Abramowitz and Stegun; its error is below 1.5e-7."""
    t = 1.0 / (1.0 + 0.3275911 * ct.abs(x))
    poly = t * (
        0.254829592
        + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))
    )
    value = 1.0 - poly * ct.exp(-x * x)
    return ct.where(x < 0.0, -value, value)


def gelu_erf(x):
    return 0.5 * x * (1.0 + error_function(x * ROOT_HALF))


def softplus(x):
    return ct.maximum(x, 0.0) + ct.log(1.0 + ct.exp(-ct.abs(x)))


def silu(x):
    return x * sigmoid(x)


def mish(x):
    return x * ct.tanh(softplus(x))


def elu(x):
    return ct.where(x > 0.0, x, ct.exp(x) - 1.0)


def hard_swish(x):
    return x * ct.minimum(ct.maximum(x + 3.0, 0.0), 6.0) / 6.0


add("gelu_tanh_f16", elementwise(gelu_tanh), "f16*1/16", "f16*1/16", 128)
add("gelu_erf_f32", elementwise(gelu_erf), "f32*1", "f32*1", 64)
add("silu_bf16", elementwise(silu), "bf16*1", "bf16*1", 128)
add("mish_f32", elementwise(mish), "f32*1", "f32*1", 64)
add("softplus_f16", elementwise(softplus), "f16*1", "f16*1", 64)
add("hard_swish_f16", elementwise(hard_swish), "f16*1?", "f16*1?", 64)
add("elu_f32", elementwise(elu), "f32*1", "f32*1", 64)


@ct.kernel
def leaky_relu(x, y, slope: float, size: ConstInt):
    i = ct.bid(0)
    tile = ct.load(x, index=(i,), shape=(size,))
    small = ct.astype(ct.astype(tile, ct.float32) * slope, x.dtype)
    ct.store(y, index=(i,), tile=ct.where(tile > 0, tile, small))


add("leaky_relu_bf16", leaky_relu, "bf16*1", "bf16*1", "f32", 64)


@ct.kernel
def swiglu(gate_up, y, size: ConstInt):
    """Rows hold gate and up side by side."""
    row, j = ct.bid(0), ct.bid(1)
    half = ct.num_tiles(y, axis=1, shape=(1, size))
    gate = ct.load(gate_up, index=(row, j), shape=(1, size))
    up = ct.load(gate_up, index=(row, j + half), shape=(1, size))
    wide = ct.astype(gate, ct.float32)
    out = wide * sigmoid(wide) * ct.astype(up, ct.float32)
    ct.store(y, index=(row, j), tile=ct.astype(out, y.dtype))


add("swiglu_bf16", swiglu, "bf16*2/16", "bf16*2/16", 32)


@ct.kernel
def geglu_backward(x, g, dy, dx, dg, size: ConstInt):
    i = ct.bid(0)
    a = ct.load(x, index=(i,), shape=(size,))
    gate = ct.load(g, index=(i,), shape=(size,))
    grad = ct.load(dy, index=(i,), shape=(size,))
    cdf = 0.5 * (1.0 + error_function(gate * ROOT_HALF))
    pdf = ct.exp(-0.5 * gate * gate) * PEAK
    ct.store(dx, index=(i,), tile=grad * gate * cdf)
    ct.store(dg, index=(i,), tile=grad * a * (cdf + gate * pdf))


add("geglu_backward_f32", geglu_backward, *["f32*1"] * 5, 64)


@ct.kernel
def sigmoid_backward(y, dy, dx, size: ConstInt):
    i = ct.bid(0)
    s = ct.load(y, index=(i,), shape=(size,))
    ct.store(dx, index=(i,), tile=ct.load(dy, index=(i,), shape=(size,)) * s * (1 - s))


add("sigmoid_backward_f16", sigmoid_backward, "f16*1", "f16*1", "f16*1", 64)


@ct.kernel
def relu_square_gate(x, y, rows: ConstInt, columns: ConstInt):
    """The square of the positive part, of a transposed array."""
    i, j = ct.bid(0), ct.bid(1)
    tile = ct.load(x, index=(i, j), shape=(rows, columns), order=(1, 0))
    positive = ct.maximum(tile, 0)
    ct.store(y, index=(i, j), tile=positive * positive)


add("relu_square_i16", relu_square_gate, "i16*2", "i16*2", 16, 8)


def mixed(bits):
    """A hash of 32 bits in which each input bit moves each output bit."""
    bits = bits ^ (bits >> 16)
    bits = bits * 0x7FEB352D
    bits = bits ^ (bits >> 15)
    bits = bits * 0x846CA68B
    return bits ^ (bits >> 16)


@ct.kernel
def dropout_hash(x, y, seed: ct.Scalar, keep: float, size: ConstInt):
    i = ct.bid(0)
    place = ct.astype(i * size + ct.arange(size, dtype=ct.int32), ct.uint32)
    uniform = ct.astype(mixed(place + seed) >> 8, ct.float32) * (1.0 / 16777216.0)
    tile = ct.load(x, index=(i,), shape=(size,))
    ct.store(y, index=(i,), tile=ct.where(uniform < keep, tile / keep, 0.0))


add("dropout_hash_f32", dropout_hash, "f32*1", "f32*1", "u32", "f32", 128)
