// Two rings of a loop, and a tile that the same loop stores by a bulk copy.
// differential: seed=46342 grid=1 warps=1
// differential: scalar i32 0x180
// differential: scalar i32 0x80
// differential: array 0 bf16 size=52224 start=0 shape=52224 strides=1 whole=1
// differential: array 1 bf16 size=48216 start=0 shape=48216 strides=1 whole=1
// differential: scalar i32 0x3e
// differential: array 2 bf16 size=49152 start=0 shape=49152 strides=1 whole=1
// differential: scalar i32 0x3b
// differential: scalar i32 0x80
// differential: array 3 bf16 size=48144 start=0 shape=48144 strides=1 whole=1
// differential: array 4 f32 size=98304 start=0 shape=98304 strides=1
// differential: scalar i32 0x6
cuda_tile.module @m {
  entry @k(%s2: tile<i32>, %s4: tile<i32>, %p6: tile<ptr<bf16>>, %p10: tile<ptr<bf16>>, %s14: tile<i32>, %p16: tile<ptr<bf16>>, %s20: tile<i32>, %s22: tile<i32>, %p24: tile<ptr<bf16>>, %p28: tile<ptr<f32>>, %s35: tile<i32>) {
    %v1 = constant <i8: -8> : tile<8x64xi8>
    %a3 = assume div_by<1>, %s2 : tile<i32>
    %a5 = assume div_by<2>, %s4 : tile<i32>
    %a7 = assume div_by<16>, %p6 : tile<ptr<bf16>>
    %t8 = make_tensor_view %a7, shape = [%a3, %a5], strides = [136, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[136, 1]>
    %w9 = make_partition_view %t8 : partition_view<tile=(64x128), padding_value = zero, tensor_view<?x?xbf16, strides=[136, 1]>>
    %a11 = assume div_by<16>, %p10 : tile<ptr<bf16>>
    %t12 = make_tensor_view %a11, shape = [123, 378], strides = [392, 1] : tensor_view<123x378xbf16, strides=[392, 1]>
    %w13 = make_partition_view %t12 : partition_view<tile=(64x128), padding_value = zero, tensor_view<123x378xbf16, strides=[392, 1]>, dim_map=[1, 0]>
    %a15 = assume div_by<2>, %s14 : tile<i32>
    %a17 = assume div_by<16>, %p16 : tile<ptr<bf16>>
    %t18 = make_tensor_view %a17, shape = [6, 128, %a15], strides = [8192, 64, 1] : tile<i32> -> tensor_view<6x128x?xbf16, strides=[8192, 64, 1]>
    %w19 = make_partition_view %t18 : partition_view<tile=(1x128x64), padding_value = zero, tensor_view<6x128x?xbf16, strides=[8192, 64, 1]>>
    %a21 = assume div_by<1>, %s20 : tile<i32>
    %a23 = assume div_by<2>, %s22 : tile<i32>
    %a25 = assume div_by<16>, %p24 : tile<ptr<bf16>>
    %t26 = make_tensor_view %a25, shape = [6, %a21, %a23], strides = [8024, 136, 1] : tile<i32> -> tensor_view<6x?x?xbf16, strides=[8024, 136, 1]>
    %w27 = make_partition_view %t26 : partition_view<tile=(1x64x128), padding_value = zero, tensor_view<6x?x?xbf16, strides=[8024, 136, 1]>>
    %a29 = assume div_by<16>, %p28 : tile<ptr<f32>>
    %t30 = make_tensor_view %a29, shape = [768, 128], strides = [128, 1] : tensor_view<768x128xf32, strides=[128, 1]>
    %w31 = make_partition_view %t30 : partition_view<tile=(128x128), tensor_view<768x128xf32, strides=[128, 1]>>
    %v32 = constant <f32: 0x00000000> : tile<128x128xf32>
    %v33 = constant <f32: 0x00000000> : tile<128x128xf32>
    %v34 = constant <i32: 0> : tile<i32>
    %v36 = constant <i32: 1> : tile<i32>
    %r40, %r41 = for %i37 in (%v34 to %s35, step %v36) : tile<i32> iter_values(%c38 = %v32, %c39 = %v33) -> (tile<128x128xf32>, tile<128x128xf32>) {
    %v42 = constant <i32: 5> : tile<i32>
    %v43 = subi %v42, %i37 : tile<i32>
    %v45 = constant <i32: 0> : tile<i32>
    %x44, %k46 = load_view_tko weak %w9[%v43, %v45] : partition_view<tile=(64x128), padding_value = zero, tensor_view<?x?xbf16, strides=[136, 1]>>, tile<i32> -> tile<64x128xbf16>, token
    %v47 = permute %x44 [1, 0] : tile<64x128xbf16> -> tile<128x64xbf16>
    %v49 = constant <i32: 0> : tile<i32>
    %x48, %k50 = load_view_tko weak %w13[%v43, %v49] : partition_view<tile=(64x128), padding_value = zero, tensor_view<123x378xbf16, strides=[392, 1]>, dim_map=[1, 0]>, tile<i32> -> tile<64x128xbf16>, token
    %v52 = constant <i32: 0> : tile<i32>
    %x51, %k53 = load_view_tko weak %w19[%v43, %v52, %v52] : partition_view<tile=(1x128x64), padding_value = zero, tensor_view<6x128x?xbf16, strides=[8192, 64, 1]>>, tile<i32> -> tile<1x128x64xbf16>, token
    %v54 = reshape %x51 : tile<1x128x64xbf16> -> tile<128x64xbf16>
    %v56 = constant <i32: 0> : tile<i32>
    %x55, %k57 = load_view_tko weak %w27[%v43, %v56, %v56] : partition_view<tile=(1x64x128), padding_value = zero, tensor_view<6x?x?xbf16, strides=[8024, 136, 1]>>, tile<i32> -> tile<1x64x128xbf16>, token
    %v58 = reshape %x55 : tile<1x64x128xbf16> -> tile<64x128xbf16>
    %v59 = mmaf %v47, %x48, %c38 : tile<128x64xbf16>, tile<64x128xbf16>, tile<128x128xf32>
    %v60 = mmaf %v54, %v58, %c39 : tile<128x64xbf16>, tile<64x128xbf16>, tile<128x128xf32>
    %b61, %b62, %b63 = get_tile_block_id : tile<i32>
    %v64 = constant <i32: 0> : tile<i32>
    %v65 = cmpi equal %b61, %v64, signed : tile<i32> -> tile<i1>
    if %v65 {
      %k66 = store_view_tko weak %v59, %w31[%v43, %v64] : tile<128x128xf32>, partition_view<tile=(128x128), tensor_view<768x128xf32, strides=[128, 1]>>, tile<i32> -> token
    }
      continue %v59, %v60 : tile<128x128xf32>, tile<128x128xf32>
    }
    return
  }
}
