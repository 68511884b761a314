// title: A load beyond its tensor has no padding, and its elements are used
// what: A tile that goes beyond its tensor has unspecified elements there, unless the view says what they are.
// mend: a padding value of the view
// run: --grid 1 ones:i32[6] zeros:i32[1]
// change: tile=(8), tensor => tile=(8), padding_value = zero, tensor
// expect: missing_padding.mlir:12:10: error: k, tile block (0, 0, 0): 'cuda_tile.store_ptr_tko': the stored value is unspecified; it comes from 'load_view_tko' at missing_padding.mlir:6:15 (its tile reaches past axis 0 of extent 6 of the tensor, and the load has no padding: give it one, such as cuTile's padding_mode=ct.PaddingMode.ZERO)

cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>, %o: tile<ptr<i32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %t = make_tensor_view %p, shape = [6], strides = [1] : tensor_view<6xi32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<6xi32, strides=[1]>>
    %a, %ka = load_view_tko weak %v[%zero] : partition_view<tile=(8), tensor_view<6xi32, strides=[1]>>, tile<i32> -> tile<8xi32>, token
    %s = reduce %a dim=0 identities=[0 : i32] : tile<8xi32> -> tile<i32>
    (%x: tile<i32>, %y: tile<i32>) {
      %xy = addi %x, %y : tile<i32>
      yield %xy : tile<i32>
    }
    %k = store_ptr_tko weak %o, %s : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
