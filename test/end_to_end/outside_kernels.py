# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels whose tiles may lie outside of their tensors, one for each form of access.

All extents are known to be multiples of the tiles, so that a tile lies inside or
outside as a whole and elements need no comparison. Where to load and store is an
argument.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from product_text import ACC, LOAD_A, LOAD_B, PRODUCT, K, M, N, part, store
from product_text import aligned as assumed

Arrays = list[Any]
FAR = (1 << 31) - 1
"""The largest index; times a tile it is beyond 32 bits."""


@dataclass(frozen=True)
class Outside:
    """A kernel and its launches.

    Attributes:
        text: The kernel; its last parameters are the numbers of a case.
        arrays: Makes the other arguments of a case.
        cases: Numbers, so that tiles lie inside, behind the end, before the beginning.
        integer: Type of the numbers.
        grid: Tile blocks.
    """

    text: str
    arrays: Callable[[Sequence[int]], Arrays]
    cases: tuple[tuple[int, ...], ...]
    integer: Any = np.int32
    grid: tuple[int, ...] = (1,)

    def args(self, case: tuple[int, ...]) -> Arrays:
        """The arguments of one launch."""
        return [*self.arrays(case), *map(self.integer, case)]


def kernel(parameters: str, body: str) -> str:
    return f"cuda_tile.module @m {{ entry @k({parameters}) {{{body}\n  return\n}} }}"


def numbers(names: str, width: int = 32) -> str:
    return ", ".join(f"%{name}: tile<i{width}>" for name in names.split())


def extent(name: str, divisor: int, width: int = 32) -> str:
    """`%NAMEe`, the extent that the parameter is, with what is known of it."""
    return f"""
      %{name}d = assume div_by<{divisor}>, %{name} : tile<i{width}>
      %{name}e = assume bounded<0, ?>, %{name}d : tile<i{width}>"""


def line(name: str, element: str, size: str, kind: str, width: int = 32) -> str:
    """`%vNAME`, a view of kind `kind` of a line of elements at `%pNAME`."""
    tensor = f"tensor_view<?x{element}, strides=[1]>"
    return f"""
      %q{name} = assume div_by<16>, %p{name} : tile<ptr<{element}>>
      %t{name} = make_tensor_view %q{name}, shape = [%{size}], strides = [1]
        : tile<i{width}> -> {tensor}
      %v{name} = make_{kind.partition("<")[0]} %t{name} : {kind}"""


def filled(count: int, dtype: Any) -> Any:
    """Numbers that are exact in every type, none of them the 99 of untouched places."""
    return (np.arange(count) % 50 + 1).astype(dtype)


def untouched(*shape: int, dtype: Any = np.float32) -> Any:
    return np.full(shape, 99, dtype)


# A line is copied ---------------------------------------------------------------------

TILE = 64
PLACES = ((0, 1), (2, 1), (-1, 0), (FAR, 1), (1, 2), (0, -1), (1, FAR), (-(1 << 31), 0))
LINES = (*((128, 128, *p) for p in PLACES), (0, 128, 0, 1), (128, 0, 1, 0))
ELEMENTS = {"f32": np.float32, "f16": np.float16, "i8": np.int8, "f64": np.float64}


def copy(element: str, padding: str, width: int = 32) -> Outside:
    """Loads tile `i` of one line and stores it as tile `j` of another."""
    tile, tensor = f"tile<{TILE}x{element}>", f"tensor_view<?x{element}, strides=[1]>"
    pad = f"padding_value = {padding}, " if padding else ""
    kind = f"partition_view<tile=({TILE}), {pad}{tensor}>"
    index = f"tile<i{width}>"
    text = kernel(
        f"%pa: tile<ptr<{element}>>, %pb: tile<ptr<{element}>>, "
        + numbers("m n i j", width),
        extent("m", TILE, width)
        + extent("n", TILE, width)
        + line("a", element, "me", kind, width)
        + line("b", element, "ne", kind, width)
        + f"""
      %x, %s = load_view_tko weak %va[%i] : {kind}, {index} -> {tile}, token
      %t = store_view_tko weak %x, %vb[%j] : {tile}, {kind}, {index} -> token""",
    )
    dtype = ELEMENTS[element]
    wide = np.int64 if width == 64 else np.int32
    cases = LINES
    if width == 64:
        cases += tuple(
            (128, 128, *p) for p in ((1 << 32, 0), (1 << 58, 1), (1, -1 << 57))
        )
    return Outside(
        text,
        lambda case: [filled(case[0], dtype), untouched(case[1], dtype=dtype)],
        cases,
        wide,
    )


