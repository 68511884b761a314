// The iteration of a ring that two branches share is used inside the second branch.
// differential: seed=10811 grid=1 warps=1
// differential: scalar f16 0x5868
// differential: array 0 bf16 size=7872 start=0 shape=7872 strides=1 whole=1
// differential: array 1 bf16 size=8064 start=0 shape=8064 strides=1 whole=1
// differential: array 2 bf16 size=8192 start=0 shape=8192 strides=1 whole=1
// differential: scalar i32 0x3b
// differential: scalar i32 0x80
// differential: array 3 bf16 size=8024 start=0 shape=8024 strides=1 whole=1
// differential: scalar i32 0x2
cuda_tile.module @m {
  entry @k(%s1: tile<f16>, %p4: tile<ptr<bf16>>, %p15: tile<ptr<bf16>>, %p19: tile<ptr<bf16>>, %s23: tile<i32>, %s25: tile<i32>, %p27: tile<ptr<bf16>>, %s39: tile<i32>) {
    %v2 = reshape %s1 : tile<f16> -> tile<1x1xf16>
    %v3 = broadcast %v2 : tile<1x1xf16> -> tile<128x8xf16>
    %a5 = assume div_by<16>, %p4 : tile<ptr<bf16>>
    %t6 = make_tensor_view %a5, shape = [1, 123, 64], strides = [7872, 64, 1] : tensor_view<1x123x64xbf16, strides=[7872, 64, 1]>
    %w7 = make_partition_view %t6 : partition_view<tile=(1x128x64), padding_value = zero, tensor_view<1x123x64xbf16, strides=[7872, 64, 1]>>
    %b8, %b9, %b10 = get_tile_block_id : tile<i32>
    %v12 = constant <i32: 0> : tile<i32>
    %x11, %k13 = load_view_tko weak %w7[%b8, %v12, %v12] : partition_view<tile=(1x128x64), padding_value = zero, tensor_view<1x123x64xbf16, strides=[7872, 64, 1]>>, tile<i32> -> tile<1x128x64xbf16>, token
    %v14 = reshape %x11 : tile<1x128x64xbf16> -> tile<128x64xbf16>
    %a16 = assume div_by<16>, %p15 : tile<ptr<bf16>>
    %t17 = make_tensor_view %a16, shape = [63, 122], strides = [128, 1] : tensor_view<63x122xbf16, strides=[128, 1]>
    %w18 = make_partition_view %t17 : partition_view<tile=(64x64), padding_value = zero, tensor_view<63x122xbf16, strides=[128, 1]>>
    %a20 = assume div_by<16>, %p19 : tile<ptr<bf16>>
    %t21 = make_tensor_view %a20, shape = [64, 128], strides = [128, 1] : tensor_view<64x128xbf16, strides=[128, 1]>
    %w22 = make_partition_view %t21 : partition_view<tile=(64x64), padding_value = zero, tensor_view<64x128xbf16, strides=[128, 1]>>
    %a24 = assume div_by<1>, %s23 : tile<i32>
    %a26 = assume div_by<2>, %s25 : tile<i32>
    %a28 = assume div_by<16>, %p27 : tile<ptr<bf16>>
    %t29 = make_tensor_view %a28, shape = [%a24, %a26], strides = [136, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[136, 1]>
    %w30 = make_partition_view %t29 : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xbf16, strides=[136, 1]>>
    %v31 = constant <f32: 0x00000000> : tile<128x64xf32>
    %v32 = constant <i32: 0> : tile<i32>
    %v33 = constant <i32: 2> : tile<i32>
    %v34 = constant <i32: 1> : tile<i32>
    %r37 = for %o35 in (%v32 to %v33, step %v34) : tile<i32> iter_values(%c36 = %v31) -> (tile<128x64xf32>) {
    %v38 = constant <i32: 0> : tile<i32>
    %v40 = constant <i32: 1> : tile<i32>
    %r43 = for %i41 in (%v38 to %s39, step %v40) : tile<i32> iter_values(%c42 = %c36) -> (tile<128x64xf32>) {
    %v44 = constant <i32: 1> : tile<i32>
    %v45 = subi %v44, %i41 : tile<i32>
    %v47 = constant <i32: 0> : tile<i32>
    %x46, %k48 = load_view_tko weak %w18[%v47, %v45] : partition_view<tile=(64x64), padding_value = zero, tensor_view<63x122xbf16, strides=[128, 1]>>, tile<i32> -> tile<64x64xbf16>, token
    %v49 = constant <f32: 0x00000000> : tile<128x64xf32>
    %v50 = mmaf %v14, %x46, %v49 : tile<128x64xbf16>, tile<64x64xbf16>, tile<128x64xf32>
    %v51 = constant <f32: 0xC0000000> : tile<128x64xf32>
    %v52 = maxf %v50, %v51  : tile<128x64xf32>
    %v53 = constant <f32: 0x40000000> : tile<128x64xf32>
    %v54 = minf %v52, %v53  : tile<128x64xf32>
    %v55 = ftof %v54  : tile<128x64xf32> -> tile<128x64xbf16>
    %v56 = constant <f32: 0x00000000> : tile<128x64xf32>
    %v57 = constant <i32: 2> : tile<i32>
    %v58 = remi %v45, %v57 signed : tile<i32>
    %v59 = constant <i32: 0> : tile<i32>
    %v60 = cmpi equal %v58, %v59, signed : tile<i32> -> tile<i1>
    %i61 = if %v60 -> (tile<128x64xf32>) {
    %v63 = constant <i32: 0> : tile<i32>
    %x62, %k64 = load_view_tko weak %w22[%v63, %v45] : partition_view<tile=(64x64), padding_value = zero, tensor_view<64x128xbf16, strides=[128, 1]>>, tile<i32> -> tile<64x64xbf16>, token
    %v65 = permute %x62 [1, 0] : tile<64x64xbf16> -> tile<64x64xbf16>
    %v66 = mmaf %v55, %v65, %v56 : tile<128x64xbf16>, tile<64x64xbf16>, tile<128x64xf32>
      yield %v66 : tile<128x64xf32>
    } else {
      yield %v56 : tile<128x64xf32>
    }
    %v67 = constant <f32: 0xC0000000> : tile<128x64xf32>
    %v68 = maxf %i61, %v67  : tile<128x64xf32>
    %v69 = constant <f32: 0x40000000> : tile<128x64xf32>
    %v70 = minf %v68, %v69  : tile<128x64xf32>
    %v71 = ftof %v70  : tile<128x64xf32> -> tile<128x64xbf16>
    %v72 = constant <i32: 2> : tile<i32>
    %v73 = remi %v45, %v72 signed : tile<i32>
    %v74 = constant <i32: 0> : tile<i32>
    %v75 = cmpi equal %v73, %v74, signed : tile<i32> -> tile<i1>
    %i76 = if %v75 -> (tile<128x64xf32>) {
    %v78 = constant <i32: 0> : tile<i32>
    %x77, %k79 = load_view_tko weak %w30[%v78, %v45] : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xbf16, strides=[136, 1]>>, tile<i32> -> tile<64x64xbf16>, token
    %v80 = mmaf %v71, %x77, %c42 : tile<128x64xbf16>, tile<64x64xbf16>, tile<128x64xf32>
      yield %v80 : tile<128x64xf32>
    } else {
      yield %c42 : tile<128x64xf32>
    }
      continue %i76 : tile<128x64xf32>
    }
      continue %r43 : tile<128x64xf32>
    }
    return
  }
}
