// Each iteration loads what other threads stored in the iteration before, through pointers that
// are one value of the program and move by a warp's part from iteration to iteration.
// differential: seed=5 grid=1 warps=4
// differential: array 0 i32 size=512 start=0 shape=512 strides=1
cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %three = constant <i32: 3> : tile<i32>
    %part = constant <i32: 96> : tile<i32>
    %all = iota : tile<128xi32>
    %k0 = make_token : token
    %k = for %i in (%zero to %three, step %one) : tile<i32> iter_values(%before = %k0) -> (token) {
      %start = muli %i, %part : tile<i32>
      %moved = offset %p, %start : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
      %base = reshape %moved : tile<ptr<i32>> -> tile<1xptr<i32>>
      %wide = broadcast %base : tile<1xptr<i32>> -> tile<128xptr<i32>>
      %pointers = offset %wide, %all : tile<128xptr<i32>>, tile<128xi32> -> tile<128xptr<i32>>
      %x, %k1 = load_ptr_tko weak %pointers token = %before : tile<128xptr<i32>> -> tile<128xi32>, token
      %y = addi %x, %all : tile<128xi32>
      %k2 = store_ptr_tko weak %pointers, %y token = %k1 : tile<128xptr<i32>>, tile<128xi32> -> token
      continue %k2 : token
    }
    return
  }
}
