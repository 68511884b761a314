// RUN: cuda-tile-opt %s --load-pass %passes/fast_division.py --fast-division | FileCheck %s
// RUN: cuda-tile-opt %s --load-pass %passes/fast_division.py --fast-division=largest=2 | FileCheck %s --check-prefix=KEPT

// A division by a constant becomes a product with its inverse.
// CHECK-LABEL: entry @by_three
// CHECK: %[[INVERSE:.*]] = constant <f32: 0.333333343>
// CHECK: mulf %{{.*}}, %[[INVERSE]]
// CHECK-NOT: divf
// One by a larger constant than the option allows stays.
// KEPT: divf
cuda_tile.module @kernels {
  entry @by_three(%x: tile<f32>) {
    %three = constant <f32: 3.0> : tile<f32>
    %third = divf %x, %three : tile<f32>
    %token = print_tko "%f", %third : tile<f32> -> token
    return
  }
}
