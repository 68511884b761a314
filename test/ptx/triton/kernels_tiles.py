# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of one tile each: arithmetic, reductions, scans, sorting, data movement."""

import triton
import triton.language as tl
from builds import Build
from triton.language.extra import libdevice

EVERY = (80, 90, 120)


@triton.jit
def add_rows(x, y, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    total = tl.load(x + i, inside) + tl.load(y + i, inside, other=1.0)
    tl.store(z + i, total, inside)


@triton.jit
def softmax_rows(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = tl.program_id(0) * n + i
    values = tl.load(x + at, i < n, other=float("-inf"))
    weights = tl.exp(values - tl.max(values, 0))
    tl.store(y + at, weights / tl.sum(weights, 0), i < n)


@triton.jit
def layer_norm(x, scale, shift, y, n, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), tl.float32)
    squares = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        part = tl.load(x + row * n + i, i < n, other=0.0).to(tl.float32)
        total += part
        squares += part * part
    mean = tl.sum(total) / n
    variance = tl.sum(squares) / n - mean * mean
    factor = tl.rsqrt(variance + epsilon)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        part = tl.load(x + row * n + i, i < n, other=0.0).to(tl.float32)
        a = tl.load(scale + i, i < n, other=0.0)
        b = tl.load(shift + i, i < n, other=0.0)
        tl.store(y + row * n + i, ((part - mean) * factor * a + b), i < n)


@triton.jit
def reduce_both_ways(x, sums, largest, where, bits, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    tile = tl.load(x + i[:, None] * N + j[None, :])
    tl.store(sums + j, tl.sum(tile, 0))
    tl.store(largest + i, tl.max(tile, 1))
    tl.store(where + j, tl.argmin(tile, 0))
    tl.store(bits + i, tl.xor_sum(tile, 1))


@triton.jit
def _follow(a0, b0, a1, b1):
    return a0 * a1, a1 * b0 + b1


@triton.jit
def recurrence(a, b, forward, backward, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    slope = tl.load(a + at)
    offset = tl.load(b + at)
    _, result = tl.associative_scan((slope, offset), 1, _follow)
    tl.store(forward + at, result)
    _, result = tl.associative_scan((slope, offset), 0, _follow, reverse=True)
    tl.store(backward + at, result)


@triton.jit
def sort_rows(x, y, best, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i = tl.arange(0, M)[:, None]
    tile = tl.load(x + i * N + tl.arange(0, N)[None, :])
    tl.store(y + i * N + tl.arange(0, N)[None, :], tl.sort(tile, descending=False))
    tl.store(best + i * K + tl.arange(0, K)[None, :], tl.topk(tile, K))


@triton.jit
def count_values(x, counts, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + i, i < n, other=0)
    found = tl.histogram(values, BINS, mask=i < n)
    tl.atomic_add(counts + tl.arange(0, BINS), found)


@triton.jit
def shuffle_data(x, index, y, flipped, halves, pairs, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    at = i[:, None] * N + j[None, :]
    tile = tl.load(x + at)
    places = tl.load(index + at)
    tl.store(y + j[:, None] * M + i[None, :], tl.trans(tl.gather(tile, places, 0)))
    tl.store(flipped + at, tl.flip(tile, 1))
    even, odd = tl.split(tl.reshape(tile, (M, N // 2, 2)))
    k = i[:, None] * (N // 2) + tl.arange(0, N // 2)[None, :]
    tl.store(halves + k, even - odd)
    both = tl.join(tile, tile * 2)
    tl.store(pairs + at[:, :, None] * 2 + tl.arange(0, 2)[None, None, :], both)


@triton.jit
def transpose_tile(x, y, rows, columns, M: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * M + tl.arange(0, M)
    j = tl.program_id(1) * N + tl.arange(0, N)
    inside = (i < rows)[:, None] & (j < columns)[None, :]
    tile = tl.load(x + i[:, None] * columns + j[None, :], inside)
    tl.store(y + j[:, None] * rows + i[None, :], tl.trans(tile), tl.trans(inside))


@triton.jit
def elementary(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(y + i, tl.exp(v))
    tl.store(y + N + i, tl.log(tl.abs(v) + 1.0))
    tl.store(y + 2 * N + i, tl.sin(v))
    tl.store(y + 3 * N + i, tl.sqrt_rn(tl.abs(v)))
    tl.store(y + 4 * N + i, tl.div_rn(1.0, v + 20.0))
    tl.store(y + 5 * N + i, tl.erf(v))
    tl.store(y + 6 * N + i, libdevice.tanh(v))
    tl.store(y + 7 * N + i, libdevice.pow(tl.abs(v), 1.5))
    tl.store(y + 8 * N + i, tl.floor(v) + tl.ceil(v * 0.5))
    tl.store(y + 9 * N + i, libdevice.lgamma(v))
    tl.store(y + 10 * N + i, tl.fma(v, v, 0.1))


@triton.jit
def integers(x, y, result, wide, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(result + i, a // b)
    tl.store(result + N + i, a % b)
    tl.store(
        result + 2 * N + i, tl.umulhi(a.to(tl.uint32), b.to(tl.uint32)).to(tl.int32)
    )
    tl.store(result + 3 * N + i, libdevice.popc(a) + libdevice.clz(b))
    tl.store(result + 4 * N + i, (a << (b & 31)) ^ (a >> (b & 31)))
    tl.store(result + 5 * N + i, tl.minimum(a, b) | tl.abs(a))
    tl.store(
        result + 6 * N + i, (a > b).to(tl.int32) + (a.to(tl.int16) < b.to(tl.int8))
    )
    long = a.to(tl.int64) * b.to(tl.int64)
    tl.store(wide + i, long // 12345)
    tl.store(wide + N + i, long % (b.to(tl.int64) | 1))


@triton.jit
def random_numbers(seed, uniform, normal, whole, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(uniform + i, tl.rand(seed, i))
    tl.store(normal + i, tl.randn(seed, i))
    tl.store(whole + i, tl.randint(seed, i))


@triton.jit
def narrow_floats(x, e5m2, back5, half, brain, toward_zero, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    small = v.to(tl.float8e5)
    tl.store(e5m2 + i, small.to(tl.int8, bitcast=True))
    tl.store(back5 + i, small.to(tl.float32))
    tl.store(half + i, v.to(tl.float16))
    tl.store(brain + i, v.to(tl.bfloat16))
    tl.store(toward_zero + i, v.to(tl.bfloat16, fp_downcast_rounding="rtz"))


@triton.jit
def narrow_floats_e4m3(x, e4m3, back, N: tl.constexpr):
    i = tl.arange(0, N)
    small = tl.load(x + i).to(tl.float8e4nv)
    tl.store(e4m3 + i, small.to(tl.int8, bitcast=True))
    tl.store(back + i, small.to(tl.float16))


@triton.jit
def inline_assembly(x, y, low, high, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    b = tl.load(y + i)
    least, most = tl.inline_asm_elementwise(
        asm="min.u32 $0, $2, $3; max.u32 $1, $2, $3;",
        constraints="=r,=r,r,r",
        args=[a, b],
        dtype=(tl.uint32, tl.uint32),
        is_pure=True,
        pack=1,
    )
    tl.store(low + i, least)
    tl.store(high + i, most)


@triton.jit
def print_and_check(x, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    v = tl.load(x + i)
    tl.device_assert(v >= 0, "expected no negative number")
    tl.device_print("value", v)
    tl.store(x + i, v + 1)


BUILDS = [
    Build(add_rows, "*fp32 *fp32 *fp32 i32", EVERY, {"BLOCK": 256}),
    Build(add_rows, "*bf16 *bf16 *bf16 i32", (80,), {"BLOCK": 1024}, variant="bf16"),
    Build(softmax_rows, "*fp32 *fp32 i32", EVERY, {"BLOCK": 512}),
    Build(layer_norm, "*fp16 *fp32 *fp32 *fp16 i32 fp32", EVERY, {"BLOCK": 256}),
    Build(
        reduce_both_ways,
        "*i32 *i32 *i32 *i32 *i32",
        EVERY,
        {"M": 64, "N": 32},
        {"num_warps": 8},
    ),
    Build(recurrence, "*fp32 *fp32 *fp32 *fp32", EVERY, {"M": 32, "N": 64}),
    Build(sort_rows, "*i32 *i32 *i32", EVERY, {"M": 4, "N": 128, "K": 8}),
    Build(count_values, "*i32 *i32 i32", EVERY, {"BLOCK": 512, "BINS": 64}),
    Build(
        shuffle_data, "*fp32 *i32 *fp32 *fp32 *fp32 *fp32", EVERY, {"M": 32, "N": 32}
    ),
    Build(transpose_tile, "*fp16 *fp16 i32 i32", EVERY, {"M": 64, "N": 32}),
    Build(transpose_tile, "*i8 *i8 i32 i32", EVERY, {"M": 64, "N": 64}, variant="i8"),
    Build(elementary, "*fp32 *fp32", EVERY, {"N": 256}),
    Build(integers, "*i32 *i32 *i32 *i64", EVERY, {"N": 256}),
    Build(random_numbers, "i32 *fp32 *fp32 *i32", EVERY, {"N": 256}),
    Build(narrow_floats, "*fp32 *i8 *fp32 *fp16 *bf16 *bf16", EVERY, {"N": 512}),
    Build(narrow_floats_e4m3, "*fp32 *i8 *fp16", (89, 90, 100), {"N": 512}),
    Build(inline_assembly, "*u32 *u32 *u32 *u32", EVERY, {"N": 256}),
    Build(print_and_check, "*i32", EVERY, {"N": 128}, {"debug": True}),
]
