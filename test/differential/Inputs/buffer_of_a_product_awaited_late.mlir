// On sm_100: a buffer is stored for a product that the iteration before still reads, where
// its sum is awaited an iteration later.
// differential: seed=40186 grid=1 warps=8
// differential: array 0 i8 size=1264 start=0 shape=32x24 strides=40,1
// differential: scalar i32 0x28
// differential: scalar i8 0xf
// differential: scalar i32 0x0
// differential: scalar i32 0x1
// differential: array 1 bf16 size=18072 start=0 shape=18072 strides=1 values=whole
// differential: scalar i32 0x40
// differential: array 2 bf16 size=8192 start=0 shape=8192 strides=1 values=whole
// differential: scalar i32 0x40
// differential: array 3 bf16 size=8704 start=0 shape=8704 strides=1 values=whole
// differential: scalar i32 0x2
// differential: array 4 f32 size=1628 start=4 shape=64x25 strides=1,65
// differential: scalar i64 0x40
// differential: scalar i64 0x19
// differential: scalar i64 0x1
// differential: array 5 i8 size=16 start=0 shape=16x1 strides=1,16
// differential: scalar i32 0x10
// differential: scalar i32 0x1
// differential: scalar i32 0x10
// differential: array 6 i8 size=2 start=1 shape=1 strides=1
// differential: scalar i32 0x1
// differential: array 7 i32 size=9 start=8 shape=1 strides=1
// differential: array 8 f32 size=8192 start=0 shape=8192 strides=1
cuda_tile.module @m {
  entry @k(%p1: tile<ptr<i8>>, %s2: tile<i32>, %s14: tile<i8>, %s15: tile<i32>, %s23: tile<i32>, %p26: tile<ptr<bf16>>, %s30: tile<i32>, %p33: tile<ptr<bf16>>, %s37: tile<i32>, %p40: tile<ptr<bf16>>, %s47: tile<i32>, %p84: tile<ptr<f32>>, %s86: tile<i64>, %s87: tile<i64>, %s88: tile<i64>, %p96: tile<ptr<i8>>, %s97: tile<i32>, %s99: tile<i32>, %s100: tile<i32>, %p114: tile<ptr<i8>>, %s116: tile<i32>, %p124: tile<ptr<i32>>, %p146: tile<ptr<f32>>) {
    %v3 = assume div_by<8>, %s2 : tile<i32>
    %t4 = make_tensor_view %p1, shape = [32, 24], strides = [%v3, 1] : tile<i32> -> tensor_view<32x24xi8, strides=[?,1]>
    %w5 = make_partition_view %t4 : partition_view<tile=(8x16), tensor_view<32x24xi8, strides=[?,1]>, dim_map=[1, 0]>
    %v6 = constant <i32: 1> : tile<i32>
    %v7 = constant <i32: 2> : tile<i32>
    %b8, %b9, %b10 = get_tile_block_id : tile<i32>
    %v11 = remi %b8, %v7 unsigned : tile<i32>
    %v12, %k13 = load_view_tko weak %w5[%v6, %v11] : partition_view<tile=(8x16), tensor_view<32x24xi8, strides=[?,1]>, dim_map=[1, 0]>, tile<i32> -> tile<8x16xi8>, token
    %v16 = constant <i32: 1> : tile<i32>
    %v17 = constant <i32: 2> : tile<i32>
    %b18, %b19, %b20 = get_tile_block_id : tile<i32>
    %v21 = addi %b18, %v16 : tile<i32>
    %v22 = divi %v21, %v17 signed : tile<i32>
    %a24 = assume bounded<0, ?>, %s23 : tile<i32>
    %a25 = assume div_by<1>, %a24 : tile<i32>
    %a27 = assume div_by<16>, %p26 : tile<ptr<bf16>>
    %t28 = make_tensor_view %a27, shape = [%a25, 251, 64], strides = [18072, 72, 1] : tile<i32> -> tensor_view<?x251x64xbf16, strides=[18072, 72, 1]>
    %w29 = make_partition_view %t28 : partition_view<tile=(1x128x64), padding_value = zero, tensor_view<?x251x64xbf16, strides=[18072, 72, 1]>>
    %a31 = assume bounded<0, ?>, %s30 : tile<i32>
    %a32 = assume div_by<1>, %a31 : tile<i32>
    %a34 = assume div_by<16>, %p33 : tile<ptr<bf16>>
    %t35 = make_tensor_view %a34, shape = [2, %a32, 64], strides = [4096, 64, 1] : tile<i32> -> tensor_view<2x?x64xbf16, strides=[4096, 64, 1]>
    %w36 = make_partition_view %t35 : partition_view<tile=(1x64x64), padding_value = zero, tensor_view<2x?x64xbf16, strides=[4096, 64, 1]>>
    %a38 = assume bounded<0, ?>, %s37 : tile<i32>
    %a39 = assume div_by<1>, %a38 : tile<i32>
    %a41 = assume div_by<16>, %p40 : tile<ptr<bf16>>
    %t42 = make_tensor_view %a41, shape = [%a39, 128], strides = [136, 1] : tile<i32> -> tensor_view<?x128xbf16, strides=[136, 1]>
    %w43 = make_partition_view %t42 : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x128xbf16, strides=[136, 1]>>
    %v44 = constant <f32: 0x00000000> : tile<64x64xf32>
    %v45 = constant <f32: 0x00000000> : tile<128x64xf32>
    %v46 = constant <i32: 0> : tile<i32>
    %v48 = constant <i32: 1> : tile<i32>
    %r52, %r53 = for %i49 in (%v46 to %s47, step %v48) : tile<i32> iter_values(%c50 = %v44, %c51 = %v45) -> (tile<64x64xf32>, tile<128x64xf32>) {
    %v55 = constant <i32: 0> : tile<i32>
    %x54, %k56 = load_view_tko weak %w29[%v22, %i49, %v55] : partition_view<tile=(1x128x64), padding_value = zero, tensor_view<?x251x64xbf16, strides=[18072, 72, 1]>>, tile<i32> -> tile<1x128x64xbf16>, token
    %v57 = reshape %x54 : tile<1x128x64xbf16> -> tile<128x64xbf16>
    %v59 = constant <i32: 0> : tile<i32>
    %x58, %k60 = load_view_tko weak %w36[%i49, %v59, %v59] : partition_view<tile=(1x64x64), padding_value = zero, tensor_view<2x?x64xbf16, strides=[4096, 64, 1]>>, tile<i32> -> tile<1x64x64xbf16>, token
    %v61 = reshape %x58 : tile<1x64x64xbf16> -> tile<64x64xbf16>
    %v63 = constant <i32: 0> : tile<i32>
    %x62, %k64 = load_view_tko weak %w43[%v63, %i49] : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x128xbf16, strides=[136, 1]>>, tile<i32> -> tile<64x64xbf16>, token
    %v65 = permute %x62 [1, 0] : tile<64x64xbf16> -> tile<64x64xbf16>
    %v66 = permute %v61 [1, 0] : tile<64x64xbf16> -> tile<64x64xbf16>
    %v67 = constant <f32: 0x00000000> : tile<128x64xf32>
    %v68 = mmaf %v57, %v66, %v67 : tile<128x64xbf16>, tile<64x64xbf16>, tile<128x64xf32>
    %v69 = constant <f32: 0xC0000000> : tile<128x64xf32>
    %v70 = maxf %v68, %v69  : tile<128x64xf32>
    %v71 = constant <f32: 0x40000000> : tile<128x64xf32>
    %v72 = minf %v70, %v71  : tile<128x64xf32>
    %v73 = ftof %v72  : tile<128x64xf32> -> tile<128x64xbf16>
    %v74 = constant <f32: 0x00000000> : tile<128x64xf32>
    %v75 = constant <f32: 0xC0000000> : tile<64x64xf32>
    %v76 = maxf %c50, %v75  : tile<64x64xf32>
    %v77 = constant <f32: 0x40000000> : tile<64x64xf32>
    %v78 = minf %v76, %v77  : tile<64x64xf32>
    %v79 = ftof %v78  : tile<64x64xf32> -> tile<64x64xbf16>
    %v80 = mmaf %v57, %v79, %v74 : tile<128x64xbf16>, tile<64x64xbf16>, tile<128x64xf32>
    %v81 = mmaf %v73, %v65, %v80 : tile<128x64xbf16>, tile<64x64xbf16>, tile<128x64xf32>
    %v82 = addf %c51, %v81 : tile<128x64xf32>
    %v83 = mmaf %v66, %v65, %c50 : tile<64x64xbf16>, tile<64x64xbf16>, tile<64x64xf32>
      continue %v83, %v82 : tile<64x64xf32>, tile<128x64xf32>
    }
    %v85 = assume div_by<4>, %p84 : tile<ptr<f32>>
    %t89 = make_tensor_view %v85, shape = [%s86, %s87], strides = [%s88, 65] : tile<i64> -> tensor_view<?x?xf32, strides=[?,65]>
    %w90 = make_partition_view %t89 : partition_view<tile=(64x64), tensor_view<?x?xf32, strides=[?,65]>, dim_map=[1, 0]>
    %b91, %b92, %b93 = get_tile_block_id : tile<i32>
    %v94 = constant <i32: 0> : tile<i32>
    %k95 = store_view_tko weak %r52, %w90[%b91, %v94] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<?x?xf32, strides=[?,65]>, dim_map=[1, 0]>, tile<i32> -> token
    %v98 = assume div_by<4>, %s97 : tile<i32>
    %v101 = assume div_by<16>, %s100 : tile<i32>
    %t102 = make_tensor_view %p96, shape = [%v98, 1], strides = [%s99, %v101] : tile<i32> -> tensor_view<?x1xi8, strides=[?,?]>
    %w103 = make_partition_view %t102 : partition_view<tile=(8x16), tensor_view<?x1xi8, strides=[?,?]>, dim_map=[1, 0]>
    %b104, %b105, %b106 = get_tile_block_id : tile<i32>
    %v107 = constant <i32: 0> : tile<i32>
    %k108 = store_view_tko weak %v12, %w103[%b104, %v107] : tile<8x16xi8>, partition_view<tile=(8x16), tensor_view<?x1xi8, strides=[?,?]>, dim_map=[1, 0]>, tile<i32> -> token
    %v109 = constant <i32: 1> : tile<i32>
    %b110, %b111, %b112 = get_tile_block_id : tile<i32>
    %v113 = muli %b110, %v109 : tile<i32>
    %v115 = offset %p114, %v113 : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>
    %v117 = cmpi less_than %v113, %s116, signed : tile<i32> -> tile<i1>
    %k118 = store_ptr_tko weak %v115, %s14, %v117 : tile<ptr<i8>>, tile<i8>, tile<i1> -> token
    %v119 = constant <i32: 1> : tile<i32>
    %b120, %b121, %b122 = get_tile_block_id : tile<i32>
    %v123 = muli %b120, %v119 : tile<i32>
    %v125 = offset %p124, %v123 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %k126 = store_ptr_tko weak %v125, %s15 : tile<ptr<i32>>, tile<i32> -> token
    %v127 = iota : tile<64xi32>
    %v128 = reshape %v127 : tile<64xi32> -> tile<1x64xi32>
    %v129 = broadcast %v128 : tile<1x64xi32> -> tile<128x64xi32>
    %v130 = constant <i32: 1> : tile<128x64xi32>
    %v131 = muli %v129, %v130 : tile<128x64xi32>
    %v132 = iota : tile<128xi32>
    %v133 = reshape %v132 : tile<128xi32> -> tile<128x1xi32>
    %v134 = broadcast %v133 : tile<128x1xi32> -> tile<128x64xi32>
    %v135 = constant <i32: 64> : tile<128x64xi32>
    %v136 = muli %v134, %v135 : tile<128x64xi32>
    %v137 = addi %v131, %v136 : tile<128x64xi32>
    %v138 = constant <i32: 8192> : tile<i32>
    %b139, %b140, %b141 = get_tile_block_id : tile<i32>
    %v142 = muli %b139, %v138 : tile<i32>
    %v143 = reshape %v142 : tile<i32> -> tile<1x1xi32>
    %v144 = broadcast %v143 : tile<1x1xi32> -> tile<128x64xi32>
    %v145 = addi %v144, %v137 : tile<128x64xi32>
    %v147 = assume div_by<16>, %p146 : tile<ptr<f32>>
    %v148 = reshape %v147 : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %v149 = broadcast %v148 : tile<1x1xptr<f32>> -> tile<128x64xptr<f32>>
    %v150 = offset %v149, %v145 : tile<128x64xptr<f32>>, tile<128x64xi32> -> tile<128x64xptr<f32>>
    %v151 = constant <i32: 8192> : tile<128x64xi32>
    %v152 = cmpi greater_than %v151, %v145, signed : tile<128x64xi32> -> tile<128x64xi1>
    %k153 = store_ptr_tko weak %v150, %r53, %v152 : tile<128x64xptr<f32>>, tile<128x64xf32>, tile<128x64xi1> -> token
    return
  }
}

