# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of test/kernels/tilecpp in Triton: same parameters, tiles and promises.

`lookup` has no form here: Triton has no variables in global memory. make_table.py
compiles the others.
"""

import triton
import triton.language as tl


@triton.jit
def add(a, b, c, n, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    x, y = tl.load(a + i, i < n, other=0), tl.load(b + i, i < n, other=0)
    tl.store(c + i, x + y, i < n)


@triton.jit
def saxpy(x, y, alpha, n, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    total = tl.load(x + i, i < n) * alpha + tl.load(y + i, i < n)
    tl.store(y + i, total, i < n)


@triton.jit
def softmax(x, y, rows, columns, pitch, SIZE: tl.constexpr):
    j = tl.arange(0, SIZE)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        tile = tl.load(x + row * pitch + j, j < columns, other=float("-inf"))
        powers = tl.exp(tile - tl.max(tile, 0))
        tl.store(y + row * pitch + j, powers / tl.sum(powers, 0), j < columns)


@triton.jit
def layernorm(
    x, weight, bias, y, mean, rstd, rows, eps, M: tl.constexpr, N: tl.constexpr
):
    i = tl.program_id(0) * M + tl.arange(0, M)
    j = tl.arange(0, N)
    at = i[:, None] * N + j[None, :]
    tile = tl.load(x + at).to(tl.float32)
    middle = tl.sum(tile, 1) / N
    centred = tile - middle[:, None]
    factor = tl.rsqrt(tl.sum(centred * centred, 1) / N + eps)
    w = tl.load(weight + j).to(tl.float32)[None, :]
    b = tl.load(bias + j).to(tl.float32)[None, :]
    tl.store(y + at, (centred * factor[:, None] * w + b).to(tl.float16))
    tl.store(mean + i, middle)
    tl.store(rstd + i, factor)


@triton.jit
def matmul(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        p = start + tl.arange(0, BK)
        left = (i < m)[:, None] & (p < k)[None, :]
        right = (p < k)[:, None] & (j < n)[None, :]
        x = tl.load(a + i[:, None] * k + p[None, :], left, other=0.0)
        y = tl.load(b + p[:, None] * n + j[None, :], right, other=0.0)
        total = tl.dot(x, y, total)
    inside = (i < m)[:, None] & (j < n)[None, :]
    tl.store(c + i[:, None] * n + j[None, :], total, inside)


@triton.jit
def matmul_i8(a, bt, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), tl.int32)
    for start in range(0, k // BK * BK, BK):
        p = start + tl.arange(0, BK)
        x = tl.load(a + i[:, None] * k + p[None, :])
        y = tl.load(bt + j[:, None] * k + p[None, :])
        total = tl.dot(x, tl.trans(y), total, out_dtype=tl.int32)
    tl.store(c + i[:, None] * n + j[None, :], total)


@triton.jit
def transpose(a, b, m, n, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    j = tl.program_id(1) * SIZE + tl.arange(0, SIZE)
    inside = (i < m)[:, None] & (j < n)[None, :]
    tile = tl.load(a + i[:, None] * n + j[None, :], inside, other=0.0)
    tl.store(b + j[:, None] * m + i[None, :], tl.trans(tile), tl.trans(inside))


@triton.jit
def rotate(a, b, X: tl.constexpr, Y: tl.constexpr, Z: tl.constexpr):
    i = tl.program_id(0) * X + tl.arange(0, X)
    j = tl.program_id(1) * Y + tl.arange(0, Y)
    k = tl.program_id(2) * Z + tl.arange(0, Z)
    at = (i * 512)[:, None, None] + (j * 32)[None, :, None] + k[None, None, :]
    to = (k * 128)[:, None, None] + (i * 16)[None, :, None] + j[None, None, :]
    tl.store(b + to, tl.permute(tl.load(a + at), (2, 0, 1)))


@triton.jit
def copy_left(a, b, m, n, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    j = tl.program_id(1) * SIZE + tl.arange(0, SIZE)
    inside = (i < m)[:, None] & (j < n)[None, :]
    tile = tl.load(a + i[:, None] + j[None, :] * m, inside, other=0.0)
    tl.store(b + i[:, None] * n + j[None, :], tile, inside)


@triton.jit
def histogram(values, bins, n, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    which = tl.load(values + i, i < n, other=0).to(tl.int32)
    tl.atomic_add(bins + which, 1, i < n, sem="relaxed")


@triton.jit
def running_sum(x, y, rows, M: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * M + tl.arange(0, M)
    at = i[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(y + at, tl.cumsum(tl.load(x + at), 1))


@triton.jit
def running_product_back(x, y, rows, M: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * M + tl.arange(0, M)
    at = i[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(y + at, tl.cumprod(tl.load(x + at), 1, reverse=True))


@triton.jit
def extremes(x, largest, smallest, rows, M: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * M + tl.arange(0, M)
    tile = tl.load(x + i[:, None] * N + tl.arange(0, N)[None, :])
    tl.store(largest + i, tl.argmax(tile, 1))
    tl.store(smallest + i, tl.argmin(tile, 1))


@triton.jit
def gather_view(table, rows, out, height, M: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * M + tl.arange(0, M)
    j = tl.program_id(1) * N + tl.arange(0, N)
    row = tl.load(rows + i)[:, None]
    inside = (row >= 0) & (row < height)
    tile = tl.load(table + row * 64 + j[None, :], inside, other=0.0)
    tl.store(out + i[:, None] * 64 + j[None, :], tile)


@triton.jit
def gather_pointers(table, rows, out, M: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * M + tl.arange(0, M)
    j = tl.arange(0, N)
    tile = tl.load(table + tl.load(rows + i)[:, None] * N + j[None, :])
    tl.store(out + i[:, None] * N + j[None, :], tile)


@triton.jit
def collatz_steps(start, steps, n, limit):
    i = tl.program_id(0)
    if i < n:
        number = tl.load(start + i)
        count = 0
        while (number != 1) & (count < limit):
            number = tl.where((number & 1) != 0, 3 * number + 1, number // 2)
            count += 1
        tl.store(steps + i, count)


@triton.jit
def power_sums(x, y, terms, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    value = tl.load(x + i)
    power = tl.full((SIZE,), 1.0, tl.float32)
    total = tl.zeros((SIZE,), tl.float32)
    for term in range(terms):
        if term % 3 != 2:
            for _ in range(term % 2 + 1):
                total = total + power
        power = power * value
    tl.store(y + i, total)


@triton.jit
def choose(kind, y, value):
    i = tl.program_id(0)
    which = tl.load(kind + i)
    result = 0
    if which == 0:
        result = value
    elif which == 1:
        result = -value
    elif which == 2 or which == 3:
        result = value * which
    tl.store(y + i, result)


SUM, ROWS = "*{0} *{0} *{0} i32", {"M": 2, "N": 128}
PRODUCT = "*{0} *{0} *i32 i32 i32 i32"
SMALL = {"BM": 32, "BN": 32, "BK": 64}
KERNELS = {
    "tilecpp/vadd_f32": (add, SUM.format("fp32"), {"SIZE": 256}),
    "tilecpp/vadd_i32": (add, SUM.format("i32"), {"SIZE": 256}),
    "tilecpp/vadd_f16": (add, SUM.format("fp16"), {"SIZE": 512}),
    "tilecpp/vadd_bf16": (add, SUM.format("bf16"), {"SIZE": 512}),
    "tilecpp/saxpy": (saxpy, "*fp32 *fp32 fp32 i32", {"SIZE": 256}),
    "tilecpp/softmax_128": (softmax, "*fp32 *fp32 i32 i32 i32", {"SIZE": 128}),
    "tilecpp/softmax_1024": (softmax, "*fp32 *fp32 i32 i32 i32", {"SIZE": 1024}),
    "tilecpp/layernorm": (
        layernorm,
        "*fp16 *fp16 *fp16 *fp16 *fp32 *fp32 i32 fp32",
        {"M": 4, "N": 256},
    ),
    "tilecpp/matmul_f16": (
        matmul,
        "*fp16 *fp16 *fp32 i32 i32 i32",
        {"BM": 64, "BN": 64, "BK": 32},
    ),
    "tilecpp/matmul_s8": (matmul_i8, PRODUCT.format("i8"), SMALL),
    "tilecpp/matmul_u8": (matmul_i8, PRODUCT.format("u8"), SMALL),
    "tilecpp/transpose": (transpose, "*fp32 *fp32 i32 i32", {"SIZE": 32}),
    "tilecpp/rotate": (rotate, "*i16 *i16", {"X": 4, "Y": 8, "Z": 16}),
    "tilecpp/copy_left": (copy_left, "*fp32 *fp32 i32 i32", {"SIZE": 16}),
    "tilecpp/histogram": (histogram, "*u8 *i32 i32", {"SIZE": 256}),
    "tilecpp/running_sum": (running_sum, "*fp32 *fp32 i32", ROWS),
    "tilecpp/running_product_back": (running_product_back, "*i32 *i32 i32", ROWS),
    "tilecpp/extremes": (extremes, "*fp32 *i32 *i32 i32", ROWS),
    "tilecpp/gather_view": (
        gather_view,
        "*fp16 *i32 *fp16 i32",
        {"M": 16, "N": 32},
    ),
    "tilecpp/gather_pointers": (
        gather_pointers,
        "*fp16 *i64 *fp16",
        {"M": 16, "N": 64},
    ),
    "tilecpp/collatz_steps": (collatz_steps, "*i32 *i32 i32 i32", {}),
    "tilecpp/power_sums": (power_sums, "*fp32 *fp32 i32", {"SIZE": 64}),
    "tilecpp/choose": (choose, "*i32 *i32 i32", {}),
}
"""By name in the table: the kernel, types of its parameters, and sizes of tiles."""
PROMISES = {"tilecpp/saxpy": "x y"} | {
    name: "" for name in KERNELS if name != "tilecpp/saxpy"
}
"""Parameters that 16 divides: C++ says it only of those of saxpy."""
