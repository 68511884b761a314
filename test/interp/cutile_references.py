# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the kernels of `cutile/kernels.py` compute, in NumPy: inputs and results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from interp_kernels import wide

DTYPES: dict[str, Any] = {
    "b1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "u8": np.uint8,
    "u16": np.uint16,
    "u32": np.uint32,
    "u64": np.uint64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "f8e4m3": ml_dtypes.float8_e4m3fn,
    "f8e5m2": ml_dtypes.float8_e5m2,
    "f8e8m0": ml_dtypes.float8_e8m0fnu,
}
PRECISION = {"f16": 11, "bf16": 8, "f32": 24, "f64": 53, "f8e4m3": 4, "f8e5m2": 3}


@dataclass
class Case:
    """One launch.

    Attributes:
        args: Arrays and scalars, without shapes and strides.
        grid: Tile blocks.
        expected: Result per argument that changes.
        rtol: Relative tolerance of floats; 0 asks for equality.
        depends: Whether the order may change the last bits (sums of floats).
    """

    args: list[Any]
    grid: tuple[int, ...]
    expected: dict[int, Any]
    rtol: float = 0.0
    depends: bool = False


def numbers(kind: str, shape: Any, seed: int, *, positive: bool = False) -> Any:
    """Random values of moderate size."""
    rng = np.random.default_rng(seed)
    if kind == "b1":
        return rng.integers(0, 2, shape).astype(np.bool_)
    if kind in PRECISION:
        values = rng.standard_normal(shape) * 2
        values = np.abs(values) + 0.125 if positive else values
        return values.astype(DTYPES[kind])
    info = np.iinfo(DTYPES[kind])
    low = 1 if positive else max(info.min, -1000)
    return rng.integers(low, min(info.max, 1000), shape).astype(DTYPES[kind])


def numpy_function(name: str) -> Callable[..., Any]:
    special: dict[str, Callable[..., Any]] = {
        "rsqrt": lambda x: 1 / np.sqrt(x),
        "atan2": np.arctan2,
        "pow": np.power,
        "truediv": np.divide,
        "floordiv": np.floor_divide,
        "sub": np.subtract,
        "mul": np.multiply,
        "bitwise_lshift": np.left_shift,
        "bitwise_rshift": np.right_shift,
        "abs": np.abs,
    }
    return special.get(name) or getattr(np, name)


def elementwise(name: str, kind: str, arity: int) -> Case:
    """A function of one or two arrays of 150 elements, in tiles of 64."""
    needs_positive = name in ("log", "log2", "sqrt", "rsqrt", "pow")
    inputs = [
        numbers(kind, 150, seed + 1, positive=needs_positive or name == "floordiv")
        for seed in range(arity)
    ]
    if name in ("floordiv", "mod"):
        inputs[0] = numbers(kind, 150, 1)
        inputs[1] = np.where(inputs[1] == 0, inputs[1].dtype.type(3), inputs[1])
    if "shift" in name:
        inputs[1] = (numbers(kind, 150, 9, positive=True) % 8).astype(DTYPES[kind])
    function = numpy_function(name)
    is_float = kind in PRECISION
    with np.errstate(all="ignore"):
        exact = function(*(wide(x) if is_float else x for x in inputs))
    is_test = exact.dtype == np.bool_
    out = np.zeros(150, np.bool_ if is_test else DTYPES[kind])
    expected = exact if is_test else exact.astype(DTYPES[kind])
    rtol = 4 * 2.0 ** -PRECISION[kind] if is_float and not is_test else 0.0
    return Case([*inputs, out], (3,), {arity: expected}, rtol)


def conversion(source: str, target: str) -> Case:
    x = numbers(source, 150, 1, positive=target == "u8")
    if source in PRECISION and target not in PRECISION:
        x = (wide(x) * 20).astype(x.dtype)
    if source == "i32" and target == "b1":
        x = x % 3
    with np.errstate(all="ignore"):
        y = x != 0 if target == "b1" else x.astype(DTYPES[target])
    if source in ("i64", "u64") and target in PRECISION:
        y = x.astype(np.float64).astype(DTYPES[target])
    return Case([x, np.zeros(150, DTYPES[target])], (3,), {1: y})


def reduction(name: str, kind: str) -> Case:
    x = numbers(kind, (8, 64), 3)
    if name == "prod":
        x = (np.abs(wide(x)) % 2 + 0.5).astype(x.dtype) if kind == "f32" else x % 3
    if name.startswith("arg"):
        x = np.round(wide(x)).astype(x.dtype)  # so that there are ties
    work = wide(x) if kind in PRECISION else x.astype(np.int64)
    y = getattr(np, name)(work, axis=1)
    kind_out = "i32" if name.startswith("arg") else kind
    rtol = 0.0
    if kind in PRECISION and name in ("sum", "prod"):
        rtol = 64 * 2.0 ** -PRECISION[kind]
    out = np.zeros(8, DTYPES[kind_out])
    with np.errstate(all="ignore"):
        return Case([x, out], (2,), {1: y.astype(out.dtype)}, rtol, rtol > 0)


