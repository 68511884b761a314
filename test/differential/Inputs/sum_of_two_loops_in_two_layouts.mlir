// Warps add to a sum in one loop, warpgroups go on with its transpose in the next one: the
// layout that all these values share is the first product's.
// differential: seed=16 grid=1 warps=4
// differential: array 0 i8 size=1024 start=0 shape=1024 strides=1 whole=1
// differential: array 1 i8 size=4096 start=0 shape=4096 strides=1
// differential: array 2 i32 size=1024 start=0 shape=1024 strides=1 whole=1
// differential: array 3 i32 size=4 start=0 shape=4 strides=1 whole=1
// differential: scalar i32 0x2
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i8>>, %b: tile<ptr<i8>>, %c: tile<ptr<i32>>, %flags: tile<ptr<i32>>, %n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %zeros = constant <i32: 0> : tile<16x64xi32>
    %aa = assume div_by<16>, %a : tile<ptr<i8>>
    %ab = assume div_by<16>, %b : tile<ptr<i8>>
    %at = make_tensor_view %aa, shape = [16, 64], strides = [64, 1] : tensor_view<16x64xi8, strides=[64, 1]>
    %av = make_partition_view %at : partition_view<tile=(16x32), padding_value = zero, tensor_view<16x64xi8, strides=[64, 1]>>
    %bt = make_tensor_view %ab, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xi8, strides=[64, 1]>
    %bv = make_partition_view %bt : partition_view<tile=(32x64), padding_value = zero, tensor_view<64x64xi8, strides=[64, 1]>>
    %before = make_token : token
    %kt = make_tensor_view %ab, shape = [64, 64], strides = [1, 64] : tensor_view<64x64xi8, strides=[1, 64]>
    %kv = make_partition_view %kt : partition_view<tile=(32x64), padding_value = zero, tensor_view<64x64xi8, strides=[1, 64]>>
    %first = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %zeros) -> (tile<16x64xi32>) {
      %x, %gotx = load_view_tko weak %av[%zero, %k] : partition_view<tile=(16x32), padding_value = zero, tensor_view<16x64xi8, strides=[64, 1]>>, tile<i32> -> tile<16x32xi8>, token
      %y, %goty = load_view_tko weak %kv[%k, %zero] token = %before : partition_view<tile=(32x64), padding_value = zero, tensor_view<64x64xi8, strides=[1, 64]>>, tile<i32> -> tile<32x64xi8>, token
      %next = mmai %x, %y, %acc signed signed : tile<16x32xi8>, tile<32x64xi8>, tile<16x64xi32>
      continue %next : tile<16x64xi32>
    }
    %sum = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %first) -> (tile<16x64xi32>) {
      %now = make_token : token
      %x, %gotx = load_view_tko weak %av[%zero, %k] : partition_view<tile=(16x32), padding_value = zero, tensor_view<16x64xi8, strides=[64, 1]>>, tile<i32> -> tile<16x32xi8>, token
      %y, %goty = load_view_tko weak %bv[%k, %zero] token = %before : partition_view<tile=(32x64), padding_value = zero, tensor_view<64x64xi8, strides=[64, 1]>>, tile<i32> -> tile<32x64xi8>, token
      %next = mmai %x, %y, %acc signed signed : tile<16x32xi8>, tile<32x64xi8>, tile<16x64xi32>
      continue %next : tile<16x64xi32>
    }
    %ct = make_tensor_view %c, shape = [16, 64], strides = [64, 1] : tensor_view<16x64xi32, strides=[64, 1]>
    %cv = make_partition_view %ct : partition_view<tile=(16x64), tensor_view<16x64xi32, strides=[64, 1]>>
    %stored = store_view_tko weak %sum, %cv[%zero, %zero] : tile<16x64xi32>, partition_view<tile=(16x64), tensor_view<16x64xi32, strides=[64, 1]>>, tile<i32> -> token
    return
  }
}
