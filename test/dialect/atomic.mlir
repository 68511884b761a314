// RUN: cuda-tile-opt %s | cuda-tile-opt | FileCheck %s

cuda_tile.module @atomic {
  // CHECK-LABEL: entry @pointers
  entry @pointers(%p: tile<ptr<f32>>, %a: tile<f32>) {
    %m = constant <i1: true> : tile<i1>
    %t = make_token : token
    // CHECK: %result, %result_token = atomic_rmw_tko relaxed device %arg0, addf, %arg1 : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
    %0, %t0 = atomic_rmw_tko relaxed device %p, addf, %a : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
    // CHECK: atomic_rmw_tko acq_rel sys %arg0, xchg, %result, %true token=%result_token : tile<ptr<f32>>, tile<f32>, tile<i1> -> tile<f32>, token
    %1, %t1 = atomic_rmw_tko acq_rel sys %p, xchg, %0, %m token=%t0 : tile<ptr<f32>>, tile<f32>, tile<i1> -> tile<f32>, token
    // CHECK: atomic_cas_tko acquire tl_blk %arg0, %arg1, %result token=%0 : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
    %2, %t2 = atomic_cas_tko acquire tl_blk %p, %a, %0 token=%t : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
    // CHECK: atomic_cas_tko release device %arg0, %arg1, %arg1, %true : tile<ptr<f32>>, tile<f32>, tile<i1> -> tile<f32>, token
    %3, %t3 = atomic_cas_tko release device %p, %a, %a, %m : tile<ptr<f32>>, tile<f32>, tile<i1> -> tile<f32>, token
    return
  }

  // Which element types a mode takes.
  // CHECK-LABEL: entry @modes
  entry @modes(%h: tile<ptr<bf16>>, %q: tile<ptr<i64>>) {
    %a = constant <bf16: 1.0> : tile<bf16>
    %b = constant <i64: 1> : tile<i64>
    // CHECK: addf, %cst_1_bf16
    %0, %t0 = atomic_rmw_tko relaxed device %h, addf, %a : tile<ptr<bf16>>, tile<bf16> -> tile<bf16>, token
    // CHECK: and, %cst_1_i64
    %1, %t1 = atomic_rmw_tko relaxed device %q, and, %b : tile<ptr<i64>>, tile<i64> -> tile<i64>, token
    // CHECK: umin, %cst_1_i64
    %2, %t2 = atomic_rmw_tko relaxed device %q, umin, %b : tile<ptr<i64>>, tile<i64> -> tile<i64>, token
    // CHECK: xchg, %cst_1_i64
    %3, %t3 = atomic_rmw_tko relaxed device %q, xchg, %b : tile<ptr<i64>>, tile<i64> -> tile<i64>, token
    return
  }

  // CHECK-LABEL: entry @views
  entry @views(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %v = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %w = make_partition_view %v : partition_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>>
    %s = make_strided_view %v : strided_view<tile=(8x8), traversal_strides=[4,8], tensor_view<64x64xf32, strides=[64,1]>>
    %x = constant <f32: 1.0> : tile<8x8xf32>
    // CHECK: %0 = atomic_red_view_tko relaxed device %pview[%arg1, %arg1], addf, %cst_1_f32 : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    %t0 = atomic_red_view_tko relaxed device %w[%i, %i], addf, %x : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32>, tile<i32> -> token
    // CHECK: atomic_red_view_tko relaxed tl_blk %sview[%arg1, %arg1], addf, %cst_1_f32 token = %0 inbounds = [true, false] {tileas.facts = "hot"} : tile<8x8xf32>, strided_view<
    %t1 = atomic_red_view_tko relaxed tl_blk %s[%i, %i], addf, %x token = %t0 inbounds = [true, false] {tileas.facts = "hot"} : tile<8x8xf32>, strided_view<tile=(8x8), traversal_strides=[4,8], tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
}
