// Arithmetic on constants is folded by a pass of its own; canonicalize leaves it alone.
// RUN: cuda-tile-opt %s -canonicalize | FileCheck %s --check-prefix=LEFT
// RUN: cuda-tile-opt %s -fold-constants | FileCheck %s --check-prefix=FOLDED
// RUN: cuda-tile-opt %s -pass-pipeline='builtin.module(cuda_tile.module(any(fold-constants)))' | FileCheck %s --check-prefix=FOLDED

cuda_tile.module @m {
  // LEFT-LABEL: testing$func @k
  // FOLDED-LABEL: testing$func @k
  // FOLDED-SAME: (%[[X:.*]]: tile<4xi32>)
  testing$func @k(%x: tile<4xi32>) -> (tile<4xi32>, tile<4xf32>, tile<i1>, tile<4xi32>) {
    // FOLDED-DAG: %[[SUM:.*]] = constant <f32: 3.000000e+00> : tile<4xf32>
    // FOLDED-DAG: %[[TRUE:.*]] = constant <i1: true> : tile<i1>
    // LEFT: addi
    // LEFT: addf
    // LEFT: cmpi
    // LEFT: broadcast
    // FOLDED-NOT: broadcast
    // FOLDED: return %[[X]], %[[SUM]], %[[TRUE]], %[[X]]
    %zero = constant <i32: 0> : tile<4xi32>
    %a = addi %x, %zero : tile<4xi32>
    %one = constant <f32: 1.0> : tile<4xf32>
    %two = constant <f32: 2.0> : tile<4xf32>
    %b = addf %one, %two : tile<4xf32>
    %m = constant <i32: 1> : tile<i32>
    %n = constant <i32: 2> : tile<i32>
    %c = cmpi less_than %m, %n, signed : tile<i32> -> tile<i1>
    %d = broadcast %x : tile<4xi32> -> tile<4xi32>
    return %a, %b, %c, %d : tile<4xi32>, tile<4xf32>, tile<i1>, tile<4xi32>
  }
}
