// title: A tile block loads what it stores, and no token orders both
// what: Accesses of a tile block are ordered by tokens alone, not by the order of the text.
// mend: the token of the store as operand of the load
// run: --grid 1 zeros:i32[16]
// change: weak %v[%one] : => weak %v[%one] token=%k :
// expect: load_before_its_store.mlir:9:15: error: k, tile block (0, 0, 0): 'cuda_tile.load_view_tko', element [0]: touches byte 32 of argument 0: int32[16] (0x... to 0x...), which 'store_view_tko' (weak) at load_before_its_store.mlir:8:10 touched too, and no token orders the two; pass the earlier op's token on to the later one

cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %t = make_tensor_view %p, shape = [16], strides = [1] : tensor_view<16xi32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<16xi32, strides=[1]>>
    %a = iota : tile<8xi32>
    %k = store_view_tko weak %a, %v[%one] : tile<8xi32>, partition_view<tile=(8), tensor_view<16xi32, strides=[1]>>, tile<i32> -> token
    %b, %kb = load_view_tko weak %v[%one] : partition_view<tile=(8), tensor_view<16xi32, strides=[1]>>, tile<i32> -> tile<8xi32>, token
    %kc = store_view_tko weak %b, %v[%zero] : tile<8xi32>, partition_view<tile=(8), tensor_view<16xi32, strides=[1]>>, tile<i32> -> token
    return
  }
}
