// RUN: cuda-tile-opt %s | cuda-tile-opt | FileCheck %s

cuda_tile.module @mma {
  // CHECK-LABEL: entry @mmaf_f16
  entry @mmaf_f16() {
    %a = constant <f16: 1.0> : tile<16x8xf16>
    %b = constant <f16: 2.0> : tile<8x32xf16>
    %c = constant <f32: 0.0> : tile<16x32xf32>
    // CHECK: mmaf %cst_1_f16, %cst_2_f16, %cst_0_f32 : tile<16x8xf16>, tile<8x32xf16>, tile<16x32xf32>
    %0 = mmaf %a, %b, %c : tile<16x8xf16>, tile<8x32xf16>, tile<16x32xf32>
    return
  }

  // CHECK-LABEL: entry @mmaf_fast_acc_batched
  entry @mmaf_fast_acc_batched() {
    %a = constant <f8E4M3FN: 1.0> : tile<2x16x8xf8E4M3FN>
    %b = constant <f8E4M3FN: 1.0> : tile<2x8x32xf8E4M3FN>
    %c = constant <f16: 0.0> : tile<2x16x32xf16>
    // CHECK: mmaf {{.*}} fast_acc : tile<2x16x8xf8E4M3FN>, tile<2x8x32xf8E4M3FN>, tile<2x16x32xf16>
    %0 = mmaf %a, %b, %c fast_acc : tile<2x16x8xf8E4M3FN>, tile<2x8x32xf8E4M3FN>, tile<2x16x32xf16>
    return
  }
}
