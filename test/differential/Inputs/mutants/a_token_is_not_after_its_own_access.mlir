// a token is not after its own access: emulator (sm_80): race: k: ptx line 127: @%p1 ld.global.b32 %r12, [%rd12];: race: block 0, warp 0 reads global memory at 0x563358ebd300 (byte 2816 of k_param_0: float32[2048] (0x563358ebc800 to 0x563358ebe800)) that block 0, warp 1 wrote at line 149 (st.global.b32 [%rd21], %r25;) with no barrier between
// differential: seed=57087 grid=1 warps=2
// differential: array 0 f32 size=2048 start=0 shape=2048 strides=1
// differential: scalar i1 0x0
// differential: scalar i32 0x0
// differential: scalar i32 0x0
cuda_tile.module @m {
  entry @k(%p1: tile<ptr<f32>>, %s3: tile<i1>, %s22: tile<i32>, %s23: tile<i32>) {
    %v2 = assume div_by<8>, %p1 : tile<ptr<f32>>
    %v4 = iota : tile<1024xi32>
    %v5 = constant <i32: 1> : tile<1024xi32>
    %v6 = muli %v4, %v5 : tile<1024xi32>
    %b7, %b8, %b9 = get_tile_block_id : tile<i32>
    %v10 = constant <i32: 2048> : tile<i32>
    %v11 = muli %b7, %v10 : tile<i32>
    %v12 = constant <i32: 659> : tile<i32>
    %v13 = addi %v11, %v12 : tile<i32>
    %v14 = offset %v2, %v13 : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %v15 = reshape %v14 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %v16 = broadcast %v15 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
    %v17 = offset %v16, %v6 : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>
    %v18, %k19 = load_ptr_tko weak %v17 : tile<1024xptr<f32>> -> tile<1024xf32>, token
    %t20 = make_tensor_view %v2, shape = [64, 1], strides = [32, 1] : tensor_view<64x1xf32, strides=[32,1]>
    %w21 = make_partition_view %t20 : partition_view<tile=(32x32), padding_value = nan, tensor_view<64x1xf32, strides=[32,1]>>
    %b24, %b25, %b26 = get_tile_block_id : tile<i32>
    %v27 = constant <i32: 2> : tile<i32>
    %v28 = muli %b24, %v27 : tile<i32>
    %v29 = addi %v28, %s22 : tile<i32>
    %v30, %k31 = load_view_tko weak %w21[%v29, %s23] token = %k19 : partition_view<tile=(32x32), padding_value = nan, tensor_view<64x1xf32, strides=[32,1]>>, tile<i32> -> tile<32x32xf32>, token
    %k32 = join_tokens %k19, %k31 : token
    %k33 = store_ptr_tko weak %v17, %v18 token = %k32 : tile<1024xptr<f32>>, tile<1024xf32> -> token
    return
  }
}
