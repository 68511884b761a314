// Places of rings: slots at multiples of 1024 bytes, mbarriers behind them. What is first
// used behind the last op of a ring takes the bytes of its slots, not of its mbarriers.

// RUN: cuda-tile-opt %s --cuda-tile-allocate | FileCheck %s

!row = !tileas.buffer<1024xf32, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0, 128@0, 256@0, 512@0)>>
!tiny = !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>
!ring = !tileas.ring<3, !row, !tiny>
!half = !tileas.buffer<16384xf32, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0, 128@0, 256@0, 512@0, 1024@0, 2048@0, 4096@0, 8192@0)>>
!whole = !tileas.buffer<32768xf32, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0, 128@0, 256@0, 512@0, 1024@0, 2048@0, 4096@0, 8192@0, 16384@0)>>
!long = !cuda_tile.tile<32768xf32, #cute.layout<((1@0, 2@0, 4@0, 8@0, 16@0, 1024@0, 2048@0, 4096@0, 8192@0, 16384@0), (32@0, 64@0, 128@0, 256@0, 512@0), (), ())>>
!halves = !tileas.ring<1, !half>
!lane = !cuda_tile.tile<1024xf32, #cute.layout<((1@0, 2@0, 4@0, 8@0, 16@0), (32@0, 64@0, 128@0, 256@0, 512@0), (), ())>>