def scanned(name: str, kind: str) -> Case:
    words = name.split("_")
    axis, function = int(words[0][-1]), words[0][:-1]
    x = numbers(kind, (16, 16), 4)
    if function == "cumprod":
        x = (np.abs(wide(x)) % 2 + 0.5).astype(x.dtype) if kind == "f32" else x % 3 - 1
    work = (wide(x) if kind == "f32" else x.astype(np.int64)).reshape(2, 8, 16)
    work = np.flip(work, axis + 1) if "reverse" in words else work
    y = getattr(np, function)(work, axis=axis + 1)
    y = np.flip(y, axis + 1) if "reverse" in words else y
    rtol = 2.0**-17 if kind == "f32" else 0.0
    y = y.reshape(16, 16).astype(x.dtype)
    return Case([x, np.zeros_like(x)], (2,), {1: y}, rtol, rtol > 0)


def matrix_product(name: str) -> Case:
    kind = name.split("_")[1]
    source = "f32" if kind == "tf32" else kind
    result = {"f64": "f64", "i8": "i32", "u8": "i32"}.get(kind, "f32")
    if name == "mma_f16_f16":
        result = "f16"
    a, b = numbers(source, (40, 70), 5), numbers(source, (70, 24), 6)
    if source in ("i8", "u8"):
        y = a.astype(np.int64) @ b.astype(np.int64)
        rtol = 0.0
    else:
        x, z = wide(a), wide(b)
        if kind == "tf32":
            x, z = (np.round(v * 2**20) / 2**20 for v in (x, z))
        y = x @ z
        precision = 10 if kind == "tf32" else PRECISION[result]
        rtol = 70 * 2.0**-precision
    out = np.zeros((40, 24), DTYPES[result])
    return Case([a, b, out], (3, 2), {2: y.astype(out.dtype)}, rtol, rtol > 0)


def scaled_product() -> Case:
    a, b = numbers("f8e4m3", (16, 64), 1), numbers("f8e4m3", (64, 16), 2)
    rng = np.random.default_rng(3)
    sa, sb = (
        (2.0 ** rng.integers(-3, 4, shape)).astype(DTYPES["f8e8m0"])
        for shape in ((16, 2), (2, 16))
    )
    x = wide(a) * np.repeat(wide(sa), 32, 1)
    y = wide(b) * np.repeat(wide(sb), 32, 0)
    out = np.zeros((16, 16), np.float32)
    return Case(
        [a, sa, b, sb, out], (1,), {4: (x @ y).astype(np.float32)}, 2.0**-16, True
    )


def atomic(name: str, kind: str) -> Case:
    """Blocks in order, elements in order: old values and what stays."""
    rng = np.random.default_rng(7)
    x = rng.permutation(96).astype(DTYPES[kind])  # no element twice: old is fixed
    counts = numbers(kind, 96, 8)
    new = x + x.dtype.type(3)
    function: dict[str, Callable[[Any, Any], Any]] = {
        "add": np.add,
        "max": np.maximum,
        "min": np.minimum,
        "and": np.bitwise_and,
        "or": np.bitwise_or,
        "xor": np.bitwise_xor,
        "xchg": lambda a, b: b,
    }
    left = counts.copy()
    left[x] = function[name](counts[x], new)
    return Case([x, counts, np.zeros_like(x)], (3,), {1: left, 2: counts[x]})


def float_histogram() -> Case:
    x = np.random.default_rng(1).integers(0, 10, 96).astype(np.int32)
    sums = np.bincount(x, minlength=10) * np.arange(10) * 0.5
    return Case([x, np.zeros(10, np.float32)], (3,), {1: sums.astype(np.float32)})


