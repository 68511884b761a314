// title: A store through pointers goes behind the end of an array
// what: The tile has more elements than the array.
// mend: a mask that leaves these elements out
// run: --grid 1 zeros:i32[6]
// change: %q, %i : => %q, %i, %m :
// change: : tile<8xptr<i32>>, tile<8xi32> -> token => : tile<8xptr<i32>>, tile<8xi32>, tile<8xi1> -> token
// expect: outside_of_an_array.mlir:9:10: error: k, tile block (0, 0, 0): 'cuda_tile.store_ptr_tko', element [6]: store of 4 bytes at 0x... is outside every array; nearest is argument 0: int32[6] (0x... to 0x...), 4 bytes past its end

cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>) {
    %i = iota : tile<8xi32>
    %r = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
    %b = broadcast %r : tile<1xptr<i32>> -> tile<8xptr<i32>>
    %n = constant <i32: 6> : tile<8xi32>
    %m = cmpi less_than %i, %n, signed : tile<8xi32> -> tile<8xi1>
    %q = offset %b, %i : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
    %k = store_ptr_tko weak %q, %i : tile<8xptr<i32>>, tile<8xi32> -> token
    return
  }
}
