// What threads compute an operand from is copied too: weights and scales to slots of one
// ring, read back in the layouts in which they are computed with. The index of the scales
// comes in front of the copies. For warpgroups the operand goes to slots of its own.

// RUN: cuda-tile-opt %s --pass-pipeline='builtin.module(cuda-tile-plan{gpu=sm_80},cuda-tile-place,cuda-tile-stage)' | FileCheck %s
// RUN: cuda-tile-opt %s --pass-pipeline='builtin.module(cuda-tile-plan{gpu=sm_90},cuda-tile-place,cuda-tile-stage)' | FileCheck %s --check-prefixes=CHECK,GROUP
// RUN: cuda-tile-opt %s --pass-pipeline='builtin.module(cuda-tile-plan{gpu=sm_90},cuda-tile-place,cuda-tile-stage,cuda-tile-order,cuda-tile-ring)' | FileCheck %s --check-prefix=RING

!a = !cuda_tile.tensor_view<?x64xf16, strides=[64,1]>
!at = !cuda_tile.partition_view<tile=(64x64), padding_value = zero, !a>
!w = !cuda_tile.tensor_view<?x64xi8, strides=[64,1]>
!wt = !cuda_tile.partition_view<tile=(64x64), padding_value = zero, !w>
!st = !cuda_tile.partition_view<tile=(1x64), padding_value = zero, !a>
!c = !cuda_tile.tensor_view<64x64xf32, strides=[64,1]>
!ct = !cuda_tile.partition_view<tile=(64x64), !c>

cuda_tile.module @kernels {
  // CHECK-LABEL: entry @scaled
  // CHECK: for
  // CHECK: tileas.copy_in
  // CHECK: %[[W:.*]] = tileas.alloc_shared : !tileas.buffer<64x64xi8
  // CHECK-NEXT: tileas.copy_in {{.*}} to %[[W]]
  // CHECK: %[[G:.*]] = divi
  // CHECK: %[[S:.*]] = tileas.alloc_shared : !tileas.buffer<1x64xf16
  // CHECK-NEXT: tileas.copy_in {{.*}}[%[[G]], {{.*}} to %[[S]]
  // CHECK: tileas.load_shared %[[W]]
  // CHECK-NEXT: itof
  // CHECK: tileas.load_shared %[[S]]
  // CHECK-NEXT: broadcast
  // CHECK-NEXT: %[[B:.*]] = mulf
  // CHECK-NEXT: tileas.alloc_shared
  // CHECK-NEXT: tileas.store_shared %[[B]]
  // GROUP-SAME: slots = 2
  // CHECK-NOT: load_view_tko
  // CHECK: return

  // RING-DAG: tileas.ring {{.*}}<{{[2-8]}}, !tileas.buffer<64x64xi8, {{[^>]*}}>, !tileas.buffer<1x64xf16, {{[^>]*}}>>
  // RING-DAG: tileas.ring fill = "threads" drain = "wgmma" {{.*}}<2, !tileas.buffer<64x64xf16
  entry @scaled(%pa: tile<ptr<f16>>, %pw: tile<ptr<i8>>, %ps: tile<ptr<f16>>, %pc: tile<ptr<f32>>, %n: tile<i32>) {
    %qa = assume div_by<16>, %pa : tile<ptr<f16>>
    %qw = assume div_by<16>, %pw : tile<ptr<i8>>
    %qs = assume div_by<16>, %ps : tile<ptr<f16>>
    %ta = make_tensor_view %qa, shape = [%n, 64], strides = [64, 1] : tile<i32> -> !a
    %va = make_partition_view %ta : !at
    %tw = make_tensor_view %qw, shape = [%n, 64], strides = [64, 1] : tile<i32> -> !w
    %vw = make_partition_view %tw : !wt
    %ts = make_tensor_view %qs, shape = [%n, 64], strides = [64, 1] : tile<i32> -> !a
    %vs = make_partition_view %ts : !st
    %tc = make_tensor_view %pc, shape = [64, 64], strides = [64, 1] : !c
    %vc = make_partition_view %tc : !ct
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %zero = constant <f32: 0.0> : tile<64x64xf32>
    %f = for %k in (%z to %n, step %one) : tile<i32> iter_values(%acc = %zero) -> (tile<64x64xf32>) {
      %x, %r0 = load_view_tko weak %va[%k, %z] : !at, tile<i32> -> tile<64x64xf16>, token
      %y, %r1 = load_view_tko weak %vw[%k, %z] : !wt, tile<i32> -> tile<64x64xi8>, token
      %y0 = itof %y signed : tile<64x64xi8> -> tile<64x64xf16>
      %g = divi %k, %two signed : tile<i32>
      %s, %r2 = load_view_tko weak %vs[%g, %z] : !st, tile<i32> -> tile<1x64xf16>, token
      %sb = broadcast %s : tile<1x64xf16> -> tile<64x64xf16>
      %b = mulf %y0, %sb : tile<64x64xf16>
      %d = mmaf %x, %b, %acc : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
      continue %d : tile<64x64xf32>
    }
    %t = store_view_tko weak %f, %vc[%z, %z] : tile<64x64xf32>, !ct, tile<i32> -> token
    return
  }
}