def view_reduction(kind: str) -> Case:
    x = (numbers(kind, 96, 2).astype(np.float64) // 1).astype(DTYPES[kind])
    out = np.zeros(30, x.dtype)
    return Case([x, out], (3,), {1: x.reshape(3, 32).sum(axis=0)[:30]})


def gather_2d() -> Case:
    x = numbers("f32", (10, 12), 1)
    rng = np.random.default_rng(2)
    rows, columns = (rng.integers(-2, 14, 64).astype(np.int32) for _ in "ab")
    inside = (rows >= 0) & (rows < 10) & (columns >= 0) & (columns < 12)
    y = np.where(inside, x[np.clip(rows, 0, 9), np.clip(columns, 0, 11)], -1)
    out = np.zeros(64, np.float32)
    return Case([x, rows, columns, out], (2,), {3: y.astype(np.float32)})


def scatter_2d() -> Case:
    x = numbers("f16", (32, 8), 1)
    rows = np.random.default_rng(3).permutation(40)[:32].astype(np.int32)
    out = np.zeros((36, 8), np.float16)
    y = out.copy()
    y[rows[rows < 36]] = x[rows < 36]
    return Case([x, rows, out], (2,), {2: y})


def advanced_rows() -> Case:
    x = numbers("f32", (20, 9), 1)
    rows = np.random.default_rng(3).integers(0, 24, 32).astype(np.int32)
    full = np.zeros((24, 16), np.float32)
    full[:20, :9] = x
    out = np.zeros((32, 8), np.float32)
    return Case([x, rows, out], (2,), {2: full[rows, 2:10]})


def advanced_columns() -> Case:
    x = numbers("f32", (4, 16), 1)
    columns = np.random.default_rng(3).permutation(20)[:16].astype(np.int32)
    out = np.zeros((4, 18), np.float32)
    y = out.copy()
    kept = columns < 18
    y[1:4, columns[kept]] = x[:3, kept]
    return Case([x, columns, out], (1,), {2: y})


def overlapping() -> Case:
    x = np.round(numbers("f32", 50, 1) * 16) / 16
    full = np.concatenate((x, np.zeros(16, np.float32)))
    y = np.array([full[4 * i : 4 * i + 16].sum() for i in range(13)], np.float32)
    return Case([x, np.zeros(13, np.float32)], (13,), {1: y})


def moves(kind: str) -> Case:
    a = numbers(kind, (8, 16), 1)
    b = np.concatenate((a, a.reshape(16, 8).T), axis=0)
    c = a.copy()
    c[4:8, 0:8] = b[4:8, 8:16]
    return Case([a, np.zeros_like(a)], (1,), {1: c + a[2:3]})


def packed() -> Case:
    x = np.random.default_rng(1).integers(-(2**31), 2**31, 32).astype(np.int32)
    outs = [np.zeros(128, np.uint8), np.zeros(64, np.int16)]
    return Case([x, *outs], (1,), {1: x.view(np.uint8), 2: x.view(np.int16)})


def halves() -> Case:
    raw = np.random.default_rng(1).integers(0, 256, 16).astype(np.uint8)
    codes = np.stack((raw & np.uint8(15), raw >> np.uint8(4)), axis=-1).reshape(-1)
    y = codes.view(ml_dtypes.float4_e2m1fn).astype(np.float32)
    return Case([raw, np.zeros(32, np.float32)], (1,), {1: y})


def bits() -> Case:
    x = numbers("f32", 32, 1)
    return Case([x, np.zeros(32, np.int32)], (1,), {1: x.view(np.int32) ^ 1})


def collatz() -> Case:
    x = np.array([1, 2, 3, 6, 7, 27, 5], np.int32)
    steps = [0, 1, 7, 8, 16, 40, 5]
    out = np.zeros(7, np.int32)
    return Case([x, out, np.int32(40)], (7,), {1: np.array(steps, np.int32)})


def dependent() -> Case:
    x = numbers("f32", 8, 1)
    return Case([x, np.zeros(8, np.float32)], (1,), {1: x * 2})


def custom_reduce() -> Case:
    x = numbers("f32", (8, 64), 1)
    return Case([x, np.zeros(8, np.float32)], (2,), {1: np.abs(x).max(axis=1)})


def pair_scan() -> Case:
    x = np.random.default_rng(2).integers(0, 40, 64).astype(np.int32)
    first = np.array([np.argmax(x[: i + 1]) for i in range(64)], np.int32)
    outs = [np.zeros(64, np.int32) for _ in "yz"]
    return Case([x, *outs], (1,), {1: np.maximum.accumulate(x), 2: first})


def spin_lock() -> Case:
    lock, total = np.zeros(1, np.int32), np.zeros(1, np.int32)
    return Case([lock, total, np.int32(3)], (8,), {1: np.array([24]), 0: np.array([0])})


SINGLE: dict[str, Callable[[], Case]] = {
    "mma_scaled_f8e4m3": scaled_product,
    "float_histogram_i32": float_histogram,
    "gather_2d_f32": gather_2d,
    "scatter_2d_f16": scatter_2d,
    "advanced_rows_f32": advanced_rows,
    "advanced_columns_f32": advanced_columns,
    "overlapping_f32": overlapping,
    "packed_i32": packed,
    "halves_u8": halves,
    "bits_f32": bits,
    "collatz_i32": collatz,
    "dependent_f32": dependent,
    "custom_reduce_f32": custom_reduce,
    "pair_scan_i32": pair_scan,
    "spin_lock": spin_lock,
}
BINARY = [
    "add",
    "sub",
    "mul",
    "maximum",
    "minimum",
    "truediv",
    "pow",
    "atan2",
    "mod",
    "floordiv",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "bitwise_lshift",
    "bitwise_rshift",
    "equal",
    "not_equal",
    "less",
    "less_equal",
    "greater",
    "greater_equal",
]


def case(name: str) -> Case:
    """The launch that tests kernel `name`."""
    if name in SINGLE:
        return SINGLE[name]()
    stem, _, kind = name.rpartition("_")
    if name.startswith("convert_"):
        return conversion(stem.split("_")[1], kind)
    if name.startswith("mma_"):
        return matrix_product(name)
    if stem.startswith("cum"):
        return scanned(stem, kind)
    if stem.startswith("atomic_"):
        return atomic(stem.removeprefix("atomic_"), kind)
    if stem in ("sum", "prod", "max", "min", "argmax", "argmin"):
        return reduction(stem, kind)
    if stem == "moves":
        return moves(kind)
    if stem == "view_reduction":
        return view_reduction(kind)
    return elementwise(stem, kind, 2 if stem in BINARY else 1)
