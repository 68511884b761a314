// Threads and products read a slot that threads fill: products need the fence too.
// differential: seed=44256 grid=1 warps=4
// differential: array 0 i64 size=1 start=0 shape=1 strides=1
// differential: scalar i64 0xd39924a67f72f248
// differential: scalar i32 0x1
// differential: array 1 f16 size=192 start=0 shape=192 strides=1 whole=1
// differential: array 2 f16 size=48 start=0 shape=48 strides=1 whole=1
// differential: scalar i32 0x2b
// differential: array 3 f8E4M3FN size=2752 start=0 shape=2752 strides=1 whole=1
// differential: scalar i32 0x3
// differential: scalar i32 0x40
// differential: array 4 f16 size=192 start=0 shape=192 strides=1 whole=1
// differential: scalar i32 0xbe
// differential: array 5 f16 size=200 start=0 shape=200 strides=1 whole=1
// differential: scalar i32 0xbf
// differential: scalar i32 0x40
// differential: array 6 f8E4M3FN size=12224 start=0 shape=12224 strides=1 whole=1
// differential: scalar i32 0xba
// differential: array 7 f16 size=12096 start=0 shape=12096 strides=1 whole=1
// differential: scalar i32 0x3
cuda_tile.module @m {
  entry @k(%p2: tile<ptr<i64>>, %s6: tile<i64>, %s7: tile<i32>, %p9: tile<ptr<f16>>, %p13: tile<ptr<f16>>, %s26: tile<i32>, %p28: tile<ptr<f8E4M3FN>>, %s32: tile<i32>, %s34: tile<i32>, %p36: tile<ptr<f16>>, %s40: tile<i32>, %p42: tile<ptr<f16>>, %s46: tile<i32>, %s48: tile<i32>, %p50: tile<ptr<f8E4M3FN>>, %s54: tile<i32>, %p56: tile<ptr<f16>>, %s63: tile<i32>) {
    %v1 = constant <i32: 0> : tile<i32>
    %v3 = offset %p2, %v1 : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
    %v8 = cmpi less_than %v1, %s7, signed : tile<i32> -> tile<i1>
    %v4, %k5 = load_ptr_tko weak %v3, %v8, %s6 : tile<ptr<i64>>, tile<i1>, tile<i64> -> tile<i64>, token
    %a10 = assume div_by<16>, %p9 : tile<ptr<f16>>
    %t11 = make_tensor_view %a10, shape = [3, 64], strides = [64, 1] : tensor_view<3x64xf16, strides=[64, 1]>
    %w12 = make_partition_view %t11 : partition_view<tile=(1x64), padding_value = zero, tensor_view<3x64xf16, strides=[64, 1]>>
    %a14 = assume div_by<16>, %p13 : tile<ptr<f16>>
    %v15 = iota : tile<16xi32>
    %v16 = reshape %v15 : tile<16xi32> -> tile<16x1xi32>
    %v17 = constant <i32: 1> : tile<16x1xi32>
    %v18 = muli %v16, %v17 : tile<16x1xi32>
    %v19 = iota : tile<1xi32>
    %v20 = reshape %v19 : tile<1xi32> -> tile<1x1xi32>
    %v21 = broadcast %v20 : tile<1x1xi32> -> tile<16x1xi32>
    %v22 = addi %v18, %v21 : tile<16x1xi32>
    %v23 = reshape %a14 : tile<ptr<f16>> -> tile<1x1xptr<f16>>
    %v24 = broadcast %v23 : tile<1x1xptr<f16>> -> tile<16x1xptr<f16>>
    %v25 = offset %v24, %v22 : tile<16x1xptr<f16>>, tile<16x1xi32> -> tile<16x1xptr<f16>>
    %a27 = assume div_by<1>, %s26 : tile<i32>
    %a29 = assume div_by<16>, %p28 : tile<ptr<f8E4M3FN>>
    %t30 = make_tensor_view %a29, shape = [%a27, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf8E4M3FN, strides=[64, 1]>
    %w31 = make_partition_view %t30 : partition_view<tile=(16x64), padding_value = zero, tensor_view<?x64xf8E4M3FN, strides=[64, 1]>>
    %a33 = assume div_by<1>, %s32 : tile<i32>
    %a35 = assume div_by<2>, %s34 : tile<i32>
    %a37 = assume div_by<16>, %p36 : tile<ptr<f16>>
    %t38 = make_tensor_view %a37, shape = [%a33, %a35], strides = [64, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[64, 1]>
    %w39 = make_partition_view %t38 : partition_view<tile=(1x64), padding_value = zero, tensor_view<?x?xf16, strides=[64, 1]>>
    %a41 = assume div_by<2>, %s40 : tile<i32>
    %a43 = assume div_by<16>, %p42 : tile<ptr<f16>>
    %t44 = make_tensor_view %a43, shape = [1, %a41], strides = [200, 1] : tile<i32> -> tensor_view<1x?xf16, strides=[200, 1]>
    %w45 = make_partition_view %t44 : partition_view<tile=(64x1), padding_value = zero, tensor_view<1x?xf16, strides=[200, 1]>, dim_map=[1, 0]>
    %a47 = assume div_by<1>, %s46 : tile<i32>
    %a49 = assume div_by<4>, %s48 : tile<i32>
    %a51 = assume div_by<16>, %p50 : tile<ptr<f8E4M3FN>>
    %t52 = make_tensor_view %a51, shape = [%a47, %a49], strides = [64, 1] : tile<i32> -> tensor_view<?x?xf8E4M3FN, strides=[64, 1]>
    %w53 = make_partition_view %t52 : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf8E4M3FN, strides=[64, 1]>>
    %a55 = assume div_by<2>, %s54 : tile<i32>
    %a57 = assume div_by<16>, %p56 : tile<ptr<f16>>
    %t58 = make_tensor_view %a57, shape = [63, %a55], strides = [192, 1] : tile<i32> -> tensor_view<63x?xf16, strides=[192, 1]>
    %w59 = make_partition_view %t58 : partition_view<tile=(64x64), padding_value = zero, tensor_view<63x?xf16, strides=[192, 1]>>
    %v60 = constant <f32: 0x00000000> : tile<64x64xf32>
    %v61 = constant <f32: 0x00000000> : tile<16x64xf32>
    %v62 = constant <i32: 0> : tile<i32>
    %v64 = constant <i32: 1> : tile<i32>
    %r68, %r69 = for %i65 in (%v62 to %s63, step %v64) : tile<i32> iter_values(%c66 = %v60, %c67 = %v61) -> (tile<64x64xf32>, tile<16x64xf32>) {
    %v71 = constant <i32: 0> : tile<i32>
    %x70, %k72 = load_view_tko weak %w31[%i65, %v71] : partition_view<tile=(16x64), padding_value = zero, tensor_view<?x64xf8E4M3FN, strides=[64, 1]>>, tile<i32> -> tile<16x64xf8E4M3FN>, token
    %v73 = ftof %x70  : tile<16x64xf8E4M3FN> -> tile<16x64xf16>
    %v75 = constant <i32: 0> : tile<i32>
    %x74, %k76 = load_view_tko weak %w12[%i65, %v75] : partition_view<tile=(1x64), padding_value = zero, tensor_view<3x64xf16, strides=[64, 1]>>, tile<i32> -> tile<1x64xf16>, token
    %v77 = broadcast %x74 : tile<1x64xf16> -> tile<16x64xf16>
    %v78 = subf %v73, %v77 : tile<16x64xf16>
    %v80 = constant <i32: 16> : tile<i32>
    %v81 = muli %i65, %v80 : tile<i32>
    %v82 = reshape %v81 : tile<i32> -> tile<1x1xi32>
    %v83 = broadcast %v82 : tile<1x1xi32> -> tile<16x1xi32>
    %v84 = offset %v25, %v83 : tile<16x1xptr<f16>>, tile<16x1xi32> -> tile<16x1xptr<f16>>
    %x79, %k85 = load_ptr_tko weak %v84 : tile<16x1xptr<f16>> -> tile<16x1xf16>, token
    %v86 = broadcast %x79 : tile<16x1xf16> -> tile<16x64xf16>
    %v87 = mulf %v78, %v86 : tile<16x64xf16>
    %v89 = constant <i32: 0> : tile<i32>
    %x88, %k90 = load_view_tko weak %w53[%i65, %v89] : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf8E4M3FN, strides=[64, 1]>>, tile<i32> -> tile<64x64xf8E4M3FN>, token
    %v91 = ftof %x88  : tile<64x64xf8E4M3FN> -> tile<64x64xf16>
    %v92 = constant <i32: 2> : tile<i32>
    %v93 = divi %i65, %v92 signed : tile<i32>
    %v95 = constant <i32: 0> : tile<i32>
    %x94, %k96 = load_view_tko weak %w39[%v93, %v95] : partition_view<tile=(1x64), padding_value = zero, tensor_view<?x?xf16, strides=[64, 1]>>, tile<i32> -> tile<1x64xf16>, token
    %v97 = broadcast %x94 : tile<1x64xf16> -> tile<64x64xf16>
    %v98 = mulf %v91, %v97 : tile<64x64xf16>
    %v100 = constant <i32: 0> : tile<i32>
    %x99, %k101 = load_view_tko weak %w45[%v93, %v100] : partition_view<tile=(64x1), padding_value = zero, tensor_view<1x?xf16, strides=[200, 1]>, dim_map=[1, 0]>, tile<i32> -> tile<64x1xf16>, token
    %v102 = broadcast %x99 : tile<64x1xf16> -> tile<64x64xf16>
    %v103 = subf %v98, %v102 : tile<64x64xf16>
    %v105 = constant <i32: 0> : tile<i32>
    %x104, %k106 = load_view_tko weak %w59[%v105, %i65] : partition_view<tile=(64x64), padding_value = zero, tensor_view<63x?xf16, strides=[192, 1]>>, tile<i32> -> tile<64x64xf16>, token
    %v107 = permute %x104 [1, 0] : tile<64x64xf16> -> tile<64x64xf16>
    %v108 = permute %v103 [1, 0] : tile<64x64xf16> -> tile<64x64xf16>
    %v109 = constant <f32: 0x00000000> : tile<16x64xf32>
    %v110 = mmaf %v87, %v108, %v109 : tile<16x64xf16>, tile<64x64xf16>, tile<16x64xf32>
    %v111 = constant <f32: 0xC0000000> : tile<16x64xf32>
    %v112 = maxf %v110, %v111  : tile<16x64xf32>
    %v113 = constant <f32: 0x40000000> : tile<16x64xf32>
    %v114 = minf %v112, %v113  : tile<16x64xf32>
    %v115 = ftof %v114  : tile<16x64xf32> -> tile<16x64xf16>
    %v116 = constant <f32: 0x3F000000> : tile<64x64xf32>
    %v117 = mulf %c66, %v116  : tile<64x64xf32>
    %v118 = constant <f32: 0xC0000000> : tile<64x64xf32>
    %v119 = maxf %v117, %v118  : tile<64x64xf32>
    %v120 = constant <f32: 0x40000000> : tile<64x64xf32>
    %v121 = minf %v119, %v120  : tile<64x64xf32>
    %v122 = ftof %v121  : tile<64x64xf32> -> tile<64x64xf16>
    %v123 = mmaf %v87, %v122, %c67 : tile<16x64xf16>, tile<64x64xf16>, tile<16x64xf32>
    %v124 = mmaf %v115, %v107, %v123 : tile<16x64xf16>, tile<64x64xf16>, tile<16x64xf32>
    %v125 = mmaf %v108, %v107, %v117 : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
      continue %v125, %v124 : tile<64x64xf32>, tile<16x64xf32>
    }
    return
  }
}
