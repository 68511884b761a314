// Behind a loop that only `break` ends, tiles go through shared memory.
// differential: seed=7 grid=1 warps=4
// differential: array 0 i32 size=1024 start=0 shape=1024 strides=1
// differential: array 1 i32 size=1024 start=0 shape=1024 strides=1
cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %t = make_tensor_view %p, shape = [32, 32], strides = [32, 1] : tensor_view<32x32xi32, strides=[32,1]>
    %v = make_partition_view %t : partition_view<tile=(32x32), tensor_view<32x32xi32, strides=[32,1]>>
    %u = make_tensor_view %q, shape = [32, 32], strides = [32, 1] : tensor_view<32x32xi32, strides=[32,1]>
    %w = make_partition_view %u : partition_view<tile=(32x32), tensor_view<32x32xi32, strides=[32,1]>>
    %x, %k1 = load_view_tko weak %v[%zero, %zero] : partition_view<tile=(32x32), tensor_view<32x32xi32, strides=[32,1]>>, tile<i32> -> tile<32x32xi32>, token
    %n = loop iter_values(%i = %zero) : tile<i32> -> tile<i32> {
      %last = cmpi greater_than_or_equal %i, %one, signed : tile<i32> -> tile<i1>
      if %last {
        break %i : tile<i32>
      }
      %next = addi %i, %one : tile<i32>
      continue %next : tile<i32>
    }
    %transposed = permute %x [1, 0] : tile<32x32xi32> -> tile<32x32xi32>
    %k2 = store_view_tko weak %transposed, %w[%zero, %zero] : tile<32x32xi32>, partition_view<tile=(32x32), tensor_view<32x32xi32, strides=[32,1]>>, tile<i32> -> token
    return
  }
}
