# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small kernels in cuTile Python, one per function and element type of the front end.

    pip install cuda-tile numpy
    python kernels.py -o DIR [-k NAME,NAME]

Writes `DIR/NAME.tileirbc` (bytecode 13.4, entry NAME) without a GPU, driver or CUDA.
`test/interp/cutile_references.py` says what each computes, in NumPy.
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
TYPES = {
    "b1": ct.bool_,
    "i8": ct.int8,
    "i16": ct.int16,
    "i32": ct.int32,
    "i64": ct.int64,
    "u8": ct.uint8,
    "u16": ct.uint16,
    "u32": ct.uint32,
    "u64": ct.uint64,
    "f16": ct.float16,
    "bf16": ct.bfloat16,
    "f32": ct.float32,
    "f64": ct.float64,
    "f8e4m3": ct.float8_e4m3fn,
    "f8e5m2": ct.float8_e5m2,
    "f8e8m0": ct.float8_e8m0fnu,
}
FLOATS = ("f16", "bf16", "f32", "f64")
INTEGERS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
KERNELS = {}


def array(name, rank):
    """An array of any size and stride."""
    return ArrayConstraint(
        TYPES[name],
        rank,
        index_dtype=ct.int32,
        stride_lower_bound_incl=[0] * rank,
        alias_groups=(),
        may_alias_internally=False,
    )


def add(name, kernel, *parameters):
    """Registers a kernel; parameters are `type*rank` texts, types, or constants."""
    signature = []
    for parameter in parameters:
        if isinstance(parameter, str) and "*" in parameter:
            kind, rank = parameter.split("*")
            signature.append(array(kind, int(rank)))
        elif isinstance(parameter, str):
            signature.append(ScalarConstraint(TYPES[parameter]))
        else:
            signature.append(parameter)
    assert name not in KERNELS, name
    KERNELS[name] = (kernel, signature)


def unary(function):
    @ct.kernel
    def apply(x, y, size: ConstInt):
        i = ct.bid(0)
        tile = ct.load(x, index=(i,), shape=(size,))
        ct.store(y, index=(i,), tile=function(tile))

    return apply


def binary(function):
    @ct.kernel
    def apply(x, y, z, size: ConstInt):
        i = ct.bid(0)
        a = ct.load(x, index=(i,), shape=(size,))
        b = ct.load(y, index=(i,), shape=(size,))
        ct.store(z, index=(i,), tile=function(a, b))

    return apply


for function in [
    "exp",
    "exp2",
    "log",
    "log2",
    "sqrt",
    "rsqrt",
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
    "tanh",
    "floor",
    "ceil",
    "abs",
    "negative",
]:
    for kind in FLOATS if function in ("floor", "abs", "negative") else ("f16", "f32"):
        kernel = unary(getattr(ct, function))
        add(f"{function}_{kind}", kernel, f"{kind}*1", f"{kind}*1", 64)
for function in ("abs", "negative", "bitwise_not"):
    for kind in ("i8", "i32", "i64"):
        kernel = unary(getattr(ct, function))
        add(f"{function}_{kind}", kernel, f"{kind}*1", f"{kind}*1", 64)

for function in ("add", "sub", "mul", "maximum", "minimum"):
    for kind in ("f16", "bf16", "f64", "i8", "i32", "u32", "i64"):
        kernel = binary(getattr(ct, function))
        add(f"{function}_{kind}", kernel, *[f"{kind}*1"] * 3, 64)
for function, kinds in {
    "truediv": ("f16", "f32", "f64"),
    "pow": ("f16", "f32", "f64"),
    "atan2": ("f16", "f32", "f64"),
    "mod": ("f32", "i8", "i32", "u16", "i64"),
    "floordiv": ("i8", "i32", "u32", "i64"),
    "bitwise_and": ("i8", "i32", "u64"),
    "bitwise_or": ("i16", "i32"),
    "bitwise_xor": ("i16", "i64"),
    "bitwise_lshift": ("i32", "u64"),
    "bitwise_rshift": ("i16", "i32", "u32"),
}.items():
    for kind in kinds:
        kernel = binary(getattr(ct, function))
        add(f"{function}_{kind}", kernel, *[f"{kind}*1"] * 3, 64)
for function in [
    "equal",
    "not_equal",
    "less",
    "less_equal",
    "greater",
    "greater_equal",
]:
    for kind in ("f32", "i32", "u8"):
        kernel = binary(getattr(ct, function))
        add(f"{function}_{kind}", kernel, f"{kind}*1", f"{kind}*1", "b1*1", 64)


