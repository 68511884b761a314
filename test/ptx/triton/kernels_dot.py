# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products by pointers: Triton's pipeline, the matrix unit of each target."""

import triton
import triton.language as tl
from builds import Build


@triton.jit
def matmul(
    a,
    b,
    c,
    M,
    N,
    K,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    PRECISION: tl.constexpr,
    TYPE: tl.constexpr,
):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    left = a + i[:, None] * K + k[None, :]
    right = b + k[:, None] * N + j[None, :]
    total = tl.zeros((BM, BN), TYPE)
    for _ in range(0, K, BK):
        total = tl.dot(
            tl.load(left),
            tl.load(right),
            total,
            input_precision=PRECISION,
            out_dtype=TYPE,
        )
        left += BK
        right += BK * N
    tl.store(c + i[:, None] * N + j[None, :], total.to(c.dtype.element_ty))


@triton.jit
def matmul_transposed(
    a,
    b,
    c,
    M,
    N,
    K,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    TYPE: tl.constexpr,
):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), TYPE)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        left = tl.load(a + k[:, None] * M + i[None, :])
        right = tl.load(b + j[:, None] * K + k[None, :])
        total = tl.dot(tl.trans(left), tl.trans(right), total, out_dtype=TYPE)
    tl.store(c + i[:, None] * N + j[None, :], total.to(c.dtype.element_ty))


