# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of test/kernels/13.4 in Triton, but for products and attention.

Tiles, bounds and promises are those of our kernels; parameters are their arrays, the
extents of these, and their numbers. make_table.py compiles them.
"""

from make_streams import cumsum, transpose  # sets options before Triton is imported

import triton  # isort: skip
import triton.language as tl  # isort: skip
from triton.language.extra import libdevice  # isort: skip


@triton.jit
def add(x, y, z, n, SIZE: tl.constexpr):
    i = tl.program_id(0).to(n.dtype) * SIZE + tl.arange(0, SIZE)
    total = tl.load(x + i, i < n) + tl.load(y + i, i < n)
    tl.store(z + i, total, i < n)


@triton.jit
def saxpy(x, y, alpha, n, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    total = alpha * tl.load(x + i, i < n) + tl.load(y + i, i < n)
    tl.store(y + i, total, i < n)


@triton.jit
def softmax(x, y, rows, columns, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    at = tl.program_id(0) * columns + i
    values = tl.load(x + at, i < columns, other=float("-inf")).to(tl.float32)
    weights = tl.exp(values - tl.max(values, 0))
    result = weights / tl.sum(weights, 0)
    tl.store(y + at, result.to(y.dtype.element_ty), i < columns)


@triton.jit
def layernorm(x, w, c, y, means, factors, rows, columns, eps, SIZE: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((SIZE,), tl.float32)
    for start in range(0, columns, SIZE):
        i = start + tl.arange(0, SIZE)
        total += tl.load(x + row * columns + i, i < columns, other=0.0).to(tl.float32)
    mean = tl.sum(total, 0) / columns
    squares = tl.zeros((SIZE,), tl.float32)
    for start in range(0, columns, SIZE):
        i = start + tl.arange(0, SIZE)
        tile = tl.load(x + row * columns + i, i < columns, other=0.0).to(tl.float32)
        centred = tl.where(i < columns, tile - mean, 0.0)
        squares += centred * centred
    factor = tl.rsqrt(tl.sum(squares, 0) / columns + eps)
    tl.store(means + row, mean)
    tl.store(factors + row, factor)
    for start in range(0, columns, SIZE):
        i = start + tl.arange(0, SIZE)
        inside = i < columns
        tile = tl.load(x + row * columns + i, inside, other=0.0).to(tl.float32)
        weight = tl.load(w + i, inside, other=0.0).to(tl.float32)
        bias = tl.load(c + i, inside, other=0.0).to(tl.float32)
        out = (tile - mean) * factor * weight + bias
        tl.store(y + row * columns + i, out.to(y.dtype.element_ty), inside)


@triton.jit
def argmax(x, most, places, rows, columns, M: tl.constexpr, SIZE: tl.constexpr):
    i = tl.program_id(0) * M + tl.arange(0, M)
    j = tl.arange(0, SIZE)
    inside = (i < rows)[:, None] & (j < columns)[None, :]
    at = i[:, None] * columns + j[None, :]
    tile = tl.load(x + at, inside, other=float("-inf"))
    tl.store(most + i, tl.max(tile, 1), i < rows)
    tl.store(places + i, tl.argmax(tile, 1), i < rows)


@triton.jit
def gather(x, index, y, height, width, n, M: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * M + tl.arange(0, M)
    j = tl.arange(0, N)
    rows = tl.load(index + i, i < n, other=0)
    inside = ((rows >= 0) & (rows < height))[:, None] & (j < width)[None, :]
    at = rows.to(tl.int64)[:, None] * width + j[None, :]
    tile = tl.load(x + at, inside, other=0.0)
    out = (i < n)[:, None] & (j < width)[None, :]
    tl.store(y + i[:, None] * width + j[None, :], tile, out)


@triton.jit
def histogram(x, counts, n, bins, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    values = tl.load(x + i, i < n, other=0)
    tl.atomic_add(counts + values, 1, (values >= 0) & (values < bins), sem="relaxed")


@triton.jit
def control(x, y, length, terms, SIZE: tl.constexpr):
    i = tl.program_id(0)
    j = tl.arange(0, SIZE)
    total = tl.zeros((SIZE,), tl.float32)
    turn = 0
    while turn < terms:
        at = (i + turn) * SIZE + j
        tile = tl.load(x + at, at < length, other=0.0)
        turn += 1
        if tl.sum(tile, 0) >= 0.0:
            most = tl.max(tile, 0)
            total = total - tile if most > 100.0 else total + tile * 2.0
    q = 0
    while (q < terms) & (q * q <= i):
        total = total * 0.5
        q += 1
    at = i * SIZE + j
    tl.store(y + at, total, at < length)


@triton.jit
def mathops(x, y, n, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    t = tl.load(x + i, i < n)
    total = tl.cos(t) * libdevice.tanh(t) + tl.sin(t)
    total = total - tl.log(tl.abs(t) + 1.0) + tl.sqrt_rn(tl.abs(t)) + tl.exp2(t)
    tl.store(y + i, tl.floor(t) * tl.ceil(t) + total, i < n)


LINE, ROWS = "*{0} *{0} *{0} i32", "*{0} *{0} i32 i32"
KERNELS = {
    "vadd_f32_1024": (add, LINE.format("fp32"), {"SIZE": 1024}),
    "vadd_f16_4096": (add, LINE.format("fp16"), {"SIZE": 4096}),
    "vadd_i32_8": (add, LINE.format("i32"), {"SIZE": 8}),
    "vadd_f32_unaligned": (add, LINE.format("fp32"), {"SIZE": 1024}),
    "vadd_f32_i64idx": (add, "*fp32 *fp32 *fp32 i64", {"SIZE": 1024}),
    "saxpy_tail_f32": (saxpy, "*fp32 *fp32 fp32 i32", {"SIZE": 1024}),
    "transpose_f32_64x64": (transpose, ROWS.format("fp32"), {"M": 64, "N": 64}),
    "softmax_f32_1024": (softmax, ROWS.format("fp32"), {"SIZE": 1024}),
    "softmax_f16_4096": (softmax, ROWS.format("fp16"), {"SIZE": 4096}),
    "layernorm_f16_1024": (
        layernorm,
        "*fp16 *fp16 *fp16 *fp16 *fp32 *fp32 i32 i32 fp32",
        {"SIZE": 1024},
    ),
    "argmax_f32_4x1024": (argmax, "*fp32 *fp32 *i32 i32 i32", {"M": 4, "SIZE": 1024}),
    "cumsum_f32_1024": (cumsum, ROWS.format("fp32"), {"SIZE": 1024}),
    "gather_rows_f16_64x128": (
        gather,
        "*fp16 *i32 *fp16 i32 i32 i32",
        {"M": 64, "N": 128},
    ),
    "histogram_i32_1024": (histogram, "*i32 *i32 i32 i32", {"SIZE": 1024}),
    "control_f32_256": (control, "*fp32 *fp32 i32 i32", {"SIZE": 256}),
    "mathops_f32_1024": (mathops, "*fp32 *fp32 i32", {"SIZE": 1024}),
}
"""By name: the kernel, types of its parameters, and sizes of tiles."""
PROMISES = {
    "vadd_f32_unaligned": "",
    "saxpy_tail_f32": "x y",
    "control_f32_256": "x y length",
}
"""Parameters that 16 divides, where these are not all pointers and integers."""
