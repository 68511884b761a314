// A product that runs an iteration behind has loads of its own, of what others read too.

// RUN: cuda-tile-opt %s --pass-pipeline='builtin.module(cuda-tile-simplify,cuda-tile-plan{gpu=sm_90},cuda-tile-load-duplication)' -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// A second run finds the work done.
// RUN: cuda-tile-opt %t.mlir --cuda-tile-load-duplication | FileCheck %s

cuda_tile.module @kernels {
  // One product reads the keys in their iteration, the other one an iteration later: each
  // has a load of its own, with one plan.
  // CHECK-LABEL: entry @keys
  // CHECK: {{= for }}
  // CHECK: %[[FIRST:[^,]*]], %{{.*}} = load_view_tko {{.*}}tileas.plan = {ahead = [[N:[0-9]+]] : i64, engine = "tma", slots = [[S:[0-9]+]]
  // CHECK: %[[AGAIN:[^,]*]], %{{.*}} = load_view_tko {{.*}}tileas.plan = {ahead = [[N]] : i64, engine = "tma", slots = [[S]]
  // CHECK-NOT: load_view_tko
  // CHECK: permute %[[FIRST]]
  // CHECK: mmaf {{.*}}, %[[AGAIN]], {{.*}}stage = 1
  entry @keys(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %c: tile<ptr<f32>>, %n: tile<i32>, %size: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %rows = constant <i32: 64> : tile<i32>
    %none = constant <f32: 0.0> : tile<64x16xf32>
    %zeros = constant <f32: 0.0> : tile<64x32xf32>
    %a16 = assume div_by<16>, %a : tile<ptr<f16>>
    %b16 = assume div_by<16>, %b : tile<ptr<f16>>
    %qt = make_tensor_view %a16, shape = [%rows, 32], strides = [32, 1] : tile<i32> -> tensor_view<?x32xf16, strides=[32, 1]>
    %qv = make_partition_view %qt : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x32xf16, strides=[32, 1]>>
    %length = assume bounded<0, 65536>, %size : tile<i32>
    %kt = make_tensor_view %b16, shape = [%length, 32], strides = [32, 1] : tile<i32> -> tensor_view<?x32xf16, strides=[32, 1]>
    %kv = make_partition_view %kt : partition_view<tile=(16x32), padding_value = zero, tensor_view<?x32xf16, strides=[32, 1]>>
    %q, %read = load_view_tko weak %qv[%zero, %zero] : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x32xf16, strides=[32, 1]>>, tile<i32> -> tile<64x32xf16>, token
    %before = make_token : token
    %sum = for %j in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %zeros) -> (tile<64x32xf32>) {
      %k, %got = load_view_tko weak %kv[%j, %zero] token = %before : partition_view<tile=(16x32), padding_value = zero, tensor_view<?x32xf16, strides=[32, 1]>>, tile<i32> -> tile<16x32xf16>, token
      %transposed = permute %k [1, 0] : tile<16x32xf16> -> tile<32x16xf16>
      %s = mmaf %q, %transposed, %none : tile<64x32xf16>, tile<32x16xf16>, tile<64x16xf32>
      %p = ftof %s : tile<64x16xf32> -> tile<64x16xf16>
      %next = mmaf %p, %k, %acc : tile<64x16xf16>, tile<16x32xf16>, tile<64x32xf32>
      continue %next : tile<64x32xf32>
    }
    %ct = make_tensor_view %c, shape = [64, 32], strides = [32, 1] : tensor_view<64x32xf32, strides=[32, 1]>
    %cv = make_partition_view %ct : partition_view<tile=(64x32), tensor_view<64x32xf32, strides=[32, 1]>>
    %stored = store_view_tko weak %sum, %cv[%zero, %zero] : tile<64x32xf32>, partition_view<tile=(64x32), tensor_view<64x32xf32, strides=[32, 1]>>, tile<i32> -> token
    return
  }

  // A plan by hand asks for it, but the load is not weak: a remark says so.
  // CHECK-LABEL: entry @in_order
  // CHECK-SAME: wanted a load of its own for a product with stage = 1
  // CHECK: {{= for }}
  // CHECK-COUNT-1: load_view_tko relaxed
  // CHECK-NOT: load_view_tko
  entry @in_order(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %c: tile<ptr<f32>>, %n: tile<i32>, %size: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %rows = constant <i32: 64> : tile<i32>
    %none = constant <f32: 0.0> : tile<64x16xf32>
    %zeros = constant <f32: 0.0> : tile<64x32xf32>
    %a16 = assume div_by<16>, %a : tile<ptr<f16>>
    %b16 = assume div_by<16>, %b : tile<ptr<f16>>
    %qt = make_tensor_view %a16, shape = [%rows, 32], strides = [32, 1] : tile<i32> -> tensor_view<?x32xf16, strides=[32, 1]>
    %qv = make_partition_view %qt : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x32xf16, strides=[32, 1]>>
    %length = assume bounded<0, 65536>, %size : tile<i32>
    %kt = make_tensor_view %b16, shape = [%length, 32], strides = [32, 1] : tile<i32> -> tensor_view<?x32xf16, strides=[32, 1]>
    %kv = make_partition_view %kt : partition_view<tile=(16x32), padding_value = zero, tensor_view<?x32xf16, strides=[32, 1]>>
    %q, %read = load_view_tko weak %qv[%zero, %zero] : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x32xf16, strides=[32, 1]>>, tile<i32> -> tile<64x32xf16>, token
    %before = make_token : token
    %sum = for %j in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %zeros) -> (tile<64x32xf32>) {
      %k, %got = load_view_tko relaxed device %kv[%j, %zero] token = %before : partition_view<tile=(16x32), padding_value = zero, tensor_view<?x32xf16, strides=[32, 1]>>, tile<i32> -> tile<16x32xf16>, token
      %transposed = permute %k [1, 0] : tile<16x32xf16> -> tile<32x16xf16>
      %s = mmaf %q, %transposed, %none : tile<64x32xf16>, tile<32x16xf16>, tile<64x16xf32>
      %p = ftof %s : tile<64x16xf32> -> tile<64x16xf16>
      %next = mmaf %p, %k, %acc {tileas.plan = {atom = "m64n32k16", stage = 1 : i64}} : tile<64x16xf16>, tile<16x32xf16>, tile<64x32xf32>
      continue %next : tile<64x32xf32>
    }
    %ct = make_tensor_view %c, shape = [64, 32], strides = [32, 1] : tensor_view<64x32xf32, strides=[32, 1]>
    %cv = make_partition_view %ct : partition_view<tile=(64x32), tensor_view<64x32xf32, strides=[32, 1]>>
    %stored = store_view_tko weak %sum, %cv[%zero, %zero] : tile<64x32xf32>, partition_view<tile=(64x32), tensor_view<64x32xf32, strides=[32, 1]>>, tile<i32> -> token
    return
  }
}
