// title: One store writes two elements to the same place
// what: Elements of a store are written in any order; which one stays nobody knows.
// mend: an index of its own for each element, or an atomic
// run: --grid 1 zeros:i32[8]
// change: constant <i32: 2> : tile<8xi32> => constant <i32: 8> : tile<8xi32>
// expect: one_place_twice.mlir:9:10: error: k, tile block (0, 0, 0): 'cuda_tile.store_ptr_tko', element [2]: stores twice to address 0x..., byte 0 of argument 0: int32[8] (0x... to 0x...); elements of one weak store must have distinct addresses

cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>) {
    %i = iota : tile<8xi32>
    %r = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
    %b = broadcast %r : tile<1xptr<i32>> -> tile<8xptr<i32>>
    %n = constant <i32: 2> : tile<8xi32>
    %j = remi %i, %n unsigned : tile<8xi32>
    %q = offset %b, %j : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
    %k = store_ptr_tko weak %q, %i : tile<8xptr<i32>>, tile<8xi32> -> token
    return
  }
}
