// On sm_100: a commit says nothing of what threads have read of a slot.
// differential: seed=50662 grid=1 warps=4
// differential: array 0 i64 size=64 start=0 shape=64 strides=1
// differential: scalar i32 0x80
// differential: scalar i32 0x1a
// differential: array 1 f16 size=20480 start=0 shape=20480 strides=1 values=whole
// differential: scalar i32 0x4f
// differential: scalar i32 0x20
// differential: array 2 f16 size=3160 start=0 shape=3160 strides=1 values=whole
// differential: scalar i32 0x10
// differential: array 3 f16 size=1408 start=0 shape=1408 strides=1 values=whole
// differential: scalar i32 0x5
cuda_tile.module @m {
  entry @k(%p7: tile<ptr<i64>>, %s14: tile<i32>, %s17: tile<i32>, %p20: tile<ptr<f16>>, %s24: tile<i32>, %s27: tile<i32>, %p30: tile<ptr<f16>>, %s34: tile<i32>, %p37: tile<ptr<f16>>, %s44: tile<i32>) {
    %g1, %g2, %g3 = get_num_tile_blocks : tile<i32>
    %v4 = iota : tile<64xi32>
    %v5 = constant <i32: 1> : tile<64xi32>
    %v6 = muli %v4, %v5 : tile<64xi32>
    %v8 = assume div_by<256>, %p7 : tile<ptr<i64>>
    %v9 = reshape %v8 : tile<ptr<i64>> -> tile<1xptr<i64>>
    %v10 = broadcast %v9 : tile<1xptr<i64>> -> tile<64xptr<i64>>
    %v11 = offset %v10, %v6 : tile<64xptr<i64>>, tile<64xi32> -> tile<64xptr<i64>>
    %v12, %k13 = load_ptr_tko weak %v11 : tile<64xptr<i64>> -> tile<64xi64>, token
    %a15 = assume bounded<0, ?>, %s14 : tile<i32>
    %a16 = assume div_by<1>, %a15 : tile<i32>
    %a18 = assume bounded<0, ?>, %s17 : tile<i32>
    %a19 = assume div_by<2>, %a18 : tile<i32>
    %a21 = assume div_by<16>, %p20 : tile<ptr<f16>>
    %t22 = make_tensor_view %a21, shape = [5, %a16, %a19], strides = [4096, 32, 1] : tile<i32> -> tensor_view<5x?x?xf16, strides=[4096, 32, 1]>
    %w23 = make_partition_view %t22 : partition_view<tile=(1x128x32), padding_value = zero, tensor_view<5x?x?xf16, strides=[4096, 32, 1]>>
    %a25 = assume bounded<0, ?>, %s24 : tile<i32>
    %a26 = assume div_by<1>, %a25 : tile<i32>
    %a28 = assume bounded<0, ?>, %s27 : tile<i32>
    %a29 = assume div_by<2>, %a28 : tile<i32>
    %a31 = assume div_by<16>, %p30 : tile<ptr<f16>>
    %t32 = make_tensor_view %a31, shape = [%a26, %a29], strides = [40, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[40, 1]>
    %w33 = make_partition_view %t32 : partition_view<tile=(16x32), padding_value = zero, tensor_view<?x?xf16, strides=[40, 1]>>
    %a35 = assume bounded<0, ?>, %s34 : tile<i32>
    %a36 = assume div_by<1>, %a35 : tile<i32>
    %a38 = assume div_by<16>, %p37 : tile<ptr<f16>>
    %t39 = make_tensor_view %a38, shape = [%a36, 74], strides = [88, 1] : tile<i32> -> tensor_view<?x74xf16, strides=[88, 1]>
    %w40 = make_partition_view %t39 : partition_view<tile=(16x16), padding_value = zero, tensor_view<?x74xf16, strides=[88, 1]>, dim_map=[1, 0]>
    %v41 = constant <f32: 0x00000000> : tile<32x16xf32>
    %v42 = constant <f32: 0x00000000> : tile<128x16xf32>
    %v43 = constant <i32: 0> : tile<i32>
    %v45 = constant <i32: 1> : tile<i32>
    %r49, %r50 = for %i46 in (%v43 to %s44, step %v45) : tile<i32> iter_values(%c47 = %v41, %c48 = %v42) -> (tile<32x16xf32>, tile<128x16xf32>) {
    %v51 = constant <i32: 3> : tile<i32>
    %v52 = remi %i46, %v51 signed : tile<i32>
    %v53 = constant <i32: 0> : tile<i32>
    %v54 = cmpi equal %v52, %v53, signed : tile<i32> -> tile<i1>
    if %v54 {
      continue %c47, %c48 : tile<32x16xf32>, tile<128x16xf32>
    }
    %v56 = constant <i32: 0> : tile<i32>
    %x55, %k57 = load_view_tko weak %w23[%i46, %v56, %v56] : partition_view<tile=(1x128x32), padding_value = zero, tensor_view<5x?x?xf16, strides=[4096, 32, 1]>>, tile<i32> -> tile<1x128x32xf16>, token
    %v58 = reshape %x55 : tile<1x128x32xf16> -> tile<128x32xf16>
    %v60 = constant <i32: 0> : tile<i32>
    %x59, %k61 = load_view_tko weak %w33[%i46, %v60] {tileas.plan = {engine = "cp_async", slots = 2 : i64, ahead = 2 : i64}} : partition_view<tile=(16x32), padding_value = zero, tensor_view<?x?xf16, strides=[40, 1]>>, tile<i32> -> tile<16x32xf16>, token
    %v63 = constant <i32: 0> : tile<i32>
    %x62, %k64 = load_view_tko weak %w40[%i46, %v63] {tileas.plan = {engine = "cp_async", slots = 2 : i64, ahead = 2 : i64}} : partition_view<tile=(16x16), padding_value = zero, tensor_view<?x74xf16, strides=[88, 1]>, dim_map=[1, 0]>, tile<i32> -> tile<16x16xf16>, token
    %v65 = permute %x59 [1, 0] : tile<16x32xf16> -> tile<32x16xf16>
    %v66 = constant <f32: 0x00000000> : tile<128x16xf32>
    %v67 = mmaf %v58, %v65, %v66 : tile<128x32xf16>, tile<32x16xf16>, tile<128x16xf32>
    %v68 = constant <f32: 0xC4800000> : tile<128x16xf32>
    %v69 = constant <i32: 16> : tile<i32>
    %v70 = muli %i46, %v69 : tile<i32>
    %v71 = iota : tile<16xi32>
    %v72 = reshape %v71 : tile<16xi32> -> tile<1x16xi32>
    %v73 = broadcast %v72 : tile<1x16xi32> -> tile<128x16xi32>
    %v74 = reshape %v70 : tile<i32> -> tile<1x1xi32>
    %v75 = broadcast %v74 : tile<1x1xi32> -> tile<128x16xi32>
    %v76 = addi %v75, %v73 : tile<128x16xi32>
    %v77 = constant <i32: 41> : tile<128x16xi32>
    %v78 = cmpi greater_than %v76, %v77, signed : tile<128x16xi32> -> tile<128x16xi1>
    %v79 = select %v78, %v68, %v67 : tile<128x16xi1>, tile<128x16xf32>
    %v80 = constant <f32: 0xC0000000> : tile<128x16xf32>
    %v81 = maxf %v79, %v80  : tile<128x16xf32>
    %v82 = constant <f32: 0x40000000> : tile<128x16xf32>
    %v83 = minf %v81, %v82  : tile<128x16xf32>
    %v84 = ftof %v83  : tile<128x16xf32> -> tile<128x16xf16>
    %v85 = constant <f32: 0xC0000000> : tile<32x16xf32>
    %v86 = maxf %c47, %v85  : tile<32x16xf32>
    %v87 = constant <f32: 0x40000000> : tile<32x16xf32>
    %v88 = minf %v86, %v87  : tile<32x16xf32>
    %v89 = ftof %v88  : tile<32x16xf32> -> tile<32x16xf16>
    %v90 = mmaf %v58, %v89, %c48 : tile<128x32xf16>, tile<32x16xf16>, tile<128x16xf32>
    %v91 = mmaf %v84, %x62, %v90 : tile<128x16xf16>, tile<16x16xf16>, tile<128x16xf32>
    %v92 = mmaf %v65, %x62, %c47 : tile<32x16xf16>, tile<16x16xf16>, tile<32x16xf32>
      continue %v92, %v91 : tile<32x16xf32>, tile<128x16xf32>
    }
    return
  }
}
