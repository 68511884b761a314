// One product wants panels of 32 bytes of a tile, another the tile along K: the widest and
// the narrowest swizzle suit only one of them.
// differential: seed=34511 grid=1 warps=8
// differential: scalar i64 0x1
// differential: scalar i32 0x10
// differential: scalar i32 0x40
// differential: array 0 f16 size=1024 start=0 shape=1024 strides=1 whole=1
// differential: scalar i32 0x3a
// differential: array 1 f16 size=1984 start=0 shape=1984 strides=1 whole=1
// differential: scalar i32 0xf
// differential: scalar i32 0x10
// differential: array 2 f16 size=720 start=0 shape=720 strides=1 whole=1
// differential: scalar i32 0x20
// differential: array 3 f16 size=1240 start=0 shape=1240 strides=1 whole=1
// differential: scalar i32 0x1f
// differential: array 4 f32 size=496 start=0 shape=496 strides=1 whole=1
// differential: scalar i32 0x20
// differential: scalar i32 0x1
// differential: array 5 f32 size=256 start=0 shape=256 strides=1 whole=1
// differential: array 6 f32 size=512 start=0 shape=512 strides=1
// differential: scalar i32 0x2
cuda_tile.module @m {
  entry @k(%s1: tile<i64>, %s2: tile<i32>, %s4: tile<i32>, %p6: tile<ptr<f16>>, %s17: tile<i32>, %p19: tile<ptr<f16>>, %s30: tile<i32>, %s32: tile<i32>, %p34: tile<ptr<f16>>, %s38: tile<i32>, %p40: tile<ptr<f16>>, %s44: tile<i32>, %p46: tile<ptr<f32>>, %s50: tile<i32>, %s52: tile<i32>, %p54: tile<ptr<f32>>, %p58: tile<ptr<f32>>, %s64: tile<i32>) {
    %a3 = assume div_by<1>, %s2 : tile<i32>
    %a5 = assume div_by<2>, %s4 : tile<i32>
    %a7 = assume div_by<16>, %p6 : tile<ptr<f16>>
    %t8 = make_tensor_view %a7, shape = [%a3, %a5], strides = [64, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[64, 1]>
    %w9 = make_partition_view %t8 : partition_view<tile=(16x64), padding_value = zero, tensor_view<?x?xf16, strides=[64, 1]>>
    %b10, %b11, %b12 = get_tile_block_id : tile<i32>
    %v14 = constant <i32: 0> : tile<i32>
    %x13, %k15 = load_view_tko weak %w9[%v14, %b10] : partition_view<tile=(16x64), padding_value = zero, tensor_view<?x?xf16, strides=[64, 1]>>, tile<i32> -> tile<16x64xf16>, token
    %v16 = permute %x13 [1, 0] : tile<16x64xf16> -> tile<64x16xf16>
    %a18 = assume div_by<2>, %s17 : tile<i32>
    %a20 = assume div_by<16>, %p19 : tile<ptr<f16>>
    %t21 = make_tensor_view %a20, shape = [31, %a18], strides = [64, 1] : tile<i32> -> tensor_view<31x?xf16, strides=[64, 1]>
    %w22 = make_partition_view %t21 : partition_view<tile=(32x64), padding_value = zero, tensor_view<31x?xf16, strides=[64, 1]>>
    %b23, %b24, %b25 = get_tile_block_id : tile<i32>
    %v27 = constant <i32: 0> : tile<i32>
    %x26, %k28 = load_view_tko weak %w22[%v27, %b23] : partition_view<tile=(32x64), padding_value = zero, tensor_view<31x?xf16, strides=[64, 1]>>, tile<i32> -> tile<32x64xf16>, token
    %v29 = permute %x26 [1, 0] : tile<32x64xf16> -> tile<64x32xf16>
    %a31 = assume div_by<1>, %s30 : tile<i32>
    %a33 = assume div_by<2>, %s32 : tile<i32>
    %a35 = assume div_by<16>, %p34 : tile<ptr<f16>>
    %t36 = make_tensor_view %a35, shape = [2, %a31, %a33], strides = [360, 24, 1] : tile<i32> -> tensor_view<2x?x?xf16, strides=[360, 24, 1]>
    %w37 = make_partition_view %t36 : partition_view<tile=(1x16x16), padding_value = zero, tensor_view<2x?x?xf16, strides=[360, 24, 1]>>
    %a39 = assume div_by<2>, %s38 : tile<i32>
    %a41 = assume div_by<16>, %p40 : tile<ptr<f16>>
    %t42 = make_tensor_view %a41, shape = [31, %a39], strides = [40, 1] : tile<i32> -> tensor_view<31x?xf16, strides=[40, 1]>
    %w43 = make_partition_view %t42 : partition_view<tile=(16x32), padding_value = zero, tensor_view<31x?xf16, strides=[40, 1]>>
    %a45 = assume div_by<1>, %s44 : tile<i32>
    %a47 = assume div_by<16>, %p46 : tile<ptr<f32>>
    %t48 = make_tensor_view %a47, shape = [%a45, 1], strides = [16, 1] : tile<i32> -> tensor_view<?x1xf32, strides=[16, 1]>
    %w49 = make_partition_view %t48 : partition_view<tile=(16x1), padding_value = zero, tensor_view<?x1xf32, strides=[16, 1]>>
    %a51 = assume div_by<1>, %s50 : tile<i32>
    %a53 = assume div_by<1>, %s52 : tile<i32>
    %a55 = assume div_by<16>, %p54 : tile<ptr<f32>>
    %t56 = make_tensor_view %a55, shape = [%a51, %a53], strides = [8, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[8, 1]>
    %w57 = make_partition_view %t56 : partition_view<tile=(16x1), padding_value = zero, tensor_view<?x?xf32, strides=[8, 1]>>
    %t59 = make_tensor_view %p58, shape = [32, 16], strides = [16, 1] : tensor_view<32x16xf32, strides=[16, 1]>
    %w60 = make_partition_view %t59 : partition_view<tile=(16x16), tensor_view<32x16xf32, strides=[16, 1]>>
    %v61 = constant <f32: 0x00000000> : tile<64x16xf32>
    %v62 = constant <f32: 0x00000000> : tile<64x32xf32>
    %v63 = constant <i32: 0> : tile<i32>
    %v65 = constant <i32: 1> : tile<i32>
    %r69, %r70 = for %i66 in (%v63 to %s64, step %v65) : tile<i32> iter_values(%c67 = %v61, %c68 = %v62) -> (tile<64x16xf32>, tile<64x32xf32>) {
    %v72 = constant <i32: 0> : tile<i32>
    %x71, %k73 = load_view_tko weak %w37[%i66, %v72, %v72] : partition_view<tile=(1x16x16), padding_value = zero, tensor_view<2x?x?xf16, strides=[360, 24, 1]>>, tile<i32> -> tile<1x16x16xf16>, token
    %v74 = reshape %x71 : tile<1x16x16xf16> -> tile<16x16xf16>
    %v76 = constant <i32: 0> : tile<i32>
    %x75, %k77 = load_view_tko weak %w43[%i66, %v76] {tileas.plan = {engine = "cp_async", slots = 2 : i64, ahead = 1 : i64}} : partition_view<tile=(16x32), padding_value = zero, tensor_view<31x?xf16, strides=[40, 1]>>, tile<i32> -> tile<16x32xf16>, token
    %v78 = permute %v74 [1, 0] : tile<16x16xf16> -> tile<16x16xf16>
    %v79 = constant <f32: 0x00000000> : tile<64x16xf32>
    %v80 = mmaf %v16, %v78, %v79 : tile<64x16xf16>, tile<16x16xf16>, tile<64x16xf32>
    %v82 = constant <i32: 0> : tile<i32>
    %x81, %k83 = load_view_tko weak %w49[%i66, %v82] : partition_view<tile=(16x1), padding_value = zero, tensor_view<?x1xf32, strides=[16, 1]>>, tile<i32> -> tile<16x1xf32>, token
    %v84 = permute %x81 [1, 0] : tile<16x1xf32> -> tile<1x16xf32>
    %v85 = broadcast %v84 : tile<1x16xf32> -> tile<64x16xf32>
    %v86 = subf %v80, %v85 : tile<64x16xf32>
    %v87 = constant <f32: 0xC0000000> : tile<64x16xf32>
    %v88 = maxf %v86, %v87  : tile<64x16xf32>
    %v89 = constant <f32: 0x40000000> : tile<64x16xf32>
    %v90 = minf %v88, %v89  : tile<64x16xf32>
    %v91 = permute %x75 [1, 0] : tile<16x32xf16> -> tile<32x16xf16>
    %v92 = constant <f32: 0x00000000> : tile<64x16xf32>
    %v93 = mmaf %v29, %v91, %v92 : tile<64x32xf16>, tile<32x16xf16>, tile<64x16xf32>
    %v95 = constant <i32: 0> : tile<i32>
    %x94, %k96 = load_view_tko weak %w57[%i66, %v95] : partition_view<tile=(16x1), padding_value = zero, tensor_view<?x?xf32, strides=[8, 1]>>, tile<i32> -> tile<16x1xf32>, token
    %v97 = permute %x94 [1, 0] : tile<16x1xf32> -> tile<1x16xf32>
    %v98 = broadcast %v97 : tile<1x16xf32> -> tile<64x16xf32>
    %v99 = subf %v93, %v98 : tile<64x16xf32>
    %v100 = constant <f32: 0xC0000000> : tile<64x16xf32>
    %v101 = maxf %v99, %v100  : tile<64x16xf32>
    %v102 = constant <f32: 0x40000000> : tile<64x16xf32>
    %v103 = minf %v101, %v102  : tile<64x16xf32>
    %v104 = mulf %v90, %v103 : tile<64x16xf32>
    %v105 = ftof %v90  : tile<64x16xf32> -> tile<64x16xf16>
    %v106 = ftof %v104  : tile<64x16xf32> -> tile<64x16xf16>
    %v107 = permute %v106 [1, 0] : tile<64x16xf16> -> tile<16x64xf16>
    %v108 = mmaf %v106, %v74, %c67 : tile<64x16xf16>, tile<16x16xf16>, tile<64x16xf32>
    %v109 = mmaf %v105, %x75, %c68 : tile<64x16xf16>, tile<16x32xf16>, tile<64x32xf32>
    %v110 = constant <f32: 0x00000000> : tile<16x16xf32>
    %v111 = mmaf %v107, %v16, %v110 : tile<16x64xf16>, tile<64x16xf16>, tile<16x16xf32>
    %b112, %b113, %b114 = get_tile_block_id : tile<i32>
    %v115 = constant <i32: 0> : tile<i32>
    %v116 = cmpi equal %b112, %v115, signed : tile<i32> -> tile<i1>
    if %v116 {
      %k117 = store_view_tko weak %v111, %w60[%i66, %v115] : tile<16x16xf32>, partition_view<tile=(16x16), tensor_view<32x16xf32, strides=[16, 1]>>, tile<i32> -> token
    }
      continue %v108, %v109 : tile<64x16xf32>, tile<64x32xf32>
    }
    return
  }
}
