// Strong stores of elements of 4 bits: the bytes are loaded as strongly.
// differential: seed=4 grid=2 warps=1
// differential: array 0 i8 size=8 start=0 shape=8 strides=1
cuda_tile.module @m {
  entry @k(%o: tile<ptr<f4E2M1FN>>) {
    %c = constant <f16: -6.0> : tile<2xf16>
    %v = ftof %c : tile<2xf16> -> tile<2xf4E2M1FN>
    %i = iota : tile<2xi32>
    %two = constant <i32: 2> : tile<2xi32>
    %j = muli %i, %two : tile<2xi32>
    %o1 = reshape %o : tile<ptr<f4E2M1FN>> -> tile<1xptr<f4E2M1FN>>
    %os = broadcast %o1 : tile<1xptr<f4E2M1FN>> -> tile<2xptr<f4E2M1FN>>
    %p = offset %os, %j : tile<2xptr<f4E2M1FN>>, tile<2xi32> -> tile<2xptr<f4E2M1FN>>
    %s = store_ptr_tko release device %p, %v : tile<2xptr<f4E2M1FN>>, tile<2xf4E2M1FN> -> token
    return
  }
}
