// Family control: a loop is a block that tests and a block that works; what it carries
// stays in registers.

// RUN: cuda-tile-compile %s --gpu sm_80 --emit=ptx | FileCheck %s

cuda_tile.module @kernels {
  // Signed bounds: the test is a signed one.
  // CHECK-LABEL: .entry signed(
  // CHECK: setp.{{ge|lt|le|gt}}.s32
  // CHECK: bra
  // CHECK-NOT: .local
  // CHECK: ret
  entry @signed(%p: tile<ptr<i32>>, %low: tile<i32>, %high: tile<i32>, %step: tile<i32>) {
    %x = constant <i32: 1> : tile<i32>
    %sum = for %i in (%low to %high, step %step) : tile<i32> iter_values(%acc = %x) -> (tile<i32>) {
      %next = muli %acc, %i : tile<i32>
      continue %next : tile<i32>
    }
    %s = store_ptr_tko weak %p, %sum : tile<ptr<i32>>, tile<i32> -> token
    return
  }

  // CHECK-LABEL: .entry unsigned(
  // CHECK: setp.{{ge|lt|le|gt}}.u32
  entry @unsigned(%p: tile<ptr<i32>>, %low: tile<i32>, %high: tile<i32>, %step: tile<i32>) {
    %x = constant <i32: 1> : tile<i32>
    %sum = for unsigned %i in (%low to %high, step %step) : tile<i32> iter_values(%acc = %x) -> (tile<i32>) {
      %next = muli %acc, %i : tile<i32>
      continue %next : tile<i32>
    }
    %s = store_ptr_tko weak %p, %sum : tile<ptr<i32>>, tile<i32> -> token
    return
  }

  // A branch per region and one place where they meet; a value that both yield is an
  // argument there, not memory.
  // CHECK-LABEL: .entry branches(
  // CHECK: setp.{{eq|ne}}.b32
  // CHECK: bra
  // CHECK-NOT: .local
  // CHECK: st.global
  // CHECK: ret
  entry @branches(%p: tile<ptr<i32>>, %n: tile<i32>, %m: tile<i32>) {
    %c = cmpi equal %n, %m, signed : tile<i32> -> tile<i1>
    %r = if %c -> (tile<i32>) {
      %x, %a = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
      yield %x : tile<i32>
    } else {
      yield %n : tile<i32>
    }
    %s = store_ptr_tko weak %p, %r : tile<ptr<i32>>, tile<i32> -> token
    return
  }

  // Ops behind an `if` that control never leaves are not emitted, nor is the end of a
  // loop that nothing breaks.
  // CHECK: .entry early(
  // CHECK-NOT: 99
  // CHECK: .entry beyond(
  entry @early(%p: tile<ptr<i32>>, %c: tile<i1>) {
    %x = constant <i32: 1> : tile<i32>
    %y = constant <i32: 99> : tile<i32>
    if %c {
      return
    } else {
      %s = store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token
      return
    }
    %t = store_ptr_tko weak %p, %y : tile<ptr<i32>>, tile<i32> -> token
    return
  }

  // Where the next index may be beyond its type, the distance to the bound is compared.
  // CHECK: sub.s32
  // CHECK: setp.{{ge|lt|le|gt}}.u32
  // CHECK: ret
  entry @beyond(%p: tile<ptr<i32>>, %low: tile<i32>, %high: tile<i32>) {
    %three = constant <i32: 3> : tile<i32>
    for %i in (%low to %high, step %three) : tile<i32> {
      %s = store_ptr_tko weak %p, %i : tile<ptr<i32>>, tile<i32> -> token
    }
    return
  }
}
