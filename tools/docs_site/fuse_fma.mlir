// Shows the pass `fuse-fma`: a product that only a sum uses, and one with two uses.

cuda_tile.module @kernels {
  entry @axpy(%p: tile<ptr<f32>>, %a: tile<f32>, %x: tile<f32>, %y: tile<f32>) {
    %once = mulf %a, %x : tile<f32>
    %sum = addf %once, %y : tile<f32>
    %twice = mulf %sum, %x : tile<f32>
    %left = addf %twice, %y : tile<f32>
    %right = addf %left, %twice : tile<f32>
    %t = store_ptr_tko weak %p, %right : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
