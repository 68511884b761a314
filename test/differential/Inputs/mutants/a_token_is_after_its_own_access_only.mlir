// a token is after its own access only: emulator (sm_80): race: k: ptx line 148: st.global.b32 [%rd61], %r7;: race: block 0, warp 1 writes global memory at 0x563358ecf840 (byte 576 of k_param_0: int32[512] (0x563358ecf600 to 0x563358ecfe00)) that block 0, warp 0 read at line 170 (@%p4 ld.global.b32 %r16, [%rd6];) with no barrier between
// differential: seed=24658 grid=1 warps=2
// differential: array 0 i32 size=512 start=0 shape=512 strides=1
// differential: scalar i32 0x80000000
// differential: array 1 i32 size=1016 start=0 shape=24x27 strides=43,1
// differential: scalar i32 0x1
// differential: scalar i32 0x0
// differential: array 2 i32 size=512 start=0 shape=512 strides=1
// differential: scalar i32 0x0
// differential: array 3 i32 size=132 start=4 shape=16x8 strides=1,16
// differential: scalar i32 0x8
// differential: scalar i32 0x1
// differential: scalar i32 0x10
// differential: array 4 i32 size=1 start=0 shape=1 strides=1
// differential: array 5 i32 size=1023 start=0 shape=512 strides=2
// differential: scalar i32 0x200
// differential: scalar i32 0x2
// differential: array 6 i32 size=112 start=0 shape=7x16 strides=16,1
// differential: scalar i64 0x10
// differential: scalar i64 0x10
// differential: scalar i64 0x1
cuda_tile.module @m {
  entry @k(%p1: tile<ptr<i32>>, %s2: tile<i32>, %p9: tile<ptr<i32>>, %s11: tile<i32>, %s18: tile<i32>, %p45: tile<ptr<i32>>, %s59: tile<i32>, %p70: tile<ptr<i32>>, %s71: tile<i32>, %s73: tile<i32>, %s74: tile<i32>, %p88: tile<ptr<i32>>, %p93: tile<ptr<i32>>, %s95: tile<i32>, %s97: tile<i32>, %p105: tile<ptr<i32>>, %s107: tile<i64>, %s109: tile<i64>, %s111: tile<i64>) {
    %v3 = reshape %s2 : tile<i32> -> tile<1x1xi32>
    %v4 = broadcast %v3 : tile<1x1xi32> -> tile<16x32xi32>
    %v5 = constant <i32: 224> : tile<i32>
    %v6 = offset %p1, %v5 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %t7 = make_tensor_view %v6, shape = [9, 32], strides = [32, 1] : tensor_view<9x32xi32, strides=[32,1]>
    %w8 = make_partition_view %t7 : partition_view<tile=(16x8), tensor_view<9x32xi32, strides=[32,1]>, dim_map=[1, 0]>
    %v10 = assume div_by<256>, %p9 : tile<ptr<i32>>
    %t12 = make_tensor_view %v10, shape = [24, 27], strides = [43, %s11] : tile<i32> -> tensor_view<24x27xi32, strides=[43,?]>
    %w13 = make_partition_view %t12 : partition_view<tile=(16x8), padding_value = zero, tensor_view<24x27xi32, strides=[43,?]>, dim_map=[1, 0]>
    %v14 = constant <i8: 0> : tile<i8>
    %v15 = constant <i8: 0> : tile<i8>
    %v16, %k17 = load_view_tko weak %w13[%v14, %v15] : partition_view<tile=(16x8), padding_value = zero, tensor_view<24x27xi32, strides=[43,?]>, dim_map=[1, 0]>, tile<i8> -> tile<16x8xi32>, token
    %v19 = constant <i32: 2> : tile<i32>
    %b20, %b21, %b22 = get_tile_block_id : tile<i32>
    %v23 = remi %b20, %v19 unsigned : tile<i32>
    %b24, %b25, %b26 = get_tile_block_id : tile<i32>
    %v27 = constant <i32: 2> : tile<i32>
    %v28 = muli %b24, %v27 : tile<i32>
    %v29 = addi %v28, %s18 : tile<i32>
    %k30 = store_view_tko weak %v16, %w8[%v23, %v29] : tile<16x8xi32>, partition_view<tile=(16x8), tensor_view<9x32xi32, strides=[32,1]>, dim_map=[1, 0]>, tile<i32> -> token
    %v31 = iota : tile<512xi32>
    %v32 = constant <i32: 1> : tile<512xi32>
    %v33 = muli %v31, %v32 : tile<512xi32>
    %b34, %b35, %b36 = get_tile_block_id : tile<i32>
    %v37 = constant <i32: 512> : tile<i32>
    %v38 = muli %b34, %v37 : tile<i32>
    %v39 = constant <i32: 0> : tile<i32>
    %v40 = addi %v38, %v39 : tile<i32>
    %v41 = offset %p1, %v40 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %v42 = reshape %v41 : tile<ptr<i32>> -> tile<1xptr<i32>>
    %v43 = broadcast %v42 : tile<1xptr<i32>> -> tile<512xptr<i32>>
    %v44 = offset %v43, %v33 : tile<512xptr<i32>>, tile<512xi32> -> tile<512xptr<i32>>
    %v46 = assume div_by<256>, %p45 : tile<ptr<i32>>
    %t47 = make_tensor_view %v46, shape = [512], strides = [1] : tensor_view<512xi32, strides=[1]>
    %w48 = make_partition_view %t47 : partition_view<tile=(512), tensor_view<512xi32, strides=[1]>>
    %v49 = constant <i8: 0> : tile<i8>
    %v50, %k51 = load_view_tko weak %w48[%v49] : partition_view<tile=(512), tensor_view<512xi32, strides=[1]>>, tile<i8> -> tile<512xi32>, token
    %v52 = get_tensor_shape %t47 : tensor_view<512xi32, strides=[1]> -> tile<i32>
    %v53 = get_index_space_shape %w48 : partition_view<tile=(512), tensor_view<512xi32, strides=[1]>> -> tile<i32>
    %k54 = store_ptr_tko weak %v44, %v50 token = %k30 : tile<512xptr<i32>>, tile<512xi32> -> token
    %v55, %k56 = load_ptr_tko weak %v44 token = %k54 : tile<512xptr<i32>> -> tile<512xi32>, token
    %t57 = make_tensor_view %p1, shape = [16, 26], strides = [32, 1] : tensor_view<16x26xi32, strides=[32,1]>
    %w58 = make_partition_view %t57 : partition_view<tile=(16x16), padding_value = zero, tensor_view<16x26xi32, strides=[32,1]>, dim_map=[1, 0]>
    %v60 = constant <i32: 2> : tile<i32>
    %v61 = remi %v53, %v60 unsigned : tile<i32>
    %b62, %b63, %b64 = get_tile_block_id : tile<i32>
    %v65 = constant <i32: 1> : tile<i32>
    %v66 = muli %b62, %v65 : tile<i32>
    %v67 = addi %v66, %s59 : tile<i32>
    %v68, %k69 = load_view_tko weak %w58[%v61, %v67] token = %k56 : partition_view<tile=(16x16), padding_value = zero, tensor_view<16x26xi32, strides=[32,1]>, dim_map=[1, 0]>, tile<i32> -> tile<16x16xi32>, token
    %v72 = assume div_by<8>, %s71 : tile<i32>
    %v75 = assume div_by<16>, %s74 : tile<i32>
    %t76 = make_tensor_view %p70, shape = [16, %v72], strides = [%s73, %v75] : tile<i32> -> tensor_view<16x?xi32, strides=[?,?]>
    %w77 = make_partition_view %t76 : partition_view<tile=(16x32), tensor_view<16x?xi32, strides=[?,?]>>
    %b78, %b79, %b80 = get_tile_block_id : tile<i32>
    %v81 = constant <i32: 0> : tile<i32>
    %k82 = store_view_tko weak %v4, %w77[%b78, %v81] : tile<16x32xi32>, partition_view<tile=(16x32), tensor_view<16x?xi32, strides=[?,?]>>, tile<i32> -> token
    %v83 = constant <i32: 1> : tile<i32>
    %b84, %b85, %b86 = get_tile_block_id : tile<i32>
    %v87 = muli %b84, %v83 : tile<i32>
    %v89 = offset %p88, %v87 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %v90 = constant <i32: 1> : tile<i32>
    %v91 = cmpi greater_than %v90, %v87, signed : tile<i32> -> tile<i1>
    %k92 = store_ptr_tko weak %v89, %v52, %v91 : tile<ptr<i32>>, tile<i32>, tile<i1> -> token
    %v94 = assume div_by<16>, %p93 : tile<ptr<i32>>
    %v96 = assume div_by<256>, %s95 : tile<i32>
    %t98 = make_tensor_view %v94, shape = [%v96], strides = [%s97] : tile<i32> -> tensor_view<?xi32, strides=[?]>
    %w99 = make_partition_view %t98 : partition_view<tile=(512), tensor_view<?xi32, strides=[?]>, dim_map=[0]>
    %b100, %b101, %b102 = get_tile_block_id : tile<i32>
    %v103 = constant <i32: 0> : tile<i32>
    %k104 = store_view_tko weak %v55, %w99[%b100] : tile<512xi32>, partition_view<tile=(512), tensor_view<?xi32, strides=[?]>, dim_map=[0]>, tile<i32> -> token
    %v106 = assume div_by<4>, %p105 : tile<ptr<i32>>
    %v108 = assume div_by<4>, %s107 : tile<i64>
    %v110 = assume div_by<4>, %s109 : tile<i64>
    %t112 = make_tensor_view %v106, shape = [7, %v108], strides = [%v110, %s111] : tile<i64> -> tensor_view<7x?xi32, strides=[?,?]>
    %w113 = make_partition_view %t112 : partition_view<tile=(16x16), tensor_view<7x?xi32, strides=[?,?]>, dim_map=[1, 0]>
    %b114, %b115, %b116 = get_tile_block_id : tile<i32>
    %v117 = constant <i32: 0> : tile<i32>
    %k118 = store_view_tko weak %v68, %w113[%b114, %v117] : tile<16x16xi32>, partition_view<tile=(16x16), tensor_view<7x?xi32, strides=[?,?]>, dim_map=[1, 0]>, tile<i32> -> token
    return
  }
}
