# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A tile that is loaded and stored at two strides known at run time.

Its many addresses are computed again for the store; tools/checks/corpus.py sees that
kernels with such sums do not spill.
"""

from __future__ import annotations

import numpy as np
import pytest

import cuda_tile

TENSOR = "tensor_view<?x?xf32, strides=[?,?]>"
PART = f"partition_view<tile=(128x128), {TENSOR}>"
TILE = "tile<128x128xf32>"
KERNEL = f"""cuda_tile.module @m {{
  entry @k(%p: tile<ptr<f32>>, %m: tile<i32>, %n: tile<i32>, %s: tile<i32>,
      %t: tile<i32>, %iterations: tile<i32>) {{
    %v = make_tensor_view %p, shape = [%m, %n], strides = [%s, %t]
      : tile<i32> -> {TENSOR}
    %w = make_partition_view %v : {PART}
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %a, %ta = load_view_tko weak %w[%bx, %by] : {PART}, tile<i32> -> {TILE}, token
    %c = for %i in (%z to %iterations, step %one) : tile<i32> iter_values(%x = %a)
        -> ({TILE}) {{
      %y = addf %x, %x rounding<nearest_even> : {TILE}
      continue %y : {TILE}
    }}
    %tc = store_view_tko weak %c, %w[%bx, %by] : {TILE}, {PART}, tile<i32> -> token
    return
  }}
}}"""


@pytest.mark.parametrize("chip", ["sm_80", "sm_90"])
def test_addresses_of_the_store_are_those_of_the_load(chip: str) -> None:
    module = cuda_tile.load(KERNEL.encode())
    compiled = cuda_tile.compile(module, chip)
    assert "%ctaid.z" in compiled.ptx
    rows, columns, iterations = 140, 131, 3
    rng = np.random.default_rng(0)
    array = rng.integers(-9, 9, (columns, rows)).astype(np.float32)
    expected = array * 2**iterations
    sizes = [rows, columns, 1, rows, iterations]
    cuda_tile.run(
        module,
        grid=(2, 2),
        args=[array, *map(np.int32, sizes)],
        on="emulator",
        gpu=chip,
        compiled=compiled,
        mode="adversarial",
    )
    np.testing.assert_array_equal(array, expected)
