// The right operand is stored in shared memory before the loop and read by each iteration,
// which then sends its sums through shared memory too.
// differential: seed=8 grid=1 warps=4
// differential: array 0 i8 size=1024 start=0 shape=1024 strides=1
// differential: array 1 i8 size=1024 start=0 shape=1024 strides=1
// differential: array 2 f32 size=1024 start=0 shape=1024 strides=1
// differential: scalar i32 0x3
cuda_tile.module @m {
  entry @k(%p: tile<ptr<i8>>, %q: tile<ptr<i8>>, %r: tile<ptr<f32>>, %n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %t = make_tensor_view %p, shape = [32, 32], strides = [32, 1] : tensor_view<32x32xi8, strides=[32,1]>
    %v = make_partition_view %t : partition_view<tile=(32x32), tensor_view<32x32xi8, strides=[32,1]>>
    %u = make_tensor_view %q, shape = [32, 32], strides = [32, 1] : tensor_view<32x32xi8, strides=[32,1]>
    %w = make_partition_view %u : partition_view<tile=(32x32), tensor_view<32x32xi8, strides=[32,1]>>
    %s = make_tensor_view %r, shape = [32, 32], strides = [32, 1] : tensor_view<32x32xf32, strides=[32,1]>
    %z = make_partition_view %s : partition_view<tile=(32x32), tensor_view<32x32xf32, strides=[32,1]>>
    %a8, %k1 = load_view_tko weak %v[%zero, %zero] : partition_view<tile=(32x32), tensor_view<32x32xi8, strides=[32,1]>>, tile<i32> -> tile<32x32xi8>, token
    %b8, %k2 = load_view_tko weak %w[%zero, %zero] : partition_view<tile=(32x32), tensor_view<32x32xi8, strides=[32,1]>>, tile<i32> -> tile<32x32xi8>, token
    %three = constant <i8: 3> : tile<32x32xi8>
    %a3 = andi %a8, %three : tile<32x32xi8>
    %b3 = andi %b8, %three : tile<32x32xi8>
    %a = itof %a3 signed : tile<32x32xi8> -> tile<32x32xf16>
    %b = itof %b3 signed : tile<32x32xi8> -> tile<32x32xf16>
    %start = constant <f32: 0.0> : tile<32x32xf32>
    %total = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %start) -> (tile<32x32xf32>) {
      %sum = mmaf %a, %b, %acc : tile<32x32xf16>, tile<32x32xf16>, tile<32x32xf32>
      %transposed = permute %sum [1, 0] : tile<32x32xf32> -> tile<32x32xf32>
      %both = addf %sum, %transposed : tile<32x32xf32>
      continue %both : tile<32x32xf32>
    }
    %k3 = store_view_tko weak %total, %z[%zero, %zero] : tile<32x32xf32>, partition_view<tile=(32x32), tensor_view<32x32xf32, strides=[32,1]>>, tile<i32> -> token
    return
  }
}
