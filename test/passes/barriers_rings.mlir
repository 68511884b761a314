// What rings, copies and products need of barriers; a second run adds none.

// RUN: cuda-tile-opt %s --cuda-tile-barriers -o %t.once
// RUN: FileCheck %s < %t.once
// RUN: cuda-tile-opt %t.once --cuda-tile-barriers | diff %t.once -

!buffer = !tileas.buffer<32xf32, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0)>>
!tile = !cuda_tile.tile<32xf32, #cute.layout<((), (1@0, 2@0, 4@0, 8@0, 16@0), (), ())>>
!ring = !tileas.ring<2, !buffer>
!view = !cuda_tile.partition_view<tile=(32), padding_value = zero, !cuda_tile.tensor_view<64xf32, strides=[1]>>
!a = !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
!b = !tileas.buffer<16x8xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1)>>
!row = !cuda_tile.tile<64x16xf16, #cute.layout<((1@1, 2@1, 4@1), (8@1, 1@0, 2@0, 4@0, 8@0), (16@0, 32@0), ())>>
!sum = !cuda_tile.tile<64x8xf32, #cute.layout<((1@1, 8@0), (2@1, 4@1, 1@0, 2@0, 4@0), (16@0, 32@0), ())>>
!wide_b = !tileas.buffer<16x16xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1, 8@1)>>
!wide_sum = !cuda_tile.tile<64x16xf32, #cute.layout<((1@1, 8@0, 8@1), (2@1, 4@1, 1@0, 2@0, 4@0), (16@0, 32@0), ())>>

