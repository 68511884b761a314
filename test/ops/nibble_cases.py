# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements of 4 bits in memory: through views and pointers of every kind."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product

import numpy as np
from op_case import Array, OpCase

F4 = "f4E2M1FN"
ROWS, COLUMNS = 24, 64


def _view(name: str, strides: str, tile: str, dim_map: str = "") -> tuple[str, str]:
    """A partition view of an argument and its type."""
    tensor = f"tensor_view<{ROWS}x{COLUMNS}x{F4}, strides=[{strides}]>"
    kind = f"partition_view<tile=({tile}), padding_value = zero, {tensor}{dim_map}>"
    text = f"""
    %{name}_t = make_tensor_view %{name}, shape = [{ROWS}, {COLUMNS}],
      strides = [{strides}] : {tensor}
    %{name}_v = make_partition_view %{name}_t : {kind}"""
    return text, kind


def _copy(order: str) -> OpCase:
    """Tiles that stick out below, loaded, changed in sign and stored."""
    rows = f"{COLUMNS},1" if order == "rows" else f"1,{ROWS}"
    x, x_kind = _view("x", rows, "16x32")
    o, o_kind = _view("o", rows, "16x32")
    wide = f"{COLUMNS},1"
    tensor = f"tensor_view<{ROWS}x{COLUMNS}xf32, strides=[{wide}]>"
    f_kind = f"partition_view<tile=(16x32), {tensor}>"
    text = f"""cuda_tile.module @m {{
  entry @k(%x: tile<ptr<{F4}>>, %o: tile<ptr<{F4}>>, %f: tile<ptr<f32>>) {{
    {x}{o}
    %f_t = make_tensor_view %f, shape = [{ROWS}, {COLUMNS}], strides = [{wide}]
      : {tensor}
    %f_v = make_partition_view %f_t : {f_kind}
    %i, %j, %k = get_tile_block_id : tile<i32>
    %a, %t0 = load_view_tko weak %x_v[%i, %j] : {x_kind}, tile<i32>
      -> tile<16x32x{F4}>, token
    %w = ftof %a : tile<16x32x{F4}> -> tile<16x32xf32>
    %n = negf %w : tile<16x32xf32>
    %b = ftof %n : tile<16x32xf32> -> tile<16x32x{F4}>
    %t1 = store_view_tko weak %b, %o_v[%i, %j] : tile<16x32x{F4}>, {o_kind},
      tile<i32> -> token
    %t2 = store_view_tko weak %n, %f_v[%i, %j] : tile<16x32xf32>, {f_kind},
      tile<i32> -> token
    return
  }}
}}"""
    count = ROWS * COLUMNS

    def args(rng: np.random.Generator) -> list[Array]:
        codes = rng.integers(0, 256, count // 2, np.uint8)
        return [codes, np.zeros(count // 2, np.uint8), np.zeros(count, np.float32)]

    def witness(given: list[Array]) -> list[Array | None]:
        return [given[0], given[0] ^ np.uint8(0x88), None]

    return OpCase(
        f"view_{order}",
        text,
        args,
        grid=(2, 2),
        numpy=lambda given: witness(list(given)),
    )


def _dynamic() -> OpCase:
    """Extents and strides of run time."""
    tensor = f"tensor_view<?x?x{F4}, strides=[?,1]>"
    kind = f"partition_view<tile=(8x16), {tensor}>"
    text = f"""cuda_tile.module @m {{
  entry @k(%x: tile<ptr<{F4}>>, %o: tile<ptr<{F4}>>, %r: tile<i32>, %c: tile<i32>,
           %s: tile<i64>) {{
    %d = assume div_by<4>, %s : tile<i64>
    %e = trunci %d : tile<i64> -> tile<i32>
    %h = assume div_by<4>, %e : tile<i32>
    %x_t = make_tensor_view %x, shape = [%r, %c], strides = [%h, 1]
      : tile<i32> -> {tensor}
    %o_t = make_tensor_view %o, shape = [%r, %c], strides = [%h, 1]
      : tile<i32> -> {tensor}
    %x_v = make_partition_view %x_t : {kind}
    %o_v = make_partition_view %o_t : {kind}
    %i, %j, %k = get_tile_block_id : tile<i32>
    %a, %t0 = load_view_tko weak %x_v[%i, %j] : {kind}, tile<i32>
      -> tile<8x16x{F4}>, token
    %t1 = store_view_tko weak %a, %o_v[%i, %j] : tile<8x16x{F4}>, {kind},
      tile<i32> -> token
    return
  }}
}}"""
    rows, columns, stride = 13, 40, 44

    def args(rng: np.random.Generator) -> list[object]:
        codes = rng.integers(0, 256, rows * stride // 2, np.uint8)
        sizes = [np.int32(rows), np.int32(columns), np.int64(stride)]
        return [codes, np.full_like(codes, 0x5A), *sizes]

    return OpCase("view_dynamic", text, args, grid=(2, 3))


def _pointers(masked: bool, padded: bool) -> OpCase:
    """Pointers name the low half of a byte; a store leaves the upper one."""
    many, tile = f"tile<64xptr<{F4}>>", f"tile<64x{F4}>"
    lines = [
        f"""
    %{name}1 = reshape %{name} : tile<ptr<{F4}>> -> tile<1xptr<{F4}>>
    %{name}2 = broadcast %{name}1 : tile<1xptr<{F4}>> -> {many}
    %{name}3 = offset %{name}2, %even : {many}, tile<64xi32> -> {many}"""
        for name in "xo"
    ]
    mask = ", %mask" if masked else ""
    mask_type = ", tile<64xi1>" if masked else ""
    padding = ", %pad" if padded else ""
    padding_type = f", {tile}" if padded else ""
    text = f"""cuda_tile.module @m {{
  entry @k(%x: tile<ptr<{F4}>>, %o: tile<ptr<{F4}>>) {{
    %i = iota : tile<64xi32>
    %two = constant <i32: 2> : tile<64xi32>
    %even = muli %i, %two : tile<64xi32>
    %limit = constant <i32: 41> : tile<64xi32>
    %mask = cmpi less_than %i, %limit, signed : tile<64xi32> -> tile<64xi1>
    %pad = constant <{F4}: -1.5> : {tile}
    {"".join(lines)}
    %a, %t0 = load_ptr_tko weak %x3{mask}{padding} : {many}{mask_type}{padding_type}
      -> {tile}, token
    %t1 = store_ptr_tko weak %o3, %a{mask * (not padded)}
      : {many}, {tile}{mask_type * (not padded)} -> token
    return
  }}
}}"""

    def args(rng: np.random.Generator) -> list[Array]:
        return [rng.integers(0, 256, 64, np.uint8) for _ in range(2)]

    return OpCase(f"pointers_{masked:d}{padded:d}", text, args)


def _addresses() -> OpCase:
    """Addresses of elements of 4 bits as integers and back."""
    one, many = f"tile<ptr<{F4}>>", f"tile<32xptr<{F4}>>"
    text = f"""cuda_tile.module @m {{
  entry @k(%x: {one}, %o: tile<ptr<i64>>) {{
    %i = iota : tile<32xi32>
    %six = constant <i32: 6> : tile<32xi32>
    %steps = muli %i, %six : tile<32xi32>
    %x1 = reshape %x : {one} -> tile<1xptr<{F4}>>
    %x2 = broadcast %x1 : tile<1xptr<{F4}>> -> {many}
    %x3 = offset %x2, %steps : {many}, tile<32xi32> -> {many}
    %n = ptr_to_int %x3 : {many} -> tile<32xi64>
    %m = ptr_to_int %x2 : {many} -> tile<32xi64>
    %q = int_to_ptr %n : tile<32xi64> -> {many}
    %b = ptr_to_ptr %q : {many} -> tile<32xptr<i8>>
    %y = ptr_to_int %b : tile<32xptr<i8>> -> tile<32xi64>
    %d = subi %y, %m : tile<32xi64>
    %o1 = reshape %o : tile<ptr<i64>> -> tile<1xptr<i64>>
    %o2 = broadcast %o1 : tile<1xptr<i64>> -> tile<32xptr<i64>>
    %o3 = offset %o2, %i : tile<32xptr<i64>>, tile<32xi32> -> tile<32xptr<i64>>
    %t = store_ptr_tko weak %o3, %d : tile<32xptr<i64>>, tile<32xi64> -> token
    return
  }}
}}"""
    return OpCase(
        "addresses",
        text,
        lambda rng: [np.zeros(128, np.uint8), np.zeros(32, np.int64)],
        numpy=lambda given: [given[0], np.arange(32) * 3],
    )


def _global_and_alloca() -> OpCase:
    """Elements of a global, by way of memory that the kernel allocates."""
    tensor = f"tensor_view<8x{F4}, strides=[1]>"
    kind, tile = f"partition_view<tile=(8), {tensor}>", f"tile<8x{F4}>"
    views = "".join(
        f"""
    %{name}_t = make_tensor_view %{name}, shape = [8], strides = [1] : {tensor}
    %{name}_v = make_partition_view %{name}_t : {kind}"""
        for name in "pmo"
    )
    text = f"""cuda_tile.module @m {{
  global @g <{F4}: [0.5, 1.0, -1.5, 6.0, -0.0, 2.0, 3.0, 4.0]> : {tile}
  entry @k(%o: tile<ptr<{F4}>>) {{
    %p = get_global @g : tile<ptr<{F4}>>
    %m = alloca num_elem = 8, alignment = 16 : tile<ptr<{F4}>>
    %z = constant <i32: 0> : tile<i32>{views}
    %a, %t0 = load_view_tko weak %p_v[%z] : {kind}, tile<i32> -> {tile}, token
    %t1 = store_view_tko weak %a, %m_v[%z] : {tile}, {kind}, tile<i32> -> token
    %b, %t2 = load_view_tko weak %m_v[%z] token=%t1 : {kind}, tile<i32>
      -> {tile}, token
    %t3 = store_view_tko weak %b, %o_v[%z] : {tile}, {kind}, tile<i32> -> token
    return
  }}
}}"""
    return OpCase(
        "global_and_alloca",
        text,
        lambda rng: [np.zeros(4, np.uint8)],
        numpy=lambda given: [np.array([0x21, 0x7B, 0x48, 0x65], np.uint8)],
    )


def _anywhere(
    name: str,
    stem: str,
    how: str,
    strides: tuple[int, int],
    *,
    tile: str = "8x4",
    extra: str = "",
    row: str = "%i",
    column: str = "%j",
    grid: tuple[int, int] = (2, 4),
) -> OpCase:
    """A copy of a tensor of which nothing is known, tile by tile, and its sizes."""
    tensor = f"tensor_view<?x?x{F4}, strides=[?,?]>"
    kind = f"{stem}_view<tile=({tile}){how}, {tensor}{extra}>"
    types = "tile<i32>" if row == "%i" else "tile<8xi32>, tile<i32>"
    space = (
        ""
        if stem == "gather_scatter"
        else f"""
    %g, %h = get_index_space_shape %x_v : {kind} -> tile<i32>
    %q0 = muli %g, %h : tile<i32>
    %q1 = addi %q, %q0 : tile<i32>"""
    )
    total = "%q" if stem == "gather_scatter" else "%q1"
    text = f"""cuda_tile.module @m {{
  entry @k(%bytes: tile<ptr<i8>>, %o: tile<ptr<{F4}>>, %r: tile<i32>, %c: tile<i32>,
           %s0: tile<i64>, %s1: tile<i64>, %sizes: tile<ptr<i32>>) {{
    %x = ptr_to_ptr %bytes : tile<ptr<i8>> -> tile<ptr<{F4}>>
    %r0 = exti %r signed : tile<i32> -> tile<i64>
    %c0 = exti %c signed : tile<i32> -> tile<i64>
    %x_t = make_tensor_view %x, shape = [%r0, %c0], strides = [%s0, %s1]
      : tile<i64> -> {tensor}
    %o_t = make_tensor_view %o, shape = [%r0, %c0], strides = [%s0, %s1]
      : tile<i64> -> {tensor}
    %x_v = make_{stem}_view %x_t : {kind}
    %o_v = make_{stem}_view %o_t : {kind}
    %i, %j, %k = get_tile_block_id : tile<i32>
    %eight = constant <i32: 8> : tile<i32>
    %first = muli %i, %eight : tile<i32>
    %first1 = reshape %first : tile<i32> -> tile<1xi32>
    %first8 = broadcast %first1 : tile<1xi32> -> tile<8xi32>
    %count = iota : tile<8xi32>
    %rows = addi %first8, %count : tile<8xi32>
    %one = constant <i32: 1> : tile<i32>
    %left = muli %j, %eight : tile<i32>
    %odd = addi %left, %one : tile<i32>
    %a, %t0 = load_view_tko weak %x_v[{row}, {column}] : {kind}, {types}
      -> tile<{tile}x{F4}>, token
    %t1 = store_view_tko weak %a, %o_v[{row}, {column}]
      : tile<{tile}x{F4}>, {kind}, {types} -> token
    %m, %n = get_tensor_shape %x_t : {tensor} -> tile<i32>
    %q = muli %m, %n : tile<i32>{space}
    %sixteen = constant <i32: 16> : tile<i32>
    %line = muli %i, %sixteen : tile<i32>
    %place = addi %line, %j : tile<i32>
    %mine = offset %sizes, %place : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %t2 = store_ptr_tko weak %mine, {total} : tile<ptr<i32>>, tile<i32> -> token
    return
  }}
}}"""
    rows, columns = 12 if strides[0] == 1 else 13, 16

    def witness(given: Sequence[object]) -> list[object]:
        """Every element of the tensor that some tile has is as it was."""
        source, target = (np.asarray(array) for array in given[:2])
        before, after = _halves(source), _halves(target)
        skipped = {"%odd": lambda j: (j - 1) % 8 >= 4, "%j": lambda j: j % 5 == 4}
        for i, j in product(range(rows), range(columns)):
            if stem == "partition" or not skipped[column](j):
                place = i * strides[0] + j * strides[1]
                after[place] = before[place]
        packed = (after[0::2] | after[1::2] << 4).astype(np.uint8)
        return [None, packed, *[None] * 5]

    make = partial(_anywhere_args, (rows, columns), strides)
    return OpCase(name, text, make, grid=grid, numpy=witness)


def _anywhere_args(
    extents: tuple[int, int], strides: tuple[int, int], rng: np.random.Generator
) -> list[object]:
    """Bytes of the tensor and of its copy, its extents and strides, and sizes."""
    last = sum((n - 1) * stride for n, stride in zip(extents, strides, strict=True))
    codes = rng.integers(0, 256, last // 8 * 4 + 4, np.uint8)
    sizes = [*map(np.int32, extents), *map(np.int64, strides)]
    return [codes, np.full_like(codes, 0x5A), *sizes, np.zeros(32, np.int32)]


def _halves(raw: Array) -> Array:
    """Bytes as elements, the low half first."""
    return np.stack([raw & 15, raw >> 4], 1).reshape(-1)


def _line(padding: str) -> OpCase:
    """A dense tensor of which neither extent nor stride is known, and its padding."""
    tensor = f"tensor_view<?x{F4}, strides=[?]>"
    outer = f"tensor_view<64x{F4}, strides=[1]>"
    kind = f"partition_view<tile=(32), padding_value = {padding}, {tensor}>"
    whole = f"partition_view<tile=(32), {outer}>"
    text = f"""cuda_tile.module @m {{
  entry @k(%x: tile<ptr<{F4}>>, %y: tile<ptr<{F4}>>, %o: tile<ptr<{F4}>>,
           %n: tile<i32>, %s: tile<i32>) {{
    %i, %j, %k = get_tile_block_id : tile<i32>
    %x_t = make_tensor_view %x, shape = [%n], strides = [%s] : tile<i32> -> {tensor}
    %y_t = make_tensor_view %y, shape = [%n], strides = [%s] : tile<i32> -> {tensor}
    %o_t = make_tensor_view %o, shape = [64], strides = [1] : {outer}
    %x_v = make_partition_view %x_t : {kind}
    %y_v = make_partition_view %y_t : {kind}
    %o_v = make_partition_view %o_t : {whole}
    %a, %t0 = load_view_tko weak %x_v[%i] : {kind}, tile<i32> -> tile<32x{F4}>, token
    %t1 = store_view_tko weak %a, %y_v[%i] : tile<32x{F4}>, {kind}, tile<i32> -> token
    %t2 = store_view_tko weak %a, %o_v[%i] : tile<32x{F4}>, {whole}, tile<i32> -> token
    return
  }}
}}"""
    codes = {"zero": 0x00, "neg_zero": 0x88, "nan": 0x77, "neg_inf": 0xFF}

    def args(rng: np.random.Generator) -> list[object]:
        arrays = [rng.integers(0, 256, 32, np.uint8) for _ in range(3)]
        return [*arrays, np.int32(42), np.int32(1)]

    def witness(given: Sequence[object]) -> list[object]:
        source, target = (np.asarray(array) for array in given[:2])
        kept = np.concatenate([source[:21], target[21:]])
        padded = np.concatenate([source[:21], np.full(11, codes[padding], np.uint8)])
        return [None, kept, padded, None, None]

    return OpCase(f"line_{padding}", text, args, grid=(2,), numpy=witness)


CASES = [
    _copy("rows"),
    _copy("columns"),
    _dynamic(),
    *(
        _pointers(masked, padded)
        for masked, padded in product((False, True), repeat=2)
        if masked or not padded
    ),
    *(
        _anywhere(f"any_strides_{a}_{b}", "partition", "", (a, b))
        for a, b in ((16, 1), (1, 14))
    ),
    *(
        _anywhere(
            f"rows_within_bytes_{a}_{b}",
            "partition",
            "",
            (a, b),
            tile="16x16",
            grid=(1, 1),
        )
        for a, b in ((17, 1), (1, 13))
    ),
    _anywhere(
        "odd_steps", "strided", ", traversal_strides=[8,5]", (16, 1), grid=(2, 4)
    ),
    _anywhere(
        "gather_anywhere",
        "gather_scatter",
        "",
        (16, 1),
        extra=", sparse_dim=0",
        row="%rows",
        column="%odd",
        grid=(2, 2),
    ),
    *map(_line, ("zero", "neg_zero", "nan", "neg_inf")),
    _addresses(),
    _global_and_alloca(),
]
