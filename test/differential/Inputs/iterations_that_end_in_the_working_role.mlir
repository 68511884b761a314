// differential: seed=6931 grid=1 warps=1
// differential: array 0 i8 size=2560 start=0 shape=2560 strides=1 whole=1
// differential: array 1 i8 size=5120 start=0 shape=5120 strides=1 whole=1
// differential: array 2 i8 size=5120 start=0 shape=5120 strides=1 whole=1
// differential: array 3 i32 size=512 start=0 shape=512 strides=1
// differential: array 4 i32 size=512 start=0 shape=512 strides=1
// differential: scalar i32 0x5
!a = !cuda_tile.partition_view<tile=(16x32), padding_value = zero, !cuda_tile.tensor_view<16x148xi8, strides=[160, 1]>>
!b = !cuda_tile.partition_view<tile=(32x32), padding_value = zero, !cuda_tile.tensor_view<160x32xi8, strides=[32, 1]>>
!c = !cuda_tile.partition_view<tile=(32x32), padding_value = zero, !cuda_tile.tensor_view<160x32xi8, strides=[32, 1]>, dim_map=[1, 0]>
!out = !cuda_tile.partition_view<tile=(16x32), !cuda_tile.tensor_view<16x32xi32, strides=[32, 1]>>
cuda_tile.module @m {
  // One load stands between two places where an iteration may end; the seed plans a role
  // that loads.
  entry @k(%p: tile<ptr<i8>>, %q: tile<ptr<i8>>, %r: tile<ptr<i8>>, %s: tile<ptr<i32>>, %u: tile<ptr<i32>>, %n: tile<i32>) {
    %pa = assume div_by<16>, %p : tile<ptr<i8>>
    %pb = assume div_by<16>, %q : tile<ptr<i8>>
    %pc = assume div_by<16>, %r : tile<ptr<i8>>
    %ta = make_tensor_view %pa, shape = [16, 148], strides = [160, 1] : tensor_view<16x148xi8, strides=[160, 1]>
    %tb = make_tensor_view %pb, shape = [160, 32], strides = [32, 1] : tensor_view<160x32xi8, strides=[32, 1]>
    %tc = make_tensor_view %pc, shape = [160, 32], strides = [32, 1] : tensor_view<160x32xi8, strides=[32, 1]>
    %td = make_tensor_view %s, shape = [16, 32], strides = [32, 1] : tensor_view<16x32xi32, strides=[32, 1]>
    %te = make_tensor_view %u, shape = [16, 32], strides = [32, 1] : tensor_view<16x32xi32, strides=[32, 1]>
    %va = make_partition_view %ta : !a
    %vb = make_partition_view %tb : !b
    %vc = make_partition_view %tc : !c
    %vd = make_partition_view %td : !out
    %ve = make_partition_view %te : !out
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %three = constant <i32: 3> : tile<i32>
    %zeros = constant <i32: 0> : tile<16x32xi32>
    %f, %g = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%x = %zeros, %y = %zeros) -> (tile<16x32xi32>, tile<16x32xi32>) {
      %a, %ka = load_view_tko weak %va[%zero, %i] {tileas.plan = {engine = "cp_async", slots = 3 : i64, ahead = 3 : i64}} : !a, tile<i32> -> tile<16x32xi8>, token
      %b, %kb = load_view_tko weak %vb[%i, %zero] : !b, tile<i32> -> tile<32x32xi8>, token
      %n1 = negi %b : tile<32x32xi8>
      %x1 = mmai %a, %n1, %x signed signed : tile<16x32xi8>, tile<32x32xi8>, tile<16x32xi32>
      %rest = remi %i, %three signed : tile<i32>
      %ends = cmpi equal %rest, %one, signed : tile<i32> -> tile<i1>
      if %ends {
        continue %x1, %y : tile<16x32xi32>, tile<16x32xi32>
      }
      %c, %kc = load_view_tko weak %vc[%zero, %i] {tileas.plan = {engine = "cp_async", slots = 3 : i64, ahead = 3 : i64}} : !c, tile<i32> -> tile<32x32xi8>, token
      %y1 = mmai %a, %c, %y signed signed : tile<16x32xi8>, tile<32x32xi8>, tile<16x32xi32>
      continue %x1, %y1 : tile<16x32xi32>, tile<16x32xi32>
    }
    %k1 = store_view_tko weak %f, %vd[%zero, %zero] : tile<16x32xi32>, !out, tile<i32> -> token
    %k2 = store_view_tko weak %g, %ve[%zero, %zero] : tile<16x32xi32>, !out, tile<i32> -> token
    return
  }
}
