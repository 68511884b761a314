# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Remarks on slow accesses: each names its cause; what is fast has none."""

from __future__ import annotations

import json
import re

import pytest

import cuda_tile

COPY = """cuda_tile.module @m {{
  entry @k(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %m: tile<i32>, %s: tile<i32>) {{
    %x = assume div_by<{base}>, %a : tile<ptr<f16>>
    %y = assume div_by<16>, %b : tile<ptr<f16>>
    %n = assume div_by<64>, %m : tile<i32>
    %in = make_tensor_view %x, shape = [%n, {extent}], strides = [{stride}, {unit}]
      : tile<i32> -> tensor_view<?x{extent}xf16, strides=[{stride},{unit}]>
    %out = make_tensor_view %y, shape = [%n, 256], strides = [256, 1]
      : tile<i32> -> tensor_view<?x256xf16, strides=[256,1]>
    %from = make_partition_view %in : partition_view<tile=(64x64),
      padding_value = zero, tensor_view<?x{extent}xf16, strides=[{stride},{unit}]>>
    %to = make_partition_view %out : partition_view<tile=(64x64),
      padding_value = zero, tensor_view<?x256xf16, strides=[256,1]>>
    %i, %j, %l = get_tile_block_id : tile<i32>
    %t, %read = load_view_tko weak %from[%i, %j]
      : partition_view<tile=(64x64), padding_value = zero,
        tensor_view<?x{extent}xf16, strides=[{stride},{unit}]>>, tile<i32>
        -> tile<64x64xf16>, token
    %done = store_view_tko weak %t, %to[%i, %j]
      : tile<64x64xf16>, partition_view<tile=(64x64), padding_value = zero,
        tensor_view<?x256xf16, strides=[256,1]>>, tile<i32> -> token
    return
  }}
}}"""


def copy(base: int = 16, extent: int = 256, stride: int = 256, unit: int = 1) -> str:
    """A copy of tiles from a view with these constants."""
    return COPY.format(base=base, extent=extent, stride=stride, unit=unit)


def slow(text: str) -> list[tuple[str, str]]:
    """Codes and texts of what is slow."""
    module = cuda_tile.load(text.encode())
    data = json.loads(cuda_tile.compile(module, "sm_80").report.to_json())
    remarks = data["kernels"][0]["remarks"]
    return [
        (each["code"], each["text"]) for each in remarks if "access" in each["code"]
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (copy(stride=300), "row stride 300 is no multiple of 8; pad to 304 "),
        (copy(extent=250), "extent 250 is no multiple of 8; pad to 256 "),
        (copy(base=2), "the base is known to be a multiple of 2 bytes only; assume "),
        (copy(stride=1024, unit=4), "no stride of the view is known to be 1; "),
    ],
)
def test_the_cause_of_each_slow_load_is_named(text: str, said: str) -> None:
    found = [text for _, text in slow(text) if " loads of " in text]
    assert len(found) == 1
    assert said in found[0]
    count = re.match(
        r"(\d+) loads of (\d+) bytes per thread where (\d+) of 16", found[0]
    )
    assert count
    assert int(count[1]) * int(count[2]) == int(count[3]) * 16
    assert int(count[1]) > int(count[3])


def test_what_is_fast_has_no_remark() -> None:
    assert slow(copy()) == []
    # Near misses: strides and bases that are just enough.
    assert slow(copy(stride=264)) == []


def test_sectors_that_are_not_filled_are_counted() -> None:
    """Every fourth element: a sector of 16 elements has 4 of the tile."""
    codes = dict(slow(copy(stride=1024, unit=4)))
    assert "sectors of 32 bytes, 256 would hold the tile" in codes["uncoalesced-access"]


def test_the_dearest_comes_first() -> None:
    text = copy(stride=300).replace("strides = [256, 1]", "strides = [258, 1]")
    text = text.replace("strides=[256,1]", "strides=[258,1]")
    costs = [int(re.findall(r"about (\d+) clocks", said)[0]) for _, said in slow(text)]
    assert len(costs) >= 2
    assert costs == sorted(costs, reverse=True)


def test_text_and_page_have_them_too() -> None:
    module = cuda_tile.load(copy(stride=300).encode())
    report = cuda_tile.compile(module, "sm_80").report
    assert "pad to 304" in report.to_text()
    assert "pad to 304" in cuda_tile.show(report)._repr_html_()
