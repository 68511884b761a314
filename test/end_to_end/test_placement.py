# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What placement converts, makes again or leaves, and that it means the same."""

from __future__ import annotations

import re

import numpy as np
import pytest
from end_levels import check
from lowered_levels import TILE_LEVELS

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile.errors import InternalError
from cuda_tile.ir.plan import PLAN_ATTRIBUTE
from cuda_tile.ir.walk import entries, nested_ops
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.place.constraints import Fixed
from cuda_tile.place.cost import conversion_cycles
from cuda_tile.place.solve import solve

MMAF = "cuda_tile.mmaf"

TENSOR = "tensor_view<64x64x{0}, strides=[64,1]>"


def view(element: str, *, transposed: bool = False) -> str:
    """The type of a view of a whole 64 x 64 array."""
    dims = ", dim_map=[1, 0]" if transposed else ""
    return f"partition_view<tile=(64x64), {TENSOR.format(element)}{dims}>"


def kernel(middle: str, element: str = "f32") -> str:
    """Loads %x by rows, %y by columns; stores %r by rows and %s by columns."""
    there = TENSOR.format(element)
    rows, columns = view(element), view(element, transposed=True)
    out, transposed = view("f32"), view("f32", transposed=True)
    return f"""cuda_tile.module @m {{
  entry @k(%p: tile<ptr<{element}>>, %q: tile<ptr<{element}>>, %n: tile<i32>,
           %e: tile<ptr<f32>>) {{
    %a = assume div_by<16>, %p : tile<ptr<{element}>>
    %b = assume div_by<16>, %q : tile<ptr<{element}>>
    %c = assume div_by<16>, %e : tile<ptr<f32>>
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %far = constant <i32: 4096> : tile<i32>
    %d = offset %c, %far : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %ta = make_tensor_view %a, shape = [64, 64], strides = [64, 1] : {there}
    %tb = make_tensor_view %b, shape = [64, 64], strides = [64, 1] : {there}
    %tc = make_tensor_view %c, shape = [64, 64], strides = [64, 1]
      : {TENSOR.format("f32")}
    %td = make_tensor_view %d, shape = [64, 64], strides = [64, 1]
      : {TENSOR.format("f32")}
    %va = make_partition_view %ta : {rows}
    %vb = make_partition_view %tb : {columns}
    %vc = make_partition_view %tc : {out}
    %vd = make_partition_view %td : {transposed}
    %x, %k0 = load_view_tko weak %va[%z, %z]
      : {rows}, tile<i32> -> tile<64x64x{element}>, token
    %y, %k1 = load_view_tko weak %vb[%z, %z]
      : {columns}, tile<i32> -> tile<64x64x{element}>, token
    {middle}
    %k2 = store_view_tko weak %r, %vc[%z, %z]
      : tile<64x64xf32>, {out}, tile<i32> -> token
    %k3 = store_view_tko weak %s, %vd[%z, %z]
      : tile<64x64xf32>, {transposed}, tile<i32> -> token
    return
  }}
}}"""


MASK = kernel("""
    %i = iota : tile<64xi32>
    %i1 = reshape %i : tile<64xi32> -> tile<64x1xi32>
    %i2 = broadcast %i1 : tile<64x1xi32> -> tile<64x64xi32>
    %n0 = reshape %n : tile<i32> -> tile<1x1xi32>
    %n1 = broadcast %n0 : tile<1x1xi32> -> tile<64x64xi32>
    %m = cmpi less_than %i2, %n1, signed : tile<64x64xi32> -> tile<64x64xi1>
    %zero = constant <f32: 0.0> : tile<64x64xf32>
    %r = select %m, %x, %zero : tile<64x64xi1>, tile<64x64xf32>
    %s = select %m, %y, %zero : tile<64x64xi1>, tile<64x64xf32>""")
"""Two tiles of different layouts that share nothing but a mask."""

