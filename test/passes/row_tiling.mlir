// Where the plan has `part = n`, rows of more than n elements are computed by loops.

// RUN: cuda-tile-opt %s --pass-pipeline='builtin.module(cuda-tile-plan{gpu=sm_80},cuda-tile-online-softmax,cuda-tile-welford,cuda-tile-row-tiling)' -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// A second run finds the work done.
// RUN: cuda-tile-opt %t.mlir --cuda-tile-row-tiling | FileCheck %s
// Rows that no registers hold: plan asks for parts, and changes nothing else.
// RUN: cuda-tile-opt %s --cuda-tile-plan=gpu=sm_80 | FileCheck %s --check-prefix=PLAN

!row = !cuda_tile.partition_view<tile=(1x256), !cuda_tile.tensor_view<2x256xf32, strides=[256,1]>>
!long = !cuda_tile.partition_view<tile=(1x262144), !cuda_tile.tensor_view<2x262144xf32, strides=[262144,1]>>

cuda_tile.module @kernels {
  // The sum of powers is computed with the maximum: one loop, which carries both.
  // CHECK-LABEL: entry @softmax_sum
  // CHECK: {{= for }}{{.*}} -> (tile<1x64xf32>, tile<1x64xf32>)
  // CHECK-COUNT-3: exp2
  // CHECK-NOT: {{ for }}
  // CHECK: store_ptr_tko
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

  // Two loops load the row, so that the plan may hold it.
  // CHECK-LABEL: entry @below_the_maximum
  // CHECK-SAME: num_warps = 1 : i64, part = 64 : i64, reuse = 1
  // CHECK-COUNT-2: {{ for .*in}}
  // CHECK: store_view_tko {{.*}} tile<1x64xf32>
  entry @below_the_maximum(%x: tile<ptr<f32>>, %o: tile<ptr<f32>>)
      attributes {tileas.plan = {num_warps = 1 : i64, part = 64 : i64, reuse = 1 : i64}} {
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %z = constant <i32: 0> : tile<i32>
    %xt = make_tensor_view %x, shape = [2, 256], strides = [256, 1] : tensor_view<2x256xf32, strides=[256,1]>
    %xv = make_partition_view %xt : !row
    %ot = make_tensor_view %o, shape = [2, 256], strides = [256, 1] : tensor_view<2x256xf32, strides=[256,1]>
    %ov = make_partition_view %ot : !row
    %a, %ka = load_view_tko weak %xv[%bx, %z] : !row, tile<i32> -> tile<1x256xf32>, token
    %m = reduce %a dim=1 identities=[0xFF800000 : f32] : tile<1x256xf32> -> tile<1xf32>
    (%m0: tile<f32>, %m1: tile<f32>) {
      %most = maxf %m0, %m1 : tile<f32>
      yield %most : tile<f32>
    }
    %mr = reshape %m : tile<1xf32> -> tile<1x1xf32>
    %ms = broadcast %mr : tile<1x1xf32> -> tile<1x256xf32>
    %d = subf %a, %ms : tile<1x256xf32>
    %k = store_view_tko weak %d, %ov[%bx, %z] : tile<1x256xf32>, !row, tile<i32> -> token
    return
  }

  // The load has a token that somebody waits for: the row stays whole, and a remark says so.
  // CHECK-LABEL: entry @in_order
  // CHECK-SAME: wanted a row of 256 elements in parts of 64 as planned, it stays whole
  // CHECK-NOT: {{ for }}
  // CHECK: store_view_tko {{.*}} tile<1x256xf32>
  entry @in_order(%x: tile<ptr<f32>>)
      attributes {tileas.plan = {num_warps = 1 : i64, part = 64 : i64}} {
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %z = constant <i32: 0> : tile<i32>
    %xt = make_tensor_view %x, shape = [2, 256], strides = [256, 1] : tensor_view<2x256xf32, strides=[256,1]>
    %xv = make_partition_view %xt : !row
    %a, %ka = load_view_tko weak %xv[%bx, %z] : !row, tile<i32> -> tile<1x256xf32>, token
    %k = store_view_tko weak %a, %xv[%bx, %z] token = %ka : tile<1x256xf32>, !row, tile<i32> -> token
    return
  }

  // CHECK-LABEL: entry @long
  // CHECK-SAME: part = 4096
  // CHECK: {{^ *for }}
  // CHECK: load_view_tko {{.*}} -> tile<1x4096xf32>
  // CHECK: store_view_tko {{.*}} tile<1x4096xf32>
  // CHECK-NOT: tile<1x262144xf32>
  // PLAN-LABEL: entry @long
  // PLAN-SAME: tileas.plan = {num_warps = 16 : i64, part = 4096 : i64}
  // PLAN-SAME: wanted a row of 262144 elements in registers, it is computed in parts of 4096
  // PLAN-NOT: {{^ *for }}
  // PLAN: load_view_tko {{.*}} -> tile<1x262144xf32>
  entry @long(%x: tile<ptr<f32>>, %o: tile<ptr<f32>>) {
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %z = constant <i32: 0> : tile<i32>
    %xt = make_tensor_view %x, shape = [2, 262144], strides = [262144, 1] : tensor_view<2x262144xf32, strides=[262144,1]>
    %xv = make_partition_view %xt : !long
    %ot = make_tensor_view %o, shape = [2, 262144], strides = [262144, 1] : tensor_view<2x262144xf32, strides=[262144,1]>
    %ov = make_partition_view %ot : !long
    %a, %ka = load_view_tko weak %xv[%bx, %z] : !long, tile<i32> -> tile<1x262144xf32>, token
    %b = addf %a, %a : tile<1x262144xf32>
    %k = store_view_tko weak %b, %ov[%bx, %z] : tile<1x262144xf32>, !long, tile<i32> -> token
    return
  }
}
