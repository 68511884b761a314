# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`assume` returns its operand, and strict mode verifies its predicate."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from interp_harness import NAMES, evaluate, kernel, tile

from cuda_tile import interp
from cuda_tile.interp import InterpError


def assume(predicate: str, value: Any, **options: Any) -> np.ndarray:
    a = np.asarray(value)
    kind = NAMES[a.dtype]
    body = f"%r = assume {predicate}, %a : {tile(a.shape, kind)}"
    return evaluate(body, {"r": (a.shape, kind)}, a=a, options=options)


def rows(*values: list[int]) -> np.ndarray:
    return np.array(values, np.int32)


KEPT = [
    ("div_by<16>", rows([0, 16, -32, 160])),
    ("div_by<1>", rows([1, 2, 3, 4])),
    ("div_by<4, every 4 along 1>", rows([4, 5, 6, 7, 12, 13, 14, 15])),
    (
        "div_by<4, every 4 along 1>",
        rows([4, 5, 6, 7, 12, 13, 14, 15], [8, 9, 10, 11, 24, 25, 26, 27]),
    ),
    ("div_by<1, every 2 along 0>", rows([7, 9], [8, 10])),
    ("div_by<2, every 3 along 1>", rows([4, 5, 6, 8])),  # the last group is short
    ("div_by<1, every 2 along 0>", np.array([-1, 0, 126, 127], np.int8)),
    ("bounded<0, ?>", rows([0, 5, 2**31 - 1, 1])),
    ("bounded<-2, 3>", rows([-2, 3, 0, 1])),
    ("bounded<?, 0>", rows([-(2**31), 0])),
    ("same_elements<[1, 2]>", rows([1, 1, 2, 2], [3, 3, 4, 4])),
    ("same_elements<[2, 2]>", rows([1, 1, 2, 2], [1, 1, 2, 2])),
    ("same_elements<[1, 1]>", rows([1, 2], [3, 4])),
    ("same_elements<[1, 3]>", rows([1, 1, 1, 2])),
]


@pytest.mark.parametrize(("predicate", "value"), KEPT)
def test_kept(predicate: str, value: np.ndarray) -> None:
    assert assume(predicate, value).tolist() == value.tolist()


BROKEN = [
    ("div_by<16>", rows([0, 8]), (0, 1)),
    ("div_by<4, every 4 along 1>", rows([4, 5, 6, 8]), (0, 3)),
    ("div_by<4, every 2 along 1>", rows([4, 5, 6, 7]), (0, 2)),
    ("div_by<2, every 3 along 1>", rows([4, 5, 6, 7]), (0, 3)),
    # The rise is that of the signed numbers, which do not wrap.
    ("div_by<1, every 2 along 0>", np.array([127, -128], np.int8), (1,)),
    ("bounded<0, ?>", rows([0, -1]), (0, 1)),
    ("bounded<-2, 3>", rows([4, 0]), (0, 0)),
    ("same_elements<[2, 2]>", rows([1, 1, 2, 2], [1, 1, 2, 3]), (1, 3)),
]


@pytest.mark.parametrize(("predicate", "value", "where"), BROKEN)
def test_broken(predicate: str, value: np.ndarray, where: tuple[int, ...]) -> None:
    with pytest.raises(InterpError, match="assumed") as caught:
        assume(predicate, value)
    assert caught.value.element_index == where
    assert assume(predicate, value, mode="permissive").tolist() == value.tolist()


def test_addresses() -> None:
    module = kernel("%p: tile<ptr<f16>>", "%a = assume div_by<16>, %p : tile<ptr<f16>>")
    raw = np.zeros(64, np.float16)
    skip = (-raw.ctypes.data % 16) // 2
    interp.run(module, grid=(1,), args=[raw[skip:]])
    with pytest.raises(InterpError, match="assumed div_by<16>"):
        interp.run(module, grid=(1,), args=[raw[skip + 1 :]])


def test_contiguous_pointers() -> None:
    text = """
      %p1 = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
      %pb = broadcast %p1 : tile<1xptr<f32>> -> tile<8xptr<f32>>
      %i = constant <i32: {offsets}> : tile<8xi32>
      %at = offset %pb, %i : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
      %a = assume div_by<4, every 4 along 0>, %at : tile<8xptr<f32>>
    """
    array = np.zeros(8, np.float32)
    good = text.replace("{offsets}", "[0, 1, 2, 3, 8, 9, 10, 11]")
    interp.run(kernel("%p: tile<ptr<f32>>", good), grid=(1,), args=[array])
    bad = text.replace("{offsets}", "[0, 1, 2, 3, 8, 9, 11, 12]")
    with pytest.raises(InterpError, match="assumed") as caught:
        interp.run(kernel("%p: tile<ptr<f32>>", bad), grid=(1,), args=[array])
    assert caught.value.element_index == (6,)
