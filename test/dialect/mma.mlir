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

  // CHECK-LABEL: entry @mmai
  entry @mmai() {
    %a = constant <i8: 1> : tile<2x16x8xi8>
    %b = constant <i8: 2> : tile<2x8x32xi8>
    %c = constant <i32: 0> : tile<2x16x32xi32>
    // CHECK: mmai %cst_1_i8, %cst_2_i8, %cst_0_i32 signed unsigned : tile<2x16x8xi8>, tile<2x8x32xi8>, tile<2x16x32xi32>
    %0 = mmai %a, %b, %c signed unsigned : tile<2x16x8xi8>, tile<2x8x32xi8>, tile<2x16x32xi32>
    return
  }

  // CHECK-LABEL: entry @mmaf_scaled_f4
  entry @mmaf_scaled_f4() {
    %a = constant <f4E2M1FN: 1.0> : tile<2x16x64xf4E2M1FN>
    %b = constant <f4E2M1FN: 1.0> : tile<2x64x32xf4E2M1FN>
    %c = constant <f32: 0.0> : tile<2x16x32xf32>
    %u = constant <f8E4M3FN: 1.0> : tile<2x16x4xf8E4M3FN>
    %v = constant <f8E4M3FN: 1.0> : tile<2x4x32xf8E4M3FN>
    // CHECK: mmaf_scaled {{.*}} : tile<2x16x64xf4E2M1FN>, tile<2x64x32xf4E2M1FN>, tile<2x16x32xf32>, tile<2x16x4xf8E4M3FN>, tile<2x4x32xf8E4M3FN>
    %0 = mmaf_scaled %a, %b, %c, %u, %v : tile<2x16x64xf4E2M1FN>, tile<2x64x32xf4E2M1FN>, tile<2x16x32xf32>, tile<2x16x4xf8E4M3FN>, tile<2x4x32xf8E4M3FN>
    %w = constant <f8E8M0FNU: 1.0> : tile<2x16x2xf8E8M0FNU>
    %x = constant <f8E8M0FNU: 1.0> : tile<2x2x32xf8E8M0FNU>
    // CHECK: mmaf_scaled {{.*}}, tile<2x16x2xf8E8M0FNU>, tile<2x2x32xf8E8M0FNU>
    %1 = mmaf_scaled %a, %b, %c, %w, %x : tile<2x16x64xf4E2M1FN>, tile<2x64x32xf4E2M1FN>, tile<2x16x32xf32>, tile<2x16x2xf8E8M0FNU>, tile<2x2x32xf8E8M0FNU>
    return
  }
}
