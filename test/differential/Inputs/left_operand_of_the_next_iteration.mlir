// Threads wrote the left operand of the next iteration into the registers that the product of
// this iteration was still reading.
// differential: seed=46306 grid=1 warps=4
// differential: scalar i1 0x1
// differential: array 0 f16 size=8192 start=0 shape=8192 strides=1 whole=1
// differential: scalar i32 0x40
// differential: scalar i32 0x1fa
// differential: array 1 f16 size=32768 start=0 shape=32768 strides=1 whole=1
// differential: array 2 f16 size=7552 start=0 shape=7552 strides=1 whole=1
// differential: scalar i32 0x7b
// differential: scalar i32 0x3a
// differential: array 3 f16 size=8856 start=0 shape=8856 strides=1 whole=1
// differential: scalar i32 0x4
cuda_tile.module @m {
  entry @k(%s1: tile<i1>, %p2: tile<ptr<f16>>, %s12: tile<i32>, %s14: tile<i32>, %p16: tile<ptr<f16>>, %p20: tile<ptr<f16>>, %s24: tile<i32>, %s26: tile<i32>, %p28: tile<ptr<f16>>, %s39: tile<i32>) {
    %a3 = assume div_by<16>, %p2 : tile<ptr<f16>>
    %t4 = make_tensor_view %a3, shape = [64, 128], strides = [128, 1] : tensor_view<64x128xf16, strides=[128, 1]>
    %w5 = make_partition_view %t4 : partition_view<tile=(128x64), padding_value = zero, tensor_view<64x128xf16, strides=[128, 1]>, dim_map=[1, 0]>
    %b6, %b7, %b8 = get_tile_block_id : tile<i32>
    %v10 = constant <i32: 0> : tile<i32>
    %x9, %k11 = load_view_tko weak %w5[%b6, %v10] : partition_view<tile=(128x64), padding_value = zero, tensor_view<64x128xf16, strides=[128, 1]>, dim_map=[1, 0]>, tile<i32> -> tile<128x64xf16>, token
    %a13 = assume div_by<1>, %s12 : tile<i32>
    %a15 = assume div_by<2>, %s14 : tile<i32>
    %a17 = assume div_by<16>, %p16 : tile<ptr<f16>>
    %t18 = make_tensor_view %a17, shape = [%a13, %a15], strides = [512, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[512, 1]>
    %w19 = make_partition_view %t18 : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf16, strides=[512, 1]>, dim_map=[1, 0]>
    %a21 = assume div_by<16>, %p20 : tile<ptr<f16>>
    %t22 = make_tensor_view %a21, shape = [4, 59, 32], strides = [1888, 32, 1] : tensor_view<4x59x32xf16, strides=[1888, 32, 1]>
    %w23 = make_partition_view %t22 : partition_view<tile=(1x64x32), padding_value = zero, tensor_view<4x59x32xf16, strides=[1888, 32, 1]>>
    %a25 = assume div_by<1>, %s24 : tile<i32>
    %a27 = assume div_by<2>, %s26 : tile<i32>
    %a29 = assume div_by<16>, %p28 : tile<ptr<f16>>
    %t30 = make_tensor_view %a29, shape = [%a25, %a27], strides = [72, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[72, 1]>
    %w31 = make_partition_view %t30 : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xf16, strides=[72, 1]>>
    %v32 = constant <f32: 0x00000000> : tile<128x64xf32>
    %v33 = constant <i32: 0> : tile<i32>
    %v34 = constant <i32: 2> : tile<i32>
    %v35 = constant <i32: 1> : tile<i32>
    %r38 = for %o36 in (%v33 to %v34, step %v35) : tile<i32> iter_values(%c37 = %v32) -> (tile<128x64xf32>) {
    %v40 = constant <i32: 1> : tile<i32>
    %r43 = for %i41 in (%o36 to %s39, step %v40) : tile<i32> iter_values(%c42 = %c37) -> (tile<128x64xf32>) {
    %v45 = constant <i32: 0> : tile<i32>
    %x44, %k46 = load_view_tko weak %w23[%i41, %v45, %v45] : partition_view<tile=(1x64x32), padding_value = zero, tensor_view<4x59x32xf16, strides=[1888, 32, 1]>>, tile<i32> -> tile<1x64x32xf16>, token
    %v47 = reshape %x44 : tile<1x64x32xf16> -> tile<64x32xf16>
    %v48 = constant <f32: 0x00000000> : tile<128x32xf32>
    %v49 = mmaf %x9, %v47, %v48 : tile<128x64xf16>, tile<64x32xf16>, tile<128x32xf32>
    %v50 = constant <f32: 0xC4800000> : tile<128x32xf32>
    %v51 = constant <i32: 32> : tile<i32>
    %v52 = muli %i41, %v51 : tile<i32>
    %v53 = iota : tile<32xi32>
    %v54 = reshape %v53 : tile<32xi32> -> tile<1x32xi32>
    %v55 = broadcast %v54 : tile<1x32xi32> -> tile<128x32xi32>
    %v56 = reshape %v52 : tile<i32> -> tile<1x1xi32>
    %v57 = broadcast %v56 : tile<1x1xi32> -> tile<128x32xi32>
    %v58 = addi %v57, %v55 : tile<128x32xi32>
    %v59 = constant <i32: 91> : tile<128x32xi32>
    %v60 = cmpi less_than_or_equal %v58, %v59, signed : tile<128x32xi32> -> tile<128x32xi1>
    %v61 = select %v60, %v49, %v50 : tile<128x32xi1>, tile<128x32xf32>
    %v62 = constant <f32: 0xC0000000> : tile<128x32xf32>
    %v63 = maxf %v61, %v62  : tile<128x32xf32>
    %v64 = constant <f32: 0x40000000> : tile<128x32xf32>
    %v65 = minf %v63, %v64  : tile<128x32xf32>
    %v66 = ftof %v65  : tile<128x32xf32> -> tile<128x32xf16>
    %v68 = constant <i32: 0> : tile<i32>
    %x67, %k69 = load_view_tko weak %w31[%i41, %v68] : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xf16, strides=[72, 1]>>, tile<i32> -> tile<32x64xf16>, token
    %v70 = mmaf %v66, %x67, %c42 : tile<128x32xf16>, tile<32x64xf16>, tile<128x64xf32>
      continue %v70 : tile<128x64xf32>
    }
      continue %r43 : tile<128x64xf32>
    }
    return
  }
}
