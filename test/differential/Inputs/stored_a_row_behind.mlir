// A tile is stored a row behind where it was loaded: other threads store what a thread loads.
// differential: seed=7 grid=1 warps=4
// differential: array 0 f32 size=3072 start=0 shape=3072 strides=1 whole=1
// differential: scalar i32 0x1
cuda_tile.module @m {
  entry @k(%a: tile<ptr<f32>>, %n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %row = constant <i32: 32> : tile<i32>
    %aa = assume div_by<16>, %a : tile<ptr<f32>>
    %at = make_tensor_view %aa, shape = [96, 32], strides = [32, 1] : tensor_view<96x32xf32, strides=[32, 1]>
    %far = offset %aa, %row : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %ft = make_tensor_view %far, shape = [96, 32], strides = [32, 1] : tensor_view<96x32xf32, strides=[32, 1]>
    %av = make_partition_view %at : partition_view<tile=(32x32), padding_value = zero, tensor_view<96x32xf32, strides=[32, 1]>>
    %bv = make_partition_view %at : partition_view<tile=(32x32), tensor_view<96x32xf32, strides=[32, 1]>>
    %cv = make_partition_view %ft : partition_view<tile=(32x32), tensor_view<96x32xf32, strides=[32, 1]>>
    %first = make_token : token
    %last = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%held = %first) -> (token) {
      %now = make_token : token
      %next = addi %k, %one : tile<i32>
      %x, %got = load_view_tko weak %av[%k, %zero] token = %now : partition_view<tile=(32x32), padding_value = zero, tensor_view<96x32xf32, strides=[32, 1]>>, tile<i32> -> tile<32x32xf32>, token
      %y = addf %x, %x : tile<32x32xf32>
      %done = store_view_tko weak %y, %cv[%k, %zero] token = %got : tile<32x32xf32>, partition_view<tile=(32x32), tensor_view<96x32xf32, strides=[32, 1]>>, tile<i32> -> token
      continue %done : token
    }
    return
  }
}