def convert(dtype):
    @ct.kernel
    def apply(x, y, size: ConstInt):
        i = ct.bid(0)
        ct.store(y, index=(i,), tile=ct.astype(ct.load(x, (i,), (size,)), dtype))

    return apply


CONVERSIONS = """
f32:f16 f32:bf16 f32:f8e4m3 f32:f8e5m2 f64:f32 f16:f32 f8e4m3:f16 f8e5m2:f32 f32:i32
f32:u8 f64:i64 i32:f32 i64:f32 u64:f64 i32:f16 i8:i32 u8:i32 i32:i8 i64:i16 i32:b1
b1:i32 b1:f32 bf16:f8e4m3 f16:f64
"""
for pair in CONVERSIONS.split():
    source, target = pair.split(":")
    kernel = convert(TYPES[target])
    add(f"convert_{source}_{target}", kernel, f"{source}*1", f"{target}*1", 64)


def along(function, axis):
    @ct.kernel
    def apply(x, y, rows: ConstInt, columns: ConstInt):
        tile = ct.load(x, index=(ct.bid(0), 0), shape=(rows, columns))
        ct.store(y, index=(ct.bid(0),), tile=function(tile, axis=axis))

    return apply


def scanned(function, axis, reverse):
    @ct.kernel
    def apply(x, y, rows: ConstInt, columns: ConstInt):
        tile = ct.load(x, index=(ct.bid(0), 0), shape=(rows, columns))
        done = function(tile, axis=axis, reverse=reverse)
        ct.store(y, index=(ct.bid(0), 0), tile=done)

    return apply


for function in ("sum", "prod", "max", "min", "argmax", "argmin"):
    for kind in ("f32", "i32") if function != "sum" else ("f16", "f32", "f64", "i32"):
        result = "i32" if function.startswith("arg") else kind
        kernel = along(getattr(ct, function), 1)
        add(f"{function}_{kind}", kernel, f"{kind}*2", f"{result}*1", 4, 64)
for function in ("cumsum", "cumprod"):
    for kind in ("f32", "i32"):
        for axis, reverse in ((0, False), (1, False), (1, True)):
            kernel = scanned(getattr(ct, function), axis, reverse)
            word = "_reverse" if reverse else ""
            name = f"{function}{axis}{word}_{kind}"
            add(name, kernel, f"{kind}*2", f"{kind}*2", 8, 16)


@ct.kernel
def custom_reduce(x, y, size: ConstInt):
    tile = ct.load(x, index=(ct.bid(0), 0), shape=(4, size))
    worst = ct.reduce(tile, 1, lambda a, b: ct.maximum(ct.abs(a), ct.abs(b)), 0.0)
    ct.store(y, index=(ct.bid(0),), tile=worst)


@ct.kernel
def pair_scan(x, y, z, size: ConstInt):
    """The running maximum and where it was first met."""
    tile = ct.load(x, index=(0,), shape=(size,))
    place = ct.arange(size, dtype=ct.int32)

    def best(a, ai, b, bi):
        first = (a > b) | ((a == b) & (ai < bi))
        return ct.where(first, a, b), ct.where(first, ai, bi)

    value, index = ct.scan((tile, place), 0, best, (-2147483648, 2147483647))
    ct.store(y, index=(0,), tile=value)
    ct.store(z, index=(0,), tile=index)


add("custom_reduce_f32", custom_reduce, "f32*2", "f32*1", 64)
add("pair_scan_i32", pair_scan, "i32*1", "i32*1", "i32*1", 64)


def product(inner):
    @ct.kernel
    def apply(a, b, c, m: ConstInt, n: ConstInt, k: ConstInt):
        i, j = ct.bid(0), ct.bid(1)
        pad = ct.PaddingMode.ZERO
        acc = ct.full((m, n), 0, dtype=c.dtype)
        for p in range(ct.num_tiles(a, axis=1, shape=(m, k))):
            x = ct.load(a, index=(i, p), shape=(m, k), padding_mode=pad)
            y = ct.load(b, index=(p, j), shape=(k, n), padding_mode=pad)
            acc = ct.mma(ct.astype(x, inner), ct.astype(y, inner), acc)
        ct.store(c, index=(i, j), tile=acc)

    return apply


for kind, result in {
    "f16": "f32",
    "bf16": "f32",
    "f32": "f32",
    "f64": "f64",
    "f8e4m3": "f32",
    "f8e5m2": "f32",
    "i8": "i32",
    "u8": "i32",
}.items():
    kernel = product(TYPES[kind])
    add(f"mma_{kind}", kernel, f"{kind}*2", f"{kind}*2", f"{result}*2", 16, 16, 32)
