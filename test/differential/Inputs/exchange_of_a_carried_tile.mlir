// A tile that a loop carries changes warps right behind another exchange.
// differential: seed=24928 grid=1 warps=2
// differential: array 0 i32 size=5183 start=0 shape=16x162 strides=2,32
// differential: scalar i32 0x0
// differential: scalar i32 0x3
// differential: scalar i32 0x1
cuda_tile.module @m {
  entry @k(%p1: tile<ptr<i32>>, %s14: tile<i32>, %s15: tile<i32>, %s16: tile<i32>) {
    %v2 = assume div_by<256>, %p1 : tile<ptr<i32>>
    %t3 = make_tensor_view %v2, shape = [16, 162], strides = [2, 32] : tensor_view<16x162xi32, strides=[2,32]>
    %w4 = make_partition_view %t3 : partition_view<tile=(128x8), padding_value = zero, tensor_view<16x162xi32, strides=[2,32]>, dim_map=[1, 0]>
    %v5 = constant <i8: 0> : tile<i8>
    %v6 = constant <i8: 0> : tile<i8>
    %v7, %k8 = load_view_tko weak %w4[%v5, %v6] : partition_view<tile=(128x8), padding_value = zero, tensor_view<16x162xi32, strides=[2,32]>, dim_map=[1, 0]>, tile<i8> -> tile<128x8xi32>, token
    %v9 = iota : tile<8xi32>
    %v10 = reshape %v9 : tile<8xi32> -> tile<8x1xi32>
    %v11 = broadcast %v10 : tile<8x1xi32> -> tile<8x128xi32>
    %v12 = permute %v11 [1, 0] : tile<8x128xi32> -> tile<128x8xi32>
    %v13 = addi %v7, %v12 : tile<128x8xi32>
    %c21, %c22, %c23 = for %i17 in (%s14 to %s15, step %s16) : tile<i32> iter_values(%c18 = %v13, %c19 = %v7, %c20 = %v7) -> (tile<128x8xi32>, tile<128x8xi32>, tile<128x8xi32>) {
      %v24 = reshape %c20 : tile<128x8xi32> -> tile<2x1x512xi32>
      %v25 = permute %v24 [2, 0, 1] : tile<2x1x512xi32> -> tile<512x2x1xi32>
      %v26 = reshape %v25 : tile<512x2x1xi32> -> tile<128x8xi32>
      %v27 = subi %c20, %v26 : tile<128x8xi32>
      %v28 = permute %c20 [1, 0] : tile<128x8xi32> -> tile<8x128xi32>
      %v29 = reshape %v28 : tile<8x128xi32> -> tile<128x8xi32>
      %v30 = subi %c20, %v29 : tile<128x8xi32>
      continue %v30, %v30, %v27 : tile<128x8xi32>, tile<128x8xi32>, tile<128x8xi32>
    }
    return
  }
}
