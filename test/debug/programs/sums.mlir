// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cuda_tile.module @m {
  entry @sums(%x: tile<ptr<f32>>, %out: tile<ptr<f32>>, %n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %start = constant <f32: 0.0> : tile<f32>
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %sum = for %i in (%zero to %n, step %one) : tile<i32>
        iter_values(%acc = %start) -> (tile<f32>) {
      %p = offset %x, %i : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
      %v, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
      %next = addf %acc, %v rounding<nearest_even> : tile<f32>
      continue %next : tile<f32>
    }
    %q = offset %out, %bx : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %done = store_ptr_tko weak %q, %sum : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
