// LLVM gathers bytes by way of registers of which nobody wrote a part.
// differential: seed=61897 grid=1 warps=2
// differential: array 0 i8 size=512 start=0 shape=512 strides=1
// differential: array 1 f16 size=10 start=1 shape=9x1 strides=1,25
// differential: scalar i64 0x9
// differential: scalar i64 0x1
// differential: scalar i64 0x1
// differential: scalar i64 0x19
cuda_tile.module @m {
  entry @k(%p1: tile<ptr<i8>>, %p3: tile<ptr<f16>>, %s4: tile<i64>, %s5: tile<i64>, %s6: tile<i64>, %s7: tile<i64>) {
    %v2 = assume div_by<256>, %p1 : tile<ptr<i8>>
    %t8 = make_tensor_view %p3, shape = [%s4, %s5], strides = [%s6, %s7] : tile<i64> -> tensor_view<?x?xf16, strides=[?,?]>
    %w9 = make_partition_view %t8 : partition_view<tile=(32x16), padding_value = pos_inf, tensor_view<?x?xf16, strides=[?,?]>>
    %v10 = constant <i32: 1> : tile<i32>
    %b11, %b12, %b13 = get_tile_block_id : tile<i32>
    %v14 = remi %b11, %v10 unsigned : tile<i32>
    %v15 = constant <i32: 0> : tile<i32>
    %v16, %k17 = load_view_tko weak %w9[%v14, %v15] inbounds = [false, false] : partition_view<tile=(32x16), padding_value = pos_inf, tensor_view<?x?xf16, strides=[?,?]>>, tile<i32> -> tile<32x16xf16>, token
    %t18 = make_tensor_view %v2, shape = [16, 32], strides = [32, 1] : tensor_view<16x32xi8, strides=[32,1]>
    %w19 = make_partition_view %t18 : partition_view<tile=(16x32), tensor_view<16x32xi8, strides=[32,1]>>
    %v20 = permute %v16 [1, 0] : tile<32x16xf16> -> tile<16x32xf16>
    %v21 = ftoi %v20 signed saturating : tile<16x32xf16> -> tile<16x32xi8>
    %v22 = constant <i32: 0> : tile<i32>
    %v23 = constant <i32: 0> : tile<i32>
    %b24, %b25, %b26 = get_tile_block_id : tile<i32>
    %v27 = constant <i32: 1> : tile<i32>
    %v28 = muli %b24, %v27 : tile<i32>
    %v29 = addi %v28, %v22 : tile<i32>
    %k30 = store_view_tko weak %v21, %w19[%v29, %v23] : tile<16x32xi8>, partition_view<tile=(16x32), tensor_view<16x32xi8, strides=[32,1]>>, tile<i32> -> token
    return
  }
}
