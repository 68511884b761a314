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
    // CHECK: for unsigned %loopIdx in (%arg0 to %arg0, step %arg0) : tile<i32> attributes {tileas.facts = "stages"} {
    // CHECK-NEXT: } {my.note = 1 : i64}
    for unsigned %i in (%n to %n, step %n) : tile<i32> attributes {tileas.facts = "stages"} {
    } {my.note = 1 : i64}
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

  // CHECK-LABEL: entry @if
  entry @if(%c: tile<i1>, %n: tile<i32>) {
    // The ends that parsing adds are not printed.
    // CHECK:      if %arg0 {
    // CHECK-NEXT: }
    // CHECK-NEXT: if %arg0 {
    // CHECK-NEXT: } else {
    // CHECK-NEXT: }
    if %c {
    }
    if %c {
      yield
    } else {
    }
    // CHECK-NEXT: %0:2 = if %arg0 -> (tile<i32>, token) attributes {tileas.facts = "uniform"} {
    // CHECK-NEXT:   %1 = make_token : token
    // CHECK-NEXT:   yield %arg1, %1 : tile<i32>, token
    // CHECK-NEXT: } else {
    // CHECK-NEXT:   return
    // CHECK-NEXT: }
    %r:2 = if %c -> (tile<i32>, token) attributes {tileas.facts = "uniform"} {
      %t = make_token : token
      yield %n, %t : tile<i32>, token
    } else {
      return
    }
    // CHECK-NEXT: return
    return
  }

  // Results need not be what is carried; names are as in the source of both.
  // CHECK-LABEL: entry @loop
  entry @loop(%c: tile<i1>, %n: tile<i32>) {
    // CHECK: %[[L:.*]] = loop iter_values(%{{.*}} = %arg1) : tile<i32> -> tile<f32> {
    %r = loop iter_values(%x = %n) : tile<i32> -> tile<f32> {
      %k = constant <f32: 1.0> : tile<f32>
      // CHECK: if %arg0 {
      // CHECK-NEXT: break %{{.*}} : tile<f32>
      // CHECK-NEXT: } else {
      // CHECK-NEXT: if %arg0 {
      // CHECK-NEXT: continue %{{.*}} : tile<i32>
      if %c {
        break %k : tile<f32>
      } else {
        if %c {
          continue %x : tile<i32>
        }
      }
      // CHECK: continue %arg1 : tile<i32>
      continue %n : tile<i32>
    }
    // CHECK:      loop {
    // CHECK-NEXT: }
    loop {
    }
    // CHECK:      loop attributes {tileas.facts = "unroll"} {
    // CHECK-NEXT:   break
    // CHECK-NEXT: } {my.note}
    loop attributes {tileas.facts = "unroll"} {
      break
    } {my.note}
    // CHECK: loop : tile<i32>, tile<i1> {
    %s:2 = loop -> tile<i32>, tile<i1> {
      break %n, %c : tile<i32>, tile<i1>
    }
    return
  }

  // CHECK-LABEL: entry @continue_in_if
  entry @continue_in_if(%c: tile<i1>, %n: tile<i32>) {
    for %i in (%n to %n, step %n) : tile<i32> {
      // CHECK: if %arg0 {
      // CHECK-NEXT: continue
      if %c {
        continue
      }
    }
    return
  }
}
