// A load whose plan names an engine becomes a copy into a buffer of its own shape; the
// products read that, renamed as the program renames the tile.

// RUN: cuda-tile-opt %s --pass-pipeline='builtin.module(cuda-tile-plan{gpu=sm_80},cuda-tile-place,cuda-tile-stage)' | FileCheck %s

!tensor = !cuda_tile.tensor_view<?x64xf16, strides=[64,1]>
!rows = !cuda_tile.partition_view<tile=(64x64), padding_value = zero, !tensor>
!transposed = !cuda_tile.partition_view<tile=(64x64), padding_value = zero, !tensor, dim_map=[1, 0]>
!batch = !cuda_tile.partition_view<tile=(1x64x64), padding_value = zero, !cuda_tile.tensor_view<4x?x64xf16, strides=[4096,64,1]>>
!result = !cuda_tile.partition_view<tile=(64x64), !cuda_tile.tensor_view<64x64xf32, strides=[64,1]>>

cuda_tile.module @kernels {
  // Both operands; neither load is left, and nothing goes through registers.
  // CHECK-LABEL: entry @product
  // CHECK: for
  // CHECK-NOT: load_view_tko
  // CHECK: %[[A:.*]] = tileas.alloc_shared : !tileas.buffer<64x64xf16
  // CHECK-NEXT: tileas.copy_in %{{.*}}[%{{.*}}, %{{.*}}] to %[[A]] engine = "cp_async"
  // CHECK-SAME: ahead = 2 : i64, engine = "cp_async", slots = 3 : i64
  // CHECK: %[[B:.*]] = tileas.alloc_shared : !tileas.buffer<64x64xf16
  // CHECK-NEXT: tileas.copy_in %{{.*}} to %[[B]] engine = "cp_async"
  // CHECK-NOT: store_shared
  // CHECK: tileas.load_shared %[[A]][0, 0]
  // CHECK: tileas.load_shared %[[B]][0, 0]
  // CHECK: tileas.mma_sync
  // CHECK-NOT: convert_layout
  // CHECK: return
  entry @product(%p: tile<ptr<f16>>, %q: tile<ptr<f32>>, %n: tile<i32>) {
    %a = assume div_by<16>, %p : tile<ptr<f16>>
    %t = make_tensor_view %a, shape = [%n, 64], strides = [64, 1] : tile<i32> -> !tensor
    %v = make_partition_view %t : !rows
    %w = make_partition_view %t : !transposed
    %u = make_tensor_view %q, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %o = make_partition_view %u : !result
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %zero = constant <f32: 0.0> : tile<64x64xf32>
    %f = for %k in (%z to %n, step %one) : tile<i32> iter_values(%acc = %zero) -> (tile<64x64xf32>) {
      %x, %r = load_view_tko weak %v[%k, %z] {tileas.plan = {engine = "cp_async", slots = 3 : i64, ahead = 2 : i64}} : !rows, tile<i32> -> tile<64x64xf16>, token
      %y, %s = load_view_tko weak %w[%z, %k] {tileas.plan = {engine = "cp_async", slots = 3 : i64, ahead = 2 : i64}} : !transposed, tile<i32> -> tile<64x64xf16>, token
      %c = mmaf %x, %y, %acc : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
      continue %c : tile<64x64xf32>
    }
    %d = store_view_tko weak %f, %o[%z, %z] : tile<64x64xf32>, !result, tile<i32> -> token
    return
  }

  // One tile that two products read, as it is and transposed, and a dimension dropped.
  // CHECK-LABEL: entry @shared
  // CHECK: for
  // CHECK: %[[A:.*]] = tileas.alloc_shared : !tileas.buffer<1x64x64xf16
  // CHECK-NEXT: tileas.copy_in %{{.*}} to %[[A]] engine = "cp_async"
  // CHECK-NOT: alloc_shared
  // CHECK: %[[B:.*]] = tileas.reinterpret %[[A]] : {{.*}} -> !tileas.buffer<64x64xf16
  // CHECK-NEXT: %[[C:.*]] = tileas.reinterpret %[[A]] : {{.*}} -> !tileas.buffer<64x64xf16
  // CHECK-NEXT: tileas.load_shared %[[B]]
  // CHECK-NEXT: tileas.load_shared %[[C]]
  // CHECK: return
  entry @shared(%p: tile<ptr<f16>>, %q: tile<ptr<f32>>, %n: tile<i32>) {
    %a = assume div_by<16>, %p : tile<ptr<f16>>
    %t = make_tensor_view %a, shape = [4, %n, 64], strides = [4096, 64, 1] : tile<i32> -> tensor_view<4x?x64xf16, strides=[4096,64,1]>
    %v = make_partition_view %t : !batch
    %u = make_tensor_view %q, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %o = make_partition_view %u : !result
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %zero = constant <f32: 0.0> : tile<64x64xf32>
    %f = for %k in (%z to %n, step %one) : tile<i32> iter_values(%acc = %zero) -> (tile<64x64xf32>) {
      %x, %r = load_view_tko weak %v[%k, %z, %z] {tileas.plan = {engine = "cp_async", slots = 2 : i64, ahead = 1 : i64}} : !batch, tile<i32> -> tile<1x64x64xf16>, token
      %y = reshape %x : tile<1x64x64xf16> -> tile<64x64xf16>
      %w = permute %y [1, 0] : tile<64x64xf16> -> tile<64x64xf16>
      %c = mmaf %y, %w, %acc : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
      continue %c : tile<64x64xf32>
    }
    %d = store_view_tko weak %f, %o[%z, %z] : tile<64x64xf32>, !result, tile<i32> -> token
    return
  }
}
