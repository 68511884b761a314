// The tileas dialect at level W: conversions within a thread only rename, within a warp
// they shuffle; shared memory is moved in vectors and starts at the buffer's offset.

// RUN: cuda-tile-opt %s --cuda-tile-emit | FileCheck %s

!row = !cuda_tile.tile<64xf32, #cute.layout<((1@0), (2@0, 4@0, 8@0, 16@0, 32@0), (), ())>>
!far = !cuda_tile.tile<64xf32, #cute.layout<((32@0), (1@0, 2@0, 4@0, 8@0, 16@0), (), ())>>
!other = !cuda_tile.tile<4xf32, #cute.layout<((2@0, 1@0), (0, 0, 0, 0, 0), (), ())>>
!four = !cuda_tile.tile<4xf32, #cute.layout<((1@0, 2@0), (0, 0, 0, 0, 0), (), ())>>
!quads = !cuda_tile.tile<128xf32, #cute.layout<((1@0, 2@0), (4@0, 8@0, 16@0, 32@0, 64@0), (), ())>>
!pairs = !cuda_tile.tile<256xf16, #cute.layout<((1@0, 8@0, 16@0), (2@0, 4@0, 32@0, 64@0, 128@0), (), ())>>
!rows = !cuda_tile.tile<256xf16, #cute.layout<((1@0, 2@0, 4@0), (8@0, 16@0, 32@0, 64@0, 128@0), (), ())>>
!buffer = !tileas.buffer<128xf32, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>

cuda_tile.module @kernels {
  // CHECK: llvm.func @registers
  // CHECK-NOT: shfl
  // CHECK: llvm.return
  entry @registers(%x: tile<f32>) attributes {tileas.target = "sm_90", tileas.plan = {num_warps = 1 : i64}, tileas.shared_bytes = 0 : i64} {
    %one = reshape %x : tile<f32> -> tile<1xf32, #cute.layout<((), (0, 0, 0, 0, 0), (), ())>>
    %a = broadcast %one : tile<1xf32, #cute.layout<((), (0, 0, 0, 0, 0), (), ())>> -> !four
    %b = tileas.convert_layout %a : !four -> !other
    return
  }

  // CHECK: llvm.func @lanes
  // CHECK: nvvm.shfl.sync
  // CHECK-NOT: nvvm.barrier
  // CHECK: llvm.return
  entry @lanes() attributes {tileas.target = "sm_90", tileas.plan = {num_warps = 1 : i64}, tileas.shared_bytes = 0 : i64} {
    %a = constant <f32: 1.0> : !row
    %b = tileas.convert_layout %a : !row -> !far
    return
  }

  // Pairs of a product's sum as rows of eight: two elements of 16 bits go together, of
  // the four words of a lane one stays.
  // CHECK: llvm.func @pairs
  // CHECK-COUNT-3: nvvm.shfl.sync
  // CHECK-NOT: nvvm.shfl.sync
  // CHECK: llvm.return
  entry @pairs() attributes {tileas.target = "sm_90", tileas.plan = {num_warps = 1 : i64}, tileas.shared_bytes = 0 : i64} {
    %a = constant <f16: 1.0> : !pairs
    %b = tileas.convert_layout %a : !pairs -> !rows
    return
  }

  // CHECK: llvm.mlir.global internal @shared_memory_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<1536 x i8>
  // CHECK: llvm.func @shared
  // CHECK: llvm.mlir.addressof @shared_memory_shared
  // CHECK: llvm.getelementptr %{{.*}}[1024]
  // CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
  // CHECK: nvvm.bar.warp.sync
  // CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
  entry @shared() attributes {tileas.target = "sm_90", tileas.plan = {num_warps = 1 : i64}, tileas.shared_bytes = 1536 : i64} {
    %a = constant <f32: 1.0> : !quads
    %s = tileas.alloc_shared offset = 1024 : !buffer
    tileas.store_shared %a, %s : !quads, !buffer
    tileas.barrier
    %b = tileas.load_shared %s[0] : !buffer -> !quads
    return
  }
}
