// Shows the pass `loop-split`: only the last iterations of the loop need the mask.

cuda_tile.module @kernels {
  entry @masked(%p: tile<ptr<f32>>, %iterations: tile<i32>, %whole: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    for %k in (%zero to %iterations, step %one) : tile<i32> {
      %at = offset %p, %k : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
      %is_whole = cmpi less_than %k, %whole, signed : tile<i32> -> tile<i1>
      if %is_whole {
        %x = constant <f32: 1.0> : tile<f32>
        %t = store_ptr_tko weak %at, %x : tile<ptr<f32>>, tile<f32> -> token
      } else {
        %x = constant <f32: 0.0> : tile<f32>
        %t = store_ptr_tko weak %at, %x : tile<ptr<f32>>, tile<f32> -> token
      }
      continue
    }
    return
  }
}
