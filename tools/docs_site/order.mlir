// Shows the pass `order`: tokens say that the load reads what the store wrote.

!view = !cuda_tile.partition_view<tile=(64), !cuda_tile.tensor_view<256xf32, strides=[1]>>

cuda_tile.module @kernels {
  entry @store_then_load(%p: tile<ptr<f32>>, %i: tile<i32>, %j: tile<i32>) {
    %t = make_tensor_view %p, shape = [256], strides = [1] : tensor_view<256xf32, strides=[1]>
    %v = make_partition_view %t : !view
    %x = constant <f32: 1.0> : tile<64xf32>
    %a = store_view_tko weak %x, %v[%i] : tile<64xf32>, !view, tile<i32> -> token
    %y, %b = load_view_tko weak %v[%j] token = %a : !view, tile<i32> -> tile<64xf32>, token
    %c = store_view_tko weak %y, %v[%i] token = %b : tile<64xf32>, !view, tile<i32> -> token
    return
  }
}
