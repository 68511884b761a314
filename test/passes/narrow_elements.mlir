// Elements of 4 bits are loaded and stored as bytes: a tile of a view has half the extent
// where elements are neighbours.

// RUN: cuda-tile-opt %s --cuda-tile-narrow-elements | FileCheck %s
// A second run finds the work done.
// RUN: cuda-tile-opt %s --cuda-tile-narrow-elements --cuda-tile-narrow-elements | FileCheck %s

cuda_tile.module @kernels {
  // CHECK-LABEL: entry @dense
  // CHECK: load_view_tko {{.*}} -> tile<8x4xi8>, token
  // CHECK: unpack
  // CHECK: pack
  // CHECK: store_view_tko {{.*}} tile<8x4xi8>
  entry @dense(%p: tile<ptr<f4E2M1FN>>, %o: tile<ptr<f4E2M1FN>>) {
    %b, %y, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %pt = make_tensor_view %p, shape = [64, 32], strides = [32, 1] : tensor_view<64x32xf4E2M1FN, strides=[32,1]>
    %pv = make_partition_view %pt : partition_view<tile=(8x8), tensor_view<64x32xf4E2M1FN, strides=[32,1]>>
    %ot = make_tensor_view %o, shape = [64, 32], strides = [32, 1] : tensor_view<64x32xf4E2M1FN, strides=[32,1]>
    %ov = make_partition_view %ot : partition_view<tile=(8x8), tensor_view<64x32xf4E2M1FN, strides=[32,1]>>
    %v, %t0 = load_view_tko weak %pv[%b, %zero] : partition_view<tile=(8x8), tensor_view<64x32xf4E2M1FN, strides=[32,1]>>, tile<i32> -> tile<8x8xf4E2M1FN>, token
    %t1 = store_view_tko weak %v, %ov[%b, %zero] : tile<8x8xf4E2M1FN>, partition_view<tile=(8x8), tensor_view<64x32xf4E2M1FN, strides=[32,1]>>, tile<i32> -> token
    return
  }

  // Where a tile may begin in the middle of a byte, each element's byte is accessed, the
  // low halves first.
  // CHECK-LABEL: entry @odd
  // CHECK-COUNT-2: store_ptr_tko {{.*}} tile<2xptr<i8>>, tile<2xi8>, tile<2xi1>
  // CHECK-NOT: store
  entry @odd(%o: tile<ptr<f4E2M1FN>>) {
    %b, %y, %z = get_tile_block_id : tile<i32>
    %c = constant <f16: -6.0> : tile<2xf16>
    %v = ftof %c : tile<2xf16> -> tile<2xf4E2M1FN>
    %ot = make_tensor_view %o, shape = [16], strides = [1] : tensor_view<16xf4E2M1FN, strides=[1]>
    %ov = make_strided_view %ot : strided_view<tile=(2), traversal_strides=[3], tensor_view<16xf4E2M1FN, strides=[1]>>
    %t1 = store_view_tko weak %v, %ov[%b] : tile<2xf4E2M1FN>, strided_view<tile=(2), traversal_strides=[3], tensor_view<16xf4E2M1FN, strides=[1]>>, tile<i32> -> token
    return
  }
}
