// differential: seed=33131 grid=3 warps=8
// differential: array 0 f16 size=241 start=1 shape=4x48 strides=64,1
// differential: scalar i64 0x4
// differential: scalar i64 0x40
// differential: scalar i32 0x40
// differential: array 1 f16 size=22656 start=0 shape=22656 strides=1 whole=1
// differential: scalar i32 0x10
// differential: scalar i32 0x17a
// differential: array 2 f16 size=6144 start=0 shape=6144 strides=1 whole=1
// differential: array 3 f16 size=6144 start=0 shape=6144 strides=1 whole=1
// differential: scalar i32 0x6
// differential: array 4 f32 size=1731 start=4 shape=18x48 strides=96,2
// differential: scalar i32 0x12
// differential: scalar i32 0x30
// differential: scalar i32 0x2
// differential: array 5 f16 size=1312 start=0 shape=16x82 strides=1,16
// differential: scalar i32 0x1
// differential: array 6 i32 size=1 start=0 shape=1 strides=1
// differential: scalar i32 0x0
// differential: array 7 i32 size=9 start=8 shape=1 strides=1
// differential: scalar i32 0x1
// differential: array 8 i32 size=10 start=8 shape=2 strides=1
// differential: array 9 f32 size=1444 start=4 shape=32x45 strides=45,1
// differential: scalar i64 0x2d
// differential: scalar i64 0x1
cuda_tile.module @m {
  entry @k(%p1: tile<ptr<f16>>, %s2: tile<i64>, %s4: tile<i64>, %s24: tile<i32>, %p26: tile<ptr<f16>>, %s30: tile<i32>, %s32: tile<i32>, %p34: tile<ptr<f16>>, %p38: tile<ptr<f16>>, %s55: tile<i32>, %p79: tile<ptr<f32>>, %s80: tile<i32>, %s81: tile<i32>, %s83: tile<i32>, %p94: tile<ptr<f16>>, %s96: tile<i32>, %p109: tile<ptr<i32>>, %s112: tile<i32>, %p121: tile<ptr<i32>>, %s124: tile<i32>, %p132: tile<ptr<i32>>, %p137: tile<ptr<f32>>, %s139: tile<i64>, %s140: tile<i64>) {
    %v3 = assume div_by<4>, %s2 : tile<i64>
    %v5 = assume div_by<16>, %s4 : tile<i64>
    %t6 = make_tensor_view %p1, shape = [%v3, 48], strides = [%v5, 1] : tile<i64> -> tensor_view<?x48xf16, strides=[?,1]>
    %w7 = make_partition_view %t6 : partition_view<tile=(32x16), padding_value = neg_zero, tensor_view<?x48xf16, strides=[?,1]>, dim_map=[1, 0]>
    %v8 = constant <i32: 2> : tile<i32>
    %b9, %b10, %b11 = get_tile_block_id : tile<i32>
    %v12 = remi %b9, %v8 unsigned : tile<i32>
    %v13 = constant <i32: 1> : tile<i32>
    %b14, %b15, %b16 = get_tile_block_id : tile<i32>
    %v17 = remi %b14, %v13 unsigned : tile<i32>
    %v18, %k19 = load_view_tko weak %w7[%v12, %v17] inbounds = [false, false] : partition_view<tile=(32x16), padding_value = neg_zero, tensor_view<?x48xf16, strides=[?,1]>, dim_map=[1, 0]>, tile<i32> -> tile<32x16xf16>, token
    %v20, %v21 = get_tensor_shape %t6 : tensor_view<?x48xf16, strides=[?,1]> -> tile<i32>
    %v22, %v23 = get_index_space_shape %w7 : partition_view<tile=(32x16), padding_value = neg_zero, tensor_view<?x48xf16, strides=[?,1]>, dim_map=[1, 0]> -> tile<i32>
    %a25 = assume div_by<2>, %s24 : tile<i32>
    %a27 = assume div_by<16>, %p26 : tile<ptr<f16>>
    %t28 = make_tensor_view %a27, shape = [6, 59, %a25], strides = [3776, 64, 1] : tile<i32> -> tensor_view<6x59x?xf16, strides=[3776, 64, 1]>
    %w29 = make_partition_view %t28 : partition_view<tile=(1x64x64), padding_value = zero, tensor_view<6x59x?xf16, strides=[3776, 64, 1]>>
    %a31 = assume div_by<1>, %s30 : tile<i32>
    %a33 = assume div_by<2>, %s32 : tile<i32>
    %a35 = assume div_by<16>, %p34 : tile<ptr<f16>>
    %t36 = make_tensor_view %a35, shape = [%a31, %a33], strides = [384, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[384, 1]>
    %w37 = make_partition_view %t36 : partition_view<tile=(16x64), padding_value = zero, tensor_view<?x?xf16, strides=[384, 1]>>
    %a39 = assume div_by<16>, %p38 : tile<ptr<f16>>
    %v40 = iota : tile<64xi32>
    %v41 = reshape %v40 : tile<64xi32> -> tile<64x1xi32>
    %v42 = broadcast %v41 : tile<64x1xi32> -> tile<64x16xi32>
    %v43 = constant <i32: 16> : tile<64x16xi32>
    %v44 = muli %v42, %v43 : tile<64x16xi32>
    %v45 = iota : tile<16xi32>
    %v46 = reshape %v45 : tile<16xi32> -> tile<1x16xi32>
    %v47 = broadcast %v46 : tile<1x16xi32> -> tile<64x16xi32>
    %v48 = addi %v44, %v47 : tile<64x16xi32>
    %v49 = reshape %a39 : tile<ptr<f16>> -> tile<1x1xptr<f16>>
    %v50 = broadcast %v49 : tile<1x1xptr<f16>> -> tile<64x16xptr<f16>>
    %v51 = offset %v50, %v48 : tile<64x16xptr<f16>>, tile<64x16xi32> -> tile<64x16xptr<f16>>
    %v52 = constant <f32: 0x00000000> : tile<64x16xf32>
    %v53 = constant <f32: 0x00000000> : tile<64x16xf32>
    %v54 = constant <i32: 0> : tile<i32>
    %v56 = constant <i32: 2> : tile<i32>
    %r60, %r61 = for %i57 in (%v54 to %s55, step %v56) : tile<i32> iter_values(%c58 = %v52, %c59 = %v53) -> (tile<64x16xf32>, tile<64x16xf32>) {
    %v63 = constant <i32: 0> : tile<i32>
    %x62, %k64 = load_view_tko weak %w29[%i57, %v63, %v63] {tileas.plan = {engine = "cp_async", slots = 3 : i64, ahead = 0 : i64}} : partition_view<tile=(1x64x64), padding_value = zero, tensor_view<6x59x?xf16, strides=[3776, 64, 1]>>, tile<i32> -> tile<1x64x64xf16>, token
    %v65 = reshape %x62 : tile<1x64x64xf16> -> tile<64x64xf16>
    %v67 = constant <i32: 0> : tile<i32>
    %x66, %k68 = load_view_tko weak %w37[%v67, %i57] {tileas.plan = {engine = "cp_async", slots = 3 : i64, ahead = 0 : i64}} : partition_view<tile=(16x64), padding_value = zero, tensor_view<?x?xf16, strides=[384, 1]>>, tile<i32> -> tile<16x64xf16>, token
    %v69 = permute %x66 [1, 0] : tile<16x64xf16> -> tile<64x16xf16>
    %v70 = mmaf %v65, %v69, %c58 : tile<64x64xf16>, tile<64x16xf16>, tile<64x16xf32>
    %v72 = constant <i32: 1024> : tile<i32>
    %v73 = muli %i57, %v72 : tile<i32>
    %v74 = reshape %v73 : tile<i32> -> tile<1x1xi32>
    %v75 = broadcast %v74 : tile<1x1xi32> -> tile<64x16xi32>
    %v76 = offset %v51, %v75 : tile<64x16xptr<f16>>, tile<64x16xi32> -> tile<64x16xptr<f16>>
    %x71, %k77 = load_ptr_tko weak %v76 : tile<64x16xptr<f16>> -> tile<64x16xf16>, token
    %v78 = mmaf %v65, %x71, %c59 : tile<64x64xf16>, tile<64x16xf16>, tile<64x16xf32>
      continue %v70, %v78 : tile<64x16xf32>, tile<64x16xf32>
    }
    %v82 = assume div_by<16>, %s81 : tile<i32>
    %t84 = make_tensor_view %p79, shape = [%s80, %v82], strides = [96, %s83] : tile<i32> -> tensor_view<?x?xf32, strides=[96,?]>
    %w85 = make_partition_view %t84 : partition_view<tile=(16x32), padding_value = neg_zero, tensor_view<?x?xf32, strides=[96,?]>, dim_map=[1, 0]>
    %v86 = constant <i32: 0> : tile<i32>
    %v87 = constant <i32: 0> : tile<i32>
    %v88, %k89 = load_view_tko weak %w85[%v86, %v87] : partition_view<tile=(16x32), padding_value = neg_zero, tensor_view<?x?xf32, strides=[96,?]>, dim_map=[1, 0]>, tile<i32> -> tile<16x32xf32>, token
    %v90, %v91 = get_tensor_shape %t84 : tensor_view<?x?xf32, strides=[96,?]> -> tile<i32>
    %v92, %v93 = get_index_space_shape %w85 : partition_view<tile=(16x32), padding_value = neg_zero, tensor_view<?x?xf32, strides=[96,?]>, dim_map=[1, 0]> -> tile<i32>
    %v95 = assume div_by<256>, %p94 : tile<ptr<f16>>
    %t97 = make_tensor_view %v95, shape = [16, 82], strides = [%s96, 16] : tile<i32> -> tensor_view<16x82xf16, strides=[?,16]>
    %w98 = make_partition_view %t97 : partition_view<tile=(32x16), tensor_view<16x82xf16, strides=[?,16]>, dim_map=[1, 0]>
    %b99, %b100, %b101 = get_tile_block_id : tile<i32>
    %v102 = constant <i32: 0> : tile<i32>
    %k103 = store_view_tko weak %v18, %w98[%b99, %v102] : tile<32x16xf16>, partition_view<tile=(32x16), tensor_view<16x82xf16, strides=[?,16]>, dim_map=[1, 0]>, tile<i32> -> token
    %v104 = constant <i32: 1> : tile<i32>
    %b105, %b106, %b107 = get_tile_block_id : tile<i32>
    %v108 = muli %b105, %v104 : tile<i32>
    %v110 = assume div_by<16>, %p109 : tile<ptr<i32>>
    %v111 = offset %v110, %v108 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %v113 = assume div_by<8>, %s112 : tile<i32>
    %v114 = cmpi greater_than %v113, %v108, signed : tile<i32> -> tile<i1>
    %k115 = store_ptr_tko weak %v111, %v91, %v114 : tile<ptr<i32>>, tile<i32>, tile<i1> -> token
    %v116 = constant <i32: 1> : tile<i32>
    %b117, %b118, %b119 = get_tile_block_id : tile<i32>
    %v120 = muli %b117, %v116 : tile<i32>
    %v122 = assume div_by<4>, %p121 : tile<ptr<i32>>
    %v123 = offset %v122, %v120 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %v125 = cmpi less_than %v120, %s124, signed : tile<i32> -> tile<i1>
    %k126 = store_ptr_tko weak %v123, %v92, %v125 : tile<ptr<i32>>, tile<i32>, tile<i1> -> token
    %v127 = constant <i32: 1> : tile<i32>
    %b128, %b129, %b130 = get_tile_block_id : tile<i32>
    %v131 = muli %b128, %v127 : tile<i32>
    %v133 = offset %p132, %v131 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %v134 = constant <i32: 2> : tile<i32>
    %v135 = cmpi greater_than %v134, %v131, signed : tile<i32> -> tile<i1>
    %k136 = store_ptr_tko weak %v133, %v93, %v135 : tile<ptr<i32>>, tile<i32>, tile<i1> -> token
    %v138 = assume div_by<4>, %p137 : tile<ptr<f32>>
    %t141 = make_tensor_view %v138, shape = [32, %s139], strides = [45, %s140] : tile<i64> -> tensor_view<32x?xf32, strides=[45,?]>
    %w142 = make_partition_view %t141 : partition_view<tile=(16x32), tensor_view<32x?xf32, strides=[45,?]>, dim_map=[1, 0]>
    %b143, %b144, %b145 = get_tile_block_id : tile<i32>
    %v146 = constant <i32: 0> : tile<i32>
    %k147 = store_view_tko weak %v88, %w142[%b143, %v146] : tile<16x32xf32>, partition_view<tile=(16x32), tensor_view<32x?xf32, strides=[45,?]>, dim_map=[1, 0]>, tile<i32> -> token
    return
  }
}
