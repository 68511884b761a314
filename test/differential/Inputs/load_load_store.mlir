// The store comes after both loads, though only the second has its token from it.
// differential: seed=7872 grid=1 warps=2
// differential: array 0 i16 size=512 start=0 shape=512 strides=1
// differential: scalar i32 0x69
cuda_tile.module @m {
  entry @k(%p: tile<ptr<i16>>, %limit: tile<i32>) {
    %all = iota : tile<512xi32>
    %base = reshape %p : tile<ptr<i16>> -> tile<1xptr<i16>>
    %wide = broadcast %base : tile<1xptr<i16>> -> tile<512xptr<i16>>
    %pointers = offset %wide, %all : tile<512xptr<i16>>, tile<512xi32> -> tile<512xptr<i16>>
    %values, %k1 = load_ptr_tko weak %pointers : tile<512xptr<i16>> -> tile<512xi16>, token
    %k2 = store_ptr_tko weak %pointers, %values token = %k1 : tile<512xptr<i16>>, tile<512xi16> -> token
    %same, %k3 = load_ptr_tko weak %pointers token = %k2 : tile<512xptr<i16>> -> tile<512xi16>, token
    %part = iota : tile<256xi32>
    %start = constant <i32: 215> : tile<i32>
    %moved = offset %p, %start : tile<ptr<i16>>, tile<i32> -> tile<ptr<i16>>
    %moved_base = reshape %moved : tile<ptr<i16>> -> tile<1xptr<i16>>
    %moved_wide = broadcast %moved_base : tile<1xptr<i16>> -> tile<256xptr<i16>>
    %others = offset %moved_wide, %part : tile<256xptr<i16>>, tile<256xi32> -> tile<256xptr<i16>>
    %top = reshape %limit : tile<i32> -> tile<1xi32>
    %tops = broadcast %top : tile<1xi32> -> tile<256xi32>
    %mask = cmpi less_than %part, %tops, signed : tile<256xi32> -> tile<256xi1>
    %one = constant <i16: 1> : tile<256xi16>
    %other, %k4 = load_ptr_tko weak %others, %mask, %one token = %k3 : tile<256xptr<i16>>, tile<256xi1>, tile<256xi16> -> tile<256xi16>, token
    %k5 = store_ptr_tko weak %pointers, %same token = %k4 : tile<512xptr<i16>>, tile<512xi16> -> token
    return
  }
}
