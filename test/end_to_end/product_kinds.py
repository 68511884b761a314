# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kinds of products that kernels have beside C = A @ B, and what is right of each.

Pointers in memory, rows through an index, chained products, a load of two products, an
epilogue, bases nothing is known of, iterations that end early. Inputs are small whole
numbers, so that every sum is exact in any order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from product_text import (
    ACC,
    LOAD_A,
    LOAD_B,
    OUTS,
    PRODUCT,
    TENSOR,
    VIEWS,
    A,
    B,
    C,
    K,
    M,
    N,
    aligned,
    kernel,
    load,
    loop,
    mma,
    numbers,
    params,
    part,
    store,
    view,
    wide,
)

import cuda_tile

SIZES = [(128, 64, 96), (72, 88, 104), (64, 64, 8), (64, 64, 0)]
"""Rows, columns and depth: whole tiles, ragged ones, less than a tile, and none."""


@dataclass(frozen=True)
class Kind:
    """A kernel, its inputs by size, what comes out, and how its plan reads.

    Attributes:
        text: The kernel.
        problem: Makes of rows, columns and depth the arguments before the sizes, and
            the expected values of the last of them.
        engines: Who makes each load, in program order.
        bulk_engines: The same on sm_90, where warpgroups multiply.
        remarks: Words of each remark of the launch record of sm_90.
    """

    text: str
    problem: Callable[[int, int, int], tuple[list[Any], Any]]
    engines: tuple[str, ...]
    bulk_engines: tuple[str, ...]
    remarks: tuple[str, ...] = ()


def plain_problem(m: int, n: int, k: int) -> tuple[list[Any], Any]:
    a, b = numbers(1, m, k), numbers(2, k, n)
    return [a, b, np.full((m, n), 99, np.float32)], wide(a) @ wide(b)


PLAIN = kernel(
    f"{params('ab')}, {params('c', 'f32')}",
    VIEWS + OUTS + loop(LOAD_A + LOAD_B + PRODUCT) + store("%f"),
)


# A load of two products, an epilogue, two loops ---------------------------------------


def shared_problem(m: int, n: int, k: int) -> tuple[list[Any], Any]:
    a, b, e = numbers(1, m, k), numbers(2, k, n), numbers(3, k, n)
    difference = wide(a) @ wide(b) - 2 * (wide(a) @ wide(e))
    return [a, b, e, np.full((m, n), 99, np.float32)], difference


SHARED = kernel(
    f"{params('abe')}, {params('c', 'f32')}",
    VIEWS
    + aligned("e")
    + view("e", "%qe", ("depth", "n"), B)
    + OUTS
    + f"""
      %f, %g = for %k in (%z to %iterations, step %one) : tile<i32>
          iter_values(%x = %zeros, %y = %zeros) -> ({ACC}, {ACC}) {{
        {LOAD_A}{LOAD_B}{load("e", "%k, %by", (K, N), B)}
        {mma("%dx", "%a", "%b", "%x", (M, N, K))}
        {mma("%dy", "%a", "%e", "%y", (M, N, K))}
        continue %dx, %dy : {ACC}, {ACC}
      }}
      %two = constant <f32: 2.0> : {ACC}
      %h = mulf %g, %two : {ACC}
      %i = subf %f, %h : {ACC}"""
    + store("%i"),
)


def bias_problem(m: int, n: int, k: int) -> tuple[list[Any], Any]:
    (a, b, c), product = plain_problem(m, n, k)
    bias, residual = numbers(4, 1, n), numbers(5, m, n)
    positive = np.maximum(product + wide(bias), 0) + wide(residual)
    return [a, b, bias, residual, c], positive


ROW, SQUARE = part((1, N), TENSOR), part((M, N), TENSOR)
BIAS = kernel(
    f"{params('abrs')}, {params('c', 'f32')}",
    VIEWS
    + aligned("rs")
    + view("r", "%qr", ("one", "n"), ROW)
    + view("s", "%qs", ("m", "n"), SQUARE)
    + OUTS
    + loop(LOAD_A + LOAD_B + PRODUCT)
    + load("r", "%z, %by", (1, N), ROW)
    + load("s", "%bx, %by", (M, N), SQUARE)
    + f"""
      %r32 = ftof %r : tile<1x{N}xf16> -> tile<1x{N}xf32>
      %rows = broadcast %r32 : tile<1x{N}xf32> -> {ACC}
      %s32 = ftof %s : tile<{M}x{N}xf16> -> {ACC}
      %biased = addf %f, %rows : {ACC}
      %positive = maxf %biased, %zeros : {ACC}
      %all = addf %positive, %s32 : {ACC}"""
    + store("%all"),
)

