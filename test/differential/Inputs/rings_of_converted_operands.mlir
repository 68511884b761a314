// Two loops whose rings live together, each beside those of a converted operand.
// differential: seed=51686 grid=1 warps=8
// differential: scalar i64 0x0
// differential: scalar i32 0x7f
// differential: array 0 f16 size=12192 start=0 shape=12192 strides=1 whole=1
// differential: scalar i32 0x40
// differential: array 1 f16 size=6144 start=0 shape=6144 strides=1 whole=1
// differential: scalar i32 0x80
// differential: scalar i32 0x20
// differential: array 2 f16 size=12288 start=0 shape=12288 strides=1 whole=1
// differential: scalar i32 0x40
// differential: array 3 f16 size=6912 start=0 shape=6912 strides=1 whole=1
// differential: scalar i32 0x3
// differential: scalar i32 0x100
// differential: array 4 f16 size=16384 start=0 shape=16384 strides=1 whole=1
// differential: array 5 f16 size=15104 start=0 shape=15104 strides=1 whole=1
// differential: scalar i32 0x4
cuda_tile.module @m {
  entry @k(%s1: tile<i64>, %s2: tile<i32>, %p4: tile<ptr<f16>>, %s8: tile<i32>, %p10: tile<ptr<f16>>, %s14: tile<i32>, %s16: tile<i32>, %p18: tile<ptr<f16>>, %s22: tile<i32>, %p24: tile<ptr<f16>>, %s31: tile<i32>, %s54: tile<i32>, %p56: tile<ptr<f16>>, %p60: tile<ptr<f16>>, %s66: tile<i32>) {
    %a3 = assume div_by<1>, %s2 : tile<i32>
    %a5 = assume div_by<16>, %p4 : tile<ptr<f16>>
    %t6 = make_tensor_view %a5, shape = [3, %a3, 26], strides = [4064, 32, 1] : tile<i32> -> tensor_view<3x?x26xf16, strides=[4064, 32, 1]>
    %w7 = make_partition_view %t6 : partition_view<tile=(1x128x32), padding_value = zero, tensor_view<3x?x26xf16, strides=[4064, 32, 1]>>
    %a9 = assume div_by<2>, %s8 : tile<i32>
    %a11 = assume div_by<16>, %p10 : tile<ptr<f16>>
    %t12 = make_tensor_view %a11, shape = [96, %a9], strides = [64, 1] : tile<i32> -> tensor_view<96x?xf16, strides=[64, 1]>
    %w13 = make_partition_view %t12 : partition_view<tile=(32x64), padding_value = zero, tensor_view<96x?xf16, strides=[64, 1]>>
    %a15 = assume div_by<1>, %s14 : tile<i32>
    %a17 = assume div_by<2>, %s16 : tile<i32>
    %a19 = assume div_by<16>, %p18 : tile<ptr<f16>>
    %t20 = make_tensor_view %a19, shape = [3, %a15, %a17], strides = [4096, 32, 1] : tile<i32> -> tensor_view<3x?x?xf16, strides=[4096, 32, 1]>
    %w21 = make_partition_view %t20 : partition_view<tile=(1x128x32), padding_value = zero, tensor_view<3x?x?xf16, strides=[4096, 32, 1]>>
    %a23 = assume div_by<2>, %s22 : tile<i32>
    %a25 = assume div_by<16>, %p24 : tile<ptr<f16>>
    %t26 = make_tensor_view %a25, shape = [96, %a23], strides = [72, 1] : tile<i32> -> tensor_view<96x?xf16, strides=[72, 1]>
    %w27 = make_partition_view %t26 : partition_view<tile=(32x64), padding_value = zero, tensor_view<96x?xf16, strides=[72, 1]>>
    %v28 = constant <f32: 0x00000000> : tile<128x64xf32>
    %v29 = constant <f32: 0x00000000> : tile<128x64xf32>
    %v30 = constant <i32: 0> : tile<i32>
    %v32 = constant <i32: 1> : tile<i32>
    %r36, %r37 = for %i33 in (%v30 to %s31, step %v32) : tile<i32> iter_values(%c34 = %v28, %c35 = %v29) -> (tile<128x64xf32>, tile<128x64xf32>) {
    %v39 = constant <i32: 0> : tile<i32>
    %x38, %k40 = load_view_tko weak %w7[%i33, %v39, %v39] : partition_view<tile=(1x128x32), padding_value = zero, tensor_view<3x?x26xf16, strides=[4064, 32, 1]>>, tile<i32> -> tile<1x128x32xf16>, token
    %v41 = reshape %x38 : tile<1x128x32xf16> -> tile<128x32xf16>
    %v43 = constant <i32: 0> : tile<i32>
    %x42, %k44 = load_view_tko weak %w13[%i33, %v43] : partition_view<tile=(32x64), padding_value = zero, tensor_view<96x?xf16, strides=[64, 1]>>, tile<i32> -> tile<32x64xf16>, token
    %v46 = constant <i32: 0> : tile<i32>
    %x45, %k47 = load_view_tko weak %w21[%i33, %v46, %v46] : partition_view<tile=(1x128x32), padding_value = zero, tensor_view<3x?x?xf16, strides=[4096, 32, 1]>>, tile<i32> -> tile<1x128x32xf16>, token
    %v48 = reshape %x45 : tile<1x128x32xf16> -> tile<128x32xf16>
    %v50 = constant <i32: 0> : tile<i32>
    %x49, %k51 = load_view_tko weak %w27[%i33, %v50] : partition_view<tile=(32x64), padding_value = zero, tensor_view<96x?xf16, strides=[72, 1]>>, tile<i32> -> tile<32x64xf16>, token
    %v52 = mmaf %v41, %x42, %c34 : tile<128x32xf16>, tile<32x64xf16>, tile<128x64xf32>
    %v53 = mmaf %v48, %x49, %c35 : tile<128x32xf16>, tile<32x64xf16>, tile<128x64xf32>
      continue %v52, %v53 : tile<128x64xf32>, tile<128x64xf32>
    }
    %a55 = assume div_by<2>, %s54 : tile<i32>
    %a57 = assume div_by<16>, %p56 : tile<ptr<f16>>
    %t58 = make_tensor_view %a57, shape = [64, %a55], strides = [256, 1] : tile<i32> -> tensor_view<64x?xf16, strides=[256, 1]>
    %w59 = make_partition_view %t58 : partition_view<tile=(64x64), padding_value = zero, tensor_view<64x?xf16, strides=[256, 1]>>
    %a61 = assume div_by<16>, %p60 : tile<ptr<f16>>
    %t62 = make_tensor_view %a61, shape = [4, 59, 62], strides = [3776, 64, 1] : tensor_view<4x59x62xf16, strides=[3776, 64, 1]>
    %w63 = make_partition_view %t62 : partition_view<tile=(1x64x64), padding_value = zero, tensor_view<4x59x62xf16, strides=[3776, 64, 1]>>
    %v64 = constant <f32: 0x00000000> : tile<64x64xf32>
    %v65 = constant <i32: 0> : tile<i32>
    %v67 = constant <i32: 1> : tile<i32>
    %r70 = for %i68 in (%v65 to %s66, step %v67) : tile<i32> iter_values(%c69 = %v64) -> (tile<64x64xf32>) {
    %v71 = constant <i32: 2> : tile<i32>
    %v72 = remi %i68, %v71 signed : tile<i32>
    %v73 = constant <i32: 0> : tile<i32>
    %v74 = cmpi equal %v72, %v73, signed : tile<i32> -> tile<i1>
    %i75 = if %v74 -> (tile<64x64xf32>) {
    %v77 = constant <i32: 0> : tile<i32>
    %x76, %k78 = load_view_tko weak %w59[%v77, %i68] : partition_view<tile=(64x64), padding_value = zero, tensor_view<64x?xf16, strides=[256, 1]>>, tile<i32> -> tile<64x64xf16>, token
    %v80 = constant <i32: 0> : tile<i32>
    %x79, %k81 = load_view_tko weak %w63[%i68, %v80, %v80] : partition_view<tile=(1x64x64), padding_value = zero, tensor_view<4x59x62xf16, strides=[3776, 64, 1]>>, tile<i32> -> tile<1x64x64xf16>, token
    %v82 = reshape %x79 : tile<1x64x64xf16> -> tile<64x64xf16>
    %v83 = mmaf %x76, %v82, %c69 : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
      yield %v83 : tile<64x64xf32>
    } else {
      yield %c69 : tile<64x64xf32>
    }
      continue %i75 : tile<64x64xf32>
    }
    return
  }
}
