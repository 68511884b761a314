"""Kernels in cuTile Python, and the bytecode that its own writer makes of them.

    pip install cuda-tile
    python kernels.py -o DIR [-v 13.1,13.4] [-k NAME,NAME] [--list]

No GPU, driver or CUDA is needed: cuTile's public ahead-of-time interface
(`cuda.tile.compilation.export_kernel`) is used, with signatures that say what its
just-in-time compiler derives for contiguous arrays. The `.tileirbc` files beside
this script were written by it (see README.md for the one thing changed in them).
"""

import argparse
import io
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
f16, f32, i32 = ct.float16, ct.float32, ct.int32


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
    acc = ct.full((tm, tn), 0, dtype=ct.float32)
    for k in range(ct.num_tiles(A, axis=1, shape=(tm, tk))):
        a = ct.load(A, index=(bx, k), shape=(tm, tk), padding_mode=ZERO)
        b = ct.load(B, index=(k, by), shape=(tk, tn), padding_mode=ZERO)
        acc = ct.mma(a, b, acc)
    ct.store(C, index=(bx, by), tile=ct.astype(acc, C.dtype))


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
