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

  // CHECK-LABEL: entry @elementary
  entry @elementary(%a: tile<f32>, %h: tile<f16>, %i: tile<i16>) {
    // CHECK: atan2 %arg0, %arg0 : tile<f32>
    %0 = atan2 %a, %a : tile<f32>
    // CHECK: cos %arg1 : tile<f16>
    %1 = cos %h : tile<f16>
    // CHECK: cosh %arg1 : tile<f16>
    %2 = cosh %h : tile<f16>
    // CHECK: sin %arg1 : tile<f16>
    %3 = sin %h : tile<f16>
    // CHECK: sinh %arg1 : tile<f16>
    %4 = sinh %h : tile<f16>
    // CHECK: tan %arg1 : tile<f16>
    %5 = tan %h : tile<f16>
    // CHECK: tanh %arg1  : tile<f16>
    %6 = tanh %h : tile<f16>
    // CHECK: tanh %arg0 rounding<approx> : tile<f32>
    %7 = tanh %a rounding<approx> : tile<f32>
    // CHECK: log %arg1 : tile<f16>
    %8 = log %h : tile<f16>
    // CHECK: log2 %arg1 : tile<f16>
    %9 = log2 %h : tile<f16>
    // CHECK: rsqrt %arg1 : tile<f16>
    %10 = rsqrt %h : tile<f16>
    // CHECK: rsqrt %arg0 flush_to_zero : tile<f32>
    %11 = rsqrt %a flush_to_zero : tile<f32>
    // CHECK: sqrt %arg1  : tile<f16>
    %12 = sqrt %h : tile<f16>
    // CHECK: sqrt %arg0 rounding<approx> flush_to_zero : tile<f32>
    %13 = sqrt %a rounding<approx> flush_to_zero : tile<f32>
    // CHECK: sqrt %arg1 rounding<negative_inf> : tile<f16>
    %14 = sqrt %h rounding<negative_inf> : tile<f16>
    // CHECK: fpowi %arg0, %arg2 : tile<f32>, tile<i16>
    %15 = fpowi %a, %i : tile<f32>, tile<i16>
    return
  }

  // `pow` is also called `fpowf`.
  // CHECK-LABEL: entry @pow
  entry @pow(%a: tile<f32>) {
    // CHECK: pow %arg0, %arg0 : tile<f32>
    %0 = pow %a, %a : tile<f32>
    // CHECK: pow %arg0, %arg0 : tile<f32>
    %1 = fpowf %a, %a : tile<f32>
    // CHECK: pow %arg0, %arg0 : tile<f32>
    %2 = cuda_tile.fpowf %a, %a : tile<f32>
    return
  }
}
