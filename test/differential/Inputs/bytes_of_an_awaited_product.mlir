// Threads write to bytes of a product that was awaited while a younger one still runs.
// differential: seed=49225 grid=1 warps=4
// differential: array 0 f32 size=1504 start=0 shape=32x47 strides=1,32
// differential: scalar i32 0x2f
// differential: scalar i32 0x1
// differential: scalar i32 0x40
// differential: array 1 f16 size=1536 start=0 shape=1536 strides=1 whole=1
// differential: scalar i32 0x20
// differential: array 2 f16 size=768 start=0 shape=768 strides=1 whole=1
// differential: scalar i32 0x3d
// differential: array 3 f32 size=1944 start=0 shape=1944 strides=1 whole=1
// differential: scalar i32 0x40
// differential: array 4 f8E4M3FN size=4096 start=0 shape=4096 strides=1 whole=1
// differential: scalar i32 0x1b
// differential: scalar i32 0x40
// differential: array 5 f16 size=1944 start=0 shape=1944 strides=1 whole=1
// differential: scalar i32 0x1a
// differential: array 6 f16 size=2048 start=0 shape=2048 strides=1 whole=1
// differential: scalar i32 0x1
cuda_tile.module @m {
  entry @k(%p1: tile<ptr<f32>>, %s3: tile<i32>, %s4: tile<i32>, %s15: tile<i32>, %p17: tile<ptr<f16>>, %s21: tile<i32>, %p23: tile<ptr<f16>>, %s27: tile<i32>, %p29: tile<ptr<f32>>, %s33: tile<i32>, %p35: tile<ptr<f8E4M3FN>>, %s39: tile<i32>, %s41: tile<i32>, %p43: tile<ptr<f16>>, %s47: tile<i32>, %p49: tile<ptr<f16>>, %s66: tile<i32>) {
    %v2 = assume div_by<256>, %p1 : tile<ptr<f32>>
    %t5 = make_tensor_view %v2, shape = [32, %s3], strides = [%s4, 32] : tile<i32> -> tensor_view<32x?xf32, strides=[?,32]>
    %w6 = make_partition_view %t5 : partition_view<tile=(32x32), padding_value = nan, tensor_view<32x?xf32, strides=[?,32]>, dim_map=[1, 0]>
    %v7 = constant <i32: 2> : tile<i32>
    %b8, %b9, %b10 = get_tile_block_id : tile<i32>
    %v11 = remi %b8, %v7 unsigned : tile<i32>
    %v12 = constant <i32: 0> : tile<i32>
    %v13, %k14 = load_view_tko weak %w6[%v11, %v12] inbounds = [false, true] : partition_view<tile=(32x32), padding_value = nan, tensor_view<32x?xf32, strides=[?,32]>, dim_map=[1, 0]>, tile<i32> -> tile<32x32xf32>, token
    %a16 = assume div_by<1>, %s15 : tile<i32>
    %a18 = assume div_by<16>, %p17 : tile<ptr<f16>>
    %t19 = make_tensor_view %a18, shape = [%a16, 10], strides = [24, 1] : tile<i32> -> tensor_view<?x10xf16, strides=[24, 1]>
    %w20 = make_partition_view %t19 : partition_view<tile=(64x16), padding_value = zero, tensor_view<?x10xf16, strides=[24, 1]>>
    %a22 = assume div_by<1>, %s21 : tile<i32>
    %a24 = assume div_by<16>, %p23 : tile<ptr<f16>>
    %t25 = make_tensor_view %a24, shape = [%a22, 14], strides = [24, 1] : tile<i32> -> tensor_view<?x14xf16, strides=[24, 1]>
    %w26 = make_partition_view %t25 : partition_view<tile=(16x32), padding_value = zero, tensor_view<?x14xf16, strides=[24, 1]>, dim_map=[1, 0]>
    %a28 = assume div_by<1>, %s27 : tile<i32>
    %a30 = assume div_by<16>, %p29 : tile<ptr<f32>>
    %t31 = make_tensor_view %a30, shape = [27, %a28], strides = [72, 1] : tile<i32> -> tensor_view<27x?xf32, strides=[72, 1]>
    %w32 = make_partition_view %t31 : partition_view<tile=(32x64), padding_value = zero, tensor_view<27x?xf32, strides=[72, 1]>>
    %a34 = assume div_by<4>, %s33 : tile<i32>
    %a36 = assume div_by<16>, %p35 : tile<ptr<f8E4M3FN>>
    %t37 = make_tensor_view %a36, shape = [64, %a34], strides = [64, 1] : tile<i32> -> tensor_view<64x?xf8E4M3FN, strides=[64, 1]>
    %w38 = make_partition_view %t37 : partition_view<tile=(64x64), padding_value = zero, tensor_view<64x?xf8E4M3FN, strides=[64, 1]>>
    %a40 = assume div_by<1>, %s39 : tile<i32>
    %a42 = assume div_by<2>, %s41 : tile<i32>
    %a44 = assume div_by<16>, %p43 : tile<ptr<f16>>
    %t45 = make_tensor_view %a44, shape = [%a40, %a42], strides = [72, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[72, 1]>
    %w46 = make_partition_view %t45 : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x?xf16, strides=[72, 1]>, dim_map=[1, 0]>
    %a48 = assume div_by<2>, %s47 : tile<i32>
    %a50 = assume div_by<16>, %p49 : tile<ptr<f16>>
    %t51 = make_tensor_view %a50, shape = [64, %a48], strides = [32, 1] : tile<i32> -> tensor_view<64x?xf16, strides=[32, 1]>
    %w52 = make_partition_view %t51 : partition_view<tile=(64x32), padding_value = zero, tensor_view<64x?xf16, strides=[32, 1]>>
    %v53 = constant <f32: 0x00000000> : tile<64x32xf32>
    %v54 = constant <f32: 0x00000000> : tile<32x64xf32>
    %v55 = constant <f32: 0x00000000> : tile<64x64xf32>
    %v56 = constant <i32: 0> : tile<i32>
    %v57 = constant <i32: 2> : tile<i32>
    %v58 = constant <i32: 1> : tile<i32>
    %r63, %r64, %r65 = for %o59 in (%v56 to %v57, step %v58) : tile<i32> iter_values(%c60 = %v53, %c61 = %v54, %c62 = %v55) -> (tile<64x32xf32>, tile<32x64xf32>, tile<64x64xf32>) {
    %v67 = constant <i32: 1> : tile<i32>
    %r72, %r73, %r74 = for %i68 in (%o59 to %s66, step %v67) : tile<i32> iter_values(%c69 = %c60, %c70 = %c61, %c71 = %c62) -> (tile<64x32xf32>, tile<32x64xf32>, tile<64x64xf32>) {
    %v76 = constant <i32: 0> : tile<i32>
    %x75, %k77 = load_view_tko weak %w20[%v76, %i68] : partition_view<tile=(64x16), padding_value = zero, tensor_view<?x10xf16, strides=[24, 1]>>, tile<i32> -> tile<64x16xf16>, token
    %v78 = negf %x75 : tile<64x16xf16>
    %v80 = constant <i32: 0> : tile<i32>
    %x79, %k81 = load_view_tko weak %w26[%i68, %v80] {tileas.plan = {engine = "cp_async", slots = 1 : i64, ahead = 0 : i64}} : partition_view<tile=(16x32), padding_value = zero, tensor_view<?x14xf16, strides=[24, 1]>, dim_map=[1, 0]>, tile<i32> -> tile<16x32xf16>, token
    %v82 = mmaf %v78, %x79, %c69 : tile<64x16xf16>, tile<16x32xf16>, tile<64x32xf32>
    %v84 = constant <i32: 0> : tile<i32>
    %x83, %k85 = load_view_tko weak %w32[%v84, %i68] : partition_view<tile=(32x64), padding_value = zero, tensor_view<27x?xf32, strides=[72, 1]>>, tile<i32> -> tile<32x64xf32>, token
    %v86 = ftof %x83  : tile<32x64xf32> -> tile<32x64xf16>
    %v88 = constant <i32: 0> : tile<i32>
    %x87, %k89 = load_view_tko weak %w38[%i68, %v88] : partition_view<tile=(64x64), padding_value = zero, tensor_view<64x?xf8E4M3FN, strides=[64, 1]>>, tile<i32> -> tile<64x64xf8E4M3FN>, token
    %v90 = ftof %x87  : tile<64x64xf8E4M3FN> -> tile<64x64xf16>
    %v91 = mmaf %v86, %v90, %c70 : tile<32x64xf16>, tile<64x64xf16>, tile<32x64xf32>
    %v93 = constant <i32: 0> : tile<i32>
    %x92, %k94 = load_view_tko weak %w46[%v93, %i68] {tileas.plan = {engine = "cp_async", slots = 1 : i64, ahead = 0 : i64}} : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x?xf16, strides=[72, 1]>, dim_map=[1, 0]>, tile<i32> -> tile<64x32xf16>, token
    %v96 = constant <i32: 0> : tile<i32>
    %x95, %k97 = load_view_tko weak %w52[%v96, %i68] {tileas.plan = {engine = "cp_async", slots = 2 : i64, ahead = 0 : i64}} : partition_view<tile=(64x32), padding_value = zero, tensor_view<64x?xf16, strides=[32, 1]>>, tile<i32> -> tile<64x32xf16>, token
    %v98 = permute %x95 [1, 0] : tile<64x32xf16> -> tile<32x64xf16>
    %v99 = mmaf %x92, %v98, %c71 : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
      continue %v82, %v91, %v99 : tile<64x32xf32>, tile<32x64xf32>, tile<64x64xf32>
    }
      continue %r72, %r73, %r74 : tile<64x32xf32>, tile<32x64xf32>, tile<64x64xf32>
    }
    return
  }
}
