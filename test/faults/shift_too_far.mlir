// title: A shift by as many bits as the number has
// what: Its result is undefined.
// mend: a smaller count, by a mask or a select
// run: --grid 1 zeros:i32[1] 32
// change: zeros:i32[1] 32 => zeros:i32[1] 31
// expect: shift_too_far.mlir:4:10: error: k, tile block (0, 0, 0): 'cuda_tile.shli': shifts i32 by 32 bits or more, got 32

cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {
    %one = constant <i32: 1> : tile<i32>
    %q = shli %one, %n : tile<i32>
    %k = store_ptr_tko weak %p, %q : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
