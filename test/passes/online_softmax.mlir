// Sums of powers below the maximum of their row are marked for row tiling.

// RUN: cuda-tile-opt %s --cuda-tile-plan=gpu=sm_90 -o %t.plan.mlir
// RUN: cuda-tile-opt %t.plan.mlir --cuda-tile-online-softmax -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// A second run marks nothing more.
// RUN: cuda-tile-opt %t.mlir --cuda-tile-online-softmax | FileCheck %s
// Row tiling computes what is marked in one loop, and the rest in loops of its own.
// RUN: cuda-tile-opt %t.mlir --cuda-tile-row-tiling | FileCheck %s --check-prefix=TILED
// RUN: cuda-tile-opt %t.plan.mlir --cuda-tile-row-tiling | FileCheck %s --check-prefix=ALONE

!row = !cuda_tile.partition_view<tile=(1x256), !cuda_tile.tensor_view<2x256xf32, strides=[256,1]>>

cuda_tile.module @kernels {
  // CHECK-LABEL: entry @softmax_sum
  // CHECK: reduce {{.*}} identities=[0xFF800000 : f32]
  // CHECK-NOT: tileas.hoist
  // CHECK: reduce {{.*}} identities=[0.000000e+00 : f32]
  // CHECK: tileas.hoist = "online_softmax"
  // TILED-LABEL: entry @softmax_sum
  // TILED-COUNT-2: {{= for }}{{.*}} -> (tile<1x64xf32>, tile<1x64xf32>)
  // TILED-NOT: {{= for }}
  // TILED-NOT: tileas.hoist
  // ALONE-LABEL: entry @softmax_sum
  // ALONE-COUNT-4: {{= for }}{{.*}} -> (tile<1x64xf32>)
  entry @softmax_sum(%x: tile<ptr<f32>>, %o: tile<ptr<f32>>)
      attributes {tileas.plan = {num_warps = 1 : i64, part = 64 : i64}} {
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %z = constant <i32: 0> : tile<i32>
    %xt = make_tensor_view %x, shape = [2, 256], strides = [256, 1] : tensor_view<2x256xf32, strides=[256,1]>
    %xv = make_partition_view %xt : !row
    %a, %ka = load_view_tko weak %xv[%bx, %z] : !row, tile<i32> -> tile<1x256xf32>, token
    %m = reduce %a dim=1 identities=[0xFF800000 : f32] : tile<1x256xf32> -> tile<1xf32>
    (%m0: tile<f32>, %m1: tile<f32>) {
      %most = maxf %m0, %m1 : tile<f32>
      yield %most : tile<f32>
    }
    %mr = reshape %m : tile<1xf32> -> tile<1x1xf32>
    %ms = broadcast %mr : tile<1x1xf32> -> tile<1x256xf32>
    %d = subf %a, %ms : tile<1x256xf32>
    %e = exp2 %d : tile<1x256xf32>
    %s = reduce %e dim=1 identities=[0.0 : f32] : tile<1x256xf32> -> tile<1xf32>
    (%s0: tile<f32>, %s1: tile<f32>) {
      %sum = addf %s0, %s1 : tile<f32>
      yield %sum : tile<f32>
    }
    %to = offset %o, %bx : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %v = reshape %s : tile<1xf32> -> tile<f32>
    %k = store_ptr_tko weak %to, %v : tile<ptr<f32>>, tile<f32> -> token
    return
  }

  // The CTAs of a cluster hold the row: a second loop loads nothing.
  // CHECK-LABEL: entry @in_a_cluster
  // CHECK-NOT: tileas.hoist
  // TILED-LABEL: entry @in_a_cluster
  // TILED-COUNT-4: {{= for }}{{.*}} -> (tile<1x64xf32>)
  entry @in_a_cluster(%x: tile<ptr<f32>>, %o: tile<ptr<f32>>)
      attributes {tileas.plan = {num_warps = 1 : i64, cluster = 2 : i64, part = 64 : i64}} {
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %z = constant <i32: 0> : tile<i32>
    %xt = make_tensor_view %x, shape = [2, 256], strides = [256, 1] : tensor_view<2x256xf32, strides=[256,1]>
    %xv = make_partition_view %xt : !row
    %a, %ka = load_view_tko weak %xv[%bx, %z] : !row, tile<i32> -> tile<1x256xf32>, token
    %m = reduce %a dim=1 identities=[0xFF800000 : f32] : tile<1x256xf32> -> tile<1xf32>
    (%m0: tile<f32>, %m1: tile<f32>) {
      %most = maxf %m0, %m1 : tile<f32>
      yield %most : tile<f32>
    }
    %mr = reshape %m : tile<1xf32> -> tile<1x1xf32>
    %ms = broadcast %mr : tile<1x1xf32> -> tile<1x256xf32>
    %d = subf %a, %ms : tile<1x256xf32>
    %e = exp2 %d : tile<1x256xf32>
    %s = reduce %e dim=1 identities=[0.0 : f32] : tile<1x256xf32> -> tile<1xf32>
    (%s0: tile<f32>, %s1: tile<f32>) {
      %sum = addf %s0, %s1 : tile<f32>
      yield %sum : tile<f32>
    }
    %to = offset %o, %bx : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %v = reshape %s : tile<1xf32> -> tile<f32>
    %k = store_ptr_tko weak %to, %v : tile<ptr<f32>>, tile<f32> -> token
    return
  }

  // The sum begins with 1, which counts once, not once for each part.
  // CHECK-LABEL: entry @from_one
  // CHECK-NOT: tileas.hoist
  entry @from_one(%x: tile<ptr<f32>>, %o: tile<ptr<f32>>)
      attributes {tileas.plan = {num_warps = 1 : i64, part = 64 : i64}} {
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %z = constant <i32: 0> : tile<i32>
    %xt = make_tensor_view %x, shape = [2, 256], strides = [256, 1] : tensor_view<2x256xf32, strides=[256,1]>
    %xv = make_partition_view %xt : !row
    %a, %ka = load_view_tko weak %xv[%bx, %z] : !row, tile<i32> -> tile<1x256xf32>, token
    %m = reduce %a dim=1 identities=[0xFF800000 : f32] : tile<1x256xf32> -> tile<1xf32>
    (%m0: tile<f32>, %m1: tile<f32>) {
      %most = maxf %m0, %m1 : tile<f32>
      yield %most : tile<f32>
    }
    %mr = reshape %m : tile<1xf32> -> tile<1x1xf32>
    %ms = broadcast %mr : tile<1x1xf32> -> tile<1x256xf32>
    %d = subf %a, %ms : tile<1x256xf32>
    %e = exp2 %d : tile<1x256xf32>
    %s = reduce %e dim=1 identities=[1.0 : f32] : tile<1x256xf32> -> tile<1xf32>
    (%s0: tile<f32>, %s1: tile<f32>) {
      %sum = addf %s0, %s1 : tile<f32>
      yield %sum : tile<f32>
    }
    %to = offset %o, %bx : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %v = reshape %s : tile<1xf32> -> tile<f32>
    %k = store_ptr_tko weak %to, %v : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
