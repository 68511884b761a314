# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of test/kernels with inputs, NumPy references and allowed errors.

The demo, the benchmarks and the end-to-end tests use them. A `Problem` is a launch with
arguments, a NumPy reference and tolerances.

    problem = make_problem("softmax_f32_1024", (16, 1008))
    cuda_tile.run(module, grid=problem.grid, args=problem.args)
    assert problem.compare().is_within
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

import cuda_tile

Array = NDArray[Any]
Sizes = tuple[int, ...]

FOLDER = Path(__file__).resolve().parent.parent / "test" / "kernels"
VERSIONS = ("13.1", "13.4")
ALIGNMENT_BYTES = 128
F32_UNIT = 2.0**-24
"""Largest relative error of rounding to f32."""
F16_UNIT = 2.0**-11
F16_TINY = 2.0**-25
"""Half the distance between subnormal f16 numbers."""
SPECIAL = (np.inf, -np.inf, np.nan, 0.0, -0.0, 1e-40, -1e-40, 3e38, 65504.0, 6e-8)


@dataclass(frozen=True)
class Comparison:
    """Difference between a result and NumPy's.

    Attributes:
        error: Largest error; in units in the last place, or absolute for sums.
        text: The error, as text.
        allowed: The tolerance, as text.
        is_within: Whether every element is within the tolerance.
    """

    error: float
    text: str
    allowed: str
    is_within: bool


@dataclass(frozen=True)
class Problem:
    """One launch of a kernel, with its expected result.

    Attributes:
        kernel: Name of the kernel.
        grid: Tile blocks.
        args: The entry's parameters in order.
        output: The array among them that the kernel writes.
        exact: Its expected contents, exact or as float64 before rounding.
        compare: Compares `output` after a run.
    """

    kernel: str
    grid: tuple[int, ...]
    args: list[Any]
    output: Array
    exact: Array
    compare: Callable[[], Comparison]


@dataclass(frozen=True)
class Recipe:
    """Makes problems of a kernel.

    Attributes:
        make: Function of sizes, generator, and whether to mix in special values.
        sizes: Sizes to run, the demo's first; most are not multiples of the tile, but
            multiples of 16 if the kernel assumes so.
    """

    make: Callable[[str, Sizes, np.random.Generator, bool], Problem]
    sizes: tuple[Sizes, ...]


def kernel_path(name: str, version: str = VERSIONS[-1]) -> Path:
    """The bytecode file of a kernel."""
    return FOLDER / version / f"{name}.tileirbc"


def make_problem(
    name: str, sizes: Sizes | None = None, *, seed: int = 0, special: bool = False
) -> Problem:
    """Makes a problem of a kernel.

    Args:
        name: A key of `RECIPES`.
        sizes: Extents for the recipe; the demo's by default.
        seed: Equal seeds give equal inputs.
        special: Whether to mix in infinities, NaN, zeros of both signs, subnormal
            and very large numbers (elementwise kernels).
    """
    recipe = RECIPES[name]
    generator = np.random.default_rng(seed)
    with np.errstate(all="ignore"):
        return recipe.make(name, sizes or recipe.sizes[0], generator, special)


def aligned(shape: Sizes, dtype: Any, *, offset_elements: int = 0) -> Array:
    """A zero-filled array that is aligned, plus an offset in elements."""
    kind = np.dtype(dtype)
    size_bytes = int(np.prod(shape)) * kind.itemsize
    raw = np.zeros(size_bytes + 2 * ALIGNMENT_BYTES, np.uint8)
    start = -raw.ctypes.data % ALIGNMENT_BYTES + offset_elements * kind.itemsize
    return np.ndarray(shape, kind, raw.data, offset=start)


def _normal(
    shape: Sizes,
    dtype: Any,
    generator: np.random.Generator,
    *,
    special: bool = False,
    offset_elements: int = 0,
) -> Array:
    array = aligned(shape, dtype, offset_elements=offset_elements)
    array[...] = generator.standard_normal(shape)
    if special:
        chosen: Array = generator.choice(SPECIAL, shape).astype(dtype)
        array[...] = np.where(generator.random(shape) < 0.125, chosen, array)
    return array


def _launch_args(*args: Any, index_bits: int = 32) -> list[Any]:
    """Arrays with their shapes and strides, scalars unchanged."""
    flat: list[Any] = []
    for arg in args:
        if isinstance(arg, np.ndarray):
            flat.extend(cuda_tile.array_args(cast(Array, arg), index_bits))
        else:
            flat.append(arg)
    return flat


