// title: An assertion that does not hold
// what: The kernel says what must be true, and ends where it is not.
// mend: what the message asks for
// run: --grid 1 5
// change: --grid 1 5 => --grid 1 3
// expect: error: k: 1 assertion failed:
// expect: failed_assertion.mlir:5:5: assertion failed: n must be below 4 (tile block (0, 0, 0))

cuda_tile.module @m {
  entry @k(%n: tile<i32>) {
    %four = constant <i32: 4> : tile<i32>
    %c = cmpi less_than %n, %four, signed : tile<i32> -> tile<i1>
    assert %c, "n must be below 4" : tile<i1>
    return
  }
}