# Steps that are no tiles --------------------------------------------------------------


def strided(step: int) -> Outside:
    """As `copy`, of tiles of 16 elements that begin every `step` elements."""
    tensor = "tensor_view<?xf32, strides=[1]>"
    kind = (
        f"strided_view<tile=(16), traversal_strides=[{step}], "
        f"padding_value = neg_inf, {tensor}>"
    )
    every = max(1, 16 // step)
    text = kernel(
        "%pa: tile<ptr<f32>>, %pb: tile<ptr<f32>>, " + numbers("m n i j"),
        extent("m", 16)
        + extent("n", 16)
        + line("a", "f32", "me", kind)
        + line("b", "f32", "ne", kind)
        + f"""
      %id = assume div_by<{every}>, %i : tile<i32>
      %jd = assume div_by<{every}>, %j : tile<i32>
      %x, %s = load_view_tko weak %va[%id] : {kind}, tile<i32> -> tile<16xf32>, token
      %t = store_view_tko weak %x, %vb[%jd] : tile<16xf32>, {kind}, tile<i32>
        -> token""",
    )
    last = 80 // step // every * every
    places = ((0, every), (last + every, 0), (-every, 0), (every, last + every))
    return Outside(
        text,
        lambda case: [filled(case[0], np.float32), untouched(case[1])],
        (
            *((80, 80, i, j) for i, j in (*places, (every, -every))),
            *((0, 80, 0, 0), (80, 0, 0, 0)),
        ),
    )


# Matrices -----------------------------------------------------------------------------

BOX = (8, 32)


def matrix(name: str, sizes: tuple[str, str], kind: str) -> str:
    """`%vNAME`, a view of a matrix of f32 at `%pNAME`."""
    tensor = "tensor_view<?x?xf32, strides=[?,1]>"
    rows, columns = sizes
    return f"""
      %q{name} = assume div_by<16>, %p{name} : tile<ptr<f32>>
      %t{name} = make_tensor_view %q{name}, shape = [%{rows}, %{columns}],
        strides = [%{columns}, 1] : tile<i32> -> {tensor}
      %v{name} = make_{kind.partition("<")[0]} %t{name} : {kind}"""


def box(rows: int, columns: int, *, is_transposed: bool = False) -> Outside:
    """Adds a tile of one matrix to one of another.

    Args:
        rows, columns: What is known to divide the extents; 1 leaves elements to be
            compared along that dimension.
        is_transposed: Whether the tile's dimensions are the tensor's in reverse.
    """
    tensor = "tensor_view<?x?xf32, strides=[?,1]>"
    transposed = ", dim_map=[1, 0]" if is_transposed else ""
    tile, place = f"tile<{BOX[0]}x{BOX[1]}xf32>", "%i, %j"
    kind = f"partition_view<tile=({BOX[0]}x{BOX[1]}), padding_value = pos_inf, {tensor}"
    kind += f"{transposed}>"
    first, second = ("columns", "rows") if is_transposed else ("rows", "columns")
    known = {"rows": rows, "columns": columns}
    text = kernel(
        "%pa: tile<ptr<f32>>, %pb: tile<ptr<f32>>, " + numbers("rows columns i j k l"),
        "".join(extent(name, number) for name, number in known.items())
        + matrix("a", ("rowse", "columnse"), kind)
        + matrix("b", ("rowse", "columnse"), kind)
        + f"""
      %x, %s = load_view_tko weak %va[{place}] : {kind}, tile<i32> -> {tile}, token
      %y, %u = load_view_tko weak %vb[%k, %l] : {kind}, tile<i32> -> {tile}, token
      %z = addf %x, %y : {tile}
      %t = store_view_tko weak %z, %vb[%k, %l] token = %u : {tile}, {kind}, tile<i32>
        -> token""",
    )
    whole = {first: 2 * BOX[0], second: 2 * BOX[1]}
    sizes = tuple(
        whole[name] - (0 if number > 1 else 3) for name, number in known.items()
    )
    inside = ((0, 0), (1, 1))
    outside = ((2, 0), (0, 2), (-1, 1), (1, -1), (FAR, FAR), (5, -3))
    cases = [(*sizes, *place, *inside[1]) for place in (*inside, *outside)]
    cases += [(*sizes, *inside[1], *place) for place in (*inside, *outside)]
    cases += [(0, sizes[1], 0, 0, 0, 1), (sizes[0], 0, 1, 0, 0, 0)]
    return Outside(
        text,
        lambda case: [
            filled(case[0] * case[1], np.float32).reshape(case[:2]),
            untouched(*case[:2]),
        ],
        tuple(cases),
    )


# Atomics, and positions of slices -----------------------------------------------------

INTS = "tensor_view<?xi32, strides=[1]>"
COUNTS = f"partition_view<tile=({TILE}), {INTS}>"
REDUCED = Outside(
    kernel(
        "%pa: tile<ptr<i32>>, " + numbers("n i"),
        extent("n", TILE)
        + line("a", "i32", "ne", COUNTS)
        + f"""
      %x = iota : tile<{TILE}xi32>
      %t = atomic_red_view_tko relaxed device %va[%i], add, %x
        : tile<{TILE}xi32>, {COUNTS}, tile<i32> -> token""",
    ),
    lambda case: [untouched(case[0], dtype=np.int32)],
    ((128, 1), (128, 2), (128, -1), (128, FAR), (0, 0)),
)

WIDTH, ROWS = 32, 16
SLICES = (
    f"gather_scatter_view<tile=({ROWS}x{WIDTH}), padding_value = zero, "
    "tensor_view<?x?xf32, strides=[?,1]>, sparse_dim=0>"
)
LIST = f"partition_view<tile=({ROWS}), {INTS}>"


def gathered() -> Outside:
    """Rows by number, and columns from a multiple of the tile on."""
    tile = f"tile<{ROWS}x{WIDTH}xf32>"
    index = f"tile<{ROWS}xi32>, tile<i32>"
    text = kernel(
        "%pa: tile<ptr<f32>>, %pb: tile<ptr<f32>>, %pi: tile<ptr<i32>>, "
        + numbers("rows columns i j"),
        extent("rows", 1)
        + extent("columns", WIDTH)
        + matrix("a", ("rowse", "columnse"), SLICES)
        + matrix("b", ("rowse", "columnse"), SLICES)
        + f"""
      %z = constant <i32: 0> : tile<i32>
      %count = constant <i32: {ROWS}> : tile<i32>
      %width = constant <i32: {WIDTH}> : tile<i32>"""
        + line("i", "i32", "count", LIST)
        + f"""
      %r, %s = load_view_tko weak %vi[%z] : {LIST}, tile<i32>
        -> tile<{ROWS}xi32>, token
      %from = muli %i, %width : tile<i32>
      %to = muli %j, %width : tile<i32>
      %x, %u = load_view_tko weak %va[%r, %from] : {SLICES}, {index} -> {tile}, token
      %t = store_view_tko weak %x, %vb[%r, %to] : {tile}, {SLICES}, {index} -> token""",
    )
    order = np.random.default_rng(5).permutation(24)[:ROWS].astype(np.int32)
    return Outside(
        text,
        lambda case: [
            filled(case[0] * case[1], np.float32).reshape(case[:2]),
            untouched(*case[:2]),
            order.copy(),
        ],
        (
            *((20, 64, i, j) for i, j in ((0, 1), (2, 1), (-1, 0), (1, 2), (1, -1))),
            (20, 0, 0, 0),
        ),
    )


# Products -----------------------------------------------------------------------------


def view_of(name: str, sizes: tuple[str, str], kind: str, element: str) -> str:
    tensor = f"tensor_view<?x?x{element}, strides=[?,1]>"
    return f"""
      %t{name} = make_tensor_view %q{name}, shape = [%{sizes[0]}, %{sizes[1]}],
        strides = [%{sizes[1]}, 1] : tile<i32> -> {tensor}
      %v{name} = make_partition_view %t{name} : {kind}"""


HALVES, SUMS = (
    "tensor_view<?x?xf16, strides=[?,1]>",
    "tensor_view<?x?xf32, strides=[?,1]>",
)


def product(padding: str = "zero") -> Outside:
    """A product whose loop is longer than either operand, of a tile that is shifted.

    What A has behind its end counts as `padding`; so do indices before the beginning,
    with which the loop begins.
    """
    kind_a, kind_b, kind_c = (
        part((M, K), HALVES),
        part((K, N), HALVES),
        part((M, N), SUMS),
    )
    changed = f"padding_value = {padding}"
    loads = [
        text.replace("%k, %by", "%kk, %by")
        .replace("%bx, %k]", "%bx, %kk]")
        .replace("padding_value = zero", changed)
        for text in (LOAD_A, LOAD_B)
    ]
    kind_a, kind_b = (
        kind.replace("padding_value = zero", changed) for kind in (kind_a, kind_b)
    )
    text = kernel(
        "%pa: tile<ptr<f16>>, %pb: tile<ptr<f16>>, %pc: tile<ptr<f32>>, "
        + numbers("m n da db bx by from to"),
        "".join(extent(*each) for each in (("m", M), ("n", N), ("da", K), ("db", K)))
        + assumed("ab")
        + assumed("c", "f32")
        + view_of("a", ("me", "dae"), kind_a, "f16")
        + view_of("b", ("dbe", "ne"), kind_b, "f16")
        + view_of("c", ("me", "ne"), kind_c, "f32")
        + f"""
      %z = constant <i32: 0> : tile<i32>
      %one = constant <i32: 1> : tile<i32>
      %zeros = constant <f32: 0.0> : {ACC}
      %f = for %k in (%z to %to, step %one) : tile<i32>
          iter_values(%acc = %zeros) -> ({ACC}) {{
        %kk = addi %k, %from : tile<i32>{"".join(loads)}{PRODUCT}
        continue %d : {ACC}
      }}"""
        + store("%f"),
    )
    whole = (2 * M, 2 * N, 3 * K, 2 * K)
    cases = [
        (*whole, 0, 1, 0, 2),
        (*whole, 1, 0, 0, 5),
        (*whole, 0, 1, -2, 6),
        (*whole, 2, 1, 0, 3),
        (*whole, -1, 0, 0, 2),
        (*whole, 1, -1, 0, 2),
        (*whole, FAR, FAR, 0, 2),
        (0, *whole[1:], 0, 0, 0, 2),
        (*whole[:2], 0, 0, 1, 1, 0, 2),
        (*whole[:2], 0, 2 * K, 1, 1, -1, 4),
    ]
    return Outside(
        text,
        lambda case: [
            filled(case[0] * case[2], np.float16).reshape(case[0], case[2]) % 4,
            filled(case[3] * case[1], np.float16).reshape(case[3], case[1]) % 5,
            untouched(*case[:2]),
        ],
        tuple(cases),
    )


PADDINGS = ("zero", "neg_zero", "nan", "pos_inf", "neg_inf")
KERNELS: dict[str, Outside] = {
    **{f"copy f32 {p}": copy("f32", p) for p in ("", *PADDINGS)},
    **{f"copy f16 {p}": copy("f16", p) for p in PADDINGS},
    "copy i8": copy("i8", "zero"),
    "copy f64": copy("f64", "nan"),
    "copy by i64": copy("f32", "nan", 64),
    **{f"steps of {step}": strided(step) for step in (4, 16, 32)},
    "box": box(BOX[0], BOX[1]),
    "box with ragged columns": box(BOX[0], 1),
    "box with ragged rows": box(1, BOX[1]),
    "transposed box": box(BOX[1], BOX[0], is_transposed=True),
    "reduction in memory": REDUCED,
    "slices": gathered(),
}
PRODUCTS = {"copied": product(), "loaded by threads": product("neg_zero")}
