// differential: seed=14185 grid=1 warps=4
// differential: array 0 f32 size=2880 start=1 shape=45x32 strides=2,90
// differential: scalar i32 0x2d
// differential: scalar i32 0x20
// differential: scalar i32 0x2
// differential: scalar i32 0x5a
// differential: scalar i64 0x0
// differential: scalar i32 0xa
// differential: array 1 bf16 size=1416 start=0 shape=1416 strides=1 whole=1
// differential: scalar i32 0x40
// differential: array 2 bf16 size=1024 start=0 shape=1024 strides=1 whole=1
// differential: scalar i32 0x10
// differential: array 3 bf16 size=1024 start=0 shape=1024 strides=1 whole=1
// differential: scalar i32 0x4
// differential: array 4 f16 size=4096 start=0 shape=4096 strides=1 whole=1
// differential: scalar i32 0x40
// differential: array 5 f16 size=18432 start=0 shape=18432 strides=1 whole=1
// differential: array 6 f16 size=4096 start=0 shape=4096 strides=1 whole=1
// differential: scalar i32 0xff
// differential: array 7 f16 size=16320 start=0 shape=16320 strides=1 whole=1
// differential: array 8 f32 size=4096 start=0 shape=4096 strides=1
// differential: scalar i32 0x4
// differential: array 9 i64 size=9 start=8 shape=1 strides=1
// differential: scalar i32 0x0
// differential: array 10 f32 size=209 start=1 shape=13x16 strides=16,1
// differential: scalar i32 0xd
// differential: scalar i32 0x10
// differential: scalar i32 0x10
// differential: array 11 f32 size=264 start=8 shape=256 strides=1
// differential: array 12 f32 size=1032 start=8 shape=1024 strides=1
// differential: array 13 f32 size=1095 start=1 shape=37x14 strides=30,1
// differential: scalar i32 0xe
// differential: scalar i32 0x1e
cuda_tile.module @m {
  entry @k(%p1: tile<ptr<f32>>, %s2: tile<i32>, %s3: tile<i32>, %s5: tile<i32>, %s6: tile<i32>, %s17: tile<i64>, %s18: tile<i32>, %p20: tile<ptr<bf16>>, %s24: tile<i32>, %p26: tile<ptr<bf16>>, %s30: tile<i32>, %p32: tile<ptr<bf16>>, %s39: tile<i32>, %p62: tile<ptr<f16>>, %s76: tile<i32>, %p78: tile<ptr<f16>>, %p82: tile<ptr<f16>>, %s86: tile<i32>, %p88: tile<ptr<f16>>, %p92: tile<ptr<f32>>, %s98: tile<i32>, %p134: tile<ptr<i64>>, %s137: tile<i32>, %p141: tile<ptr<f32>>, %s142: tile<i32>, %s143: tile<i32>, %s145: tile<i32>, %p172: tile<ptr<f32>>, %p197: tile<ptr<f32>>, %p205: tile<ptr<f32>>, %s207: tile<i32>, %s208: tile<i32>) {
    %v4 = assume div_by<4>, %s3 : tile<i32>
    %t7 = make_tensor_view %p1, shape = [%s2, %v4], strides = [%s5, %s6] : tile<i32> -> tensor_view<?x?xf32, strides=[?,?]>
    %w8 = make_partition_view %t7 : partition_view<tile=(32x32), padding_value = nan, tensor_view<?x?xf32, strides=[?,?]>>
    %v9 = constant <i32: 0> : tile<i32>
    %v10 = constant <i32: 1> : tile<i32>
    %b11, %b12, %b13 = get_tile_block_id : tile<i32>
    %v14 = remi %b11, %v10 unsigned : tile<i32>
    %v15, %k16 = load_view_tko weak %w8[%v9, %v14] : partition_view<tile=(32x32), padding_value = nan, tensor_view<?x?xf32, strides=[?,?]>>, tile<i32> -> tile<32x32xf32>, token
    %a19 = assume div_by<2>, %s18 : tile<i32>
    %a21 = assume div_by<16>, %p20 : tile<ptr<bf16>>
    %t22 = make_tensor_view %a21, shape = [59, %a19], strides = [24, 1] : tile<i32> -> tensor_view<59x?xbf16, strides=[24, 1]>
    %w23 = make_partition_view %t22 : partition_view<tile=(16x16), padding_value = zero, tensor_view<59x?xbf16, strides=[24, 1]>, dim_map=[1, 0]>
    %a25 = assume div_by<1>, %s24 : tile<i32>
    %a27 = assume div_by<16>, %p26 : tile<ptr<bf16>>
    %t28 = make_tensor_view %a27, shape = [%a25, 16], strides = [16, 1] : tile<i32> -> tensor_view<?x16xbf16, strides=[16, 1]>
    %w29 = make_partition_view %t28 : partition_view<tile=(16x16), padding_value = zero, tensor_view<?x16xbf16, strides=[16, 1]>>
    %a31 = assume div_by<2>, %s30 : tile<i32>
    %a33 = assume div_by<16>, %p32 : tile<ptr<bf16>>
    %t34 = make_tensor_view %a33, shape = [64, %a31], strides = [16, 1] : tile<i32> -> tensor_view<64x?xbf16, strides=[16, 1]>
    %w35 = make_partition_view %t34 : partition_view<tile=(16x16), padding_value = zero, tensor_view<64x?xbf16, strides=[16, 1]>>
    %v36 = constant <f32: 0x00000000> : tile<16x16xf32>
    %v37 = constant <f32: 0x00000000> : tile<16x16xf32>
    %v38 = constant <i32: 0> : tile<i32>
    %v40 = constant <i32: 1> : tile<i32>
    %r44, %r45 = for %i41 in (%v38 to %s39, step %v40) : tile<i32> iter_values(%c42 = %v36, %c43 = %v37) -> (tile<16x16xf32>, tile<16x16xf32>) {
    %v47 = constant <i32: 0> : tile<i32>
    %x46, %k48 = load_view_tko weak %w23[%v47, %i41] {tileas.plan = {engine = "cp_async", slots = 1 : i64, ahead = 0 : i64}} : partition_view<tile=(16x16), padding_value = zero, tensor_view<59x?xbf16, strides=[24, 1]>, dim_map=[1, 0]>, tile<i32> -> tile<16x16xbf16>, token
    %v50 = constant <i32: 0> : tile<i32>
    %x49, %k51 = load_view_tko weak %w29[%i41, %v50] {tileas.plan = {engine = "cp_async", slots = 1 : i64, ahead = 0 : i64}} : partition_view<tile=(16x16), padding_value = zero, tensor_view<?x16xbf16, strides=[16, 1]>>, tile<i32> -> tile<16x16xbf16>, token
    %v52 = mmaf %x46, %x49, %c42 : tile<16x16xbf16>, tile<16x16xbf16>, tile<16x16xf32>
    %v54 = constant <i32: 0> : tile<i32>
    %x53, %k55 = load_view_tko weak %w35[%i41, %v54] {tileas.plan = {engine = "cp_async", slots = 1 : i64, ahead = 0 : i64}} : partition_view<tile=(16x16), padding_value = zero, tensor_view<64x?xbf16, strides=[16, 1]>>, tile<i32> -> tile<16x16xbf16>, token
    %v56 = constant <f32: 0x00000000> : tile<16x16xf32>
    %v57 = cmpf greater_than ordered %v52, %v56 : tile<16x16xf32> -> tile<16x16xi1>
    %v58 = constant <bf16: 0x3F80> : tile<16x16xbf16>
    %v59 = constant <bf16: 0x0000> : tile<16x16xbf16>
    %v60 = select %v57, %v58, %v59 : tile<16x16xi1>, tile<16x16xbf16>
    %v61 = mmaf %v60, %x53, %c43 : tile<16x16xbf16>, tile<16x16xbf16>, tile<16x16xf32>
      continue %v52, %v61 : tile<16x16xf32>, tile<16x16xf32>
    }
    %a63 = assume div_by<16>, %p62 : tile<ptr<f16>>
    %v64 = iota : tile<16xi32>
    %v65 = reshape %v64 : tile<16xi32> -> tile<16x1xi32>
    %v66 = broadcast %v65 : tile<16x1xi32> -> tile<16x64xi32>
    %v67 = constant <i32: 256> : tile<16x64xi32>
    %v68 = muli %v66, %v67 : tile<16x64xi32>
    %v69 = iota : tile<64xi32>
    %v70 = reshape %v69 : tile<64xi32> -> tile<1x64xi32>
    %v71 = broadcast %v70 : tile<1x64xi32> -> tile<16x64xi32>
    %v72 = addi %v68, %v71 : tile<16x64xi32>
    %v73 = reshape %a63 : tile<ptr<f16>> -> tile<1x1xptr<f16>>
    %v74 = broadcast %v73 : tile<1x1xptr<f16>> -> tile<16x64xptr<f16>>
    %v75 = offset %v74, %v72 : tile<16x64xptr<f16>>, tile<16x64xi32> -> tile<16x64xptr<f16>>
    %a77 = assume div_by<2>, %s76 : tile<i32>
    %a79 = assume div_by<16>, %p78 : tile<ptr<f16>>
    %t80 = make_tensor_view %a79, shape = [256, %a77], strides = [72, 1] : tile<i32> -> tensor_view<256x?xf16, strides=[72, 1]>
    %w81 = make_partition_view %t80 : partition_view<tile=(64x64), padding_value = zero, tensor_view<256x?xf16, strides=[72, 1]>>
    %a83 = assume div_by<16>, %p82 : tile<ptr<f16>>
    %t84 = make_tensor_view %a83, shape = [4, 16, 62], strides = [1024, 64, 1] : tensor_view<4x16x62xf16, strides=[1024, 64, 1]>
    %w85 = make_partition_view %t84 : partition_view<tile=(1x16x64), padding_value = zero, tensor_view<4x16x62xf16, strides=[1024, 64, 1]>>
    %a87 = assume div_by<1>, %s86 : tile<i32>
    %a89 = assume div_by<16>, %p88 : tile<ptr<f16>>
    %t90 = make_tensor_view %a89, shape = [%a87, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf16, strides=[64, 1]>
    %w91 = make_partition_view %t90 : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x64xf16, strides=[64, 1]>>
    %t93 = make_tensor_view %p92, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64, 1]>
    %w94 = make_partition_view %t93 : partition_view<tile=(16x64), tensor_view<64x64xf32, strides=[64, 1]>>
    %v95 = constant <f32: 0x00000000> : tile<16x64xf32>
    %v96 = constant <f32: 0x00000000> : tile<16x64xf32>
    %v97 = constant <i32: 0> : tile<i32>
    %v99 = constant <i32: 1> : tile<i32>
    %r104, %r105, %r106 = for %i100 in (%v97 to %s98, step %v99) : tile<i32> iter_values(%c101 = %v95, %c102 = %v96, %c103 = %v75) -> (tile<16x64xf32>, tile<16x64xf32>, tile<16x64xptr<f16>>) {
    %x107, %k108 = load_ptr_tko weak %c103 : tile<16x64xptr<f16>> -> tile<16x64xf16>, token
    %v110 = constant <i32: 0> : tile<i32>
    %x109, %k111 = load_view_tko weak %w85[%i100, %v110, %v110] : partition_view<tile=(1x16x64), padding_value = zero, tensor_view<4x16x62xf16, strides=[1024, 64, 1]>>, tile<i32> -> tile<1x16x64xf16>, token
    %v112 = reshape %x109 : tile<1x16x64xf16> -> tile<16x64xf16>
    %v114 = constant <i32: 0> : tile<i32>
    %x113, %k115 = load_view_tko weak %w81[%i100, %v114] : partition_view<tile=(64x64), padding_value = zero, tensor_view<256x?xf16, strides=[72, 1]>>, tile<i32> -> tile<64x64xf16>, token
    %v116 = mmaf %x107, %x113, %c101 : tile<16x64xf16>, tile<64x64xf16>, tile<16x64xf32>
    %v118 = constant <i32: 0> : tile<i32>
    %x117, %k119 = load_view_tko weak %w91[%i100, %v118] : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x64xf16, strides=[64, 1]>>, tile<i32> -> tile<64x64xf16>, token
    %v120 = mmaf %v112, %x117, %c102 : tile<16x64xf16>, tile<64x64xf16>, tile<16x64xf32>
    %b121, %b122, %b123 = get_tile_block_id : tile<i32>
    %v124 = constant <i32: 0> : tile<i32>
    %v125 = cmpi equal %b121, %v124, signed : tile<i32> -> tile<i1>
    if %v125 {
      %k126 = store_view_tko weak %v116, %w94[%i100, %v124] : tile<16x64xf32>, partition_view<tile=(16x64), tensor_view<64x64xf32, strides=[64, 1]>>, tile<i32> -> token
    }
    %v127 = constant <i32: 64> : tile<16x64xi32>
    %v128 = offset %c103, %v127 : tile<16x64xptr<f16>>, tile<16x64xi32> -> tile<16x64xptr<f16>>
      continue %v116, %v120, %v128 : tile<16x64xf32>, tile<16x64xf32>, tile<16x64xptr<f16>>
    }
    %v129 = constant <i32: 1> : tile<i32>
    %b130, %b131, %b132 = get_tile_block_id : tile<i32>
    %v133 = muli %b130, %v129 : tile<i32>
    %v135 = assume div_by<16>, %p134 : tile<ptr<i64>>
    %v136 = offset %v135, %v133 : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
    %v138 = assume div_by<4>, %s137 : tile<i32>
    %v139 = cmpi greater_than %v138, %v133, signed : tile<i32> -> tile<i1>
    %k140 = store_ptr_tko weak %v136, %s17, %v139 : tile<ptr<i64>>, tile<i64>, tile<i1> -> token
    %v144 = assume div_by<4>, %s143 : tile<i32>
    %v146 = assume div_by<4>, %s145 : tile<i32>
    %t147 = make_tensor_view %p141, shape = [%s142, %v144], strides = [%v146, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %w148 = make_partition_view %t147 : partition_view<tile=(16x16), tensor_view<?x?xf32, strides=[?,1]>, dim_map=[0, 1]>
    %b149, %b150, %b151 = get_tile_block_id : tile<i32>
    %v152 = constant <i32: 0> : tile<i32>
    %k153 = store_view_tko weak %r44, %w148[%b149, %v152] : tile<16x16xf32>, partition_view<tile=(16x16), tensor_view<?x?xf32, strides=[?,1]>, dim_map=[0, 1]>, tile<i32> -> token
    %v154 = iota : tile<16xi32>
    %v155 = reshape %v154 : tile<16xi32> -> tile<1x16xi32>
    %v156 = broadcast %v155 : tile<1x16xi32> -> tile<16x16xi32>
    %v157 = constant <i32: 1> : tile<16x16xi32>
    %v158 = iota : tile<16xi32>
    %v159 = reshape %v158 : tile<16xi32> -> tile<16x1xi32>
    %v160 = broadcast %v159 : tile<16x1xi32> -> tile<16x16xi32>
    %v161 = constant <i32: 16> : tile<16x16xi32>
    %v162 = muli %v160, %v161 : tile<16x16xi32>
    %v163 = addi %v156, %v162 : tile<16x16xi32>
    %v164 = constant <i32: 256> : tile<i32>
    %b165, %b166, %b167 = get_tile_block_id : tile<i32>
    %v168 = muli %b165, %v164 : tile<i32>
    %v169 = reshape %v168 : tile<i32> -> tile<1x1xi32>
    %v170 = broadcast %v169 : tile<1x1xi32> -> tile<16x16xi32>
    %v171 = addi %v170, %v163 : tile<16x16xi32>
    %v173 = assume div_by<8>, %p172 : tile<ptr<f32>>
    %v174 = reshape %v173 : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %v175 = broadcast %v174 : tile<1x1xptr<f32>> -> tile<16x16xptr<f32>>
    %v176 = offset %v175, %v171 : tile<16x16xptr<f32>>, tile<16x16xi32> -> tile<16x16xptr<f32>>
    %k177 = store_ptr_tko weak %v176, %r45 : tile<16x16xptr<f32>>, tile<16x16xf32> -> token
    %v178 = iota : tile<16xi32>
    %v179 = reshape %v178 : tile<16xi32> -> tile<16x1xi32>
    %v180 = broadcast %v179 : tile<16x1xi32> -> tile<16x64xi32>
    %v181 = constant <i32: 1> : tile<16x64xi32>
    %v182 = muli %v180, %v181 : tile<16x64xi32>
    %v183 = iota : tile<64xi32>
    %v184 = reshape %v183 : tile<64xi32> -> tile<1x64xi32>
    %v185 = broadcast %v184 : tile<1x64xi32> -> tile<16x64xi32>
    %v186 = constant <i32: 16> : tile<16x64xi32>
    %v187 = muli %v185, %v186 : tile<16x64xi32>
    %v188 = addi %v182, %v187 : tile<16x64xi32>
    %v189 = constant <i32: 1024> : tile<i32>
    %b190, %b191, %b192 = get_tile_block_id : tile<i32>
    %v193 = muli %b190, %v189 : tile<i32>
    %v194 = reshape %v193 : tile<i32> -> tile<1x1xi32>
    %v195 = broadcast %v194 : tile<1x1xi32> -> tile<16x64xi32>
    %v196 = addi %v195, %v188 : tile<16x64xi32>
    %v198 = assume div_by<8>, %p197 : tile<ptr<f32>>
    %v199 = reshape %v198 : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %v200 = broadcast %v199 : tile<1x1xptr<f32>> -> tile<16x64xptr<f32>>
    %v201 = offset %v200, %v196 : tile<16x64xptr<f32>>, tile<16x64xi32> -> tile<16x64xptr<f32>>
    %v202 = constant <i32: 1024> : tile<16x64xi32>
    %v203 = cmpi greater_than %v202, %v196, signed : tile<16x64xi32> -> tile<16x64xi1>
    %k204 = store_ptr_tko weak %v201, %r104, %v203 : tile<16x64xptr<f32>>, tile<16x64xf32>, tile<16x64xi1> -> token
    %v206 = assume div_by<4>, %p205 : tile<ptr<f32>>
    %t209 = make_tensor_view %v206, shape = [37, %s207], strides = [%s208, 1] : tile<i32> -> tensor_view<37x?xf32, strides=[?,1]>
    %w210 = make_partition_view %t209 : partition_view<tile=(16x64), tensor_view<37x?xf32, strides=[?,1]>, dim_map=[1, 0]>
    %b211, %b212, %b213 = get_tile_block_id : tile<i32>
    %v214 = constant <i32: 0> : tile<i32>
    %k215 = store_view_tko weak %r105, %w210[%b211, %v214] : tile<16x64xf32>, partition_view<tile=(16x64), tensor_view<37x?xf32, strides=[?,1]>, dim_map=[1, 0]>, tile<i32> -> token
    return
  }
}