ITERATION = LOAD_A + LOAD_B + PRODUCT
LOOPS = kernel(
    f"{params('ab')}, {params('c', 'f32')}",
    VIEWS
    + OUTS
    + loop(ITERATION)
    + loop(ITERATION, result="%g").replace("%acc = %zeros", "%acc = %f")
    + store("%g"),
)


def loops_problem(m: int, n: int, k: int) -> tuple[list[Any], Any]:
    args, product = plain_problem(m, n, k)
    return args, 2 * product


# Chained products: attention without its exponentials ---------------------------------


def chained_problem(m: int, n: int, k: int) -> tuple[list[Any], Any]:
    """Queries m x 64; keys and values k x 64."""
    q, keys, v = numbers(1, m, n), numbers(2, k, n), numbers(3, k, n)
    scores = np.minimum(wide(q) @ wide(keys).T, 20)
    return [q, keys, v, np.full((m, n), 99, np.float32)], scores @ wide(v)


QUERY, KEY, VALUE = (
    part((M, N), TENSOR),
    part((N, K), TENSOR, transposed=True),
    part((K, N), TENSOR),
)
CHAINED = kernel(
    f"{params('aev')}, {params('c', 'f32')}",
    aligned("aev")
    + view("a", "%qa", ("m", "n"), QUERY)
    + view("e", "%qe", ("depth", "n"), KEY)
    + view("v", "%qv", ("depth", "n"), VALUE)
    + OUTS
    + load("a", "%bx, %by", (M, N), QUERY)
    + f"""
      %none = constant <f32: 0.0> : tile<{M}x{K}xf32>
      %most = constant <f32: 20.0> : tile<{M}x{K}xf32>"""
    + loop(
        load("e", "%by, %k", (N, K), KEY)
        + mma("%s", "%a", "%e", "%none", (M, K, N))
        + f"""
      %w = minf %s, %most : tile<{M}x{K}xf32>
      %w16 = ftof %w : tile<{M}x{K}xf32> -> tile<{M}x{K}xf16>"""
        + load("v", "%k, %by", (K, N), VALUE)
        + mma("%d", "%w16", "%v", "%acc", (M, N, K))
    )
    + store("%f"),
)


# Grouped: the matrices stand in tables of pointers in memory --------------------------

GROUPS = 3


def grouped_problem(m: int, n: int, k: int) -> tuple[list[Any], Any]:
    lhs = [numbers(g, m, k) for g in range(GROUPS)]
    rhs = [numbers(9 + g, k, n) for g in range(GROUPS)]
    tables = [cuda_tile.list_args(x, index_bits=64)[0] for x in (lhs, rhs)]
    c = np.full((GROUPS * m, n), 99, np.float32)
    exact = [wide(a) @ wide(b) for a, b in zip(lhs, rhs, strict=True)]
    KEPT[:] = [*lhs, *rhs]
    return [*tables, c], np.concatenate(exact)


KEPT: list[Any] = []
"""The arrays that tables name live as long as these."""


def pointer(name: str) -> str:
    """`%qNAME`, the pointer of this group's row of a table of five words a row."""
    return f"""
      %at{name} = offset %p{name}, %place : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
      %word{name}, %got{name} = load_ptr_tko weak %at{name}
        : tile<ptr<i64>> -> tile<i64>, token
      %raw{name} = int_to_ptr %word{name} : tile<i64> -> tile<ptr<f16>>
      %q{name} = assume div_by<16>, %raw{name} : tile<ptr<f16>>"""


GROUPED = kernel(
    f"{params('ab', 'i64')}, {params('c', 'f32')}",
    f"""
      %five = constant <i32: 5> : tile<i32>
      %place = muli %bz, %five : tile<i32>
      %groups = constant <i32: {GROUPS}> : tile<i32>
      %first = muli %bz, %m : tile<i32>
      %start = muli %first, %n : tile<i32>
      %qc = offset %pc, %start : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>"""
    + pointer("a")
    + pointer("b")
    + view("a", "%qa", ("m", "depth"), A)
    + view("b", "%qb", ("depth", "n"), B)
    + view("c", "%qc", ("m", "n"), C)
    + loop(LOAD_A + LOAD_B + PRODUCT)
    + store("%f"),
)


