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

  // CHECK-LABEL: testing$func @narrow
  // CHECK-SAME: (%[[X:.*]]: tile<8xf16>, %[[Y:.*]]: tile<8xbf16>)
  testing$func @narrow(%x: tile<8xf16>, %y: tile<8xbf16>) -> (tile<8xf16>, tile<8xf16>, tile<8xbf16>) {
    %a = ftof %x : tile<8xf16> -> tile<8xf32>
    %b = ftof %y : tile<8xbf16> -> tile<8xf32>
    // CHECK-NEXT: %[[P:.*]] = mulf %[[X]], %[[X]] : tile<8xf16>
    %0 = mulf %a, %a : tile<8xf32>
    %p = ftof %0 : tile<8xf32> -> tile<8xf16>
    // CHECK-NEXT: %[[S:.*]] = addf %[[X]], %[[X]] : tile<8xf16>
    %1 = addf %a, %a : tile<8xf32>
    %s = ftof %1 : tile<8xf32> -> tile<8xf16>
    // CHECK-NEXT: %[[D:.*]] = subf %[[Y]], %[[Y]] : tile<8xbf16>
    %2 = subf %b, %b : tile<8xf32>
    %d = ftof %2 : tile<8xf32> -> tile<8xbf16>
    // CHECK-NEXT: return %[[P]], %[[S]], %[[D]]
    return %p, %s, %d : tile<8xf16>, tile<8xf16>, tile<8xbf16>
  }

  // CHECK-LABEL: testing$func @wide
  testing$func @wide(%x: tile<8xf16>, %y: tile<8xbf16>, %z: tile<8xf32>) -> (tile<8xbf16>, tile<8xf16>, tile<8xf16>, tile<8xf16>, tile<8xf16>, tile<8xf16>, tile<8xf32>, tile<8xf16>, tile<8xf8E5M2>) {
    %a = ftof %x : tile<8xf16> -> tile<8xf32>
    %b = ftof %y : tile<8xbf16> -> tile<8xf32>
    // A product that is subnormal in f32 is rounded twice.
    // CHECK: mulf {{.*}} : tile<8xf32>
    %0 = mulf %b, %b : tile<8xf32>
    %p = ftof %0 : tile<8xf32> -> tile<8xbf16>
    // A quotient, what is rounded otherwise, and what is not of few bits.
    // CHECK: divf {{.*}} : tile<8xf32>
    %1 = divf %a, %a : tile<8xf32>
    %q = ftof %1 : tile<8xf32> -> tile<8xf16>
    // CHECK: addf {{.*}} rounding<zero> : tile<8xf32>
    %2 = addf %a, %a rounding<zero> : tile<8xf32>
    %r = ftof %2 : tile<8xf32> -> tile<8xf16>
    // CHECK: addf {{.*}} flush_to_zero : tile<8xf32>
    %3 = addf %a, %a flush_to_zero : tile<8xf32>
    %f = ftof %3 : tile<8xf32> -> tile<8xf16>
    // CHECK: addf {{.*}} : tile<8xf32>
    %4 = addf %a, %z : tile<8xf32>
    %s = ftof %4 : tile<8xf32> -> tile<8xf16>
    // CHECK: addf {{.*}} : tile<8xf32>
    %5 = addf %a, %b : tile<8xf32>
    %m = ftof %5 : tile<8xf32> -> tile<8xf16>
    // CHECK: addf {{.*}} : tile<8xf32>
    %6 = addf %a, %a : tile<8xf32>
    %n = ftof %6 : tile<8xf32> -> tile<8xf8E5M2>
    // One that is read as it is, too.
    // CHECK: subf {{.*}} : tile<8xf32>
    %7 = subf %a, %a : tile<8xf32>
    %t = ftof %7 : tile<8xf32> -> tile<8xf16>
    return %p, %q, %r, %f, %s, %m, %7, %t, %n : tile<8xbf16>, tile<8xf16>, tile<8xf16>, tile<8xf16>, tile<8xf16>, tile<8xf16>, tile<8xf32>, tile<8xf16>, tile<8xf8E5M2>
  }
}
