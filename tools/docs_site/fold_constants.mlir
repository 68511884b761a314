// Shows the pass `fold-constants`: sizes that a front end computed, and a sum with zero.

cuda_tile.module @kernels {
  entry @sizes(%p: tile<ptr<i32>>) {
    %rows = constant <i32: 48> : tile<i32>
    %columns = constant <i32: 16> : tile<i32>
    %count = muli %rows, %columns : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %id, %1, %2 = get_tile_block_id : tile<i32>
    %same = addi %id, %zero : tile<i32>
    %start = muli %same, %count : tile<i32>
    %t = store_ptr_tko weak %p, %start : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
