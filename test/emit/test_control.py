# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Structured control flow in every nesting: interpreter and emulator agree."""

from __future__ import annotations

import numpy as np
import pytest
from emit_agree import agree

MIXED = """
cuda_tile.module @kernels {
  entry @mixed(%p: tile<ptr<i32>>, %q: tile<ptr<f16>>, %n: tile<i32>) {
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %three = constant <i32: 3> : tile<i32>
    %i = iota : tile<64xi32>
    %q1 = reshape %q : tile<ptr<f16>> -> tile<1xptr<f16>>
    %q64 = broadcast %q1 : tile<1xptr<f16>> -> tile<64xptr<f16>>
    %qq = offset %q64, %i : tile<64xptr<f16>>, tile<64xi32> -> tile<64xptr<f16>>
    %x, %t0 = load_ptr_tko weak %qq : tile<64xptr<f16>> -> tile<64xf16>, token
    %c = cmpi greater_than %n, %three, signed : tile<i32> -> tile<i1>
    if %c {
      return
    }
    %r, %s = loop iter_values(%k = %z, %a = %x) : tile<i32>, tile<64xf16>
        -> tile<64xf16>, tile<i32> {
      %d = cmpi greater_than_or_equal %k, %n, signed : tile<i32> -> tile<i1>
      if %d {
        break %a, %k : tile<64xf16>, tile<i32>
      }
      %acc = for %j in (%z to %k, step %one) : tile<i32>
          iter_values(%v = %a) -> (tile<64xf16>) {
        %e = cmpi equal %j, %one, signed : tile<i32> -> tile<i1>
        if %e {
          continue %v : tile<64xf16>
        }
        %w = addf %v, %x : tile<64xf16>
        continue %w : tile<64xf16>
      }
      %f = cmpi equal %k, %one, signed : tile<i32> -> tile<i1>
      %y = if %f -> (tile<64xf16>) {
        yield %x : tile<64xf16>
      } else {
        %u = mulf %acc, %x : tile<64xf16>
        yield %u : tile<64xf16>
      }
      %k1 = addi %k, %one : tile<i32>
      if %f {
        continue %k1, %y : tile<i32>, tile<64xf16>
      } else {
        continue %k1, %acc : tile<i32>, tile<64xf16>
      }
      continue %k, %acc : tile<i32>, tile<64xf16>
    }
    %t1 = store_ptr_tko weak %qq, %r token=%t0
        : tile<64xptr<f16>>, tile<64xf16> -> token
    %t2 = store_ptr_tko weak %p, %s : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
"""


@pytest.mark.parametrize("n", range(-1, 5))
@pytest.mark.parametrize("num_warps", [1, 4])
def test_every_nesting(n: int, num_warps: int) -> None:
    p, q = np.full(1, -7, np.int32), (np.arange(64) / 64).astype(np.float16)
    counted, stored, _ = agree(MIXED, [p, q, np.int32(n)], num_warps=num_warps)
    assert counted[0] == (-7 if n > 3 else max(n, 0))
    assert (stored == q).all() == (n != 3)


COUNT = """
cuda_tile.module @kernels {{
  entry @count(%p: tile<ptr<i32>>, %low: tile<{type}>, %high: tile<{type}>,
      %step: tile<{type}>) {{
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %n = for {sign} %i in (%low to %high, step %step) : tile<{type}>
        iter_values(%k = %z) -> (tile<i32>) {{
      %next = addi %k, %one : tile<i32>
      continue %next : tile<i32>
    }}
    %t = store_ptr_tko weak %p, %n : tile<ptr<i32>>, tile<i32> -> token
    return
  }}
}}
"""


@pytest.mark.parametrize(
    ("kind", "low", "high", "step", "trips"),
    [
        ("i8", 120, 127, 10, 1),
        ("i8", -128, 127, 127, 3),
        ("i8", 127, 127, 1, 0),
        ("i16", 32760, 32767, 1, 7),
        ("i32", 2**31 - 5, 2**31 - 1, 3, 2),
        ("i32", -(2**31), 2**31 - 1, 2**31 - 1, 3),
        ("i64", 2**63 - 9, 2**63 - 1, 4, 2),
        ("i32", 5, -5, 1, 0),
    ],
)
def test_a_for_ends_where_its_type_does(
    kind: str, low: int, high: int, step: int, trips: int
) -> None:
    number = np.dtype(kind.replace("i", "int")).type
    bounds = [number(low), number(high), number(step)]
    text = COUNT.format(type=kind, sign="")
    got = agree(text, [np.zeros(1, np.int32), *bounds], seeds=(0,))
    assert got[0][0] == trips


@pytest.mark.parametrize(
    ("low", "high", "step", "trips"),
    [(250, 255, 10, 1), (0, 255, 254, 2), (200, 100, 1, 0), (127, 129, 1, 2)],
)
def test_an_unsigned_for_ends_where_its_type_does(
    low: int, high: int, step: int, trips: int
) -> None:
    bounds = [np.uint8(n).view(np.int8) for n in (low, high, step)]
    text = COUNT.format(type="i8", sign="unsigned")
    got = agree(text, [np.zeros(1, np.int32), *bounds], seeds=(0,))
    assert got[0][0] == trips
