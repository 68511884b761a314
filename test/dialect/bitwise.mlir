// RUN: cuda-tile-opt %s | cuda-tile-opt | FileCheck %s

cuda_tile.module @bitwise {
  // CHECK-LABEL: entry @bitwise
  entry @bitwise(%a: tile<i1>, %b: tile<i64>) {
    // CHECK: andi %arg0, %arg0 : tile<i1>
    %0 = andi %a, %a : tile<i1>
    // CHECK: ori %arg1, %arg1 : tile<i64>
    %1 = ori %b, %b : tile<i64>
    // CHECK: xori %arg1, %arg1 : tile<i64>
    %2 = xori %b, %b : tile<i64>
    return
  }
}
