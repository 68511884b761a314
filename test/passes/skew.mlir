// Copies start iterations ahead of the iteration that takes them: before the loop, and in it under
// a guard. Acquire and publish always run where the ring waits by groups.

// RUN: cuda-tile-opt %s --pass-pipeline='builtin.module(cuda-tile-plan{gpu=sm_80},cuda-tile-place,cuda-tile-stage,cuda-tile-order,cuda-tile-ring,cuda-tile-roles,cuda-tile-skew,cuda-tile-count)' | FileCheck %s

!tensor = !cuda_tile.tensor_view<?x64xf16, strides=[64,1]>
!rows = !cuda_tile.partition_view<tile=(64x64), padding_value = zero, !tensor>
!transposed = !cuda_tile.partition_view<tile=(64x64), padding_value = zero, !tensor, dim_map=[1, 0]>
!result = !cuda_tile.partition_view<tile=(64x64), !cuda_tile.tensor_view<64x64xf32, strides=[64,1]>>

cuda_tile.module @kernels {
  // CHECK-LABEL: entry @product
  // CHECK: %[[R:.*]] = tileas.ring
  // CHECK: %[[SOME:.*]] = cmpi less_than %[[Z:.*]], %[[N:.*]], signed
  // CHECK: %[[A0:.*]]:2 = tileas.acquire %[[R]]
  // CHECK-NEXT: if %[[SOME]] {
  // CHECK-NEXT: copy_in %{{.*}}[%{{.*}}, %{{.*}}] to %[[A0]]#0
  // CHECK-NEXT: copy_in %{{.*}}[%{{.*}}, %{{.*}}] to %[[A0]]#1
  // CHECK-NEXT: {{^ *}}}
  // CHECK-NEXT: tileas.publish %[[R]]
  // CHECK: tileas.acquire %[[R]]
  // CHECK: if
  // CHECK: tileas.publish %[[R]]
  // CHECK: %[[NEARER:.*]] = addi %[[N]], %{{.*}} : tile<i32>
  // CHECK: %[[BOUND:.*]] = select %{{.*}}, %[[NEARER]], %[[Z]]
  // CHECK: for %[[K:.*]] in ({{.*}}) : tile<i32> iter_values(%{{.*}} = %{{.*}}, %[[T:.*]] = %{{.*}})
  // CHECK: %[[COMES:.*]] = cmpi less_than %[[K]], %[[BOUND]], signed
  // CHECK: %[[B:.*]]:2 = tileas.take %[[R]][%[[T]]] groups = 1
  // CHECK: %[[LATER:.*]] = addi %[[K]]
  // CHECK: %[[ITERATION:.*]] = addi %[[T]]
  // CHECK: %[[A:.*]]:2 = tileas.acquire %[[R]][%[[ITERATION]]]
  // CHECK: if %[[COMES]] {
  // CHECK-NEXT: copy_in %{{.*}}[%[[LATER]], %{{.*}}] to %[[A]]#0
  // CHECK-NEXT: copy_in %{{.*}}[%{{.*}}, %[[LATER]]] to %[[A]]#1
  // CHECK-NEXT: {{^ *}}}
  // CHECK-NEXT: tileas.publish %[[R]][%[[ITERATION]]]
  // CHECK-NEXT: tileas.load_shared %[[B]]#0
  // CHECK: tileas.release %[[R]][%[[T]]]
  // CHECK: continue
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

  // Addresses that the loop carries are carried for the copies too, two iterations ahead, and
  // no longer for the present iteration.
  // CHECK-LABEL: entry @gather
  // CHECK: %[[R:.*]] = tileas.ring
  // CHECK: if %{{.*}} -> (tile<64x64xptr<f16>
  // CHECK-NEXT: tileas.gather_in
  // CHECK-NEXT: %[[NEXT:.*]] = offset
  // CHECK-NEXT: yield %[[NEXT]]
  // CHECK: for {{.*}} iter_values(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %[[P:.*]] = %{{[^,]*}})
  // CHECK: tileas.take
  // CHECK: %[[AHEAD:.*]] = if
  // CHECK-NEXT: tileas.gather_in %[[P]]
  // CHECK-NEXT: %[[NEXT:.*]] = offset %[[P]]
  // CHECK-NEXT: yield %[[NEXT]]
  // CHECK: yield %[[P]]
  // CHECK: continue %{{.*}}, %{{.*}}, %[[AHEAD]]
  entry @gather(%p: tile<ptr<f16>>, %q: tile<ptr<f32>>, %n: tile<i32>) {
    %a = assume div_by<16>, %p : tile<ptr<f16>>
    %u = make_tensor_view %q, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %o = make_partition_view %u : !result
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %zero = constant <f32: 0.0> : tile<64x64xf32>
    %i = iota : tile<64xi32>
    %c64 = constant <i32: 64> : tile<64x64xi32>
    %ir = reshape %i : tile<64xi32> -> tile<64x1xi32>
    %ic = reshape %i : tile<64xi32> -> tile<1x64xi32>
    %br = broadcast %ir : tile<64x1xi32> -> tile<64x64xi32>
    %bc = broadcast %ic : tile<1x64xi32> -> tile<64x64xi32>
    %m = muli %br, %c64 : tile<64x64xi32>
    %s = addi %m, %bc : tile<64x64xi32>
    %pr = reshape %a : tile<ptr<f16>> -> tile<1x1xptr<f16>>
    %pb = broadcast %pr : tile<1x1xptr<f16>> -> tile<64x64xptr<f16>>
    %p0 = offset %pb, %s : tile<64x64xptr<f16>>, tile<64x64xi32> -> tile<64x64xptr<f16>>
    %f:2 = for %k in (%z to %n, step %one) : tile<i32> iter_values(%acc = %zero, %ptr = %p0) -> (tile<64x64xf32>, tile<64x64xptr<f16>>) {
      %x, %r = load_ptr_tko weak %ptr {tileas.plan = {engine = "cp_async", slots = 3 : i64, ahead = 2 : i64}} : tile<64x64xptr<f16>> -> tile<64x64xf16>, token
      %y = permute %x [1, 0] : tile<64x64xf16> -> tile<64x64xf16>
      %c = mmaf %x, %y, %acc : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
      %next = offset %ptr, %c64 : tile<64x64xptr<f16>>, tile<64x64xi32> -> tile<64x64xptr<f16>>
      continue %c, %next : tile<64x64xf32>, tile<64x64xptr<f16>>
    }
    %d = store_view_tko weak %f#0, %o[%z, %z] : tile<64x64xf32>, !result, tile<i32> -> token
    return
  }
}
