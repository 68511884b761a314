// What MLIR's own passes may do with our ops: each RUN line is one pass.

// RUN: cuda-tile-opt %s -split-input-file -loop-invariant-code-motion | FileCheck %s --check-prefixes=CHECK,LICM
// RUN: cuda-tile-opt %s -split-input-file -sccp | FileCheck %s --check-prefixes=CHECK,SCCP
// RUN: cuda-tile-opt %s -split-input-file -remove-dead-values | FileCheck %s --check-prefixes=CHECK,DEAD
// RUN: cuda-tile-opt %s -split-input-file -pass-pipeline="builtin.module(cuda_tile.module(symbol-dce))" | FileCheck %s --check-prefixes=CHECK,SYMBOLS
// RUN: cuda-tile-opt %s -split-input-file -inline | FileCheck %s --check-prefixes=CHECK,INLINE --allow-unused-prefixes

// A division runs early only if its divisor is known to be harmless.
cuda_tile.module @m {
  // CHECK-LABEL: testing$func @division
  // LICM: %[[KNOWN:.*]] = divi
  // LICM: for
  // LICM: divi
  // LICM: remi
  // LICM: continue
  testing$func @division(%n: tile<i32>, %x: tile<i32>) -> tile<i32> {
    %three = constant <i32: 3> : tile<i32>
    %r = for %i in (%n to %n, step %three) : tile<i32> iter_values(%v = %x) -> (tile<i32>) {
      %known = divi %x, %three signed : tile<i32>
      %unknown = divi %x, %n signed : tile<i32>
      %rest = remi %x, %n unsigned : tile<i32>
      %s = addi %known, %unknown : tile<i32>
      %t = addi %s, %rest : tile<i32>
      continue %t : tile<i32>
    }
    return %r : tile<i32>
  }
}

// -----

// What a loop carries is constant if it stays so.
cuda_tile.module @m {
  // CHECK-LABEL: testing$func @constant_loop
  // SCCP: %[[C:.*]] = constant <i32: 5>
  // SCCP: return %[[C]]
  testing$func @constant_loop(%n: tile<i32>) -> tile<i32> {
    %five = constant <i32: 5> : tile<i32>
    %r = for %i in (%n to %n, step %n) : tile<i32> iter_values(%v = %five) -> (tile<i32>) {
      continue %v : tile<i32>
    }
    return %r : tile<i32>
  }

  // An early exit carries something else.
  // CHECK-LABEL: testing$func @early
  // SCCP: %[[R:.*]] = for
  // SCCP: return %[[R]]
  // DEAD: iter_values
  // DEAD: continue %
  testing$func @early(%n: tile<i32>, %c: tile<i1>) -> tile<i32> {
    %five = constant <i32: 5> : tile<i32>
    %six = constant <i32: 6> : tile<i32>
    %r = for %i in (%n to %n, step %n) : tile<i32> iter_values(%v = %five) -> (tile<i32>) {
      if %c {
        continue %six : tile<i32>
      }
      continue %v : tile<i32>
    }
    return %r : tile<i32>
  }

  // CHECK-LABEL: testing$func @broken
  // SCCP: %[[R:.*]] = loop
  // SCCP: return %[[R]]
  testing$func @broken(%c: tile<i1>) -> tile<i32> {
    %five = constant <i32: 5> : tile<i32>
    %six = constant <i32: 6> : tile<i32>
    %r = loop -> tile<i32> {
      if %c {
        break %five : tile<i32>
      }
      break %six : tile<i32>
    }
    return %r : tile<i32>
  }
}

// -----

// Values that nobody looks at go; an op that leaves a loop stays.
cuda_tile.module @m {
  // CHECK-LABEL: testing$func @dead
  // DEAD: for
  // DEAD-NOT: addi
  // DEAD: loop {
  // DEAD-NEXT: print_tko
  // DEAD-NEXT: if
  // DEAD-NEXT: break
  // DEAD-NOT: addi
  // DEAD: return
  testing$func @dead(%n: tile<i32>, %c: tile<i1>) {
    %r = for %i in (%n to %n, step %n) : tile<i32> iter_values(%v = %n) -> (tile<i32>) {
      %next = addi %v, %n : tile<i32>
      continue %next : tile<i32>
    }
    loop {
      %t = print_tko "x" -> token
      if %c {
        break
      }
      %unused = addi %n, %n : tile<i32>
      continue
    }
    return
  }
}

// -----

// A private global that nobody names is not needed; entries are.
cuda_tile.module @m {
  // SYMBOLS-NOT: @unused
  global private @unused <i8: [1]> : tile<1xi8>
  // CHECK: global @public
  global @public <i8: [1]> : tile<1xi8>
  // CHECK: global private @used
  global private @used <i8: [1]> : tile<1xi8>
  // CHECK: entry @kernel
  entry @kernel() {
    %p = get_global @used : tile<ptr<i8>>
    %t = make_token : token
    %x, %t1 = load_ptr_tko weak %p token=%t : tile<ptr<i8>> -> tile<i8>, token
    %t2 = store_ptr_tko weak %p, %x token=%t1 : tile<ptr<i8>>, tile<i8> -> token
    // CHECK: return
    return
  }
}
