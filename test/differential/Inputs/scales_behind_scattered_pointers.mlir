// Each thread has one pointer of a row of scales, two bytes: no copy brings so few.
// differential: seed=12971 grid=1 warps=1
// differential: array 0 i32 size=692 start=4 shape=16x43 strides=43,1
// differential: scalar i64 0x10
// differential: scalar i64 0x2b
// differential: scalar i64 0x1
// differential: array 1 f64 size=16 start=0 shape=16 strides=1
// differential: array 2 bf16 size=1 start=0 shape=1 strides=1
// differential: scalar i1 0x0
// differential: array 3 f16 size=1416 start=0 shape=1416 strides=1 whole=1
// differential: scalar i32 0x10
// differential: array 4 f16 size=384 start=0 shape=384 strides=1 whole=1
// differential: scalar i32 0x1
// differential: array 5 f16 size=64 start=0 shape=64 strides=1 whole=1
// differential: array 6 f16 size=64 start=0 shape=64 strides=1 whole=1
// differential: scalar i32 0x1b
// differential: scalar i32 0x3f
// differential: array 7 f32 size=1944 start=0 shape=1944 strides=1 whole=1
// differential: scalar i32 0x1f
// differential: scalar i32 0x10
// differential: array 8 f16 size=744 start=0 shape=744 strides=1 whole=1
// differential: array 9 f32 size=32 start=0 shape=32 strides=1 whole=1
// differential: array 10 f32 size=32 start=0 shape=32 strides=1 whole=1
// differential: scalar i32 0x0
// differential: scalar i32 0x13
// differential: array 11 f64 size=16 start=0 shape=16 strides=1
// differential: array 12 bf16 size=1 start=0 shape=1 strides=1
// differential: array 13 i1 size=9 start=8 shape=1 strides=1
// differential: array 14 f32 size=388 start=4 shape=16x24 strides=24,1
// differential: scalar i32 0x18
// differential: array 15 f32 size=65 start=1 shape=2x16 strides=33,2
// differential: scalar i32 0x2
// differential: scalar i32 0x10
// differential: scalar i32 0x21
// differential: scalar i32 0x2
cuda_tile.module @m {
  entry @k(%p1: tile<ptr<i32>>, %s2: tile<i64>, %s4: tile<i64>, %s5: tile<i64>, %p23: tile<ptr<f64>>, %p34: tile<ptr<bf16>>, %s39: tile<i1>, %p40: tile<ptr<f16>>, %s51: tile<i32>, %p53: tile<ptr<f16>>, %s64: tile<i32>, %p66: tile<ptr<f16>>, %p70: tile<ptr<f16>>, %s83: tile<i32>, %s85: tile<i32>, %p87: tile<ptr<f32>>, %s91: tile<i32>, %s93: tile<i32>, %p95: tile<ptr<f16>>, %p99: tile<ptr<f32>>, %p112: tile<ptr<f32>>, %s135: tile<i32>, %s183: tile<i32>, %p236: tile<ptr<f64>>, %p249: tile<ptr<bf16>>, %p258: tile<ptr<i1>>, %p262: tile<ptr<f32>>, %s264: tile<i32>, %p273: tile<ptr<f32>>, %s274: tile<i32>, %s275: tile<i32>, %s277: tile<i32>, %s278: tile<i32>) {
    %v3 = assume div_by<4>, %s2 : tile<i64>
    %t6 = make_tensor_view %p1, shape = [%v3, %s4], strides = [43, %s5] : tile<i64> -> tensor_view<?x?xi32, strides=[43,?]>
    %w7 = make_partition_view %t6 : partition_view<tile=(8x16), padding_value = zero, tensor_view<?x?xi32, strides=[43,?]>>
    %v8 = constant <i32: 1> : tile<i32>
    %v9 = constant <i32: 2> : tile<i32>
    %v10, %k11 = load_view_tko weak %w7[%v8, %v9] inbounds = [false, false] : partition_view<tile=(8x16), padding_value = zero, tensor_view<?x?xi32, strides=[43,?]>>, tile<i32> -> tile<8x16xi32>, token
    %v12 = iota : tile<16xi32>
    %v13 = constant <i32: 1> : tile<16xi32>
    %v14 = muli %v12, %v13 : tile<16xi32>
    %v15 = constant <i32: 16> : tile<i32>
    %b16, %b17, %b18 = get_tile_block_id : tile<i32>
    %v19 = muli %b16, %v15 : tile<i32>
    %v20 = reshape %v19 : tile<i32> -> tile<1xi32>
    %v21 = broadcast %v20 : tile<1xi32> -> tile<16xi32>
    %v22 = addi %v21, %v14 : tile<16xi32>
    %v24 = reshape %p23 : tile<ptr<f64>> -> tile<1xptr<f64>>
    %v25 = broadcast %v24 : tile<1xptr<f64>> -> tile<16xptr<f64>>
    %v26 = offset %v25, %v22 : tile<16xptr<f64>>, tile<16xi32> -> tile<16xptr<f64>>
    %v27, %k28 = load_ptr_tko weak %v26 : tile<16xptr<f64>> -> tile<16xf64>, token
    %v29 = constant <i32: 1> : tile<i32>
    %b30, %b31, %b32 = get_tile_block_id : tile<i32>
    %v33 = muli %b30, %v29 : tile<i32>
    %v35 = assume div_by<16>, %p34 : tile<ptr<bf16>>
    %v36 = offset %v35, %v33 : tile<ptr<bf16>>, tile<i32> -> tile<ptr<bf16>>
    %v37, %k38 = load_ptr_tko weak %v36 : tile<ptr<bf16>> -> tile<bf16>, token
    %a41 = assume div_by<16>, %p40 : tile<ptr<f16>>
    %t42 = make_tensor_view %a41, shape = [59, 14], strides = [24, 1] : tensor_view<59x14xf16, strides=[24, 1]>
    %w43 = make_partition_view %t42 : partition_view<tile=(64x16), padding_value = zero, tensor_view<59x14xf16, strides=[24, 1]>>
    %b44, %b45, %b46 = get_tile_block_id : tile<i32>
    %v48 = constant <i32: 0> : tile<i32>
    %x47, %k49 = load_view_tko weak %w43[%v48, %b44] : partition_view<tile=(64x16), padding_value = zero, tensor_view<59x14xf16, strides=[24, 1]>>, tile<i32> -> tile<64x16xf16>, token
    %v50 = permute %x47 [1, 0] : tile<64x16xf16> -> tile<16x64xf16>
    %a52 = assume div_by<1>, %s51 : tile<i32>
    %a54 = assume div_by<16>, %p53 : tile<ptr<f16>>
    %t55 = make_tensor_view %a54, shape = [%a52, 16], strides = [24, 1] : tile<i32> -> tensor_view<?x16xf16, strides=[24, 1]>
    %w56 = make_partition_view %t55 : partition_view<tile=(16x16), padding_value = zero, tensor_view<?x16xf16, strides=[24, 1]>>
    %b57, %b58, %b59 = get_tile_block_id : tile<i32>
    %v61 = constant <i32: 0> : tile<i32>
    %x60, %k62 = load_view_tko weak %w56[%b57, %v61] : partition_view<tile=(16x16), padding_value = zero, tensor_view<?x16xf16, strides=[24, 1]>>, tile<i32> -> tile<16x16xf16>, token
    %v63 = negf %x60 : tile<16x16xf16>
    %a65 = assume div_by<1>, %s64 : tile<i32>
    %a67 = assume div_by<16>, %p66 : tile<ptr<f16>>
    %t68 = make_tensor_view %a67, shape = [%a65, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf16, strides=[64, 1]>
    %w69 = make_partition_view %t68 : partition_view<tile=(1x64), padding_value = zero, tensor_view<?x64xf16, strides=[64, 1]>>
    %a71 = assume div_by<16>, %p70 : tile<ptr<f16>>
    %v72 = iota : tile<1xi32>
    %v73 = reshape %v72 : tile<1xi32> -> tile<1x1xi32>
    %v74 = broadcast %v73 : tile<1x1xi32> -> tile<1x64xi32>
    %v75 = constant <i32: 64> : tile<1x64xi32>
    %v76 = muli %v74, %v75 : tile<1x64xi32>
    %v77 = iota : tile<64xi32>
    %v78 = reshape %v77 : tile<64xi32> -> tile<1x64xi32>
    %v79 = addi %v76, %v78 : tile<1x64xi32>
    %v80 = reshape %a71 : tile<ptr<f16>> -> tile<1x1xptr<f16>>
    %v81 = broadcast %v80 : tile<1x1xptr<f16>> -> tile<1x64xptr<f16>>
    %v82 = offset %v81, %v79 : tile<1x64xptr<f16>>, tile<1x64xi32> -> tile<1x64xptr<f16>>
    %a84 = assume div_by<1>, %s83 : tile<i32>
    %a86 = assume div_by<1>, %s85 : tile<i32>
    %a88 = assume div_by<16>, %p87 : tile<ptr<f32>>
    %t89 = make_tensor_view %a88, shape = [%a84, %a86], strides = [72, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[72, 1]>
    %w90 = make_partition_view %t89 : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xf32, strides=[72, 1]>>
    %a92 = assume div_by<1>, %s91 : tile<i32>
    %a94 = assume div_by<2>, %s93 : tile<i32>
    %a96 = assume div_by<16>, %p95 : tile<ptr<f16>>
    %t97 = make_tensor_view %a96, shape = [%a92, %a94], strides = [24, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[24, 1]>
    %w98 = make_partition_view %t97 : partition_view<tile=(32x16), padding_value = zero, tensor_view<?x?xf16, strides=[24, 1]>>
    %a100 = assume div_by<16>, %p99 : tile<ptr<f32>>
    %v101 = iota : tile<32xi32>
    %v102 = reshape %v101 : tile<32xi32> -> tile<32x1xi32>
    %v103 = constant <i32: 1> : tile<32x1xi32>
    %v104 = muli %v102, %v103 : tile<32x1xi32>
    %v105 = iota : tile<1xi32>
    %v106 = reshape %v105 : tile<1xi32> -> tile<1x1xi32>
    %v107 = broadcast %v106 : tile<1x1xi32> -> tile<32x1xi32>
    %v108 = addi %v104, %v107 : tile<32x1xi32>
    %v109 = reshape %a100 : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %v110 = broadcast %v109 : tile<1x1xptr<f32>> -> tile<32x1xptr<f32>>
    %v111 = offset %v110, %v108 : tile<32x1xptr<f32>>, tile<32x1xi32> -> tile<32x1xptr<f32>>
    %a113 = assume div_by<16>, %p112 : tile<ptr<f32>>
    %v114 = iota : tile<32xi32>
    %v115 = reshape %v114 : tile<32xi32> -> tile<32x1xi32>
    %v116 = constant <i32: 1> : tile<32x1xi32>
    %v117 = muli %v115, %v116 : tile<32x1xi32>
    %v118 = iota : tile<1xi32>
    %v119 = reshape %v118 : tile<1xi32> -> tile<1x1xi32>
    %v120 = broadcast %v119 : tile<1x1xi32> -> tile<32x1xi32>
    %v121 = addi %v117, %v120 : tile<32x1xi32>
    %v122 = reshape %a113 : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %v123 = broadcast %v122 : tile<1x1xptr<f32>> -> tile<32x1xptr<f32>>
    %v124 = offset %v123, %v121 : tile<32x1xptr<f32>>, tile<32x1xi32> -> tile<32x1xptr<f32>>
    %v125 = constant <f32: 0x00000000> : tile<16x64xf32>
    %v126 = constant <f32: 0x00000000> : tile<16x16xf32>
    %v127 = constant <i32: 0> : tile<i32>
    %v128 = constant <i32: 2> : tile<i32>
    %v129 = constant <i32: 1> : tile<i32>
    %r133, %r134 = for %o130 in (%v127 to %v128, step %v129) : tile<i32> iter_values(%c131 = %v125, %c132 = %v126) -> (tile<16x64xf32>, tile<16x16xf32>) {
    %v136 = constant <i32: 1> : tile<i32>
    %v137 = constant <i32: 32> : tile<i32>
    %v138 = muli %o130, %v137 : tile<i32>
    %v139 = reshape %v138 : tile<i32> -> tile<1x1xi32>
    %v140 = broadcast %v139 : tile<1x1xi32> -> tile<32x1xi32>
    %v141 = offset %v124, %v140 : tile<32x1xptr<f32>>, tile<32x1xi32> -> tile<32x1xptr<f32>>
    %r146, %r147, %r148 = for %i142 in (%o130 to %s135, step %v136) : tile<i32> iter_values(%c143 = %c131, %c144 = %c132, %c145 = %v141) -> (tile<16x64xf32>, tile<16x16xf32>, tile<32x1xptr<f32>>) {
    %v150 = constant <i32: 0> : tile<i32>
    %x149, %k151 = load_view_tko weak %w90[%i142, %v150] : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xf32, strides=[72, 1]>>, tile<i32> -> tile<32x64xf32>, token
    %v152 = ftof %x149  : tile<32x64xf32> -> tile<32x64xf16>
    %v154 = constant <i32: 0> : tile<i32>
    %x153, %k155 = load_view_tko weak %w69[%i142, %v154] : partition_view<tile=(1x64), padding_value = zero, tensor_view<?x64xf16, strides=[64, 1]>>, tile<i32> -> tile<1x64xf16>, token
    %v156 = broadcast %x153 : tile<1x64xf16> -> tile<32x64xf16>
    %v157 = subf %v152, %v156 : tile<32x64xf16>
    %v159 = constant <i32: 64> : tile<i32>
    %v160 = muli %i142, %v159 : tile<i32>
    %v161 = reshape %v160 : tile<i32> -> tile<1x1xi32>
    %v162 = broadcast %v161 : tile<1x1xi32> -> tile<1x64xi32>
    %v163 = offset %v82, %v162 : tile<1x64xptr<f16>>, tile<1x64xi32> -> tile<1x64xptr<f16>>
    %x158, %k164 = load_ptr_tko weak %v163 : tile<1x64xptr<f16>> -> tile<1x64xf16>, token
    %v165 = broadcast %x158 : tile<1x64xf16> -> tile<32x64xf16>
    %v166 = mulf %v157, %v165 : tile<32x64xf16>
    %v168 = constant <i32: 0> : tile<i32>
    %x167, %k169 = load_view_tko weak %w98[%i142, %v168] : partition_view<tile=(32x16), padding_value = zero, tensor_view<?x?xf16, strides=[24, 1]>>, tile<i32> -> tile<32x16xf16>, token
    %v170 = negf %x167 : tile<32x16xf16>
    %v171 = permute %v50 [1, 0] : tile<16x64xf16> -> tile<64x16xf16>
    %v172 = constant <f32: 0x00000000> : tile<32x16xf32>
    %v173 = mmaf %v166, %v171, %v172 : tile<32x64xf16>, tile<64x16xf16>, tile<32x16xf32>
    %v174 = constant <f32: 0xC4800000> : tile<32x16xf32>
    %v175 = constant <i32: 32> : tile<i32>
    %v176 = muli %i142, %v175 : tile<i32>
    %v177 = iota : tile<16xi32>
    %v178 = reshape %v177 : tile<16xi32> -> tile<1x16xi32>
    %v179 = broadcast %v178 : tile<1x16xi32> -> tile<32x16xi32>
    %v180 = reshape %v176 : tile<i32> -> tile<1x1xi32>
    %v181 = broadcast %v180 : tile<1x1xi32> -> tile<32x16xi32>
    %v182 = addi %v181, %v179 : tile<32x16xi32>
    %v184 = reshape %s183 : tile<i32> -> tile<1x1xi32>
    %v185 = broadcast %v184 : tile<1x1xi32> -> tile<32x16xi32>
    %v186 = iota : tile<32xi32>
    %v187 = reshape %v186 : tile<32xi32> -> tile<32x1xi32>
    %v188 = broadcast %v187 : tile<32x1xi32> -> tile<32x16xi32>
    %v189 = addi %v188, %v185 : tile<32x16xi32>
    %v190 = cmpi less_than_or_equal %v182, %v189, signed : tile<32x16xi32> -> tile<32x16xi1>
    %v191 = select %v190, %v173, %v174 : tile<32x16xi1>, tile<32x16xf32>
    %v193 = constant <i32: 32> : tile<i32>
    %v194 = muli %i142, %v193 : tile<i32>
    %v195 = reshape %v194 : tile<i32> -> tile<1x1xi32>
    %v196 = broadcast %v195 : tile<1x1xi32> -> tile<32x1xi32>
    %v197 = offset %v111, %v196 : tile<32x1xptr<f32>>, tile<32x1xi32> -> tile<32x1xptr<f32>>
    %x192, %k198 = load_ptr_tko weak %v197 : tile<32x1xptr<f32>> -> tile<32x1xf32>, token
    %v199 = broadcast %x192 : tile<32x1xf32> -> tile<32x16xf32>
    %v200 = subf %v191, %v199 : tile<32x16xf32>
    %v201 = constant <f32: 0xC0000000> : tile<32x16xf32>
    %v202 = maxf %v200, %v201  : tile<32x16xf32>
    %v203 = constant <f32: 0x40000000> : tile<32x16xf32>
    %v204 = minf %v202, %v203  : tile<32x16xf32>
    %v205 = permute %v63 [1, 0] : tile<16x16xf16> -> tile<16x16xf16>
    %v206 = constant <f32: 0x00000000> : tile<32x16xf32>
    %v207 = mmaf %v170, %v205, %v206 : tile<32x16xf16>, tile<16x16xf16>, tile<32x16xf32>
    %x208, %k209 = load_ptr_tko weak %c145 : tile<32x1xptr<f32>> -> tile<32x1xf32>, token
    %v210 = broadcast %x208 : tile<32x1xf32> -> tile<32x16xf32>
    %v211 = subf %v207, %v210 : tile<32x16xf32>
    %v212 = constant <f32: 0xC0000000> : tile<32x16xf32>
    %v213 = maxf %v211, %v212  : tile<32x16xf32>
    %v214 = constant <f32: 0x40000000> : tile<32x16xf32>
    %v215 = minf %v213, %v214  : tile<32x16xf32>
    %v216 = mulf %v204, %v215 : tile<32x16xf32>
    %v217 = ftof %v204  : tile<32x16xf32> -> tile<32x16xf16>
    %v218 = ftof %v216  : tile<32x16xf32> -> tile<32x16xf16>
    %v219 = permute %v218 [1, 0] : tile<32x16xf16> -> tile<16x32xf16>
    %v220 = permute %v217 [1, 0] : tile<32x16xf16> -> tile<16x32xf16>
    %v221 = mmaf %v219, %v166, %c143 : tile<16x32xf16>, tile<32x64xf16>, tile<16x64xf32>
    %v222 = mmaf %v220, %v170, %c144 : tile<16x32xf16>, tile<32x16xf16>, tile<16x16xf32>
    %v223 = constant <i32: 32> : tile<32x1xi32>
    %v224 = offset %c145, %v223 : tile<32x1xptr<f32>>, tile<32x1xi32> -> tile<32x1xptr<f32>>
      continue %v221, %v222, %v224 : tile<16x64xf32>, tile<16x16xf32>, tile<32x1xptr<f32>>
    }
      continue %r146, %r147 : tile<16x64xf32>, tile<16x16xf32>
    }
    %v225 = iota : tile<16xi32>
    %v226 = constant <i32: 1> : tile<16xi32>
    %v227 = muli %v225, %v226 : tile<16xi32>
    %v228 = constant <i32: 16> : tile<i32>
    %b229, %b230, %b231 = get_tile_block_id : tile<i32>
    %v232 = muli %b229, %v228 : tile<i32>
    %v233 = reshape %v232 : tile<i32> -> tile<1xi32>
    %v234 = broadcast %v233 : tile<1xi32> -> tile<16xi32>
    %v235 = addi %v234, %v227 : tile<16xi32>
    %v237 = assume div_by<8>, %p236 : tile<ptr<f64>>
    %v238 = reshape %v237 : tile<ptr<f64>> -> tile<1xptr<f64>>
    %v239 = broadcast %v238 : tile<1xptr<f64>> -> tile<16xptr<f64>>
    %v240 = offset %v239, %v235 : tile<16xptr<f64>>, tile<16xi32> -> tile<16xptr<f64>>
    %v241 = constant <i32: 16> : tile<16xi32>
    %v242 = cmpi less_than %v235, %v241, signed : tile<16xi32> -> tile<16xi1>
    %k243 = store_ptr_tko weak %v240, %v27, %v242 : tile<16xptr<f64>>, tile<16xf64>, tile<16xi1> -> token
    %v244 = constant <i32: 1> : tile<i32>
    %b245, %b246, %b247 = get_tile_block_id : tile<i32>
    %v248 = muli %b245, %v244 : tile<i32>
    %v250 = assume div_by<4>, %p249 : tile<ptr<bf16>>
    %v251 = offset %v250, %v248 : tile<ptr<bf16>>, tile<i32> -> tile<ptr<bf16>>
    %k252 = store_ptr_tko weak %v251, %v37 : tile<ptr<bf16>>, tile<bf16> -> token
    %v253 = constant <i32: 1> : tile<i32>
    %b254, %b255, %b256 = get_tile_block_id : tile<i32>
    %v257 = muli %b254, %v253 : tile<i32>
    %v259 = assume div_by<8>, %p258 : tile<ptr<i1>>
    %v260 = offset %v259, %v257 : tile<ptr<i1>>, tile<i32> -> tile<ptr<i1>>
    %k261 = store_ptr_tko weak %v260, %s39 : tile<ptr<i1>>, tile<i1> -> token
    %v263 = assume div_by<4>, %p262 : tile<ptr<f32>>
    %v265 = assume div_by<8>, %s264 : tile<i32>
    %t266 = make_tensor_view %v263, shape = [16, %v265], strides = [24, 1] : tile<i32> -> tensor_view<16x?xf32, strides=[24,1]>
    %w267 = make_partition_view %t266 : partition_view<tile=(16x64), tensor_view<16x?xf32, strides=[24,1]>>
    %b268, %b269, %b270 = get_tile_block_id : tile<i32>
    %v271 = constant <i32: 0> : tile<i32>
    %k272 = store_view_tko weak %r133, %w267[%b268, %v271] : tile<16x64xf32>, partition_view<tile=(16x64), tensor_view<16x?xf32, strides=[24,1]>>, tile<i32> -> token
    %v276 = assume div_by<4>, %s275 : tile<i32>
    %t279 = make_tensor_view %p273, shape = [%s274, %v276], strides = [%s277, %s278] : tile<i32> -> tensor_view<?x?xf32, strides=[?,?]>
    %w280 = make_partition_view %t279 : partition_view<tile=(16x16), tensor_view<?x?xf32, strides=[?,?]>, dim_map=[0, 1]>
    %b281, %b282, %b283 = get_tile_block_id : tile<i32>
    %v284 = constant <i32: 0> : tile<i32>
    %k285 = store_view_tko weak %r134, %w280[%b281, %v284] : tile<16x16xf32>, partition_view<tile=(16x16), tensor_view<?x?xf32, strides=[?,?]>, dim_map=[0, 1]>, tile<i32> -> token
    return
  }
}
