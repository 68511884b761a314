# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles products with Triton: python make_product.py SPEC FILE ...

`bench/products.py` calls this, with the Python of an environment that has Triton. A
SPEC is `f16:f16:128x128x64:80:4:3`: types of operands and result, tile, compute
capability, warps and stages, and `:transposed` where B lies in memory as N x K, from
sm_90 on. The kernels are those of this folder: by pointers up to sm_89, by tensor
descriptors (TMA) from sm_90 on.
"""

from typing import Any

from builds import Divisible
from kernels_dot import matmul
from kernels_tma import boxes, tma_matmul
from make_ptx import write_specs

import triton  # isort: skip
import triton.language as tl  # isort: skip


@triton.jit
def tma_sums(
    a,
    b,
    c,
    K,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    TRANSPOSED: tl.constexpr,
    TYPE: tl.constexpr,
):
    """As `tma_matmul`, with sums of another type than f32."""
    i = tl.program_id(0) * BM
    j = tl.program_id(1) * BN
    total = tl.zeros((BM, BN), TYPE)
    for k in range(0, K, BK):
        right = b.load([j, k]).T if TRANSPOSED else b.load([k, j])
        total = tl.dot(a.load([i, k]), right, total, out_dtype=TYPE)
    c.store([i, j], total.to(c.dtype))


NAMES = {
    **{"f16": "fp16", "bf16": "bf16", "tf32": "fp32", "f32": "fp32", "f64": "fp64"},
    **{"i8": "i8", "i32": "i32", "f8E4M3FN": "fp8e4nv"},
}
SUMS = {"i8": tl.int32, "f64": tl.float64}


def build(spec: str) -> Divisible:
    """The build of a SPEC."""
    operand, result, tile, target, warps, stages, *transposed = spec.split(":")
    sizes = tuple(map(int, tile.split("x")))
    m, n, k = sizes
    constants: dict[str, Any] = dict(zip(("BM", "BN", "BK"), sizes, strict=True))
    options = {"num_warps": int(warps), "num_stages": int(stages)}
    a, c, gpu = NAMES[operand], NAMES[result], int(target)
    if gpu >= 90:
        right = (n, k) if transposed else (k, n)
        types = f"{boxes(a, (m, k), right)} {boxes(c, (m, n))} i32"
        constants["TRANSPOSED"] = bool(transposed)
        if operand in SUMS:
            constants["TYPE"] = SUMS[operand]
            return Divisible(tma_sums, types, (gpu,), constants, options)
        constants["SPECIALIZED"] = False
        return Divisible(tma_matmul, types, (gpu,), constants, options)
    types = f"*{a} *{a} *{c} i32 i32 i32"
    constants |= {"PRECISION": "tf32", "TYPE": SUMS.get(operand, tl.float32)}
    return Divisible(matmul, types, (gpu,), constants, options)


if __name__ == "__main__":
    write_specs(build)