def _exactly(output: Array, exact: Array) -> Callable[[], Comparison]:
    """Compares bit for bit with NumPy; all NaNs are equal."""

    def compare() -> Comparison:
        width = f"u{output.itemsize}"
        same = output.view(width) == np.ascontiguousarray(exact).view(width)
        if output.dtype.kind == "f":
            same |= np.isnan(output) & np.isnan(exact)
        wrong = int(output.size - same.sum())
        text = "0" if not wrong else f"{wrong} wrong"
        return Comparison(float(wrong), text, "exact", not wrong)

    return compare


def _ulps(output: Array, exact: Array, allowed: float) -> Callable[[], Comparison]:
    """Distance from the exact value in units in the last place of its rounding."""

    def compare() -> Comparison:
        with np.errstate(all="ignore"):
            rounded = exact.astype(output.dtype)
            same = (output == rounded) | (np.isnan(output) & np.isnan(rounded))
            spacing = np.spacing(np.abs(rounded)).astype(np.float64)
            error = np.abs(output.astype(np.float64) - exact) / spacing
            error = np.where(same, 0.0, np.nan_to_num(error, nan=np.inf))
        largest = float(error.max(initial=0.0))
        text = "0" if not largest else f"{largest:.2f} ulp"
        return Comparison(largest, text, f"{allowed:g} ulp", largest <= allowed)

    return compare


def _bounded(
    output: Array, exact: Array, bound: Array, allowed: str
) -> Callable[[], Comparison]:
    """Absolute error within a bound per element."""

    def compare() -> Comparison:
        error = np.abs(output.astype(np.float64) - exact)
        error = np.nan_to_num(error, nan=np.inf)
        largest = float(error.max(initial=0.0))
        is_within = bool((error <= bound).all())
        return Comparison(largest, f"{largest:.1e}", allowed, is_within)

    return compare


