// Places in shared memory: what does not live at the same time shares bytes, and what
// does not fit is refused with every buffer's size.

// RUN: cuda-tile-opt %s --cuda-tile-allocate | FileCheck %s

!row = !tileas.buffer<1024xf32, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0, 128@0, 256@0, 512@0)>>
!tiny = !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>
!lane = !cuda_tile.tile<1024xf32, #cute.layout<((1@0, 2@0, 4@0, 8@0, 16@0), (32@0, 64@0, 128@0, 256@0, 512@0), (), ())>>
!four = !cuda_tile.tile<4xf32, #cute.layout<((), (1@0, 2@0, 0, 0, 0), (), ())>>

cuda_tile.module @kernels {
  // One after another: the same 4096 bytes.
  // CHECK-LABEL: entry @reused
  // CHECK-SAME: tileas.shared_bytes = 4096
  // CHECK: alloc_shared offset = 0
  // CHECK: alloc_shared offset = 0
  entry @reused() attributes {tileas.target = "sm_90", tileas.plan = {num_warps = 1 : i64}} {
    %x = constant <f32: 1.0> : !lane
    %a = tileas.alloc_shared : !row
    tileas.store_shared %x, %a : !lane, !row
    %y = tileas.load_shared %a[0] : !row -> !lane
    %b = tileas.alloc_shared : !row
    tileas.store_shared %y, %b : !lane, !row
    %z = tileas.load_shared %b[0] : !row -> !lane
    return
  }

  // Both at once: two places, the smaller one rounded up to 128 bytes.
  // CHECK-LABEL: entry @together
  // CHECK-SAME: tileas.shared_bytes = 4224
  // CHECK: alloc_shared offset = 4096
  // CHECK: alloc_shared offset = 0
  entry @together() attributes {tileas.target = "sm_90", tileas.plan = {num_warps = 1 : i64}} {
    %x = constant <f32: 1.0> : !lane
    %f = constant <f32: 1.0> : !four
    %a = tileas.alloc_shared : !tiny
    %b = tileas.alloc_shared : !row
    tileas.store_shared %f, %a : !four, !tiny
    tileas.store_shared %x, %b : !lane, !row
    %y = tileas.load_shared %b[0] : !row -> !lane
    %g = tileas.load_shared %a[0] : !tiny -> !four
    return
  }

  // A buffer from before a loop lives through all its iterations.
  // CHECK-LABEL: entry @loop
  // CHECK-SAME: tileas.shared_bytes = 8192
  entry @loop(%n: tile<i32>) attributes {tileas.target = "sm_90", tileas.plan = {num_warps = 1 : i64}} {
    %x = constant <f32: 1.0> : !lane
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %a = tileas.alloc_shared : !row
    tileas.store_shared %x, %a : !lane, !row
    for %i in (%z to %n, step %one) : tile<i32> {
      %y = tileas.load_shared %a[0] : !row -> !lane
      %b = tileas.alloc_shared : !row
      tileas.store_shared %y, %b : !lane, !row
      %w = tileas.load_shared %b[0] : !row -> !lane
    }
    return
  }

  // Only one branch of an `if` runs: both may have the same bytes. What is read after
  // both keeps its own.
  // CHECK-LABEL: entry @branches
  // CHECK-SAME: tileas.shared_bytes = 8192
  // CHECK: alloc_shared offset = 0
  // CHECK: alloc_shared offset = 4096
  // CHECK: alloc_shared offset = 4096
  entry @branches(%c: tile<i1>) attributes {tileas.target = "sm_90", tileas.plan = {num_warps = 1 : i64}} {
    %x = constant <f32: 1.0> : !lane
    %a = tileas.alloc_shared : !row
    tileas.store_shared %x, %a : !lane, !row
    if %c {
      %b = tileas.alloc_shared : !row
      tileas.store_shared %x, %b : !lane, !row
      %y = tileas.load_shared %b[0] : !row -> !lane
    } else {
      %d = tileas.alloc_shared : !row
      tileas.store_shared %x, %d : !lane, !row
      %z = tileas.load_shared %d[0] : !row -> !lane
    }
    %w = tileas.load_shared %a[0] : !row -> !lane
    return
  }

  // A loop hands two buffers on alternately: both live as long as either is read.
  // CHECK-LABEL: entry @carried
  // CHECK-SAME: tileas.shared_bytes = 12288
  entry @carried(%n: tile<i32>) attributes {tileas.target = "sm_90", tileas.plan = {num_warps = 1 : i64}} {
    %x = constant <f32: 1.0> : !lane
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %a = tileas.alloc_shared : !row
    %b = tileas.alloc_shared : !row
    tileas.store_shared %x, %a : !lane, !row
    tileas.store_shared %x, %b : !lane, !row
    %p, %q = for %i in (%z to %n, step %one) : tile<i32> iter_values(%v = %a, %w = %b) -> (!row, !row) {
      %y = tileas.load_shared %v[0] : !row -> !lane
      %c = tileas.alloc_shared : !row
      tileas.store_shared %y, %c : !lane, !row
      %s = tileas.load_shared %c[0] : !row -> !lane
      tileas.store_shared %s, %w : !lane, !row
      continue %w, %v : !row, !row
    }
    %u = tileas.load_shared %p[0] : !row -> !lane
    return
  }

  // Small buffers get bytes of their own: reusing some would cost a barrier.
  // CHECK-LABEL: entry @small
  // CHECK-SAME: tileas.shared_bytes = 256
  entry @small() attributes {tileas.target = "sm_90", tileas.plan = {num_warps = 1 : i64}} {
    %f = constant <f32: 1.0> : !four
    %a = tileas.alloc_shared : !tiny
    tileas.store_shared %f, %a : !four, !tiny
    %x = tileas.load_shared %a[0] : !tiny -> !four
    %b = tileas.alloc_shared : !tiny
    tileas.store_shared %x, %b : !four, !tiny
    %y = tileas.load_shared %b[0] : !tiny -> !four
    return
  }

  // CHECK-LABEL: entry @none
  // CHECK-SAME: tileas.shared_bytes = 0
  entry @none() attributes {tileas.target = "sm_90", tileas.plan = {num_warps = 1 : i64}} {
    return
  }
}
