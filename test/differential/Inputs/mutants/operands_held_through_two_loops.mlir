// Two operands held in shared memory through two loops, while a transpose needs more of it.
// differential: seed=7 grid=1 warps=4
// differential: array 0 i8 size=2048 start=0 shape=32x64 strides=64,1
// differential: array 1 i8 size=4096 start=0 shape=64x64 strides=64,1
// differential: array 2 i32 size=2048 start=0 shape=32x64 strides=64,1
// differential: array 3 f32 size=2048 start=0 shape=32x64 strides=64,1
// differential: array 4 i32 size=1024 start=0 shape=32x32 strides=32,1
// differential: scalar i32 0x2
cuda_tile.module @m {
  entry @k(%pa: tile<ptr<i8>>, %pb: tile<ptr<i8>>, %pc: tile<ptr<i32>>, %pd: tile<ptr<f32>>, %pe: tile<ptr<i32>>, %n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %mask_a = constant <i8: 3> : tile<32x64xi8>
    %mask_b = constant <i8: 3> : tile<64x64xi8>
    %ta = make_tensor_view %pa, shape = [32, 64], strides = [64, 1] : tensor_view<32x64xi8, strides=[64,1]>
    %wa = make_partition_view %ta : partition_view<tile=(32x64), tensor_view<32x64xi8, strides=[64,1]>>
    %tb = make_tensor_view %pb, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xi8, strides=[64,1]>
    %wb = make_partition_view %tb : partition_view<tile=(64x64), tensor_view<64x64xi8, strides=[64,1]>>
    %te = make_tensor_view %pe, shape = [32, 32], strides = [32, 1] : tensor_view<32x32xi32, strides=[32,1]>
    %we = make_partition_view %te : partition_view<tile=(32x32), tensor_view<32x32xi32, strides=[32,1]>>
    %td = make_tensor_view %pd, shape = [32, 64], strides = [64, 1] : tensor_view<32x64xf32, strides=[64,1]>
    %wd = make_partition_view %td : partition_view<tile=(32x64), tensor_view<32x64xf32, strides=[64,1]>>
    %a8, %k0 = load_view_tko weak %wa[%zero, %zero] : partition_view<tile=(32x64), tensor_view<32x64xi8, strides=[64,1]>>, tile<i32> -> tile<32x64xi8>, token
    %b8, %k1 = load_view_tko weak %wb[%zero, %zero] : partition_view<tile=(64x64), tensor_view<64x64xi8, strides=[64,1]>>, tile<i32> -> tile<64x64xi8>, token
    %e0, %k2 = load_view_tko weak %we[%zero, %zero] : partition_view<tile=(32x32), tensor_view<32x32xi32, strides=[32,1]>>, tile<i32> -> tile<32x32xi32>, token
    %a8m = andi %a8, %mask_a : tile<32x64xi8>
    %b8m = andi %b8, %mask_b : tile<64x64xi8>
    %a = itof %a8m signed : tile<32x64xi8> -> tile<32x64xf16>
    %b = itof %b8m signed : tile<64x64xi8> -> tile<64x64xf16>
    %acc0 = constant <f32: 0.0> : tile<32x64xf32>
    %acc, %e = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%x = %acc0, %t = %e0) -> (tile<32x64xf32>, tile<32x32xi32>) {
      %p = mmaf %a, %b, %x : tile<32x64xf16>, tile<64x64xf16>, tile<32x64xf32>
      %u = for %j in (%zero to %n, step %one) : tile<i32> iter_values(%v = %t) -> (tile<32x32xi32>) {
        %vt = permute %v [1, 0] : tile<32x32xi32> -> tile<32x32xi32>
        %s = addi %vt, %v : tile<32x32xi32>
        continue %s : tile<32x32xi32>
      }
      continue %p, %u : tile<32x64xf32>, tile<32x32xi32>
    }
    %k3 = store_view_tko weak %acc, %wd[%zero, %zero] : tile<32x64xf32>, partition_view<tile=(32x64), tensor_view<32x64xf32, strides=[64,1]>>, tile<i32> -> token
    %k4 = store_view_tko weak %e, %we[%zero, %zero] token = %k2 : tile<32x32xi32>, partition_view<tile=(32x32), tensor_view<32x32xi32, strides=[32,1]>>, tile<i32> -> token
    return
  }
}
