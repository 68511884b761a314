// Threads and products read a slot: the barrier behind which one warp gives it back for
// all stayed behind when its release moved up.
// differential: seed=52491 grid=1 warps=4
// differential: array 0 i32 size=2 start=1 shape=1 strides=1
// differential: scalar i32 0xe53566de
// differential: array 1 f16 size=4096 start=0 shape=4096 strides=1 whole=1
// differential: scalar i32 0x100
// differential: scalar i32 0x10
// differential: scalar i32 0x1
// differential: array 2 f16 size=6144 start=0 shape=6144 strides=1 whole=1
// differential: array 3 f16 size=8192 start=0 shape=8192 strides=1 whole=1
// differential: scalar i32 0x4
cuda_tile.module @m {
  entry @k(%p2: tile<ptr<i32>>, %s6: tile<i32>, %p16: tile<ptr<f16>>, %s20: tile<i32>, %s22: tile<i32>, %s31: tile<i32>, %p33: tile<ptr<f16>>, %p37: tile<ptr<f16>>, %s79: tile<i32>) {
    %v1 = constant <i32: 0> : tile<i32>
    %v3 = offset %p2, %v1 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %v7 = constant <i32: 0> : tile<i32>
    %v8 = cmpi greater_than %v7, %v1, signed : tile<i32> -> tile<i1>
    %v4, %k5 = load_ptr_tko weak %v3, %v8, %s6 : tile<ptr<i32>>, tile<i1>, tile<i32> -> tile<i32>, token
    %v9 = constant <i32: 1> : tile<i32>
    %v10 = constant <i32: 2> : tile<i32>
    %b11, %b12, %b13 = get_tile_block_id : tile<i32>
    %v14 = addi %b11, %v9 : tile<i32>
    %v15 = divi %v14, %v10 signed : tile<i32>
    %a17 = assume div_by<16>, %p16 : tile<ptr<f16>>
    %t18 = make_tensor_view %a17, shape = [1, 256, 14], strides = [4096, 16, 1] : tensor_view<1x256x14xf16, strides=[4096, 16, 1]>
    %w19 = make_partition_view %t18 : partition_view<tile=(1x64x16), padding_value = zero, tensor_view<1x256x14xf16, strides=[4096, 16, 1]>>
    %a21 = assume div_by<1>, %s20 : tile<i32>
    %a23 = assume div_by<2>, %s22 : tile<i32>
    %v24 = constant <i32: 1> : tile<i32>
    %v25 = constant <i32: 3> : tile<i32>
    %b26, %b27, %b28 = get_tile_block_id : tile<i32>
    %v29 = addi %b26, %v24 : tile<i32>
    %v30 = divi %v29, %v25 signed : tile<i32>
    %a32 = assume div_by<1>, %s31 : tile<i32>
    %a34 = assume div_by<16>, %p33 : tile<ptr<f16>>
    %t35 = make_tensor_view %a34, shape = [%a32, %a21, %a23], strides = [6144, 24, 1] : tile<i32> -> tensor_view<?x?x?xf16, strides=[6144, 24, 1]>
    %w36 = make_partition_view %t35 : partition_view<tile=(1x64x16), padding_value = zero, tensor_view<?x?x?xf16, strides=[6144, 24, 1]>>
    %a38 = assume div_by<16>, %p37 : tile<ptr<f16>>
    %t39 = make_tensor_view %a38, shape = [32, 256], strides = [256, 1] : tensor_view<32x256xf16, strides=[256, 1]>
    %w40 = make_partition_view %t39 : partition_view<tile=(32x64), padding_value = zero, tensor_view<32x256xf16, strides=[256, 1]>>
    %v41 = constant <f32: 0x00000000> : tile<16x32xf32>
    %v42 = constant <f32: 0x00000000> : tile<64x32xf32>
    %v43 = constant <i32: 2> : tile<i32>
    %v44 = constant <i32: 0> : tile<i32>
    %v45 = constant <i32: 1> : tile<i32>
    %r49, %r50 = for %i46 in (%v44 to %v43, step %v45) : tile<i32> iter_values(%c47 = %v41, %c48 = %v42) -> (tile<16x32xf32>, tile<64x32xf32>) {
    %v52 = constant <i32: 0> : tile<i32>
    %x51, %k53 = load_view_tko weak %w19[%v15, %i46, %v52] {tileas.plan = {engine = "cp_async", slots = 4 : i64, ahead = 4 : i64}} : partition_view<tile=(1x64x16), padding_value = zero, tensor_view<1x256x14xf16, strides=[4096, 16, 1]>>, tile<i32> -> tile<1x64x16xf16>, token
    %v54 = reshape %x51 : tile<1x64x16xf16> -> tile<64x16xf16>
    %v56 = constant <i32: 0> : tile<i32>
    %x55, %k57 = load_view_tko weak %w36[%v30, %i46, %v56] {tileas.plan = {engine = "cp_async", slots = 2 : i64, ahead = 2 : i64}} : partition_view<tile=(1x64x16), padding_value = zero, tensor_view<?x?x?xf16, strides=[6144, 24, 1]>>, tile<i32> -> tile<1x64x16xf16>, token
    %v58 = reshape %x55 : tile<1x64x16xf16> -> tile<64x16xf16>
    %v60 = constant <i32: 0> : tile<i32>
    %x59, %k61 = load_view_tko weak %w40[%v60, %i46] {tileas.plan = {engine = "cp_async", slots = 4 : i64, ahead = 4 : i64}} : partition_view<tile=(32x64), padding_value = zero, tensor_view<32x256xf16, strides=[256, 1]>>, tile<i32> -> tile<32x64xf16>, token
    %v62 = permute %x59 [1, 0] : tile<32x64xf16> -> tile<64x32xf16>
    %v63 = permute %v58 [1, 0] : tile<64x16xf16> -> tile<16x64xf16>
    %v64 = constant <f32: 0x00000000> : tile<64x64xf32>
    %v65 = mmaf %v54, %v63, %v64 : tile<64x16xf16>, tile<16x64xf16>, tile<64x64xf32>
    %v66 = constant <f32: 0xC0000000> : tile<64x64xf32>
    %v67 = maxf %v65, %v66  : tile<64x64xf32>
    %v68 = constant <f32: 0x40000000> : tile<64x64xf32>
    %v69 = minf %v67, %v68  : tile<64x64xf32>
    %v70 = ftof %v69  : tile<64x64xf32> -> tile<64x64xf16>
    %v71 = constant <f32: 0xC0000000> : tile<16x32xf32>
    %v72 = maxf %c47, %v71  : tile<16x32xf32>
    %v73 = constant <f32: 0x40000000> : tile<16x32xf32>
    %v74 = minf %v72, %v73  : tile<16x32xf32>
    %v75 = ftof %v74  : tile<16x32xf32> -> tile<16x32xf16>
    %v76 = mmaf %v54, %v75, %c48 : tile<64x16xf16>, tile<16x32xf16>, tile<64x32xf32>
    %v77 = mmaf %v70, %v62, %v76 : tile<64x64xf16>, tile<64x32xf16>, tile<64x32xf32>
    %v78 = mmaf %v63, %v62, %c47 : tile<16x64xf16>, tile<64x32xf16>, tile<16x32xf32>
      continue %v78, %v77 : tile<16x32xf32>, tile<64x32xf32>
    }
    %v80 = constant <i32: 1> : tile<i32>
    %r84, %r85 = for %i81 in (%v43 to %s79, step %v80) : tile<i32> iter_values(%c82 = %r49, %c83 = %r50) -> (tile<16x32xf32>, tile<64x32xf32>) {
    %v87 = constant <i32: 0> : tile<i32>
    %x86, %k88 = load_view_tko weak %w19[%v15, %i81, %v87] {tileas.plan = {engine = "cp_async", slots = 4 : i64, ahead = 4 : i64}} : partition_view<tile=(1x64x16), padding_value = zero, tensor_view<1x256x14xf16, strides=[4096, 16, 1]>>, tile<i32> -> tile<1x64x16xf16>, token
    %v89 = reshape %x86 : tile<1x64x16xf16> -> tile<64x16xf16>
    %v91 = constant <i32: 0> : tile<i32>
    %x90, %k92 = load_view_tko weak %w36[%v30, %i81, %v91] {tileas.plan = {engine = "cp_async", slots = 2 : i64, ahead = 2 : i64}} : partition_view<tile=(1x64x16), padding_value = zero, tensor_view<?x?x?xf16, strides=[6144, 24, 1]>>, tile<i32> -> tile<1x64x16xf16>, token
    %v93 = reshape %x90 : tile<1x64x16xf16> -> tile<64x16xf16>
    %v95 = constant <i32: 0> : tile<i32>
    %x94, %k96 = load_view_tko weak %w40[%v95, %i81] {tileas.plan = {engine = "cp_async", slots = 4 : i64, ahead = 4 : i64}} : partition_view<tile=(32x64), padding_value = zero, tensor_view<32x256xf16, strides=[256, 1]>>, tile<i32> -> tile<32x64xf16>, token
    %v97 = permute %x94 [1, 0] : tile<32x64xf16> -> tile<64x32xf16>
    %v98 = permute %v93 [1, 0] : tile<64x16xf16> -> tile<16x64xf16>
    %v99 = constant <f32: 0x00000000> : tile<64x64xf32>
    %v100 = mmaf %v89, %v98, %v99 : tile<64x16xf16>, tile<16x64xf16>, tile<64x64xf32>
    %v101 = constant <f32: 0xC0000000> : tile<64x64xf32>
    %v102 = maxf %v100, %v101  : tile<64x64xf32>
    %v103 = constant <f32: 0x40000000> : tile<64x64xf32>
    %v104 = minf %v102, %v103  : tile<64x64xf32>
    %v105 = ftof %v104  : tile<64x64xf32> -> tile<64x64xf16>
    %v106 = constant <f32: 0xC0000000> : tile<16x32xf32>
    %v107 = maxf %c82, %v106  : tile<16x32xf32>
    %v108 = constant <f32: 0x40000000> : tile<16x32xf32>
    %v109 = minf %v107, %v108  : tile<16x32xf32>
    %v110 = ftof %v109  : tile<16x32xf32> -> tile<16x32xf16>
    %v111 = mmaf %v89, %v110, %c83 : tile<64x16xf16>, tile<16x32xf16>, tile<64x32xf32>
    %v112 = mmaf %v105, %v97, %v111 : tile<64x64xf16>, tile<64x32xf16>, tile<64x32xf32>
    %v113 = mmaf %v98, %v97, %c82 : tile<16x64xf16>, tile<64x32xf16>, tile<16x32xf32>
      continue %v113, %v112 : tile<16x32xf32>, tile<64x32xf32>
    }
    return
  }
}
