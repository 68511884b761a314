// RUN: cuda-tile-opt %s -split-input-file -canonicalize | FileCheck %s

cuda_tile.module @m {
  // CHECK-LABEL: testing$func @empty_loop
  // CHECK-SAME: (%[[X:.*]]: tile<i32>)
  testing$func @empty_loop(%x: tile<i32>) -> tile<i32> {
    %ten = constant <i32: 10> : tile<i32>
    %minus = constant <i32: -1> : tile<i32>
    // CHECK-NEXT: return %[[X]]
    %r = for %i in (%ten to %minus, step %ten) : tile<i32> iter_values(%v = %x) -> (tile<i32>) {
      %next = addi %v, %i : tile<i32>
      continue %next : tile<i32>
    }
    return %r : tile<i32>
  }

  // As unsigned numbers, 10 is less than -1.
  // CHECK-LABEL: testing$func @unsigned_loop
  testing$func @unsigned_loop(%x: tile<i32>) -> tile<i32> {
    %ten = constant <i32: 10> : tile<i32>
    %minus = constant <i32: -1> : tile<i32>
    // CHECK: for unsigned
    %r = for unsigned %i in (%ten to %minus, step %ten) : tile<i32> iter_values(%v = %x) -> (tile<i32>) {
      %next = addi %v, %i : tile<i32>
      continue %next : tile<i32>
    }
    return %r : tile<i32>
  }
}

// -----

