# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""References of `test/kernels/zoo/quantise.py`."""

from __future__ import annotations

import ml_dtypes
import numpy as np
from zoo_launch import (
    CLOSE,
    KINDS,
    Array,
    Launch,
    integers,
    launch,
    normal,
    wide,
    zeros,
)


@launch("to_int8_f16")
def to_int8() -> Launch:
    x = normal("f16", 5, 50)
    scale = np.abs(wide(x)).max(axis=1, keepdims=True).astype(np.float32)
    scale = scale / np.float32(127)
    y = np.round(x.astype(np.float32) / scale).astype(np.int8)
    args = [x, zeros("i8", 5, 50), zeros("f32", 5, 1)]
    return Launch(args, (5,), {1: y, 2: scale}, 1e-6)


@launch("from_int8_bf16")
def from_int8() -> Launch:
    x = integers("i8", -128, 128, 12, 32)
    scale, zero = np.abs(normal("f32", 32)), integers("u8", 0, 20, 32)
    y = (x.astype(int) - zero) * wide(scale) * 2.0**-7
    args = [x, scale * np.float32(2.0**-7), zero, zeros("bf16", 12, 32)]
    return Launch(args, (3,), {3: y}, CLOSE["bf16"])


def exact_divide(x: Array, step: Array) -> Array:
    """A quotient in f32, as the kernel's."""
    return x.astype(np.float32) / step.astype(np.float32)


@launch("to_f8_blocks_bf16")
def to_f8_blocks() -> Launch:
    x = normal("bf16", 16, 64)
    blocks = x.reshape(2, 8, 2, 32).astype(np.float32)
    step = np.abs(blocks).max(axis=(1, 3), keepdims=True) / np.float32(448)
    y = exact_divide(blocks, step).reshape(16, 64).astype(KINDS["f8e4m3"])
    args = [x, zeros("f8e4m3", 16, 64), zeros("f32", 2, 2)]
    return Launch(args, (2, 2), {1: y, 2: step.reshape(2, 2)})


def saturated(x: Array, kind: str) -> Array:
    """Rounded to an f8 type; finite values stay finite."""
    limit = float(ml_dtypes.finfo(KINDS[kind]).max)
    kept = np.where(np.isinf(x), x, np.clip(x, -limit, limit))
    return kept.astype(KINDS[kind]).astype(np.float16)


@launch("f8_round_trip_f32")
def f8_round_trip() -> Launch:
    x = normal("f32", 128) * np.float32(2.0) ** np.arange(-12, 4).repeat(8)
    x[:4] = [0.0, -0.0, np.nan, 2.0**-9]
    x = x.astype(np.float32)
    args = [x, zeros("f16", 128), zeros("f16", 128)]
    expected = {1: saturated(x, "f8e4m3"), 2: saturated(x, "f8e5m2")}
    return Launch(args, (2,), expected)


@launch("to_mxf8_f32")
def to_mxf8() -> Launch:
    x = normal("f32", 8, 64) * np.float32(2.0) ** np.arange(-4, 4)[:, None]
    x = x.astype(np.float32)
    blocks = x.reshape(8, 2, 32)
    top = np.abs(blocks).max(axis=2, keepdims=True)
    exponent = np.maximum((top.view(np.int32) >> 23) - 8, 1)
    y = blocks / np.exp2(exponent - 127.0).astype(np.float32)
    args = [x, zeros("f8e4m3", 8, 64), zeros("u8", 8, 2)]
    small = saturated(y, "f8e4m3").astype(KINDS["f8e4m3"]).reshape(8, 64)
    return Launch(args, (2,), {1: small, 2: exponent[..., 0].astype(np.uint8)})


@launch("pack_int4_i8")
def pack_int4() -> Launch:
    x = integers("i8", -8, 8, 12, 32)
    codes = x.view(np.uint8) & 15
    y = codes[:, ::2] | (codes[:, 1::2] << 4)
    return Launch([x, zeros("u8", 12, 16)], (3,), {1: y})


@launch("unpack_int4_u8")
def unpack_int4() -> Launch:
    x, scale = integers("u8", 0, 256, 8, 32), normal("f16", 8, 4)
    codes = np.stack((x & 15, x >> 4), axis=2).reshape(8, 64).astype(np.int8)
    y = ((codes ^ 8) - 8) * wide(scale).repeat(16, 1)
    args = [x, scale, zeros("f16", 8, 64)]
    return Launch(args, (2,), {2: y}, CLOSE["f16"])


@launch("from_nvf4_u8")
def from_nvf4() -> Launch:
    x = integers("u8", 0, 256, 6, 16)
    scale = np.abs(normal("f32", 6, 2)).astype(KINDS["f8e4m3"])
    codes = np.stack((x & 15, x >> 4), axis=2).reshape(6, 32)
    values = wide(codes.view(ml_dtypes.float4_e2m1fn))
    y = values * wide(scale).repeat(16, 1) * 0.5
    args = [x, scale, zeros("bf16", 6, 32), np.float32(0.5)]
    return Launch(args, (3,), {2: y}, CLOSE["bf16"])


@launch("to_nvf4_f32")
def to_nvf4() -> Launch:
    x = normal("f32", 6, 64)
    blocks = x.reshape(6, 4, 16)
    top = np.abs(blocks).max(axis=2, keepdims=True) / np.float32(6)
    scale = np.maximum(top, np.float32(0.015625)).astype(KINDS["f8e4m3"])
    quotient = np.clip(blocks / scale.astype(np.float32), -6, 6)
    codes = quotient.astype(ml_dtypes.float4_e2m1fn).view(np.uint8).reshape(6, 32, 2)
    y = codes[..., 0] | (codes[..., 1] << 4)
    args = [x, zeros("u8", 6, 32), zeros("f8e4m3", 6, 4)]
    return Launch(args, (3,), {1: y, 2: scale[..., 0]})


@launch("stochastic_bf16")
def stochastic() -> Launch:
    x, noise = normal("f32", 150), integers("u32", 0, 2**32, 150)
    bits = (x.view(np.uint32) + (noise & np.uint32(0xFFFF))) & np.uint32(0xFFFF0000)
    y = bits.view(np.float32).astype(KINDS["bf16"])
    return Launch([x, noise, zeros("bf16", 150)], (3,), {2: y})


@launch("to_tf32_f32")
def to_tf32() -> Launch:
    x = normal("f32", 100)
    bits = x.view(np.uint32)
    half = np.uint32(0xFFF) + ((bits >> np.uint32(13)) & np.uint32(1))
    y = ((bits + half) & np.uint32(0xFFFFE000)).view(np.float32)
    return Launch([x, zeros("f32", 100)], (2,), {1: y})


@launch("clamp_bytes_i16")
def clamp_bytes() -> Launch:
    x = integers("i16", -1000, 1000, 300)[::2]
    y = np.clip((x.astype(int) + 1) >> 1, 0, 255).astype(np.uint8)
    return Launch([x, zeros("u8", 150)], (3,), {1: y})
