// RUN: cuda-tile-opt %s | cuda-tile-opt | FileCheck %s

cuda_tile.module @shape {
  // CHECK-LABEL: entry @constant_names
  entry @constant_names() {
    // CHECK: %true = constant <i1: true> : tile<8xi1>
    %0 = constant <i1: true> : tile<8xi1>
    // CHECK: %false = constant <i1: false> : tile<i1>
    %1 = constant <i1: 0> : tile<i1>
    // CHECK: %cst_3_i32 = constant <i32: 3> : tile<8x8xi32>
    %2 = constant <i32: 3> : tile<8x8xi32>
    // CHECK: %cst_-1_i8 = constant <i8: -1> : tile<i8>
    %3 = constant <i8: 255> : tile<i8>
    // CHECK: %cst_1_f16 = constant <f16: 1.000000e+00> : tile<f16>
    %4 = constant <f16: 1.0> : tile<f16>
    // Not the number 0.
    // CHECK: %cst_f32 = constant <f32: -0.000000e+00> : tile<f32>
    %5 = constant <f32: -0.0> : tile<f32>
    // CHECK: %cst_f32_0 = constant <f32: 5.000000e-01> : tile<f32>
    %6 = constant <f32: 0.5> : tile<f32>
    // CHECK: %cst_f32_1 = constant <f32: 0xFF800000> : tile<f32>
    %7 = constant <f32: 0xFF800000> : tile<f32>
    // CHECK: %cst_NaN_f32 = constant <f32: 0x7FC00000> : tile<f32>
    %8 = constant <f32: 0x7FC00000> : tile<f32>
    // CHECK: %cst_f64 = constant <f64: 1.000000e+300> : tile<f64>
    %9 = constant <f64: 1.0e300> : tile<f64>
    return
  }

  // CHECK-LABEL: entry @constant_elements
  entry @constant_elements() {
    // CHECK: %cst_i1 = constant <i1: [true, false]> : tile<2xi1>
    %0 = constant <i1: [true, false]> : tile<2xi1>
    // CHECK: constant <i32: {{\[\[}}1, 2], [3, 4]]> : tile<2x2xi32>
    %1 = constant <i32: [[1, 2], [3, 4]]> : tile<2x2xi32>
    // CHECK: constant <f32: {{\[\[\[}}1.000000e+00], [2.000000e+00]]]> : tile<1x2x1xf32>
    %2 = constant <f32: [[[1.0], [2.0]]]> : tile<1x2x1xf32>
    // CHECK: constant <i32: 7> : tile<2xi32>
    %3 = constant <i32: [7, 7]> : tile<2xi32>
    // CHECK: constant <i64: -9223372036854775808> : tile<i64>
    %4 = constant <i64: 0x8000000000000000> : tile<i64>
    return
  }

  // CHECK-LABEL: entry @constant_element_types
  entry @constant_element_types() {
    // CHECK: constant <bf16: 1.000000e+00> : tile<8xbf16>
    %0 = constant <bf16: 1.0> : tile<8xbf16>
    // CHECK: constant <tf32: 1.000000e+00> : tile<8xtf32>
    %1 = constant <tf32: 1.0> : tile<8xtf32>
    // CHECK: constant <f8E4M3FN: 1.000000e+00> : tile<8xf8E4M3FN>
    %2 = constant <f8E4M3FN: 1.0> : tile<8xf8E4M3FN>
    // CHECK: constant <f8E5M2: 1.000000e+00> : tile<8xf8E5M2>
    %3 = constant <f8E5M2: 1.0> : tile<8xf8E5M2>
    // CHECK: constant <f8E8M0FNU: 1.000000e+00> : tile<8xf8E8M0FNU>
    %4 = constant <f8E8M0FNU: 1.0> : tile<8xf8E8M0FNU>
    // CHECK: constant <f4E2M1FN: 1.000000e+00> : tile<8xf4E2M1FN>
    %5 = constant <f4E2M1FN: 1.0> : tile<8xf4E2M1FN>
    return
  }

  // CHECK-LABEL: entry @iota
  entry @iota() {
    // CHECK: %0 = iota : tile<8xi32>
    %0 = iota : tile<8xi32>
    // The numbers of an i8 and of an i1, all of them.
    // CHECK: iota : tile<256xi8>
    %1 = iota : tile<256xi8>
    // CHECK: iota : tile<2xi1>
    %2 = iota : tile<2xi1>
    return
  }

  // CHECK-LABEL: entry @select
  entry @select(%p: tile<ptr<f32>>) {
    %c = constant <i1: true> : tile<i1>
    // CHECK: select %true, %arg0, %arg0 : tile<i1>, tile<ptr<f32>>
    %r = select %c, %p, %p : tile<i1>, tile<ptr<f32>>
    return
  }

  // CHECK-LABEL: entry @moves
  entry @moves(%p: tile<ptr<f32>>) {
    // CHECK: %reshape = reshape %arg0 : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %0 = reshape %p : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    // CHECK: %bcast = broadcast %reshape : tile<1x1xptr<f32>> -> tile<4x8xptr<f32>>
    %1 = broadcast %0 : tile<1x1xptr<f32>> -> tile<4x8xptr<f32>>
    // CHECK: %0 = permute %bcast [1, 0] : tile<4x8xptr<f32>> -> tile<8x4xptr<f32>>
    %2 = permute %1 [1, 0] : tile<4x8xptr<f32>> -> tile<8x4xptr<f32>>
    %3 = constant <i64: 2> : tile<8x4xi64>
    // CHECK: offset %0, %cst_2_i64 : tile<8x4xptr<f32>>, tile<8x4xi64> -> tile<8x4xptr<f32>>
    %4 = offset %2, %3 : tile<8x4xptr<f32>>, tile<8x4xi64> -> tile<8x4xptr<f32>>
    return
  }

  // CHECK-LABEL: entry @parts
  entry @parts(%i: tile<i32>) {
    %0 = constant <f32: 1.0> : tile<8x8xf32>
    // CHECK: %0 = cat %cst_1_f32, %cst_1_f32 dim = 1 : tile<8x8xf32>, tile<8x8xf32> -> tile<8x16xf32>
    %1 = cat %0, %0 dim = 1 : tile<8x8xf32>, tile<8x8xf32> -> tile<8x16xf32>
    // CHECK: %1 = extract %0[%arg0, %arg0] : tile<8x16xf32> -> tile<4x4xf32>
    %2 = extract %1[%i, %i] : tile<8x16xf32> -> tile<4x4xf32>
    // CHECK: insert %1, %0[%arg0, %arg0] : tile<4x4xf32>, tile<8x16xf32> -> tile<8x16xf32>
    %3 = insert %2, %1[%i, %i] : tile<4x4xf32>, tile<8x16xf32> -> tile<8x16xf32>
    %4 = constant <f32: 1.0> : tile<f32>
    // CHECK: extract %cst_1_f32_0[] : tile<f32> -> tile<f32>
    %5 = extract %4[] : tile<f32> -> tile<f32>
    return
  }

  // CHECK-LABEL: entry @repacked
  entry @repacked() {
    %0 = constant <i8: 7> : tile<64xi8>
    // CHECK: %0 = unpack %cst_7_i8 : tile<64xi8> -> tile<128xf4E2M1FN>
    %1 = unpack %0 : tile<64xi8> -> tile<128xf4E2M1FN>
    // CHECK: pack %0 : tile<128xf4E2M1FN> -> tile<64xi8>
    %2 = pack %1 : tile<128xf4E2M1FN> -> tile<64xi8>
    // An i4 is only made and widened.
    // CHECK: %2 = unpack %cst_7_i8 : tile<64xi8> -> tile<128xi4>
    %3 = unpack %0 : tile<64xi8> -> tile<128xi4>
    // CHECK: exti %2 signed : tile<128xi4> -> tile<128xi8>
    %4 = exti %3 signed : tile<128xi4> -> tile<128xi8>
    // CHECK: unpack %cst_7_i8 : tile<64xi8> -> tile<16xtf32>
    %5 = unpack %0 : tile<64xi8> -> tile<16xtf32>
    // CHECK: unpack %cst_7_i8 : tile<64xi8> -> tile<512xi1>
    %6 = unpack %0 : tile<64xi8> -> tile<512xi1>
    return
  }
}
