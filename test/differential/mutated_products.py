# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of warpgroups for `ring_mutants`: converted operands, promoted sums.

Threads fill one ring themselves, with what they convert or transpose of another; and
sums of 8-bit floats are added in f32 every 128 elements.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from mutated_rings import LENGTHS

ROWS, COLUMNS = 64, 32
MOST = LENGTHS[-1]
PLAN = '{tileas.plan = {engine = "tma", slots = 3 : i64, ahead = 2 : i64}}'
"""Fewer slots than iterations, so that each release matters."""
LARGE = 64.0
"""2^12 is the product of two: 128 of them are far above a sum of small numbers."""
DTYPES: dict[str, Any] = {
    "f16": np.float16,
    "i8": np.int8,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
}


@dataclass(frozen=True)
class Form:
    """One product an iteration.

    Attributes:
        stored: Element types of A and B in memory.
        operand: What they are multiplied as.
        depth: Elements along K.
        is_transposed: Whether B lies along K.
        columns: Of the result.
    """

    stored: tuple[str, str]
    operand: str
    depth: int
    is_transposed: bool = False
    columns: int = COLUMNS


FORMS = {
    "converted": Form(("f16", "i8"), "f16", 64),
    "promoted": Form(("f8E4M3FN", "f8E4M3FN"), "f8E4M3FN", 256, is_transposed=True),
    "transposed and promoted": Form(("f8E4M3FN", "f8E4M3FN"), "f8E4M3FN", 128),
    "brought and promoted": Form(("f8E4M3FN", "f8E4M3FN"), "f8E4M3FN", 256, columns=64),
    "brought and converted": Form(("f16", "i8"), "f16", 64, columns=64),
}
"""Each with what `plan` makes of it on sm_90."""


def text_of(name: str) -> bytes:
    """A module with the kernel."""
    form = FORMS[name]
    (a, b), k, columns = form.stored, form.depth, form.columns
    deep = k * MOST
    dim_map = ", dim_map=[1, 0]" if form.is_transposed else ""
    lengths = (columns, deep) if form.is_transposed else (deep, columns)
    tensors = {
        "a": f"tensor_view<{ROWS}x{deep}x{a}, strides=[{deep},1]>",
        "b": f"tensor_view<{lengths[0]}x{lengths[1]}x{b}, strides=[{lengths[1]},1]>",
        "c": f"tensor_view<{ROWS}x{columns}xf32, strides=[{columns},1]>",
    }
    zero = "padding_value = zero"
    views = {
        "a": f"partition_view<tile=({ROWS}x{k}), {zero}, {tensors['a']}>",
        "b": f"partition_view<tile=({k}x{columns}), {zero}, {tensors['b']}{dim_map}>",
        "c": f"partition_view<tile=({ROWS}x{columns}), {zero}, {tensors['c']}>",
    }
    sizes = {"a": (ROWS, deep), "b": lengths, "c": (ROWS, columns)}
    made = "".join(
        f"""
        %p{x} = assume div_by<16>, %{x} : tile<ptr<{t}>>
        %t{x} = make_tensor_view %p{x}, shape = [{sizes[x][0]}, {sizes[x][1]}],
          strides = [{sizes[x][1]}, 1] : {tensors[x]}
        %v{x} = make_partition_view %t{x} : {views[x]}"""
        for x, t in (("a", a), ("b", b), ("c", "f32"))
    )
    right = f"tile<{k}x{columns}x{form.operand}>"
    cast = ""
    if b != form.operand:
        cast = f"%w = itof %y signed : tile<{k}x{columns}x{b}> -> {right}"
    factor, total = "%w" if cast else "%y", f"tile<{ROWS}x{columns}xf32>"
    return f"""
    cuda_tile.module @m {{
      entry @k(%a: tile<ptr<{a}>>, %b: tile<ptr<{b}>>, %c: tile<ptr<f32>>,
               %n: tile<i32>) {{
        {made}
        %zero = constant <i32: 0> : tile<i32>
        %one = constant <i32: 1> : tile<i32>
        %zeros = constant <f32: 0.0> : {total}
        %f = for %k in (%zero to %n, step %one) : tile<i32>
            iter_values(%acc = %zeros) -> ({total}) {{
          %x, %xt = load_view_tko weak %va[%zero, %k] {PLAN}
            : {views["a"]}, tile<i32> -> tile<{ROWS}x{k}x{a}>, token
          %y, %yt = load_view_tko weak %vb[%k, %zero] {PLAN}
            : {views["b"]}, tile<i32> -> tile<{k}x{columns}x{b}>, token
          {cast}
          %next = mmaf %x, {factor}, %acc
            : tile<{ROWS}x{k}x{form.operand}>, {right}, {total}
          continue %next : {total}
        }}
        %s = store_view_tko weak %f, %vc[%zero, %zero]
          : {total}, {views["c"]}, tile<i32> -> token
        return
      }}
    }}""".encode()


def arguments(name: str, iterations: int) -> list[Any]:
    """Fresh arrays of small whole numbers, and the length of the loop.

    Of floats of 8 bits every other 128 elements along K are large: their sum and one of
    small numbers do not fit the bits that tensor cores keep of a sum.
    """
    form, rng = FORMS[name], np.random.default_rng(5)
    columns = form.columns
    deep = form.depth * MOST
    left = rng.integers(-2, 3, (ROWS, deep)).astype(np.float32)
    right = rng.integers(-2, 3, (deep, columns)).astype(np.float32)
    if form.operand == "f8E4M3FN":
        is_large = np.arange(deep) // 128 % 2 == 0
        left[:, is_large] = right[is_large] = LARGE
    right = right.T if form.is_transposed else right
    a, b = (DTYPES[stored] for stored in form.stored)
    return [
        left.astype(a).ravel(),
        right.astype(b).ravel(),
        np.zeros(ROWS * columns, np.float32),
        np.int32(iterations),
    ]
