// RUN: cuda-tile-opt %s -fold-constants | FileCheck %s

cuda_tile.module @m {
  // CHECK-LABEL: testing$func @constants
  testing$func @constants() -> (tile<i32>, tile<i32>, tile<i8>, tile<f16>, tile<i8>, tile<f16>, tile<i32>) {
    %m = constant <i8: -3> : tile<i8>
    %i = constant <i32: 2049> : tile<i32>
    %f = constant <f32: 2049.0> : tile<f32>
    %h = constant <f32: -2.75> : tile<f32>
    // CHECK-DAG: %[[SEXT:.*]] = constant <i32: -3> : tile<i32>
    %0 = exti %m signed : tile<i8> -> tile<i32>
    // CHECK-DAG: %[[ZEXT:.*]] = constant <i32: 253> : tile<i32>
    %1 = exti %m unsigned : tile<i8> -> tile<i32>
    // CHECK-DAG: %[[TRUNC:.*]] = constant <i8: 1> : tile<i8>
    %2 = trunci %i : tile<i32> -> tile<i8>
    // CHECK-DAG: %[[ITOF:.*]] = constant <f16: 2.048000e+03> : tile<f16>
    %3 = itof %i signed : tile<i32> -> tile<f16>
    // CHECK-DAG: %[[FTOI:.*]] = constant <i8: -2> : tile<i8>
    %4 = ftoi %h signed : tile<f32> -> tile<i8>
    %5 = ftof %f : tile<f32> -> tile<f16>
    // CHECK-DAG: %[[BITS:.*]] = constant <i32: -1070596096> : tile<i32>
    %6 = bitcast %h : tile<f32> -> tile<i32>
    // CHECK: return %[[SEXT]], %[[ZEXT]], %[[TRUNC]], %[[ITOF]], %[[FTOI]], %[[ITOF]], %[[BITS]]
    return %0, %1, %2, %3, %4, %5, %6 : tile<i32>, tile<i32>, tile<i8>, tile<f16>, tile<i8>, tile<f16>, tile<i32>
  }

  // To i1, all but zero is true.
  // CHECK-LABEL: testing$func @truth
  testing$func @truth() -> (tile<i1>, tile<i1>, tile<i1>) {
    %f = constant <f32: 0.5> : tile<f32>
    %n = constant <f32: 0x7FC00000> : tile<f32>
    %z = constant <f32: -0.0> : tile<f32>
    // CHECK-DAG: %[[TRUE:.*]] = constant <i1: true> : tile<i1>
    // CHECK-DAG: %[[FALSE:.*]] = constant <i1: false> : tile<i1>
    // CHECK: return %[[TRUE]], %[[TRUE]], %[[FALSE]]
    %0 = ftoi %f unsigned : tile<f32> -> tile<i1>
    %1 = ftoi %n signed saturating : tile<f32> -> tile<i1>
    %2 = ftoi %z signed : tile<f32> -> tile<i1>
    return %0, %1, %2 : tile<i1>, tile<i1>, tile<i1>
  }

  // CHECK-LABEL: testing$func @kept
  testing$func @kept() -> (tile<i8>, tile<i8>, tile<f8E4M3FN>, tile<i4>, tile<i4>) {
    %i = constant <i32: 300> : tile<i32>
    %f = constant <f32: 300.0> : tile<f32>
    %g = constant <f32: 1000.0> : tile<f32>
    // CHECK: trunci {{.*}} overflow<no_wrap>
    %0 = trunci %i overflow<no_wrap> : tile<i32> -> tile<i8>
    // CHECK: ftoi
    %1 = ftoi %f signed : tile<f32> -> tile<i8>
    // CHECK: ftof
    %2 = ftof %g : tile<f32> -> tile<f8E4M3FN>
    // No constant is an i4.
    // CHECK: exti {{.*}} -> tile<i4>
    %b = constant <i1: true> : tile<i1>
    %3 = exti %b signed : tile<i1> -> tile<i4>
    // CHECK: trunci {{.*}} -> tile<i4>
    %4 = trunci %i : tile<i32> -> tile<i4>
    return %0, %1, %2, %3, %4 : tile<i8>, tile<i8>, tile<f8E4M3FN>, tile<i4>, tile<i4>
  }

  // CHECK-LABEL: testing$func @back
  // CHECK-SAME: (%[[X:.*]]: tile<8xi8>, %[[Y:.*]]: tile<8xf32>)
  testing$func @back(%x: tile<8xi8>, %y: tile<8xf32>) -> (tile<8xi8>, tile<8xf32>) {
    %0 = exti %x signed : tile<8xi8> -> tile<8xi32>
    %1 = trunci %0 : tile<8xi32> -> tile<8xi8>
    %2 = bitcast %y : tile<8xf32> -> tile<8xi32>
    %3 = bitcast %2 : tile<8xi32> -> tile<8xf32>
    // CHECK-NEXT: return %[[X]], %[[Y]]
    return %1, %3 : tile<8xi8>, tile<8xf32>
  }
}
