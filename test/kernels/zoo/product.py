# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products: element types, layouts, epilogues, groups, scales."""

import cuda.tile as ct
from registry import ZERO, ConstInt, add


def swizzled(m, n, tm, tn, group, block):
    """Which tile a block does, in groups of tile rows."""
    rows, columns = ct.cdiv(m, tm), ct.cdiv(n, tn)
    per = group * columns
    first = block // per * group
    size = min(rows - first, group)
    return first + block % per % size, block % per // size


def gemm(inner, wide=ct.float32):
    @ct.kernel
    def apply(a, b, c, tm: ConstInt, tn: ConstInt, tk: ConstInt):
        i, j = swizzled(a.shape[0], b.shape[1], tm, tn, 4, ct.bid(0))
        acc = ct.zeros((tm, tn), dtype=wide)
        for p in range(ct.num_tiles(a, axis=1, shape=(tm, tk))):
            x = ct.load(a, (i, p), (tm, tk), padding_mode=ZERO)
            y = ct.load(b, (p, j), (tk, tn), padding_mode=ZERO)
            acc = ct.mma(ct.astype(x, inner), ct.astype(y, inner), acc)
        ct.store(c, (i, j), ct.astype(acc, c.dtype))

    return apply


for name, arrays, function, sizes in (
    ("f16", ["f16*2/16"] * 3, gemm(ct.float16), (64, 64, 32)),
    ("bf16", ["bf16*2", "bf16*2", "f32*2"], gemm(ct.bfloat16), (64, 32, 32)),
    ("tf32", ["f32*2"] * 3, gemm(ct.tfloat32), (32, 32, 32)),
    ("f32", ["f32*2"] * 3, gemm(ct.float32), (16, 32, 16)),
    ("f64", ["f64*2"] * 3, gemm(ct.float64, ct.float64), (16, 16, 16)),
    ("i8", ["i8*2", "i8*2", "i32*2"], gemm(ct.int8, ct.int32), (32, 32, 64)),
    ("u8", ["u8*2", "u8*2", "i32*2"], gemm(ct.uint8, ct.int32), (32, 16, 32)),
    ("f8e4m3", ["f8e4m3*2", "f8e4m3*2", "f32*2"], gemm(ct.float8_e4m3fn), (32, 32, 64)),
    ("f8e5m2", ["f8e5m2*2", "f8e5m2*2", "f16*2"], gemm(ct.float8_e5m2), (32, 32, 32)),
    ("unaligned_f16", ["f16*2?"] * 3, gemm(ct.float16), (32, 32, 16)),
):
    add(f"gemm_{name}", function, *arrays, *sizes)


@ct.kernel
def gemm_half(a, b, c, m: ConstInt, n: ConstInt, k: ConstInt):
    """Accumulates in f16; the second operand comes transposed."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((m, n), dtype=ct.float16)
    for p in range(ct.num_tiles(a, axis=1, shape=(m, k))):
        x = ct.load(a, (i, p), (m, k), padding_mode=ZERO)
        y = ct.load(b, (p, j), (k, n), order=(1, 0), padding_mode=ZERO)
        acc = ct.mma(x, y, acc)
    ct.store(c, (i, j), acc)


add("gemm_half_nt", gemm_half, "f16*2", "f16*2", "f16*2", 32, 32, 16)


@ct.kernel
def gemm_tn(a, b, c, m: ConstInt, n: ConstInt, k: ConstInt):
    """The first operand comes transposed, as in a gradient of weights."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((m, n), dtype=ct.float32)
    for p in range(ct.num_tiles(a, axis=0, shape=(k, m))):
        x = ct.transpose(ct.load(a, (p, i), (k, m), padding_mode=ZERO))
        acc = ct.mma(x, ct.load(b, (p, j), (k, n), padding_mode=ZERO), acc)
    ct.store(c, (i, j), ct.astype(acc, c.dtype))


add("gemm_tn_bf16", gemm_tn, "bf16*2/16", "bf16*2/16", "bf16*2/16", 32, 32, 32)