@triton.jit
def attention(
    q,
    k,
    v,
    out,
    length,
    scale,
    BM: tl.constexpr,
    BN: tl.constexpr,
    D: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    first = tl.program_id(1) * length * D
    query = tl.load(q + first + i[:, None] * D + d[None, :])
    highest = tl.full((BM,), float("-inf"), tl.float32)
    weight = tl.zeros((BM,), tl.float32)
    total = tl.zeros((BM, D), tl.float32)
    end = (tl.program_id(0) + 1) * BM if CAUSAL else length
    for start in range(0, end, BN):
        j = start + tl.arange(0, BN)
        keys = tl.load(k + first + j[:, None] * D + d[None, :])
        scores = tl.dot(query, tl.trans(keys)) * scale
        if CAUSAL:
            scores = tl.where(i[:, None] >= j[None, :], scores, float("-inf"))
        top = tl.maximum(highest, tl.max(scores, 1))
        shares = tl.exp2(scores - top[:, None])
        fade = tl.exp2(highest - top)
        values = tl.load(v + first + j[:, None] * D + d[None, :])
        total = tl.dot(shares.to(values.dtype), values, total * fade[:, None])
        weight = weight * fade + tl.sum(shares, 1)
        highest = top
    total = total / weight[:, None]
    tl.store(out + first + i[:, None] * D + d[None, :], total.to(out.dtype.element_ty))


@triton.jit
def batched_dot(
    a, b, c, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr
):
    n = tl.arange(0, B)[:, None, None]
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    k = tl.arange(0, K)
    left = tl.load(a + n * M * K + i[None, :, None] * K + k[None, None, :])
    right = tl.load(b + n * K * N + k[None, :, None] * N + j[None, None, :])
    product = tl.dot(left, right)
    tl.store(c + n * M * N + i[None, :, None] * N + j[None, None, :], product)


@triton.jit
def dot_scaled(
    a,
    a_scale,
    b,
    b_scale,
    c,
    M,
    N,
    K,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    A: tl.constexpr,
    B: tl.constexpr,
    A_PACK: tl.constexpr,
    B_PACK: tl.constexpr,
):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        ka = start // A_PACK + tl.arange(0, BK // A_PACK)
        kb = start // B_PACK + tl.arange(0, BK // B_PACK)
        ks = start // 32 + tl.arange(0, BK // 32)
        left = tl.load(a + i[:, None] * (K // A_PACK) + ka[None, :])
        right = tl.load(b + j[:, None] * (K // B_PACK) + kb[None, :])
        left_scale = tl.load(a_scale + i[:, None] * (K // 32) + ks[None, :])
        right_scale = tl.load(b_scale + j[:, None] * (K // 32) + ks[None, :])
        total = tl.dot_scaled(
            left, left_scale, A, tl.trans(right), right_scale, B, total
        )
    tl.store(c + i[:, None] * N + j[None, :], total)


def product(
    types,
    targets,
    variant,
    sizes=(64, 64, 32),
    stages=3,
    warps=4,
    precision="tf32",
    total=tl.float32,
    fn=matmul,
):
    """A build of a product by pointers."""
    constants = dict(zip(("BM", "BN", "BK"), sizes, strict=True)) | {"TYPE": total}
    if fn is matmul:
        constants["PRECISION"] = precision
    options = {"num_stages": stages, "num_warps": warps}
    return Build(fn, f"{types} i32 i32 i32", targets, constants, options, variant)


def scaled(targets, variant, left, right, sizes):
    """A build of a product of scaled operands."""
    element = {"e4m3": "*fp8e4nv", "e5m2": "*fp8e5", "e2m1": "*u8"}
    packs = {"A_PACK": 1 + (left == "e2m1"), "B_PACK": 1 + (right == "e2m1")}
    constants = dict(zip(("BM", "BN", "BK"), sizes, strict=True)) | packs
    types = f"{element[left]} *u8 {element[right]} *u8 *fp32 i32 i32 i32"
    return Build(
        dot_scaled,
        types,
        targets,
        constants | {"A": left, "B": right},
        {"num_stages": 2},
        variant,
    )


BUILDS = [
    product("*fp16 *fp16 *fp16", (80, 90, 120), "f16"),
    product("*fp16 *fp16 *fp32", (100,), "f16", (128, 64, 64)),
    product("*fp16 *fp16 *fp32", (90, 100), "f16_wide", (128, 128, 64), 4, 8),
    product("*fp16 *fp16 *fp16", (80, 90), "f16_sums", total=tl.float16),
    product("*bf16 *bf16 *fp32", (80, 90, 100), "bf16", (128, 64, 32), 4),
    product("*fp32 *fp32 *fp32", (80, 90, 100), "tf32", (128, 32, 32)),
    product("*fp32 *fp32 *fp32", (80, 90), "tf32x3", precision="tf32x3"),
    product("*fp32 *fp32 *fp32", (80,), "ieee", (32, 32, 16), precision="ieee"),
    product("*fp64 *fp64 *fp64", (80,), "f64", (32, 32, 16), total=tl.float64),
    product("*i8 *i8 *i32", (80, 90, 100), "i8", (64, 64, 64), total=tl.int32),
    product("*fp8e4nv *fp8e4nv *fp32", (89, 90, 100, 120), "e4m3", (128, 64, 64)),
    product("*fp8e5 *fp8e5 *fp32", (89, 90), "e5m2", (64, 64, 64)),
    product("*fp8e5 *fp8e5 *fp32", (80,), "e5m2", (64, 64, 32)),
    product(
        "*fp16 *fp16 *fp32", (80, 90, 100), "f16", (128, 64, 64), fn=matmul_transposed
    ),
    product(
        "*fp8e4nv *fp8e4nv *fp32",
        (90, 100),
        "e4m3",
        (128, 64, 64),
        fn=matmul_transposed,
    ),
    product(
        "*i8 *i8 *i32",
        (80, 90),
        "i8",
        (64, 64, 64),
        total=tl.int32,
        fn=matmul_transposed,
    ),
    Build(
        attention,
        "*fp16 *fp16 *fp16 *fp32 i32 fp32",
        (80, 90, 100, 120),
        {"BM": 64, "BN": 32, "D": 64, "CAUSAL": True},
        {"num_stages": 2},
    ),
    Build(
        attention,
        "*fp16 *fp16 *fp16 *fp32 i32 fp32",
        (100,),
        {"BM": 128, "BN": 64, "D": 64, "CAUSAL": False},
        {"num_stages": 3},
        "tall",
    ),
    Build(
        batched_dot, "*fp16 *fp16 *fp32", (80, 90), {"B": 4, "M": 16, "N": 16, "K": 32}
    ),
    scaled((90, 100, 120), "mxfp8", "e4m3", "e5m2", (128, 128, 128)),
    scaled((80, 90, 100, 120), "mxfp4", "e2m1", "e2m1", (128, 128, 128)),
    scaled((90, 100, 120), "mixed", "e4m3", "e2m1", (128, 128, 128)),
]