add("mma_f16_f16", product(ct.float16), *["f16*2"] * 3, 16, 16, 32)
add("mma_tf32", product(ct.tfloat32), *["f32*2"] * 3, 16, 16, 32)


@ct.kernel
def scaled_product(a, sa, b, sb, c):
    acc = ct.zeros((16, 16), dtype=ct.float32)
    x, y = ct.load(a, (0, 0), (16, 64)), ct.load(b, (0, 0), (64, 16))
    xs, ys = ct.load(sa, (0, 0), (16, 2)), ct.load(sb, (0, 0), (2, 16))
    ct.store(c, index=(0, 0), tile=ct.mma_scaled(x, xs, y, ys, acc))


add(
    "mma_scaled_f8e4m3",
    scaled_product,
    "f8e4m3*2",
    "f8e8m0*2",
    "f8e4m3*2",
    "f8e8m0*2",
    "f32*2",
)


def atomic(function):
    @ct.kernel
    def apply(x, counts, old, size: ConstInt):
        i = ct.bid(0)
        index = ct.load(x, index=(i,), shape=(size,))
        before = function(counts, index, index + 3)
        ct.store(old, index=(i,), tile=before)

    return apply


for function in ("add", "max", "min", "and", "or", "xor", "xchg"):
    for kind in ("i32", "u32") if function in ("max", "min") else ("i32",):
        kernel = atomic(getattr(ct, f"atomic_{function}"))
        add(f"atomic_{function}_{kind}", kernel, *[f"{kind}*1"] * 3, 32)


@ct.kernel
def float_histogram(x, sums, size: ConstInt):
    i = ct.bid(0)
    index = ct.load(x, index=(i,), shape=(size,))
    ct.atomic_add(sums, index, ct.astype(index, ct.float32) * 0.5)


@ct.kernel
def spin_lock(lock, total, n: int):
    while ct.atomic_cas(lock, 0, 0, 1, memory_order=ct.MemoryOrder.ACQUIRE) == 1:
        pass
    value = ct.load(total, index=(0,), shape=(1,))
    ct.store(total, index=(0,), tile=value + n)
    ct.atomic_xchg(lock, 0, 0, memory_order=ct.MemoryOrder.RELEASE)


@ct.kernel
def view_reduction(x, sums):
    view = sums.tiled_view((32,))
    view.atomic_store_add((0,), ct.load(x, index=(ct.bid(0),), shape=(32,)))


add("float_histogram_i32", float_histogram, "i32*1", "f32*1", 32)
add("spin_lock", spin_lock, "i32*1", "i32*1", "i32")
add("view_reduction_i32", view_reduction, "i32*1", "i32*1")
add("view_reduction_f32", view_reduction, "f32*1", "f32*1")


@ct.kernel
def gather_2d(x, rows, columns, y, size: ConstInt):
    i = ct.bid(0)
    r = ct.load(rows, index=(i,), shape=(size,))
    c = ct.load(columns, index=(i,), shape=(size,))
    ct.store(y, index=(i,), tile=ct.gather(x, (r, c), padding_value=-1))


@ct.kernel
def scatter_2d(x, rows, y, size: ConstInt):
    i = ct.bid(0)
    r = ct.load(rows, index=(i,), shape=(size,))
    values = ct.load(x, index=(i, 0), shape=(size, 8))
    ct.scatter(y, (r[:, None], ct.arange(8, dtype=ct.int32)[None, :]), values)


@ct.kernel
def advanced_rows(x, rows, y):
    r = ct.load(rows, index=(ct.bid(0),), shape=(16,))
    got = ct.load_advanced_indexing(
        x, (r, ct.Slice(2, 8)), padding_mode=ct.PaddingMode.ZERO
    )
    ct.store(y, index=(ct.bid(0), 0), tile=got)


@ct.kernel
def advanced_columns(x, columns, y):
    c = ct.load(columns, index=(0,), shape=(16,))
    tile = ct.load(x, index=(0, 0), shape=(4, 16))
    ct.store_advanced_indexing(y, (ct.Slice(1, 4), c), tile)


@ct.kernel
def overlapping(x, y):
    """Sums of windows of 16 elements every 4."""
    view = x.tiled_view((16,), padding_mode=ct.PaddingMode.ZERO, traversal_steps=(4,))
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=ct.sum(view.load((i,)), axis=0, keepdims=True))