cuda_tile.module @m {
  // CHECK-LABEL: testing$func @static
  // CHECK-SAME: (%[[X:.*]]: tile<i32>, %[[P:.*]]: tile<ptr<i32>>)
  testing$func @static(%x: tile<i32>, %p: tile<ptr<i32>>) -> tile<i32> {
    %true = constant <i1: true> : tile<i1>
    // CHECK-NEXT: %[[A:.*]] = addi %[[X]], %[[X]]
    %r = if %true -> (tile<i32>) {
      %a = addi %x, %x : tile<i32>
      yield %a : tile<i32>
    } else {
      yield %x : tile<i32>
    }
    // CHECK-NEXT: return %[[A]]
    if %true {
      return %r : tile<i32>
    }
    %t = store_ptr_tko weak %p, %r : tile<ptr<i32>>, tile<i32> -> token
    return %x : tile<i32>
  }

  // CHECK-LABEL: testing$func @results
  // CHECK-SAME: (%[[C:.*]]: tile<i1>, %[[X:.*]]: tile<i32>, %[[Y:.*]]: tile<i32>)
  testing$func @results(%c: tile<i1>, %x: tile<i32>, %y: tile<i32>) -> (tile<i32>, tile<i32>) {
    // CHECK-NEXT: %[[S:.*]] = select %[[C]], %[[X]], %[[Y]]
    %r:3 = if %c -> (tile<i32>, tile<i32>, tile<i32>) {
      yield %x, %x, %y : tile<i32>, tile<i32>, tile<i32>
    } else {
      yield %x, %y, %x : tile<i32>, tile<i32>, tile<i32>
    }
    // CHECK-NEXT: return %[[X]], %[[S]]
    return %r#0, %r#1 : tile<i32>, tile<i32>
  }

  // CHECK-LABEL: testing$func @inverted
  // CHECK-SAME: (%[[C:.*]]: tile<i1>, %[[X:.*]]: tile<i32>, %[[P:.*]]: tile<ptr<i32>>, %[[Q:.*]]: tile<ptr<i32>>)
  testing$func @inverted(%c: tile<i1>, %x: tile<i32>, %p: tile<ptr<i32>>, %q: tile<ptr<i32>>) {
    %true = constant <i1: true> : tile<i1>
    %not = xori %c, %true : tile<i1>
    // CHECK-NEXT: if %[[C]] {
    // CHECK-NEXT: store_ptr_tko weak %[[Q]]
    // CHECK-NEXT: } else {
    // CHECK-NEXT: store_ptr_tko weak %[[P]]
    // CHECK-NEXT: }
    if %not {
      %t = store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token
    } else {
      %t = store_ptr_tko weak %q, %x : tile<ptr<i32>>, tile<i32> -> token
    }
    // CHECK-NEXT: return
    return
  }

  // CHECK-LABEL: testing$func @merged
  // CHECK-SAME: (%[[C:.*]]: tile<i1>, %[[D:.*]]: tile<i1>, %[[X:.*]]: tile<i32>, %[[P:.*]]: tile<ptr<i32>>, %[[Q:.*]]: tile<ptr<i32>>)
  testing$func @merged(%c: tile<i1>, %d: tile<i1>, %x: tile<i32>, %p: tile<ptr<i32>>, %q: tile<ptr<i32>>) {
    // CHECK-NEXT: %[[BOTH:.*]] = andi %[[C]], %[[D]]
    // CHECK-NEXT: if %[[BOTH]] {
    // CHECK-NEXT: store_ptr_tko weak %[[P]]
    // CHECK-NEXT: }
    if %c {
      if %d {
        %t = store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token
      }
    }
    // CHECK-NEXT: if %[[C]] {
    // CHECK-NEXT: store_ptr_tko weak %[[P]]
    // CHECK-NEXT: store_ptr_tko weak %[[Q]]
    // CHECK-NEXT: }
    if %c {
      %t = store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token
    } else {
    }
    if %c {
      %t = store_ptr_tko weak %q, %x : tile<ptr<i32>>, tile<i32> -> token
    }
    // CHECK-NEXT: return
    return
  }

  // CHECK-LABEL: testing$func @terminator
  // CHECK-SAME: (%[[C:.*]]: tile<i1>, %[[X:.*]]: tile<i32>, %[[P:.*]]: tile<ptr<i32>>, %[[Q:.*]]: tile<ptr<i32>>)
  testing$func @terminator(%c: tile<i1>, %x: tile<i32>, %p: tile<ptr<i32>>, %q: tile<ptr<i32>>) {
    // CHECK-NEXT: if %[[C]] {
    // CHECK-NEXT: store_ptr_tko weak %[[P]]
    // CHECK-NEXT: return
    // CHECK-NEXT: }
    // CHECK-NEXT: store_ptr_tko weak %[[Q]]
    // CHECK-NEXT: return
    if %c {
      %t = store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token
      return
    } else {
      %t = store_ptr_tko weak %q, %x : tile<ptr<i32>>, tile<i32> -> token
      return
    }
    // CHECK-NOT: store
    %t = store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  // A result is a `select` where both values are there; the rest stays.
  // CHECK-LABEL: testing$func @partial_select
  // CHECK-SAME: (%[[C:.*]]: tile<i1>, %[[X:.*]]: tile<i32>, %[[Y:.*]]: tile<i32>, %[[T:.*]]: tile<4xi32>, %[[P:.*]]: tile<ptr<i8>>)
  testing$func @partial_select(%c: tile<i1>, %x: tile<i32>, %y: tile<i32>, %t: tile<4xi32>, %p: tile<ptr<i8>>) -> (tile<i32>, tile<4xi32>, tile<ptr<i8>>) {
    // CHECK-NEXT: %[[S:.*]] = select %[[C]], %[[X]], %[[Y]] : tile<i1>, tile<i32>
    // CHECK-NEXT: %[[R:.*]] = if %[[C]] -> (tile<4xi32>) {
    // CHECK-NEXT: absi
    // CHECK-NEXT: yield
    // CHECK-NEXT: } else {
    // CHECK-NEXT: yield %[[T]]
    // CHECK-NEXT: }
    // CHECK-NEXT: return %[[S]], %[[R]], %[[P]]
    %r:3 = if %c -> (tile<i32>, tile<4xi32>, tile<ptr<i8>>) {
      %a = absi %t : tile<4xi32>
      yield %x, %a, %p : tile<i32>, tile<4xi32>, tile<ptr<i8>>
    } else {
      yield %y, %t, %p : tile<i32>, tile<4xi32>, tile<ptr<i8>>
    }
    return %r#0, %r#1, %r#2 : tile<i32>, tile<4xi32>, tile<ptr<i8>>
  }

  // Neighbours on one condition, with results: the second sees what the first
  // yields.
  // CHECK-LABEL: testing$func @merged_results
  // CHECK-SAME: (%[[C:.*]]: tile<i1>, %[[X:.*]]: tile<4xi32>)
  testing$func @merged_results(%c: tile<i1>, %x: tile<4xi32>) -> (tile<4xi32>, tile<4xi32>) {
    // CHECK-NEXT: %[[R:.*]]:2 = if %[[C]] -> (tile<4xi32>, tile<4xi32>) {
    // CHECK-NEXT: %[[A:.*]] = absi %[[X]]
    // CHECK-NEXT: %[[B:.*]] = negi %[[A]]
    // CHECK-NEXT: yield %[[A]], %[[B]]
    // CHECK-NEXT: } else {
    // CHECK-NEXT: yield %[[X]], %[[X]]
    // CHECK-NEXT: }
    // CHECK-NEXT: return %[[R]]#0, %[[R]]#1
    %r = if %c -> (tile<4xi32>) {
      %a = absi %x : tile<4xi32>
      yield %a : tile<4xi32>
    } else {
      yield %x : tile<4xi32>
    }
    %s = if %c -> (tile<4xi32>) {
      %b = negi %r : tile<4xi32>
      yield %b : tile<4xi32>
    } else {
      yield %r : tile<4xi32>
    }
    return %r, %s : tile<4xi32>, tile<4xi32>
  }

  // CHECK-LABEL: testing$func @merged_opposites
  // CHECK-SAME: (%[[C:.*]]: tile<i1>, %[[X:.*]]: tile<i32>, %[[P:.*]]: tile<ptr<i32>>, %[[Q:.*]]: tile<ptr<i32>>)
  testing$func @merged_opposites(%c: tile<i1>, %x: tile<i32>, %p: tile<ptr<i32>>, %q: tile<ptr<i32>>) {
    %true = constant <i1: true> : tile<i1>
    %not = xori %c, %true : tile<i1>
    // CHECK: if %[[C]] {
    // CHECK-NEXT: store_ptr_tko weak %[[P]]
    // CHECK-NEXT: } else {
    // CHECK-NEXT: store_ptr_tko weak %[[Q]]
    // CHECK-NEXT: }
    // CHECK-NEXT: return
    if %c {
      %t = store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token
    }
    if %not {
      %t = store_ptr_tko weak %q, %x : tile<ptr<i32>>, tile<i32> -> token
    }
    return
  }

  // CHECK-LABEL: testing$func @nested_results
  // CHECK-SAME: (%[[C:.*]]: tile<i1>, %[[D:.*]]: tile<i1>, %[[X:.*]]: tile<4xi32>)
  testing$func @nested_results(%c: tile<i1>, %d: tile<i1>, %x: tile<4xi32>) -> tile<4xi32> {
    // CHECK-NEXT: %[[BOTH:.*]] = andi %[[C]], %[[D]]
    // CHECK-NEXT: %[[R:.*]] = if %[[BOTH]] -> (tile<4xi32>) {
    // CHECK-NEXT: %[[A:.*]] = absi %[[X]]
    // CHECK-NEXT: yield %[[A]]
    // CHECK-NEXT: } else {
    // CHECK-NEXT: yield %[[X]]
    // CHECK-NEXT: }
    // CHECK-NEXT: return %[[R]]
    %r = if %c -> (tile<4xi32>) {
      %s = if %d -> (tile<4xi32>) {
        %a = absi %x : tile<4xi32>
        yield %a : tile<4xi32>
      } else {
        yield %x : tile<4xi32>
      }
      yield %s : tile<4xi32>
    } else {
      yield %x : tile<4xi32>
    }
    return %r : tile<4xi32>
  }

  // CHECK-LABEL: testing$func @terminator_values
  // CHECK-SAME: (%[[C:.*]]: tile<i1>, %[[X:.*]]: tile<4xi32>)
  testing$func @terminator_values(%c: tile<i1>, %x: tile<4xi32>) -> tile<4xi32> {
    // CHECK-NEXT: if %[[C]] {
    // CHECK-NEXT: %[[A:.*]] = absi %[[X]]
    // CHECK-NEXT: return %[[A]]
    // CHECK-NEXT: }
    // CHECK-NEXT: return %[[X]]
    if %c {
      %a = absi %x : tile<4xi32>
      return %a : tile<4xi32>
    } else {
      return %x : tile<4xi32>
    }
    // CHECK-NOT: negi
    %r = negi %x : tile<4xi32>
    return %r : tile<4xi32>
  }

  // The results of an `if` one of whose branches leaves are what the other yields.
  // CHECK-LABEL: testing$func @one_leaves
  // CHECK-SAME: (%[[C:.*]]: tile<i1>, %[[X:.*]]: tile<i32>, %[[Y:.*]]: tile<i32>)
  testing$func @one_leaves(%c: tile<i1>, %x: tile<i32>, %y: tile<i32>) -> tile<i32> {
    // CHECK-NEXT: if %[[C]] {
    // CHECK-NEXT: return %[[X]]
    // CHECK-NEXT: }
    // CHECK-NEXT: %[[R:.*]] = negi %[[Y]]
    // CHECK-NEXT: return %[[R]]
    %v = if %c -> (tile<i32>) {
      return %x : tile<i32>
    } else {
      yield %y : tile<i32>
    }
    %r = negi %v : tile<i32>
    return %r : tile<i32>
  }

  // Behind a branch that leaves, nothing of the next `if` is reached.
  // CHECK-LABEL: testing$func @merged_behind_leaving
  // CHECK-SAME: (%[[C:.*]]: tile<i1>, %[[X:.*]]: tile<i32>, %[[P:.*]]: tile<ptr<i32>>, %[[Q:.*]]: tile<ptr<i32>>)
  testing$func @merged_behind_leaving(%c: tile<i1>, %x: tile<i32>, %p: tile<ptr<i32>>, %q: tile<ptr<i32>>) -> tile<i32> {
    // CHECK-NEXT: %[[R:.*]] = if %[[C]] -> (tile<i32>) {
    // CHECK-NEXT: return %[[X]]
    // CHECK-NEXT: } else {
    // CHECK-NEXT: store_ptr_tko weak %[[P]]
    // CHECK-NEXT: %[[N:.*]] = negi %[[X]]
    // CHECK-NEXT: store_ptr_tko weak %[[Q]], %[[N]]
    // CHECK-NEXT: yield %[[N]]
    // CHECK-NEXT: }
    // CHECK-NEXT: return %[[R]]
    if %c {
      return %x : tile<i32>
    } else {
      %t = store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token
    }
    %r = if %c -> (tile<i32>) {
      %a = absi %x : tile<i32>
      yield %a : tile<i32>
    } else {
      %n = negi %x : tile<i32>
      %t = store_ptr_tko weak %q, %n : tile<ptr<i32>>, tile<i32> -> token
      yield %n : tile<i32>
    }
    return %r : tile<i32>
  }

  // A tile is selected by a condition of its shape.
  // CHECK-LABEL: testing$func @select_tiles
  // CHECK-SAME: (%[[C:.*]]: tile<i1>, %[[X:.*]]: tile<2x4xi32>, %[[Y:.*]]: tile<2x4xi32>)
  testing$func @select_tiles(%c: tile<i1>, %x: tile<2x4xi32>, %y: tile<2x4xi32>) -> tile<2x4xi32> {
    // CHECK-NEXT: %[[ONE:.*]] = reshape %[[C]] : tile<i1> -> tile<1x1xi1>
    // CHECK-NEXT: %[[ALL:.*]] = broadcast %[[ONE]] : tile<1x1xi1> -> tile<2x4xi1>
    // CHECK-NEXT: %[[R:.*]] = select %[[ALL]], %[[X]], %[[Y]]
    // CHECK-NEXT: return %[[R]]
    %r = if %c -> (tile<2x4xi32>) {
      yield %x : tile<2x4xi32>
    } else {
      yield %y : tile<2x4xi32>
    }
    return %r : tile<2x4xi32>
  }

  // CHECK-LABEL: testing$func @select_inverse
  // CHECK-SAME: (%[[C:.*]]: tile<4xi1>)
  testing$func @select_inverse(%c: tile<4xi1>) -> tile<4xi32> {
    // CHECK: %[[N:.*]] = xori %[[C]], %{{.*}} : tile<4xi1>
    // CHECK-NEXT: exti %[[N]] unsigned : tile<4xi1> -> tile<4xi32>
    %zero = constant <i32: 0> : tile<4xi32>
    %one = constant <i32: 1> : tile<4xi32>
    %r = select %c, %zero, %one : tile<4xi1>, tile<4xi32>
    return %r : tile<4xi32>
  }
}
