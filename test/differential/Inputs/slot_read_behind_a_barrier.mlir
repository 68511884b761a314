// differential: seed=25806 grid=1 warps=2
// differential: array 0 i32 size=2048 start=0 shape=32x64 strides=64,1
// differential: scalar i32 0x40
// differential: scalar i32 0x40
// differential: array 1 i64 size=1024 start=0 shape=16x64 strides=1,16
// differential: scalar i64 0x10
// differential: scalar i64 0x1
// differential: scalar i64 0x10
// differential: array 2 i8 size=12288 start=0 shape=12288 strides=1 whole=1
// differential: scalar i32 0x3c
// differential: array 3 i8 size=12288 start=0 shape=12288 strides=1 whole=1
// differential: array 4 i8 size=12288 start=0 shape=12288 strides=1 whole=1
// differential: scalar i32 0xbb
// differential: array 5 i8 size=13464 start=0 shape=13464 strides=1 whole=1
// differential: scalar i32 0x3
// differential: array 6 f16 size=2048 start=0 shape=2048 strides=1 whole=1
// differential: array 7 f16 size=1024 start=0 shape=1024 strides=1 whole=1
// differential: scalar i32 0x10
// differential: array 8 f16 size=1536 start=0 shape=1536 strides=1 whole=1
// differential: scalar i32 0x2
// differential: array 9 i32 size=1 start=0 shape=1 strides=1
// differential: array 10 i32 size=2944 start=0 shape=37x64 strides=80,1
// differential: scalar i32 0x50
// differential: scalar i32 0x1
// differential: array 11 i32 size=7327 start=0 shape=64x51 strides=2,144
// differential: scalar i32 0x2
// differential: array 12 f32 size=753 start=1 shape=16x32 strides=48,1
// differential: scalar i32 0x10
// differential: scalar i32 0x20
// differential: array 13 f32 size=265 start=0 shape=18x14 strides=1,19
// differential: scalar i32 0x1
cuda_tile.module @m {
  entry @k(%p1: tile<ptr<i32>>, %s3: tile<i32>, %s5: tile<i32>, %p21: tile<ptr<i64>>, %s23: tile<i64>, %s25: tile<i64>, %s26: tile<i64>, %p34: tile<ptr<i8>>, %s48: tile<i32>, %p50: tile<ptr<i8>>, %p54: tile<ptr<i8>>, %s58: tile<i32>, %p60: tile<ptr<i8>>, %s67: tile<i32>, %p101: tile<ptr<f16>>, %p105: tile<ptr<f16>>, %s119: tile<i32>, %p121: tile<ptr<f16>>, %s128: tile<i32>, %p155: tile<ptr<i32>>, %p158: tile<ptr<i32>>, %s159: tile<i32>, %s161: tile<i32>, %p169: tile<ptr<i32>>, %s171: tile<i32>, %p179: tile<ptr<f32>>, %s181: tile<i32>, %s183: tile<i32>, %p192: tile<ptr<f32>>, %s194: tile<i32>) {
    %v2 = assume div_by<4>, %p1 : tile<ptr<i32>>
    %v4 = assume div_by<16>, %s3 : tile<i32>
    %v6 = assume div_by<4>, %s5 : tile<i32>
    %t7 = make_tensor_view %v2, shape = [32, %v4], strides = [%v6, 1] : tile<i32> -> tensor_view<32x?xi32, strides=[?,1]>
    %w8 = make_partition_view %t7 : partition_view<tile=(32x32), tensor_view<32x?xi32, strides=[?,1]>, dim_map=[1, 0]>
    %v9 = constant <i32: 2> : tile<i32>
    %b10, %b11, %b12 = get_tile_block_id : tile<i32>
    %v13 = remi %b10, %v9 unsigned : tile<i32>
    %v14 = constant <i32: 0> : tile<i32>
    %v15, %k16 = load_view_tko weak %w8[%v13, %v14] : partition_view<tile=(32x32), tensor_view<32x?xi32, strides=[?,1]>, dim_map=[1, 0]>, tile<i32> -> tile<32x32xi32>, token
    %v17, %v18 = get_tensor_shape %t7 : tensor_view<32x?xi32, strides=[?,1]> -> tile<i32>
    %v19, %v20 = get_index_space_shape %w8 : partition_view<tile=(32x32), tensor_view<32x?xi32, strides=[?,1]>, dim_map=[1, 0]> -> tile<i32>
    %v22 = assume div_by<4>, %p21 : tile<ptr<i64>>
    %v24 = assume div_by<4>, %s23 : tile<i64>
    %v27 = assume div_by<4>, %s26 : tile<i64>
    %t28 = make_tensor_view %v22, shape = [%v24, 64], strides = [%s25, %v27] : tile<i64> -> tensor_view<?x64xi64, strides=[?,?]>
    %w29 = make_partition_view %t28 : partition_view<tile=(8x64), tensor_view<?x64xi64, strides=[?,?]>>
    %v30 = constant <i32: 0> : tile<i32>
    %v31 = constant <i32: 0> : tile<i32>
    %v32, %k33 = load_view_tko weak %w29[%v30, %v31] : partition_view<tile=(8x64), tensor_view<?x64xi64, strides=[?,?]>>, tile<i32> -> tile<8x64xi64>, token
    %a35 = assume div_by<16>, %p34 : tile<ptr<i8>>
    %v36 = iota : tile<64xi32>
    %v37 = reshape %v36 : tile<64xi32> -> tile<64x1xi32>
    %v38 = broadcast %v37 : tile<64x1xi32> -> tile<64x64xi32>
    %v39 = constant <i32: 192> : tile<64x64xi32>
    %v40 = muli %v38, %v39 : tile<64x64xi32>
    %v41 = iota : tile<64xi32>
    %v42 = reshape %v41 : tile<64xi32> -> tile<1x64xi32>
    %v43 = broadcast %v42 : tile<1x64xi32> -> tile<64x64xi32>
    %v44 = addi %v40, %v43 : tile<64x64xi32>
    %v45 = reshape %a35 : tile<ptr<i8>> -> tile<1x1xptr<i8>>
    %v46 = broadcast %v45 : tile<1x1xptr<i8>> -> tile<64x64xptr<i8>>
    %v47 = offset %v46, %v44 : tile<64x64xptr<i8>>, tile<64x64xi32> -> tile<64x64xptr<i8>>
    %a49 = assume div_by<4>, %s48 : tile<i32>
    %a51 = assume div_by<16>, %p50 : tile<ptr<i8>>
    %t52 = make_tensor_view %a51, shape = [3, 64, %a49], strides = [4096, 64, 1] : tile<i32> -> tensor_view<3x64x?xi8, strides=[4096, 64, 1]>
    %w53 = make_partition_view %t52 : partition_view<tile=(1x64x64), padding_value = zero, tensor_view<3x64x?xi8, strides=[4096, 64, 1]>>
    %a55 = assume div_by<16>, %p54 : tile<ptr<i8>>
    %t56 = make_tensor_view %a55, shape = [192, 64], strides = [64, 1] : tensor_view<192x64xi8, strides=[64, 1]>
    %w57 = make_partition_view %t56 : partition_view<tile=(64x64), padding_value = zero, tensor_view<192x64xi8, strides=[64, 1]>>
    %a59 = assume div_by<1>, %s58 : tile<i32>
    %a61 = assume div_by<16>, %p60 : tile<ptr<i8>>
    %t62 = make_tensor_view %a61, shape = [%a59, 64], strides = [72, 1] : tile<i32> -> tensor_view<?x64xi8, strides=[72, 1]>
    %w63 = make_partition_view %t62 : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x64xi8, strides=[72, 1]>>
    %v64 = constant <i32: 0> : tile<64x64xi32>
    %v65 = constant <i32: 0> : tile<64x64xi32>
    %v66 = constant <i32: 0> : tile<i32>
    %v68 = constant <i32: 1> : tile<i32>
    %r72, %r73 = for %i69 in (%v66 to %s67, step %v68) : tile<i32> iter_values(%c70 = %v64, %c71 = %v65) -> (tile<64x64xi32>, tile<64x64xi32>) {
    %v74 = constant <i32: 3> : tile<i32>
    %v75 = remi %i69, %v74 signed : tile<i32>
    %v76 = constant <i32: 0> : tile<i32>
    %v77 = cmpi equal %v75, %v76, signed : tile<i32> -> tile<i1>
    %i78, %i79 = if %v77 -> (tile<64x64xi32>, tile<64x64xi32>) {
    %v81 = constant <i32: 64> : tile<i32>
    %v82 = muli %i69, %v81 : tile<i32>
    %v83 = reshape %v82 : tile<i32> -> tile<1x1xi32>
    %v84 = broadcast %v83 : tile<1x1xi32> -> tile<64x64xi32>
    %v85 = offset %v47, %v84 : tile<64x64xptr<i8>>, tile<64x64xi32> -> tile<64x64xptr<i8>>
    %x80, %k86 = load_ptr_tko weak %v85 : tile<64x64xptr<i8>> -> tile<64x64xi8>, token
    %v88 = constant <i32: 0> : tile<i32>
    %x87, %k89 = load_view_tko weak %w53[%i69, %v88, %v88] {tileas.plan = {engine = "cp_async", slots = 3 : i64, ahead = 2 : i64}} : partition_view<tile=(1x64x64), padding_value = zero, tensor_view<3x64x?xi8, strides=[4096, 64, 1]>>, tile<i32> -> tile<1x64x64xi8>, token
    %v90 = reshape %x87 : tile<1x64x64xi8> -> tile<64x64xi8>
    %v91 = mmai %x80, %v90, %c70 signed signed : tile<64x64xi8>, tile<64x64xi8>, tile<64x64xi32>
    %v93 = constant <i32: 0> : tile<i32>
    %x92, %k94 = load_view_tko weak %w57[%i69, %v93] {tileas.plan = {engine = "cp_async", slots = 1 : i64, ahead = 1 : i64}} : partition_view<tile=(64x64), padding_value = zero, tensor_view<192x64xi8, strides=[64, 1]>>, tile<i32> -> tile<64x64xi8>, token
    %v95 = permute %x92 [1, 0] : tile<64x64xi8> -> tile<64x64xi8>
    %v97 = constant <i32: 0> : tile<i32>
    %x96, %k98 = load_view_tko weak %w63[%i69, %v97] : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x64xi8, strides=[72, 1]>>, tile<i32> -> tile<64x64xi8>, token
    %v99 = negi %x96 : tile<64x64xi8>
    %v100 = mmai %v95, %v99, %c71 signed signed : tile<64x64xi8>, tile<64x64xi8>, tile<64x64xi32>
      yield %v91, %v100 : tile<64x64xi32>, tile<64x64xi32>
    } else {
      yield %c70, %c71 : tile<64x64xi32>, tile<64x64xi32>
    }
      continue %i78, %i79 : tile<64x64xi32>, tile<64x64xi32>
    }
    %a102 = assume div_by<16>, %p101 : tile<ptr<f16>>
    %t103 = make_tensor_view %a102, shape = [64, 32], strides = [32, 1] : tensor_view<64x32xf16, strides=[32, 1]>
    %w104 = make_partition_view %t103 : partition_view<tile=(32x32), padding_value = zero, tensor_view<64x32xf16, strides=[32, 1]>>
    %a106 = assume div_by<16>, %p105 : tile<ptr<f16>>
    %v107 = iota : tile<32xi32>
    %v108 = reshape %v107 : tile<32xi32> -> tile<32x1xi32>
    %v109 = broadcast %v108 : tile<32x1xi32> -> tile<32x16xi32>
    %v110 = constant <i32: 16> : tile<32x16xi32>
    %v111 = muli %v109, %v110 : tile<32x16xi32>
    %v112 = iota : tile<16xi32>
    %v113 = reshape %v112 : tile<16xi32> -> tile<1x16xi32>
    %v114 = broadcast %v113 : tile<1x16xi32> -> tile<32x16xi32>
    %v115 = addi %v111, %v114 : tile<32x16xi32>
    %v116 = reshape %a106 : tile<ptr<f16>> -> tile<1x1xptr<f16>>
    %v117 = broadcast %v116 : tile<1x1xptr<f16>> -> tile<32x16xptr<f16>>
    %v118 = offset %v117, %v115 : tile<32x16xptr<f16>>, tile<32x16xi32> -> tile<32x16xptr<f16>>
    %a120 = assume div_by<2>, %s119 : tile<i32>
    %a122 = assume div_by<16>, %p121 : tile<ptr<f16>>
    %t123 = make_tensor_view %a122, shape = [64, %a120], strides = [24, 1] : tile<i32> -> tensor_view<64x?xf16, strides=[24, 1]>
    %w124 = make_partition_view %t123 : partition_view<tile=(32x16), padding_value = zero, tensor_view<64x?xf16, strides=[24, 1]>>
    %v125 = constant <f32: 0x00000000> : tile<32x16xf32>
    %v126 = constant <f32: 0x00000000> : tile<32x16xf32>
    %v127 = constant <i32: 0> : tile<i32>
    %v129 = constant <i32: 1> : tile<i32>
    %r134, %r135, %r136 = for %i130 in (%v127 to %s128, step %v129) : tile<i32> iter_values(%c131 = %v125, %c132 = %v126, %c133 = %v118) -> (tile<32x16xf32>, tile<32x16xf32>, tile<32x16xptr<f16>>) {
    %v138 = constant <i32: 0> : tile<i32>
    %x137, %k139 = load_view_tko weak %w104[%i130, %v138] {tileas.plan = {engine = "cp_async", slots = 3 : i64, ahead = 3 : i64}} : partition_view<tile=(32x32), padding_value = zero, tensor_view<64x32xf16, strides=[32, 1]>>, tile<i32> -> tile<32x32xf16>, token
    %v140 = permute %x137 [1, 0] : tile<32x32xf16> -> tile<32x32xf16>
    %x141, %k142 = load_ptr_tko weak %c133 : tile<32x16xptr<f16>> -> tile<32x16xf16>, token
    %v143 = mmaf %v140, %x141, %c131 : tile<32x32xf16>, tile<32x16xf16>, tile<32x16xf32>
    %v145 = constant <i32: 0> : tile<i32>
    %x144, %k146 = load_view_tko weak %w124[%i130, %v145] : partition_view<tile=(32x16), padding_value = zero, tensor_view<64x?xf16, strides=[24, 1]>>, tile<i32> -> tile<32x16xf16>, token
    %v147 = mmaf %v140, %x144, %c132 : tile<32x32xf16>, tile<32x16xf16>, tile<32x16xf32>
    %v148 = constant <i32: 512> : tile<32x16xi32>
    %v149 = offset %c133, %v148 : tile<32x16xptr<f16>>, tile<32x16xi32> -> tile<32x16xptr<f16>>
      continue %v143, %v147, %v149 : tile<32x16xf32>, tile<32x16xf32>, tile<32x16xptr<f16>>
    }
    %v150 = constant <i32: 1> : tile<i32>
    %b151, %b152, %b153 = get_tile_block_id : tile<i32>
    %v154 = muli %b151, %v150 : tile<i32>
    %v156 = offset %p155, %v154 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %k157 = store_ptr_tko weak %v156, %v20 : tile<ptr<i32>>, tile<i32> -> token
    %v160 = assume div_by<16>, %s159 : tile<i32>
    %t162 = make_tensor_view %p158, shape = [37, 64], strides = [%v160, %s161] : tile<i32> -> tensor_view<37x64xi32, strides=[?,?]>
    %w163 = make_partition_view %t162 : partition_view<tile=(64x64), tensor_view<37x64xi32, strides=[?,?]>, dim_map=[1, 0]>
    %b164, %b165, %b166 = get_tile_block_id : tile<i32>
    %v167 = constant <i32: 0> : tile<i32>
    %k168 = store_view_tko weak %r72, %w163[%b164, %v167] : tile<64x64xi32>, partition_view<tile=(64x64), tensor_view<37x64xi32, strides=[?,?]>, dim_map=[1, 0]>, tile<i32> -> token
    %v170 = assume div_by<16>, %p169 : tile<ptr<i32>>
    %t172 = make_tensor_view %v170, shape = [64, 51], strides = [%s171, 144] : tile<i32> -> tensor_view<64x51xi32, strides=[?,144]>
    %w173 = make_partition_view %t172 : partition_view<tile=(64x64), tensor_view<64x51xi32, strides=[?,144]>, dim_map=[1, 0]>
    %b174, %b175, %b176 = get_tile_block_id : tile<i32>
    %v177 = constant <i32: 0> : tile<i32>
    %k178 = store_view_tko weak %r73, %w173[%b174, %v177] : tile<64x64xi32>, partition_view<tile=(64x64), tensor_view<64x51xi32, strides=[?,144]>, dim_map=[1, 0]>, tile<i32> -> token
    %v180 = assume div_by<4>, %p179 : tile<ptr<f32>>
    %v182 = assume div_by<8>, %s181 : tile<i32>
    %v184 = assume div_by<4>, %s183 : tile<i32>
    %t185 = make_tensor_view %v180, shape = [%v182, %v184], strides = [48, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[48,1]>
    %w186 = make_partition_view %t185 : partition_view<tile=(32x16), tensor_view<?x?xf32, strides=[48,1]>, dim_map=[1, 0]>
    %b187, %b188, %b189 = get_tile_block_id : tile<i32>
    %v190 = constant <i32: 0> : tile<i32>
    %k191 = store_view_tko weak %r134, %w186[%b187, %v190] : tile<32x16xf32>, partition_view<tile=(32x16), tensor_view<?x?xf32, strides=[48,1]>, dim_map=[1, 0]>, tile<i32> -> token
    %v193 = assume div_by<16>, %p192 : tile<ptr<f32>>
    %t195 = make_tensor_view %v193, shape = [18, 14], strides = [%s194, 19] : tile<i32> -> tensor_view<18x14xf32, strides=[?,19]>
    %w196 = make_partition_view %t195 : partition_view<tile=(32x16), tensor_view<18x14xf32, strides=[?,19]>, dim_map=[0, 1]>
    %b197, %b198, %b199 = get_tile_block_id : tile<i32>
    %v200 = constant <i32: 0> : tile<i32>
    %k201 = store_view_tko weak %r135, %w196[%b197, %v200] : tile<32x16xf32>, partition_view<tile=(32x16), tensor_view<18x14xf32, strides=[?,19]>, dim_map=[0, 1]>, tile<i32> -> token
    return
  }
}
