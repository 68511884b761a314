// Both products of an iteration of the loop start before either is awaited: the one that is made
// of the other's result is that of the iteration before.

// RUN: cuda-tile-opt %s --pass-pipeline='builtin.module(cuda-tile-plan{gpu=sm_90},cuda-tile-place,cuda-tile-stage,cuda-tile-order,cuda-tile-ring,cuda-tile-roles,cuda-tile-skew,cuda-tile-issue)' -o %t.issued
// RUN: FileCheck %s < %t.issued
// RUN: cuda-tile-opt %s --pass-pipeline='builtin.module(cuda-tile-plan{gpu=sm_90},cuda-tile-place,cuda-tile-stage,cuda-tile-order,cuda-tile-ring,cuda-tile-roles)' -o %t.serial
// RUN: cuda-tile-run %t.serial --grid 1 --seed 1 randn:f16[64,32] randn:f16[80,32] randn:f16[80,32] 5 out:%t.serial.npy:zeros:f32[64,32]
// RUN: cuda-tile-run %t.issued --grid 1 --seed 1 randn:f16[64,32] randn:f16[80,32] randn:f16[80,32] 5 out:%t.issued.npy:zeros:f32[64,32]
// RUN: cmp %t.serial.npy %t.issued.npy

// CHECK: role "work"
// CHECK: %[[SOME:.*]] = cmpi less_than
// CHECK: if %[[SOME]]
// CHECK: tileas.take %[[K:.*]][
// CHECK: tileas.wgmma
// CHECK: for
// CHECK: tileas.take %[[K]][
// CHECK: %[[P:.*]] = tileas.wgmma
// CHECK: tileas.take %[[V:.*]][
// CHECK: tileas.wgmma {{.*}}stage = 1
// CHECK: tileas.await %[[P]]
// CHECK-NEXT: tileas.release %[[K]][
// CHECK: continue
// CHECK: tileas.take %[[V]][
// CHECK: tileas.wgmma {{.*}}stage = 1
// CHECK: role "load"

cuda_tile.module @m {
  entry @k(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %c: tile<ptr<f16>>,
           %n: tile<i32>, %o: tile<ptr<f32>>) {
    %a1 = assume div_by<16>, %a : tile<ptr<f16>>
    %b1 = assume div_by<16>, %b : tile<ptr<f16>>
    %c1 = assume div_by<16>, %c : tile<ptr<f16>>
    %o1 = assume div_by<16>, %o : tile<ptr<f32>>
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %keys = constant <i32: 16> : tile<i32>
    %rows = constant <i32: 64> : tile<i32>
    %length1 = assume bounded<0, 65536>, %n : tile<i32>
    %length = muli %length1, %keys : tile<i32>
    %qt = make_tensor_view %a1, shape = [%rows, 32], strides = [32, 1]
      : tile<i32> -> tensor_view<?x32xf16, strides=[32,1]>
    %kt = make_tensor_view %b1, shape = [%length, 32], strides = [32, 1]
      : tile<i32> -> tensor_view<?x32xf16, strides=[32,1]>
    %vt = make_tensor_view %c1, shape = [%length, 32], strides = [32, 1]
      : tile<i32> -> tensor_view<?x32xf16, strides=[32,1]>
    %ot = make_tensor_view %o1, shape = [64, 32], strides = [32, 1] : tensor_view<64x32xf32, strides=[32,1]>
    %qv = make_partition_view %qt : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x32xf16, strides=[32,1]>>
    %kv = make_partition_view %kt : partition_view<tile=(32x16), padding_value = zero, tensor_view<?x32xf16, strides=[32,1]>, dim_map=[1, 0]>
    %vv = make_partition_view %vt : partition_view<tile=(16x32), padding_value = zero, tensor_view<?x32xf16, strides=[32,1]>>
    %ov = make_partition_view %ot : partition_view<tile=(64x32), tensor_view<64x32xf32, strides=[32,1]>>
    %none = constant <f32: 0.0> : tile<64x16xf32>
    %acc0 = constant <f32: 0.0> : tile<64x32xf32>
    %half = constant <f32: 0.5> : tile<64x32xf32>
    %q, %qw = load_view_tko weak %qv[%z, %z]
      : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x32xf16, strides=[32,1]>>, tile<i32> -> tile<64x32xf16>, token
    %f:1 = for %j in (%z to %length1, step %one) : tile<i32>
        iter_values(%acc = %acc0) -> (tile<64x32xf32>) {
      %k, %kw = load_view_tko weak %kv[%z, %j]
        : partition_view<tile=(32x16), padding_value = zero, tensor_view<?x32xf16, strides=[32,1]>, dim_map=[1, 0]>, tile<i32> -> tile<32x16xf16>, token
      %v, %vw = load_view_tko weak %vv[%j, %z]
        : partition_view<tile=(16x32), padding_value = zero, tensor_view<?x32xf16, strides=[32,1]>>, tile<i32> -> tile<16x32xf16>, token
      %s = mmaf %q, %k, %none : tile<64x32xf16>, tile<32x16xf16>, tile<64x16xf32>
      %dh = ftof %s : tile<64x16xf32> -> tile<64x16xf16>
      %d = mmaf %dh, %v, %acc
        : tile<64x16xf16>, tile<16x32xf16>, tile<64x32xf32>
      continue %d : tile<64x32xf32>
    }
    %w = store_view_tko weak %f#0, %ov[%z, %z] : tile<64x32xf32>, partition_view<tile=(64x32), tensor_view<64x32xf32, strides=[32,1]>>, tile<i32> -> token
    return
  }
}
