// On one warp, `plan` divides it among CTAs; its seed asks for a role that loads.
// differential: seed=31924 grid=1 warps=1
// differential: array 0 f32 size=2048 start=0 shape=2048 strides=1
// differential: array 0 f32 size=2048 start=0 shape=2048 strides=1
// differential: array 1 i32 size=4320 start=0 shape=96x45 strides=1,96
// differential: scalar i32 0x2d
// differential: scalar i32 0x60
// differential: scalar i32 0x0
// differential: scalar i32 0x3
// differential: scalar i32 0x2
cuda_tile.module @m {
  entry @k(%p1: tile<ptr<f32>>, %p3: tile<ptr<f32>>, %p5: tile<ptr<i32>>, %s7: tile<i32>, %s8: tile<i32>, %s20: tile<i32>, %s21: tile<i32>, %s22: tile<i32>) {
    %v2 = assume div_by<256>, %p1 : tile<ptr<f32>>
    %v4 = assume div_by<4>, %p3 : tile<ptr<f32>>
    %v6 = assume div_by<256>, %p5 : tile<ptr<i32>>
    %v9 = assume div_by<8>, %s8 : tile<i32>
    %t10 = make_tensor_view %v6, shape = [96, %s7], strides = [1, %v9] : tile<i32> -> tensor_view<96x?xi32, strides=[1,?]>
    %w11 = make_partition_view %t10 : partition_view<tile=(32x32), padding_value = zero, tensor_view<96x?xi32, strides=[1,?]>>
    %v12 = constant <i32: 0> : tile<i32>
    %v13 = constant <i32: 2> : tile<i32>
    %b14, %b15, %b16 = get_tile_block_id : tile<i32>
    %v17 = remi %b14, %v13 unsigned : tile<i32>
    %v18, %k19 = load_view_tko weak %w11[%v12, %v17] inbounds = [false, false] : partition_view<tile=(32x32), padding_value = zero, tensor_view<96x?xi32, strides=[1,?]>>, tile<i32> -> tile<32x32xi32>, token
    %k23 = make_token : token
    %c29, %c30, %k25 = for %i26 in (%s20 to %s21, step %s22) : tile<i32> iter_values(%c27 = %v18, %c28 = %v18, %k24 = %k23) -> (tile<32x32xi32>, tile<32x32xi32>, token) {
      %v31 = iota : tile<2048xi32>
      %v32 = constant <i32: 1> : tile<2048xi32>
      %v33 = muli %v31, %v32 : tile<2048xi32>
      %b34, %b35, %b36 = get_tile_block_id : tile<i32>
      %v37 = constant <i32: 2048> : tile<i32>
      %v38 = muli %b34, %v37 : tile<i32>
      %v39 = constant <i32: 0> : tile<i32>
      %v40 = addi %v38, %v39 : tile<i32>
      %v41 = offset %v2, %v40 : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
      %v42 = reshape %v41 : tile<ptr<f32>> -> tile<1xptr<f32>>
      %v43 = broadcast %v42 : tile<1xptr<f32>> -> tile<2048xptr<f32>>
      %v44 = offset %v43, %v33 : tile<2048xptr<f32>>, tile<2048xi32> -> tile<2048xptr<f32>>
      %v45, %k46 = load_ptr_tko weak %v44 token = %k24 : tile<2048xptr<f32>> -> tile<2048xf32>, token
      %k47 = join_tokens %k46, %k24 : token
      %k48 = store_ptr_tko weak %v44, %v45 token = %k47 : tile<2048xptr<f32>>, tile<2048xf32> -> token
      %k49 = join_tokens %k48, %k46 : token
      continue %c28, %c28, %k49 : tile<32x32xi32>, tile<32x32xi32>, token
    }
    return
  }
}
