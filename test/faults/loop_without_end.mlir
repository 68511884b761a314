// title: A loop that never ends
// what: Its condition does not change.
// mend: a value that the loop carries and changes
// run: --grid 1 --limit 10000 zeros:i32[1]
// change: continue %i : => continue %j :
// expect: loop_without_end.mlir:7:12: error: k, tile block (0, 0, 0): 'cuda_tile.addi': more than 10000 ops ran; raise the limit if needed

cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %n = constant <i32: 5> : tile<i32>
    %r = loop iter_values(%i = %zero) : tile<i32> -> tile<i32> {
      %j = addi %i, %one : tile<i32>
      %c = cmpi greater_than %i, %n, signed : tile<i32> -> tile<i1>
      if %c {
        break %i : tile<i32>
      }
      continue %i : tile<i32>
    }
    %k = store_ptr_tko weak %p, %r : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