THIN = kernel("""
    %t = reduce %x dim=1 identities=[0.0 : f32] : tile<64x64xf32> -> tile<64xf32>
    (%f: tile<f32>, %g: tile<f32>) {
      %h = addf %f, %g : tile<f32>
      yield %h : tile<f32>
    }
    %u = reshape %t : tile<64xf32> -> tile<64x1xf32>
    %w = broadcast %u : tile<64x1xf32> -> tile<64x64xf32>
    %r = addf %x, %w : tile<64x64xf32>
    %s = addf %y, %w : tile<64x64xf32>""")
"""What is broadcast is wanted in two layouts."""

WIDE = kernel(
    """
    %v = ftof %x : tile<64x64xf16> -> tile<64x64xf32>
    %w = ftof %y : tile<64x64xf16> -> tile<64x64xf32>
    %r = addf %v, %w : tile<64x64xf32>
    %s = subf %w, %v : tile<64x64xf32>""",
    "f16",
)
"""Loaded as f16, stored as f32, by rows and by columns each."""


def conversions(text: str) -> list[str]:
    """Shape and element type of each tile that placement converts."""
    placed = cuda_tile.lower(cuda_tile.load(text.encode()), "sm_90", until="place")
    return re.findall(r"convert_layout %\S+ : tile<([\dx]+\w+)", str(placed))


def arrays(dtype: type[np.generic]) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(3)
    a, b = (random.integers(-8, 9, (64, 64)).astype(dtype) for _ in range(2))
    return a, b


def stored(r: np.ndarray, s: np.ndarray) -> np.ndarray:
    """The output array: one tile by rows, one by columns."""
    return np.stack([r, s.T]).astype(np.float32)


def test_users_of_a_mask_need_not_agree_on_a_layout() -> None:
    assert conversions(MASK) == []
    x, y = arrays(np.float32)
    rows = np.arange(64)[:, None] < 40
    expected = stored(np.where(rows, x, 0), np.where(rows, y.T, 0))
    check(MASK, "sm_90", [x, y, np.int32(40), np.zeros_like(expected)], expected)


def test_what_is_broadcast_is_converted_before() -> None:
    assert all(shape.split("x")[1:] != ["64", "f32"] for shape in conversions(THIN))
    x, y = arrays(np.float32)
    total = x.sum(1, keepdims=True)
    expected = stored(x + total, y.T + total)
    check(THIN, "sm_90", [x, y, np.int32(0), np.zeros_like(expected)], expected)


def test_what_is_widened_is_converted_before() -> None:
    assert "64x64xf16" in conversions(WIDE)
    x, y = arrays(np.float16)
    wide, other = x.astype(np.float32), y.T.astype(np.float32)
    expected = stored(wide + other, other - wide)
    check(WIDE, "sm_80", [x, y, np.int32(0), np.zeros_like(expected)], expected)


def test_a_conversion_costs_what_it_moves() -> None:
    lanes = tuple((1 << i,) for i in range(5))
    near = LinearLayout((256,), ((32,), (64,), (128,)), lanes)
    renamed = LinearLayout((256,), ((64,), (32,), (128,)), lanes)
    far = LinearLayout((256,), ((1,), (2,), (4,)), tuple((8 << i,) for i in range(5)))
    assert conversion_cycles(near, near, 32) == 0
    assert conversion_cycles(near, renamed, 32) == 0
    assert conversion_cycles(near, far, 32) > 0
    assert conversion_cycles(near, far, 32) < conversion_cycles(near, far, 64)


