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
}
