// Loops that follow each other: the rings of the first share bytes with the others'.
// differential: seed=4799 grid=2 warps=4
// differential: scalar i8 0x1b
// differential: scalar i64 0x0
// differential: scalar i32 0x3e
// differential: array 0 f16 size=2304 start=0 shape=2304 strides=1 whole=1
// differential: array 1 f16 size=2016 start=0 shape=2016 strides=1 whole=1
// differential: array 2 f16 size=1944 start=0 shape=1944 strides=1 whole=1
// differential: scalar i32 0x40
// differential: scalar i32 0x1e
// differential: array 3 f16 size=2048 start=0 shape=2048 strides=1 whole=1
// differential: scalar i32 0x1
// differential: array 4 tf32 size=4096 start=0 shape=4096 strides=1 whole=1
// differential: scalar i32 0x40
// differential: array 5 tf32 size=4608 start=0 shape=4608 strides=1 whole=1
// differential: scalar i32 0x40
// differential: array 6 f32 size=4248 start=0 shape=4248 strides=1 whole=1
// differential: scalar i32 0x0
// differential: array 7 f32 size=7103 start=0 shape=110x64 strides=1,111
// differential: scalar i32 0x40
// differential: scalar i32 0x6f
// differential: array 8 i64 size=2 start=0 shape=2 strides=1
// differential: array 9 f32 size=5589 start=0 shape=86x64 strides=65,1
// differential: scalar i32 0x41
// differential: array 10 f32 size=8192 start=0 shape=8192 strides=1
// differential: scalar i32 0x2000
// differential: array 11 f32 size=5632 start=0 shape=128x44 strides=44,1
// differential: scalar i64 0x2c
// differential: scalar i64 0x1
cuda_tile.module @m {
entry @k(%s1: tile<i8>, %s4: tile<i64>, %s5: tile<i32>, %p7: tile<ptr<f16>>, %p11: tile<ptr<f16>>, %p15: tile<ptr<f16>>, %s19: tile<i32>, %s21: tile<i32>, %p23: tile<ptr<f16>>, %s30: tile<i32>, %p53: tile<ptr<tf32>>, %s67: tile<i32>, %p69: tile<ptr<tf32>>, %s73: tile<i32>, %p75: tile<ptr<f32>>, %s90: tile<i32>, %p119: tile<ptr<f32>>, %s121: tile<i32>, %s123: tile<i32>, %p136: tile<ptr<i64>>, %p142: tile<ptr<f32>>, %s144: tile<i32>, %p170: tile<ptr<f32>>, %s175: tile<i32>, %p181: tile<ptr<f32>>, %s182: tile<i64>, %s184: tile<i64>) {
%v2 = reshape %s1 : tile<i8> -> tile<1x1xi8>
%v3 = broadcast %v2 : tile<1x1xi8> -> tile<32x32xi8>
%a6 = assume div_by<2>, %s5 : tile<i32>
%a8 = assume div_by<16>, %p7 : tile<ptr<f16>>
%t9 = make_tensor_view %a8, shape = [32, %a6], strides = [72, 1] : tile<i32> -> tensor_view<32x?xf16, strides=[72, 1]>
%w10 = make_partition_view %t9 : partition_view<tile=(64x32), padding_value = zero, tensor_view<32x?xf16, strides=[72, 1]>, dim_map=[1, 0]>
%a12 = assume div_by<16>, %p11 : tile<ptr<f16>>
%t13 = make_tensor_view %a12, shape = [63, 32], strides = [32, 1] : tensor_view<63x32xf16, strides=[32, 1]>
%w14 = make_partition_view %t13 : partition_view<tile=(64x32), padding_value = zero, tensor_view<63x32xf16, strides=[32, 1]>>
%a16 = assume div_by<16>, %p15 : tile<ptr<f16>>
%t17 = make_tensor_view %a16, shape = [27, 58], strides = [72, 1] : tensor_view<27x58xf16, strides=[72, 1]>
%w18 = make_partition_view %t17 : partition_view<tile=(64x32), padding_value = zero, tensor_view<27x58xf16, strides=[72, 1]>, dim_map=[1, 0]>
%a20 = assume div_by<1>, %s19 : tile<i32>
%a22 = assume div_by<2>, %s21 : tile<i32>
%a24 = assume div_by<16>, %p23 : tile<ptr<f16>>
%t25 = make_tensor_view %a24, shape = [%a20, %a22], strides = [32, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[32, 1]>
%w26 = make_partition_view %t25 : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x?xf16, strides=[32, 1]>>
%v27 = constant <f32: 0x00000000> : tile<64x64xf32>
%v28 = constant <f32: 0x00000000> : tile<64x64xf32>
%v29 = constant <i32: 0> : tile<i32>
%v31 = constant <i32: 1> : tile<i32>
%r35, %r36 = for %i32 in (%v29 to %s30, step %v31) : tile<i32> iter_values(%c33 = %v27, %c34 = %v28) -> (tile<64x64xf32>, tile<64x64xf32>) {
%v38 = constant <i32: 0> : tile<i32>
%x37, %k39 = load_view_tko weak %w10[%v38, %i32] {tileas.plan = {engine = "cp_async", slots = 4 : i64, ahead = 2 : i64}} : partition_view<tile=(64x32), padding_value = zero, tensor_view<32x?xf16, strides=[72, 1]>, dim_map=[1, 0]>, tile<i32> -> tile<64x32xf16>, token
%v41 = constant <i32: 0> : tile<i32>
%x40, %k42 = load_view_tko weak %w14[%v41, %i32] {tileas.plan = {engine = "cp_async", slots = 4 : i64, ahead = 2 : i64}} : partition_view<tile=(64x32), padding_value = zero, tensor_view<63x32xf16, strides=[32, 1]>>, tile<i32> -> tile<64x32xf16>, token
%v43 = permute %x40 [1, 0] : tile<64x32xf16> -> tile<32x64xf16>
%v44 = mmaf %x37, %v43, %c33 : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
%v46 = constant <i32: 0> : tile<i32>
%x45, %k47 = load_view_tko weak %w18[%v46, %i32] : partition_view<tile=(64x32), padding_value = zero, tensor_view<27x58xf16, strides=[72, 1]>, dim_map=[1, 0]>, tile<i32> -> tile<64x32xf16>, token
%v49 = constant <i32: 0> : tile<i32>
%x48, %k50 = load_view_tko weak %w26[%v49, %i32] : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x?xf16, strides=[32, 1]>>, tile<i32> -> tile<64x32xf16>, token
%v51 = permute %x48 [1, 0] : tile<64x32xf16> -> tile<32x64xf16>
%v52 = mmaf %x45, %v51, %c34 : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
continue %v44, %v52 : tile<64x64xf32>, tile<64x64xf32>
}
%a54 = assume div_by<16>, %p53 : tile<ptr<tf32>>
%v55 = iota : tile<64xi32>
%v56 = reshape %v55 : tile<64xi32> -> tile<64x1xi32>
%v57 = broadcast %v56 : tile<64x1xi32> -> tile<64x64xi32>
%v58 = constant <i32: 64> : tile<64x64xi32>
%v59 = muli %v57, %v58 : tile<64x64xi32>
%v60 = iota : tile<64xi32>
%v61 = reshape %v60 : tile<64xi32> -> tile<1x64xi32>
%v62 = broadcast %v61 : tile<1x64xi32> -> tile<64x64xi32>
%v63 = addi %v59, %v62 : tile<64x64xi32>
%v64 = reshape %a54 : tile<ptr<tf32>> -> tile<1x1xptr<tf32>>
%v65 = broadcast %v64 : tile<1x1xptr<tf32>> -> tile<64x64xptr<tf32>>
%v66 = offset %v65, %v63 : tile<64x64xptr<tf32>>, tile<64x64xi32> -> tile<64x64xptr<tf32>>
%a68 = assume div_by<1>, %s67 : tile<i32>
%a70 = assume div_by<16>, %p69 : tile<ptr<tf32>>
%t71 = make_tensor_view %a70, shape = [64, %a68], strides = [72, 1] : tile<i32> -> tensor_view<64x?xtf32, strides=[72, 1]>
%w72 = make_partition_view %t71 : partition_view<tile=(64x64), padding_value = zero, tensor_view<64x?xtf32, strides=[72, 1]>>
%a74 = assume div_by<1>, %s73 : tile<i32>
%a76 = assume div_by<16>, %p75 : tile<ptr<f32>>
%t77 = make_tensor_view %a76, shape = [59, %a74], strides = [72, 1] : tile<i32> -> tensor_view<59x?xf32, strides=[72, 1]>
%w78 = make_partition_view %t77 : partition_view<tile=(64x64), padding_value = zero, tensor_view<59x?xf32, strides=[72, 1]>>
%v79 = constant <f32: 0x00000000> : tile<64x64xf32>
%v80 = constant <f32: 0x00000000> : tile<64x64xf32>
%v81 = constant <i32: 0> : tile<i32>
%v82 = constant <i32: 2> : tile<i32>
%v83 = constant <i32: 1> : tile<i32>
%r87, %r88 = for %o84 in (%v81 to %v82, step %v83) : tile<i32> iter_values(%c85 = %v79, %c86 = %v80) -> (tile<64x64xf32>, tile<64x64xf32>) {
%v89 = constant <i32: 0> : tile<i32>
%v91 = constant <i32: 1> : tile<i32>
%r96, %r97, %r98 = for %i92 in (%v89 to %s90, step %v91) : tile<i32> iter_values(%c93 = %c85, %c94 = %c86, %c95 = %v66) -> (tile<64x64xf32>, tile<64x64xf32>, tile<64x64xptr<tf32>>) {
%x99, %k100 = load_ptr_tko weak %c95 : tile<64x64xptr<tf32>> -> tile<64x64xtf32>, token
%v102 = constant <i32: 0> : tile<i32>
%x101, %k103 = load_view_tko weak %w72[%v102, %i92] : partition_view<tile=(64x64), padding_value = zero, tensor_view<64x?xtf32, strides=[72, 1]>>, tile<i32> -> tile<64x64xtf32>, token
%v104 = permute %x101 [1, 0] : tile<64x64xtf32> -> tile<64x64xtf32>
%v105 = mmaf %x99, %v104, %c93 : tile<64x64xtf32>, tile<64x64xtf32>, tile<64x64xf32>
%v107 = constant <i32: 0> : tile<i32>
%x106, %k108 = load_view_tko weak %w78[%i92, %v107] : partition_view<tile=(64x64), padding_value = zero, tensor_view<59x?xf32, strides=[72, 1]>>, tile<i32> -> tile<64x64xf32>, token
%v109 = ftof %x106  : tile<64x64xf32> -> tile<64x64xtf32>
%v110 = constant <f32: 0x00000000> : tile<64x64xf32>
%v111 = cmpf greater_than ordered %v105, %v110 : tile<64x64xf32> -> tile<64x64xi1>
%v112 = constant <f32: 0x3F800000> : tile<64x64xf32>
%v113 = constant <f32: 0x00000000> : tile<64x64xf32>
%v114 = select %v111, %v112, %v113 : tile<64x64xi1>, tile<64x64xf32>
%v115 = ftof %v114  : tile<64x64xf32> -> tile<64x64xtf32>
%v116 = mmaf %v115, %v109, %c94 : tile<64x64xtf32>, tile<64x64xtf32>, tile<64x64xf32>
%v117 = constant <i32: 64> : tile<64x64xi32>
%v118 = offset %c95, %v117 : tile<64x64xptr<tf32>>, tile<64x64xi32> -> tile<64x64xptr<tf32>>
continue %v105, %v116, %v118 : tile<64x64xf32>, tile<64x64xf32>, tile<64x64xptr<tf32>>
}
continue %r96, %r97 : tile<64x64xf32>, tile<64x64xf32>
}
%v120 = assume div_by<4>, %p119 : tile<ptr<f32>>
%v122 = assume div_by<16>, %s121 : tile<i32>
%t124 = make_tensor_view %v120, shape = [110, %v122], strides = [1, %s123] : tile<i32> -> tensor_view<110x?xf32, strides=[1,?]>
%w125 = make_partition_view %t124 : partition_view<tile=(64x64), tensor_view<110x?xf32, strides=[1,?]>, dim_map=[0, 1]>
%b126, %b127, %b128 = get_tile_block_id : tile<i32>
%v129 = constant <i32: 0> : tile<i32>
%k130 = store_view_tko weak %r87, %w125[%b126, %v129] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<110x?xf32, strides=[1,?]>, dim_map=[0, 1]>, tile<i32> -> token
%v131 = constant <i32: 1> : tile<i32>
%b132, %b133, %b134 = get_tile_block_id : tile<i32>
%v135 = muli %b132, %v131 : tile<i32>
%v137 = assume div_by<8>, %p136 : tile<ptr<i64>>
%v138 = offset %v137, %v135 : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
%v139 = constant <i32: 2> : tile<i32>
%v140 = cmpi less_than %v135, %v139, signed : tile<i32> -> tile<i1>
%k141 = store_ptr_tko weak %v138, %s4, %v140 : tile<ptr<i64>>, tile<i64>, tile<i1> -> token
%v143 = assume div_by<8>, %p142 : tile<ptr<f32>>
%t145 = make_tensor_view %v143, shape = [86, 64], strides = [%s144, 1] : tile<i32> -> tensor_view<86x64xf32, strides=[?,1]>
%w146 = make_partition_view %t145 : partition_view<tile=(64x64), tensor_view<86x64xf32, strides=[?,1]>, dim_map=[0, 1]>
%b147, %b148, %b149 = get_tile_block_id : tile<i32>
%v150 = constant <i32: 0> : tile<i32>
%k151 = store_view_tko weak %r35, %w146[%b147, %v150] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<86x64xf32, strides=[?,1]>, dim_map=[0, 1]>, tile<i32> -> token
%v152 = iota : tile<64xi32>
%v153 = reshape %v152 : tile<64xi32> -> tile<1x64xi32>
%v154 = broadcast %v153 : tile<1x64xi32> -> tile<64x64xi32>
%v155 = constant <i32: 1> : tile<64x64xi32>
%v156 = iota : tile<64xi32>
%v157 = reshape %v156 : tile<64xi32> -> tile<64x1xi32>
%v158 = broadcast %v157 : tile<64x1xi32> -> tile<64x64xi32>
%v159 = constant <i32: 64> : tile<64x64xi32>
%v160 = muli %v158, %v159 : tile<64x64xi32>
%v161 = addi %v154, %v160 : tile<64x64xi32>
%v162 = constant <i32: 4096> : tile<i32>
%b163, %b164, %b165 = get_tile_block_id : tile<i32>
%v166 = muli %b163, %v162 : tile<i32>
%v167 = reshape %v166 : tile<i32> -> tile<1x1xi32>
%v168 = broadcast %v167 : tile<1x1xi32> -> tile<64x64xi32>
%v169 = addi %v168, %v161 : tile<64x64xi32>
%v171 = assume div_by<4>, %p170 : tile<ptr<f32>>
%v172 = reshape %v171 : tile<ptr<f32>> -> tile<1x1xptr<f32>>
%v173 = broadcast %v172 : tile<1x1xptr<f32>> -> tile<64x64xptr<f32>>
%v174 = offset %v173, %v169 : tile<64x64xptr<f32>>, tile<64x64xi32> -> tile<64x64xptr<f32>>
%v176 = assume div_by<256>, %s175 : tile<i32>
%v177 = reshape %v176 : tile<i32> -> tile<1x1xi32>
%v178 = broadcast %v177 : tile<1x1xi32> -> tile<64x64xi32>
%v179 = cmpi greater_than %v178, %v169, signed : tile<64x64xi32> -> tile<64x64xi1>
%k180 = store_ptr_tko weak %v174, %r36, %v179 : tile<64x64xptr<f32>>, tile<64x64xf32>, tile<64x64xi1> -> token
%v183 = assume div_by<4>, %s182 : tile<i64>
%t185 = make_tensor_view %p181, shape = [128, %v183], strides = [44, %s184] : tile<i64> -> tensor_view<128x?xf32, strides=[44,?]>
%w186 = make_partition_view %t185 : partition_view<tile=(64x64), tensor_view<128x?xf32, strides=[44,?]>>
%b187, %b188, %b189 = get_tile_block_id : tile<i32>
%v190 = constant <i32: 0> : tile<i32>
%k191 = store_view_tko weak %r88, %w186[%b187, %v190] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<128x?xf32, strides=[44,?]>>, tile<i32> -> token
return
}
}
