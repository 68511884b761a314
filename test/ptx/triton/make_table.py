# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles kernels of test/kernels with Triton: python make_table.py SPEC FILE ...

`bench/table.py` calls this, with the Python of an environment that has Triton. A SPEC
is `softmax fp16 4096:90`: kernel, element type, columns of a tile, compute capability.
What other scripts here make (products, attention, other rows) is not repeated.
"""

from builds import Divisible
from make_ptx import write_specs

import triton  # isort: skip
import triton.language as tl  # isort: skip


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


KERNELS = {
    "softmax": (softmax, "*{0} *{0} i32 i32"),
    "layernorm": (layernorm, "*{0} *{0} *{0} *{0} *fp32 *fp32 i32 i32 fp32"),
}


def build(spec: str) -> Divisible:
    """The build of a SPEC."""
    name, _, target = spec.rpartition(":")
    kind, ty, size = name.split()
    fn, types = KERNELS[kind]
    options = {"num_warps": 8 if int(size) > 2048 else 4}
    constants = {"SIZE": int(size)}
    return Divisible(fn, types.format(ty), (int(target),), constants, options)


if __name__ == "__main__":
    write_specs(build)
