// title: A tile block stores a tile that its view does not have
// what: The grid has more tile blocks than the view has tiles.
// mend: a grid of as many tile blocks, or a condition around the store
// run: --grid 3 zeros:i32[16]
// change: shape = [16] => shape = [24]
// change: tensor_view<16xi32 => tensor_view<24xi32
// change: zeros:i32[16] => zeros:i32[24]
// expect: index_outside_of_the_view.mlir:7:10: error: k, tile block (2, 0, 0): 'cuda_tile.store_view_tko': index [2] is outside the index space [2] of tiles of [8] over a tensor of [16]; launch fewer tile blocks, or skip the access

cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>) {
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %t = make_tensor_view %p, shape = [16], strides = [1] : tensor_view<16xi32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<16xi32, strides=[1]>>
    %a = iota : tile<8xi32>
    %k = store_view_tko weak %a, %v[%bx] : tile<8xi32>, partition_view<tile=(8), tensor_view<16xi32, strides=[1]>>, tile<i32> -> token
    return
  }
}
