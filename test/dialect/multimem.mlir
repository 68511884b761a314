// RUN: cuda-tile-opt %s | cuda-tile-opt | FileCheck %s

cuda_tile.module @multimem {
  // CHECK-LABEL: entry @multimem
  entry @multimem(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    // CHECK: %tile, %result_token = multimem_load_reduce_view_tko weak %pview[%arg1], add : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<8xf32>, token
    %x, %t0 = multimem_load_reduce_view_tko weak %v[%i], add : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<8xf32>, token
    // CHECK: multimem_load_reduce_view_tko acquire sys %pview[%arg1], add token = %result_token inbounds = [true] : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<8xf32>, token
    %y, %t1 = multimem_load_reduce_view_tko acquire sys %v[%i], add token = %t0 inbounds = [true] : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<8xf32>, token
    // CHECK: %0 = multimem_reduce_view_tko release sys %pview[%arg1], add, %tile token = %result_token : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token
    %t2 = multimem_reduce_view_tko release sys %v[%i], add, %x token = %t0 : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token
    // CHECK: multimem_store_view_tko weak %pview[%arg1], %tile {tileas.facts = "hot"} : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token
    %t3 = multimem_store_view_tko weak %v[%i], %x {tileas.facts = "hot"} : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token
    // CHECK: multimem_store_view_tko relaxed device %pview[%arg1], %tile token = %0 inbounds = [true] : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token
    %t4 = multimem_store_view_tko relaxed device %v[%i], %x token = %t2 inbounds = [true] : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token
    return
  }
}
