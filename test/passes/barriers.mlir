// Barriers for shared memory, right before the access that needs them, as few as order
// demands; a second run adds none.

// RUN: cuda-tile-opt %s --cuda-tile-barriers -o %t.once
// RUN: FileCheck %s < %t.once
// RUN: cuda-tile-opt %t.once --cuda-tile-barriers | diff %t.once -

!buffer = !tileas.buffer<32xf32, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0)>>
!tile = !cuda_tile.tile<32xf32, #cute.layout<((), (1@0, 2@0, 4@0, 8@0, 16@0), (), ())>>

cuda_tile.module @kernels {
  // CHECK-LABEL: entry @store_load
  // CHECK: tileas.store_shared
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: tileas.load_shared
  // CHECK-NEXT: tileas.load_shared
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: tileas.store_shared
  // CHECK-NEXT: return
  entry @store_load() {
    %x = constant <f32: 1.0> : !tile
    %a = tileas.alloc_shared offset = 0 : !buffer
    tileas.store_shared %x, %a : !tile, !buffer
    %y = tileas.load_shared %a[0] : !buffer -> !tile
    %z = tileas.load_shared %a[0] : !buffer -> !tile
    tileas.store_shared %z, %a : !tile, !buffer
    return
  }

  // Two buffers at different places: one barrier serves both.
  // CHECK-LABEL: entry @apart
  // CHECK: tileas.store_shared
  // CHECK-NEXT: tileas.store_shared
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: tileas.load_shared
  // CHECK-NEXT: tileas.load_shared
  // CHECK-NOT: barrier
  // CHECK: return
  entry @apart() {
    %x = constant <f32: 1.0> : !tile
    %a = tileas.alloc_shared offset = 0 : !buffer
    %b = tileas.alloc_shared offset = 128 : !buffer
    tileas.store_shared %x, %a : !tile, !buffer
    tileas.store_shared %x, %b : !tile, !buffer
    %y = tileas.load_shared %a[0] : !buffer -> !tile
    %z = tileas.load_shared %b[0] : !buffer -> !tile
    return
  }

  // Two buffers at one place: the second store waits for the first one's readers.
  // CHECK-LABEL: entry @same_place
  // CHECK: tileas.load_shared
  // CHECK-NEXT: tileas.alloc_shared
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: tileas.store_shared
  entry @same_place() {
    %x = constant <f32: 1.0> : !tile
    %a = tileas.alloc_shared offset = 0 : !buffer
    tileas.store_shared %x, %a : !tile, !buffer
    %y = tileas.load_shared %a[0] : !buffer -> !tile
    %b = tileas.alloc_shared offset = 0 : !buffer
    tileas.store_shared %y, %b : !tile, !buffer
    %z = tileas.load_shared %b[0] : !buffer -> !tile
    return
  }

  // A loop: the load of one iteration comes before the store of the next.
  // CHECK-LABEL: entry @loop
  // CHECK: for
  // CHECK-NEXT: alloc_shared
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: tileas.store_shared
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: tileas.load_shared
  // CHECK-NOT: barrier
  // CHECK: return
  entry @loop(%n: tile<i32>) {
    %x = constant <f32: 1.0> : !tile
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    for %i in (%z to %n, step %one) : tile<i32> {
      %a = tileas.alloc_shared offset = 0 : !buffer
      tileas.store_shared %x, %a : !tile, !buffer
      %y = tileas.load_shared %a[0] : !buffer -> !tile
    }
    return
  }

  // A barrier that stands there already is enough.
  // CHECK-LABEL: entry @separated
  // CHECK-COUNT-1: tileas.barrier
  // CHECK-NOT: tileas.barrier
  // CHECK: return
  entry @separated() {
    %x = constant <f32: 1.0> : !tile
    %a = tileas.alloc_shared offset = 0 : !buffer
    tileas.store_shared %x, %a : !tile, !buffer
    tileas.barrier
    %y = tileas.load_shared %a[0] : !buffer -> !tile
    return
  }

  // A loop that may run no iteration orders nothing: what came before it is still pending
  // behind it, whatever barriers its body has.
  // CHECK-LABEL: entry @no_iteration
  // CHECK: tileas.load_shared
  // CHECK: for
  // CHECK: tileas.barrier
  // CHECK: }
  // CHECK: tileas.barrier
  // CHECK-NEXT: tileas.store_shared
  // CHECK-NEXT: return
  entry @no_iteration(%n: tile<i32>) {
    %x = constant <f32: 1.0> : !tile
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %a = tileas.alloc_shared offset = 0 : !buffer
    %y = tileas.load_shared %a[0] : !buffer -> !tile
    for %i in (%z to %n, step %one) : tile<i32> {
      tileas.barrier
      continue
    }
    tileas.store_shared %x, %a : !tile, !buffer
    return
  }

  // A loop that runs at least once and is left behind its barrier needs no other.
  // CHECK-LABEL: entry @first_iteration
  // CHECK-COUNT-1: tileas.barrier
  // CHECK-NOT: tileas.barrier
  // CHECK: return
  entry @first_iteration(%c: tile<i1>) {
    %x = constant <f32: 1.0> : !tile
    %a = tileas.alloc_shared offset = 0 : !buffer
    %y = tileas.load_shared %a[0] : !buffer -> !tile
    loop {
      tileas.barrier
      if %c {
        break
      }
    }
    tileas.store_shared %x, %a : !tile, !buffer
    return
  }

  // One branch stores: the load behind both waits.
  // CHECK-LABEL: entry @branch
  // CHECK: if
  // CHECK-NEXT: tileas.store_shared
  // CHECK: tileas.barrier
  // CHECK-NEXT: tileas.load_shared
  // CHECK-NEXT: return
  entry @branch(%c: tile<i1>) {
    %x = constant <f32: 1.0> : !tile
    %a = tileas.alloc_shared offset = 0 : !buffer
    if %c {
      tileas.store_shared %x, %a : !tile, !buffer
    }
    %y = tileas.load_shared %a[0] : !buffer -> !tile
    return
  }

  // A way that leaves the kernel is not on the way to what follows.
  // CHECK-LABEL: entry @early
  // CHECK-NOT: tileas.barrier
  // CHECK: }
  entry @early(%c: tile<i1>) {
    %x = constant <f32: 1.0> : !tile
    %a = tileas.alloc_shared offset = 0 : !buffer
    if %c {
      tileas.store_shared %x, %a : !tile, !buffer
      return
    }
    %y = tileas.load_shared %a[0] : !buffer -> !tile
    return
  }

  // Buffers that a loop hands on alternately: each access may be to either.
  // CHECK-LABEL: entry @iterations
  // CHECK: for
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: tileas.store_shared
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: tileas.load_shared
  // CHECK-NEXT: continue
  entry @iterations(%n: tile<i32>) {
    %x = constant <f32: 1.0> : !tile
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %a = tileas.alloc_shared offset = 0 : !buffer
    %b = tileas.alloc_shared offset = 128 : !buffer
    tileas.store_shared %x, %b : !tile, !buffer
    %p, %q = for %i in (%z to %n, step %one) : tile<i32> iter_values(%v = %a, %w = %b) -> (!buffer, !buffer) {
      tileas.store_shared %x, %v : !tile, !buffer
      %y = tileas.load_shared %w[0] : !buffer -> !tile
      continue %w, %v : !buffer, !buffer
    }
    return
  }

  // What the iterations of a loop only read was stored before it: one barrier, ahead of the
  // loop. It serves the loop inside too.
  // CHECK-LABEL: entry @ahead
  // CHECK: tileas.store_shared
  // CHECK: tileas.barrier
  // CHECK-NEXT: for
  // CHECK-NOT: tileas.barrier
  // CHECK: return
  entry @ahead(%n: tile<i32>) {
    %x = constant <f32: 1.0> : !tile
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %a = tileas.alloc_shared offset = 0 : !buffer
    tileas.store_shared %x, %a : !tile, !buffer
    for %i in (%z to %n, step %one) : tile<i32> {
      for %j in (%z to %n, step %one) : tile<i32> {
        %y = tileas.load_shared %a[0] : !buffer -> !tile
      }
    }
    return
  }

  // A loop whose iterations need the barrier anyway gets none ahead of it.
  // CHECK-LABEL: entry @anyway
  // CHECK: tileas.store_shared
  // CHECK-NEXT: for
  // CHECK: tileas.barrier
  // CHECK-NEXT: tileas.load_shared
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: tileas.store_shared
  // CHECK-NOT: tileas.barrier
  // CHECK: return
  entry @anyway(%n: tile<i32>) {
    %x = constant <f32: 1.0> : !tile
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %a = tileas.alloc_shared offset = 0 : !buffer
    tileas.store_shared %x, %a : !tile, !buffer
    for %i in (%z to %n, step %one) : tile<i32> {
      %y = tileas.load_shared %a[0] : !buffer -> !tile
      tileas.store_shared %y, %a : !tile, !buffer
    }
    return
  }
}
