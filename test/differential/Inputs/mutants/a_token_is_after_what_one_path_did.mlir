// a token is after what one path did: emulator (sm_80): race: k: ptx line 92: ld.global.b32 %r13, [%rd31+512];: race: block 0, warp 1 reads global memory at 0x563358172f00 (byte 768 of k_param_0: float32[256] (0x563358172c00 to 0x563358173000)) that block 0, warp 0 wrote at line 68 (st.global.b32 [%rd17], -1016295243;) with no barrier between
// differential: seed=48565 grid=1 warps=2
// differential: array 0 f32 size=256 start=0 shape=256 strides=1
// differential: array 1 f32 size=136 start=8 shape=128 strides=1
// differential: scalar i32 0x1
// differential: scalar i32 0x0
// differential: array 2 f32 size=128 start=0 shape=128 strides=1
// differential: array 3 f32 size=128 start=0 shape=128 strides=1
// differential: array 4 f32 size=128 start=0 shape=128 strides=1
// differential: scalar i32 0x80
// differential: array 5 f32 size=127 start=0 shape=8x8 strides=16,2
// differential: scalar i64 0x8
// differential: scalar i64 0x8
// differential: scalar i64 0x10
cuda_tile.module @m {
  entry @k(%p1: tile<ptr<f32>>, %p22: tile<ptr<f32>>, %s34: tile<i32>, %s72: tile<i32>, %p105: tile<ptr<f32>>, %p131: tile<ptr<f32>>, %p156: tile<ptr<f32>>, %s161: tile<i32>, %p167: tile<ptr<f32>>, %s169: tile<i64>, %s171: tile<i64>, %s173: tile<i64>) {
    %v2 = assume div_by<8>, %p1 : tile<ptr<f32>>
    %v3 = iota : tile<16xi32>
    %v4 = reshape %v3 : tile<16xi32> -> tile<16x1xi32>
    %v5 = broadcast %v4 : tile<16x1xi32> -> tile<16x8xi32>
    %v6 = constant <i32: 1> : tile<16x8xi32>
    %v7 = muli %v5, %v6 : tile<16x8xi32>
    %v8 = iota : tile<8xi32>
    %v9 = reshape %v8 : tile<8xi32> -> tile<1x8xi32>
    %v10 = broadcast %v9 : tile<1x8xi32> -> tile<16x8xi32>
    %v11 = constant <i32: 16> : tile<16x8xi32>
    %v12 = muli %v10, %v11 : tile<16x8xi32>
    %v13 = addi %v7, %v12 : tile<16x8xi32>
    %v14 = constant <i32: 128> : tile<i32>
    %b15, %b16, %b17 = get_tile_block_id : tile<i32>
    %v18 = muli %b15, %v14 : tile<i32>
    %v19 = reshape %v18 : tile<i32> -> tile<1x1xi32>
    %v20 = broadcast %v19 : tile<1x1xi32> -> tile<16x8xi32>
    %v21 = addi %v20, %v13 : tile<16x8xi32>
    %v23 = assume div_by<4>, %p22 : tile<ptr<f32>>
    %v24 = reshape %v23 : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %v25 = broadcast %v24 : tile<1x1xptr<f32>> -> tile<16x8xptr<f32>>
    %v26 = offset %v25, %v21 : tile<16x8xptr<f32>>, tile<16x8xi32> -> tile<16x8xptr<f32>>
    %v29 = constant <f32: 0xBD9DDDFB> : tile<16x8xf32>
    %v30 = constant <i32: 128> : tile<16x8xi32>
    %v31 = cmpi greater_than %v30, %v21, signed : tile<16x8xi32> -> tile<16x8xi1>
    %v27, %k28 = load_ptr_tko weak %v26, %v31, %v29 : tile<16x8xptr<f32>>, tile<16x8xi1>, tile<16x8xf32> -> tile<16x8xf32>, token
    %v32 = constant <i32: -3> : tile<i32>
    %v33 = constant <i32: -2> : tile<i32>
    %k35 = make_token : token
    %c42, %c43, %c44, %k37 = for %i38 in (%v32 to %v33, step %s34) : tile<i32> iter_values(%c39 = %v27, %c40 = %v27, %c41 = %v27, %k36 = %k35) -> (tile<16x8xf32>, tile<16x8xf32>, tile<16x8xf32>, token) {
      %v45 = iota : tile<1xi32>
      %v46 = reshape %v45 : tile<1xi32> -> tile<1x1xi32>
      %v47 = broadcast %v46 : tile<1x1xi32> -> tile<1x64xi32>
      %v48 = constant <i32: 1> : tile<1x64xi32>
      %v49 = muli %v47, %v48 : tile<1x64xi32>
      %v50 = iota : tile<64xi32>
      %v51 = reshape %v50 : tile<64xi32> -> tile<1x64xi32>
      %v52 = constant <i32: 1> : tile<1x64xi32>
      %v53 = muli %v51, %v52 : tile<1x64xi32>
      %v54 = addi %v49, %v53 : tile<1x64xi32>
      %b55, %b56, %b57 = get_tile_block_id : tile<i32>
      %v58 = constant <i32: 256> : tile<i32>
      %v59 = muli %b55, %v58 : tile<i32>
      %v60 = constant <i32: 174> : tile<i32>
      %v61 = addi %v59, %v60 : tile<i32>
      %v62 = offset %v2, %v61 : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
      %v63 = reshape %v62 : tile<ptr<f32>> -> tile<1x1xptr<f32>>
      %v64 = broadcast %v63 : tile<1x1xptr<f32>> -> tile<1x64xptr<f32>>
      %v65 = offset %v64, %v54 : tile<1x64xptr<f32>>, tile<1x64xi32> -> tile<1x64xptr<f32>>
      %v66 = constant <f32: 0xC36C90B5> : tile<1x64xf32>
      %k67 = store_ptr_tko weak %v65, %v66 token = %k36 : tile<1x64xptr<f32>>, tile<1x64xf32> -> token
      continue %c41, %c41, %c40, %k67 : tile<16x8xf32>, tile<16x8xf32>, tile<16x8xf32>, token
    }
    %v68 = constant <i32: 128> : tile<i32>
    %v69 = offset %v2, %v68 : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %t70 = make_tensor_view %v69, shape = [8, 16], strides = [16, 1] : tensor_view<8x16xf32, strides=[16,1]>
    %w71 = make_partition_view %t70 : partition_view<tile=(8x8), tensor_view<8x16xf32, strides=[16,1]>>
    %v73 = constant <i32: 2> : tile<i32>
    %b74, %b75, %b76 = get_tile_block_id : tile<i32>
    %v77 = remi %b74, %v73 unsigned : tile<i32>
    %b78, %b79, %b80 = get_tile_block_id : tile<i32>
    %v81 = constant <i32: 2> : tile<i32>
    %v82 = muli %b78, %v81 : tile<i32>
    %v83 = addi %v82, %s72 : tile<i32>
    %v84, %k85 = load_view_tko weak %w71[%v83, %v77] token = %k37 : partition_view<tile=(8x8), tensor_view<8x16xf32, strides=[16,1]>>, tile<i32> -> tile<8x8xf32>, token
    %v86 = iota : tile<16xi32>
    %v87 = reshape %v86 : tile<16xi32> -> tile<16x1xi32>
    %v88 = broadcast %v87 : tile<16x1xi32> -> tile<16x8xi32>
    %v89 = constant <i32: 1> : tile<16x8xi32>
    %v90 = muli %v88, %v89 : tile<16x8xi32>
    %v91 = iota : tile<8xi32>
    %v92 = reshape %v91 : tile<8xi32> -> tile<1x8xi32>
    %v93 = broadcast %v92 : tile<1x8xi32> -> tile<16x8xi32>
    %v94 = constant <i32: 16> : tile<16x8xi32>
    %v95 = muli %v93, %v94 : tile<16x8xi32>
    %v96 = addi %v90, %v95 : tile<16x8xi32>
    %v97 = constant <i32: 128> : tile<i32>
    %b98, %b99, %b100 = get_tile_block_id : tile<i32>
    %v101 = muli %b98, %v97 : tile<i32>
    %v102 = reshape %v101 : tile<i32> -> tile<1x1xi32>
    %v103 = broadcast %v102 : tile<1x1xi32> -> tile<16x8xi32>
    %v104 = addi %v103, %v96 : tile<16x8xi32>
    %v106 = reshape %p105 : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %v107 = broadcast %v106 : tile<1x1xptr<f32>> -> tile<16x8xptr<f32>>
    %v108 = offset %v107, %v104 : tile<16x8xptr<f32>>, tile<16x8xi32> -> tile<16x8xptr<f32>>
    %v109 = constant <i32: 128> : tile<16x8xi32>
    %v110 = cmpi greater_than %v109, %v104, signed : tile<16x8xi32> -> tile<16x8xi1>
    %k111 = store_ptr_tko weak %v108, %c42, %v110 : tile<16x8xptr<f32>>, tile<16x8xf32>, tile<16x8xi1> -> token
    %v112 = iota : tile<16xi32>
    %v113 = reshape %v112 : tile<16xi32> -> tile<16x1xi32>
    %v114 = broadcast %v113 : tile<16x1xi32> -> tile<16x8xi32>
    %v115 = constant <i32: 1> : tile<16x8xi32>
    %v116 = muli %v114, %v115 : tile<16x8xi32>
    %v117 = iota : tile<8xi32>
    %v118 = reshape %v117 : tile<8xi32> -> tile<1x8xi32>
    %v119 = broadcast %v118 : tile<1x8xi32> -> tile<16x8xi32>
    %v120 = constant <i32: 16> : tile<16x8xi32>
    %v121 = muli %v119, %v120 : tile<16x8xi32>
    %v122 = addi %v116, %v121 : tile<16x8xi32>
    %v123 = constant <i32: 128> : tile<i32>
    %b124, %b125, %b126 = get_tile_block_id : tile<i32>
    %v127 = muli %b124, %v123 : tile<i32>
    %v128 = reshape %v127 : tile<i32> -> tile<1x1xi32>
    %v129 = broadcast %v128 : tile<1x1xi32> -> tile<16x8xi32>
    %v130 = addi %v129, %v122 : tile<16x8xi32>
    %v132 = assume div_by<8>, %p131 : tile<ptr<f32>>
    %v133 = reshape %v132 : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %v134 = broadcast %v133 : tile<1x1xptr<f32>> -> tile<16x8xptr<f32>>
    %v135 = offset %v134, %v130 : tile<16x8xptr<f32>>, tile<16x8xi32> -> tile<16x8xptr<f32>>
    %k136 = store_ptr_tko weak %v135, %c43 : tile<16x8xptr<f32>>, tile<16x8xf32> -> token
    %v137 = iota : tile<16xi32>
    %v138 = reshape %v137 : tile<16xi32> -> tile<16x1xi32>
    %v139 = broadcast %v138 : tile<16x1xi32> -> tile<16x8xi32>
    %v140 = constant <i32: 1> : tile<16x8xi32>
    %v141 = muli %v139, %v140 : tile<16x8xi32>
    %v142 = iota : tile<8xi32>
    %v143 = reshape %v142 : tile<8xi32> -> tile<1x8xi32>
    %v144 = broadcast %v143 : tile<1x8xi32> -> tile<16x8xi32>
    %v145 = constant <i32: 16> : tile<16x8xi32>
    %v146 = muli %v144, %v145 : tile<16x8xi32>
    %v147 = addi %v141, %v146 : tile<16x8xi32>
    %v148 = constant <i32: 128> : tile<i32>
    %b149, %b150, %b151 = get_tile_block_id : tile<i32>
    %v152 = muli %b149, %v148 : tile<i32>
    %v153 = reshape %v152 : tile<i32> -> tile<1x1xi32>
    %v154 = broadcast %v153 : tile<1x1xi32> -> tile<16x8xi32>
    %v155 = addi %v154, %v147 : tile<16x8xi32>
    %v157 = assume div_by<256>, %p156 : tile<ptr<f32>>
    %v158 = reshape %v157 : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %v159 = broadcast %v158 : tile<1x1xptr<f32>> -> tile<16x8xptr<f32>>
    %v160 = offset %v159, %v155 : tile<16x8xptr<f32>>, tile<16x8xi32> -> tile<16x8xptr<f32>>
    %v162 = assume div_by<8>, %s161 : tile<i32>
    %v163 = reshape %v162 : tile<i32> -> tile<1x1xi32>
    %v164 = broadcast %v163 : tile<1x1xi32> -> tile<16x8xi32>
    %v165 = cmpi greater_than %v164, %v155, signed : tile<16x8xi32> -> tile<16x8xi1>
    %k166 = store_ptr_tko weak %v160, %c44, %v165 : tile<16x8xptr<f32>>, tile<16x8xf32>, tile<16x8xi1> -> token
    %v168 = assume div_by<256>, %p167 : tile<ptr<f32>>
    %v170 = assume div_by<4>, %s169 : tile<i64>
    %v172 = assume div_by<4>, %s171 : tile<i64>
    %v174 = assume div_by<16>, %s173 : tile<i64>
    %t175 = make_tensor_view %v168, shape = [%v170, %v172], strides = [%v174, 2] : tile<i64> -> tensor_view<?x?xf32, strides=[?,2]>
    %w176 = make_partition_view %t175 : partition_view<tile=(8x8), tensor_view<?x?xf32, strides=[?,2]>>
    %b177, %b178, %b179 = get_tile_block_id : tile<i32>
    %v180 = constant <i32: 0> : tile<i32>
    %k181 = store_view_tko weak %v84, %w176[%b177, %v180] : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<?x?xf32, strides=[?,2]>>, tile<i32> -> token
    return
  }
}
