// A plan with `persistent` puts what a tile block does into `tileas.tiles`; what does
// not depend on the tile block and is no tile stays before it.

// RUN: cuda-tile-opt %s --pass-pipeline='builtin.module(cuda-tile-plan{gpu=sm_90},cuda-tile-persist)' -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// A second run finds the work done.
// RUN: cuda-tile-opt %t.mlir --cuda-tile-persist | FileCheck %s --check-prefix=AGAIN
// AGAIN-COUNT-1: tileas.tiles
// AGAIN-NOT: tileas.tiles

// The launch record asks for the grid's extents.
// RUN: cuda-tile-compile %s --gpu=sm_80 --emit=nvvm -o - | FileCheck %s --check-prefix=LAUNCH
// LAUNCH: llvm.func @scale(%{{[^,]*}}: !llvm.ptr<1>, %{{[^,]*}}: i32, %{{[^,]*}}: i32, %{{[^,]*}}: i32, %{{[^,]*}}: i32)
// LAUNCH-SAME: appended = [{kind = "grid_extents"}]
// LAUNCH-SAME: grid = "persistent"
// LAUNCH: nvvm.read.ptx.sreg.ctaid.x
// LAUNCH-NOT: ctaid.y
// LAUNCH: llvm.func @early_return

!view = !cuda_tile.partition_view<tile=(64), !cuda_tile.tensor_view<?xf32, strides=[1]>>

cuda_tile.module @kernels {
  // CHECK-LABEL: entry @scale
  // CHECK: %[[TWO:.*]] = constant <i32: 2>
  // CHECK: %[[N:.*]] = muli %{{.*}}, %[[TWO]]
  // CHECK: make_tensor_view %{{.*}}, shape = [%[[N]]]
  // CHECK: make_partition_view
  // CHECK-NEXT: tileas.tiles (%[[X:.*]], %[[Y:.*]], %{{.*}}) {
  // CHECK: constant <f32: 2.000000e+00> : tile<64xf32>
  // CHECK: addi %[[X]], %[[Y]]
  // CHECK: load_view_tko
  // CHECK: if
  // CHECK-NEXT: store_view_tko {{.*}}[%[[Y]]]
  // CHECK-NOT: get_tile_block_id
  // CHECK: }
  // CHECK-NEXT: }
  // CHECK-NEXT: return
  entry @scale(%p: tile<ptr<f32>>, %n: tile<i32>) attributes {tileas.plan = {num_warps = 2 : i64, persistent = 1 : i64}} {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %factor = constant <f32: 2.0> : tile<64xf32>
    %m = muli %n, %two : tile<i32>
    %t = make_tensor_view %p, shape = [%m], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %v = make_partition_view %t : !view
    %i = addi %x, %y : tile<i32>
    %a, %s = load_view_tko weak %v[%i] : !view, tile<i32> -> tile<64xf32>, token
    %b = mulf %a, %factor : tile<64xf32>
    %c = cmpi less_than %i, %m, signed : tile<i32> -> tile<i1>
    if %c {
      %x2, %y2, %z2 = get_tile_block_id : tile<i32>
      %u = store_view_tko weak %b, %v[%y2] : tile<64xf32>, !view, tile<i32> -> token
    }
    return
  }

  // CHECK-LABEL: entry @early_return
  // CHECK-SAME: tileas.remarks = ["not persistent, one tile block per CTA instead: an early return at
  // CHECK-NOT: tileas.tiles
  // CHECK: get_tile_block_id
  entry @early_return(%p: tile<ptr<f32>>, %n: tile<i32>) attributes {tileas.plan = {num_warps = 2 : i64, persistent = 1 : i64}} {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %c = cmpi less_than %x, %n, signed : tile<i32> -> tile<i1>
    if %c {
      return
    }
    return
  }

  // CHECK-LABEL: entry @not_planned
  // CHECK-NOT: tileas.tiles
  entry @not_planned(%p: tile<ptr<f32>>) {
    %one = constant <f32: 1.0> : tile<f32>
    %t = store_ptr_tko weak %p, %one : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