cuda_tile.module @kernels {
  // A take is a barrier: it stands between the release and the next acquire.
  // CHECK-LABEL: entry @take
  // CHECK-NOT: tileas.barrier
  // CHECK: return
  entry @take(%n: tile<i32>) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %r = tileas.ring fill = "cp_async" drain = "threads" sync = "groups" offset = 0 : !ring
    %p = tileas.acquire %r[%c0] : !ring
    tileas.publish %r[%c0] : !ring
    for %i in (%c0 to %n, step %c1) : tile<i32> {
      %d = tileas.take %r[%i] : !ring
      %next = addi %i, %c1 : tile<i32>
      %f = tileas.acquire %r[%next] : !ring
      tileas.publish %r[%next] : !ring
      %x = tileas.load_shared %d[0] : !buffer -> !tile
      tileas.release %r[%i] : !ring
    }
    return
  }

  // Copies that follow a release at once need one.
  // CHECK-LABEL: entry @release
  // CHECK: tileas.release
  // CHECK-NEXT: tileas.barrier{{$}}
  // CHECK-NEXT: tileas.acquire
  // CHECK-NOT: tileas.barrier
  // CHECK: return
  entry @release(%t: tile<i32>, %u: tile<i32>) {
    %r = tileas.ring fill = "cp_async" drain = "threads" sync = "groups" offset = 0 : !ring
    %d = tileas.take %r[%t] : !ring
    tileas.release %r[%t] : !ring
    %f = tileas.acquire %r[%u] : !ring
    tileas.publish %r[%u] : !ring
    return
  }

  // To what takes its bytes afterwards, a ring was read by whoever took a slot.
  // CHECK-LABEL: entry @alias
  // CHECK: tileas.release
  // CHECK-NEXT: tileas.alloc_shared
  // CHECK-NEXT: tileas.barrier{{$}}
  // CHECK-NEXT: tileas.store_shared
  // CHECK: return
  entry @alias(%t: tile<i32>) {
    %x = constant <f32: 1.0> : !tile
    %r = tileas.ring fill = "tma" drain = "threads" sync = "mbarriers" offset = 0 : !ring
    %d = tileas.take %r[%t] : !ring
    tileas.release %r[%t] : !ring
    %e = tileas.alloc_shared offset = 128 : !buffer
    tileas.store_shared %x, %e : !tile, !buffer
    return
  }

  // Copies that run by themselves into bytes that threads have written.
  // CHECK-LABEL: entry @filled
  // CHECK: tileas.store_shared
  // CHECK: tileas.barrier async
  // CHECK-NEXT: tileas.acquire
  // CHECK: return
  entry @filled(%t: tile<i32>) {
    %x = constant <f32: 1.0> : !tile
    %e = tileas.alloc_shared offset = 128 : !buffer
    tileas.store_shared %x, %e : !tile, !buffer
    %r = tileas.ring fill = "tma" drain = "threads" sync = "mbarriers" offset = 0 : !ring
    %d = tileas.acquire %r[%t] : !ring
    tileas.publish %r[%t] : !ring
    return
  }

  // A bulk copy reads what threads wrote, until it is awaited.
  // CHECK-LABEL: entry @out
  // CHECK: tileas.store_shared
  // CHECK-NEXT: tileas.barrier async
  // CHECK-NEXT: tileas.copy_out
  // CHECK-NEXT: tileas.await_copies read
  // CHECK-NEXT: tileas.barrier{{$}}
  // CHECK-NEXT: tileas.store_shared
  // CHECK-NEXT: tileas.barrier async
  // CHECK-NEXT: tileas.copy_out
  // CHECK-NEXT: tileas.await_copies read
  // CHECK-NEXT: return
  entry @out(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %x = constant <f32: 1.0> : !tile
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : !view
    %e = tileas.alloc_shared offset = 0 : !buffer
    tileas.store_shared %x, %e : !tile, !buffer
    %k = tileas.copy_out %e to %v[%i] engine = "tma" map = 0 : !buffer to !view[tile<i32>]
    tileas.store_shared %x, %e : !tile, !buffer
    %l = tileas.copy_out %e to %v[%i] engine = "tma" map = 0 : !buffer to !view[tile<i32>]
    return
  }

  // A product reads what threads wrote, until it is awaited.
  // CHECK-LABEL: entry @product
  // CHECK: tileas.barrier async
  // CHECK-NEXT: tileas.wgmma
  // CHECK-NEXT: tileas.await
  // CHECK-NEXT: tileas.barrier{{$}}
  // CHECK-NEXT: tileas.store_shared
  // CHECK-NEXT: return
  entry @product(%x: tile<f16>) {
    %w = constant <f16: 1.0> : !row
    %z = constant <f32: 0.0> : !sum
    %a = tileas.alloc_shared offset = 0 : !a
    %b = tileas.alloc_shared offset = 2048 : !b
    tileas.store_shared %w, %a : !row, !a
    %p = tileas.settled %z : !sum
    %q = tileas.wgmma %a, %b, %p atom = "m64n8k16" : !a, !b, !tileas.pending<!sum>
    %s = tileas.await %q : !tileas.pending<!sum>
    tileas.store_shared %w, %a : !row, !a
    return
  }

  // All threads wait for the mbarrier of a product in tensor memory, one by one.
  // CHECK-LABEL: entry @product_of_mbarrier
  // CHECK: tileas.barrier async
  // CHECK-NEXT: tileas.tcgen05
  // CHECK-NEXT: tileas.await
  // CHECK-NEXT: tileas.store_shared
  // CHECK-NEXT: return
  entry @product_of_mbarrier(%x: tile<f16>) {
    %w = constant <f16: 1.0> : !row
    %z = constant <f32: 0.0> : !wide_sum
    %a = tileas.alloc_shared offset = 0 : !a
    %b = tileas.alloc_shared offset = 2048 : !wide_b
    tileas.store_shared %w, %a : !row, !a
    %p = tileas.settled %z : !wide_sum
    %q = tileas.tcgen05 %a, %b, %p atom = "tcgen05.m64n16k16" : !a, !wide_b, !tileas.pending<!wide_sum>
    %s = tileas.await %q : !tileas.pending<!wide_sum>
    tileas.store_shared %w, %a : !row, !a
    return
  }

  // Roles begin behind what all warps did, and what they do is pending behind them.
  // CHECK-LABEL: entry @roles
  // CHECK: tileas.store_shared
  // CHECK-NEXT: tileas.barrier async
  // CHECK-NEXT: tileas.roles
  // CHECK-NEXT: tileas.load_shared
  // CHECK-NEXT: tileas.barrier{{$}}
  // CHECK-NEXT: tileas.store_shared
  // CHECK: tileas.barrier{{$}}
  // CHECK-NEXT: tileas.load_shared
  // CHECK: return
  entry @roles() {
    %x = constant <f32: 1.0> : !tile
    %e = tileas.alloc_shared offset = 0 : !buffer
    tileas.store_shared %x, %e : !tile, !buffer
    tileas.roles role "one" warps = 1 threads = 32 registers = 0 {
      %y = tileas.load_shared %e[0] : !buffer -> !tile
      tileas.store_shared %y, %e : !tile, !buffer
    }
    %z = tileas.load_shared %e[0] : !buffer -> !tile
    return
  }
}
