// RUN: cuda-tile-opt %s -pass-pipeline='builtin.module(cuda_tile.module(any(loop-split)))' | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: cuda-tile-opt %s -pass-pipeline='builtin.module(cuda_tile.module(any(loop-split{split-threshold=2})))' | FileCheck %s --check-prefixes=CHECK,TWO

cuda_tile.module @m {
  // CHECK-LABEL: testing$func @less
  // CHECK-SAME: (%[[LOWER:.*]]: tile<i32>, %[[UPPER:.*]]: tile<i32>, %[[BOUND:.*]]: tile<i32>, %[[X:.*]]: tile<i32>)
  testing$func @less(%lower: tile<i32>, %upper: tile<i32>, %bound: tile<i32>, %x: tile<i32>) -> tile<i32> {
    %one = constant <i32: 1> : tile<i32>
    // ONE: %[[MIN:.*]] = mini %[[BOUND]], %[[UPPER]] signed
    // ONE-NEXT: %[[MAX:.*]] = maxi %[[BOUND]], %[[LOWER]] signed
    // ONE-NEXT: %[[LOW:.*]] = for {{.*}} in (%[[LOWER]] to %[[MIN]], step %{{.*}}) : tile<i32> iter_values({{.*}} = %[[X]])
    // ONE-NOT: if
    // ONE: addi
    // ONE: continue
    // ONE: for {{.*}} in (%[[MAX]] to %[[UPPER]], step %{{.*}}) : tile<i32> iter_values({{.*}} = %[[LOW]])
    // ONE-NOT: if
    // ONE: muli
    // ONE: continue
    // TWO: for
    // TWO: if
    %r = for %i in (%lower to %upper, step %one) : tile<i32> iter_values(%v = %x) -> (tile<i32>) {
      %c = cmpi less_than %i, %bound, signed : tile<i32> -> tile<i1>
      %next = if %c -> (tile<i32>) {
        %s = addi %v, %i : tile<i32>
        yield %s : tile<i32>
      } else {
        yield %v : tile<i32>
      }
      %p = muli %next, %i : tile<i32>
      continue %p : tile<i32>
    }
    return %r : tile<i32>
  }

  // The bound belongs to the first loop; indices are a step apart.
  // CHECK-LABEL: testing$func @greater_with_step
  // CHECK-SAME: (%[[LOWER:.*]]: tile<i32>, %[[UPPER:.*]]: tile<i32>, %[[BOUND:.*]]: tile<i32>, %[[STEP:.*]]: tile<i32>)
  testing$func @greater_with_step(%lower: tile<i32>, %upper: tile<i32>, %bound: tile<i32>, %step: tile<i32>) -> tile<i32> {
    // CHECK: remi {{.*}} unsigned
    // CHECK: for {{.*}} in (%[[LOWER]] to %[[PIVOT:.*]], step %[[STEP]])
    // CHECK-NOT: negi
    // CHECK: continue
    // CHECK: for {{.*}} in (%[[PIVOT]] to %[[UPPER]], step %[[STEP]])
    // CHECK: negi
    // CHECK: addi
    // CHECK: continue
    %r = for %i in (%lower to %upper, step %step) : tile<i32> iter_values(%v = %lower) -> (tile<i32>) {
      %c = cmpi less_than %bound, %i, signed : tile<i32> -> tile<i1>
      %next = if %c -> (tile<i32>) {
        %s = negi %v : tile<i32>
        %t = addi %s, %i : tile<i32>
        yield %t : tile<i32>
      } else {
        yield %v : tile<i32>
      }
      continue %next : tile<i32>
    }
    return %r : tile<i32>
  }

  // The attribute counts more than the option.
  // CHECK-LABEL: testing$func @attribute
  testing$func @attribute(%lower: tile<i32>, %upper: tile<i32>, %bound: tile<i32>, %p: tile<ptr<i32>>) {
    %one = constant <i32: 1> : tile<i32>
    // CHECK: for
    // CHECK: if
    for %i in (%lower to %upper, step %one) : tile<i32> attributes {loop_split_threshold = 0 : i64} {
      %c = cmpi less_than %i, %bound, signed : tile<i32> -> tile<i1>
      if %c {
        %s = addi %i, %i : tile<i32>
        %t = store_ptr_tko weak %p, %s : tile<ptr<i32>>, tile<i32> -> token
      }
    }
    return
  }

  // CHECK-LABEL: testing$func @kept
  testing$func @kept(%lower: tile<i32>, %upper: tile<i32>, %bound: tile<i32>, %p: tile<ptr<i32>>) {
    %one = constant <i32: 1> : tile<i32>
    // The comparison reads the index without sign, the loop with.
    // CHECK: for
    // CHECK: if
    for %i in (%lower to %upper, step %one) : tile<i32> {
      %c = cmpi less_than %i, %bound, unsigned : tile<i32> -> tile<i1>
      if %c {
        %s = addi %i, %i : tile<i32>
        %t = store_ptr_tko weak %p, %s : tile<ptr<i32>>, tile<i32> -> token
      }
    }
    // The bound changes from trip to trip.
    // CHECK: for
    // CHECK: if
    for %i in (%lower to %upper, step %one) : tile<i32> {
      %double = addi %bound, %i : tile<i32>
      %c = cmpi less_than %i, %double, signed : tile<i32> -> tile<i1>
      if %c {
        %s = addi %i, %i : tile<i32>
        %t = store_ptr_tko weak %p, %s : tile<ptr<i32>>, tile<i32> -> token
      }
    }
    return
  }

  // `<=`: the split point is behind the bound, which must not wrap.
  // ONE-LABEL: testing$func @less_or_equal
  // ONE-SAME: (%[[LOWER:.*]]: tile<i32>, %[[UPPER:.*]]: tile<i32>, %[[BOUND:.*]]: tile<i32>)
  testing$func @less_or_equal(%lower: tile<i32>, %upper: tile<i32>, %bound: tile<i32>) {
    %one = constant <i32: 1> : tile<i32>
    // ONE: %[[LAST:.*]] = subi %[[UPPER]], %{{.*}}
    // ONE: %[[NEAR:.*]] = mini %[[BOUND]], %[[LAST]] signed
    // ONE: %[[SPLIT:.*]] = addi %[[NEAR]], %{{.*}}
    // ONE-NEXT: %[[MIN:.*]] = mini %[[SPLIT]], %[[UPPER]] signed
    // ONE-NEXT: %[[MAX:.*]] = maxi %[[SPLIT]], %[[LOWER]] signed
    // ONE-NEXT: for {{.*}} in (%[[LOWER]] to %[[MIN]],
    // ONE: for {{.*}} in (%[[MAX]] to %[[UPPER]],
    for %i in (%lower to %upper, step %one) : tile<i32> {
      %c = cmpi less_than_or_equal %i, %bound, signed : tile<i32> -> tile<i1>
      if %c {
        print_tko "%d", %i : tile<i32> -> token
      }
    }
    return
  }

  // Constants: the sums are known to fit.
  // ONE-LABEL: testing$func @constants
  // ONE-SAME: (%[[UPPER:.*]]: tile<i32>)
  testing$func @constants(%upper: tile<i32>) {
    %lower = constant <i32: 1> : tile<i32>
    %step = constant <i32: 3> : tile<i32>
    %bound = constant <i32: 10> : tile<i32>
    // ONE: %[[SPLIT:.*]] = addi %{{.*}}, %{{.*}}
    // ONE-NEXT: %[[DISTANCE:.*]] = subi %[[SPLIT]], %[[LOWER:.*]] : tile<i32>
    // ONE-NEXT: %[[COUNT:.*]] = divi %[[DISTANCE]], %[[STEP:.*]] signed rounding<positive_inf>
    // ONE-NEXT: %[[LENGTH:.*]] = muli %[[COUNT]], %[[STEP]]
    // ONE-NEXT: %[[POINT:.*]] = addi %[[LOWER]], %[[LENGTH]]
    // ONE-NEXT: %[[MIN:.*]] = mini %[[POINT]], %[[UPPER]] signed
    // ONE-NEXT: %[[MAX:.*]] = maxi %[[POINT]], %[[LOWER]] signed
    // ONE-NEXT: for {{.*}} in (%[[LOWER]] to %[[MIN]], step %[[STEP]])
    // ONE: for {{.*}} in (%[[MAX]] to %[[UPPER]], step %[[STEP]])
    for %i in (%lower to %upper, step %step) : tile<i32> {
      %c = cmpi greater_than %i, %bound, signed : tile<i32> -> tile<i1>
      if %c {
        print_tko "%d", %i : tile<i32> -> token
      }
    }
    return
  }

  // All `if`s of the body on one comparison go; others see a constant.
  // ONE-LABEL: testing$func @several
  testing$func @several(%lower: tile<i32>, %upper: tile<i32>, %bound: tile<i32>, %c2: tile<i1>) {
    %one = constant <i32: 1> : tile<i32>
    // ONE: for
    // ONE: %[[FALSE:.*]] = constant <i1: false>
    // ONE-NOT: if %[[FALSE]] {
    // ONE: if %{{.*}} {
    // ONE: if %[[FALSE]] {
    // ONE: for
    // ONE: %[[TRUE:.*]] = constant <i1: true>
    // ONE: print_tko "first"
    // ONE: print_tko "second"
    // ONE: if %{{.*}} {
    // ONE: if %[[TRUE]] {
    for %i in (%lower to %upper, step %one) : tile<i32> {
      %c = cmpi greater_than_or_equal %i, %bound, signed : tile<i32> -> tile<i1>
      if %c {
        print_tko "first" -> token
      }
      if %c {
        print_tko "second" -> token
      }
      if %c2 {
        if %c {
          print_tko "inner" -> token
        }
      }
    }
    return
  }

  // A branch that continues ends the body of its half.
  // ONE-LABEL: testing$func @continues
  // ONE-SAME: (%{{.*}}: tile<i32>, %{{.*}}: tile<i32>, %{{.*}}: tile<i32>)
  testing$func @continues(%lower: tile<i32>, %upper: tile<i32>, %bound: tile<i32>) -> tile<i32> {
    %one = constant <i32: 1> : tile<i32>
    // ONE: for
    // ONE: %[[SUM:.*]] = addi
    // ONE-NEXT: continue %[[SUM]]
    // ONE: for
    // ONE-NOT: addi
    // ONE: %[[PRODUCT:.*]] = muli
    // ONE-NEXT: continue %[[PRODUCT]]
    %r = for %i in (%lower to %upper, step %one) : tile<i32> iter_values(%v = %one) -> (tile<i32>) {
      %c = cmpi less_than %i, %bound, signed : tile<i32> -> tile<i1>
      if %c {
        %s = addi %v, %i : tile<i32>
        continue %s : tile<i32>
      }
      %p = muli %v, %i : tile<i32>
      continue %p : tile<i32>
    }
    return %r : tile<i32>
  }

  // An `if` of an inner loop on the outer one's index; the attribute of the `if`.
  // ONE-LABEL: testing$func @deep
  testing$func @deep(%lower: tile<i32>, %upper: tile<i32>, %bound: tile<i32>) {
    %one = constant <i32: 1> : tile<i32>
    // ONE: for
    // ONE: for
    // ONE: constant <i1: true>
    // ONE: for
    // ONE: for
    // ONE: constant <i1: false>
    for %i in (%lower to %upper, step %one) : tile<i32> {
      for %j in (%lower to %upper, step %one) : tile<i32> {
        %c = cmpi less_than %i, %bound, signed : tile<i32> -> tile<i1>
        if %c {
          print_tko "inner" -> token
        } {cuda_tile.loop_split = 1 : i64}
      }
    }
    // ONE: for
    // ONE-NOT: for
    // ONE: return
    for %i in (%lower to %upper, step %one) : tile<i32> {
      %c = cmpi less_than %i, %bound, signed : tile<i32> -> tile<i1>
      if %c {
        print_tko "never" -> token
      } {cuda_tile.loop_split = 0 : i64}
    }
    return
  }
}
