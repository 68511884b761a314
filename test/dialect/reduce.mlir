// RUN: cuda-tile-opt %s | cuda-tile-opt | FileCheck %s

cuda_tile.module @reduce {
  // CHECK-LABEL: entry @reduce_one
  entry @reduce_one() {
    %a = constant <f32: 1.0> : tile<4x8xf32>
    // CHECK:      %reduce = reduce %cst_1_f32 dim=1 identities=[0xFF800000 : f32] : tile<4x8xf32> -> tile<4xf32>
    // CHECK-NEXT: (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    // CHECK-NEXT:   maxf %reduce_lhs, %reduce_rhs : tile<f32>
    // CHECK-NEXT:   yield
    %r = reduce %a dim=1 identities=[0xFF800000 : f32] : tile<4x8xf32> -> tile<4xf32>
    (%x: tile<f32>, %y: tile<f32>) {
      %m = maxf %x, %y : tile<f32>
      yield %m : tile<f32>
    }
    return
  }

  // CHECK-LABEL: entry @reduce_two
  entry @reduce_two() {
    %a = constant <f32: 1.0> : tile<8xf32>
    %i = iota : tile<8xi32>
    // CHECK:      %reduce:2 = reduce %cst_1_f32, %{{.*}} dim=0 identities=[0.000000e+00 : f32, 0 : i32] : tile<8xf32>, tile<8xi32> -> tile<f32>, tile<i32>
    // CHECK-NEXT: (%reduce_lhs0: tile<f32>, %reduce_rhs0: tile<f32>, %reduce_lhs1: tile<i32>, %reduce_rhs1: tile<i32>) {
    // CHECK-NEXT:   yield %reduce_lhs0, %reduce_lhs1 : tile<f32>, tile<i32>
    %r:2 = reduce %a, %i dim=0 identities=[0.0 : f32, 0 : i32] : tile<8xf32>, tile<8xi32> -> tile<f32>, tile<i32>
    (%x: tile<f32>, %y: tile<f32>, %j: tile<i32>, %k: tile<i32>) {
      yield %x, %j : tile<f32>, tile<i32>
    }
    return
  }

  // Producers write the identity of bf16 as f16.
  // CHECK-LABEL: entry @reduce_bf16
  entry @reduce_bf16() {
    %a = constant <bf16: 1.0> : tile<8xbf16>
    // CHECK: identities=[0.000000e+00 : f16] : tile<8xbf16> -> tile<bf16>
    %r = reduce %a dim=0 identities=[0.0 : f16] : tile<8xbf16> -> tile<bf16>
    (%x: tile<bf16>, %y: tile<bf16>) {
      yield %x : tile<bf16>
    }
    return
  }

  // CHECK-LABEL: entry @scan
  entry @scan() {
    %a = constant <f32: 1.0> : tile<4x8xf32>
    // CHECK:      %0 = scan %cst_1_f32 dim=1 reverse=true identities=[0.000000e+00 : f32] : tile<4x8xf32> -> tile<4x8xf32>
    // CHECK-NEXT: (%arg0: tile<f32>, %arg1: tile<f32>) {
    // CHECK-NEXT:   addf %arg0, %arg1
    // CHECK-NEXT:   yield
    %r = scan %a dim=1 reverse=true identities=[0.0 : f32] : tile<4x8xf32> -> tile<4x8xf32>
    (%x: tile<f32>, %y: tile<f32>) {
      %s = addf %x, %y : tile<f32>
      yield %s : tile<f32>
    }
    // CHECK: scan %{{.*}}, %{{.*}} dim=0 reverse=false identities=[0.000000e+00 : f32, 0.000000e+00 : f32] : tile<4x8xf32>, tile<4x8xf32> -> tile<4x8xf32>, tile<4x8xf32>
    %t:2 = scan %a, %r dim=0 reverse=false identities=[0.0 : f32, 0.0 : f32] : tile<4x8xf32>, tile<4x8xf32> -> tile<4x8xf32>, tile<4x8xf32>
    (%x: tile<f32>, %y: tile<f32>, %z: tile<f32>, %w: tile<f32>) {
      yield %x, %z : tile<f32>, tile<f32>
    }
    return
  }
}
