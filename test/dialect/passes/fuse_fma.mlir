// RUN: cuda-tile-opt %s -pass-pipeline='builtin.module(cuda_tile.module(any(fuse-fma)))' | FileCheck %s

cuda_tile.module @m {
  // CHECK-LABEL: testing$func @sum
  // CHECK-SAME: (%[[A:.*]]: tile<8xf32>, %[[B:.*]]: tile<8xf32>, %[[C:.*]]: tile<8xf32>)
  testing$func @sum(%a: tile<8xf32>, %b: tile<8xf32>, %c: tile<8xf32>) -> (tile<8xf32>, tile<8xf32>) {
    // CHECK-NEXT: %[[X:.*]] = fma %[[A]], %[[B]], %[[C]] : tile<8xf32>
    %0 = mulf %a, %b : tile<8xf32>
    %1 = addf %0, %c : tile<8xf32>
    // CHECK-NEXT: %[[Y:.*]] = fma %[[A]], %[[B]], %[[C]] rounding<zero> flush_to_zero : tile<8xf32>
    %2 = mulf %a, %b rounding<zero> flush_to_zero : tile<8xf32>
    %3 = addf %c, %2 rounding<zero> flush_to_zero : tile<8xf32>
    // CHECK-NEXT: return %[[X]], %[[Y]]
    return %1, %3 : tile<8xf32>, tile<8xf32>
  }

  // CHECK-LABEL: testing$func @difference
  // CHECK-SAME: (%[[A:.*]]: tile<8xf16>, %[[B:.*]]: tile<8xf16>, %[[C:.*]]: tile<8xf16>)
  testing$func @difference(%a: tile<8xf16>, %b: tile<8xf16>, %c: tile<8xf16>) -> (tile<8xf16>, tile<8xf16>) {
    // CHECK-NEXT: %[[MINUS_C:.*]] = negf %[[C]]
    // CHECK-NEXT: %[[X:.*]] = fma %[[A]], %[[B]], %[[MINUS_C]] : tile<8xf16>
    %0 = mulf %a, %b : tile<8xf16>
    %1 = subf %0, %c : tile<8xf16>
    // CHECK-NEXT: %[[MINUS_A:.*]] = negf %[[A]]
    // CHECK-NEXT: %[[Y:.*]] = fma %[[MINUS_A]], %[[B]], %[[C]] : tile<8xf16>
    %2 = mulf %a, %b : tile<8xf16>
    %3 = subf %c, %2 : tile<8xf16>
    // CHECK-NEXT: return %[[X]], %[[Y]]
    return %1, %3 : tile<8xf16>, tile<8xf16>
  }

  // CHECK-LABEL: testing$func @kept
  testing$func @kept(%a: tile<8xf32>, %b: tile<8xf32>, %c: tile<8xf32>) -> (tile<8xf32>, tile<8xf32>, tile<8xf32>) {
    // Another use.
    // CHECK-NEXT: mulf
    // CHECK-NEXT: addf
    %0 = mulf %a, %b : tile<8xf32>
    %1 = addf %0, %c : tile<8xf32>
    // Another rounding.
    // CHECK-NEXT: mulf
    // CHECK-NEXT: addf
    %2 = mulf %a, %b rounding<zero> : tile<8xf32>
    %3 = addf %2, %c : tile<8xf32>
    // CHECK-NEXT: return
    return %0, %1, %3 : tile<8xf32>, tile<8xf32>, tile<8xf32>
  }
}
