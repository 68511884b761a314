# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the table of table.py runs: kernels, launches, and what NumPy makes of them.

The kernels are those of test/kernels/13.4 (cuTile) with the launches of
kernel_args.py, and those of test/kernels/tilecpp (CUDA Tile C++) with those of
test/interp/tilecpp_references.py.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from kernel_args import LAUNCHES, Array
from real_kernels import F16_TINY, F16_UNIT, F32_UNIT, aligned
from resources import DEFAULT_FOLDER

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "test" / "interp"))

from tilecpp_references import CASES as CPP_CASES

GPUS = ("sm_80", "sm_90", "sm_100", "sm_120")
"""The chips of the table."""
BF16_UNIT = 2.0**-8
TF32_UNIT = 2.0**-10
"""Of a number that is cut off, as Triton's operands are."""
Wanted = dict[int, tuple[Array, Array | float]]
"""By argument: what must stand there, and by how much each element may differ."""


@dataclass(frozen=True)
class Run:
    """One launch.

    Attributes:
        grid: Tile blocks.
        values: Arguments: arrays, without their extents, and numbers.
        wanted: What must be in them afterwards.
    """

    grid: tuple[int, ...]
    values: list[Any]
    wanted: Wanted

    def wrong(self, values: Sequence[Any]) -> str:
        """Which results are not NumPy's, as text; empty if none."""
        for place, (exact, most) in self.wanted.items():
            got = np.asarray(values[place]).astype(np.float64)
            error = np.abs(got - exact.astype(np.float64).reshape(got.shape))
            if not (np.nan_to_num(error, nan=np.inf) <= most).all():
                return f"WRONG: argument {place} is off by {np.nanmax(error):.3g}"
        return ""


@dataclass(frozen=True)
class Case:
    """One kernel of the table.

    Attributes:
        name: As the table has it.
        path: Its file.
        entry: Its symbol.
        make: Makes a launch; equal ones each time.
    """

    name: str
    path: Path
    entry: str
    make: Callable[[], Run]


# NumPy's results ----------------------------------------------------------------------


def _sum(values: list[Any]) -> Wanted:
    x, y, _ = values
    return {2: (x + y, 0)}


def _saxpy(values: list[Any]) -> Wanted:
    x, y, alpha, n = values
    places: Array = np.arange(len(y))
    inside = places < int(n)
    exact = y + np.where(inside, float(alpha) * x.astype(np.float64), 0)
    sizes = np.abs(float(alpha) * x) + np.abs(y)
    return {1: (exact, np.where(inside, 2 * F32_UNIT * sizes, 0))}


def _softmax(values: list[Any]) -> Wanted:
    x, y = values
    wide = x.astype(np.float64)
    powers = np.exp(wide - wide.max(1, keepdims=True))
    exact = powers / powers.sum(1, keepdims=True)
    unit, tiny = (F16_UNIT, F16_TINY) if y.itemsize == 2 else (0, 0)
    return {1: (exact, (unit + 32 * F32_UNIT) * exact + tiny)}


def _layernorm(values: list[Any]) -> Wanted:
    x, w, b, *_, eps = values
    wide = x.astype(np.float64)
    mean = wide.mean(1, keepdims=True)
    factor = 1 / np.sqrt(((wide - mean) ** 2).mean(1, keepdims=True) + float(eps))
    scaled = (wide - mean) * factor * w.astype(np.float64)
    exact = scaled + b.astype(np.float64)
    slack = 64 * F32_UNIT
    most = F16_UNIT * np.abs(exact) + F16_TINY
    most += slack * (np.abs(scaled) + np.abs(b.astype(np.float64)))
    mean_most = slack * np.abs(wide).mean(1)
    return {
        3: (exact, most),
        4: (mean[:, 0], mean_most),
        5: (factor[:, 0], slack * factor[:, 0]),
    }


def _argmax(values: list[Any]) -> Wanted:
    x = values[0]
    return {1: (x.max(1), 0), 2: (x.argmax(1), 0)}


def _cumsum(values: list[Any]) -> Wanted:
    x = values[0].astype(np.float64)
    most = x.shape[1] * F32_UNIT * np.cumsum(np.abs(x), 1)
    return {1: (np.cumsum(x, 1), most)}


def _product(unit: float) -> Callable[[list[Any]], Wanted]:
    """`unit`: the relative error of what is rounded beside the sums."""

    def wanted(values: list[Any]) -> Wanted:
        a, b, c = values
        x, y = a.astype(np.float64), b.astype(np.float64)
        sizes = np.abs(x) @ np.abs(y)
        if unit == 0:
            return {2: (x @ y, 0)}
        tiny = F16_TINY if c.dtype == np.float16 else 0
        is_tf32 = unit == TF32_UNIT
        rounded = 2 * unit * sizes if is_tf32 else unit * np.abs(x @ y)
        return {2: (x @ y, x.shape[1] * F32_UNIT * sizes + rounded + tiny)}

    return wanted


