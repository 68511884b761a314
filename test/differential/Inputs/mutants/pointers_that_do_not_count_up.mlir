// Two threads load each element through one tile of pointers; a mask lets one store it.
// differential: seed=6 grid=1 warps=8
// differential: array 0 i32 size=128 start=0 shape=128 strides=1
// differential: array 1 i32 size=256 start=0 shape=256 strides=1
cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>) {
    %all = iota : tile<256xi32>
    %half = constant <i32: 128> : tile<256xi32>
    %places = remi %all, %half unsigned : tile<256xi32>
    %base = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
    %wide = broadcast %base : tile<1xptr<i32>> -> tile<256xptr<i32>>
    %pointers = offset %wide, %places : tile<256xptr<i32>>, tile<256xi32> -> tile<256xptr<i32>>
    %x, %k1 = load_ptr_tko weak %pointers : tile<256xptr<i32>> -> tile<256xi32>, token
    %mask = cmpi less_than %all, %half, signed : tile<256xi32> -> tile<256xi1>
    %k2 = store_ptr_tko weak %pointers, %all, %mask token = %k1 : tile<256xptr<i32>>, tile<256xi32>, tile<256xi1> -> token
    %out_base = reshape %q : tile<ptr<i32>> -> tile<1xptr<i32>>
    %out_wide = broadcast %out_base : tile<1xptr<i32>> -> tile<256xptr<i32>>
    %out = offset %out_wide, %all : tile<256xptr<i32>>, tile<256xi32> -> tile<256xptr<i32>>
    %k3 = store_ptr_tko weak %out, %x : tile<256xptr<i32>>, tile<256xi32> -> token
    return
  }
}
