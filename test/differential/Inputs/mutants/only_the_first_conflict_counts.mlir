// only the first conflict counts
// differential: seed=40963 grid=1 warps=2
// differential: array 0 i32 size=2303 start=0 shape=8x256 strides=1,9
// differential: scalar i32 0x8
// differential: array 1 i32 size=4863 start=0 shape=256x18 strides=19,1
// differential: scalar i64 0x1
// differential: array 2 i8 size=83 start=0 shape=3x14 strides=2,6
// differential: scalar i32 0x3
// differential: scalar i32 0x2
// differential: scalar i32 0x6
// differential: array 3 i8 size=959 start=0 shape=19x48 strides=1,20
// differential: scalar i64 0x30
// differential: scalar i64 0x14
// differential: array 4 i8 size=2099 start=0 shape=30x35 strides=2,60
// differential: scalar i64 0x2
// differential: scalar i64 0x3c
// differential: array 5 i8 size=8222 start=0 shape=32x128 strides=257,2
// differential: array 6 i8 size=8304 start=0 shape=40x192 strides=208,1
// differential: scalar i32 0x28
// differential: scalar i32 0xc0
// differential: scalar i32 0xd0
// differential: scalar i32 0x1
// differential: array 7 i32 size=2 start=1 shape=1 strides=1
// differential: array 8 i32 size=1 start=0 shape=1 strides=1
// differential: array 9 f32 size=143 start=0 shape=8x16 strides=1,9
// differential: scalar i64 0x1
// differential: scalar i64 0x9
// differential: array 10 f32 size=568 start=0 shape=568 strides=1
cuda_tile.module @m {
  entry @k(%p1: tile<ptr<i32>>, %s3: tile<i32>, %p10: tile<ptr<i32>>, %s12: tile<i64>, %p21: tile<ptr<i8>>, %s23: tile<i32>, %s24: tile<i32>, %s25: tile<i32>, %p42: tile<ptr<i8>>, %s43: tile<i64>, %s45: tile<i64>, %p68: tile<ptr<i8>>, %s70: tile<i64>, %s71: tile<i64>, %p89: tile<ptr<i8>>, %p105: tile<ptr<i8>>, %s106: tile<i32>, %s108: tile<i32>, %s110: tile<i32>, %s112: tile<i32>, %p140: tile<ptr<i32>>, %p148: tile<ptr<i32>>, %p154: tile<ptr<f32>>, %s156: tile<i64>, %s157: tile<i64>, %p184: tile<ptr<f32>>) {
    %v2 = assume div_by<16>, %p1 : tile<ptr<i32>>
    %t4 = make_tensor_view %v2, shape = [%s3, 256], strides = [1, 9] : tile<i32> -> tensor_view<?x256xi32, strides=[1,9]>
    %w5 = make_partition_view %t4 : partition_view<tile=(128x8), tensor_view<?x256xi32, strides=[1,9]>, dim_map=[1, 0]>
    %v6 = constant <i8: 0> : tile<i8>
    %v7 = constant <i8: 0> : tile<i8>
    %v8, %k9 = load_view_tko weak %w5[%v6, %v7] : partition_view<tile=(128x8), tensor_view<?x256xi32, strides=[1,9]>, dim_map=[1, 0]>, tile<i8> -> tile<128x8xi32>, token
    %v11 = assume div_by<16>, %p10 : tile<ptr<i32>>
    %t13 = make_tensor_view %v11, shape = [256, 18], strides = [19, %s12] : tile<i64> -> tensor_view<256x18xi32, strides=[19,?]>
    %w14 = make_partition_view %t13 : partition_view<tile=(8x128), padding_value = zero, tensor_view<256x18xi32, strides=[19,?]>, dim_map=[1, 0]>
    %v15 = constant <i32: 0> : tile<i32>
    %v16 = constant <i32: 1> : tile<i32>
    %v17, %k18 = load_view_tko weak %w14[%v15, %v16] : partition_view<tile=(8x128), padding_value = zero, tensor_view<256x18xi32, strides=[19,?]>, dim_map=[1, 0]>, tile<i32> -> tile<8x128xi32>, token
    %v19 = permute %v17 [1, 0] : tile<8x128xi32> -> tile<128x8xi32>
    %v20 = addi %v8, %v19 : tile<128x8xi32>
    %v22 = assume div_by<8>, %p21 : tile<ptr<i8>>
    %t26 = make_tensor_view %v22, shape = [%s23, 14], strides = [%s24, %s25] : tile<i32> -> tensor_view<?x14xi8, strides=[?,?]>
    %w27 = make_partition_view %t26 : partition_view<tile=(16x16), padding_value = zero, tensor_view<?x14xi8, strides=[?,?]>>
    %v28 = constant <i8: 0> : tile<i8>
    %v29 = constant <i8: 0> : tile<i8>
    %v30, %k31 = load_view_tko weak %w27[%v28, %v29] inbounds = [false, false] : partition_view<tile=(16x16), padding_value = zero, tensor_view<?x14xi8, strides=[?,?]>>, tile<i8> -> tile<16x16xi8>, token
    %v32, %v33 = get_tensor_shape %t26 : tensor_view<?x14xi8, strides=[?,?]> -> tile<i32>
    %v34, %v35 = get_index_space_shape %w27 : partition_view<tile=(16x16), padding_value = zero, tensor_view<?x14xi8, strides=[?,?]>> -> tile<i32>
    %v36 = constant <i8: 7> : tile<16x16xi8>
    %v37 = andi %v30, %v36 : tile<16x16xi8>
    %v38 = constant <i8: 4> : tile<16x16xi8>
    %v39 = subi %v37, %v38 : tile<16x16xi8>
    %v40 = itof %v39 signed : tile<16x16xi8> -> tile<16x16xf16>
    %v41 = permute %v40 [1, 0] : tile<16x16xf16> -> tile<16x16xf16>
    %v44 = assume div_by<16>, %s43 : tile<i64>
    %t46 = make_tensor_view %p42, shape = [19, %v44], strides = [1, %s45] : tile<i64> -> tensor_view<19x?xi8, strides=[1,?]>
    %w47 = make_partition_view %t46 : partition_view<tile=(8x16), padding_value = zero, tensor_view<19x?xi8, strides=[1,?]>>
    %v48 = constant <i32: 3> : tile<i32>
    %b49, %b50, %b51 = get_tile_block_id : tile<i32>
    %v52 = remi %b49, %v48 unsigned : tile<i32>
    %v53 = constant <i32: 3> : tile<i32>
    %b54, %b55, %b56 = get_tile_block_id : tile<i32>
    %v57 = remi %b54, %v53 unsigned : tile<i32>
    %v58, %k59 = load_view_tko weak %w47[%v52, %v57] : partition_view<tile=(8x16), padding_value = zero, tensor_view<19x?xi8, strides=[1,?]>>, tile<i32> -> tile<8x16xi8>, token
    %v60 = constant <i8: 7> : tile<8x16xi8>
    %v61 = andi %v58, %v60 : tile<8x16xi8>
    %v62 = constant <i8: 4> : tile<8x16xi8>
    %v63 = subi %v61, %v62 : tile<8x16xi8>
    %v64 = itof %v63 signed : tile<8x16xi8> -> tile<8x16xf16>
    %v65 = permute %v64 [1, 0] : tile<8x16xf16> -> tile<16x8xf16>
    %v66 = constant <f32: 0x00000000> : tile<16x8xf32>
    %v67 = mmaf %v41, %v65, %v66 : tile<16x16xf16>, tile<16x8xf16>, tile<16x8xf32>
    %v69 = assume div_by<256>, %p68 : tile<ptr<i8>>
    %t72 = make_tensor_view %v69, shape = [30, 35], strides = [%s70, %s71] : tile<i64> -> tensor_view<30x35xi8, strides=[?,?]>
    %w73 = make_partition_view %t72 : partition_view<tile=(64x16), padding_value = zero, tensor_view<30x35xi8, strides=[?,?]>, dim_map=[1, 0]>
    %v74 = constant <i32: 0> : tile<i32>
    %v75 = constant <i32: 2> : tile<i32>
    %b76, %b77, %b78 = get_tile_block_id : tile<i32>
    %v79 = remi %b76, %v75 unsigned : tile<i32>
    %v80, %k81 = load_view_tko weak %w73[%v74, %v79] : partition_view<tile=(64x16), padding_value = zero, tensor_view<30x35xi8, strides=[?,?]>, dim_map=[1, 0]>, tile<i32> -> tile<64x16xi8>, token
    %v82 = constant <i8: 7> : tile<64x16xi8>
    %v83 = andi %v80, %v82 : tile<64x16xi8>
    %v84 = constant <i8: 4> : tile<64x16xi8>
    %v85 = subi %v83, %v84 : tile<64x16xi8>
    %v86 = itof %v85 signed : tile<64x16xi8> -> tile<64x16xbf16>
    %v87 = permute %v86 [1, 0] : tile<64x16xbf16> -> tile<16x64xbf16>
    %v88 = permute %v87 [1, 0] : tile<16x64xbf16> -> tile<64x16xbf16>
    %t90 = make_tensor_view %p89, shape = [32, 128], strides = [257, 2] : tensor_view<32x128xi8, strides=[257,2]>
    %w91 = make_partition_view %t90 : partition_view<tile=(16x64), tensor_view<32x128xi8, strides=[257,2]>>
    %v92 = constant <i32: 2> : tile<i32>
    %b93, %b94, %b95 = get_tile_block_id : tile<i32>
    %v96 = remi %b93, %v92 unsigned : tile<i32>
    %v97 = constant <i32: 0> : tile<i32>
    %v98, %k99 = load_view_tko weak %w91[%v96, %v97] : partition_view<tile=(16x64), tensor_view<32x128xi8, strides=[257,2]>>, tile<i32> -> tile<16x64xi8>, token
    %v100 = constant <i8: 7> : tile<16x64xi8>
    %v101 = andi %v98, %v100 : tile<16x64xi8>
    %v102 = constant <i8: 4> : tile<16x64xi8>
    %v103 = subi %v101, %v102 : tile<16x64xi8>
    %v104 = itof %v103 signed : tile<16x64xi8> -> tile<16x64xbf16>
    %v107 = assume div_by<8>, %s106 : tile<i32>
    %v109 = assume div_by<16>, %s108 : tile<i32>
    %v111 = assume div_by<16>, %s110 : tile<i32>
    %t113 = make_tensor_view %p105, shape = [%v107, %v109], strides = [%v111, %s112] : tile<i32> -> tensor_view<?x?xi8, strides=[?,?]>
    %w114 = make_partition_view %t113 : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xi8, strides=[?,?]>>
    %v115 = constant <i32: 1> : tile<i32>
    %b116, %b117, %b118 = get_tile_block_id : tile<i32>
    %v119 = remi %b116, %v115 unsigned : tile<i32>
    %v120 = constant <i32: 3> : tile<i32>
    %b121, %b122, %b123 = get_tile_block_id : tile<i32>
    %v124 = remi %b121, %v120 unsigned : tile<i32>
    %v125, %k126 = load_view_tko weak %w114[%v119, %v124] : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xi8, strides=[?,?]>>, tile<i32> -> tile<64x64xi8>, token
    %v127 = constant <i8: 7> : tile<64x64xi8>
    %v128 = andi %v125, %v127 : tile<64x64xi8>
    %v129 = constant <i8: 4> : tile<64x64xi8>
    %v130 = subi %v128, %v129 : tile<64x64xi8>
    %v131 = itof %v130 signed : tile<64x64xi8> -> tile<64x64xf32>
    %v132 = permute %v131 [1, 0] : tile<64x64xf32> -> tile<64x64xf32>
    %v133 = permute %v132 [1, 0] : tile<64x64xf32> -> tile<64x64xf32>
    %v134 = mmaf %v88, %v104, %v133 : tile<64x16xbf16>, tile<16x64xbf16>, tile<64x64xf32>
    %v135 = constant <i32: 1> : tile<i32>
    %b136, %b137, %b138 = get_tile_block_id : tile<i32>
    %v139 = muli %b136, %v135 : tile<i32>
    %v141 = offset %p140, %v139 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %k142 = store_ptr_tko weak %v141, %v34 : tile<ptr<i32>>, tile<i32> -> token
    %v143 = constant <i32: 1> : tile<i32>
    %b144, %b145, %b146 = get_tile_block_id : tile<i32>
    %v147 = muli %b144, %v143 : tile<i32>
    %v149 = assume div_by<256>, %p148 : tile<ptr<i32>>
    %v150 = offset %v149, %v147 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %v151 = constant <i32: 0> : tile<i32>
    %v152 = cmpi less_than %v147, %v151, signed : tile<i32> -> tile<i1>
    %k153 = store_ptr_tko weak %v150, %v35, %v152 : tile<ptr<i32>>, tile<i32>, tile<i1> -> token
    %v155 = assume div_by<16>, %p154 : tile<ptr<f32>>
    %t158 = make_tensor_view %v155, shape = [8, 16], strides = [%s156, %s157] : tile<i64> -> tensor_view<8x16xf32, strides=[?,?]>
    %w159 = make_partition_view %t158 : partition_view<tile=(16x8), tensor_view<8x16xf32, strides=[?,?]>, dim_map=[1, 0]>
    %b160, %b161, %b162 = get_tile_block_id : tile<i32>
    %v163 = constant <i32: 0> : tile<i32>
    %k164 = store_view_tko weak %v67, %w159[%b160, %v163] : tile<16x8xf32>, partition_view<tile=(16x8), tensor_view<8x16xf32, strides=[?,?]>, dim_map=[1, 0]>, tile<i32> -> token
    %v165 = iota : tile<64xi32>
    %v166 = reshape %v165 : tile<64xi32> -> tile<64x1xi32>
    %v167 = broadcast %v166 : tile<64x1xi32> -> tile<64x64xi32>
    %v168 = constant <i32: 1> : tile<64x64xi32>
    %v169 = muli %v167, %v168 : tile<64x64xi32>
    %v170 = iota : tile<64xi32>
    %v171 = reshape %v170 : tile<64xi32> -> tile<1x64xi32>
    %v172 = broadcast %v171 : tile<1x64xi32> -> tile<64x64xi32>
    %v173 = constant <i32: 64> : tile<64x64xi32>
    %v174 = muli %v172, %v173 : tile<64x64xi32>
    %v175 = addi %v169, %v174 : tile<64x64xi32>
    %v176 = constant <i32: 4096> : tile<i32>
    %b177, %b178, %b179 = get_tile_block_id : tile<i32>
    %v180 = muli %b177, %v176 : tile<i32>
    %v181 = reshape %v180 : tile<i32> -> tile<1x1xi32>
    %v182 = broadcast %v181 : tile<1x1xi32> -> tile<64x64xi32>
    %v183 = addi %v182, %v175 : tile<64x64xi32>
    %v185 = reshape %p184 : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %v186 = broadcast %v185 : tile<1x1xptr<f32>> -> tile<64x64xptr<f32>>
    %v187 = offset %v186, %v183 : tile<64x64xptr<f32>>, tile<64x64xi32> -> tile<64x64xptr<f32>>
    %v188 = constant <i32: 568> : tile<64x64xi32>
    %v189 = cmpi less_than %v183, %v188, signed : tile<64x64xi32> -> tile<64x64xi1>
    %k190 = store_ptr_tko weak %v187, %v134, %v189 : tile<64x64xptr<f32>>, tile<64x64xf32>, tile<64x64xi1> -> token
    return
  }
}