def _tiles(extents: Sequence[int], tile: Sequence[int]) -> tuple[int, ...]:
    return tuple(-(-n // t) for n, t in zip(extents, tile, strict=True))


def _vadd(tile: int, dtype: Any, *, index_bits: int = 32, offset: int = 0) -> Any:
    """Addition: c = a + b, sizes (N,)."""

    def make(
        name: str, sizes: Sizes, generator: np.random.Generator, special: bool
    ) -> Problem:
        if np.dtype(dtype).kind == "i":
            info = np.iinfo(dtype)
            a, b = aligned(sizes, dtype), aligned(sizes, dtype)
            a[...], b[...] = generator.integers(info.min, info.max, (2, *sizes))
        else:
            a, b = (
                _normal(
                    sizes, dtype, generator, special=special, offset_elements=offset
                )
                for _ in "ab"
            )
        c = aligned(sizes, dtype, offset_elements=offset)
        args = _launch_args(a, b, c, index_bits=index_bits)
        exact = a + b
        grid = _tiles(sizes, (tile,))
        return Problem(name, grid, args, c, exact, _exactly(c, exact))

    return make


def _saxpy(
    name: str, sizes: Sizes, generator: np.random.Generator, special: bool
) -> Problem:
    """Saxpy: y = alpha * x + y for indices below n, sizes (N, n)."""
    size, count = sizes
    x = _normal((size,), np.float32, generator, special=special)
    y = _normal((size,), np.float32, generator, special=special)
    alpha = np.float32(1.7)
    exact = y.astype(np.float64)
    exact[:count] += np.float64(alpha) * x[:count].astype(np.float64)
    args = [*_launch_args(x, y), alpha, np.int32(count)]
    grid = _tiles((max(count, 1),), (1024,))
    return Problem(name, grid, args, y, exact, _ulps(y, exact, 1))


def _transpose(
    name: str, sizes: Sizes, generator: np.random.Generator, special: bool
) -> Problem:
    """Transposition: y = x.T, sizes (rows, columns) of x."""
    x = _normal(sizes, np.float32, generator, special=special)
    y = aligned(sizes[::-1], np.float32)
    grid = _tiles(sizes, (64, 64))
    exact = np.ascontiguousarray(x.T)
    return Problem(name, grid, _launch_args(x, y), y, exact, _exactly(y, exact))


def _softmax(
    name: str, sizes: Sizes, generator: np.random.Generator, special: bool
) -> Problem:
    """Softmax of each row, sizes (rows, columns).

    The difference to the row's maximum is rounded to f32, as in the kernel; the rest is
    exact.
    """
    x = _normal(sizes, np.float32, generator)
    if special:
        x[0, ::3] = -np.inf
        x[-1, ::5] = 80.0
    y = aligned(sizes, np.float32)
    powers = np.exp((x - x.max(axis=1, keepdims=True)).astype(np.float64))
    exact = powers / powers.sum(axis=1, keepdims=True)
    grid = (sizes[0],)
    return Problem(name, grid, _launch_args(x, y), y, exact, _ulps(y, exact, 4))


def _matmul(tile: int, dtype: Any) -> Any:
    """Product: C = A @ B with f32 accumulation, sizes (M, N, K)."""

    def make(
        name: str, sizes: Sizes, generator: np.random.Generator, special: bool
    ) -> Problem:
        del special  # a NaN would spread to whole rows and hide errors
        m, n, k = sizes
        a = _normal((m, k), np.float16, generator)
        b = _normal((k, n), np.float16, generator)
        c = aligned((m, n), dtype)
        wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
        exact = wide_a @ wide_b
        bound = k * F32_UNIT * (np.abs(wide_a) @ np.abs(wide_b))
        if np.dtype(dtype) == np.float16:
            bound += F16_UNIT * np.abs(exact) + F16_TINY
        blocks = _tiles((m, n), (tile, tile))
        grid = (blocks[0] * blocks[1],)
        args = _launch_args(a, b, c)
        allowed = f"{k} sums" if c.itemsize == 4 else f"{k} sums, f16"
        compare = _bounded(c, exact, bound, allowed)
        return Problem(name, grid, args, c, exact, compare)

    return make


def _attention(depth: int) -> Any:
    """Causal attention of one head, sizes (sequence length,).

    Arrays are [batch, head, position, depth], of extents that 16 divides, as the kernel
    was told; blocks of 128 positions. Beside the f32 arithmetic, which counts for
    little, weights and results are rounded to f16.
    """
    block = 128

    def make(
        name: str, sizes: Sizes, generator: np.random.Generator, special: bool
    ) -> Problem:
        del special  # a NaN would spoil whole rows and hide errors
        (length,) = sizes
        q, k, v, out = (aligned((16, 16, length, depth), np.float16) for _ in "qkvo")
        for array in (q, k, v):
            array[0, 0] = _normal((length, depth), np.float16, generator)
        scale = np.float32(depth**-0.5)
        queries, keys, values = (x[0, 0].astype(np.float64) for x in (q, k, v))
        scores = queries @ keys.T * float(scale)
        scores[np.triu_indices(length, 1)] = -np.inf
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        exact = weights @ values
        bound = 2 * F16_UNIT * (weights @ np.abs(values))
        bound += F16_UNIT * np.abs(exact) + F16_TINY
        args = [*_launch_args(q, k, v, out), scale]
        compare = _bounded(out[0, 0], exact, bound, "weights in f16")
        grid = (length // block, 1)
        return Problem(name, grid, args, out[0, 0], exact, compare)

    return make


_LINES = ((5008,), (16,), (1024,), (8192,))
_MATRICES = ((208, 144, 208), (64, 64, 64), (256, 128, 96), (16, 16, 16))
RECIPES: dict[str, Recipe] = {
    "vadd_f32_1024": Recipe(_vadd(1024, np.float32), _LINES),
    "vadd_f16_4096": Recipe(_vadd(4096, np.float16), _LINES),
    "vadd_i32_8": Recipe(_vadd(8, np.int32), ((256,), (16,), (1008,))),
    "vadd_f32_unaligned": Recipe(
        _vadd(1024, np.float32, offset=1), ((5011,), (1,), (1024,), (1025,))
    ),
    "vadd_f32_i64idx": Recipe(_vadd(1024, np.float32, index_bits=64), _LINES),
    "saxpy_tail_f32": Recipe(_saxpy, ((5008, 4321), (1024, 1024), (64, 1), (64, 0))),
    "transpose_f32_64x64": Recipe(
        _transpose, ((208, 144), (64, 64), (16, 16), (80, 256))
    ),
    "softmax_f32_1024": Recipe(_softmax, ((16, 1008), (32, 1024), (16, 16))),
    "matmul_f16_64x64x64": Recipe(_matmul(64, np.float16), _MATRICES),
    "matmul_f16_128x128x64": Recipe(_matmul(128, np.float16), _MATRICES),
    "matmul_f16_f32out_128x128x64": Recipe(_matmul(128, np.float32), _MATRICES),
    "fmha_causal_f16_d64_128x64": Recipe(_attention(64), ((256,), (128,))),
    "fmha_causal_f16_d128_128x64": Recipe(_attention(128), ((256,), (128,))),
}
"""One recipe per file in test/kernels, by name."""
