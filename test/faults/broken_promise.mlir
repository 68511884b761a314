// title: An assumption that does not hold
// what: The compiler relies on what assume says; here a row length that is no multiple of 8.
// mend: what is true of every launch
// run: --grid 1 zeros:i32[1] 12
// change: div_by<8> => div_by<4>
// expect: broken_promise.mlir:3:10: error: k, tile block (0, 0, 0): 'cuda_tile.assume': assumed div_by<8>, got 12 for argument 1; pass another, or a kernel built for such arguments

cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {
    %m = assume div_by<8>, %n : tile<i32>
    %k = store_ptr_tko weak %p, %m : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
