// buffers never overlap: emulator (sm_80): uninitialised: k: ptx line 80: ld.shared.b32 %r38, [%r37];: uninitialised: warp 1 reads shared memory at offset 64 (shared_memory_k+64) that nobody wrote (32 of 32 accesses)
// differential: seed=57087 grid=1 warps=2
// differential: array 0 f32 size=2048 start=0 shape=2048 strides=1
// differential: scalar i1 0x0
// differential: array 1 f32 size=520 start=8 shape=512 strides=1
cuda_tile.module @m {
  entry @k(%p1: tile<ptr<f32>>, %s3: tile<i1>, %p25: tile<ptr<f32>>) {
    %v2 = assume div_by<8>, %p1 : tile<ptr<f32>>
    %t4 = make_tensor_view %v2, shape = [64, 32], strides = [32, 1] : tensor_view<64x32xf32, strides=[32,1]>
    %w5 = make_partition_view %t4 : partition_view<tile=(16x32), tensor_view<64x32xf32, strides=[32,1]>, dim_map=[1, 0]>
    %v6 = iota : tile<32xi32>
    %v7 = reshape %v6 : tile<32xi32> -> tile<1x32xi32>
    %v8 = broadcast %v7 : tile<1x32xi32> -> tile<16x32xi32>
    %v9 = constant <i32: 1> : tile<16x32xi32>
    %v10 = muli %v8, %v9 : tile<16x32xi32>
    %v11 = iota : tile<16xi32>
    %v12 = reshape %v11 : tile<16xi32> -> tile<16x1xi32>
    %v13 = broadcast %v12 : tile<16x1xi32> -> tile<16x32xi32>
    %v14 = constant <i32: 32> : tile<16x32xi32>
    %v15 = muli %v13, %v14 : tile<16x32xi32>
    %v16 = addi %v10, %v15 : tile<16x32xi32>
    %v17 = constant <i32: 512> : tile<i32>
    %b18, %b19, %b20 = get_tile_block_id : tile<i32>
    %v21 = muli %b18, %v17 : tile<i32>
    %v22 = reshape %v21 : tile<i32> -> tile<1x1xi32>
    %v23 = broadcast %v22 : tile<1x1xi32> -> tile<16x32xi32>
    %v24 = addi %v23, %v16 : tile<16x32xi32>
    %v26 = reshape %p25 : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %v27 = broadcast %v26 : tile<1x1xptr<f32>> -> tile<16x32xptr<f32>>
    %v28 = offset %v27, %v24 : tile<16x32xptr<f32>>, tile<16x32xi32> -> tile<16x32xptr<f32>>
    %v29, %k30 = load_ptr_tko weak %v28 : tile<16x32xptr<f32>> -> tile<16x32xf32>, token
    %v31 = constant <i32: 2> : tile<i32>
    %b32, %b33, %b34 = get_tile_block_id : tile<i32>
    %v35 = remi %b32, %v31 unsigned : tile<i32>
    %v36 = constant <i32: 2> : tile<i32>
    %b37, %b38, %b39 = get_tile_block_id : tile<i32>
    %v40 = remi %b37, %v36 unsigned : tile<i32>
    %b41, %b42, %b43 = get_tile_block_id : tile<i32>
    %v44 = constant <i32: 2> : tile<i32>
    %v45 = muli %b41, %v44 : tile<i32>
    %v46 = addi %v45, %v35 : tile<i32>
    %k47 = store_view_tko weak %v29, %w5[%v40, %v46] : tile<16x32xf32>, partition_view<tile=(16x32), tensor_view<64x32xf32, strides=[32,1]>, dim_map=[1, 0]>, tile<i32> -> token
    return
  }
}
