// RUN: cuda-tile-opt %s | cuda-tile-opt | FileCheck %s

cuda_tile.module @control {
  // CHECK-LABEL: entry @for_no_values
  entry @for_no_values(%n: tile<i32>) {
    // The empty `continue` is not printed.
    // CHECK:      for %loopIdx in (%arg0 to %arg0, step %arg0) : tile<i32> {
    // CHECK-NEXT:   addi %loopIdx, %loopIdx : tile<i32>
    // CHECK-NEXT: }
    for %i in (%n to %n, step %n) : tile<i32> {
      %0 = addi %i, %i : tile<i32>
      continue
    }
    // CHECK: for unsigned %loopIdx in (%arg0 to %arg0, step %arg0) : tile<i32> attributes {tileas.stages = 3 : i64} {
    for unsigned %i in (%n to %n, step %n) : tile<i32> attributes {tileas.stages = 3 : i64} {
    }
    return
  }

  // Tiles of any rank and tokens are carried.
  // CHECK-LABEL: entry @for_values
  entry @for_values(%n: tile<i64>) {
    %a = constant <f32: 0.0> : tile<8x8xf32>
    %t = make_token : token
    // CHECK:      %for:2 = for %loopIdx in (%arg0 to %arg0, step %arg0) : tile<i64> iter_values(%iterArg0 = %cst_0_f32, %iterArg1 = %0) -> (tile<8x8xf32>, token) {
    // CHECK-NEXT:   continue %iterArg0, %iterArg1 : tile<8x8xf32>, token
    %r:2 = for %i in (%n to %n, step %n) : tile<i64> iter_values(%x = %a, %y = %t) -> (tile<8x8xf32>, token) {
      continue %x, %y : tile<8x8xf32>, token
    }
    return
  }
}
