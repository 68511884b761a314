// y[i] = factor * x[i] for one tile of 16 elements.
cuda_tile.module @kernels {
  entry @scale(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %factor: tile<f32>) {
    %index = iota : tile<16xi32>
    %xs = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
    %xb = broadcast %xs : tile<1xptr<f32>> -> tile<16xptr<f32>>
    %xp = offset %xb, %index : tile<16xptr<f32>>, tile<16xi32> -> tile<16xptr<f32>>
    %value, %t0 = load_ptr_tko weak %xp : tile<16xptr<f32>> -> tile<16xf32>, token
    %fs = reshape %factor : tile<f32> -> tile<1xf32>
    %fb = broadcast %fs : tile<1xf32> -> tile<16xf32>
    %scaled = mulf %value, %fb rounding<nearest_even> : tile<16xf32>
    %ys = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
    %yb = broadcast %ys : tile<1xptr<f32>> -> tile<16xptr<f32>>
    %yp = offset %yb, %index : tile<16xptr<f32>>, tile<16xi32> -> tile<16xptr<f32>>
    %t1 = store_ptr_tko weak %yp, %scaled : tile<16xptr<f32>>, tile<16xf32> -> token
    return
  }
}