@ct.kernel
def gemm_bias_gelu(a, b, bias, c, m: ConstInt, n: ConstInt, k: ConstInt):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((m, n), dtype=ct.float32)
    for p in range(ct.num_tiles(a, axis=1, shape=(m, k))):
        x = ct.load(a, (i, p), (m, k), padding_mode=ZERO)
        acc = ct.mma(x, ct.load(b, (p, j), (k, n), padding_mode=ZERO), acc)
    acc += ct.astype(ct.load(bias, (j,), (n,)), ct.float32)[None, :]
    inner = 0.7978845608 * (acc + 0.044715 * acc * acc * acc)
    out = 0.5 * acc * (1.0 + ct.tanh(inner))
    ct.store(c, (i, j), ct.astype(out, c.dtype))


add(
    "gemm_bias_gelu_f16", gemm_bias_gelu, "f16*2", "f16*2", "f16*1", "f16*2", 32, 32, 32
)


@ct.kernel
def gemm_split(a, b, c, m: ConstInt, n: ConstInt, k: ConstInt, parts: ConstInt):
    """Each block does a part of K and adds to the result."""
    i, j, part = ct.bid(0), ct.bid(1), ct.bid(2)
    acc = ct.zeros((m, n), dtype=ct.float32)
    for p in range(part, ct.num_tiles(a, axis=1, shape=(m, k)), parts):
        x = ct.load(a, (i, p), (m, k), padding_mode=ZERO)
        acc = ct.mma(x, ct.load(b, (p, j), (k, n), padding_mode=ZERO), acc)
    rows = (i * m + ct.arange(m, dtype=ct.int32))[:, None]
    columns = (j * n + ct.arange(n, dtype=ct.int32))[None, :]
    ct.atomic_add(c, (rows, columns), acc)


add("gemm_split_f16", gemm_split, "f16*2", "f16*2", "f32*2", 16, 32, 16, 2)


