# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in cuTile Python, and a script that writes their bytecode.

    pip install cuda-tile
    python kernels.py -o DIR [-v 13.1,13.4] [-k NAME,NAME] [--list]

No GPU, driver or CUDA is needed: cuTile's public ahead-of-time interface
(`cuda.tile.compilation.export_kernel`) is used, with signatures that say what its
just-in-time compiler derives for contiguous arrays. The `.tileirbc` files beside
this script were written by it (see README.md for the one thing changed in them).
"""

import argparse
import io
import math
import os
import pathlib

os.environ.setdefault("CUDA_TILE_CACHE_DIR", "off")

import cuda.tile as ct
from cuda.tile.compilation import (
    ArrayConstraint,
    CallingConvention,
    KernelSignature,
    ScalarConstraint,
    export_kernel,
)

ConstInt = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO
ConstBool = ct.Constant[bool]
INV_LOG2 = 1.0 / math.log(2)
f16, f32, bf16 = ct.float16, ct.float32, ct.bfloat16
i8, i32 = ct.int8, ct.int32


def array(dtype, rank, divisor=16, alignment=16, *, wide_index=False):
    """Say what is known of an array parameter: contiguous, sizes divisible by 16.

    Args:
        dtype: element type.
        rank: number of dimensions.
        divisor: every size is a multiple of this, in elements; every stride but the
            last is a multiple of 16 bytes unless this is 1.
        alignment: the address of the first element is a multiple of this, in bytes.
        wide_index: sizes and strides are 64-bit integers instead of 32-bit ones.
    """
    element_bytes = max(1, dtype.bitwidth // 8)
    stride_divisor = max(1, 16 // element_bytes) if divisor > 1 else 1
    return ArrayConstraint(
        dtype,
        rank,
        index_dtype=ct.int64 if wide_index else ct.int32,
        stride_lower_bound_incl=[0] * (rank - 1) + [None],
        alias_groups=(),
        may_alias_internally=False,
        stride_constant=[None] * (rank - 1) + [1],
        stride_divisible_by=[stride_divisor] * (rank - 1) + [1],
        shape_divisible_by=divisor,
        base_addr_divisible_by=alignment,
    )


@ct.kernel
def vadd(a, b, c, T: ConstInt):
    """c = a + b, one tile of T elements per block."""
    i = ct.bid(0)
    tile = ct.load(a, index=(i,), shape=(T,)) + ct.load(b, index=(i,), shape=(T,))
    ct.store(c, index=(i,), tile=tile)


@ct.kernel
def saxpy_masked(x, y, alpha: float, n: int, T: ConstInt):
    """y = alpha * x + y for the indices below n, by pointers and masks."""
    i = ct.bid(0)
    off = i * T + ct.arange(T, dtype=ct.int32)
    m = off < n
    xv = ct.gather(x, off, mask=m, padding_value=0.0, check_bounds=False)
    yv = ct.gather(y, off, mask=m, padding_value=0.0, check_bounds=False)
    ct.scatter(y, off, alpha * xv + yv, mask=m, check_bounds=False)


@ct.kernel
def transpose(x, y, tm: ConstInt, tn: ConstInt):
    """y = x transposed, one tile of tm x tn elements per block."""
    i, j = ct.bid(0), ct.bid(1)
    t = ct.load(x, index=(i, j), shape=(tm, tn))
    ct.store(y, index=(j, i), tile=ct.transpose(t))


@ct.kernel
def softmax(x, y, N: ConstInt):
    """y = softmax of each row of x, one row (at most N elements) per block."""
    r = ct.bid(0)
    row = ct.load(
        x, index=(r, 0), shape=(1, N), padding_mode=ct.PaddingMode.NEG_INF
    ).astype(ct.float32)
    e = ct.exp(row - ct.max(row, axis=1, keepdims=True))
    ct.store(
        y, index=(r, 0), tile=(e / ct.sum(e, axis=1, keepdims=True)).astype(y.dtype)
    )


def swizzle(M, N, tm, tn, group, bid):
    """Row and column of the output tile of a block, in groups of `group` rows."""
    nm = ct.cdiv(M, tm)
    nn = ct.cdiv(N, tn)
    blocks_per_group = group * nn
    first = bid // blocks_per_group * group
    rows = min(nm - first, group)
    return first + (bid % rows), (bid % blocks_per_group) // rows


@ct.kernel
def matmul(A, B, C, tm: ConstInt, tn: ConstInt, tk: ConstInt):
    """C = A @ B with f32 accumulation, one tile of tm x tn elements per block."""
    bx, by = swizzle(A.shape[0], B.shape[1], tm, tn, 8, ct.bid(0))
    dt = ct.tfloat32 if A.dtype == ct.float32 else A.dtype
    acc = ct.full((tm, tn), 0, dtype=ct.float32)
    for k in range(ct.num_tiles(A, axis=1, shape=(tm, tk))):
        a = ct.load(A, index=(bx, k), shape=(tm, tk), padding_mode=ZERO).astype(dt)
        b = ct.load(B, index=(k, by), shape=(tk, tn), padding_mode=ZERO).astype(dt)
        acc = ct.mma(a, b, acc)
    ct.store(C, index=(bx, by), tile=ct.astype(acc, C.dtype))


@ct.kernel
def layernorm(X, W, B, Y, Mean, Rstd, eps: float, T: ConstInt):
    """Y = layer norm of each row of X with weight W and bias B, tiles of T."""
    m = ct.bid(0)
    nt = ct.num_tiles(X, axis=1, shape=(1, T))
    N = X.shape[1]
    mean = ct.full((1, T), 0, dtype=ct.float32)
    for j in range(nt):
        mean += ct.load(X, index=(m, j), shape=(1, T), padding_mode=ZERO)
    mean = ct.sum(mean, axis=1) / N
    ct.store(Mean, index=(m,), tile=mean)
    var = ct.full((1, T), 0, dtype=ct.float32)
    for j in range(nt):
        tx = ct.load(X, index=(m, j), shape=(1, T), padding_mode=ZERO)
        mask = (j * T + ct.arange(T, dtype=ct.int32)) < N
        d = ct.where(mask, tx - mean, 0)
        var += d * d
    var = ct.sum(var, axis=1) / N
    rstd = ct.rsqrt(var + eps)
    ct.store(Rstd, index=(m,), tile=rstd)
    for j in range(nt):
        tx = ct.load(X, index=(m, j), shape=(1, T), padding_mode=ZERO)
        w = ct.load(W, index=(j,), shape=(T,), padding_mode=ZERO)
        b = ct.load(B, index=(j,), shape=(T,), padding_mode=ZERO)
        ct.store(Y, index=(m, j), tile=((tx - mean) * rstd * w + b).astype(Y.dtype))


@ct.kernel
def argmax(x, v, ix, N: ConstInt):
    """Largest value of each row of x and where it is first met, 4 rows per block."""
    r = ct.bid(0)
    row = ct.load(x, index=(r, 0), shape=(4, N), padding_mode=ct.PaddingMode.NEG_INF)
    ct.store(v, index=(r,), tile=ct.max(row, axis=1))
    ct.store(ix, index=(r,), tile=ct.argmax(row, axis=1))


@ct.kernel
def cumsum(x, y, N: ConstInt):
    """y = running sums of each row of x, one row per block."""
    r = ct.bid(0)
    ct.store(
        y,
        index=(r, 0),
        tile=ct.cumsum(
            ct.load(x, index=(r, 0), shape=(1, N), padding_mode=ZERO), axis=1
        ),
    )


@ct.kernel
def matmul_i8(A, B, C, tm: ConstInt, tn: ConstInt, tk: ConstInt):
    """C = A @ B in i32, one tile of tm x tn elements per block."""
    bx, by = ct.bid(0), ct.bid(1)
    acc = ct.full((tm, tn), 0, dtype=ct.int32)
    for k in range(ct.num_tiles(A, axis=1, shape=(tm, tk))):
        acc = ct.mma(
            ct.load(A, index=(bx, k), shape=(tm, tk), padding_mode=ZERO),
            ct.load(B, index=(k, by), shape=(tk, tn), padding_mode=ZERO),
            acc,
        )
    ct.store(C, index=(bx, by), tile=acc)


@ct.kernel(occupancy=2)
def fmha(
    Q,
    Kk,
    V,
    Out,
    qk_scale: float,
    D: ConstInt,
    H: ConstInt,
    TM: ConstInt,
    TN: ConstInt,
    CAUSAL: ConstBool,
    EVEN: ConstBool,
):
    """Out = softmax(Q K^T * scale) V per head, online over tiles of TN keys."""
    bx, by = ct.bid(0), ct.bid(1)
    b = by // H
    h = by % H
    qk_scale = qk_scale * INV_LOG2
    offs_m = (bx * TM + ct.arange(TM, dtype=ct.int32))[:, None]
    offs_n0 = ct.arange(TN, dtype=ct.int32)[None, :]
    m_i = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l_i = ct.full((TM, 1), 0.0, dtype=ct.float32)
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    q = ct.load(Q, index=(b, h, bx, 0), shape=(1, 1, TM, D)).reshape((TM, D))
    klen = Kk.shape[2]
    if CAUSAL:
        mask_start = min((bx * TM) // TN, klen // TN)
        Tc = ct.cdiv(min((bx + 1) * TM, klen), TN)
    else:
        mask_start = klen // TN
        Tc = ct.cdiv(klen, TN)
    for j in range(0, Tc):
        k = ct.load(
            Kk, index=(b, h, 0, j), shape=(1, 1, D, TN), order=(0, 1, 3, 2), latency=2
        ).reshape((D, TN))
        qk = ct.mma(q, k, ct.full((TM, TN), 0.0, dtype=ct.float32))
        if (CAUSAL or not EVEN) and j >= mask_start:
            offs_n = j * TN + offs_n0
            mask = ct.full((TM, TN), True, dtype=ct.bool_)
            if not EVEN:
                mask = mask & (offs_n < klen)
            if CAUSAL:
                mask = mask & (offs_m >= offs_n)
            qk += ct.where(mask, 0.0, -math.inf)
        m_ij = max(m_i, ct.max(qk, axis=-1, keepdims=True) * qk_scale)
        p = ct.exp2(qk * qk_scale - m_ij, flush_to_zero=True)
        alpha = ct.exp2(m_i - m_ij, flush_to_zero=True)
        l_i = l_i * alpha + ct.sum(p, axis=-1, keepdims=True)
        acc = acc * alpha
        v = ct.load(V, index=(b, h, j, 0), shape=(1, 1, TN, D), latency=4).reshape(
            (TN, D)
        )
        acc = ct.mma(p.astype(Q.dtype), v, acc)
        m_i = m_ij
    acc = ct.truediv(acc, l_i, flush_to_zero=True, rounding_mode=ct.RoundingMode.APPROX)
    ct.store(
        Out, index=(b, h, bx, 0), tile=acc.reshape((1, 1, TM, D)).astype(Out.dtype)
    )


@ct.kernel
def gather_rows(table, idx, out, D: ConstInt, R: ConstInt):
    """Out = rows of the table that idx names, R rows per block."""
    i = ct.bid(0)
    r = ct.load(idx, index=(i,), shape=(R,))
    ct.store(
        out,
        index=(i, 0),
        tile=ct.gather(table, (r[:, None], ct.arange(D, dtype=ct.int32)[None, :])),
    )


@ct.kernel
def histogram(x, h, T: ConstInt):
    """Count the values of x in h, by atomics."""
    v = ct.load(x, index=(ct.bid(0),), shape=(T,), padding_mode=ZERO)
    ct.atomic_add(h, v, 1, memory_order=ct.MemoryOrder.RELAXED)


@ct.kernel
def control(x, y, n: int, T: ConstInt):
    """Loops that break, continue and end early, on tiles of T elements."""
    i = ct.bid(0)
    acc = ct.zeros((T,), dtype=ct.float32)
    it = 0
    while True:
        if it >= n:
            break
        t = ct.load(x, index=(i + it,), shape=(T,), padding_mode=ZERO)
        it += 1
        if ct.sum(t) < 0.0:
            continue
        elif ct.max(t) > 100.0:
            acc = acc - t
        else:
            acc = acc + t * 2.0
    for q in range(n):
        if q * q > i:
            break
        acc = acc * 0.5
    ct.store(y, index=(i,), tile=acc)


@ct.kernel
def mathops(x, y, T: ConstInt):
    """y = a sum of functions of x."""
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,))
    r = (
        ct.sin(t)
        + ct.cos(t) * ct.tanh(t)
        - ct.log(ct.abs(t) + 1.0)
        + ct.sqrt(ct.abs(t))
        + ct.exp2(t)
        + ct.floor(t) * ct.ceil(t)
    )
    ct.store(y, index=(i,), tile=r)


def kernels():
    """Map each file name to its kernel and the kernel's parameters."""
    unaligned = array(f32, 1, divisor=1, alignment=1)
    wide = array(f32, 1, wide_index=True)
    m16, m32 = array(f16, 2), array(f32, 2)
    return {
        "vadd_f32_1024": (vadd, [array(f32, 1)] * 3 + [1024]),
        "vadd_f16_4096": (vadd, [array(f16, 1)] * 3 + [4096]),
        "vadd_i32_8": (vadd, [array(i32, 1)] * 3 + [8]),
        "vadd_f32_unaligned": (vadd, [unaligned] * 3 + [1024]),
        "vadd_f32_i64idx": (vadd, [wide] * 3 + [1024]),
        "saxpy_tail_f32": (
            saxpy_masked,
            [array(f32, 1)] * 2 + [ScalarConstraint(f32), ScalarConstraint(i32), 1024],
        ),
        "transpose_f32_64x64": (transpose, [m32, m32, 64, 64]),
        "softmax_f32_1024": (softmax, [m32, m32, 1024]),
        "matmul_f16_64x64x64": (matmul, [m16, m16, m16, 64, 64, 64]),
        "matmul_f16_128x128x64": (matmul, [m16, m16, m16, 128, 128, 64]),
        "matmul_f16_f32out_128x128x64": (matmul, [m16, m16, m32, 128, 128, 64]),
        "matmul_bf16_128x128x64": (matmul, [array(bf16, 2)] * 3 + [128, 128, 64]),
        "matmul_tf32_128x128x32": (matmul, [m32, m32, m32, 128, 128, 32]),
        "matmul_i8_128x128x64": (
            matmul_i8,
            [array(i8, 2), array(i8, 2), array(i32, 2), 128, 128, 64],
        ),
        "softmax_f16_4096": (softmax, [m16, m16, 4096]),
        "layernorm_f16_1024": (
            layernorm,
            [
                m16,
                array(f16, 1),
                array(f16, 1),
                m16,
                array(f32, 1),
                array(f32, 1),
                ScalarConstraint(f32),
                1024,
            ],
        ),
        "argmax_f32_4x1024": (argmax, [m32, array(f32, 1), array(i32, 1), 1024]),
        "cumsum_f32_1024": (cumsum, [m32, m32, 1024]),
        "gather_rows_f16_64x128": (gather_rows, [m16, array(i32, 1), m16, 128, 64]),
        "histogram_i32_1024": (histogram, [array(i32, 1), array(i32, 1), 1024]),
        "control_f32_256": (
            control,
            [array(f32, 1), array(f32, 1), ScalarConstraint(i32), 256],
        ),
        "mathops_f32_1024": (mathops, [array(f32, 1), array(f32, 1), 1024]),
    } | {
        f"fmha_causal_f16_d{depth}_128x64": (
            fmha,
            [array(f16, 4)] * 4
            + [ScalarConstraint(f32), depth, 16, 128, 64, True, True],
        )
        for depth in (64, 128)
    }


def main():
    """Write DIR/VERSION/NAME.tileirbc for each version and kernel."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", metavar="DIR", default=".", type=pathlib.Path)
    parser.add_argument("-v", metavar="VERSIONS", default="13.1,13.4")
    parser.add_argument("-k", metavar="NAMES", help="only these kernels")
    parser.add_argument("--gpu", default="sm_100", help="GPU that hints are for")
    parser.add_argument("--list", action="store_true", help="list the kernels")
    options = parser.parse_args()
    table = kernels()
    if options.list:
        print("\n".join(table))
        return
    for version in options.v.split(","):
        folder = options.o / version
        folder.mkdir(parents=True, exist_ok=True)
        for name in options.k.split(",") if options.k else table:
            kernel, parameters = table[name]
            signature = KernelSignature(
                parameters, CallingConvention.cutile_python_v1(), symbol=name
            )
            data = io.BytesIO()
            export_kernel(
                kernel,
                [signature],
                data,
                gpu_code=options.gpu,
                output_format="tileir_bytecode",
                bytecode_version=version,
            )
            (folder / f"{name}.tileirbc").write_bytes(data.getvalue())


if __name__ == "__main__":
    main()
