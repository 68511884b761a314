// RUN: cuda-tile-opt %s | cuda-tile-opt | FileCheck %s
// RUN: cuda-tile-opt %s -mlir-print-op-generic | cuda-tile-opt | FileCheck %s

// CHECK-LABEL: cuda_tile.module @m
cuda_tile.module @m {
  // CHECK: testing$func @tiles(%arg0: tile<4x8xf32>, %arg1: token) -> (tile<4x8xf32>, token) {
  testing$func @tiles(%x: tile<4x8xf32>, %t: !cuda_tile.token) -> (tile<4x8xf32>, token) {
    // CHECK: return %arg0, %arg1 : tile<4x8xf32>, token
    return %x, %t : tile<4x8xf32>, token
  }
  // CHECK: testing$func @others(%arg0: i32, %arg1: tensor_view<8xf32, strides=[1]>) {
  // CHECK-NEXT: return
  testing$func @others(%x: i32, %v: tensor_view<8xf32, strides=[1]>) {
  }
  // CHECK: testing$func private @hidden(%arg0: tile<f32>) {
  // CHECK-NEXT: return
  // CHECK-NEXT: } {my.a = 1 : i64}
  cuda_tile.testing$func private @hidden(%x: tile<f32>) {
  } {my.a = 1}
}

// CHECK: cuda_tile.testing$func @no_module
cuda_tile.testing$func @no_module() {
  return
}
