// Products of warpgroups read shared memory themselves: one op starts all of K, and an
// await follows it. Both majors of 16-bit operands have a descriptor.

// RUN: cuda-tile-opt %s --pass-pipeline='builtin.module(cuda-tile-plan{gpu=sm_90},cuda-tile-place,cuda-tile-stage)' | FileCheck %s
// RUN: cuda-tile-opt %s --pass-pipeline='builtin.module(cuda-tile-plan{gpu=sm_120},cuda-tile-place,cuda-tile-stage)' | FileCheck %s --check-prefix=WARP

!tensor = !cuda_tile.tensor_view<?x64xf16, strides=[64,1]>
!rows = !cuda_tile.partition_view<tile=(64x64), padding_value = zero, !tensor>
!transposed = !cuda_tile.partition_view<tile=(64x64), padding_value = zero, !tensor, dim_map=[1, 0]>
!batch = !cuda_tile.partition_view<tile=(1x64x64), padding_value = zero, !cuda_tile.tensor_view<4x?x64xf16, strides=[4096,64,1]>>
!result = !cuda_tile.partition_view<tile=(64x64), !cuda_tile.tensor_view<64x64xf32, strides=[64,1]>>

cuda_tile.module @kernels {
  // CHECK-LABEL: entry @product
  // CHECK-SAME: min_ctas = 3 : i64, num_warps = 4 : i64, registers = 120 : i64, roles = "load", warps_m = 4 : i64, warps_n = 1 : i64
  // CHECK: for
  // CHECK-NOT: load_view_tko
  // CHECK: %[[A:.*]] = tileas.alloc_shared
  // CHECK: %[[B:.*]] = tileas.alloc_shared
  // CHECK-NOT: store_shared
  // CHECK: %[[P:.*]] = tileas.settled
  // CHECK-NEXT: %[[Q:.*]] = tileas.wgmma %[[A]], %[[B]], %[[P]] atom = "m64n64k16"
  // CHECK-NEXT: tileas.await %[[Q]]
  // CHECK: return
  // WARP-LABEL: entry @product
  // WARP: tileas.mma_sync
  // WARP: return
  entry @product(%p: tile<ptr<f16>>, %q: tile<ptr<f32>>, %n: tile<i32>) {
    %a = assume div_by<16>, %p : tile<ptr<f16>>
    %natural = assume bounded<0, ?>, %n : tile<i32>
    %t = make_tensor_view %a, shape = [%natural, 64], strides = [64, 1] : tile<i32> -> !tensor
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
      %c = mmaf %x, %y, %acc : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
      continue %c : tile<64x64xf32>
    }
    %d = store_view_tko weak %f, %o[%z, %z] : tile<64x64xf32>, !result, tile<i32> -> token
    return
  }


  // An operand that is computed is stored; one that another product makes stays in
  // its threads, whose accumulators are the fragments of a left operand.
  // CHECK-LABEL: entry @chained
  // CHECK: for
  // CHECK: %[[C:.*]] = negf
  // CHECK: %[[B:.*]] = tileas.alloc_shared
  // CHECK-NEXT: tileas.store_shared %[[C]], %[[B]]
  // CHECK: tileas.wgmma %{{.*}}, %[[B]], %{{.*}} atom = "m64n64k16"
  // CHECK: %[[T:.*]] = tileas.await
  // CHECK-NEXT: %[[H:.*]] = ftof %[[T]]
  // CHECK-NOT: convert_layout
  // CHECK: tileas.wgmma %[[H]], %{{.*}} atom = "m64n64k16" {{.*}}lhs = "register"
  // CHECK: return
  entry @chained(%p: tile<ptr<f16>>, %q: tile<ptr<f32>>, %n: tile<i32>) {
    %a = assume div_by<16>, %p : tile<ptr<f16>>
    %natural = assume bounded<0, ?>, %n : tile<i32>
    %t = make_tensor_view %a, shape = [%natural, 64], strides = [64, 1] : tile<i32> -> !tensor
    %v = make_partition_view %t : !rows
    %u = make_tensor_view %q, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %o = make_partition_view %u : !result
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %zero = constant <f32: 0.0> : tile<64x64xf32>
    %f = for %k in (%z to %n, step %one) : tile<i32> iter_values(%acc = %zero) -> (tile<64x64xf32>) {
      %x, %r = load_view_tko weak %v[%k, %z] : !rows, tile<i32> -> tile<64x64xf16>, token
      %y, %s = load_view_tko weak %v[%z, %z] : !rows, tile<i32> -> tile<64x64xf16>, token
      %c = negf %y : tile<64x64xf16>
      %d = mmaf %x, %c, %zero : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
      %h = ftof %d : tile<64x64xf32> -> tile<64x64xf16>
      %g = mmaf %h, %x, %acc : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
      continue %g : tile<64x64xf32>
    }
    %e = store_view_tko weak %f, %o[%z, %z] : tile<64x64xf32>, !result, tile<i32> -> token
    return
  }
}
