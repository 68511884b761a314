# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which tensor maps every launch must be able to make."""

from __future__ import annotations

import pytest

import cuda_tile
from cuda_tile.ir.maps import read_maps
from cuda_tile.ir.walk import entries

TENSOR = "tensor_view<?x?xf16, strides=[?,1]>"
VIEW = f"partition_view<tile=(64x64), padding_value = zero, {TENSOR}>"
ASSUMED = """
    %a = assume div_by<16>, %p : tile<ptr<f16>>
    %s0 = assume bounded<0, ?>, %stride : tile<i32>
    %s = assume div_by<8>, %s0 : tile<i32>
    %m = assume bounded<0, ?>, %rows : tile<i32>"""
QUOTIENT = """
    %q = divi %m, %d signed : tile<i32>
    %n = assume bounded<0, ?>, %q : tile<i32>"""
MADE = f"""
    %t = make_tensor_view %a, shape = [%m, %n], strides = [%s, 1]
      : tile<i32> -> {TENSOR}
    %v = make_partition_view %t : {VIEW}"""
RETURN = """
    if %is {
      return
    }"""


def required(*, outside: str, before: str = "", inside: str = "") -> set[bool]:
    """Whether the maps of a product in a branch are required.

    Args:
        outside: What stands before the branch.
        before: What stands before that.
        inside: What the branch begins with.
    """
    text = f"""cuda_tile.module @m {{
  entry @k(%p: tile<ptr<f16>>, %o: tile<ptr<f32>>, %rows: tile<i32>,
      %stride: tile<i32>, %d: tile<i32>) {{
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %start = constant <f32: 0.0> : tile<64x64xf32>
    %is = cmpi greater_than %d, %z, signed : tile<i32> -> tile<i1>{before}{outside}
    %r = if %is -> (tile<64x64xf32>) {{{inside}
      %e = for %i in (%z to %d, step %one) : tile<i32>
          iter_values(%c = %start) -> (tile<64x64xf32>) {{
        %x, %tx = load_view_tko weak %v[%z, %i] : {VIEW}, tile<i32>
          -> tile<64x64xf16>, token
        %y = mmaf %x, %x, %c : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
        continue %y : tile<64x64xf32>
      }}
      yield %e : tile<64x64xf32>
    }} else {{
      yield %start : tile<64x64xf32>
    }}
    %to = make_tensor_view %o, shape = [64, 64], strides = [64, 1]
      : tensor_view<64x64xf32, strides=[64,1]>
    %vo = make_partition_view %to
      : partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>
    %w = store_view_tko weak %r, %vo[%z, %z] : tile<64x64xf32>,
      partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32>
      -> token
    return
  }}
}}"""
    module = cuda_tile.lower(cuda_tile.load(text.encode()), "sm_90", until="stage")
    with module.context:
        (entry,) = entries(module.operation)
        return {part.required for part in read_maps(entry)}


@pytest.mark.parametrize(
    "parts",
    [
        {"outside": ASSUMED + QUOTIENT + MADE},
        {"outside": ASSUMED + QUOTIENT, "inside": MADE},
    ],
    ids=["all of a view", "its numbers"],
)
def test_what_is_always_computed_must_make_a_map(parts: dict[str, str]) -> None:
    assert required(**parts) == {True}


@pytest.mark.parametrize(
    "parts",
    [
        {"outside": "", "inside": ASSUMED + QUOTIENT + MADE},
        {"outside": ASSUMED, "inside": QUOTIENT + MADE},
        {"before": RETURN, "outside": ASSUMED + QUOTIENT + MADE},
    ],
    ids=["in a branch", "a quotient in a branch", "behind a return"],
)
def test_what_need_not_be_computed_need_not_make_one(parts: dict[str, str]) -> None:
    assert required(**parts) == {False}
