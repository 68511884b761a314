// differential: seed=15521 grid=1 warps=0
// differential: array 0 i32 size=3060 start=4 shape=16x96 strides=1,32
// differential: scalar f16 0x6702
// differential: scalar i32 0xb
// differential: array 1 bf16 size=880 start=0 shape=880 strides=1 whole=1
// differential: scalar i32 0x20
// differential: array 2 bf16 size=2560 start=0 shape=2560 strides=1 whole=1
// differential: scalar i32 0x5
// differential: array 3 i32 size=527 start=0 shape=16x9 strides=34,2
// differential: scalar i64 0x10
// differential: scalar i64 0x9
// differential: scalar i64 0x2
// differential: array 4 f16 size=127 start=0 shape=10x4 strides=2,36
// differential: scalar i32 0xa
// differential: scalar i32 0x4
// differential: scalar i32 0x2
// differential: scalar i32 0x24
// differential: array 5 f32 size=526 start=0 shape=16x16 strides=33,2
// differential: scalar i64 0x10
// differential: scalar i64 0x2
cuda_tile.module @m {
  entry @k(%p1: tile<ptr<i32>>, %s13: tile<f16>, %s16: tile<i32>, %p18: tile<ptr<bf16>>, %s22: tile<i32>, %p24: tile<ptr<bf16>>, %s35: tile<i32>, %p52: tile<ptr<i32>>, %s53: tile<i64>, %s54: tile<i64>, %s55: tile<i64>, %p63: tile<ptr<f16>>, %s64: tile<i32>, %s65: tile<i32>, %s66: tile<i32>, %s67: tile<i32>, %p75: tile<ptr<f32>>, %s76: tile<i64>, %s78: tile<i64>) {
    %v2 = assume div_by<4>, %p1 : tile<ptr<i32>>
    %t3 = make_tensor_view %v2, shape = [16, 96], strides = [1, 32] : tensor_view<16x96xi32, strides=[1,32]>
    %w4 = make_partition_view %t3 : partition_view<tile=(16x32), tensor_view<16x96xi32, strides=[1,32]>, dim_map=[0, 1]>
    %v5 = constant <i32: 1> : tile<i32>
    %b6, %b7, %b8 = get_tile_block_id : tile<i32>
    %v9 = remi %b6, %v5 unsigned : tile<i32>
    %v10 = constant <i32: 2> : tile<i32>
    %v11, %k12 = load_view_tko weak %w4[%v9, %v10] : partition_view<tile=(16x32), tensor_view<16x96xi32, strides=[1,32]>, dim_map=[0, 1]>, tile<i32> -> tile<16x32xi32>, token
    %v14 = reshape %s13 : tile<f16> -> tile<1x1xf16>
    %v15 = broadcast %v14 : tile<1x1xf16> -> tile<16x32xf16>
    %a17 = assume div_by<1>, %s16 : tile<i32>
    %a19 = assume div_by<16>, %p18 : tile<ptr<bf16>>
    %t20 = make_tensor_view %a19, shape = [5, %a17, 10], strides = [176, 16, 1] : tile<i32> -> tensor_view<5x?x10xbf16, strides=[176, 16, 1]>
    %w21 = make_partition_view %t20 : partition_view<tile=(1x16x16), padding_value = zero, tensor_view<5x?x10xbf16, strides=[176, 16, 1]>>
    %a23 = assume div_by<1>, %s22 : tile<i32>
    %a25 = assume div_by<16>, %p24 : tile<ptr<bf16>>
    %t26 = make_tensor_view %a25, shape = [%a23, 74], strides = [80, 1] : tile<i32> -> tensor_view<?x74xbf16, strides=[80, 1]>
    %w27 = make_partition_view %t26 : partition_view<tile=(16x32), padding_value = zero, tensor_view<?x74xbf16, strides=[80, 1]>, dim_map=[1, 0]>
    %v28 = constant <f32: 0x00000000> : tile<16x32xf32>
    %v29 = constant <i32: 0> : tile<i32>
    %v30 = constant <i32: 2> : tile<i32>
    %v31 = constant <i32: 1> : tile<i32>
    %r34 = for %o32 in (%v29 to %v30, step %v31) : tile<i32> iter_values(%c33 = %v28) -> (tile<16x32xf32>) {
    %v36 = constant <i32: 1> : tile<i32>
    %r39 = for %i37 in (%o32 to %s35, step %v36) : tile<i32> iter_values(%c38 = %c33) -> (tile<16x32xf32>) {
    %v40 = constant <i32: 3> : tile<i32>
    %v41 = remi %i37, %v40 signed : tile<i32>
    %v42 = constant <i32: 0> : tile<i32>
    %v43 = cmpi equal %v41, %v42, signed : tile<i32> -> tile<i1>
    if %v43 {
      continue %c38 : tile<16x32xf32>
    }
    %v45 = constant <i32: 0> : tile<i32>
    %x44, %k46 = load_view_tko weak %w21[%i37, %v45, %v45] : partition_view<tile=(1x16x16), padding_value = zero, tensor_view<5x?x10xbf16, strides=[176, 16, 1]>>, tile<i32> -> tile<1x16x16xbf16>, token
    %v47 = reshape %x44 : tile<1x16x16xbf16> -> tile<16x16xbf16>
    %v49 = constant <i32: 0> : tile<i32>
    %x48, %k50 = load_view_tko weak %w27[%i37, %v49] : partition_view<tile=(16x32), padding_value = zero, tensor_view<?x74xbf16, strides=[80, 1]>, dim_map=[1, 0]>, tile<i32> -> tile<16x32xbf16>, token
    %v51 = mmaf %v47, %x48, %c38 : tile<16x16xbf16>, tile<16x32xbf16>, tile<16x32xf32>
      continue %v51 : tile<16x32xf32>
    }
      continue %r39 : tile<16x32xf32>
    }
    %t56 = make_tensor_view %p52, shape = [%s53, %s54], strides = [34, %s55] : tile<i64> -> tensor_view<?x?xi32, strides=[34,?]>
    %w57 = make_partition_view %t56 : partition_view<tile=(16x32), tensor_view<?x?xi32, strides=[34,?]>, dim_map=[0, 1]>
    %b58, %b59, %b60 = get_tile_block_id : tile<i32>
    %v61 = constant <i32: 0> : tile<i32>
    %k62 = store_view_tko weak %v11, %w57[%b58, %v61] : tile<16x32xi32>, partition_view<tile=(16x32), tensor_view<?x?xi32, strides=[34,?]>, dim_map=[0, 1]>, tile<i32> -> token
    %t68 = make_tensor_view %p63, shape = [%s64, %s65], strides = [%s66, %s67] : tile<i32> -> tensor_view<?x?xf16, strides=[?,?]>
    %w69 = make_partition_view %t68 : partition_view<tile=(16x32), tensor_view<?x?xf16, strides=[?,?]>, dim_map=[1, 0]>
    %b70, %b71, %b72 = get_tile_block_id : tile<i32>
    %v73 = constant <i32: 0> : tile<i32>
    %k74 = store_view_tko weak %v15, %w69[%b70, %v73] : tile<16x32xf16>, partition_view<tile=(16x32), tensor_view<?x?xf16, strides=[?,?]>, dim_map=[1, 0]>, tile<i32> -> token
    %v77 = assume div_by<8>, %s76 : tile<i64>
    %t79 = make_tensor_view %p75, shape = [16, %v77], strides = [33, %s78] : tile<i64> -> tensor_view<16x?xf32, strides=[33,?]>
    %w80 = make_partition_view %t79 : partition_view<tile=(16x32), tensor_view<16x?xf32, strides=[33,?]>, dim_map=[1, 0]>
    %b81, %b82, %b83 = get_tile_block_id : tile<i32>
    %v84 = constant <i32: 0> : tile<i32>
    %k85 = store_view_tko weak %r34, %w80[%b81, %v84] : tile<16x32xf32>, partition_view<tile=(16x32), tensor_view<16x?xf32, strides=[33,?]>, dim_map=[1, 0]>, tile<i32> -> token
    return
  }
}
