# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The checker of what `stage` may not change: kernels pass, broken rules do not."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest
from checked_kernels import KERNELS, lowered
from real_kernels import kernel_path

import cuda_tile
from cuda_tile import Options
from cuda_tile.checkers.meaning import is_judged
from cuda_tile.errors import InternalError
from cuda_tile.ir.walk import entries
from cuda_tile.stage import (
    conversion,
    extract,
    fill,
    operands,
    pieces,
    product,
    stores,
)

ZOO = Path(__file__).parents[1] / "kernels" / "zoo" / "bytecode-13.4.zip"

BYTES = """cuda_tile.module @m {
  entry @k(%a: tile<ptr<f8E4M3FN>>, %b: tile<ptr<f8E4M3FN>>, %c: tile<ptr<f32>>) {
    %ta = make_tensor_view %a, shape = [128, 256], strides = [256, 1] \
: tensor_view<128x256xf8E4M3FN, strides=[256,1]>
    %va = make_partition_view %ta \
: partition_view<tile=(128x256), tensor_view<128x256xf8E4M3FN, strides=[256,1]>>
    %tb = make_tensor_view %b, shape = [256, 128], strides = [1, 256] \
: tensor_view<256x128xf8E4M3FN, strides=[1,256]>
    %vb = make_partition_view %tb \
: partition_view<tile=(256x128), tensor_view<256x128xf8E4M3FN, strides=[1,256]>>
    %tc = make_tensor_view %c, shape = [128, 128], strides = [128, 1] \
: tensor_view<128x128xf32, strides=[128,1]>
    %vc = make_partition_view %tc \
: partition_view<tile=(128x128), tensor_view<128x128xf32, strides=[128,1]>>
    %z = constant <i32: 0> : tile<i32>
    %zero = constant <f32: 0.0> : tile<128x128xf32>
    %x, %kx = load_view_tko weak %va[%z, %z] : partition_view<tile=(128x256), \
tensor_view<128x256xf8E4M3FN, strides=[256,1]>>, tile<i32> \
-> tile<128x256xf8E4M3FN>, token
    %y, %ky = load_view_tko weak %vb[%z, %z] : partition_view<tile=(256x128), \
tensor_view<256x128xf8E4M3FN, strides=[1,256]>>, tile<i32> \
-> tile<256x128xf8E4M3FN>, token
    %r = mmaf %x, %y, %zero : tile<128x256xf8E4M3FN>, tile<256x128xf8E4M3FN>, \
tile<128x128xf32>
    %k = store_view_tko weak %r, %vc[%z, %z] : tile<128x128xf32>, \
partition_view<tile=(128x128), tensor_view<128x128xf32, strides=[128,1]>>, \
tile<i32> -> token
    return
  }
}
"""
"""A product by four warps, of two partial sums in two pieces each."""


def staged(name: str, gpu: str) -> None:
    """Takes a kernel through `stage` and what judges it."""
    options = Options(gpu=gpu, check=True)
    if name == "bytes":
        data, options = BYTES.encode(), Options(gpu=gpu, check=True, num_warps=4)
    elif name in KERNELS:
        data = kernel_path(name).read_bytes()
    else:
        with zipfile.ZipFile(ZOO) as archive:
            data = archive.read(f"{name}.tileirbc")
    cuda_tile.lower(cuda_tile.load(data), until="stage", options=options)


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_pass(name: str) -> None:
    """Whatever moves in them; on other chips the tests of layouts ask the same."""
    module = lowered(name, "sm_100", "stage")
    assert all(map(is_judged, entries(module.operation)))


def first_slice(self: product.Sliced, _number: int) -> list[int]:
    return [0] * self.layout.rank


def first_piece(self: pieces.Pieces, at: list[int], _piece: int) -> list[int]:
    dim = len(at) + self.dim
    return [*at[:dim], 0, 0, 0, *at[dim + 1 :]]


def backwards(self: pieces.Pieces, tiles: list[Any], like: Any) -> Any:
    return JOIN(self, tiles[::-1], like)


def any_buffer(
    self: operands.StagedOperands, _op: Any, _source: Any, layout: Any
) -> Any:
    return next((each.buffer for each in self.made if each.layout == layout), None)


def from_the_start(source: Any, like: Any, origin: list[int], room: int) -> Any:
    return THROUGH(source, like, [0] * len(origin), room)


def swapped(op: Any) -> Any:
    return INDICES(op)[::-1]


def twice(total: Any, part: Any) -> Any:
    return ADD(ADD(total, part), part)


def forgotten(total: Any, _part: Any) -> Any:
    return total


def not_zero(_self: Any) -> Any:
    return ADD(_self, _self)


def as_it_lies(layout: Any, _operand: Any) -> Any:
    return layout


def none(_operand: Any) -> tuple[Any, ...]:
    return ()


JOIN, THROUGH = pieces.Pieces.join, conversion.through_shared
INDICES, ADD = stores.index_operands, product.add

RULES: dict[str, tuple[Any, str, Any, str, str]] = {
    "slices": (product.Sliced, "offsets", first_slice, "gemm_f16", "sm_80"),
    "piece": (pieces.Pieces, "_place", first_piece, "bytes", "sm_89"),
    "order": (pieces.Pieces, "join", backwards, "bytes", "sm_89"),
    "twice": (product, "add", twice, "bytes", "sm_89"),
    "forgotten": (product, "add", forgotten, "bytes", "sm_89"),
    "zeros": (product, "zeros", not_zero, "bytes", "sm_89"),
    "source": (
        operands.StagedOperands,
        "find",
        any_buffer,
        "attention_full_f16",
        "sm_80",
    ),
    "names": (fill, "renamed_buffer", as_it_lies, "gemm_tn_bf16", "sm_80"),
    "indices": (stores, "index_operands", swapped, "matmul_f16_128x128x64", "sm_90"),
    "conversions": (product, "conversions_of", none, "gemm_tf32", "sm_80"),
    "parts": (extract, "through_shared", from_the_start, "rope_pairs_f32", "sm_80"),
}
"""A rule of the pass: where it is, what takes its place, a kernel that needs it."""


@pytest.mark.parametrize("rule", RULES)
def test_a_broken_rule_is_noticed(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind the pass, without running anything."""
    place, name, broken, kernel, gpu = RULES[rule]
    monkeypatch.setattr(place, name, broken)
    with pytest.raises(InternalError, match="meaning: expected"):
        staged(kernel, gpu)
