# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles products by dequantised weights: python make_dequantised.py SPEC FILE ...

`bench/dequantised.py` calls this, with the Python of an environment that has Triton. A
SPEC is `i8:f16:128x128x64:zs:1:80:4:3`: types of weights and of A, tile, what weights
are dequantised with (zero points, scales, `-` for neither), turns in a group (0 for
all), compute capability, warps and stages. Up to sm_89 all loads are by pointers; from
sm_90 on tensor descriptors (TMA) load A and the weights and store C.
"""

from typing import Any

from builds import Divisible
from kernels_tma import boxes
from make_ptx import write_specs

import triton  # isort: skip
import triton.language as tl  # isort: skip


@triton.jit
def unpacked(w, BK: tl.constexpr, BN: tl.constexpr):
    low = (w << 4).to(tl.int8) >> 4
    both = tl.join(low, w >> 4)  # along the last dimension
    return both.permute(0, 2, 1).reshape(BK, BN)


@triton.jit
def converted(
    w,
    scales,
    zeros,
    at,
    TYPE: tl.constexpr,
    PACKED: tl.constexpr,
    ZERO: tl.constexpr,
    SCALE: tl.constexpr,
    BK: tl.constexpr,
    BN: tl.constexpr,
):
    if PACKED:
        w = unpacked(w, BK, BN)
    right = w.to(TYPE)
    if ZERO:
        right = right - tl.load(zeros + at)[None, :]
    if SCALE:
        right = right * tl.load(scales + at)[None, :]
    return right


@triton.jit
def by_pointers(
    a,
    w,
    scales,
    zeros,
    c,
    M,
    N,
    K,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    TYPE: tl.constexpr,
    PACKED: tl.constexpr,
    ZERO: tl.constexpr,
    SCALE: tl.constexpr,
    GROUP: tl.constexpr,
):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    ROWS: tl.constexpr = BK // 2 if PACKED else BK
    left = a + i[:, None] * K + k[None, :]
    right = w + tl.arange(0, ROWS)[:, None] * N + j[None, :]
    total = tl.zeros((BM, BN), tl.float32)
    for t in range(0, tl.cdiv(K, BK)):
        at = j + (t // GROUP if GROUP > 1 else t * GROUP) * N
        b = converted(
            tl.load(right), scales, zeros, at, TYPE, PACKED, ZERO, SCALE, BK, BN
        )
        total = tl.dot(tl.load(left), b, total)
        left += BK
        right += ROWS * N
    tl.store(c + i[:, None] * N + j[None, :], total)


@triton.jit
def by_descriptors(
    a,
    w,
    scales,
    zeros,
    c,
    M,
    N,
    K,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    TYPE: tl.constexpr,
    PACKED: tl.constexpr,
    ZERO: tl.constexpr,
    SCALE: tl.constexpr,
    GROUP: tl.constexpr,
):
    i = tl.program_id(0) * BM
    j = tl.program_id(1) * BN
    ROWS: tl.constexpr = BK // 2 if PACKED else BK
    total = tl.zeros((BM, BN), tl.float32)
    for t in range(0, tl.cdiv(K, BK)):
        at = j + tl.arange(0, BN) + (t // GROUP if GROUP > 1 else t * GROUP) * N
        b = converted(
            w.load([t * ROWS, j]), scales, zeros, at, TYPE, PACKED, ZERO, SCALE, BK, BN
        )
        total = tl.dot(a.load([i, t * BK]), b, total)
    c.store([i, j], total)


NAMES = {"f16": "fp16", "bf16": "bf16", "i8": "i8", "i4": "i8", "f8E4M3FN": "fp8e4nv"}
TYPES = {"f16": tl.float16, "bf16": tl.bfloat16}


def build(spec: str) -> Divisible:
    """The build of a SPEC."""
    stored, operand, tile, factors, group, target, warps, stages = spec.split(":")
    sizes = tuple(map(int, tile.split("x")))
    m, n, k = sizes
    constants: dict[str, Any] = dict(zip(("BM", "BN", "BK"), sizes, strict=True))
    constants |= {"TYPE": TYPES[operand], "PACKED": stored == "i4"}
    constants |= {"ZERO": "z" in factors, "SCALE": "s" in factors, "GROUP": int(group)}
    options = {"num_warps": int(warps), "num_stages": int(stages)}
    a, w, gpu = NAMES[operand], NAMES[stored], int(target)
    rest = "i32 i32 i32"
    if gpu >= 90:
        rows = k // 2 if stored == "i4" else k
        types = f"{boxes(a, (m, k))} {boxes(w, (rows, n))} *{a} *{a}"
        types += f" {boxes('fp32', (m, n))} {rest}"
        return Divisible(by_descriptors, types, (gpu,), constants, options)
    types = f"*{a} *{w} *{a} *{a} *fp32 {rest}"
    return Divisible(by_pointers, types, (gpu,), constants, options)


if __name__ == "__main__":
    write_specs(build)
