// copies of an element do not matter
// differential: seed=12075 grid=1 warps=4
// differential: array 0 f16 size=64 start=0 shape=64 strides=1
// differential: array 1 f16 size=72 start=8 shape=64 strides=1
// differential: array 2 f16 size=15 start=0 shape=2x4 strides=2,4
// differential: scalar i32 0x2
// differential: scalar i32 0x4
// differential: scalar i32 0x4
// differential: array 3 f16 size=127 start=0 shape=64 strides=2
cuda_tile.module @m {
  entry @k(%p1: tile<ptr<f16>>, %p28: tile<ptr<f16>>, %p37: tile<ptr<f16>>, %s39: tile<i32>, %s40: tile<i32>, %s41: tile<i32>, %p49: tile<ptr<f16>>) {
    %v2 = assume div_by<16>, %p1 : tile<ptr<f16>>
    %v3 = constant <f16: 0x23D1> : tile<4x8xf16>
    %v4 = iota : tile<64xi32>
    %v5 = constant <i32: 1> : tile<64xi32>
    %v6 = muli %v4, %v5 : tile<64xi32>
    %b7, %b8, %b9 = get_tile_block_id : tile<i32>
    %v10 = constant <i32: 64> : tile<i32>
    %v11 = muli %b7, %v10 : tile<i32>
    %v12 = constant <i32: 0> : tile<i32>
    %v13 = addi %v11, %v12 : tile<i32>
    %v14 = offset %v2, %v13 : tile<ptr<f16>>, tile<i32> -> tile<ptr<f16>>
    %v15 = reshape %v14 : tile<ptr<f16>> -> tile<1xptr<f16>>
    %v16 = broadcast %v15 : tile<1xptr<f16>> -> tile<64xptr<f16>>
    %v17 = offset %v16, %v6 : tile<64xptr<f16>>, tile<64xi32> -> tile<64xptr<f16>>
    %v18 = iota : tile<64xi32>
    %v19 = constant <i32: 1> : tile<64xi32>
    %v20 = constant <i32: 64> : tile<i32>
    %b21, %b22, %b23 = get_tile_block_id : tile<i32>
    %v24 = muli %b21, %v20 : tile<i32>
    %v25 = reshape %v24 : tile<i32> -> tile<1xi32>
    %v26 = broadcast %v25 : tile<1xi32> -> tile<64xi32>
    %v27 = addi %v26, %v18 : tile<64xi32>
    %v29 = reshape %p28 : tile<ptr<f16>> -> tile<1xptr<f16>>
    %v30 = broadcast %v29 : tile<1xptr<f16>> -> tile<64xptr<f16>>
    %v31 = offset %v30, %v27 : tile<64xptr<f16>>, tile<64xi32> -> tile<64xptr<f16>>
    %v32, %k33 = load_ptr_tko weak %v31 : tile<64xptr<f16>> -> tile<64xf16>, token
    %k34 = store_ptr_tko weak %v17, %v32 : tile<64xptr<f16>>, tile<64xf16> -> token
    %v35, %k36 = load_ptr_tko weak %v17 token = %k34 : tile<64xptr<f16>> -> tile<64xf16>, token
    %v38 = assume div_by<256>, %p37 : tile<ptr<f16>>
    %t42 = make_tensor_view %v38, shape = [%s39, %s40], strides = [2, %s41] : tile<i32> -> tensor_view<?x?xf16, strides=[2,?]>
    %w43 = make_partition_view %t42 : partition_view<tile=(4x8), tensor_view<?x?xf16, strides=[2,?]>, dim_map=[1, 0]>
    %b44, %b45, %b46 = get_tile_block_id : tile<i32>
    %v47 = constant <i32: 0> : tile<i32>
    %k48 = store_view_tko weak %v3, %w43[%b44, %v47] : tile<4x8xf16>, partition_view<tile=(4x8), tensor_view<?x?xf16, strides=[2,?]>, dim_map=[1, 0]>, tile<i32> -> token
    %t50 = make_tensor_view %p49, shape = [64], strides = [2] : tensor_view<64xf16, strides=[2]>
    %w51 = make_partition_view %t50 : partition_view<tile=(64), tensor_view<64xf16, strides=[2]>>
    %b52, %b53, %b54 = get_tile_block_id : tile<i32>
    %v55 = constant <i32: 0> : tile<i32>
    %k56 = store_view_tko weak %v35, %w51[%b52] : tile<64xf16>, partition_view<tile=(64), tensor_view<64xf16, strides=[2]>>, tile<i32> -> token
    return
  }
}
