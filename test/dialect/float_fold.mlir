// RUN: cuda-tile-opt %s -fold-constants | FileCheck %s

cuda_tile.module @m {
  // CHECK-LABEL: testing$func @rounding
  testing$func @rounding() -> (tile<f16>, tile<f16>, tile<f16>, tile<f16>) {
    // Neighbours of 2048 in f16 are 2 apart.
    %a = constant <f16: 2048.0> : tile<f16>
    %b = constant <f16: 1.0> : tile<f16>
    // CHECK-DAG: %[[EVEN:.*]] = constant <f16: 2.048000e+03> : tile<f16>
    // CHECK-DAG: %[[UP:.*]] = constant <f16: 2.050000e+03> : tile<f16>
    %0 = addf %a, %b : tile<f16>
    %1 = addf %a, %b rounding<positive_inf> : tile<f16>
    %2 = addf %a, %b rounding<negative_inf> : tile<f16>
    // Once rounded: 2048 * 1 + 1.
    %3 = fma %a, %b, %b rounding<positive_inf> : tile<f16>
    // CHECK: return %[[EVEN]], %[[UP]], %[[EVEN]], %[[UP]]
    return %0, %1, %2, %3 : tile<f16>, tile<f16>, tile<f16>, tile<f16>
  }

  // CHECK-LABEL: testing$func @difference_and_quotient
  testing$func @difference_and_quotient() -> (tile<f16>, tile<f16>, tile<f16>, tile<f16>) {
    %a = constant <f16: 2048.0> : tile<f16>
    %b = constant <f16: 1.0> : tile<f16>
    %c = constant <f16: 3.0> : tile<f16>
    // CHECK-DAG: %[[LESS:.*]] = constant <f16: 2.047000e+03> : tile<f16>
    %0 = subf %a, %b : tile<f16>
    // CHECK-DAG: %[[MINUS:.*]] = constant <f16: -2.050000e+03> : tile<f16>
    %minus = constant <f16: -2048.0> : tile<f16>
    %1 = subf %minus, %b rounding<negative_inf> : tile<f16>
    // A third has the bits 0x3555, and a rest.
    // CHECK-DAG: %[[THIRD:.*]] = constant <f16: 3.332520e-01> : tile<f16>
    %2 = divf %b, %c : tile<f16>
    // CHECK-DAG: %[[ABOVE:.*]] = constant <f16: 3.334960e-01> : tile<f16>
    %3 = divf %b, %c rounding<positive_inf> : tile<f16>
    // CHECK: return %[[LESS]], %[[MINUS]], %[[THIRD]], %[[ABOVE]]
    return %0, %1, %2, %3 : tile<f16>, tile<f16>, tile<f16>, tile<f16>
  }

  // CHECK-LABEL: testing$func @extrema
  testing$func @extrema() -> (tile<f32>, tile<f32>, tile<f32>) {
    %nan = constant <f32: 0x7FC00000> : tile<f32>
    %zero = constant <f32: 0.0> : tile<f32>
    %minus = constant <f32: -0.0> : tile<f32>
    // CHECK-DAG: %[[NAN:.*]] = constant <f32: 0x7FC00000> : tile<f32>
    // CHECK-DAG: %[[ZERO:.*]] = constant <f32: 0.000000e+00> : tile<f32>
    %0 = maxf %nan, %zero : tile<f32>
    %1 = maxf %minus, %zero : tile<f32>
    // Which NaN comes out is not said.
    // CHECK: %[[KEPT:.*]] = maxf %[[NAN]], %[[ZERO]] propagate_nan : tile<f32>
    %2 = maxf %nan, %zero propagate_nan : tile<f32>
    // CHECK: return %[[ZERO]], %[[ZERO]], %[[KEPT]]
    return %0, %1, %2 : tile<f32>, tile<f32>, tile<f32>
  }

  // CHECK-LABEL: testing$func @kept
  testing$func @kept() -> (tile<f32>, tile<f32>, tile<f32>) {
    %one = constant <f32: 1.0> : tile<f32>
    %zero = constant <f32: 0.0> : tile<f32>
    %tiny = constant <f32: 1.0e-40> : tile<f32>
    // CHECK: divf {{.*}} rounding<approx>
    %0 = divf %one, %one rounding<approx> : tile<f32>
    // CHECK: divf
    %1 = divf %zero, %zero : tile<f32>
    // CHECK: addf {{.*}} flush_to_zero
    %2 = addf %one, %tiny flush_to_zero : tile<f32>
    return %0, %1, %2 : tile<f32>, tile<f32>, tile<f32>
  }

  // CHECK-LABEL: testing$func @neutral
  // CHECK-SAME: (%[[X:.*]]: tile<8xf32>)
  testing$func @neutral(%x: tile<8xf32>) -> (tile<8xf32>, tile<8xf32>, tile<8xf32>, tile<8xf32>, tile<8xf32>) {
    %one = constant <f32: 1.0> : tile<8xf32>
    %zero = constant <f32: 0.0> : tile<8xf32>
    %minus = constant <f32: -0.0> : tile<8xf32>
    %0 = mulf %x, %one : tile<8xf32>
    %1 = addf %x, %minus : tile<8xf32>
    // -0 + 0 is 0.
    // CHECK: %[[SUM:.*]] = addf %[[X]], %{{.*}} : tile<8xf32>
    %2 = addf %x, %zero : tile<8xf32>
    // CHECK: %[[DOWN:.*]] = subf %[[X]], %{{.*}} rounding<negative_inf> : tile<8xf32>
    %3 = subf %x, %zero rounding<negative_inf> : tile<8xf32>
    %4 = negf %x : tile<8xf32>
    %5 = negf %4 : tile<8xf32>
    // CHECK: return %[[X]], %[[X]], %[[SUM]], %[[DOWN]], %[[X]]
    return %0, %1, %2, %3, %5 : tile<8xf32>, tile<8xf32>, tile<8xf32>, tile<8xf32>, tile<8xf32>
  }

  // CHECK-LABEL: testing$func @product_first
  // CHECK-SAME: (%[[X:.*]]: tile<8xf32>)
  testing$func @product_first(%x: tile<8xf32>) -> tile<8xf32> {
    // CHECK: %[[P:.*]] = mulf %[[X]], %[[X]]
    %0 = mulf %x, %x : tile<8xf32>
    // CHECK: addf %[[P]], %[[X]] : tile<8xf32>
    %1 = addf %x, %0 : tile<8xf32>
    return %1 : tile<8xf32>
  }

  // CHECK-LABEL: testing$func @compare
  testing$func @compare() -> (tile<i1>, tile<i1>) {
    %nan = constant <f32: 0x7FC00000> : tile<f32>
    %0 = cmpf equal ordered %nan, %nan : tile<f32> -> tile<i1>
    %1 = cmpf less_than unordered %nan, %nan : tile<f32> -> tile<i1>
    // CHECK-DAG: %[[FALSE:.*]] = constant <i1: false>
    // CHECK-DAG: %[[TRUE:.*]] = constant <i1: true>
    // CHECK: return %[[FALSE]], %[[TRUE]]
    return %0, %1 : tile<i1>, tile<i1>
  }

  // CHECK-LABEL: testing$func @whole_numbers
  testing$func @whole_numbers() -> (tile<f32>, tile<f32>, tile<f32>, tile<f32>, tile<f32>) {
    %a = constant <f32: -2.5> : tile<f32>
    %b = constant <f32: 1.5> : tile<f32>
    // CHECK-DAG: %[[ABS:.*]] = constant <f32: 2.500000e+00>
    // CHECK-DAG: %[[DOWN:.*]] = constant <f32: -3.000000e+00>
    // CHECK-DAG: %[[UP:.*]] = constant <f32: -2.000000e+00>
    // CHECK-DAG: %[[REST:.*]] = constant <f32: -1.000000e+00>
    // CHECK-DAG: %[[MIN:.*]] = constant <f32: -2.500000e+00>
    // CHECK: return %[[ABS]], %[[DOWN]], %[[UP]], %[[REST]], %[[MIN]]
    %0 = absf %a : tile<f32>
    %1 = floor %a : tile<f32>
    %2 = ceil %a : tile<f32>
    %3 = remf %a, %b : tile<f32>
    %4 = minf %a, %b : tile<f32>
    return %0, %1, %2, %3, %4 : tile<f32>, tile<f32>, tile<f32>, tile<f32>, tile<f32>
  }

  // What C's fmod gives for a zero divisor is a NaN, whose bits are open.
  // CHECK-LABEL: testing$func @no_rest
  testing$func @no_rest() -> tile<f32> {
    %a = constant <f32: 1.0> : tile<f32>
    %z = constant <f32: 0.0> : tile<f32>
    // CHECK: remf
    %0 = remf %a, %z : tile<f32>
    return %0 : tile<f32>
  }
}
