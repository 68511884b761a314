# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels with tensor descriptors, which become TMA: made by the host or the kernel."""

import triton
import triton.language as tl
from builds import Build


@triton.jit
def tma_matmul(
    a,
    b,
    c,
    K,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    TRANSPOSED: tl.constexpr,
    SPECIALIZED: tl.constexpr,
):
    i = tl.program_id(0) * BM
    j = tl.program_id(1) * BN
    total = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, K, BK, warp_specialize=SPECIALIZED):
        left = a.load([i, k])
        if TRANSPOSED:
            total = tl.dot(left, b.load([j, k]).T, total)
        else:
            total = tl.dot(left, b.load([k, j]), total)
    c.store([i, j], total.to(c.dtype))


@triton.jit
def own_descriptors(
    a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    left = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    right = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    result = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    i = tl.program_id(0) * BM
    j = tl.program_id(1) * BN
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        total = tl.dot(left.load([i, k]), right.load([k, j]), total)
    result.store([i, j], total.to(result.dtype))


@triton.jit
def persistent_matmul(
    a,
    b,
    c,
    M,
    N,
    K,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    CTAS: tl.constexpr,
    SPECIALIZED: tl.constexpr,
):
    columns = N // BN
    tiles = M // BM * columns
    for tile in tl.range(
        tl.program_id(0), tiles, CTAS, flatten=True, warp_specialize=SPECIALIZED
    ):
        i = tile // columns * BM
        j = tile % columns * BN
        total = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            total = tl.dot(a.load([i, k]), b.load([j, k]).T, total)
        c.store([i, j], total.to(c.dtype))


@triton.jit
def tma_attention(
    q,
    k,
    v,
    out,
    length,
    scale,
    BM: tl.constexpr,
    BN: tl.constexpr,
    SPECIALIZED: tl.constexpr,
):
    i = tl.program_id(0) * BM
    query = q.load([i, 0])
    highest = tl.full((BM,), float("-inf"), tl.float32)
    weight = tl.zeros((BM,), tl.float32)
    total = tl.zeros((BM, q.block_shape[1]), tl.float32)
    for j in tl.range(0, length, BN, warp_specialize=SPECIALIZED):
        scores = tl.dot(query, k.load([j, 0]).T) * scale
        top = tl.maximum(highest, tl.max(scores, 1))
        shares = tl.exp2(scores - top[:, None])
        fade = tl.exp2(highest - top)
        total = tl.dot(shares.to(v.dtype), v.load([j, 0]), total * fade[:, None])
        weight = weight * fade + tl.sum(shares, 1)
        highest = top
    out.store([i, 0], total / weight[:, None])


@triton.jit
def pick_rows(x, rows, y, N: tl.constexpr, W: tl.constexpr):
    which = tl.load(rows + tl.arange(0, N))
    picked = x.gather(which, W)
    y.scatter(picked, which, 0)


@triton.jit
def tma_reductions(x, sums, least, most, bits, M: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * M
    tile = x.load([i, 0])
    sums.atomic_add([0, 0], tile)
    least.atomic_min([0, 0], tile)
    most.atomic_max([0, 0], tile)
    bits.atomic_xor([0, 0], tile)


@triton.jit
def shift_volume(x, y, M: tl.constexpr, N: tl.constexpr):
    z = tl.program_id(0)
    tile = x.load([z, -1, 0])
    y.store([z, 0, 0], tl.reshape(tile, (1, M, N)))


@triton.jit
def tma_scaled(
    a,
    a_scale,
    b,
    b_scale,
    c,
    K,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    A: tl.constexpr,
    B: tl.constexpr,
    VECTOR: tl.constexpr,
    A_PACK: tl.constexpr,
    B_PACK: tl.constexpr,
):
    i = tl.program_id(0)
    j = tl.program_id(1)
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K // BK):
        left = a.load([i * BM, k * (BK // A_PACK)])
        right = b.load([j * BN, k * (BK // B_PACK)])
        p = a_scale.load([0, i * (BM // 128), k * (BK // VECTOR // 4), 0, 0])
        q = b_scale.load([0, j * (BN // 128), k * (BK // VECTOR // 4), 0, 0])
        p = (
            p.reshape(BM // 128, BK // VECTOR // 4, 32, 4, 4)
            .trans(0, 3, 2, 1, 4)
            .reshape(BM, BK // VECTOR)
        )
        q = (
            q.reshape(BN // 128, BK // VECTOR // 4, 32, 4, 4)
            .trans(0, 3, 2, 1, 4)
            .reshape(BN, BK // VECTOR)
        )
        total = tl.dot_scaled(left, p, A, right.T, q, B, total)
    c.store([i * BM, j * BN], total)


def boxes(ty, *shapes):
    """Types of descriptors with these blocks."""
    return " ".join(
        f"tensordesc<{ty}[{','.join(map(str, shape))}]>" for shape in shapes
    )


def tma_product(
    ty,
    targets,
    variant,
    bm,
    bn,
    bk,
    *,
    transposed=False,
    specialized=False,
    warps=4,
    stages=3,
    ctas=1,
):
    right = (bn, bk) if transposed else (bk, bn)
    out = "fp32" if ty != "fp16" else "fp16"
    constants = {
        "BM": bm,
        "BN": bn,
        "BK": bk,
        "TRANSPOSED": transposed,
        "SPECIALIZED": specialized,
    }
    return Build(
        tma_matmul,
        f"{boxes(ty, (bm, bk), right)} {boxes(out, (bm, bn))} i32",
        targets,
        constants,
        {"num_warps": warps, "num_stages": stages, "num_ctas": ctas},
        variant,
    )


def persistent(targets, variant, *, specialized):
    return Build(
        persistent_matmul,
        f"{boxes('fp16', (128, 64), (64, 64), (128, 64))} i32 i32 i32",
        targets,
        {"BM": 128, "BN": 64, "BK": 64, "CTAS": 3, "SPECIALIZED": specialized},
        {"num_stages": 3},
        variant,
    )


def tma_scaled_product(targets, variant, left, right, vector=32):
    element = {"e4m3": "fp8e4nv", "e5m2": "fp8e5", "e2m1": "u8"}
    packs = {"A_PACK": 1 + (left == "e2m1"), "B_PACK": 1 + (right == "e2m1")}
    a = boxes(element[left], (128, 128 // packs["A_PACK"]))
    b = boxes(element[right], (128, 128 // packs["B_PACK"]))
    s = boxes("u8" if vector == 32 else "fp8e4nv", (1, 1, 128 // vector // 4, 2, 256))
    return Build(
        tma_scaled,
        f"{a} {s} {b} {s} {boxes('fp32', (128, 128))} i32",
        targets,
        {"BM": 128, "BN": 128, "BK": 128, "A": left, "B": right, "VECTOR": vector}
        | packs,
        {"num_stages": 2},
        variant,
    )


_ATTENTION = (
    f"{boxes('fp16', (128, 64), (64, 64), (64, 64))} "
    f"{boxes('fp32', (128, 64))} i32 fp32"
)

BUILDS = [
    tma_product("fp16", (90, 100, 120), "f16", 128, 64, 64),
    tma_product(
        "fp16",
        (90, 100),
        "f16_transposed",
        128,
        128,
        64,
        transposed=True,
        warps=8,
        stages=4,
    ),
    tma_product("fp8e4nv", (90, 100), "e4m3", 128, 64, 128, transposed=True),
    tma_product("fp32", (90, 100), "tf32", 128, 64, 32, transposed=True),
    tma_product("fp16", (100,), "f16_specialized", 128, 64, 64, specialized=True),
    tma_product("bf16", (90, 100), "pair", 256, 128, 64, ctas=2),
    Build(
        own_descriptors,
        "*fp16 *fp16 *fp16 i32 i32 i32",
        (90, 100, 120),
        {"BM": 64, "BN": 64, "BK": 32},
    ),
    persistent((90, 100), "", specialized=False),
    persistent((90, 100), "specialized", specialized=True),
    Build(
        tma_attention,
        _ATTENTION,
        (90, 100),
        {"BM": 128, "BN": 64, "SPECIALIZED": False},
        {"num_stages": 2},
    ),
    Build(
        tma_attention,
        _ATTENTION,
        (100,),
        {"BM": 128, "BN": 64, "SPECIALIZED": True},
        {"num_stages": 2},
        "specialized",
    ),
    Build(
        pick_rows,
        f"{boxes('fp16', (1, 64))} *i32 {boxes('fp16', (1, 64))}",
        (100,),
        {"N": 32, "W": 64},
    ),
    Build(
        tma_reductions,
        boxes("i32", *[(32, 16)] * 3) + " " + boxes("u32", *[(32, 16)] * 2),
        (90,),
        {"M": 32, "N": 16},
    ),
    Build(
        shift_volume,
        boxes("fp32", (1, 16, 32), (1, 16, 32)),
        (90, 100),
        {"M": 16, "N": 32},
    ),
    tma_scaled_product((100,), "mxfp8", "e4m3", "e4m3"),
    tma_scaled_product((100,), "mxfp4", "e2m1", "e2m1"),
    tma_scaled_product((100,), "nvfp4", "e2m1", "e2m1", 16),
    tma_scaled_product((100,), "mixed", "e4m3", "e2m1"),
]
