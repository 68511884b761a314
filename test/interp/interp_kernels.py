# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reading and running the kernels of test/kernels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from interp_harness import CONTEXT

from cuda_tile import interp
from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile as ext
from cuda_tile.runtime.args import array_args

KERNELS = Path(__file__).parents[1] / "kernels"
VERSIONS = ("13.1", "13.3", "13.4")
SEEDS = (None, 0)


def wide(values: Any) -> Any:
    """The values as float64, for references that do not round."""
    return values.astype(np.float64)


def read(version: str, name: str) -> ir.Module:
    """A kernel file as a module."""
    path = KERNELS / version / f"{name}.tileirbc"
    return ext.read_bytecode(path.read_bytes(), path.name, CONTEXT)


def flat(name: str, args: Sequence[Any]) -> list[Any]:
    """Arguments with shapes and strides, as cuTile passes them."""
    found: list[Any] = []
    index_bits = 64 if "i64idx" in name else 32
    for arg in args:
        is_array = isinstance(arg, np.ndarray)
        found.extend(array_args(arg, index_bits) if is_array else [arg])
    return found


def run(
    version: str, name: str, grid: Sequence[int], *args: Any, **options: Any
) -> None:
    """Runs a kernel on arrays and scalars, in hardware mode too, without a warning."""
    module = read(version, name)
    copies = [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args]
    interp.run(module, grid=grid, args=flat(name, args), **options)
    run_in_hardware_mode(module, grid, flat(name, copies), **options)


def run_in_hardware_mode(
    module: ir.Module | interp.Program, grid: Sequence[int], args: list[Any], **kw: Any
) -> None:
    """Runs an ordinary kernel, about which hardware mode has nothing to say."""
    report = interp.run(module, grid=grid, args=args, mode="hardware", **kw)
    assert report.warnings == []


def aligned(shape: Any, dtype: Any, fill: float = 0) -> np.ndarray:
    """An array whose first element is 16-byte aligned, as the kernels assume."""
    dtype = np.dtype(dtype)
    raw = np.zeros(int(np.prod(shape)) * dtype.itemsize + 16, np.uint8)
    start = -raw.ctypes.data % 16
    array = np.ndarray(shape, dtype, raw.data, offset=start)
    array[...] = fill
    return array


def normal(shape: Any, dtype: Any, seed: int) -> np.ndarray:
    """Standard normal numbers, aligned."""
    array = aligned(shape, dtype)
    array[...] = np.random.default_rng(seed).standard_normal(shape).astype(dtype)
    return array


def integers(shape: Any, dtype: Any, low: int, high: int, seed: int) -> np.ndarray:
    """Integers below `high`, aligned."""
    array = aligned(shape, dtype)
    array[...] = np.random.default_rng(seed).integers(low, high, shape)
    return array
