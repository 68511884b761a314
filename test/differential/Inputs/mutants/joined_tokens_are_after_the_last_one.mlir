// joined tokens are after the last one: emulator (sm_80): race: k: ptx line 120: ld.global.b32 %r6, [%rd22+-24];: race: block 0, warp 1 reads global memory at 0x56335a63f104 (byte 516 of k_param_0: float32[256] (0x56335a63ef00 to 0x56335a63f300)) that block 0, warp 0 wrote at line 107 (st.global.b32 [%rd22], %r39;) with no barrier between
// differential: seed=48565 grid=1 warps=2
// differential: array 0 f32 size=256 start=0 shape=256 strides=1
// differential: array 1 i32 size=1535 start=0 shape=32x24 strides=2,64
// differential: scalar i32 0x20
// differential: array 2 f32 size=281 start=1 shape=40x7 strides=1,40
// differential: scalar i32 0x28
// differential: array 3 i32 size=128 start=0 shape=128 strides=1
// differential: array 4 f32 size=128 start=0 shape=128 strides=1
// differential: array 5 f32 size=128 start=0 shape=128 strides=1
// differential: scalar i32 0x80
cuda_tile.module @m {
  entry @k(%p1: tile<ptr<f32>>, %p3: tile<ptr<i32>>, %s5: tile<i32>, %p41: tile<ptr<f32>>, %s42: tile<i32>, %p98: tile<ptr<i32>>, %p124: tile<ptr<f32>>, %p140: tile<ptr<f32>>, %s145: tile<i32>) {
    %v2 = assume div_by<8>, %p1 : tile<ptr<f32>>
    %v4 = assume div_by<256>, %p3 : tile<ptr<i32>>
    %v6 = assume div_by<16>, %s5 : tile<i32>
    %t7 = make_tensor_view %v4, shape = [%v6, 24], strides = [2, 64] : tile<i32> -> tensor_view<?x24xi32, strides=[2,64]>
    %w8 = make_partition_view %t7 : partition_view<tile=(16x8), tensor_view<?x24xi32, strides=[2,64]>>
    %v9 = constant <i32: 2> : tile<i32>
    %b10, %b11, %b12 = get_tile_block_id : tile<i32>
    %v13 = remi %b10, %v9 unsigned : tile<i32>
    %v14 = constant <i32: 0> : tile<i32>
    %v15, %k16 = load_view_tko weak %w8[%v13, %v14] : partition_view<tile=(16x8), tensor_view<?x24xi32, strides=[2,64]>>, tile<i32> -> tile<16x8xi32>, token
    %v17 = iota : tile<8xi32>
    %v18 = reshape %v17 : tile<8xi32> -> tile<8x1xi32>
    %v19 = broadcast %v18 : tile<8x1xi32> -> tile<8x16xi32>
    %v20 = constant <i32: 1> : tile<8x16xi32>
    %v21 = muli %v19, %v20 : tile<8x16xi32>
    %v22 = iota : tile<16xi32>
    %v23 = reshape %v22 : tile<16xi32> -> tile<1x16xi32>
    %v24 = broadcast %v23 : tile<1x16xi32> -> tile<8x16xi32>
    %v25 = constant <i32: 8> : tile<8x16xi32>
    %v26 = muli %v24, %v25 : tile<8x16xi32>
    %v27 = addi %v21, %v26 : tile<8x16xi32>
    %b28, %b29, %b30 = get_tile_block_id : tile<i32>
    %v31 = constant <i32: 256> : tile<i32>
    %v32 = muli %b28, %v31 : tile<i32>
    %v33 = constant <i32: 103> : tile<i32>
    %v34 = addi %v32, %v33 : tile<i32>
    %v35 = offset %v2, %v34 : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %v36 = reshape %v35 : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %v37 = broadcast %v36 : tile<1x1xptr<f32>> -> tile<8x16xptr<f32>>
    %v38 = offset %v37, %v27 : tile<8x16xptr<f32>>, tile<8x16xi32> -> tile<8x16xptr<f32>>
    %v39, %k40 = load_ptr_tko weak %v38 : tile<8x16xptr<f32>> -> tile<8x16xf32>, token
    %v43 = assume div_by<4>, %s42 : tile<i32>
    %t44 = make_tensor_view %p41, shape = [40, 7], strides = [1, %v43] : tile<i32> -> tensor_view<40x7xf32, strides=[1,?]>
    %w45 = make_partition_view %t44 : partition_view<tile=(8x16), padding_value = neg_zero, tensor_view<40x7xf32, strides=[1,?]>, dim_map=[1, 0]>
    %v46 = constant <i32: 1> : tile<i32>
    %b47, %b48, %b49 = get_tile_block_id : tile<i32>
    %v50 = remi %b47, %v46 unsigned : tile<i32>
    %v51 = constant <i32: 1> : tile<i32>
    %v52, %k53 = load_view_tko weak %w45[%v50, %v51] : partition_view<tile=(8x16), padding_value = neg_zero, tensor_view<40x7xf32, strides=[1,?]>, dim_map=[1, 0]>, tile<i32> -> tile<8x16xf32>, token
    %k54 = store_ptr_tko weak %v38, %v52 token = %k40 : tile<8x16xptr<f32>>, tile<8x16xf32> -> token
    %b55, %b56, %b57 = get_tile_block_id : tile<i32>
    %v58 = constant <i32: 0> : tile<i32>
    %v59 = cmpi greater_than %b55, %v58, signed : tile<i32> -> tile<i1>
    %k62 = join_tokens %k54, %k40 : token
    %k61 = if %v59 -> (token) {
      yield %k62 : token
    } else {
      yield %k54 : token
    }
    %v63 = iota : tile<128xi32>
    %v64 = constant <i32: 1> : tile<128xi32>
    %v65 = muli %v63, %v64 : tile<128xi32>
    %b66, %b67, %b68 = get_tile_block_id : tile<i32>
    %v69 = constant <i32: 256> : tile<i32>
    %v70 = muli %b66, %v69 : tile<i32>
    %v71 = constant <i32: 33> : tile<i32>
    %v72 = addi %v70, %v71 : tile<i32>
    %v73 = offset %v2, %v72 : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %v74 = reshape %v73 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %v75 = broadcast %v74 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %v76 = offset %v75, %v65 : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %v77, %k78 = load_ptr_tko weak %v76 token = %k62 : tile<128xptr<f32>> -> tile<128xf32>, token
    %v79 = iota : tile<16xi32>
    %v80 = reshape %v79 : tile<16xi32> -> tile<16x1xi32>
    %v81 = broadcast %v80 : tile<16x1xi32> -> tile<16x8xi32>
    %v82 = constant <i32: 1> : tile<16x8xi32>
    %v83 = muli %v81, %v82 : tile<16x8xi32>
    %v84 = iota : tile<8xi32>
    %v85 = reshape %v84 : tile<8xi32> -> tile<1x8xi32>
    %v86 = broadcast %v85 : tile<1x8xi32> -> tile<16x8xi32>
    %v87 = constant <i32: 16> : tile<16x8xi32>
    %v88 = muli %v86, %v87 : tile<16x8xi32>
    %v89 = addi %v83, %v88 : tile<16x8xi32>
    %v90 = constant <i32: 128> : tile<i32>
    %b91, %b92, %b93 = get_tile_block_id : tile<i32>
    %v94 = muli %b91, %v90 : tile<i32>
    %v95 = reshape %v94 : tile<i32> -> tile<1x1xi32>
    %v96 = broadcast %v95 : tile<1x1xi32> -> tile<16x8xi32>
    %v97 = addi %v96, %v89 : tile<16x8xi32>
    %v99 = reshape %p98 : tile<ptr<i32>> -> tile<1x1xptr<i32>>
    %v100 = broadcast %v99 : tile<1x1xptr<i32>> -> tile<16x8xptr<i32>>
    %v101 = offset %v100, %v97 : tile<16x8xptr<i32>>, tile<16x8xi32> -> tile<16x8xptr<i32>>
    %v102 = constant <i32: 128> : tile<16x8xi32>
    %v103 = cmpi greater_than %v102, %v97, signed : tile<16x8xi32> -> tile<16x8xi1>
    %k104 = store_ptr_tko weak %v101, %v15, %v103 : tile<16x8xptr<i32>>, tile<16x8xi32>, tile<16x8xi1> -> token
    %v105 = iota : tile<8xi32>
    %v106 = reshape %v105 : tile<8xi32> -> tile<8x1xi32>
    %v107 = broadcast %v106 : tile<8x1xi32> -> tile<8x16xi32>
    %v108 = constant <i32: 1> : tile<8x16xi32>
    %v109 = muli %v107, %v108 : tile<8x16xi32>
    %v110 = iota : tile<16xi32>
    %v111 = reshape %v110 : tile<16xi32> -> tile<1x16xi32>
    %v112 = broadcast %v111 : tile<1x16xi32> -> tile<8x16xi32>
    %v113 = constant <i32: 8> : tile<8x16xi32>
    %v114 = muli %v112, %v113 : tile<8x16xi32>
    %v115 = addi %v109, %v114 : tile<8x16xi32>
    %v116 = constant <i32: 128> : tile<i32>
    %b117, %b118, %b119 = get_tile_block_id : tile<i32>
    %v120 = muli %b117, %v116 : tile<i32>
    %v121 = reshape %v120 : tile<i32> -> tile<1x1xi32>
    %v122 = broadcast %v121 : tile<1x1xi32> -> tile<8x16xi32>
    %v123 = addi %v122, %v115 : tile<8x16xi32>
    %v125 = assume div_by<8>, %p124 : tile<ptr<f32>>
    %v126 = reshape %v125 : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %v127 = broadcast %v126 : tile<1x1xptr<f32>> -> tile<8x16xptr<f32>>
    %v128 = offset %v127, %v123 : tile<8x16xptr<f32>>, tile<8x16xi32> -> tile<8x16xptr<f32>>
    %k129 = store_ptr_tko weak %v128, %v39 : tile<8x16xptr<f32>>, tile<8x16xf32> -> token
    %v130 = iota : tile<128xi32>
    %v131 = constant <i32: 1> : tile<128xi32>
    %v132 = constant <i32: 128> : tile<i32>
    %b133, %b134, %b135 = get_tile_block_id : tile<i32>
    %v136 = muli %b133, %v132 : tile<i32>
    %v137 = reshape %v136 : tile<i32> -> tile<1xi32>
    %v138 = broadcast %v137 : tile<1xi32> -> tile<128xi32>
    %v139 = addi %v138, %v130 : tile<128xi32>
    %v141 = assume div_by<4>, %p140 : tile<ptr<f32>>
    %v142 = reshape %v141 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %v143 = broadcast %v142 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %v144 = offset %v143, %v139 : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %v146 = assume div_by<8>, %s145 : tile<i32>
    %v147 = reshape %v146 : tile<i32> -> tile<1xi32>
    %v148 = broadcast %v147 : tile<1xi32> -> tile<128xi32>
    %v149 = cmpi greater_than %v148, %v139, signed : tile<128xi32> -> tile<128xi1>
    %k150 = store_ptr_tko weak %v144, %v77, %v149 : tile<128xptr<f32>>, tile<128xf32>, tile<128xi1> -> token
    return
  }
}
