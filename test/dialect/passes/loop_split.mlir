// RUN: cuda-tile-opt %s -pass-pipeline='builtin.module(cuda_tile.module(any(loop-split)))' | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: cuda-tile-opt %s -pass-pipeline='builtin.module(cuda_tile.module(any(loop-split{split-threshold=2})))' | FileCheck %s --check-prefixes=CHECK,TWO

cuda_tile.module @m {
  // CHECK-LABEL: testing$func @less
  // CHECK-SAME: (%[[LOWER:.*]]: tile<i32>, %[[UPPER:.*]]: tile<i32>, %[[BOUND:.*]]: tile<i32>, %[[X:.*]]: tile<i32>)
  testing$func @less(%lower: tile<i32>, %upper: tile<i32>, %bound: tile<i32>, %x: tile<i32>) -> tile<i32> {
    %one = constant <i32: 1> : tile<i32>
    // ONE: %[[MIN:.*]] = mini %[[BOUND]], %[[UPPER]] signed
    // ONE: %[[PIVOT:.*]] = maxi %[[MIN]], %[[LOWER]] signed
    // ONE: %[[LOW:.*]] = for {{.*}} in (%[[LOWER]] to %[[PIVOT]], step %{{.*}}) : tile<i32> iter_values({{.*}} = %[[X]])
    // ONE-NOT: if
    // ONE: addi
    // ONE: continue
    // ONE: for {{.*}} in (%[[PIVOT]] to %[[UPPER]], step %{{.*}}) : tile<i32> iter_values({{.*}} = %[[LOW]])
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
}
