# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""alloca: memory is given back on every way out of its scope, and may be refused."""

from __future__ import annotations

import numpy as np
import pytest

import cuda_tile
from cuda_tile.emulator import FindingError
from cuda_tile.emulator.memory.heap import HEAP_BYTES

MANY = f"num_elem = {HEAP_BYTES // 8}, alignment = 16"
"""Half the heap: a third one at a time does not fit."""
SCOPES = f"""cuda_tile.module @m {{ entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {{
  %c0 = constant <i32: 0> : tile<i32>
  %c1 = constant <i32: 1> : tile<i32>
  %c2 = constant <i32: 2> : tile<i32>
  %s = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%a = %c0)
      -> (tile<i32>) {{
    %m = alloca {MANY} : tile<ptr<i32>>
    %t = store_ptr_tko weak %m, %i : tile<ptr<i32>>, tile<i32> -> token
    %x, %u = load_ptr_tko weak %m token=%t : tile<ptr<i32>> -> tile<i32>, token
    %r = remi %i, %c2 signed : tile<i32>
    %odd = cmpi equal %r, %c1, signed : tile<i32> -> tile<i1>
    if %odd {{
      %l = alloca {MANY} : tile<ptr<i32>>
      continue %a : tile<i32>
    }}
    %b = addi %a, %x : tile<i32>
    continue %b : tile<i32>
  }}
  %e = loop iter_values(%i = %n) : tile<i32> -> tile<i32> {{
    %m = alloca {MANY} : tile<ptr<i32>>
    %f = subi %i, %c1 : tile<i32>
    %t = store_ptr_tko weak %m, %f : tile<ptr<i32>>, tile<i32> -> token
    %x, %u = load_ptr_tko weak %m token=%t : tile<ptr<i32>> -> tile<i32>, token
    %z = cmpi equal %x, %c0, signed : tile<i32> -> tile<i1>
    if %z {{
      break %s : tile<i32>
    }}
    continue %x : tile<i32>
  }}
  %m = alloca {MANY} : tile<ptr<i32>>
  %o = alloca {MANY} : tile<ptr<i32>>
  %v = store_ptr_tko weak %p, %e : tile<ptr<i32>>, tile<i32> -> token
  %w = cmpi equal %e, %c0, signed : tile<i32> -> tile<i1>
  if %w {{
    return
  }}
  return
}} }}"""


@pytest.mark.parametrize("trips", [1, 5])
@pytest.mark.parametrize("gpu", ["sm_75", "sm_90"])
def test_memory_is_given_back(trips: int, gpu: str) -> None:
    """Else the second or third iteration would find no more room."""
    module = cuda_tile.load(SCOPES.encode())
    out = np.zeros(1, np.int32)
    cuda_tile.run(module, grid=(1,), args=[out, trips], on="emulator", gpu=gpu)
    assert out[0] == sum(i for i in range(trips) if i % 2 == 0)


def test_without_enough_memory_the_kernel_traps() -> None:
    text = f"""cuda_tile.module @m {{ entry @k() {{
      %a = alloca {MANY} : tile<ptr<i32>>
      %b = alloca {MANY} : tile<ptr<i32>>
      %c = alloca num_elem = 1, alignment = 4 : tile<ptr<i32>>
      return
    }} }}"""
    module = cuda_tile.load(text.encode())
    with pytest.raises(FindingError, match="trap"):
        cuda_tile.run(module, grid=(1,), args=[], on="emulator")


def test_memory_beyond_what_can_be_counted_traps() -> None:
    most = (1 << 63) - 1
    text = f"""cuda_tile.module @m {{ entry @k() {{
      %a = alloca num_elem = {most}, alignment = 8 : tile<ptr<f64>>
      return
    }} }}"""
    module = cuda_tile.load(text.encode())
    with pytest.raises(FindingError, match="trap"):
        cuda_tile.run(module, grid=(1,), args=[], on="emulator")