# Rows through an index: experts -------------------------------------------------------

ROWS = 40


def rows_problem(m: int, n: int, k: int) -> tuple[list[Any], Any]:
    """Row i of C is row `index[i]` of A @ B, or zero where there is no such row."""
    a, b = numbers(1, ROWS, k), numbers(2, k, n)
    index = np.random.default_rng(3).integers(0, ROWS + 8, m).astype(np.int32)
    picked = np.where((index < ROWS)[:, None], wide(a)[index % ROWS], 0)
    return [a, b, index, np.full((m, n), 99, np.float32)], picked @ wide(b)


LIST = "tensor_view<?xi32, strides=[1]>"
INDEX = part((M,), LIST)
GET_INDEX = f"""
      %ti = make_tensor_view %pi, shape = [%m], strides = [1] : tile<i32> -> {LIST}
      %vi = make_partition_view %ti : {INDEX}
      %i, %goti = load_view_tko weak %vi[%bx] : {INDEX}, tile<i32>
        -> tile<{M}xi32>, token"""
SHAPE = f"tile<{M}x{K}xi32>"
ROW_PARAMETERS = f"{params('ab')}, {params('i', 'i32')}, {params('c', 'f32')}"
POINTERS = f"tile<{M}x{K}xptr<f16>>"
THROUGH_POINTERS = kernel(
    ROW_PARAMETERS,
    VIEWS
    + OUTS
    + GET_INDEX
    + f"""
      %rows = constant <i32: {ROWS}> : {SHAPE}
      %i1 = reshape %i : tile<{M}xi32> -> tile<{M}x1xi32>
      %i2 = broadcast %i1 : tile<{M}x1xi32> -> {SHAPE}
      %is_row = cmpi less_than %i2, %rows, signed : {SHAPE} -> tile<{M}x{K}xi1>
      %w1 = reshape %depth : tile<i32> -> tile<1x1xi32>
      %w2 = broadcast %w1 : tile<1x1xi32> -> {SHAPE}
      %begin = muli %i2, %w2 : {SHAPE}
      %b1 = reshape %qa : tile<ptr<f16>> -> tile<1x1xptr<f16>>
      %b2 = broadcast %b1 : tile<1x1xptr<f16>> -> {POINTERS}"""
    + loop(
        f"""
      %km = muli %k, %tile_k : tile<i32>
      %c1 = reshape %km : tile<i32> -> tile<1x1xi32>
      %c2 = broadcast %c1 : tile<1x1xi32> -> tile<1x{K}xi32>
      %c3 = iota : tile<{K}xi32>
      %c4 = reshape %c3 : tile<{K}xi32> -> tile<1x{K}xi32>
      %c5 = addi %c2, %c4 : tile<1x{K}xi32>
      %c6 = broadcast %c5 : tile<1x{K}xi32> -> {SHAPE}
      %is_column = cmpi less_than %c6, %w2, signed : {SHAPE} -> tile<{M}x{K}xi1>
      %is_there = andi %is_row, %is_column : tile<{M}x{K}xi1>
      %far = addi %begin, %c6 : {SHAPE}
      %ptrs = offset %b2, %far : {POINTERS}, {SHAPE} -> {POINTERS}
      %pad = constant <f16: 0.0> : tile<{M}x{K}xf16>
      %a, %ka = load_ptr_tko weak %ptrs, %is_there, %pad : {POINTERS},
        tile<{M}x{K}xi1>, tile<{M}x{K}xf16> -> tile<{M}x{K}xf16>, token"""
        + LOAD_B
        + PRODUCT
    )
    + store("%f"),
)

SPARSE = (
    f"gather_scatter_view<tile=({M}x{K}), padding_value = zero, {TENSOR}, sparse_dim=0>"
)
THROUGH_VIEW = kernel(
    ROW_PARAMETERS,
    aligned("ab")
    + f"\n      %rows = constant <i32: {ROWS}> : tile<i32>"
    + view("a", "%qa", ("rows", "depth"), SPARSE)
    + view("b", "%qb", ("depth", "n"), B)
    + OUTS
    + GET_INDEX
    + loop(
        "\n      %km = muli %k, %tile_k : tile<i32>"
        + load("a", "%i, %km", (M, K), SPARSE, f"tile<{M}xi32>, tile<i32>")
        + LOAD_B
        + PRODUCT
    )
    + store("%f"),
)


