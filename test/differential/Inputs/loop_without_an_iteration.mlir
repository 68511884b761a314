// A loop that runs no iteration has no barrier that what was read before it could count on.
// differential: seed=21793 grid=1 warps=4
// differential: array 0 f32 size=256 start=0 shape=256 strides=1
// differential: array 1 i32 size=1520 start=0 shape=32x32 strides=1,48
// differential: scalar i64 0x1
// differential: scalar i16 0x1
// differential: scalar i16 0x1
// differential: scalar i32 0x0
cuda_tile.module @m {
  entry @k(%p1: tile<ptr<f32>>, %p3: tile<ptr<i32>>, %s5: tile<i64>, %s14: tile<i16>, %s16: tile<i16>, %s56: tile<i32>) {
    %v2 = assume div_by<256>, %p1 : tile<ptr<f32>>
    %v4 = assume div_by<16>, %p3 : tile<ptr<i32>>
    %t6 = make_tensor_view %v4, shape = [32, 32], strides = [%s5, 48] : tile<i64> -> tensor_view<32x32xi32, strides=[?,48]>
    %w7 = make_partition_view %t6 : partition_view<tile=(16x16), tensor_view<32x32xi32, strides=[?,48]>, dim_map=[1, 0]>
    %v8 = constant <i32: 0> : tile<i32>
    %v9 = constant <i32: 1> : tile<i32>
    %v10, %k11 = load_view_tko weak %w7[%v8, %v9] : partition_view<tile=(16x16), tensor_view<32x32xi32, strides=[?,48]>, dim_map=[1, 0]>, tile<i32> -> tile<16x16xi32>, token
    %v12 = permute %v10 [1, 0] : tile<16x16xi32> -> tile<16x16xi32>
    %v13 = addi %v10, %v12 : tile<16x16xi32>
    %v15 = constant <i16: 0> : tile<i16>
    %k17 = make_token : token
    %c24, %c25, %c26, %k19 = for unsigned %i20 in (%s14 to %v15, step %s16) : tile<i16> iter_values(%c21 = %v10, %c22 = %v13, %c23 = %v13, %k18 = %k17) -> (tile<16x16xi32>, tile<16x16xi32>, tile<16x16xi32>, token) {
      %v27 = iota : tile<16xi32>
      %v28 = reshape %v27 : tile<16xi32> -> tile<16x1xi32>
      %v29 = broadcast %v28 : tile<16x1xi32> -> tile<16x16xi32>
      %v30 = constant <i32: 1> : tile<16x16xi32>
      %v31 = muli %v29, %v30 : tile<16x16xi32>
      %v32 = iota : tile<16xi32>
      %v33 = reshape %v32 : tile<16xi32> -> tile<1x16xi32>
      %v34 = broadcast %v33 : tile<1x16xi32> -> tile<16x16xi32>
      %v35 = constant <i32: 16> : tile<16x16xi32>
      %v36 = muli %v34, %v35 : tile<16x16xi32>
      %v37 = addi %v31, %v36 : tile<16x16xi32>
      %b38, %b39, %b40 = get_tile_block_id : tile<i32>
      %v41 = constant <i32: 256> : tile<i32>
      %v42 = muli %b38, %v41 : tile<i32>
      %v43 = constant <i32: 0> : tile<i32>
      %v44 = addi %v42, %v43 : tile<i32>
      %v45 = offset %v2, %v44 : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
      %v46 = reshape %v45 : tile<ptr<f32>> -> tile<1x1xptr<f32>>
      %v47 = broadcast %v46 : tile<1x1xptr<f32>> -> tile<16x16xptr<f32>>
      %v48 = offset %v47, %v37 : tile<16x16xptr<f32>>, tile<16x16xi32> -> tile<16x16xptr<f32>>
      %v49 = permute %c22 [1, 0] : tile<16x16xi32> -> tile<16x16xi32>
      %v50 = itof %v49 signed : tile<16x16xi32> -> tile<16x16xf32>
      %k51 = store_ptr_tko weak %v48, %v50 token = %k18 : tile<16x16xptr<f32>>, tile<16x16xf32> -> token
      continue %c23, %c21, %c23, %k51 : tile<16x16xi32>, tile<16x16xi32>, tile<16x16xi32>, token
    }
    %t52 = make_tensor_view %v2, shape = [16, 16], strides = [16, 1] : tensor_view<16x16xf32, strides=[16,1]>
    %w53 = make_partition_view %t52 : partition_view<tile=(16x16), tensor_view<16x16xf32, strides=[16,1]>>
    %v54 = permute %c25 [1, 0] : tile<16x16xi32> -> tile<16x16xi32>
    %v55 = itof %v54 signed : tile<16x16xi32> -> tile<16x16xf32>
    %v57 = constant <i32: 0> : tile<i32>
    %b58, %b59, %b60 = get_tile_block_id : tile<i32>
    %v61 = constant <i32: 1> : tile<i32>
    %v62 = muli %b58, %v61 : tile<i32>
    %v63 = addi %v62, %s56 : tile<i32>
    %k64 = join_tokens %k19, %k17 : token
    %k65 = store_view_tko weak %v55, %w53[%v63, %v57] token = %k64 : tile<16x16xf32>, partition_view<tile=(16x16), tensor_view<16x16xf32, strides=[16,1]>>, tile<i32> -> token
    return
  }
}
