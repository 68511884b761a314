// Every buffer that a copy fills becomes a slot of a ring, filled and drained in place.

// RUN: cuda-tile-opt %s --pass-pipeline='builtin.module(cuda-tile-plan{gpu=sm_80},cuda-tile-place,cuda-tile-stage,cuda-tile-order,cuda-tile-ring)' | FileCheck %s

!tensor = !cuda_tile.tensor_view<?x64xf16, strides=[64,1]>
!rows = !cuda_tile.partition_view<tile=(64x64), padding_value = zero, !tensor>
!transposed = !cuda_tile.partition_view<tile=(64x64), padding_value = zero, !tensor, dim_map=[1, 0]>
!result = !cuda_tile.partition_view<tile=(64x64), !cuda_tile.tensor_view<64x64xf32, strides=[64,1]>>

cuda_tile.module @kernels {
  // Two operands of one product share a ring, whose iteration the loop carries.
  // CHECK-LABEL: entry @product
  // CHECK: %[[R:.*]] = tileas.ring fill = "cp_async" drain = "threads" sync = "groups" : !tileas.ring<3, {{.*}}, {{.*}}>
  // CHECK: for {{.*}} iter_values(%{{.*}} = %{{.*}}, %[[T:.*]] = %{{.*}}) -> 
  // CHECK-NEXT: %[[A:.*]]:2 = tileas.acquire %[[R]][%[[T]]]
  // CHECK-NEXT: tileas.copy_in %{{.*}} to %[[A]]#0
  // CHECK-NEXT: tileas.copy_in %{{.*}} to %[[A]]#1
  // CHECK-NEXT: tileas.publish %[[R]][%[[T]]]
  // CHECK: %[[B:.*]]:2 = tileas.take %[[R]][%[[T]]]
  // CHECK: tileas.load_shared %[[B]]#0
  // CHECK: tileas.load_shared %[[B]]#1
  // CHECK: tileas.release %[[R]][%[[T]]]
  // CHECK: %[[NEXT:.*]] = addi %[[T]], %{{.*}}
  // CHECK: continue %{{.*}}, %[[NEXT]]
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

  // A branch of the loop: copies do not run ahead, the ring is made in place.
  // CHECK-LABEL: entry @branch
  // CHECK-SAME: copied where it is used: in one role no copy under an 'if' runs ahead
  // CHECK: for
  // CHECK: if
  // CHECK: %[[R:.*]] = tileas.ring {{.*}} : !tileas.ring<1, {{.*}}, {{.*}}>
  // CHECK-NEXT: %{{.*}}:2 = tileas.acquire %[[R]]
  // CHECK: tileas.publish %[[R]]
  // CHECK: tileas.take %[[R]]
  // CHECK: tileas.release %[[R]]
  // CHECK: yield
  entry @branch(%p: tile<ptr<f16>>, %q: tile<ptr<f32>>, %n: tile<i32>, %b: tile<i1>) {
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
      %i = if %b -> (tile<64x64xf32>) {
        %x, %r = load_view_tko weak %v[%k, %z] {tileas.plan = {engine = "cp_async", slots = 3 : i64, ahead = 2 : i64}} : !rows, tile<i32> -> tile<64x64xf16>, token
        %y, %s = load_view_tko weak %w[%z, %k] {tileas.plan = {engine = "cp_async", slots = 3 : i64, ahead = 2 : i64}} : !transposed, tile<i32> -> tile<64x64xf16>, token
        %c = mmaf %x, %y, %acc : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
        yield %c : tile<64x64xf32>
      } else {
        yield %acc : tile<64x64xf32>
      }
      continue %i : tile<64x64xf32>
    }
    %d = store_view_tko weak %f, %o[%z, %z] : tile<64x64xf32>, !result, tile<i32> -> token
    return
  }

  // Operands that threads convert slice by slice feed one product all the same.
  // CHECK-LABEL: entry @converted
  // CHECK: tileas.ring {{.*}} : !tileas.ring<3, {{.*}}, {{.*}}>
  // CHECK-NOT: tileas.ring {{.*}}
  // CHECK: return
  entry @converted(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>, %n: tile<i32>) {
    %a = assume div_by<16>, %p : tile<ptr<f32>>
    %t = make_tensor_view %a, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x64xf32, strides=[64,1]>>
    %u = make_tensor_view %q, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %o = make_partition_view %u : !result
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %zero = constant <f32: 0.0> : tile<64x64xf32>
    %f = for %k in (%z to %n, step %one) : tile<i32> iter_values(%acc = %zero) -> (tile<64x64xf32>) {
      %x, %r = load_view_tko weak %v[%k, %z] {tileas.plan = {engine = "cp_async", slots = 3 : i64, ahead = 2 : i64}} : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<64x64xf32>, token
      %y, %s = load_view_tko weak %v[%z, %k] {tileas.plan = {engine = "cp_async", slots = 3 : i64, ahead = 2 : i64}} : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<64x64xf32>, token
      %i = ftof %x : tile<64x64xf32> -> tile<64x64xtf32>
      %j = ftof %y : tile<64x64xf32> -> tile<64x64xtf32>
      %c = mmaf %i, %j, %acc : tile<64x64xtf32>, tile<64x64xtf32>, tile<64x64xf32>
      continue %c : tile<64x64xf32>
    }
    %d = store_view_tko weak %f, %o[%z, %z] : tile<64x64xf32>, !result, tile<i32> -> token
    return
  }

  // An iteration that may end before its slot is released is copied where it is used, though
  // another role would load.
  // CHECK-LABEL: entry @ends
  // CHECK-SAME: copied where it is used: its iteration may end before that, so that no role of its own may copy
  // CHECK: for
  // CHECK: %[[R:.*]] = tileas.ring {{.*}} sync = "groups" : !tileas.ring<1, {{.*}}, {{.*}}>
  // CHECK: %[[B:.*]]:2 = tileas.take %[[R]][%[[T:.*]]]
  // CHECK: if
  // CHECK-NEXT: tileas.release %[[R]][%[[T]]]
  // CHECK-NEXT: continue
  // CHECK: tileas.release %[[R]][%[[T]]]
  // CHECK: continue
  entry @ends(%p: tile<ptr<f16>>, %q: tile<ptr<f32>>, %n: tile<i32>, %b: tile<i1>) attributes {tileas.plan = {num_warps = 4 : i64, warps_m = 2 : i64, warps_n = 2 : i64, roles = "load"}} {
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
      %x, %r = load_view_tko weak %v[%k, %z] : !rows, tile<i32> -> tile<64x64xf16>, token
      %y, %s = load_view_tko weak %w[%z, %k] : !transposed, tile<i32> -> tile<64x64xf16>, token
      if %b {
        continue %acc : tile<64x64xf32>
      }
      %c = mmaf %x, %y, %acc : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
      continue %c : tile<64x64xf32>
    }
    %d = store_view_tko weak %f, %o[%z, %z] : tile<64x64xf32>, !result, tile<i32> -> token
    return
  }
}