add("gather_2d_f32", gather_2d, "f32*2", "i32*1", "i32*1", "f32*1", 32)
add("scatter_2d_f16", scatter_2d, "f16*2", "i32*1", "f16*2", 16)
add("advanced_rows_f32", advanced_rows, "f32*2", "i32*1", "f32*2")
add("advanced_columns_f32", advanced_columns, "f32*2", "i32*1", "f32*2")
add("overlapping_f32", overlapping, "f32*1", "f32*1")


@ct.kernel
def moves(x, y):
    """Cat, extract, insert, permute, reshape and broadcast in a row."""
    a = ct.load(x, index=(0, 0), shape=(8, 16))
    b = ct.cat((a, ct.permute(ct.reshape(a, (16, 8)), (1, 0))), 0)
    part = ct.extract(b, index=(1, 1), shape=(4, 8))
    c = ct.insert(a, (1, 0), part)
    row = ct.broadcast_to(ct.extract(a, index=(2, 0), shape=(1, 16)), (8, 16))
    ct.store(y, index=(0, 0), tile=c + row)


@ct.kernel
def packed(x, y, z):
    tile = ct.load(x, index=(0,), shape=(32,))
    raw = ct.pack_to_bytes(tile)
    ct.store(y, index=(0,), tile=raw)
    ct.store(z, index=(0,), tile=ct.unpack_from_bytes(raw, ct.int16))


@ct.kernel
def halves(raw, y):
    """Pairs of 4-bit floats in bytes, as f32."""
    small = ct.unpack_from_bytes(
        ct.load(raw, index=(0,), shape=(16,)), ct.float4_e2m1fn
    )
    ct.store(y, index=(0,), tile=ct.astype(small, ct.float32))


@ct.kernel
def bits(x, y):
    tile = ct.load(x, index=(0,), shape=(32,))
    ct.store(y, index=(0,), tile=ct.bitcast(tile, ct.int32) ^ 1)


@ct.kernel
def printed(x):
    i = ct.bid(0)
    tile = ct.load(x, index=(i,), shape=(4,))
    ct.printf("block %d: %d\n", i, tile)


@ct.kernel
def asserted(x, y):
    tile = ct.load(x, index=(0,), shape=(8,))
    ct.assert_(tile > 0, "positive numbers only")  # noqa: PT009
    ct.store(y, index=(0,), tile=tile)


@ct.kernel
def collatz(x, steps, limit: int):
    """Steps to 1, with while, break, continue, if and nested loops."""
    i = ct.bid(0)
    n = ct.load(x, index=(i,), shape=(1,)).item()
    count = 0
    while n != 1:
        if count >= limit:
            break
        count += 1
        if n % 2 == 0:
            n = n // 2
            continue
        n = 3 * n + 1
    ct.store(steps, index=(i,), tile=ct.full((1,), count, dtype=ct.int32))


@ct.kernel
def dependent(x, y):
    ct.grid_dependency_control_wait()
    ct.store(y, index=(0,), tile=ct.load(x, index=(0,), shape=(8,)) * 2)
    ct.grid_dependency_control_launch_dependents()


add("moves_f32", moves, "f32*2", "f32*2")
add("moves_i8", moves, "i8*2", "i8*2")
add("packed_i32", packed, "i32*1", "u8*1", "i16*1")
add("halves_u8", halves, "u8*1", "f32*1")
add("bits_f32", bits, "f32*1", "i32*1")
add("printed_i32", printed, "i32*1")
add("asserted_i32", asserted, "i32*1", "i32*1")
add("collatz_i32", collatz, "i32*1", "i32*1", "i32")
add("dependent_f32", dependent, "f32*1", "f32*1")


def export(name, folder):
    """Writes one kernel; says on failure which."""
    kernel, parameters = KERNELS[name]
    convention = CallingConvention.cutile_python_v1()
    signature = KernelSignature(parameters, convention, symbol=name)
    raw = io.BytesIO()
    export_kernel(
        kernel,
        [signature],
        raw,
        gpu_code="sm_100",
        output_format="tileir_bytecode",
        bytecode_version="13.4",
    )
    (folder / f"{name}.tileirbc").write_bytes(raw.getvalue())


def main():
    """Exports the kernels that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", type=pathlib.Path, required=True)
    parser.add_argument("-k")
    words = parser.parse_args()
    words.o.mkdir(parents=True, exist_ok=True)
    failures = 0
    for name in words.k.split(",") if words.k else KERNELS:
        try:
            export(name, words.o)
        except Exception as error:
            failures += 1
            print(f"{name}: {type(error).__name__}: {str(error)[:400]}")
    print(f"{len(KERNELS)} kernels, {failures} failed")


if __name__ == "__main__":
    main()