cuda_tile.module @kernels {
  // Three slots of 4096 + 1024 bytes; the buffer behind it lies in them.
  // CHECK-LABEL: entry @behind
  // CHECK-SAME: tileas.shared_bytes = 15360
  // CHECK: tileas.ring {{.*}} offset = 0
  // CHECK: alloc_shared offset = 0
  entry @behind(%t: tile<i32>) attributes {tileas.target = "sm_80", tileas.plan = {num_warps = 1 : i64}} {
    %r = tileas.ring fill = "cp_async" drain = "threads" sync = "groups" : !ring
    %a, %b = tileas.acquire %r[%t] : !ring
    tileas.publish %r[%t] : !ring
    %c, %d = tileas.take %r[%t] : !ring
    %x = tileas.load_shared %c[0] : !row -> !lane
    tileas.release %r[%t] : !ring
    %e = tileas.alloc_shared : !row
    tileas.store_shared %x, %e : !lane, !row
    %y = tileas.load_shared %e[0] : !row -> !lane
    return
  }

  // Used between two ops of the ring: a place of its own.
  // CHECK-LABEL: entry @between
  // CHECK-SAME: tileas.shared_bytes = 19456
  // CHECK: tileas.ring {{.*}} offset = 0
  // CHECK: alloc_shared offset = 15360
  entry @between(%t: tile<i32>) attributes {tileas.target = "sm_80", tileas.plan = {num_warps = 1 : i64}} {
    %r = tileas.ring fill = "cp_async" drain = "threads" sync = "groups" : !ring
    %a, %b = tileas.acquire %r[%t] : !ring
    tileas.publish %r[%t] : !ring
    %c, %d = tileas.take %r[%t] : !ring
    %x = tileas.load_shared %c[0] : !row -> !lane
    %e = tileas.alloc_shared : !row
    tileas.store_shared %x, %e : !lane, !row
    %y = tileas.load_shared %e[0] : !row -> !lane
    tileas.release %r[%t] : !ring
    return
  }

  // Six mbarriers of 8 bytes, in a bank row that stays theirs. The role that drains the
  // ring takes the bytes of its slots once it has done so.
  // CHECK-LABEL: entry @mbarriers
  // CHECK-SAME: tileas.shared_bytes = 15488
  // CHECK: tileas.ring {{.*}} offset = 0
  // CHECK: alloc_shared offset = 0
  entry @mbarriers(%t: tile<i32>) attributes {tileas.target = "sm_90", tileas.plan = {num_warps = 4 : i64}} {
    %r = tileas.ring fill = "tma" drain = "threads" sync = "mbarriers" : !ring
    tileas.roles role "work" warps = 4 threads = 128 registers = 0 {
      %c, %d = tileas.take %r[%t] : !ring
      %x = tileas.load_shared %c[0] : !row -> !cuda_tile.tile<1024xf32, #cute.layout<((1@0, 2@0, 4@0), (32@0, 64@0, 128@0, 256@0, 512@0), (8@0, 16@0), ())>>
      tileas.release %r[%t] : !ring
      %e = tileas.alloc_shared : !row
      tileas.store_shared %x, %e : !cuda_tile.tile<1024xf32, #cute.layout<((1@0, 2@0, 4@0), (32@0, 64@0, 128@0, 256@0, 512@0), (8@0, 16@0), ())>>, !row
    } role "load" warps = 1 threads = 1 registers = 0 {
      %a, %b = tileas.acquire %r[%t] : !ring
      tileas.publish %r[%t] : !ring
    }
    return
  }

  // 128 KB over the slots of two rings of three: behind the first one's slot there would
  // be its mbarriers. Together with what they keep free, all would be 264,320 bytes.
  // CHECK-LABEL: entry @over_two_rings
  // CHECK-SAME: tileas.shared_bytes = 196992
  // CHECK: tileas.ring {{.*}} offset = 0 {tileas.mbarriers = 196608
  // CHECK: tileas.ring {{.*}} offset = 65536 {tileas.mbarriers = 196736
  // CHECK: tileas.ring {{.*}} offset = 131072 {tileas.mbarriers = 196864
  // CHECK: alloc_shared offset = 0
  entry @over_two_rings(%t: tile<i32>) attributes {tileas.target = "sm_90", tileas.plan = {num_warps = 1 : i64}} {
    %r = tileas.ring fill = "tma" drain = "threads" sync = "mbarriers" : !halves
    %s = tileas.ring fill = "tma" drain = "threads" sync = "mbarriers" : !halves
    %u = tileas.ring fill = "tma" drain = "threads" sync = "mbarriers" : !halves
    tileas.roles role "work" warps = 1 threads = 32 registers = 0 {
      %a = tileas.take %r[%t] : !halves
      %b = tileas.take %s[%t] : !halves
      %c = tileas.take %u[%t] : !halves
      tileas.release %r[%t] : !halves
      tileas.release %s[%t] : !halves
      tileas.release %u[%t] : !halves
      %x = constant <f32: 1.0> : !long
      %e = tileas.alloc_shared : !whole
      tileas.store_shared %x, %e : !long, !whole
      %y = tileas.load_shared %e[0] : !whole -> !long
    } role "load" warps = 1 threads = 1 registers = 0 {
      %a = tileas.acquire %r[%t] : !halves
      tileas.publish %r[%t] : !halves
      %b = tileas.acquire %s[%t] : !halves
      tileas.publish %s[%t] : !halves
      %c = tileas.acquire %u[%t] : !halves
      tileas.publish %u[%t] : !halves
    }
    return
  }

  // The role that drains the ring uses the buffer before it has done so.
  // CHECK-LABEL: entry @too_early
  // CHECK-SAME: tileas.shared_bytes = 19584
  // CHECK: tileas.ring {{.*}} offset = 0
  // CHECK: alloc_shared offset = 15488
  entry @too_early(%t: tile<i32>) attributes {tileas.target = "sm_90", tileas.plan = {num_warps = 1 : i64}} {
    %r = tileas.ring fill = "tma" drain = "threads" sync = "mbarriers" : !ring
    tileas.roles role "work" warps = 1 threads = 32 registers = 0 {
      %x = constant <f32: 1.0> : !lane
      %e = tileas.alloc_shared : !row
      tileas.store_shared %x, %e : !lane, !row
      %y = tileas.load_shared %e[0] : !row -> !lane
      %c, %d = tileas.take %r[%t] : !ring
      tileas.release %r[%t] : !ring
    } role "load" warps = 1 threads = 1 registers = 0 {
      %a, %b = tileas.acquire %r[%t] : !ring
      tileas.publish %r[%t] : !ring
    }
    return
  }

  // Roles run at the same time: what two of them use never shares bytes.
  // CHECK-LABEL: entry @apart
  // CHECK-SAME: tileas.shared_bytes = 8192
  entry @apart(%t: tile<i32>) attributes {tileas.target = "sm_90", tileas.plan = {num_warps = 1 : i64}} {
    tileas.roles role "one" warps = 1 threads = 32 registers = 0 {
      %x = constant <f32: 1.0> : !lane
      %e = tileas.alloc_shared : !row
      tileas.store_shared %x, %e : !lane, !row
      %y = tileas.load_shared %e[0] : !row -> !lane
    } role "two" warps = 1 threads = 32 registers = 0 {
      %x = constant <f32: 1.0> : !lane
      %e = tileas.alloc_shared : !row
      tileas.store_shared %x, %e : !lane, !row
      %y = tileas.load_shared %e[0] : !row -> !lane
    }
    return
  }
}
