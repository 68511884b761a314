// Atomics that surely update one place become a reduction and one update.

// RUN: cuda-tile-opt %s --cuda-tile-combine-atomics | FileCheck %s
// A second run finds the work done.
// RUN: cuda-tile-opt %s --cuda-tile-combine-atomics --cuda-tile-combine-atomics | FileCheck %s

cuda_tile.module @kernels {
  // All elements of a row have one pointer.
  // CHECK-LABEL: entry @rows
  // CHECK: reduce {{.*}} dim=1 identities=[0 : i32] : tile<8x64xi32> -> tile<8xi32>
  // CHECK: atomic_rmw_tko relaxed device {{.*}} add, {{.*}} tile<8x1xptr<i32>>, tile<8x1xi32>
  // CHECK-NOT: atomic_rmw_tko
  entry @rows(%p: tile<ptr<i32>>, %a: tile<ptr<i32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %at = make_tensor_view %a, shape = [8, 64], strides = [64, 1] : tensor_view<8x64xi32, strides=[64,1]>
    %av = make_partition_view %at : partition_view<tile=(8x64), tensor_view<8x64xi32, strides=[64,1]>>
    %v, %k = load_view_tko weak %av[%zero, %zero] : partition_view<tile=(8x64), tensor_view<8x64xi32, strides=[64,1]>>, tile<i32> -> tile<8x64xi32>, token
    %i = iota : tile<8xi32>
    %i1 = reshape %i : tile<8xi32> -> tile<8x1xi32>
    %is = broadcast %i1 : tile<8x1xi32> -> tile<8x64xi32>
    %p1 = reshape %p : tile<ptr<i32>> -> tile<1x1xptr<i32>>
    %ps = broadcast %p1 : tile<1x1xptr<i32>> -> tile<8x64xptr<i32>>
    %q = offset %ps, %is : tile<8x64xptr<i32>>, tile<8x64xi32> -> tile<8x64xptr<i32>>
    %old, %t = atomic_rmw_tko relaxed device %q, add, %v : tile<8x64xptr<i32>>, tile<8x64xi32> -> tile<8x64xi32>, token
    return
  }

  // Sums of floats are rounded, in an order that is the program's.
  // CHECK-LABEL: entry @floats
  // CHECK-NOT: reduce
  // CHECK: atomic_rmw_tko {{.*}} addf, {{.*}} tile<64xptr<f32>>
  entry @floats(%p: tile<ptr<f32>>) {
    %v = constant <f32: 1.0> : tile<64xf32>
    %p1 = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
    %ps = broadcast %p1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
    %old, %t = atomic_rmw_tko relaxed device %ps, addf, %v : tile<64xptr<f32>>, tile<64xf32> -> tile<64xf32>, token
    return
  }
}
