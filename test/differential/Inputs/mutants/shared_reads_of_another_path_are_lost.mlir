// shared reads of another path are lost: emulator (sm_80): race: k: ptx line 173: @%p5 st.shared.b32 [%r34], %r35;: race: warp 1 overwrites shared memory at offset 4 (shared_memory_k+4) that another warp read at line 176 (ld.shared.v2.b32 {%r44, %r45}, [%r4];) with no barrier between
// differential: seed=31496 grid=1 warps=2
// differential: array 0 i32 size=1343 start=0 shape=32x17 strides=2,80
// differential: scalar i32 0x2
// differential: array 1 i32 size=6147 start=4 shape=64x48 strides=96,2
// differential: scalar i32 0x40
// differential: scalar i32 0x30
// differential: scalar i32 0x0
// differential: scalar i32 0x1
// differential: scalar i32 0x4
// differential: scalar i32 0x2
cuda_tile.module @m {
  entry @k(%p1: tile<ptr<i32>>, %s15: tile<i32>, %p19: tile<ptr<i32>>, %s21: tile<i32>, %s23: tile<i32>, %s33: tile<i32>, %s35: tile<i32>, %s40: tile<i32>, %s41: tile<i32>) {
    %v2 = assume div_by<16>, %p1 : tile<ptr<i32>>
    %t3 = make_tensor_view %v2, shape = [32, 17], strides = [2, 80] : tensor_view<32x17xi32, strides=[2,80]>
    %w4 = make_partition_view %t3 : partition_view<tile=(32x16), padding_value = zero, tensor_view<32x17xi32, strides=[2,80]>, dim_map=[0, 1]>
    %v5 = constant <i32: 1> : tile<i32>
    %b6, %b7, %b8 = get_tile_block_id : tile<i32>
    %v9 = remi %b6, %v5 unsigned : tile<i32>
    %v10 = constant <i32: 0> : tile<i32>
    %v11, %k12 = load_view_tko weak %w4[%v9, %v10] : partition_view<tile=(32x16), padding_value = zero, tensor_view<32x17xi32, strides=[2,80]>, dim_map=[0, 1]>, tile<i32> -> tile<32x16xi32>, token
    %v13 = constant <i32: 1> : tile<i32>
    %v14 = constant <i32: 0> : tile<i32>
    %c18 = for unsigned %i16 in (%v13 to %v14, step %s15) : tile<i32> iter_values(%c17 = %v11) -> (tile<32x16xi32>) {
      continue %c17 : tile<32x16xi32>
    }
    %v20 = assume div_by<4>, %p19 : tile<ptr<i32>>
    %v22 = assume div_by<8>, %s21 : tile<i32>
    %v24 = assume div_by<4>, %s23 : tile<i32>
    %t25 = make_tensor_view %v20, shape = [%v22, %v24], strides = [96, 2] : tile<i32> -> tensor_view<?x?xi32, strides=[96,2]>
    %w26 = make_partition_view %t25 : partition_view<tile=(16x32), tensor_view<?x?xi32, strides=[96,2]>, dim_map=[1, 0]>
    %v27 = constant <i8: 1> : tile<i8>
    %v28 = constant <i8: 0> : tile<i8>
    %v29, %k30 = load_view_tko weak %w26[%v27, %v28] inbounds = [false, true] : partition_view<tile=(16x32), tensor_view<?x?xi32, strides=[96,2]>, dim_map=[1, 0]>, tile<i8> -> tile<16x32xi32>, token
    %v31 = permute %v29 [1, 0] : tile<16x32xi32> -> tile<32x16xi32>
    %v32 = addi %c18, %v31 : tile<32x16xi32>
    %v34 = constant <i32: 3> : tile<i32>
    %c38 = for %i36 in (%s33 to %v34, step %s35) : tile<i32> iter_values(%c37 = %v32) -> (tile<32x16xi32>) {
      %v39 = constant <i32: 3> : tile<i32>
      %c45, %c46 = for %i42 in (%v39 to %s40, step %s41) : tile<i32> iter_values(%c43 = %v32, %c44 = %v29) -> (tile<32x16xi32>, tile<16x32xi32>) {
        %v47 = reduce %c44 dim=1 identities=[0 : i32] : tile<16x32xi32> -> tile<16xi32>
        (%a: tile<i32>, %b: tile<i32>) {
          %r = addi %a, %b : tile<i32>
          yield %r : tile<i32>
        }
        %v48 = reshape %v47 : tile<16xi32> -> tile<16x1xi32>
        %v49 = broadcast %v48 : tile<16x1xi32> -> tile<16x32xi32>
        %v50 = addi %c44, %v49 : tile<16x32xi32>
        continue %c43, %v50 : tile<32x16xi32>, tile<16x32xi32>
      }
      continue %c45 : tile<32x16xi32>
    }
    return
  }
}
