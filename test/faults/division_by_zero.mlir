// title: A division of integers by zero
// what: Its result is undefined.
// mend: a divisor that is not zero, by a condition or a select
// run: --grid 1 zeros:i32[1] 0
// change: divi %n, %n => divi %n, %one
// expect: division_by_zero.mlir:4:10: error: k, tile block (0, 0, 0): 'cuda_tile.divi': division by zero

cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {
    %one = constant <i32: 1> : tile<i32>
    %q = divi %n, %n signed : tile<i32>
    %k = store_ptr_tko weak %p, %q : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
