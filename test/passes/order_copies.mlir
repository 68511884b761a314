// Copies behind an acquire wait for a barrier in front of their loop, bulk copies for one
// that fences the proxies.

// RUN: cuda-tile-opt %s --pass-pipeline='builtin.module(cuda-tile-plan{gpu=sm_80},cuda-tile-place,cuda-tile-stage,cuda-tile-order)' -o %t.80.mlir
// RUN: FileCheck %s < %t.80.mlir
// RUN: cuda-tile-opt %s --pass-pipeline='builtin.module(cuda-tile-plan{gpu=sm_90},cuda-tile-place,cuda-tile-stage,cuda-tile-order)' -o %t.90.mlir
// RUN: FileCheck --check-prefix=BULK %s < %t.90.mlir
// A second run adds nothing.
// RUN: cuda-tile-opt %t.80.mlir --cuda-tile-order | diff %t.80.mlir -
// RUN: cuda-tile-opt %t.90.mlir --cuda-tile-order | diff %t.90.mlir -

// CHECK: %{{.*}}, %[[SEEN:.*]] = load_ptr_tko acquire
// CHECK: tileas.barrier{{ *$}}
// CHECK-NEXT: for
// CHECK: tileas.copy_in {{.*}} token = %[[SEEN]] {{.*}}"cp_async"
// CHECK-NOT: tileas.barrier
// CHECK: continue
// BULK-NOT: roles =
// BULK: %{{.*}}, %[[SEEN:.*]] = load_ptr_tko acquire
// BULK: tileas.barrier async{{ *$}}
// BULK-NEXT: for
// BULK: tileas.copy_in {{.*}} token = %[[SEEN]] {{.*}}"tma"
// BULK-NOT: tileas.barrier
// BULK: continue

cuda_tile.module @m {
  entry @k(%a: tile<ptr<f16>>, %c: tile<ptr<f32>>, %flags: tile<ptr<i32>>, %n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %zeros = constant <f32: 0.0> : tile<64x16xf32>
    %ones = constant <f16: 1.0> : tile<32x16xf16>
    %aligned = assume div_by<16>, %a : tile<ptr<f16>>
    %at = make_tensor_view %aligned, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf16, strides=[64, 1]>
    %av = make_partition_view %at : partition_view<tile=(64x32), padding_value = zero, tensor_view<64x64xf16, strides=[64, 1]>>
    %flag, %before = load_ptr_tko acquire device %flags : tile<ptr<i32>> -> tile<i32>, token
    %sum = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %zeros) -> (tile<64x16xf32>) {
      %row = addi %zero, %zero : tile<i32>
      %x, %got = load_view_tko weak %av[%row, %k] token = %before : partition_view<tile=(64x32), padding_value = zero, tensor_view<64x64xf16, strides=[64, 1]>>, tile<i32> -> tile<64x32xf16>, token
      %next = mmaf %x, %ones, %acc : tile<64x32xf16>, tile<32x16xf16>, tile<64x16xf32>
      continue %next : tile<64x16xf32>
    }
    %ct = make_tensor_view %c, shape = [64, 16], strides = [16, 1] : tensor_view<64x16xf32, strides=[16, 1]>
    %cv = make_partition_view %ct : partition_view<tile=(64x16), tensor_view<64x16xf32, strides=[16, 1]>>
    %stored = store_view_tko weak %sum, %cv[%zero, %zero] : tile<64x16xf32>, partition_view<tile=(64x16), tensor_view<64x16xf32, strides=[16, 1]>>, tile<i32> -> token
    return
  }
}