@ct.kernel
def gemm_persistent(a, b, c, m: ConstInt, n: ConstInt, k: ConstInt):
    """Blocks take tiles in turn."""
    columns = ct.cdiv(b.shape[1], n)
    tiles = ct.cdiv(a.shape[0], m) * columns
    for t in range(ct.bid(0), tiles, ct.num_blocks(0)):
        acc = ct.zeros((m, n), dtype=ct.float32)
        for p in range(ct.num_tiles(a, axis=1, shape=(m, k))):
            x = ct.load(a, (t // columns, p), (m, k), padding_mode=ZERO)
            y = ct.load(b, (p, t % columns), (k, n), padding_mode=ZERO)
            acc = ct.mma(x, y, acc)
        ct.store(c, (t // columns, t % columns), ct.astype(acc, c.dtype))


add("gemm_persistent_bf16", gemm_persistent, "bf16*2", "bf16*2", "bf16*2", 32, 32, 32)


@ct.kernel
def gemm_batched(a, b, c, m: ConstInt, n: ConstInt, k: ConstInt, batch: ConstInt):
    """Several small products in one tile of rank 3."""
    i = ct.bid(0)
    x = ct.load(a, (i, 0, 0), (batch, m, k), padding_mode=ZERO)
    y = ct.load(b, (i, 0, 0), (batch, k, n), padding_mode=ZERO)
    acc = ct.mma(x, y, ct.zeros((batch, m, n), dtype=ct.float32))
    ct.store(c, (i, 0, 0), acc)


add("gemm_batched_f16", gemm_batched, "f16*3", "f16*3", "f32*3", 16, 16, 32, 2)
add("gemm_small_f32", gemm_batched, "f32*3", "f32*3", "f32*3", 4, 4, 4, 4)


@ct.kernel
def gemv(a, x, y, m: ConstInt, k: ConstInt):
    i = ct.bid(0)
    acc = ct.zeros((m, k), dtype=ct.float32)
    for p in range(ct.num_tiles(a, axis=1, shape=(m, k))):
        tile = ct.load(a, (i, p), (m, k), padding_mode=ZERO)
        line = ct.load(x, (p,), (k,), padding_mode=ZERO)
        acc += ct.astype(tile, ct.float32) * ct.astype(line, ct.float32)[None, :]
    ct.store(y, (i,), ct.astype(ct.sum(acc, axis=1), y.dtype))


add("gemv_f16", gemv, "f16*2/16", "f16*1/16", "f32*1", 4, 64)


@ct.kernel
def gemm_single_row(a, b, c, n: ConstInt, k: ConstInt):
    """A product with one row, as in decoding."""
    j = ct.bid(0)
    acc = ct.zeros((1, n), dtype=ct.float32)
    for p in range(ct.num_tiles(a, axis=1, shape=(1, k))):
        x = ct.load(a, (0, p), (1, k), padding_mode=ZERO)
        acc = ct.mma(x, ct.load(b, (p, j), (k, n), padding_mode=ZERO), acc)
    ct.store(c, (0, j), ct.astype(acc, c.dtype))


add("gemm_single_row_bf16", gemm_single_row, "bf16*2", "bf16*2", "bf16*2", 32, 32)


@ct.kernel
def gemm_grouped(
    a, b, c, ends, groups: ConstInt, m: ConstInt, n: ConstInt, k: ConstInt
):
    """Rows of `a` in groups of multiples of `m`; each group has its own matrix."""
    i, j = ct.bid(0), ct.bid(1)
    last = ct.load(ends, (0,), (groups,))
    group = ct.sum(ct.astype(last <= i * m, ct.int32))
    acc = ct.zeros((m, n), dtype=ct.float32)
    for p in range(ct.num_tiles(a, axis=1, shape=(m, k))):
        x = ct.load(a, (i, p), (m, k), padding_mode=ZERO)
        y = ct.reshape(ct.load(b, (group, p, j), (1, k, n), padding_mode=ZERO), (k, n))
        acc = ct.mma(x, y, acc)
    ct.store(c, (i, j), ct.astype(acc, c.dtype))


add(
    "gemm_grouped_f16",
    gemm_grouped,
    *["f16*2", "f16*3", "f16*2", "i32*1"],
    4,
    16,
    32,
    32,
)


@ct.kernel
def experts(x, w, order, expert, weight, y, m: ConstInt, n: ConstInt, k: ConstInt):
    """Mixture of experts: rows gathered by expert; results are added to their rows."""
    i, j = ct.bid(0), ct.bid(1)
    row = ct.load(order, (i,), (m,))
    e = ct.load(expert, (i,), (1,)).item()
    acc = ct.zeros((m, n), dtype=ct.float32)
    for p in range(ct.cdiv(x.shape[1], k)):
        columns = p * k + ct.arange(k, dtype=ct.int32)
        a = ct.gather(x, (row[:, None], columns[None, :]))
        b = ct.reshape(ct.load(w, (e, p, j), (1, k, n), padding_mode=ZERO), (k, n))
        acc = ct.mma(a, b, acc)
    acc = acc * ct.load(weight, (i,), (m,))[:, None]
    columns = (j * n + ct.arange(n, dtype=ct.int32))[None, :]
    ct.atomic_add(y, (row[:, None], columns), acc)


add(
    "experts_bf16",
    experts,
    *["bf16*2", "bf16*3", "i32*1", "i32*1", "f32*1", "f32*2"],
    16,
    16,
    32,
)


@ct.kernel
def gemm_int8_weights(a, b, scale, c, m: ConstInt, n: ConstInt, k: ConstInt):
    """Weights in i8 with a scale per column, activations in f16."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((m, n), dtype=ct.float32)
    for p in range(ct.num_tiles(a, axis=1, shape=(m, k))):
        x = ct.load(a, (i, p), (m, k), padding_mode=ZERO)
        y = ct.load(b, (p, j), (k, n), padding_mode=ZERO)
        acc = ct.mma(x, ct.astype(y, a.dtype), acc)
    acc = acc * ct.load(scale, (j,), (n,))[None, :]
    ct.store(c, (i, j), ct.astype(acc, c.dtype))


add(
    "gemm_int8_weights_f16",
    gemm_int8_weights,
    "f16*2",
    "i8*2",
    "f32*1",
    "f16*2",
    16,
    32,
    32,
)


@ct.kernel
def gemm_int4_weights(a, b, scale, c, m: ConstInt, n: ConstInt, k: ConstInt):
    """Two weights of 4 bits to a byte along K, in groups of K with a scale each."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((m, n), dtype=ct.float32)
    for p in range(ct.num_tiles(a, axis=1, shape=(m, k))):
        x = ct.load(a, (i, p), (m, k))
        raw = ct.astype(ct.load(b, (p, j), (k // 2, n)), ct.int32)
        low, high = (raw & 15) - 8, (raw >> 4) - 8
        both = ct.cat((low[:, None, :], high[:, None, :]), 1)
        y = ct.astype(ct.reshape(both, (k, n)), ct.float16)
        part = ct.mma(x, y, ct.zeros((m, n), dtype=ct.float32))
        acc += part * ct.load(scale, (p, j), (1, n))
    ct.store(c, (i, j), ct.astype(acc, c.dtype))


add(
    "gemm_int4_weights_f16",
    gemm_int4_weights,
    "f16*2",
    "u8*2",
    "f32*2",
    "f16*2",
    16,
    32,
    32,
)


@ct.kernel
def gemm_f8_blocks(a, sa, b, sb, c, m: ConstInt, n: ConstInt, k: ConstInt):
    """f8 with f32 scales for blocks of K, applied to the partial sums."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((m, n), dtype=ct.float32)
    for p in range(ct.num_tiles(a, axis=1, shape=(m, k))):
        part = ct.mma(
            ct.load(a, (i, p), (m, k), padding_mode=ZERO),
            ct.load(b, (p, j), (k, n), padding_mode=ZERO),
            ct.zeros((m, n), dtype=ct.float32),
        )
        acc += part * ct.load(sa, (i, p), (m, 1)) * ct.load(sb, (p, j), (1, n))
    ct.store(c, (i, j), ct.astype(acc, c.dtype))


add(
    "gemm_f8_blocks",
    gemm_f8_blocks,
    *["f8e4m3*2", "f32*2", "f8e4m3*2", "f32*2", "bf16*2"],
    16,
    16,
    64,
)


@ct.kernel
def gemm_mxf8(a, sa, b, sb, c, m: ConstInt, n: ConstInt, k: ConstInt):
    """f8 with a power of two as scale for each 32 elements of K."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((m, n), dtype=ct.float32)
    for p in range(ct.num_tiles(a, axis=1, shape=(m, k))):
        x, y = ct.load(a, (i, p), (m, k)), ct.load(b, (p, j), (k, n))
        xs, ys = ct.load(sa, (i, p), (m, k // 32)), ct.load(sb, (p, j), (k // 32, n))
        acc = ct.mma_scaled(x, xs, y, ys, acc)
    ct.store(c, (i, j), acc)


add(
    "gemm_mxf8",
    gemm_mxf8,
    *["f8e4m3*2", "f8e8m0*2", "f8e4m3*2", "f8e8m0*2", "f32*2"],
    16,
    16,
    64,
)
add(
    "gemm_mxf8_e5m2",
    gemm_mxf8,
    *["f8e5m2*2", "f8e8m0*2", "f8e5m2*2", "f8e8m0*2", "f32*2"],
    32,
    32,
    32,
)


@ct.kernel
def gemm_nvf4(a, sa, b, sb, c, m: ConstInt, n: ConstInt, k: ConstInt):
    """4-bit floats, two to a byte, with an f8 scale for each 16 elements of K.

    Both operands are rows along K; the second is turned.
    """
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((m, n), dtype=ct.float32)
    for p in range(ct.num_tiles(a, axis=1, shape=(m, k // 2))):
        raw = ct.load(a, (i, p), (m, k // 2))
        x = ct.unpack_from_bytes(ct.reshape(raw, (m * k // 2,)), ct.float4_e2m1fn)
        raw = ct.load(b, (j, p), (n, k // 2))
        y = ct.unpack_from_bytes(ct.reshape(raw, (n * k // 2,)), ct.float4_e2m1fn)
        xs = ct.load(sa, (i, p), (m, k // 16))
        ys = ct.transpose(ct.load(sb, (j, p), (n, k // 16)))
        yt = ct.transpose(ct.reshape(y, (n, k)))
        acc = ct.mma_scaled(ct.reshape(x, (m, k)), xs, yt, ys, acc)
    ct.store(c, (i, j), acc)


add("gemm_nvf4", gemm_nvf4, "u8*2", "f8e4m3*2", "u8*2", "f8e4m3*2", "f32*2", 16, 16, 64)
add("gemm_mxf4", gemm_nvf4, "u8*2", "f8e8m0*2", "u8*2", "f8e8m0*2", "f32*2", 16, 16, 64)


@ct.kernel
def gemm_complex(ar, ai, br, bi, cr, ci, m: ConstInt, n: ConstInt, k: ConstInt):
    """Complex numbers as two arrays, by four products."""
    i, j = ct.bid(0), ct.bid(1)
    real = ct.zeros((m, n), dtype=ct.float32)
    imaginary = ct.zeros((m, n), dtype=ct.float32)
    for p in range(ct.num_tiles(ar, axis=1, shape=(m, k))):
        xr = ct.load(ar, (i, p), (m, k), padding_mode=ZERO)
        xi = ct.load(ai, (i, p), (m, k), padding_mode=ZERO)
        yr = ct.load(br, (p, j), (k, n), padding_mode=ZERO)
        yi = ct.load(bi, (p, j), (k, n), padding_mode=ZERO)
        real = ct.mma(-xi, yi, ct.mma(xr, yr, real))
        imaginary = ct.mma(xi, yr, ct.mma(xr, yi, imaginary))
    ct.store(cr, (i, j), real)
    ct.store(ci, (i, j), imaginary)


add("gemm_complex_f16", gemm_complex, *["f16*2"] * 4, "f32*2", "f32*2", 16, 16, 16)


@ct.kernel
def low_rank(x, w, down, up, y, m: ConstInt, n: ConstInt, k: ConstInt, r: ConstInt):
    """y = x w + (x down) up, the second product of rank r."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((m, n), dtype=ct.float32)
    small = ct.zeros((m, r), dtype=ct.float32)
    for p in range(ct.num_tiles(x, axis=1, shape=(m, k))):
        a = ct.load(x, (i, p), (m, k), padding_mode=ZERO)
        acc = ct.mma(a, ct.load(w, (p, j), (k, n), padding_mode=ZERO), acc)
        small = ct.mma(a, ct.load(down, (p, 0), (k, r), padding_mode=ZERO), small)
    acc = ct.mma(ct.astype(small, x.dtype), ct.load(up, (0, j), (r, n)), acc)
    ct.store(y, (i, j), ct.astype(acc, y.dtype))


add("low_rank_f16", low_rank, *["f16*2"] * 5, 32, 32, 32, 8)


@ct.kernel
def two_layers(x, w, v, y, m: ConstInt, n: ConstInt, k: ConstInt):
    """relu(x w) v with the middle kept on the chip."""
    i = ct.bid(0)
    a = ct.load(x, (i, 0), (m, k), padding_mode=ZERO)
    acc = ct.zeros((m, k), dtype=ct.float32)
    for p in range(ct.num_tiles(w, axis=1, shape=(k, n))):
        b = ct.load(w, (0, p), (k, n), padding_mode=ZERO)
        middle = ct.mma(a, b, ct.zeros((m, n), dtype=ct.float32))
        middle = ct.astype(ct.maximum(middle, 0.0), x.dtype)
        acc = ct.mma(middle, ct.load(v, (p, 0), (n, k), padding_mode=ZERO), acc)
    ct.store(y, (i, 0), ct.astype(acc, y.dtype))


add("two_layers_bf16", two_layers, *["bf16*2"] * 4, 16, 32, 32)
