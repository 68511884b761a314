# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family view: partition, strided and gather_scatter views of every element type."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from access_text import kernel
from emit_data import DTYPES, INTEGERS, random_values
from op_case import ARRAY_TYPES, Array, OpCase

FLOAT_PADDINGS = ("zero", "neg_zero", "nan", "pos_inf", "neg_inf")
ELEMENTS = (
    *("i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "tf32", "f64"),
    *("f8E4M3FN", "f8E5M2", "f8E8M0FNU"),
)
ROWS, COLUMNS = 13, 22


def values(rng: np.random.Generator, count: int, element: str) -> Array:
    """Numbers of an element type, special ones among them."""
    if element in DTYPES:
        return random_values(rng, count, element)
    if element == "tf32":
        whole = random_values(rng, count, "f32").view(np.uint32)
        return (whole & np.uint32(0xFFFFE000)).view(np.float32)
    return rng.integers(0, 256, count, np.uint8).view(ARRAY_TYPES[element])


def tensor(element: str, shape: Sequence[Any], strides: Sequence[Any]) -> str:
    """A tensor_view type; None stands for what an operand gives."""
    extents, steps = (
        ["?" if n is None else str(n) for n in v] for v in (shape, strides)
    )
    return f"tensor_view<{'x'.join([*extents, element])}, strides=[{','.join(steps)}]>"


def make(name: str, base: str, kind: str, shape: Sequence[Any], strides: Sequence[Any]):
    """Defines the tensor view `%name` of constant extents and strides."""
    return f"""
    %{name} = make_tensor_view %{base}, shape = {list(shape)}, strides = {list(strides)}
      : {kind}
"""


def partition(
    tile: Sequence[int], kind: str, padding: str = "", dim_map: Sequence[int] = ()
) -> str:
    """A partition_view type."""
    pad = f"padding_value = {padding}, " if padding else ""
    order = f", dim_map={list(dim_map)}" if dim_map else ""
    return f"partition_view<tile=({'x'.join(map(str, tile))}), {pad}{kind}{order}>"


def load(name: str, view: str, index: Sequence[str], ty: str, tile: str, ity="i32"):
    """Loads `%name` through `%view`."""
    places = ", ".join(f"%{i}" for i in index)
    return f"""
    %{name}, %{name}_t = load_view_tko weak %{view}[{places}]
      : {ty}, {ity} -> {tile}, token
"""


def store(name: str, view: str, index: Sequence[str], ty: str, tile: str, ity="i32"):
    """Stores `%name` through `%view`."""
    places = ", ".join(f"%{i}" for i in index)
    return f"""
    %{view}_{name} = store_view_tko weak %{name}, %{view}[{places}]
      : {tile}, {ty}, {ity} -> token
"""


IDS = "    %x, %y, %z = get_tile_block_id : tile<i32>\n"
I32 = "tile<i32>"


# Partial tiles and padding ------------------------------------------------------------


def _padded(element: str) -> str:
    """Partial tiles with each padding, written whole; and written where they are."""
    paddings = ("zero",) if element in INTEGERS else FLOAT_PADDINGS
    tile = f"tile<8x8x{element}>"
    small = tensor(element, (ROWS, COLUMNS), (COLUMNS, 1))
    whole = tensor(element, (16, 24), (24, 1))
    body = IDS + make("t", "a", small, (ROWS, COLUMNS), (COLUMNS, 1))
    parameters = {"a": element, "same": element}
    for padding in paddings:
        view, out = partition((8, 8), small, padding), partition((8, 8), whole)
        parameters[f"o_{padding}"] = element
        body += f"    %v_{padding} = make_partition_view %t : {view}\n"
        body += load(f"e_{padding}", f"v_{padding}", "xy", view, tile, I32)
        body += make(f"u_{padding}", f"o_{padding}", whole, (16, 24), (24, 1))
        body += f"    %w_{padding} = make_partition_view %u_{padding} : {out}\n"
        body += store(f"e_{padding}", f"w_{padding}", "xy", out, tile, I32)
    plain = partition((8, 8), small)
    body += make("s", "same", small, (ROWS, COLUMNS), (COLUMNS, 1))
    body += f"    %sv = make_partition_view %s : {plain}\n"
    body += store("e_zero", "sv", "xy", plain, tile, I32)
    return kernel(parameters, body)


def _padded_args(element: str, rng: np.random.Generator) -> list[Array]:
    dtype = ARRAY_TYPES[element]
    count = 1 if element in INTEGERS else len(FLOAT_PADDINGS)
    blank = [values(rng, 16 * 24, element) for _ in range(count)]
    # One element more than the tensor has shows what is written behind its end.
    same = np.zeros(ROWS * COLUMNS + 1, dtype)
    return [values(rng, ROWS * COLUMNS, element), same, *blank]


# Kinds of views -----------------------------------------------------------------------


def _kinds_of(element: str, padding: str) -> dict[str, tuple[str, str]]:
    """The views of a tensor: type, and how one is made."""
    kind = tensor(element, (ROWS, COLUMNS), (COLUMNS, 1))
    pad = f"padding_value = {padding}, " if padding else ""
    strided, crossed = (
        f"strided_view<tile=(4x8), traversal_strides={steps}, {pad}{kind}{order}>"
        for steps, order in (("[3,5]", ""), ("[5,9]", ", dim_map=[1, 0]"))
    )
    rows, columns = (
        f"gather_scatter_view<tile=(4x8), {pad}{kind}, sparse_dim={dim}>"
        for dim in (0, 1)
    )
    transposed = partition((4, 8), kind, padding, (1, 0))
    return {
        "transposed": (transposed, "make_partition_view"),
        "strided": (strided, "make_strided_view"),
        "crossed": (crossed, "make_strided_view"),
        "rows": (rows, "make_gather_scatter_view"),
        "columns": (columns, "make_gather_scatter_view"),
    }


INDICES = {
    "transposed": (("x", "y"), I32),
    "strided": (("x", "y"), I32),
    "crossed": (("x", "y"), I32),
    "rows": (("r", "near"), f"tile<4xi32>, {I32}"),
    "columns": (("near", "c"), f"{I32}, tile<8xi32>"),
}


def _positions() -> str:
    """Loads the positions `%r` and `%c` of slices."""
    text = ""
    for name, count, base in (("r", 4, "r0"), ("c", 8, "c0")):
        kind = tensor("i32", (count,), (1,))
        view = partition((count,), kind)
        text += make(f"g{name}", base, kind, (count,), (1,))
        text += f"    %p{name} = make_partition_view %g{name} : {view}\n"
        text += load(name, f"p{name}", ("zero",), view, f"tile<{count}xi32>", I32)
    return text


def _constants(numbers: dict[str, int]) -> str:
    lines = [
        f"    %{k} = constant <i32: {n}> : tile<i32>\n" for k, n in numbers.items()
    ]
    return "".join(lines)


def _kinds(element: str) -> str:
    """Transposed, strided and gathered tiles, loaded and stored."""
    kind = tensor(element, (ROWS, COLUMNS), (COLUMNS, 1))
    out = tensor(element, (None, 4, 8), (32, 8, 1))
    slot, tile = partition((1, 4, 8), out), f"tile<4x8x{element}>"
    names = {"zero": 0, "one": 1, "three": 3, "five": 5, "six": 6, "n": 64}
    body = IDS + _constants(names) + _positions()
    body += make("t", "a", kind, (ROWS, COLUMNS), (COLUMNS, 1))
    body += make("su", "s", kind, (ROWS, COLUMNS), (COLUMNS, 1))
    body += f"""
    %o1 = make_tensor_view %o, shape = [%n, 4, 8], strides = [32, 8, 1]
      : tile<i32> -> {out}
    %ov = make_partition_view %o1 : {slot}
    %k = muli %x, %three : tile<i32>
    %l = addi %k, %y : tile<i32>
    %start = muli %l, %six : tile<i32>
    %near = muli %y, %five : tile<i32>
"""
    for number, (name, (ty, maker)) in enumerate(_kinds_of(element, "zero").items()):
        index, types = INDICES[name]
        body += f"    %v_{name} = {maker} %t : {ty}\n"
        body += load(f"e_{name}", f"v_{name}", index, ty, tile, types)
        body += (
            _constants({f"n_{name}": number})
            + f"""
    %at_{name} = addi %start, %n_{name} : tile<i32>
    %q_{name} = reshape %e_{name} : {tile} -> tile<1x4x8x{element}>
"""
        )
        places = (f"at_{name}", "zero", "zero")
        body += store(f"q_{name}", "ov", places, slot, f"tile<1x4x8x{element}>", I32)
    body += f"""
    %is_first = cmpi equal %l, %zero, signed : tile<i32> -> tile<i1>
    if %is_first {{{_scattered(element)}
    }}
"""
    parameters = {"a": element, "s": element, "o": element, "r0": "i32", "c0": "i32"}
    return kernel(parameters, body)


def _scattered(element: str) -> str:
    """Stores through each kind of view, one after another as they overlap."""
    text, token = "", ""
    where = {"rows": ("r", "six"), "columns": ("one", "c")}
    for name, (ty, maker) in _kinds_of(element, "").items():
        index = where.get(name, ("three", "one"))
        places = ", ".join(f"%{i}" for i in index)
        text += f"""
      %w_{name} = {maker} %su : {ty}
      %z_{name} = store_view_tko weak %e_{name}, %w_{name}[{places}]{token}
        : tile<4x8x{element}>, {ty}, {INDICES[name][1]} -> token"""
        token = f" token = %z_{name}"
    return text


def _kinds_args(element: str, rng: np.random.Generator) -> list[Array]:
    count = ROWS * COLUMNS
    rows = np.array([11, 2, 700, 5], np.int32)
    columns = np.array([21, 3, -1, 7, 20, 22, 0, 9], np.int32)
    blank = np.zeros(64 * 32, ARRAY_TYPES[element])
    return [
        values(rng, count, element),
        values(rng, count, element),
        blank,
        rows,
        columns,
    ]


# Indices, sizes and strides of every width, read unsigned -----------------------------


def _index_widths(ity: str) -> str:
    """Places in the upper half of the index type, extents beyond the memory."""
    bits = int(ity[1:])
    place = {1: 0, 8: 200, 16: 40000, 32: 3, 64: 3}[bits]
    signed = place - (1 << bits) if place >> (bits - 1) and bits > 1 else place
    number = "false" if bits == 1 else str(signed)
    kind, out = tensor("f32", (None,), (None,)), tensor("f32", (64,), (1,))
    stepped = (
        f"strided_view<tile=(4), traversal_strides=[1], padding_value = nan, {kind}>"
    )
    view = partition((1,), kind, "nan")
    body = f"""
    %p = constant <{ity}: {number}> : tile<{ity}>
    %t = make_tensor_view %a, shape = [%n], strides = [%s] : tile<{ity}> -> {kind}
    %v = make_partition_view %t : {view}
    %w = make_strided_view %t : {stepped}
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %three = constant <i32: 3> : tile<i32>
    %u = make_tensor_view %o, shape = [64], strides = [1] : {out}
    %q = make_partition_view %u : {partition((4,), out)}
    %shape = get_tensor_shape %t : {kind} -> tile<i64>
    %space = get_index_space_shape %v : {view} -> tile<i64>
    %k = make_tensor_view %counts, shape = [2], strides = [1]
      : {tensor("i64", (2,), (1,))}
    %kv = make_partition_view %k : {partition((1,), tensor("i64", (2,), (1,)))}
    %c1 = reshape %shape : tile<i64> -> tile<1xi64>
    %c2 = reshape %space : tile<i64> -> tile<1xi64>
"""
    ty = partition((1,), tensor("i64", (2,), (1,)))
    body += store("c1", "kv", ("zero",), ty, "tile<1xi64>", I32)
    body += store("c2", "kv", ("one",), ty, "tile<1xi64>", I32)
    four = "tile<4xf32>"
    body += f"    %q1 = make_partition_view %u : {partition((1,), out)}\n"
    body += load("x", "v", ("p",), view, "tile<1xf32>", f"tile<{ity}>")
    body += load("y", "w", ("p",), stepped, four, f"tile<{ity}>")
    body += store("x", "q1", ("zero",), partition((1,), out), "tile<1xf32>", I32)
    body += store("y", "q", ("two",), partition((4,), out), four, I32)
    scalar = f"({ity})"
    return kernel(
        {"a": "f32", "o": "f32", "counts": "i64", "n": scalar, "s": scalar}, body
    )


def _index_args(ity: str, rng: np.random.Generator) -> list[Any]:
    bits = int(ity[1:])
    place = {1: 0, 8: 200, 16: 40000, 32: 3, 64: 3}[bits]
    memory = values(rng, place + 4, "f32")
    dtype = DTYPES[ity].type
    size = {1: 1, 8: 255, 16: 65535, 32: 2**32 - 1, 64: 2**40 + 1}[bits]
    size = size - (1 << bits) if bits > 1 and size >> (bits - 1) else size
    return [
        memory,
        np.zeros(64, np.float32),
        np.zeros(2, np.int64),
        dtype(size),
        dtype(1),
    ]


def _far_tiles(ity: str) -> str:
    """Products of index, tile and stride that need more than 32 bits, kept in memory.

    The strides of two dimensions are far apart, and one extent makes that legal: only
    the tile at the second place of the second dimension is touched.
    """
    kind, out = tensor("i8", (None, None), (None, 1)), tensor("i8", (16,), (1,))
    view = partition((1, 16), kind, "zero")
    body = f"""
    %t = make_tensor_view %a, shape = [%m, %n], strides = [%s, 1]
      : tile<{ity}> -> {kind}
    %v = make_partition_view %t : {view}
    %zero = constant <i32: 0> : tile<i32>
    %u = make_tensor_view %o, shape = [16], strides = [1] : {out}
    %q = make_partition_view %u : {partition((16,), out)}
"""
    body += load("x", "v", ("i", "j"), view, "tile<1x16xi8>", f"tile<{ity}>")
    body += "    %y = reshape %x : tile<1x16xi8> -> tile<16xi8>\n"
    body += store("y", "q", ("zero",), partition((16,), out), "tile<16xi8>", I32)
    scalars = {name: f"({ity})" for name in ("m", "n", "s", "i", "j")}
    return kernel({"a": "i8", "o": "i8", **scalars}, body)


def _far_args(ity: str, rng: np.random.Generator) -> list[Any]:
    dtype = DTYPES[ity].type
    numbers = (2**31 - 1, 2**31 - 1, 2**31 - 1, 0, 2)
    return [values(rng, 64, "i8"), np.zeros(16, np.int8), *(dtype(n) for n in numbers)]


INDEX_TYPES = ("i1", "i8", "i16", "i32", "i64")


def ones(ity: str) -> str:
    """Defines `%one_ITY`, an index of one."""
    number = "true" if ity == "i1" else "1"
    return f"    %one_{ity} = constant <{ity}: {number}> : tile<{ity}>\n"


def _stores_by_index() -> str:
    """Stores at an index of every type."""
    kind = tensor("f32", (None, 32), (32, 1))
    view = partition((1, 16), kind)
    body = f"""
    %n = constant <i32: 5> : tile<i32>
    %t = make_tensor_view %o, shape = [%n, 32], strides = [32, 1] : tile<i32> -> {kind}
"""
    for row, ity in enumerate(INDEX_TYPES):
        base = f"o{row}"
        body += (
            ones(ity)
            + f"""
    %at{row} = constant <i32: {32 * row}> : tile<i32>
    %{base} = offset %o, %at{row} : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %x{row} = constant <f32: {row + 1}.0> : tile<1x16xf32>
"""
        )
        one = tensor("f32", (2, 32), (16, 1))
        body += make(f"t{row}", base, one, (2, 32), (16, 1))
        ty = partition((1, 16), one)
        body += f"    %v{row} = make_partition_view %t{row} : {ty}\n"
        index = (f"one_{ity}", f"one_{ity}")
        body += store(f"x{row}", f"v{row}", index, ty, "tile<1x16xf32>", f"tile<{ity}>")
    del view
    return kernel({"o": "f32"}, body)


def _shapes(element: str) -> str:
    """Extents and numbers of tiles, in every width that holds them."""
    kind = tensor(element, (1, 100), (100, 1))
    view = partition((1, 32), kind)
    body = make("t", "a", kind, (1, 100), (100, 1))
    body += f"    %v = make_partition_view %t : {view}\n"
    place = 0
    for n, (first, second) in enumerate((("i1", "i8"), ("i16", "i32"), ("i64", "i64"))):
        types = f"tile<{first}>, tile<{second}>"
        body += f"""
    %s{n}:2 = get_tensor_shape %t : {kind} -> {types}
    %c{n}:2 = get_index_space_shape %v : {view} -> {types}
"""
        for name, ity in product((f"s{n}", f"c{n}"), enumerate((first, second))):
            number, width = ity
            wide = f"%w{place}"
            if width == "i64":
                wide = f"%{name}#{number}"
            else:
                body += f"""
    {wide} = exti %{name}#{number} unsigned : tile<{width}> -> tile<i64>"""
            body += f"""
    %k{place} = constant <i32: {place}> : tile<i32>
    %p{place} = offset %o, %k{place} : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
    %q{place} = store_ptr_tko weak %p{place}, {wide}
      : tile<ptr<i64>>, tile<i64> -> token"""
            place += 1
    return kernel({"a": element, "o": "i64"}, body + "\n")


# Promises, orders and high ranks ------------------------------------------------------


def _promised() -> str:
    """Tiles that are inside by promise, along one dimension or both; all orders."""
    kind = tensor("f32", (None, None), (None, 1))
    view, tile = partition((8, 8), kind, "zero"), "tile<8x8xf32>"
    body = IDS
    for name, base in (("t", "a"), ("u", "o")):
        body += f"""
    %{name} = make_tensor_view %{base}, shape = [%m, %n], strides = [%n, 1]
      : tile<i32> -> {kind}
    %{name}v = make_partition_view %{name} : {view}
"""
    body += "    %z0 = constant <i32: 0> : tile<i32>\n"
    loads = (
        ("weak", "[true, false]", "x, %y"),
        ("relaxed device", "[false, true]", "x, %z0"),
        ("acquire sys", "[true, true]", "x, %z0"),
        ("acquire tl_blk", "[false, false]", "x, %y"),
    )
    total = ""
    for n, (order, promise, index) in enumerate(loads):
        body += f"""
    %e{n}, %e{n}_t = load_view_tko {order} %tv[%{index}] inbounds = {promise}
      : {view}, {I32} -> {tile}, token
"""
        if n:
            body += f"    %s{n} = addf %{total}, %e{n} : {tile}\n"
        total = f"s{n}" if n else "e0"
    token = ""
    for order in ("weak", "relaxed device", "release sys", "release tl_blk"):
        name = order.replace(" ", "_")
        body += f"""
    %w_{name} = store_view_tko {order} %{total}, %uv[%x, %y]{token}
      : {tile}, {view}, {I32} -> token
"""
        token = f" token = %w_{name}"
    return kernel({"a": "f32", "o": "f32", "m": "(i32)", "n": "(i32)"}, body)


def _promised_args(rng: np.random.Generator) -> list[Any]:
    count = 16 * 21
    data = values(rng, count, "f32")
    return [data, np.zeros(count, np.float32), np.int32(16), np.int32(21)]


def _high_rank(shape: tuple[int, ...], tile: tuple[int, ...]) -> str:
    """A tile of many dimensions, in reversed order of dimensions."""
    strides = [int(np.prod(shape[d + 1 :])) for d in range(len(shape))]
    kind = tensor("i16", shape, strides)
    order = tuple(reversed(range(len(shape))))
    view, same = partition(tile, kind, "zero", order), partition(tile, kind, "", order)
    ty = f"tile<{'x'.join(map(str, tile))}xi16>"
    body = (
        IDS
        + make("t", "a", kind, shape, strides)
        + make("u", "o", kind, shape, strides)
    )
    body += f"""
    %zero = constant <i32: 0> : tile<i32>
    %v = make_partition_view %t : {view}
    %w = make_partition_view %u : {same}
"""
    index = ["x", *["zero"] * (len(shape) - 1)]
    body += load("e", "v", index, view, ty, I32) + store("e", "w", index, same, ty, I32)
    return kernel({"a": "i16", "o": "i16"}, body)


def _rank_args(shape: tuple[int, ...], rng: np.random.Generator) -> list[Array]:
    count = int(np.prod(shape))
    return [values(rng, count, "i16"), np.zeros(count, np.int16)]


RANKS = {
    1: ((37,), (16,)),
    3: ((5, 6, 7), (4, 2, 8)),
    5: ((2, 3, 2, 3, 5), (2, 4, 2, 4, 2)),
    8: ((2, 2, 1, 2, 3, 1, 2, 3), (2, 2, 1, 2, 2, 1, 2, 2)),
}

CASES = [
    *(
        OpCase(
            f"{element}-padded",
            _padded(element),
            lambda rng, element=element: _padded_args(element, rng),
            grid=(2, 3),
        )
        for element in ELEMENTS
    ),
    *(
        OpCase(
            f"{element}-kinds",
            _kinds(element),
            lambda rng, element=element: _kinds_args(element, rng),
            grid=(3, 2),
            num_warps=2,
        )
        for element in ELEMENTS
    ),
    *(
        OpCase(
            f"index-{ity}",
            _index_widths(ity),
            lambda rng, ity=ity: _index_args(ity, rng),
        )
        for ity in ("i1", "i8", "i16", "i32", "i64")
    ),
    *(
        OpCase(f"far-{ity}", _far_tiles(ity), lambda rng, ity=ity: _far_args(ity, rng))
        for ity in ("i32", "i64")
    ),
    OpCase(
        "store-indices",
        _stores_by_index(),
        lambda rng: [np.zeros(32 * 6, np.float32)],
    ),
    *(
        OpCase(
            f"{element}-shapes",
            _shapes(element),
            lambda rng, element=element: [values(rng, 100, element), np.zeros(12, int)],
            chips=("sm_90",),
        )
        for element in ELEMENTS
    ),
    OpCase("promised", _promised(), _promised_args, grid=(2, 3)),
    *(
        OpCase(
            f"rank-{rank}",
            _high_rank(shape, tile),
            lambda rng, shape=shape: _rank_args(shape, rng),
            grid=(-(-shape[-1] // tile[0]),),
        )
        for rank, (shape, tile) in RANKS.items()
    ),
]
