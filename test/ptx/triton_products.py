# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of the Triton kernels that multiply matrices or copy by TMA."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from ptx_arrays import placed
from triton_kernels import Array, Described, Problem
from triton_problems import PROBLEMS, Make, f32, normal, whole, zeros

# Products --------------------------------------------------------------------------


def matmul(
    dtype: Any,
    out: Any,
    sizes: tuple[int, int, int],
    *,
    steps: int = 3,
    most: int = 3,
    transposed: bool = False,
    programs: tuple[int, int] = (2, 2),
) -> Make:
    """Whole numbers whose sums no format rounds."""

    def make(rng: np.random.Generator) -> Problem:
        m, n, k = sizes[0] * programs[0], sizes[1] * programs[1], sizes[2] * steps
        a, b = (
            whole(rng, m, k, most=most, dtype=dtype),
            whole(rng, k, n, most=most, dtype=dtype),
        )
        c = zeros(m, n, dtype=out)
        wanted = a.astype(np.float64) @ b.astype(np.float64)
        sources = (
            [placed(np.ascontiguousarray(x.T)) for x in (a, b)]
            if transposed
            else [a, b]
        )
        return Problem([*sources, c, m, n, k], programs, [(c, wanted, 0.0)])

    return make


def attention(bm: int, d: int, length: int, *, causal: bool) -> Make:
    def make(rng: np.random.Generator) -> Problem:
        q, k, v = (normal(rng, 2, length, d, dtype=np.float16) for _ in range(3))
        out = zeros(2, length, d)
        scale = f32(1 / np.sqrt(d) / np.log(2))
        scores = (
            np.einsum("hid,hjd->hij", q.astype(np.float64), k.astype(np.float64))
            * scale
        )
        if causal:
            scores[:, ~np.tri(length, dtype=bool)] = -np.inf
        shares = np.exp2(scores - scores.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        values = v.astype(np.float64)
        wanted = np.einsum("hij,hjd->hid", shares, values)
        # Shares are rounded to half precision, all else is in single precision.
        most = 2**-10 * np.einsum("hij,hjd->hid", shares, np.abs(values)) + 2**-14
        return Problem(
            [q, k, v, out, length, scale], (length // bm, 2), [(out, wanted, most)]
        )

    return make


def batched_dot(rng: np.random.Generator) -> Problem:
    a, b = (
        whole(rng, 4, 16, 32, dtype=np.float16),
        whole(rng, 4, 32, 16, dtype=np.float16),
    )
    c = zeros(4, 16, 16)
    return Problem([a, b, c], (1,), [(c, a.astype(f32) @ b.astype(f32), 0.0)])


_FORMATS: dict[str, Any] = {
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
    "e2m1": ml_dtypes.float4_e2m1fn,
}


def narrow(
    rng: np.random.Generator, fmt: str, rows: int, columns: int
) -> tuple[Array, Array]:
    """Small numbers in a format: as stored, two e2m1 to a byte, and their values."""
    values = rng.choice(
        [-3.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 4.0], (rows, columns)
    )
    stored = values.astype(_FORMATS[fmt])
    if fmt == "e2m1":
        codes = stored.view(np.uint8) & 15
        return placed(codes[:, ::2] | codes[:, 1::2] << 4), values
    return placed(stored), values


def dot_scaled(
    left: str, right: str, sizes: tuple[int, int, int] = (128, 128, 128)
) -> Make:
    def make(rng: np.random.Generator) -> Problem:
        m, n, k = sizes[0], sizes[1], 2 * sizes[2]
        a, x = narrow(rng, left, m, k)
        b, y = narrow(rng, right, n, k)
        scales = [
            placed(rng.integers(124, 131, (r, k // 32)).astype(np.uint8))
            for r in (m, n)
        ]
        p, q = (np.repeat(2.0 ** (s.astype(int) - 127), 32, axis=1) for s in scales)
        c = zeros(m, n)
        wanted = (x * p) @ (y * q).T
        return Problem(
            [a, scales[0], b, scales[1], c, m, n, k], (1, 1), [(c, wanted, 0.0)]
        )

    return make


_e4m3, _e5m2, _bf16 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ml_dtypes.bfloat16
_f16 = np.float16

_PRODUCTS: dict[str, Make] = {
    "matmul_f16": matmul(_f16, _f16, (64, 64, 32), most=2),
    "matmul_f16.sm_100": matmul(_f16, f32, (128, 64, 64)),
    "matmul_f16_wide": matmul(_f16, f32, (128, 128, 64), steps=5, programs=(1, 1)),
    "matmul_f16_sums": matmul(_f16, _f16, (64, 64, 32), most=2),
    "matmul_bf16": matmul(_bf16, f32, (128, 64, 32), steps=5, programs=(1, 1)),
    "matmul_tf32": matmul(f32, f32, (128, 32, 32), programs=(1, 2)),
    "matmul_tf32x3": matmul(f32, f32, (64, 64, 32), most=500, programs=(1, 1), steps=2),
    "matmul_ieee": matmul(f32, f32, (32, 32, 16), most=500),
    "matmul_f64": matmul(np.float64, np.float64, (32, 32, 16), most=100000),
    "matmul_i8": matmul(np.int8, np.int32, (64, 64, 64), most=127),
    "matmul_e4m3": matmul(_e4m3, f32, (128, 64, 64), programs=(1, 1)),
    "matmul_e5m2": matmul(_e5m2, f32, (64, 64, 64)),
    "matmul_e5m2.sm_80": matmul(_e5m2, f32, (64, 64, 32)),
    "matmul_transposed_f16": matmul(
        _f16, f32, (128, 64, 64), transposed=True, programs=(1, 2)
    ),
    "matmul_transposed_e4m3": matmul(
        _e4m3, f32, (128, 64, 64), transposed=True, programs=(1, 2)
    ),
    "matmul_transposed_i8": matmul(
        np.int8, np.int32, (64, 64, 64), transposed=True, most=127
    ),
    "attention": attention(64, 64, 128, causal=True),
    "attention_tall": attention(128, 64, 256, causal=False),
    "batched_dot": batched_dot,
    "dot_scaled_mxfp8": dot_scaled("e4m3", "e5m2"),
    "dot_scaled_mxfp4": dot_scaled("e2m1", "e2m1"),
    "dot_scaled_mixed": dot_scaled("e4m3", "e2m1"),
}


# Tensor descriptors ----------------------------------------------------------------


def tma_matmul(
    dtype: Any,
    out: Any,
    sizes: tuple[int, int, int],
    *,
    steps: int = 4,
    transposed: bool = False,
    programs: tuple[int, int] = (2, 2),
    most: int = 3,
) -> Make:
    def make(rng: np.random.Generator) -> Problem:
        m, n, k = sizes[0] * programs[0], sizes[1] * programs[1], sizes[2] * steps
        a = whole(rng, m, k, most=most, dtype=dtype)
        b = whole(rng, *((n, k) if transposed else (k, n)), most=most, dtype=dtype)
        c = zeros(m, n, dtype=out)
        wide = b.astype(np.float64)
        wanted = a.astype(np.float64) @ (wide.T if transposed else wide)
        return Problem([*map(Described, (a, b, c)), k], programs, [(c, wanted, 0.0)])

    return make


def own_descriptors(rng: np.random.Generator) -> Problem:
    a, b = (
        whole(rng, 128, 96, most=2, dtype=np.float16),
        whole(rng, 96, 128, most=2, dtype=np.float16),
    )
    c = zeros(128, 128, dtype=np.float16)
    wanted = a.astype(f32) @ b.astype(f32)
    return Problem([a, b, c, 128, 128, 96], (2, 2), [(c, wanted, 0.0)])


def persistent_matmul(rng: np.random.Generator) -> Problem:
    a, b = (
        whole(rng, 256, 192, most=2, dtype=np.float16),
        whole(rng, 256, 192, most=2, dtype=np.float16),
    )
    c = zeros(256, 256, dtype=np.float16)
    wanted = a.astype(f32) @ b.astype(f32).T
    return Problem(
        [*map(Described, (a, b, c)), 256, 256, 192], (3,), [(c, wanted, 0.0)]
    )


def tma_attention(rng: np.random.Generator) -> Problem:
    problem = attention(128, 64, 256, causal=False)(rng)
    q, k, v, out, length, scale = problem.args
    ((_, wanted, most),) = problem.wanted
    parts = [placed(x[0]) for x in (q, k, v, out)]
    return Problem(
        [*map(Described, parts), length, scale],
        (2,),
        [(parts[3], wanted[0], np.asarray(most)[0])],
    )


def pick_rows(rng: np.random.Generator) -> Problem:
    x, y = (
        whole(rng, 40, 128, most=100, dtype=np.float16),
        zeros(40, 128, dtype=np.float16),
    )
    rows = placed(rng.permutation(40)[:32].astype(np.int32))
    wanted = np.zeros((40, 128))
    wanted[rows, :64] = x[rows, 64:]
    return Problem([Described(x), rows, Described(y)], (1,), [(y, wanted, 0.0)])


def tma_reductions(rng: np.random.Generator) -> Problem:
    x = placed(rng.integers(-1000, 1000, (128, 16)).astype(np.int32))
    arrays = [
        placed(rng.integers(0, 1000, (32, 16)).astype(t))
        for t in (np.int32, np.int32, np.int32, np.uint32)
    ]
    sums, least, most, bits = arrays
    parts = x.reshape(4, 32, 16)
    wanted = [
        sums + parts.sum(0),
        np.minimum(least, parts.min(0)),
        np.maximum(most, parts.max(0)),
        bits ^ np.bitwise_xor.reduce(parts, 0).view(np.uint32),
    ]
    pairs = [(a, w, 0.0) for a, w in zip(arrays, wanted, strict=True)]
    return Problem([Described(a) for a in (x, *arrays)], (4,), pairs)


def shift_volume(rng: np.random.Generator) -> Problem:
    x, y = normal(rng, 3, 20, 32), zeros(3, 10, 32)
    wanted = np.zeros((3, 10, 32), f32)
    wanted[:, 1:] = x[:, :9]
    return Problem([Described(x), Described(y)], (3,), [(y, wanted, 0.0)])


def _blocks(scales: Array) -> Array:
    """Scale factors [rows, groups] as 128 rows by 4 groups lie for tcgen05.cp."""
    rows, groups = scales.shape
    parts = scales.reshape(rows // 128, 4, 32, groups // 4, 4).transpose(0, 3, 2, 1, 4)
    return placed(parts.reshape(1, rows // 128, groups // 4, 2, 256))


def tma_scaled(left: str, right: str, vector: int = 32) -> Make:
    def make(rng: np.random.Generator) -> Problem:
        m, n, k = 128, 128, 256
        a, x = narrow(rng, left, m, k)
        b, y = narrow(rng, right, n, k)
        exponents = [rng.integers(-3, 4, (r, k // vector)) for r in (m, n)]
        p, q = (np.repeat(2.0**e, vector, axis=1) for e in exponents)
        if vector == 32:
            scales = [_blocks((e + 127).astype(np.uint8)) for e in exponents]
        else:
            scales = [
                _blocks((2.0**e).astype(ml_dtypes.float8_e4m3fn)) for e in exponents
            ]
        c = zeros(m, n)
        wanted = (x * p) @ (y * q).T
        args = [*map(Described, (a, scales[0], b, scales[1], c)), k]
        return Problem(args, (1, 1), [(c, wanted, 0.0)])

    return make


_TMA: dict[str, Make] = {
    "tma_matmul_f16": tma_matmul(_f16, _f16, (128, 64, 64), most=2),
    "tma_matmul_f16_transposed": tma_matmul(
        _f16, _f16, (128, 128, 64), transposed=True, steps=6, programs=(1, 1), most=2
    ),
    "tma_matmul_e4m3": tma_matmul(
        _e4m3, f32, (128, 64, 128), transposed=True, programs=(1, 2)
    ),
    "tma_matmul_tf32": tma_matmul(
        f32, f32, (128, 64, 32), transposed=True, programs=(1, 2)
    ),
    "tma_matmul_f16_specialized": tma_matmul(_f16, _f16, (128, 64, 64), most=2),
    "tma_matmul_pair": tma_matmul(_bf16, f32, (256, 128, 64), programs=(1, 1)),
    "own_descriptors": own_descriptors,
    "persistent_matmul": persistent_matmul,
    "persistent_matmul_specialized": persistent_matmul,
    "tma_attention": tma_attention,
    "tma_attention_specialized": tma_attention,
    "pick_rows": pick_rows,
    "tma_reductions": tma_reductions,
    "shift_volume": shift_volume,
    "tma_scaled_mxfp8": tma_scaled("e4m3", "e4m3"),
    "tma_scaled_mxfp4": tma_scaled("e2m1", "e2m1"),
    "tma_scaled_nvfp4": tma_scaled("e2m1", "e2m1", 16),
    "tma_scaled_mixed": tma_scaled("e4m3", "e2m1"),
}


def left_in_tensor_memory(rng: np.random.Generator) -> Problem:
    a, b = whole(rng, 128, 64, dtype=np.float16), whole(rng, 64, 64, dtype=np.float16)
    c = zeros(128, 64)
    wanted = a.astype(f32) @ b.astype(f32)
    return Problem([a, Described(b), c], (1,), [(c, wanted, 0.0)])


def through_tensor_memory(rng: np.random.Generator) -> Problem:
    x, y = normal(rng, 128, 32), zeros(128, 32)
    return Problem([x, y], (1,), [(y, x * 2, 0.0)])


def copies_in_flight(rng: np.random.Generator) -> Problem:
    x, y = normal(rng, 3000), zeros(3000)
    return Problem([x, y, 3000], (1,), [(y, x + f32(1), 0.0)])


_GLUON: dict[str, Make] = {
    "products_in_flight": tma_matmul(_f16, _f16, (64, 64, 64), steps=5, most=2),
    **{
        f"accumulate_in_tensor_memory_of_{form}": tma_matmul(
            _f16, _f16, (128, 64, 64), steps=2, most=2, programs=(1, 1)
        )
        for form in ("32_by_32b", "16_by_64b", "16_by_128b", "16_by_256b")
    },
    "left_in_tensor_memory": left_in_tensor_memory,
    "through_tensor_memory": through_tensor_memory,
    "through_tensor_memory_of_16_by_64b": through_tensor_memory,
    "copies_in_flight": copies_in_flight,
}


# Clusters --------------------------------------------------------------------------


def product_of_a_pair(m: int) -> Make:
    def make(rng: np.random.Generator) -> Problem:
        a = whole(rng, m, 192, dtype=np.float16)
        b = whole(rng, 192, 128, dtype=np.float16)
        c = zeros(m, 128)
        wanted = a.astype(f32) @ b.astype(f32)
        args = [Described(a), Described(b), c, 192]
        return Problem(args, (1,), [(c, wanted, 0.0)])

    return make


def share_a_copy(rng: np.random.Generator) -> Problem:
    x, y = normal(rng, 64, 64, dtype=np.float16), zeros(64, 64, dtype=np.float16)
    return Problem([Described(x), y], (1,), [(y, x, 0.0)])


def sum_over_the_cluster(rng: np.random.Generator) -> Problem:
    x, y = whole(rng, 64, 64), zeros(2, 64)
    return Problem([x, y], (1,), [(y, np.stack([x.sum(0), x.sum(1)]), 0.0)])


_CLUSTERS: dict[str, Make] = {
    "product_of_a_pair_of_256_rows": product_of_a_pair(256),
    "product_of_a_pair_of_128_rows": product_of_a_pair(128),
    "share_a_copy": share_a_copy,
    "sum_over_the_cluster": sum_over_the_cluster,
}

EVERY = PROBLEMS | _PRODUCTS | _TMA | _GLUON | _CLUSTERS


def problem_of(name: str) -> Make:
    """The launch of a kernel, which may be of its own for a target."""
    return EVERY.get(name) or EVERY[name.partition(".")[0]]
