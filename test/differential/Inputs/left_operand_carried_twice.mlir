// A loop carries a left operand and its transpose, which are the same registers: threads
// stored them while the product was still reading.
// differential: seed=14483 grid=1 warps=8
// differential: scalar i32 0x1
// differential: scalar i32 0x1
// differential: array 0 bf16 size=8192 start=0 shape=8192 strides=1 whole=1
// differential: array 1 bf16 size=8192 start=0 shape=8192 strides=1 whole=1
// differential: scalar i32 0x2
cuda_tile.module @m {
  entry @k(%s1: tile<i32>, %s9: tile<i32>, %p11: tile<ptr<bf16>>, %p22: tile<ptr<bf16>>, %s36: tile<i32>) {
    %v2 = constant <i32: 1> : tile<i32>
    %v3 = constant <i32: 2> : tile<i32>
    %b4, %b5, %b6 = get_tile_block_id : tile<i32>
    %v7 = addi %b4, %v2 : tile<i32>
    %v8 = divi %v7, %v3 signed : tile<i32>
    %a10 = assume div_by<1>, %s9 : tile<i32>
    %a12 = assume div_by<16>, %p11 : tile<ptr<bf16>>
    %t13 = make_tensor_view %a12, shape = [%a10, 128, 64], strides = [8192, 64, 1] : tile<i32> -> tensor_view<?x128x64xbf16, strides=[8192, 64, 1]>
    %w14 = make_partition_view %t13 : partition_view<tile=(1x128x64), padding_value = zero, tensor_view<?x128x64xbf16, strides=[8192, 64, 1]>>
    %b15, %b16, %b17 = get_tile_block_id : tile<i32>
    %v19 = constant <i32: 0> : tile<i32>
    %x18, %k20 = load_view_tko weak %w14[%v8, %b15, %v19] : partition_view<tile=(1x128x64), padding_value = zero, tensor_view<?x128x64xbf16, strides=[8192, 64, 1]>>, tile<i32> -> tile<1x128x64xbf16>, token
    %v21 = reshape %x18 : tile<1x128x64xbf16> -> tile<128x64xbf16>
    %a23 = assume div_by<16>, %p22 : tile<ptr<bf16>>
    %t24 = make_tensor_view %a23, shape = [64, 128], strides = [128, 1] : tensor_view<64x128xbf16, strides=[128, 1]>
    %w25 = make_partition_view %t24 : partition_view<tile=(64x64), padding_value = zero, tensor_view<64x128xbf16, strides=[128, 1]>>
    %v26 = constant <f32: 0x00000000> : tile<128x64xf32>
    %v27 = constant <f32: 0x00000000> : tile<64x64xf32>
    %v28 = constant <i32: 0> : tile<i32>
    %v29 = constant <i32: 2> : tile<i32>
    %v30 = constant <i32: 1> : tile<i32>
    %r34, %r35 = for %o31 in (%v28 to %v29, step %v30) : tile<i32> iter_values(%c32 = %v26, %c33 = %v27) -> (tile<128x64xf32>, tile<64x64xf32>) {
    %v37 = constant <i32: 1> : tile<i32>
    %r41, %r42 = for %i38 in (%o31 to %s36, step %v37) : tile<i32> iter_values(%c39 = %c32, %c40 = %c33) -> (tile<128x64xf32>, tile<64x64xf32>) {
    %v44 = constant <i32: 0> : tile<i32>
    %x43, %k45 = load_view_tko weak %w25[%v44, %i38] : partition_view<tile=(64x64), padding_value = zero, tensor_view<64x128xbf16, strides=[128, 1]>>, tile<i32> -> tile<64x64xbf16>, token
    %v46 = permute %x43 [1, 0] : tile<64x64xbf16> -> tile<64x64xbf16>
    %v47 = permute %v46 [1, 0] : tile<64x64xbf16> -> tile<64x64xbf16>
    %v48 = constant <f32: 0x00000000> : tile<128x64xf32>
    %v49 = mmaf %v21, %v47, %v48 : tile<128x64xbf16>, tile<64x64xbf16>, tile<128x64xf32>
    %v50 = constant <f32: 0xC0000000> : tile<128x64xf32>
    %v51 = maxf %v49, %v50  : tile<128x64xf32>
    %v52 = constant <f32: 0x40000000> : tile<128x64xf32>
    %v53 = minf %v51, %v52  : tile<128x64xf32>
    %v54 = ftof %v53  : tile<128x64xf32> -> tile<128x64xbf16>
    %v55 = permute %v54 [1, 0] : tile<128x64xbf16> -> tile<64x128xbf16>
    %v56 = mmaf %v54, %v46, %c39 : tile<128x64xbf16>, tile<64x64xbf16>, tile<128x64xf32>
    %v57 = mmaf %v55, %v21, %c40 : tile<64x128xbf16>, tile<128x64xbf16>, tile<64x64xf32>
      continue %v56, %v57 : tile<128x64xf32>, tile<64x64xf32>
    }
      continue %r41, %r42 : tile<128x64xf32>, tile<64x64xf32>
    }
    return
  }
}