# Bases that nothing is known of -------------------------------------------------------


def unaligned_problem(m: int, n: int, k: int) -> tuple[list[Any], Any]:
    """A begins behind the first element of its array."""
    (a, b, c), product = plain_problem(m, n, k)
    return [np.concatenate([numbers(8, 1), a.ravel()]), b, c], product


UNALIGNED = kernel(
    f"{params('ab')}, {params('c', 'f32')}",
    "\n      %qa = offset %pa, %one : tile<ptr<f16>>, tile<i32> -> tile<ptr<f16>>"
    + aligned("b")
    + view("a", "%qa", ("m", "depth"), A)
    + view("b", "%qb", ("depth", "n"), B)
    + OUTS
    + loop(LOAD_A + LOAD_B + PRODUCT)
    + store("%f"),
)

# Iterations that end early ------------------------------------------------------------


def skipped_problem(m: int, n: int, k: int) -> tuple[list[Any], Any]:
    """The second slice of K is loaded and left out."""
    args, product = plain_problem(m, n, k)
    left, right = wide(args[0])[:, K : 2 * K], wide(args[1])[K : 2 * K]
    return args, product - left @ right


END = f"""
      %is = cmpi equal %k, %one, signed : tile<i32> -> tile<i1>
      if %is {{ continue %acc : {ACC} }}"""
ENDS = [
    kernel(
        f"{params('ab')}, {params('c', 'f32')}", VIEWS + OUTS + loop(body) + store("%f")
    )
    for body in (LOAD_A + LOAD_B + END + PRODUCT, LOAD_A + LOAD_B + PRODUCT + END)
]

CP, TMA, NO = "cp_async", "tma", "threads"
COMPUTED = "the base of a map is a parameter of the kernel; here it is computed"
SLICES = "the view has a position per slice, which only threads follow"
EARLY = "its iteration may end before the tile is used"
SERIAL = "copies in this loop do not run ahead of their use"
KINDS = {
    "plain": Kind(PLAIN, plain_problem, (CP, CP), (TMA, TMA)),
    "a load of two products": Kind(SHARED, shared_problem, (CP,) * 3, (TMA,) * 3),
    "bias and residual": Kind(BIAS, bias_problem, (CP, CP, NO, NO), (TMA, TMA, NO, NO)),
    "two loops": Kind(LOOPS, loops_problem, (CP,) * 4, (TMA,) * 4),
    "chained": Kind(CHAINED, chained_problem, (NO, CP, CP), (TMA, TMA, TMA)),
    "grouped": Kind(
        GROUPED, grouped_problem, (NO, NO, CP, CP), (NO, NO, CP, CP), (COMPUTED,) * 2
    ),
    "rows through pointers": Kind(
        THROUGH_POINTERS,
        rows_problem,
        (NO, CP, CP),
        (NO, CP, CP),
        ("a tile of pointers has no tensor map", "one engine makes all"),
    ),
    "rows through a view": Kind(
        THROUGH_VIEW, rows_problem, (NO, NO, CP), (NO, NO, TMA), (SLICES,)
    ),
    "unaligned": Kind(UNALIGNED, unaligned_problem, (NO, CP), (NO, TMA), (COMPUTED,)),
    "ends before the product": Kind(
        ENDS[0], skipped_problem, (CP, CP), (CP, CP), (EARLY, EARLY, SERIAL)
    ),
    "ends behind the product": Kind(ENDS[1], skipped_problem, (CP, CP), (TMA, TMA)),
}


@cache
def compiled(name: str, chip: str) -> Any:
    module = cuda_tile.load(KINDS[name].text.encode())
    return module, cuda_tile.compile(module, chip, cubin=False)


def check(name: str, sizes: tuple[int, int, int], module: Any, **how: Any) -> None:
    """Runs a kernel and compares what it computes with NumPy."""
    m, n, k = sizes
    args, expected = KINDS[name].problem(m, n, k)
    grid = (-(-m // M), -(-n // N), GROUPS if name == "grouped" else 1)
    cuda_tile.run(module, grid=grid, args=[*args, *map(np.int32, sizes)], **how)
    assert np.array_equal(args[-1], expected.astype(np.float32))


def sizes_of(name: str) -> list[tuple[int, int, int]]:
    """Sizes of a kernel: a tile of chained products holds all columns."""
    return [(m, N if name == "chained" else n, k) for m, n, k in SIZES]
