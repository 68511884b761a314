# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles kernels limited by memory with Triton: python make_streams.py SPEC FILE ...

`bench/streams.py` calls this, with the Python of an environment that has Triton. A
SPEC is `softmax f32 1024:90`: the name of a kernel in `bench/stream_kernels.py` or
`update_kernels.py`, and a compute capability. Parameters are those of our kernel.
"""

from builds import Divisible
from make_ptx import write_specs  # sets options before Triton is imported

import triton  # isort: skip
import triton.language as tl  # isort: skip


@triton.jit
def softmax(x, y, rows, columns, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    at = tl.program_id(0) * columns + i
    values = tl.load(x + at, i < columns, other=float("-inf"))
    weights = tl.exp(values - tl.max(values, 0))
    tl.store(y + at, weights / tl.sum(weights, 0), i < columns)


@triton.jit
def softmax_loop(x, y, rows, columns, SIZE: tl.constexpr):
    row = tl.program_id(0) * columns
    most = tl.full((SIZE,), -1e30, tl.float32)
    total = tl.zeros((SIZE,), tl.float32)
    for start in range(0, columns, SIZE):
        i = start + tl.arange(0, SIZE)
        values = tl.load(x + row + i, i < columns, other=float("-inf"))
        higher = tl.maximum(most, values)
        total = total * tl.exp(most - higher) + tl.exp(values - higher)
        most = higher
    best = tl.max(most, 0)
    whole = tl.sum(total * tl.exp(most - best), 0)
    for start in range(0, columns, SIZE):
        i = start + tl.arange(0, SIZE)
        values = tl.load(x + row + i, i < columns, other=float("-inf"))
        tl.store(y + row + i, tl.exp(values - best) / whole, i < columns)


@triton.jit
def layernorm(x, w, c, y, rows, columns, eps, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    at = tl.program_id(0) * columns + i
    inside = i < columns
    tile = tl.load(x + at, inside, other=0.0).to(tl.float32)
    weight = tl.load(w + i, inside, other=0.0).to(tl.float32)
    bias = tl.load(c + i, inside, other=0.0).to(tl.float32)
    centred = tl.where(inside, tile - tl.sum(tile, 0) / columns, 0.0)
    variance = tl.sum(centred * centred, 0) / columns
    out = centred * tl.rsqrt(variance + eps) * weight + bias
    tl.store(y + at, out.to(tl.float16), inside)


@triton.jit
def rmsnorm(x, w, y, rows, columns, eps, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    at = tl.program_id(0) * columns + i
    inside = i < columns
    tile = tl.load(x + at, inside, other=0.0).to(tl.float32)
    weight = tl.load(w + i, inside, other=0.0).to(tl.float32)
    factor = tl.rsqrt(tl.sum(tile * tile, 0) / columns + eps)
    tl.store(y + at, (tile * factor * weight).to(tl.bfloat16), inside)


@triton.jit
def cross_entropy(x, label, y, rows, columns, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    row = tl.program_id(0)
    tile = tl.load(x + row * columns + i, i < columns, other=float("-inf"))
    most = tl.max(tile, 0)
    total = tl.sum(tl.exp(tile - most), 0)
    picked = tl.load(x + row * columns + tl.load(label + row))
    tl.store(y + row, tl.log(total) + most - picked)


@triton.jit
def argmax(x, y, rows, columns, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    row = tl.program_id(0)
    tile = tl.load(x + row * columns + i, i < columns, other=float("-inf"))
    tl.store(y + row, tl.argmax(tile, 0))


@triton.jit
def cumsum(x, y, rows, columns, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    at = tl.program_id(0) * columns + i
    tile = tl.load(x + at, i < columns, other=0.0)
    tl.store(y + at, tl.cumsum(tile, 0), i < columns)


@triton.jit
def transpose(x, y, rows, columns, M: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * M + tl.arange(0, M)
    j = tl.program_id(1) * N + tl.arange(0, N)
    inside = (i < rows)[:, None] & (j < columns)[None, :]
    tile = tl.load(x + i[:, None] * columns + j[None, :], inside)
    tl.store(y + j[:, None] * rows + i[None, :], tl.trans(tile), tl.trans(inside))


@triton.jit
def add(x, y, z, n, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    total = tl.load(x + i, i < n) + tl.load(y + i, i < n)
    tl.store(z + i, total, i < n)


@triton.jit
def gather(x, index, y, n, M: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * M + tl.arange(0, M)
    j = tl.arange(0, N)
    rows = tl.load(index + i, i < n, other=0)
    tile = tl.load(x + rows[:, None] * N + j[None, :])
    tl.store(y + i[:, None] * N + j[None, :], tile, (i < n)[:, None])


@triton.jit
def histogram(x, counts, n, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    values = tl.load(x + i, i < n, other=0)
    tl.atomic_add(counts + values, 1, i < n, sem="relaxed")


@triton.jit
def counter(x, out, n, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    values = tl.load(x + i, i < n, other=0)
    ones = tl.full((SIZE,), 1, tl.int32)
    where = out + tl.zeros((SIZE,), tl.int32)
    tl.atomic_add(where, ones, (values & 3) != 0, sem="relaxed")


@triton.jit
def row_counts(x, out, rows, columns, M: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * M + tl.arange(0, M)
    j = tl.program_id(1) * N + tl.arange(0, N)
    inside = (i < rows)[:, None] & (j < columns)[None, :]
    tile = tl.load(x + i[:, None] * columns + j[None, :], inside, other=0)
    where = out + i[:, None] + tl.zeros((M, N), tl.int32)
    tl.atomic_add(where, tile, inside, sem="relaxed")


TRITON_TYPES = {"f32": "fp32", "f16": "fp16", "bf16": "bf16", "i32": "i32"}
ROWS = {
    "softmax": (softmax, "*{0} *{0} i32 i32"),
    "loop": (softmax_loop, "*{0} *{0} i32 i32"),
    "layernorm": (layernorm, "*{0} *{0} *{0} *{0} i32 i32 fp32"),
    "rmsnorm": (rmsnorm, "*{0} *{0} *{0} i32 i32 fp32"),
    "cross-entropy": (cross_entropy, "*{0} *i32 *{0} i32 i32"),
    "argmax": (argmax, "*{0} *i32 i32 i32"),
    "cumsum": (cumsum, "*{0} *{0} i32 i32"),
    "add": (add, "*{0} *{0} *{0} i32"),
}
KILO, CHUNK = 1024, 4096


def build(spec: str) -> Divisible:
    """The build of a SPEC, with the warps that Triton's tutorials take."""
    name, _, target = spec.rpartition(":")
    targets = (int(target),)
    what, kind, *size = name.split()
    ty = TRITON_TYPES[kind]
    if what in ("transpose", "gather", "row-counts"):
        m, n = map(int, size[0].split("x"))
        if what == "row-counts":
            types, sizes = "*i32 *i32 i32 i32", {"M": m, "N": n}
            return Divisible(row_counts, types, targets, sizes, {"num_warps": 4})
        fn = transpose if what == "transpose" else gather
        index = "" if what == "transpose" else " *i32"
        last = " i32 i32" if what == "transpose" else " i32"
        types = f"*{ty}{index} *{ty}{last}"
        return Divisible(fn, types, targets, {"M": m, "N": n}, {"num_warps": 4})
    if what in ("histogram", "counter"):
        fn, sizes = histogram if what == "histogram" else counter, {"SIZE": KILO}
        return Divisible(fn, "*i32 *i32 i32", targets, sizes, {"num_warps": 4})
    is_loop = size[-1] == "loop"
    number = size[0]
    extent = CHUNK if is_loop else int(number.removesuffix("k"))
    extent *= KILO if number.endswith("k") and not is_loop else 1
    fn, types = ROWS["loop" if is_loop else what]
    warps = 4 if extent <= 2 * KILO else 8 if extent <= CHUNK else 16
    if what == "add":
        warps = 4
    sizes, options = {"SIZE": extent}, {"num_warps": warps}
    return Divisible(fn, types.format(ty), targets, sizes, options)


if __name__ == "__main__":
    write_specs(build)
