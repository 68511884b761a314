// only the last shared access is pending: emulator (sm_80): race: k: ptx line 1142: ld.shared.v2.b16 {%rs361, %rs362}, [%r188];: race: lane 1 of warp 0 reads shared memory at offset 4 (shared_memory_k+4) of block 1 that lane 0 wrote at line 1102 (st.shared.v4.b32 [%r152], {%r153, %r154, %r155, %r156};), with no barrier or bar.warp.sync between
// differential: seed=40963 grid=2 warps=4
// differential: array 0 i8 size=8191 start=0 shape=256x16 strides=32,2
// differential: scalar i32 0x100
// differential: scalar i32 0x10
// differential: scalar i32 0x20
// differential: array 1 i8 size=49342 start=0 shape=192x128 strides=257,2
// differential: scalar i32 0xc0
// differential: scalar i32 0x80
// differential: scalar i32 0x2
// differential: array 2 i8 size=32895 start=1 shape=128x128 strides=257,2
// differential: scalar i32 0x80
// differential: scalar i32 0x80
// differential: scalar i32 0x101
// differential: scalar i32 0x2
// differential: array 3 i8 size=19530 start=0 shape=128x76 strides=2,257
// differential: scalar i32 0x2
// differential: scalar i32 0x101
// differential: array 4 i8 size=1536 start=0 shape=64x24 strides=24,1
// differential: scalar i32 0x40
// differential: scalar i32 0x18
// differential: array 5 i32 size=3 start=1 shape=2 strides=1
// differential: array 6 i32 size=1 start=0 shape=1 strides=1
// differential: array 7 i32 size=10 start=8 shape=2 strides=1
// differential: array 8 f32 size=2048 start=0 shape=2048 strides=1
// differential: scalar i32 0x800
cuda_tile.module @m {
  entry @k(%p1: tile<ptr<i8>>, %s2: tile<i32>, %s3: tile<i32>, %s5: tile<i32>, %p16: tile<ptr<i8>>, %s18: tile<i32>, %s20: tile<i32>, %s21: tile<i32>, %p34: tile<ptr<i8>>, %s35: tile<i32>, %s37: tile<i32>, %s39: tile<i32>, %s40: tile<i32>, %p53: tile<ptr<i8>>, %s55: tile<i32>, %s56: tile<i32>, %p76: tile<ptr<i8>>, %s77: tile<i32>, %s79: tile<i32>, %p103: tile<ptr<i32>>, %p111: tile<ptr<i32>>, %p122: tile<ptr<i32>>, %p145: tile<ptr<f32>>, %s150: tile<i32>) {
    %v4 = assume div_by<4>, %s3 : tile<i32>
    %t6 = make_tensor_view %p1, shape = [%s2, %v4], strides = [%s5, 2] : tile<i32> -> tensor_view<?x?xi8, strides=[?,2]>
    %w7 = make_partition_view %t6 : partition_view<tile=(128x8), tensor_view<?x?xi8, strides=[?,2]>>
    %v8 = constant <i32: 2> : tile<i32>
    %b9, %b10, %b11 = get_tile_block_id : tile<i32>
    %v12 = remi %b9, %v8 unsigned : tile<i32>
    %v13 = constant <i32: 0> : tile<i32>
    %v14, %k15 = load_view_tko weak %w7[%v12, %v13] inbounds = [false, false] : partition_view<tile=(128x8), tensor_view<?x?xi8, strides=[?,2]>>, tile<i32> -> tile<128x8xi8>, token
    %v17 = assume div_by<4>, %p16 : tile<ptr<i8>>
    %v19 = assume div_by<8>, %s18 : tile<i32>
    %t22 = make_tensor_view %v17, shape = [%v19, %s20], strides = [257, %s21] : tile<i32> -> tensor_view<?x?xi8, strides=[257,?]>
    %w23 = make_partition_view %t22 : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xi8, strides=[257,?]>, dim_map=[1, 0]>
    %v24 = constant <i8: 1> : tile<i8>
    %v25 = constant <i8: 2> : tile<i8>
    %v26, %k27 = load_view_tko weak %w23[%v24, %v25] inbounds = [true, false] : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xi8, strides=[257,?]>, dim_map=[1, 0]>, tile<i8> -> tile<64x64xi8>, token
    %v28 = constant <i8: 7> : tile<64x64xi8>
    %v29 = andi %v26, %v28 : tile<64x64xi8>
    %v30 = constant <i8: 4> : tile<64x64xi8>
    %v31 = subi %v29, %v30 : tile<64x64xi8>
    %v32 = itof %v31 signed : tile<64x64xi8> -> tile<64x64xf16>
    %v33 = permute %v32 [1, 0] : tile<64x64xf16> -> tile<64x64xf16>
    %v36 = assume div_by<16>, %s35 : tile<i32>
    %v38 = assume div_by<16>, %s37 : tile<i32>
    %t41 = make_tensor_view %p34, shape = [%v36, %v38], strides = [%s39, %s40] : tile<i32> -> tensor_view<?x?xi8, strides=[?,?]>
    %w42 = make_partition_view %t41 : partition_view<tile=(64x64), tensor_view<?x?xi8, strides=[?,?]>>
    %v43 = constant <i64: 1> : tile<i64>
    %v44 = constant <i64: 0> : tile<i64>
    %v45, %k46 = load_view_tko weak %w42[%v43, %v44] : partition_view<tile=(64x64), tensor_view<?x?xi8, strides=[?,?]>>, tile<i64> -> tile<64x64xi8>, token
    %v47 = constant <i8: 7> : tile<64x64xi8>
    %v48 = andi %v45, %v47 : tile<64x64xi8>
    %v49 = constant <i8: 4> : tile<64x64xi8>
    %v50 = subi %v48, %v49 : tile<64x64xi8>
    %v51 = itof %v50 signed : tile<64x64xi8> -> tile<64x64xf16>
    %v52 = permute %v51 [1, 0] : tile<64x64xf16> -> tile<64x64xf16>
    %v54 = assume div_by<8>, %p53 : tile<ptr<i8>>
    %t57 = make_tensor_view %v54, shape = [128, 76], strides = [%s55, %s56] : tile<i32> -> tensor_view<128x76xi8, strides=[?,?]>
    %w58 = make_partition_view %t57 : partition_view<tile=(64x64), padding_value = zero, tensor_view<128x76xi8, strides=[?,?]>>
    %v59 = constant <i32: 0> : tile<i32>
    %v60 = constant <i32: 2> : tile<i32>
    %b61, %b62, %b63 = get_tile_block_id : tile<i32>
    %v64 = remi %b61, %v60 unsigned : tile<i32>
    %v65, %k66 = load_view_tko weak %w58[%v59, %v64] : partition_view<tile=(64x64), padding_value = zero, tensor_view<128x76xi8, strides=[?,?]>>, tile<i32> -> tile<64x64xi8>, token
    %v67 = constant <i8: 7> : tile<64x64xi8>
    %v68 = andi %v65, %v67 : tile<64x64xi8>
    %v69 = constant <i8: 4> : tile<64x64xi8>
    %v70 = subi %v68, %v69 : tile<64x64xi8>
    %v71 = itof %v70 signed : tile<64x64xi8> -> tile<64x64xf32>
    %v72 = mmaf %v33, %v52, %v71 : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
    %v73 = constant <f32: 0x41000000> : tile<64x64xf32>
    %v74 = minf %v72, %v73 : tile<64x64xf32>
    %v75 = ftof %v74 : tile<64x64xf32> -> tile<64x64xf16>
    %v78 = assume div_by<16>, %s77 : tile<i32>
    %v80 = assume div_by<8>, %s79 : tile<i32>
    %t81 = make_tensor_view %p76, shape = [%v78, 24], strides = [%v80, 1] : tile<i32> -> tensor_view<?x24xi8, strides=[?,1]>
    %w82 = make_partition_view %t81 : partition_view<tile=(64x16), padding_value = zero, tensor_view<?x24xi8, strides=[?,1]>, dim_map=[0, 1]>
    %v83 = constant <i64: 0> : tile<i64>
    %v84 = constant <i64: 0> : tile<i64>
    %v85, %k86 = load_view_tko weak %w82[%v83, %v84] : partition_view<tile=(64x16), padding_value = zero, tensor_view<?x24xi8, strides=[?,1]>, dim_map=[0, 1]>, tile<i64> -> tile<64x16xi8>, token
    %v87, %v88 = get_tensor_shape %t81 : tensor_view<?x24xi8, strides=[?,1]> -> tile<i32>
    %v89, %v90 = get_index_space_shape %w82 : partition_view<tile=(64x16), padding_value = zero, tensor_view<?x24xi8, strides=[?,1]>, dim_map=[0, 1]> -> tile<i32>
    %v91 = constant <i8: 7> : tile<64x16xi8>
    %v92 = andi %v85, %v91 : tile<64x16xi8>
    %v93 = constant <i8: 4> : tile<64x16xi8>
    %v94 = subi %v92, %v93 : tile<64x16xi8>
    %v95 = itof %v94 signed : tile<64x16xi8> -> tile<64x16xf16>
    %v96 = constant <f32: 0x3F800000> : tile<64x16xf32>
    %v97 = mmaf %v75, %v95, %v96 : tile<64x64xf16>, tile<64x16xf16>, tile<64x16xf32>
    %v98 = constant <i32: 1> : tile<i32>
    %b99, %b100, %b101 = get_tile_block_id : tile<i32>
    %v102 = muli %b99, %v98 : tile<i32>
    %v104 = offset %p103, %v102 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %k105 = store_ptr_tko weak %v104, %v88 : tile<ptr<i32>>, tile<i32> -> token
    %v106 = constant <i32: 1> : tile<i32>
    %b107, %b108, %b109 = get_tile_block_id : tile<i32>
    %v110 = muli %b107, %v106 : tile<i32>
    %v112 = assume div_by<256>, %p111 : tile<ptr<i32>>
    %v113 = offset %v112, %v110 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %v114 = constant <i32: 0> : tile<i32>
    %v115 = cmpi less_than %v110, %v114, signed : tile<i32> -> tile<i1>
    %k116 = store_ptr_tko weak %v113, %v89, %v115 : tile<ptr<i32>>, tile<i32>, tile<i1> -> token
    %v117 = constant <i32: 1> : tile<i32>
    %b118, %b119, %b120 = get_tile_block_id : tile<i32>
    %v121 = muli %b118, %v117 : tile<i32>
    %v123 = assume div_by<4>, %p122 : tile<ptr<i32>>
    %v124 = offset %v123, %v121 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %k125 = store_ptr_tko weak %v124, %v90 : tile<ptr<i32>>, tile<i32> -> token
    %v126 = iota : tile<64xi32>
    %v127 = reshape %v126 : tile<64xi32> -> tile<64x1xi32>
    %v128 = broadcast %v127 : tile<64x1xi32> -> tile<64x16xi32>
    %v129 = constant <i32: 1> : tile<64x16xi32>
    %v130 = muli %v128, %v129 : tile<64x16xi32>
    %v131 = iota : tile<16xi32>
    %v132 = reshape %v131 : tile<16xi32> -> tile<1x16xi32>
    %v133 = broadcast %v132 : tile<1x16xi32> -> tile<64x16xi32>
    %v134 = constant <i32: 64> : tile<64x16xi32>
    %v135 = muli %v133, %v134 : tile<64x16xi32>
    %v136 = addi %v130, %v135 : tile<64x16xi32>
    %v137 = constant <i32: 1024> : tile<i32>
    %b138, %b139, %b140 = get_tile_block_id : tile<i32>
    %v141 = muli %b138, %v137 : tile<i32>
    %v142 = reshape %v141 : tile<i32> -> tile<1x1xi32>
    %v143 = broadcast %v142 : tile<1x1xi32> -> tile<64x16xi32>
    %v144 = addi %v143, %v136 : tile<64x16xi32>
    %v146 = assume div_by<4>, %p145 : tile<ptr<f32>>
    %v147 = reshape %v146 : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %v148 = broadcast %v147 : tile<1x1xptr<f32>> -> tile<64x16xptr<f32>>
    %v149 = offset %v148, %v144 : tile<64x16xptr<f32>>, tile<64x16xi32> -> tile<64x16xptr<f32>>
    %v151 = assume div_by<4>, %s150 : tile<i32>
    %v152 = reshape %v151 : tile<i32> -> tile<1x1xi32>
    %v153 = broadcast %v152 : tile<1x1xi32> -> tile<64x16xi32>
    %v154 = cmpi less_than %v144, %v153, signed : tile<64x16xi32> -> tile<64x16xi1>
    %k155 = store_ptr_tko weak %v149, %v97, %v154 : tile<64x16xptr<f32>>, tile<64x16xf32>, tile<64x16xi1> -> token
    return
  }
}
