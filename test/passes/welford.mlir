// Sums of squared distances to the mean of their row are marked for row tiling.

// RUN: cuda-tile-opt %s --cuda-tile-plan=gpu=sm_80 -o %t.plan.mlir
// RUN: cuda-tile-opt %t.plan.mlir --cuda-tile-welford -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// A second run marks nothing more.
// RUN: cuda-tile-opt %t.mlir --cuda-tile-welford | FileCheck %s
// Row tiling computes what is marked in one loop, and the rest in loops of its own.
// RUN: cuda-tile-opt %t.mlir --cuda-tile-row-tiling | FileCheck %s --check-prefix=TILED
// RUN: cuda-tile-opt %t.plan.mlir --cuda-tile-row-tiling | FileCheck %s --check-prefix=ALONE

!row = !cuda_tile.partition_view<tile=(1x256), !cuda_tile.tensor_view<2x256xf32, strides=[256,1]>>

cuda_tile.module @kernels {
  // CHECK-LABEL: entry @variance
  // CHECK: reduce %{{.*}} dim=1
  // CHECK-NOT: tileas.hoist
  // CHECK: reduce %{{.*}} dim=1
  // CHECK: tileas.hoist = "welford"
  // TILED-LABEL: entry @variance
  // TILED-COUNT-2: {{= for }}{{.*}} -> (tile<1x64xf32>, tile<1x64xf32>, tile<1x64xf32>, tile<1x64xf32>)
  // TILED-NOT: tileas.hoist
  // ALONE-LABEL: entry @variance
  // ALONE-COUNT-4: {{= for }}{{.*}} -> (tile<1x64xf32>)
  entry @variance(%x: tile<ptr<f32>>, %o: tile<ptr<f32>>)
      attributes {tileas.plan = {num_warps = 1 : i64, part = 64 : i64}} {
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %z = constant <i32: 0> : tile<i32>
    %share = constant <f32: 0.00390625> : tile<1xf32>
    %xt = make_tensor_view %x, shape = [2, 256], strides = [256, 1] : tensor_view<2x256xf32, strides=[256,1]>
    %xv = make_partition_view %xt : !row
    %a, %ka = load_view_tko weak %xv[%bx, %z] : !row, tile<i32> -> tile<1x256xf32>, token
    %s = reduce %a dim=1 identities=[0.0 : f32] : tile<1x256xf32> -> tile<1xf32>
    (%s0: tile<f32>, %s1: tile<f32>) {
      %sum = addf %s0, %s1 : tile<f32>
      yield %sum : tile<f32>
    }
    %c = mulf %s, %share : tile<1xf32>
    %cr = reshape %c : tile<1xf32> -> tile<1x1xf32>
    %cs = broadcast %cr : tile<1x1xf32> -> tile<1x256xf32>
    %d = subf %a, %cs : tile<1x256xf32>
    %q = mulf %d, %d : tile<1x256xf32>
    %v = reduce %q dim=1 identities=[0.0 : f32] : tile<1x256xf32> -> tile<1xf32>
    (%v0: tile<f32>, %v1: tile<f32>) {
      %sum = addf %v0, %v1 : tile<f32>
      yield %sum : tile<f32>
    }
    %to = offset %o, %bx : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %r = reshape %v : tile<1xf32> -> tile<f32>
    %k = store_ptr_tko weak %to, %r : tile<ptr<f32>>, tile<f32> -> token
    return
  }

  // The squares may round up, so that the sum of the text is another one.
  // CHECK-LABEL: entry @rounds_up
  // CHECK-NOT: tileas.hoist
  entry @rounds_up(%x: tile<ptr<f32>>, %o: tile<ptr<f32>>)
      attributes {tileas.plan = {num_warps = 1 : i64, part = 64 : i64}} {
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %z = constant <i32: 0> : tile<i32>
    %share = constant <f32: 0.00390625> : tile<1xf32>
    %xt = make_tensor_view %x, shape = [2, 256], strides = [256, 1] : tensor_view<2x256xf32, strides=[256,1]>
    %xv = make_partition_view %xt : !row
    %a, %ka = load_view_tko weak %xv[%bx, %z] : !row, tile<i32> -> tile<1x256xf32>, token
    %s = reduce %a dim=1 identities=[0.0 : f32] : tile<1x256xf32> -> tile<1xf32>
    (%s0: tile<f32>, %s1: tile<f32>) {
      %sum = addf %s0, %s1 : tile<f32>
      yield %sum : tile<f32>
    }
    %c = mulf %s, %share : tile<1xf32>
    %cr = reshape %c : tile<1xf32> -> tile<1x1xf32>
    %cs = broadcast %cr : tile<1x1xf32> -> tile<1x256xf32>
    %d = subf %a, %cs : tile<1x256xf32>
    %q = mulf %d, %d : tile<1x256xf32>
    %v = reduce %q dim=1 identities=[0.0 : f32] : tile<1x256xf32> -> tile<1xf32>
    (%v0: tile<f32>, %v1: tile<f32>) {
      %sum = addf %v0, %v1 rounding<positive_inf> : tile<f32>
      yield %sum : tile<f32>
    }
    %to = offset %o, %bx : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %r = reshape %v : tile<1xf32> -> tile<f32>
    %k = store_ptr_tko weak %to, %r : tile<ptr<f32>>, tile<f32> -> token
    return
  }

  // Parts of 16 elements: the error that the pass derives is larger than that of the text.
  // CHECK-LABEL: entry @many_parts
  // CHECK-NOT: tileas.hoist
  entry @many_parts(%x: tile<ptr<f32>>, %o: tile<ptr<f32>>)
      attributes {tileas.plan = {num_warps = 1 : i64, part = 16 : i64}} {
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %z = constant <i32: 0> : tile<i32>
    %share = constant <f32: 0.00390625> : tile<1xf32>
    %xt = make_tensor_view %x, shape = [2, 256], strides = [256, 1] : tensor_view<2x256xf32, strides=[256,1]>
    %xv = make_partition_view %xt : !row
    %a, %ka = load_view_tko weak %xv[%bx, %z] : !row, tile<i32> -> tile<1x256xf32>, token
    %s = reduce %a dim=1 identities=[0.0 : f32] : tile<1x256xf32> -> tile<1xf32>
    (%s0: tile<f32>, %s1: tile<f32>) {
      %sum = addf %s0, %s1 : tile<f32>
      yield %sum : tile<f32>
    }
    %c = mulf %s, %share : tile<1xf32>
    %cr = reshape %c : tile<1xf32> -> tile<1x1xf32>
    %cs = broadcast %cr : tile<1x1xf32> -> tile<1x256xf32>
    %d = subf %a, %cs : tile<1x256xf32>
    %q = mulf %d, %d : tile<1x256xf32>
    %v = reduce %q dim=1 identities=[0.0 : f32] : tile<1x256xf32> -> tile<1xf32>
    (%v0: tile<f32>, %v1: tile<f32>) {
      %sum = addf %v0, %v1 : tile<f32>
      yield %sum : tile<f32>
    }
    %to = offset %o, %bx : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %r = reshape %v : tile<1xf32> -> tile<f32>
    %k = store_ptr_tko weak %to, %r : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
