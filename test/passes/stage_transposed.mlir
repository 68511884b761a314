// Bytes that lie along N, which no instruction of warpgroups reads so from shared memory,
// are the left operand of the transpose, from registers; those along M are the left
// operand as they are. Both come from the slot that a copy fills.

// RUN: cuda-tile-opt %s --pass-pipeline='builtin.module(cuda-tile-plan{gpu=sm_90},cuda-tile-place,cuda-tile-stage)' | FileCheck %s

!t = !cuda_tile.tensor_view<?x64xf8E4M3FN, strides=[64,1]>
!rows = !cuda_tile.partition_view<tile=(64x64), padding_value = zero, !t>
!transposed = !cuda_tile.partition_view<tile=(64x64), padding_value = zero, !t, dim_map=[1, 0]>
!result = !cuda_tile.partition_view<tile=(64x64), !cuda_tile.tensor_view<64x64xf32, strides=[64,1]>>

cuda_tile.module @kernels {
  // CHECK-LABEL: entry @along_n
  // CHECK: for
  // CHECK: %[[A:.*]] = tileas.alloc_shared
  // CHECK: %[[B:.*]] = tileas.alloc_shared
  // CHECK: %[[AT:.*]] = tileas.reinterpret %[[A]]
  // CHECK: %[[T:.*]] = tileas.reinterpret %[[B]]
  // CHECK: %[[BT:.*]] = tileas.load_shared %[[T]]
  // CHECK: %[[C:.*]] = permute %{{.*}} [1, 0]
  // CHECK-NEXT: %[[P:.*]] = tileas.settled %[[C]]
  // CHECK-NEXT: %[[Q:.*]] = tileas.wgmma %[[BT]], %[[AT]], %[[P]] atom = "m64n64k32" {{.*}}swap = 1
  // CHECK-NEXT: %[[D:.*]] = tileas.await %[[Q]]
  // CHECK-NEXT: permute %[[D]] [1, 0]
  // CHECK: return
  entry @along_n(%p: tile<ptr<f8E4M3FN>>, %q: tile<ptr<f32>>, %n: tile<i32>) {
    %a = assume div_by<16>, %p : tile<ptr<f8E4M3FN>>
    %t = make_tensor_view %a, shape = [%n, 64], strides = [64, 1] : tile<i32> -> !t
    %v = make_partition_view %t : !rows
    %u = make_tensor_view %q, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %o = make_partition_view %u : !result
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %zero = constant <f32: 0.0> : tile<64x64xf32>
    %f = for %k in (%z to %n, step %one) : tile<i32> iter_values(%acc = %zero) -> (tile<64x64xf32>) {
      %x, %r = load_view_tko weak %v[%k, %z] : !rows, tile<i32> -> tile<64x64xf8E4M3FN>, token
      %y, %s = load_view_tko weak %v[%k, %z] : !rows, tile<i32> -> tile<64x64xf8E4M3FN>, token
      %c = mmaf %x, %y, %acc : tile<64x64xf8E4M3FN>, tile<64x64xf8E4M3FN>, tile<64x64xf32>
      continue %c : tile<64x64xf32>
    }
    %d = store_view_tko weak %f, %o[%z, %z] : tile<64x64xf32>, !result, tile<i32> -> token
    return
  }


  // CHECK-LABEL: entry @along_m
  // CHECK: for
  // CHECK: %[[A:.*]] = tileas.load_shared
  // CHECK-NOT: permute
  // CHECK: tileas.wgmma %[[A]], %{{.*}} atom = "m64n64k32" {{.*}}lhs = "register"
  // CHECK-NOT: permute
  // CHECK: return
  entry @along_m(%p: tile<ptr<f8E4M3FN>>, %q: tile<ptr<f32>>, %n: tile<i32>) {
    %a = assume div_by<16>, %p : tile<ptr<f8E4M3FN>>
    %t = make_tensor_view %a, shape = [%n, 64], strides = [64, 1] : tile<i32> -> !t
    %v = make_partition_view %t : !transposed
    %b = make_partition_view %t : !rows
    %u = make_tensor_view %q, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %o = make_partition_view %u : !result
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %zero = constant <f32: 0.0> : tile<64x64xf32>
    %f = for %k in (%z to %n, step %one) : tile<i32> iter_values(%acc = %zero) -> (tile<64x64xf32>) {
      %x, %r = load_view_tko weak %v[%z, %k] : !transposed, tile<i32> -> tile<64x64xf8E4M3FN>, token
      %y, %s = load_view_tko weak %b[%k, %z] : !rows, tile<i32> -> tile<64x64xf8E4M3FN>, token
      %w = permute %y [1, 0] : tile<64x64xf8E4M3FN> -> tile<64x64xf8E4M3FN>
      %c = mmaf %x, %w, %acc : tile<64x64xf8E4M3FN>, tile<64x64xf8E4M3FN>, tile<64x64xf32>
      continue %c : tile<64x64xf32>
    }
    %d = store_view_tko weak %f, %o[%z, %z] : tile<64x64xf32>, !result, tile<i32> -> token
    return
  }
}
