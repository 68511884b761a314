// title: A dependent grid reads before the preceding one has written
// what: A programmatic launch starts the grid while the preceding one still runs.
// mend: the token of gdc_wait_tko as operand of the access
// run: --grid 1 --preceding 0 ones:i32[16] zeros:i32[16]
// change: %v[%zero] : => %v[%zero] token=%w :
// expect: memory_of_the_preceding_grid.mlir:10:15: error: k, tile block (0, 0, 0): 'cuda_tile.load_view_tko', element [0]: touches byte 0 of argument 0: int32[16] (0x... to 0x...), which the preceding grid of a programmatic launch may still write; pass the token of gdc_wait_tko on to this op

cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>, %o: tile<ptr<i32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %w0 = make_token : token
    %w = gdc_wait_tko token=%w0 : token
    %t = make_tensor_view %p, shape = [16], strides = [1] : tensor_view<16xi32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<16xi32, strides=[1]>>
    %ot = make_tensor_view %o, shape = [16], strides = [1] : tensor_view<16xi32, strides=[1]>
    %ov = make_partition_view %ot : partition_view<tile=(8), tensor_view<16xi32, strides=[1]>>
    %a, %ka = load_view_tko weak %v[%zero] : partition_view<tile=(8), tensor_view<16xi32, strides=[1]>>, tile<i32> -> tile<8xi32>, token
    %k = store_view_tko weak %a, %ov[%zero] : tile<8xi32>, partition_view<tile=(8), tensor_view<16xi32, strides=[1]>>, tile<i32> -> token
    return
  }
}
