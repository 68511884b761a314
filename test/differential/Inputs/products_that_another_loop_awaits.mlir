// differential: seed=4799 grid=1 warps=4
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
// differential: array 7 f32 size=3249 start=0 shape=64x50 strides=1,65
// differential: scalar i32 0x1
// differential: array 8 f32 size=2909 start=1 shape=43x52 strides=68,1
// differential: scalar i32 0x2b
// differential: scalar i32 0x44
// differential: scalar i32 0x1
// differential: array 9 f32 size=1342 start=0 shape=10x64 strides=2,21
// differential: scalar i32 0x2
// differential: scalar i32 0x15
// differential: array 10 f32 size=1869 start=0 shape=55x33 strides=34,1
// differential: scalar i32 0x21
// differential: scalar i32 0x22
cuda_tile.module @m {
  entry @k(%s1: tile<i64>, %s2: tile<i32>, %p4: tile<ptr<f16>>, %p8: tile<ptr<f16>>, %p12: tile<ptr<f16>>, %s16: tile<i32>, %s18: tile<i32>, %p20: tile<ptr<f16>>, %s27: tile<i32>, %p50: tile<ptr<tf32>>, %s64: tile<i32>, %p66: tile<ptr<tf32>>, %s70: tile<i32>, %p72: tile<ptr<f32>>, %s87: tile<i32>, %p116: tile<ptr<f32>>, %s118: tile<i32>, %p126: tile<ptr<f32>>, %s128: tile<i32>, %s129: tile<i32>, %s131: tile<i32>, %p139: tile<ptr<f32>>, %s141: tile<i32>, %s142: tile<i32>, %p150: tile<ptr<f32>>, %s152: tile<i32>, %s153: tile<i32>) {
    %a3 = assume div_by<2>, %s2 : tile<i32>
    %a5 = assume div_by<16>, %p4 : tile<ptr<f16>>
    %t6 = make_tensor_view %a5, shape = [32, %a3], strides = [72, 1] : tile<i32> -> tensor_view<32x?xf16, strides=[72, 1]>
    %w7 = make_partition_view %t6 : partition_view<tile=(64x32), padding_value = zero, tensor_view<32x?xf16, strides=[72, 1]>, dim_map=[1, 0]>
    %a9 = assume div_by<16>, %p8 : tile<ptr<f16>>
    %t10 = make_tensor_view %a9, shape = [63, 32], strides = [32, 1] : tensor_view<63x32xf16, strides=[32, 1]>
    %w11 = make_partition_view %t10 : partition_view<tile=(64x32), padding_value = zero, tensor_view<63x32xf16, strides=[32, 1]>>
    %a13 = assume div_by<16>, %p12 : tile<ptr<f16>>
    %t14 = make_tensor_view %a13, shape = [27, 58], strides = [72, 1] : tensor_view<27x58xf16, strides=[72, 1]>
    %w15 = make_partition_view %t14 : partition_view<tile=(64x32), padding_value = zero, tensor_view<27x58xf16, strides=[72, 1]>, dim_map=[1, 0]>
    %a17 = assume div_by<1>, %s16 : tile<i32>
    %a19 = assume div_by<2>, %s18 : tile<i32>
    %a21 = assume div_by<16>, %p20 : tile<ptr<f16>>
    %t22 = make_tensor_view %a21, shape = [%a17, %a19], strides = [32, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[32, 1]>
    %w23 = make_partition_view %t22 : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x?xf16, strides=[32, 1]>>
    %v24 = constant <f32: 0x00000000> : tile<64x64xf32>
    %v25 = constant <f32: 0x00000000> : tile<64x64xf32>
    %v26 = constant <i32: 0> : tile<i32>
    %v28 = constant <i32: 1> : tile<i32>
    %r32, %r33 = for %i29 in (%v26 to %s27, step %v28) : tile<i32> iter_values(%c30 = %v24, %c31 = %v25) -> (tile<64x64xf32>, tile<64x64xf32>) {
    %v35 = constant <i32: 0> : tile<i32>
    %x34, %k36 = load_view_tko weak %w7[%v35, %i29] {tileas.plan = {engine = "cp_async", slots = 4 : i64, ahead = 2 : i64}} : partition_view<tile=(64x32), padding_value = zero, tensor_view<32x?xf16, strides=[72, 1]>, dim_map=[1, 0]>, tile<i32> -> tile<64x32xf16>, token
    %v38 = constant <i32: 0> : tile<i32>
    %x37, %k39 = load_view_tko weak %w11[%v38, %i29] {tileas.plan = {engine = "cp_async", slots = 4 : i64, ahead = 2 : i64}} : partition_view<tile=(64x32), padding_value = zero, tensor_view<63x32xf16, strides=[32, 1]>>, tile<i32> -> tile<64x32xf16>, token
    %v40 = permute %x37 [1, 0] : tile<64x32xf16> -> tile<32x64xf16>
    %v41 = mmaf %x34, %v40, %c30 : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
    %v43 = constant <i32: 0> : tile<i32>
    %x42, %k44 = load_view_tko weak %w15[%v43, %i29] : partition_view<tile=(64x32), padding_value = zero, tensor_view<27x58xf16, strides=[72, 1]>, dim_map=[1, 0]>, tile<i32> -> tile<64x32xf16>, token
    %v46 = constant <i32: 0> : tile<i32>
    %x45, %k47 = load_view_tko weak %w23[%v46, %i29] : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x?xf16, strides=[32, 1]>>, tile<i32> -> tile<64x32xf16>, token
    %v48 = permute %x45 [1, 0] : tile<64x32xf16> -> tile<32x64xf16>
    %v49 = mmaf %x42, %v48, %c31 : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
      continue %v41, %v49 : tile<64x64xf32>, tile<64x64xf32>
    }
    %a51 = assume div_by<16>, %p50 : tile<ptr<tf32>>
    %v52 = iota : tile<64xi32>
    %v53 = reshape %v52 : tile<64xi32> -> tile<64x1xi32>
    %v54 = broadcast %v53 : tile<64x1xi32> -> tile<64x64xi32>
    %v55 = constant <i32: 64> : tile<64x64xi32>
    %v56 = muli %v54, %v55 : tile<64x64xi32>
    %v57 = iota : tile<64xi32>
    %v58 = reshape %v57 : tile<64xi32> -> tile<1x64xi32>
    %v59 = broadcast %v58 : tile<1x64xi32> -> tile<64x64xi32>
    %v60 = addi %v56, %v59 : tile<64x64xi32>
    %v61 = reshape %a51 : tile<ptr<tf32>> -> tile<1x1xptr<tf32>>
    %v62 = broadcast %v61 : tile<1x1xptr<tf32>> -> tile<64x64xptr<tf32>>
    %v63 = offset %v62, %v60 : tile<64x64xptr<tf32>>, tile<64x64xi32> -> tile<64x64xptr<tf32>>
    %a65 = assume div_by<1>, %s64 : tile<i32>
    %a67 = assume div_by<16>, %p66 : tile<ptr<tf32>>
    %t68 = make_tensor_view %a67, shape = [64, %a65], strides = [72, 1] : tile<i32> -> tensor_view<64x?xtf32, strides=[72, 1]>
    %w69 = make_partition_view %t68 : partition_view<tile=(64x64), padding_value = zero, tensor_view<64x?xtf32, strides=[72, 1]>>
    %a71 = assume div_by<1>, %s70 : tile<i32>
    %a73 = assume div_by<16>, %p72 : tile<ptr<f32>>
    %t74 = make_tensor_view %a73, shape = [59, %a71], strides = [72, 1] : tile<i32> -> tensor_view<59x?xf32, strides=[72, 1]>
    %w75 = make_partition_view %t74 : partition_view<tile=(64x64), padding_value = zero, tensor_view<59x?xf32, strides=[72, 1]>>
    %v76 = constant <f32: 0x00000000> : tile<64x64xf32>
    %v77 = constant <f32: 0x00000000> : tile<64x64xf32>
    %v78 = constant <i32: 0> : tile<i32>
    %v79 = constant <i32: 2> : tile<i32>
    %v80 = constant <i32: 1> : tile<i32>
    %r84, %r85 = for %o81 in (%v78 to %v79, step %v80) : tile<i32> iter_values(%c82 = %v76, %c83 = %v77) -> (tile<64x64xf32>, tile<64x64xf32>) {
    %v86 = constant <i32: 0> : tile<i32>
    %v88 = constant <i32: 1> : tile<i32>
    %r93, %r94, %r95 = for %i89 in (%v86 to %s87, step %v88) : tile<i32> iter_values(%c90 = %c82, %c91 = %c83, %c92 = %v63) -> (tile<64x64xf32>, tile<64x64xf32>, tile<64x64xptr<tf32>>) {
    %x96, %k97 = load_ptr_tko weak %c92 : tile<64x64xptr<tf32>> -> tile<64x64xtf32>, token
    %v99 = constant <i32: 0> : tile<i32>
    %x98, %k100 = load_view_tko weak %w69[%v99, %i89] : partition_view<tile=(64x64), padding_value = zero, tensor_view<64x?xtf32, strides=[72, 1]>>, tile<i32> -> tile<64x64xtf32>, token
    %v101 = permute %x98 [1, 0] : tile<64x64xtf32> -> tile<64x64xtf32>
    %v102 = mmaf %x96, %v101, %c90 : tile<64x64xtf32>, tile<64x64xtf32>, tile<64x64xf32>
    %v104 = constant <i32: 0> : tile<i32>
    %x103, %k105 = load_view_tko weak %w75[%i89, %v104] : partition_view<tile=(64x64), padding_value = zero, tensor_view<59x?xf32, strides=[72, 1]>>, tile<i32> -> tile<64x64xf32>, token
    %v106 = ftof %x103  : tile<64x64xf32> -> tile<64x64xtf32>
    %v107 = constant <f32: 0x00000000> : tile<64x64xf32>
    %v108 = cmpf greater_than ordered %v102, %v107 : tile<64x64xf32> -> tile<64x64xi1>
    %v109 = constant <f32: 0x3F800000> : tile<64x64xf32>
    %v110 = constant <f32: 0x00000000> : tile<64x64xf32>
    %v111 = select %v108, %v109, %v110 : tile<64x64xi1>, tile<64x64xf32>
    %v112 = ftof %v111  : tile<64x64xf32> -> tile<64x64xtf32>
    %v113 = mmaf %v112, %v106, %c91 : tile<64x64xtf32>, tile<64x64xtf32>, tile<64x64xf32>
    %v114 = constant <i32: 64> : tile<64x64xi32>
    %v115 = offset %c92, %v114 : tile<64x64xptr<tf32>>, tile<64x64xi32> -> tile<64x64xptr<tf32>>
      continue %v102, %v113, %v115 : tile<64x64xf32>, tile<64x64xf32>, tile<64x64xptr<tf32>>
    }
      continue %r93, %r94 : tile<64x64xf32>, tile<64x64xf32>
    }
    %v117 = assume div_by<16>, %p116 : tile<ptr<f32>>
    %t119 = make_tensor_view %v117, shape = [64, 50], strides = [%s118, 65] : tile<i32> -> tensor_view<64x50xf32, strides=[?,65]>
    %w120 = make_partition_view %t119 : partition_view<tile=(64x64), tensor_view<64x50xf32, strides=[?,65]>>
    %b121, %b122, %b123 = get_tile_block_id : tile<i32>
    %v124 = constant <i32: 0> : tile<i32>
    %k125 = store_view_tko weak %r32, %w120[%b121, %v124] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<64x50xf32, strides=[?,65]>>, tile<i32> -> token
    %v127 = assume div_by<4>, %p126 : tile<ptr<f32>>
    %v130 = assume div_by<4>, %s129 : tile<i32>
    %t132 = make_tensor_view %v127, shape = [%s128, 52], strides = [%v130, %s131] : tile<i32> -> tensor_view<?x52xf32, strides=[?,?]>
    %w133 = make_partition_view %t132 : partition_view<tile=(64x64), tensor_view<?x52xf32, strides=[?,?]>, dim_map=[1, 0]>
    %b134, %b135, %b136 = get_tile_block_id : tile<i32>
    %v137 = constant <i32: 0> : tile<i32>
    %k138 = store_view_tko weak %r33, %w133[%b134, %v137] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<?x52xf32, strides=[?,?]>, dim_map=[1, 0]>, tile<i32> -> token
    %v140 = assume div_by<8>, %p139 : tile<ptr<f32>>
    %t143 = make_tensor_view %v140, shape = [10, 64], strides = [%s141, %s142] : tile<i32> -> tensor_view<10x64xf32, strides=[?,?]>
    %w144 = make_partition_view %t143 : partition_view<tile=(64x64), tensor_view<10x64xf32, strides=[?,?]>>
    %b145, %b146, %b147 = get_tile_block_id : tile<i32>
    %v148 = constant <i32: 0> : tile<i32>
    %k149 = store_view_tko weak %r84, %w144[%b145, %v148] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<10x64xf32, strides=[?,?]>>, tile<i32> -> token
    %v151 = assume div_by<8>, %p150 : tile<ptr<f32>>
    %t154 = make_tensor_view %v151, shape = [55, %s152], strides = [%s153, 1] : tile<i32> -> tensor_view<55x?xf32, strides=[?,1]>
    %w155 = make_partition_view %t154 : partition_view<tile=(64x64), tensor_view<55x?xf32, strides=[?,1]>, dim_map=[1, 0]>
    %b156, %b157, %b158 = get_tile_block_id : tile<i32>
    %v159 = constant <i32: 0> : tile<i32>
    %k160 = store_view_tko weak %r85, %w155[%b156, %v159] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<55x?xf32, strides=[?,1]>, dim_map=[1, 0]>, tile<i32> -> token
    return
  }
}
