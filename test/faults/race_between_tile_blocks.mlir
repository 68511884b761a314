// title: Tile blocks store to the same tile
// what: Tile blocks run in any order, or at once; one of the tiles is lost.
// mend: the tile block's own index, or an atomic
// run: --grid 2 zeros:i32[16]
// change: %v[%zero] => %v[%bx]
// expect: race_between_tile_blocks.mlir:8:10: error: k, tile block (1, 0, 0): 'cuda_tile.store_view_tko', element [0]: touches byte 0 of argument 0: int32[16] (0x... to 0x...), which tile block (0, 0, 0) touched by 'store_view_tko' (weak) at race_between_tile_blocks.mlir:8:10, and nothing orders the two; make both atomic or relaxed at device scope, or order them: a release there that takes the token of the one, an acquire here whose token the other takes

cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>) {
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %t = make_tensor_view %p, shape = [16], strides = [1] : tensor_view<16xi32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<16xi32, strides=[1]>>
    %a = iota : tile<8xi32>
    %k = store_view_tko weak %a, %v[%zero] : tile<8xi32>, partition_view<tile=(8), tensor_view<16xi32, strides=[1]>>, tile<i32> -> token
    return
  }
}