HALF = "partition_view<tile=(64x64), tensor_view<64x64xf16, strides=[64,1]>>"
CHAIN = f"""cuda_tile.module @m {{
  entry @k(%p: tile<ptr<f16>>, %q: tile<ptr<f16>>, %n: tile<i32>, %e: tile<ptr<f32>>) {{
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %zero = constant <f32: 0.0> : tile<64x64xf32>
    %ta = make_tensor_view %p, shape = [64, 64], strides = [64, 1]
      : tensor_view<64x64xf16, strides=[64,1]>
    %tb = make_tensor_view %q, shape = [64, 64], strides = [64, 1]
      : tensor_view<64x64xf16, strides=[64,1]>
    %t_e = make_tensor_view %e, shape = [64, 64], strides = [64, 1]
      : tensor_view<64x64xf32, strides=[64,1]>
    %va = make_partition_view %ta : {HALF}
    %vb = make_partition_view %tb : {HALF}
    %ve = make_partition_view %t_e : {view("f32")}
    %a, %k0 = load_view_tko weak %va[%z, %z]
      : {HALF}, tile<i32> -> tile<64x64xf16>, token
    %b, %k1 = load_view_tko weak %vb[%z, %z]
      : {HALF}, tile<i32> -> tile<64x64xf16>, token
    %c = mmaf %a, %b, %zero : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
    %f = for %i in (%z to %n, step %one) : tile<i32>
      iter_values(%g = %c) -> (tile<64x64xf32>) {{
      %h = mmaf %b, %a, %g : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
      continue %h : tile<64x64xf32>
    }}
    %k2 = store_view_tko weak %f, %ve[%z, %z]
      : tile<64x64xf32>, {view("f32")}, tile<i32> -> token
    return
  }}
}}"""


def divide_differently(module: ir.Operation) -> None:
    """Gives the first product four rows of warps, the one in the loop four columns."""
    products = [
        op for entry in entries(module) for op in nested_ops(entry) if op.name == MMAF
    ]
    for op, (m, n) in zip(products, ((4, 1), (1, 4)), strict=True):
        plan = f'{{atom = "m16n8k16", warps_m = {m} : i64, warps_n = {n} : i64}}'
        op.attributes[PLAN_ATTRIBUTE] = ir.Attribute.parse(plan)


@pytest.mark.parametrize("trips", [0, 2])
def test_products_that_divide_one_accumulator_differently(trips: int) -> None:
    """Before, the second got the fragments of the first: wrong numbers."""
    a, b = arrays(np.float16)
    x, y = a.astype(np.float32), b.astype(np.float32)
    expected = x @ y + trips * (y @ x)
    args = [a, b, np.int32(trips), np.zeros((64, 64), np.float32)]
    hooks = {"plan": divide_differently}
    levels = TILE_LEVELS[TILE_LEVELS.index("plan") :]
    check(CHAIN, "sm_80", args, expected, warps=4, levels=levels, after=hooks)


def test_the_accumulator_is_converted_outside_the_loop() -> None:
    module = cuda_tile.load(CHAIN.encode())
    placed = cuda_tile.lower(
        module, "sm_80", until="place", after={"plan": divide_differently}
    )
    text = str(placed)
    loop = text[text.index(" = for ") : text.index("continue")]
    assert "f32, #layout" in loop
    assert not re.search(r"convert_layout %\S+ : tile<64x64xf32", loop)


def test_one_value_in_two_fixed_layouts_is_named() -> None:
    """Not a program's fault, so not a conversion: a rule contradicts itself."""
    module = cuda_tile.load(CHAIN.encode())

    def contradict(op: ir.Operation) -> None:
        products = [o for e in entries(op) for o in nested_ops(e) if o.name == MMAF]
        result = products[0].results[0]
        lanes = tuple((0, 1 << i) for i in range(5))
        rows = LinearLayout((64, 64), (), lanes)
        columns = LinearLayout((64, 64), (), tuple(b[::-1] for b in lanes))
        fixed = [Fixed(result, rows, 1), Fixed(result, columns, 1)]
        with pytest.raises(
            InternalError, match=r"one fixed layout for the result of 'cuda_tile.mmaf'"
        ):
            solve([*fixed], lambda _: rows)

    cuda_tile.lower(module, "sm_80", until="plan", after={"plan": contradict})
