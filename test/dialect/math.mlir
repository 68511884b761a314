// RUN: cuda-tile-opt %s | cuda-tile-opt | FileCheck %s

cuda_tile.module @math {
  // CHECK-LABEL: entry @math
  entry @math(%a: tile<f32>, %h: tile<f16>) {
    // CHECK: ceil %arg1 : tile<f16>
    %0 = ceil %h : tile<f16>
    // CHECK: floor %arg1 : tile<f16>
    %1 = floor %h : tile<f16>
    // CHECK: exp %arg1  : tile<f16>
    %2 = exp %h rounding<full> : tile<f16>
    // CHECK: exp %arg0 rounding<approx> : tile<f32>
    %3 = exp %a rounding<approx> : tile<f32>
    // CHECK: exp2 %arg1 : tile<f16>
    %4 = exp2 %h : tile<f16>
    // CHECK: exp2 %arg0 flush_to_zero : tile<f32>
    %5 = exp2 %a flush_to_zero : tile<f32>
    return
  }
}