def _attention(values: list[Any]) -> Wanted:
    """Of the 16 heads of the first batch, which the launch is for."""
    q, k, v, out, scale = values
    exact, most = np.zeros(out.shape), np.zeros(out.shape)
    for head in range(q.shape[1]):
        x, y, z = (each[0, head].astype(np.float64) for each in (q, k, v))
        scores = x @ y.T * float(scale)
        scores[np.triu_indices(len(x), 1)] = -np.inf
        weights = np.exp(scores - scores.max(1, keepdims=True))
        weights /= weights.sum(1, keepdims=True)
        exact[0, head] = weights @ z
        bound = 2 * F16_UNIT * (weights @ np.abs(z))
        most[0, head] = bound + F16_UNIT * np.abs(exact[0, head]) + F16_TINY
    return {3: (exact, most)}


def _gather(values: list[Any]) -> Wanted:
    table, index, _ = values
    return {2: (table[index], 0)}


def _histogram(values: list[Any]) -> Wanted:
    x, bins = values
    return {1: (np.bincount(x, minlength=bins.size), 0)}


def _control(values: list[Any]) -> Wanted:
    x, y, n = values
    tile, blocks = 256, y.size // 256
    exact = np.zeros((blocks, tile), np.float32)
    for i in range(4):  # blocks of the launch
        for iteration in range(i, i + int(n)):
            part = x[iteration * tile : (iteration + 1) * tile]
            if part.astype(np.float64).sum() < 0:
                continue
            larger = part.size and part.max() > 100
            exact[i] += -part if larger else part * np.float32(2)
        exact[i] *= np.float32(0.5) ** sum(q * q <= i for q in range(int(n)))
    return {1: (exact.reshape(-1), 0)}


def _mathops(values: list[Any]) -> Wanted:
    t = values[0].astype(np.float64)
    parts = [np.sin(t), np.cos(t) * np.tanh(t), np.log(np.abs(t) + 1)]
    parts += [np.sqrt(np.abs(t)), np.exp2(t), np.floor(t) * np.ceil(t)]
    exact = sum(parts) - 2 * parts[2]
    return {1: (exact, 8 * F32_UNIT * sum(map(np.abs, parts)))}


WANTED: dict[str, Callable[[list[Any]], Wanted]] = {
    "vadd_f32_1024": _sum,
    "vadd_f16_4096": _sum,
    "vadd_i32_8": _sum,
    "vadd_f32_unaligned": _sum,
    "vadd_f32_i64idx": _sum,
    "saxpy_tail_f32": _saxpy,
    "transpose_f32_64x64": lambda values: {1: (values[0].T, 0)},
    "softmax_f32_1024": _softmax,
    "softmax_f16_4096": _softmax,
    "matmul_f16_64x64x64": _product(F16_UNIT),
    "matmul_f16_128x128x64": _product(F16_UNIT),
    "matmul_f16_f32out_128x128x64": _product(F32_UNIT),
    "matmul_bf16_128x128x64": _product(BF16_UNIT),
    "matmul_tf32_128x128x32": _product(TF32_UNIT),
    "matmul_i8_128x128x64": _product(0),
    "layernorm_f16_1024": _layernorm,
    "argmax_f32_4x1024": _argmax,
    "cumsum_f32_1024": _cumsum,
    "fmha_causal_f16_d64_128x64": _attention,
    "fmha_causal_f16_d128_128x64": _attention,
    "gather_rows_f16_64x128": _gather,
    "histogram_i32_1024": _histogram,
    "control_f32_256": _control,
    "mathops_f32_1024": _mathops,
}


def _cutile(name: str) -> Run:
    grid, values = LAUNCHES[name]()
    return Run(grid, values, WANTED[name](values))


# CUDA Tile C++ ------------------------------------------------------------------------


def _aligned_copy(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    array = cast(Array, value)
    copy = aligned(array.shape, array.dtype)
    copy[...] = array
    return copy


def _cpp(file: str, entry: str) -> Run:
    case = CPP_CASES[file, entry]()
    wanted: Wanted = {}
    for place, exact in case.expected.items():
        wide = np.asarray(exact).astype(np.float64)
        wanted[place] = (wide, case.rtol * (1 + np.abs(wide)))
    return Run(case.grid, [_aligned_copy(value) for value in case.args], wanted)


CPP_NAMES = {
    "_Z5saxpyPKfPffi": "saxpy",
    "_Z7softmaxIfLi128EEvPKT_PS0_iii": "softmax_128",
    "_Z7softmaxIfLi1024EEvPKT_PS0_iii": "softmax_1024",
}
"""What the table calls entries with C++ symbols."""


def _cases() -> dict[str, Case]:
    found = [
        Case(
            name,
            DEFAULT_FOLDER / f"{name}.tileirbc",
            name,
            lambda name=name: _cutile(name),
        )
        for name in LAUNCHES
    ]
    found += [
        Case(
            f"tilecpp/{CPP_NAMES.get(entry, entry)}",
            DEFAULT_FOLDER.parent / "tilecpp" / f"{file}.tilebc",
            entry,
            lambda file=file, entry=entry: _cpp(file, entry),
        )
        for file, entry in CPP_CASES
    ]
    return {case.name: case for case in found}


CASES = _cases()
"""Every kernel of the table by its name."""
