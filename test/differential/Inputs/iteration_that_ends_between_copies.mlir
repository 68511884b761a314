// differential: seed=63689 grid=2 warps=8
// differential: array 0 i32 size=2048 start=0 shape=2048 strides=1
// differential: scalar i32 0xacf5817d
// differential: scalar i32 0x800
// differential: array 1 i16 size=3 start=1 shape=2 strides=1
// differential: scalar i1 0x0
// differential: scalar i32 0x7b
// differential: scalar i32 0x14
// differential: scalar i32 0x1
// differential: array 2 i8 size=5904 start=0 shape=5904 strides=1
// differential: scalar i32 0x7b
// differential: scalar i32 0x14
// differential: array 3 i8 size=3936 start=0 shape=3936 strides=1
// differential: array 4 i8 size=8128 start=0 shape=8128 strides=1
// differential: scalar i32 0x1
// differential: array 5 i32 size=10 start=8 shape=2 strides=1
// differential: array 6 i16 size=10 start=8 shape=2 strides=1
// differential: array 7 i1 size=3 start=1 shape=2 strides=1
// differential: scalar i32 0x2
// differential: array 8 f32 size=65794 start=4 shape=256x128 strides=257,2
// differential: scalar i64 0x80
// differential: scalar i64 0x2
// differential: array 9 f32 size=33024 start=1 shape=256x128 strides=129,1
// differential: scalar i32 0x100
// differential: scalar i32 0x1
cuda_tile.module @m {
  entry @k(%p20: tile<ptr<i32>>, %s27: tile<i32>, %s30: tile<i32>, %p43: tile<ptr<i16>>, %s50: tile<i1>, %s51: tile<i32>, %s54: tile<i32>, %s64: tile<i32>, %p67: tile<ptr<i8>>, %s71: tile<i32>, %s74: tile<i32>, %p77: tile<ptr<i8>>, %p81: tile<ptr<i8>>, %s95: tile<i32>, %p195: tile<ptr<i32>>, %p204: tile<ptr<i16>>, %p213: tile<ptr<i1>>, %s215: tile<i32>, %p218: tile<ptr<f32>>, %s220: tile<i64>, %s222: tile<i64>, %p230: tile<ptr<f32>>, %s232: tile<i32>, %s234: tile<i32>) {
    %v1 = iota : tile<32xi32>
    %v2 = reshape %v1 : tile<32xi32> -> tile<32x1xi32>
    %v3 = broadcast %v2 : tile<32x1xi32> -> tile<32x32xi32>
    %v4 = constant <i32: 1> : tile<32x32xi32>
    %v5 = muli %v3, %v4 : tile<32x32xi32>
    %v6 = iota : tile<32xi32>
    %v7 = reshape %v6 : tile<32xi32> -> tile<1x32xi32>
    %v8 = broadcast %v7 : tile<1x32xi32> -> tile<32x32xi32>
    %v9 = constant <i32: 32> : tile<32x32xi32>
    %v10 = muli %v8, %v9 : tile<32x32xi32>
    %v11 = addi %v5, %v10 : tile<32x32xi32>
    %v12 = constant <i32: 1024> : tile<i32>
    %b13, %b14, %b15 = get_tile_block_id : tile<i32>
    %v16 = muli %b13, %v12 : tile<i32>
    %v17 = reshape %v16 : tile<i32> -> tile<1x1xi32>
    %v18 = broadcast %v17 : tile<1x1xi32> -> tile<32x32xi32>
    %v19 = addi %v18, %v11 : tile<32x32xi32>
    %v21 = assume div_by<8>, %p20 : tile<ptr<i32>>
    %v22 = reshape %v21 : tile<ptr<i32>> -> tile<1x1xptr<i32>>
    %v23 = broadcast %v22 : tile<1x1xptr<i32>> -> tile<32x32xptr<i32>>
    %v24 = offset %v23, %v19 : tile<32x32xptr<i32>>, tile<32x32xi32> -> tile<32x32xptr<i32>>
    %v28 = reshape %s27 : tile<i32> -> tile<1x1xi32>
    %v29 = broadcast %v28 : tile<1x1xi32> -> tile<32x32xi32>
    %v31 = assume div_by<8>, %s30 : tile<i32>
    %v32 = reshape %v31 : tile<i32> -> tile<1x1xi32>
    %v33 = broadcast %v32 : tile<1x1xi32> -> tile<32x32xi32>
    %v34 = cmpi less_than %v19, %v33, signed : tile<32x32xi32> -> tile<32x32xi1>
    %v25, %k26 = load_ptr_tko weak %v24, %v34, %v29 : tile<32x32xptr<i32>>, tile<32x32xi1>, tile<32x32xi32> -> tile<32x32xi32>, token
    %g35, %g36, %g37 = get_num_tile_blocks : tile<i32>
    %v38 = constant <i32: 1> : tile<i32>
    %b39, %b40, %b41 = get_tile_block_id : tile<i32>
    %v42 = muli %b39, %v38 : tile<i32>
    %v44 = offset %p43, %v42 : tile<ptr<i16>>, tile<i32> -> tile<ptr<i16>>
    %v47 = constant <i16: 9> : tile<i16>
    %v48 = constant <i32: 2> : tile<i32>
    %v49 = cmpi less_than %v42, %v48, signed : tile<i32> -> tile<i1>
    %v45, %k46 = load_ptr_tko weak %v44, %v49, %v47 : tile<ptr<i16>>, tile<i1>, tile<i16> -> tile<i16>, token
    %a52 = assume bounded<0, ?>, %s51 : tile<i32>
    %a53 = assume div_by<1>, %a52 : tile<i32>
    %a55 = assume bounded<0, ?>, %s54 : tile<i32>
    %a56 = assume div_by<4>, %a55 : tile<i32>
    %v57 = constant <i32: 0> : tile<i32>
    %v58 = constant <i32: 2> : tile<i32>
    %b59, %b60, %b61 = get_tile_block_id : tile<i32>
    %v62 = addi %b59, %v57 : tile<i32>
    %v63 = divi %v62, %v58 signed : tile<i32>
    %a65 = assume bounded<0, ?>, %s64 : tile<i32>
    %a66 = assume div_by<1>, %a65 : tile<i32>
    %a68 = assume div_by<16>, %p67 : tile<ptr<i8>>
    %t69 = make_tensor_view %a68, shape = [%a66, %a53, %a56], strides = [5904, 48, 1] : tile<i32> -> tensor_view<?x?x?xi8, strides=[5904, 48, 1]>
    %w70 = make_partition_view %t69 : partition_view<tile=(1x128x32), padding_value = zero, tensor_view<?x?x?xi8, strides=[5904, 48, 1]>>
    %a72 = assume bounded<0, ?>, %s71 : tile<i32>
    %a73 = assume div_by<1>, %a72 : tile<i32>
    %a75 = assume bounded<0, ?>, %s74 : tile<i32>
    %a76 = assume div_by<4>, %a75 : tile<i32>
    %a78 = assume div_by<16>, %p77 : tile<ptr<i8>>
    %t79 = make_tensor_view %a78, shape = [%a73, %a76], strides = [32, 1] : tile<i32> -> tensor_view<?x?xi8, strides=[32, 1]>
    %w80 = make_partition_view %t79 : partition_view<tile=(32x128), padding_value = zero, tensor_view<?x?xi8, strides=[32, 1]>, dim_map=[1, 0]>
    %a82 = assume div_by<16>, %p81 : tile<ptr<i8>>
    %t83 = make_tensor_view %a82, shape = [127, 64], strides = [64, 1] : tensor_view<127x64xi8, strides=[64, 1]>
    %w84 = make_partition_view %t83 : partition_view<tile=(128x64), padding_value = zero, tensor_view<127x64xi8, strides=[64, 1]>>
    %v85 = constant <f32: 0x00000000> : tile<128x128xf32>
    %v86 = constant <f32: 0x00000000> : tile<128x128xf32>
    %v87 = constant <i32: 0> : tile<i32>
    %v88 = constant <i32: 2> : tile<i32>
    %v89 = constant <i32: 1> : tile<i32>
    %r93, %r94 = for %o90 in (%v87 to %v88, step %v89) : tile<i32> iter_values(%c91 = %v85, %c92 = %v86) -> (tile<128x128xf32>, tile<128x128xf32>) {
    %v96 = constant <i32: 2> : tile<i32>
    %r100, %r101 = for %i97 in (%o90 to %s95, step %v96) : tile<i32> iter_values(%c98 = %c91, %c99 = %c92) -> (tile<128x128xf32>, tile<128x128xf32>) {
    %v102 = constant <i32: 3> : tile<i32>
    %v103 = remi %i97, %v102 signed : tile<i32>
    %v104 = constant <i32: 0> : tile<i32>
    %v105 = cmpi equal %v103, %v104, signed : tile<i32> -> tile<i1>
    if %v105 {
      continue %c98, %c99 : tile<128x128xf32>, tile<128x128xf32>
    }
    %v107 = constant <i32: 0> : tile<i32>
    %x106, %k108 = load_view_tko weak %w70[%v63, %v107, %i97] : partition_view<tile=(1x128x32), padding_value = zero, tensor_view<?x?x?xi8, strides=[5904, 48, 1]>>, tile<i32> -> tile<1x128x32xi8>, token
    %v109 = reshape %x106 : tile<1x128x32xi8> -> tile<128x32xi8>
    %v110 = reshape %v109 : tile<128x32xi8> -> tile<4096xi8>
    %v111 = unpack %v110 : tile<4096xi8> -> tile<8192xf4E2M1FN>
    %v112 = reshape %v111 : tile<8192xf4E2M1FN> -> tile<128x64xf4E2M1FN>
    %v114 = constant <i32: 0> : tile<i32>
    %x113, %k115 = load_view_tko weak %w80[%i97, %v114] : partition_view<tile=(32x128), padding_value = zero, tensor_view<?x?xi8, strides=[32, 1]>, dim_map=[1, 0]>, tile<i32> -> tile<32x128xi8>, token
    %v116 = permute %x113 [1, 0] : tile<32x128xi8> -> tile<128x32xi8>
    %v117 = reshape %v116 : tile<128x32xi8> -> tile<4096xi8>
    %v118 = unpack %v117 : tile<4096xi8> -> tile<8192xf4E2M1FN>
    %v119 = reshape %v118 : tile<8192xf4E2M1FN> -> tile<128x64xf4E2M1FN>
    %v120 = permute %v119 [1, 0] : tile<128x64xf4E2M1FN> -> tile<64x128xf4E2M1FN>
    %v121 = iota : tile<512xi32>
    %v122 = constant <i32: 15> : tile<512xi32>
    %v123 = muli %v121, %v122  : tile<512xi32>
    %v124 = constant <i32: 1> : tile<512xi32>
    %v125 = shri %v123, %v124 signed : tile<512xi32>
    %v126 = constant <i32: 3> : tile<512xi32>
    %v127 = andi %v125, %v126  : tile<512xi32>
    %v128 = reshape %v127 : tile<512xi32> -> tile<128x4xi32>
    %v129 = constant <i32: 1> : tile<128x4xi32>
    %v130 = addi %v128, %v129  : tile<128x4xi32>
    %v131 = itof %v130 signed : tile<128x4xi32> -> tile<128x4xf32>
    %v132 = ftof %v131 rounding<zero> : tile<128x4xf32> -> tile<128x4xf8E8M0FNU>
    %v133 = iota : tile<512xi32>
    %v134 = constant <i32: 15> : tile<512xi32>
    %v135 = muli %v133, %v134  : tile<512xi32>
    %v136 = constant <i32: 1> : tile<512xi32>
    %v137 = shri %v135, %v136 signed : tile<512xi32>
    %v138 = constant <i32: 3> : tile<512xi32>
    %v139 = andi %v137, %v138  : tile<512xi32>
    %v140 = reshape %v139 : tile<512xi32> -> tile<4x128xi32>
    %v141 = constant <i32: 1> : tile<4x128xi32>
    %v142 = addi %v140, %v141  : tile<4x128xi32>
    %v143 = itof %v142 signed : tile<4x128xi32> -> tile<4x128xf32>
    %v144 = ftof %v143 rounding<zero> : tile<4x128xf32> -> tile<4x128xf8E8M0FNU>
    %v145 = mmaf_scaled %v112, %v120, %c98, %v132, %v144 : tile<128x64xf4E2M1FN>, tile<64x128xf4E2M1FN>, tile<128x128xf32>, tile<128x4xf8E8M0FNU>, tile<4x128xf8E8M0FNU>
    %v146 = constant <i32: 3> : tile<i32>
    %v147 = remi %i97, %v146 signed : tile<i32>
    %v148 = constant <i32: 2> : tile<i32>
    %v149 = cmpi equal %v147, %v148, signed : tile<i32> -> tile<i1>
    if %v149 {
      continue %v145, %c99 : tile<128x128xf32>, tile<128x128xf32>
    }
    %v151 = constant <i32: 0> : tile<i32>
    %x150, %k152 = load_view_tko weak %w84[%v151, %i97] : partition_view<tile=(128x64), padding_value = zero, tensor_view<127x64xi8, strides=[64, 1]>>, tile<i32> -> tile<128x64xi8>, token
    %v153 = permute %x150 [1, 0] : tile<128x64xi8> -> tile<64x128xi8>
    %v154 = permute %v153 [1, 0] : tile<64x128xi8> -> tile<128x64xi8>
    %v155 = reshape %v154 : tile<128x64xi8> -> tile<8192xi8>
    %v156 = unpack %v155 : tile<8192xi8> -> tile<16384xf4E2M1FN>
    %v157 = reshape %v156 : tile<16384xf4E2M1FN> -> tile<128x128xf4E2M1FN>
    %v158 = permute %v157 [1, 0] : tile<128x128xf4E2M1FN> -> tile<128x128xf4E2M1FN>
    %v159 = constant <f32: 0x00000000> : tile<128x128xf32>
    %v160 = cmpf greater_than ordered %v145, %v159 : tile<128x128xf32> -> tile<128x128xi1>
    %v161 = constant <f32: 0x3F800000> : tile<128x128xf32>
    %v162 = constant <f32: 0x00000000> : tile<128x128xf32>
    %v163 = select %v160, %v161, %v162 : tile<128x128xi1>, tile<128x128xf32>
    %v164 = ftof %v163  : tile<128x128xf32> -> tile<128x128xf4E2M1FN>
    %v165 = iota : tile<512xi32>
    %v166 = constant <i32: 15> : tile<512xi32>
    %v167 = muli %v165, %v166  : tile<512xi32>
    %v168 = constant <i32: 1> : tile<512xi32>
    %v169 = shri %v167, %v168 signed : tile<512xi32>
    %v170 = constant <i32: 3> : tile<512xi32>
    %v171 = andi %v169, %v170  : tile<512xi32>
    %v172 = reshape %v171 : tile<512xi32> -> tile<128x4xi32>
    %v173 = constant <i32: 1> : tile<128x4xi32>
    %v174 = addi %v172, %v173  : tile<128x4xi32>
    %v175 = itof %v174 signed : tile<128x4xi32> -> tile<128x4xf32>
    %v176 = ftof %v175 rounding<zero> : tile<128x4xf32> -> tile<128x4xf8E8M0FNU>
    %v177 = iota : tile<512xi32>
    %v178 = constant <i32: 11> : tile<512xi32>
    %v179 = muli %v177, %v178  : tile<512xi32>
    %v180 = constant <i32: 1> : tile<512xi32>
    %v181 = shri %v179, %v180 signed : tile<512xi32>
    %v182 = constant <i32: 3> : tile<512xi32>
    %v183 = andi %v181, %v182  : tile<512xi32>
    %v184 = reshape %v183 : tile<512xi32> -> tile<4x128xi32>
    %v185 = constant <i32: 1> : tile<4x128xi32>
    %v186 = addi %v184, %v185  : tile<4x128xi32>
    %v187 = itof %v186 signed : tile<4x128xi32> -> tile<4x128xf32>
    %v188 = ftof %v187 rounding<zero> : tile<4x128xf32> -> tile<4x128xf8E8M0FNU>
    %v189 = mmaf_scaled %v164, %v158, %c99, %v176, %v188 : tile<128x128xf4E2M1FN>, tile<128x128xf4E2M1FN>, tile<128x128xf32>, tile<128x4xf8E8M0FNU>, tile<4x128xf8E8M0FNU>
      continue %v145, %v189 : tile<128x128xf32>, tile<128x128xf32>
    }
      continue %r100, %r101 : tile<128x128xf32>, tile<128x128xf32>
    }
    %v190 = constant <i32: 1> : tile<i32>
    %b191, %b192, %b193 = get_tile_block_id : tile<i32>
    %v194 = muli %b191, %v190 : tile<i32>
    %v196 = assume div_by<8>, %p195 : tile<ptr<i32>>
    %v197 = offset %v196, %v194 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %k198 = store_ptr_tko weak %v197, %g37 : tile<ptr<i32>>, tile<i32> -> token
    %v199 = constant <i32: 1> : tile<i32>
    %b200, %b201, %b202 = get_tile_block_id : tile<i32>
    %v203 = muli %b200, %v199 : tile<i32>
    %v205 = assume div_by<4>, %p204 : tile<ptr<i16>>
    %v206 = offset %v205, %v203 : tile<ptr<i16>>, tile<i32> -> tile<ptr<i16>>
    %k207 = store_ptr_tko weak %v206, %v45 : tile<ptr<i16>>, tile<i16> -> token
    %v208 = constant <i32: 1> : tile<i32>
    %b209, %b210, %b211 = get_tile_block_id : tile<i32>
    %v212 = muli %b209, %v208 : tile<i32>
    %v214 = offset %p213, %v212 : tile<ptr<i1>>, tile<i32> -> tile<ptr<i1>>
    %v216 = cmpi less_than %v212, %s215, signed : tile<i32> -> tile<i1>
    %k217 = store_ptr_tko weak %v214, %s50, %v216 : tile<ptr<i1>>, tile<i1>, tile<i1> -> token
    %v219 = assume div_by<4>, %p218 : tile<ptr<f32>>
    %v221 = assume div_by<8>, %s220 : tile<i64>
    %t223 = make_tensor_view %v219, shape = [256, %v221], strides = [257, %s222] : tile<i64> -> tensor_view<256x?xf32, strides=[257,?]>
    %w224 = make_partition_view %t223 : partition_view<tile=(128x128), tensor_view<256x?xf32, strides=[257,?]>, dim_map=[0, 1]>
    %b225, %b226, %b227 = get_tile_block_id : tile<i32>
    %v228 = constant <i32: 0> : tile<i32>
    %k229 = store_view_tko weak %r93, %w224[%b225, %v228] : tile<128x128xf32>, partition_view<tile=(128x128), tensor_view<256x?xf32, strides=[257,?]>, dim_map=[0, 1]>, tile<i32> -> token
    %v231 = assume div_by<4>, %p230 : tile<ptr<f32>>
    %v233 = assume div_by<16>, %s232 : tile<i32>
    %t235 = make_tensor_view %v231, shape = [%v233, 128], strides = [129, %s234] : tile<i32> -> tensor_view<?x128xf32, strides=[129,?]>
    %w236 = make_partition_view %t235 : partition_view<tile=(128x128), tensor_view<?x128xf32, strides=[129,?]>>
    %b237, %b238, %b239 = get_tile_block_id : tile<i32>
    %v240 = constant <i32: 0> : tile<i32>
    %k241 = store_view_tko weak %r94, %w236[%b237, %v240] : tile<128x128xf32>, partition_view<tile=(128x128), tensor_view<?x128xf32, strides=[129,?]>>, tile<i32> -> token
    return
  }
}
