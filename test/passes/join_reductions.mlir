// Reductions of one body and tiles of one layout become one of a tile with the rows of all.

// RUN: cuda-tile-opt %s --pass-pipeline='builtin.module(cuda-tile-plan{gpu=sm_90},cuda-tile-place,cuda-tile-join-reductions)' | FileCheck %s
// Behind it lanes halve the rows: one shuffle serves both sums but at the first step,
// and one barrier and one buffer all warps.
// RUN: cuda-tile-compile %s --gpu sm_90 --emit=ptx -o - | FileCheck %s --check-prefix=PTX

!row = !cuda_tile.partition_view<tile=(4096), !cuda_tile.tensor_view<32768xf32, strides=[1]>>
!out = !cuda_tile.partition_view<tile=(1), !cuda_tile.tensor_view<32xf32, strides=[1]>>

cuda_tile.module @kernels {
  // CHECK-LABEL: entry @moments
  // CHECK: %[[X:.*]], %{{.*}} = load_view_tko
  // CHECK: %[[SQUARES:.*]] = mulf %[[X]], %[[X]]
  // CHECK: %[[FIRST:.*]] = reshape %[[X]] : {{.*}} -> tile<1x4096xf32
  // CHECK: %[[SECOND:.*]] = reshape %[[SQUARES]] : {{.*}} -> tile<1x4096xf32
  // CHECK: %[[BOTH:.*]] = cat %[[FIRST]], %[[SECOND]] dim = 0
  // CHECK: %[[SUMS:.*]] = reduce %[[BOTH]] dim=1 identities=[0.000000e+00 : f32] : tile<2x4096xf32, {{.*}} -> tile<2xf32
  // CHECK-NOT: reduce %
  // CHECK: extract %[[SUMS]]
  // CHECK: extract %[[SUMS]]
  // CHECK: return
  // PTX-LABEL: .visible .entry moments
  // PTX-COUNT-5: shfl.sync.bfly
  // PTX-NOT: shfl.sync.bfly
  // PTX: st.shared
  // PTX-NEXT: // end inline asm
  // PTX-NOT: st.shared
  // PTX: bar{{.*}}sync
  // PTX-NOT: bar{{.*}}sync
  // PTX: ret;
  entry @moments(%a: tile<ptr<f32>>, %o: tile<ptr<f32>>) attributes {tileas.plan = {num_warps = 4 : i64}} {
    %b, %y, %z = get_tile_block_id : tile<i32>
    %c8 = constant <i32: 8> : tile<i32>
    %at = make_tensor_view %a, shape = [32768], strides = [1] : tensor_view<32768xf32, strides=[1]>
    %av = make_partition_view %at : !row
    %x, %t = load_view_tko weak %av[%b] : !row, tile<i32> -> tile<4096xf32>, token
    %sum = reduce %x dim=0 identities=[0.0 : f32] : tile<4096xf32> -> tile<f32>
    (%p: tile<f32>, %q: tile<f32>) {
      %s = addf %p, %q : tile<f32>
      yield %s : tile<f32>
    }
    %xx = mulf %x, %x : tile<4096xf32>
    %squares = reduce %xx dim=0 identities=[0.0 : f32] : tile<4096xf32> -> tile<f32>
    (%p: tile<f32>, %q: tile<f32>) {
      %s = addf %p, %q : tile<f32>
      yield %s : tile<f32>
    }
    %ot = make_tensor_view %o, shape = [32], strides = [1] : tensor_view<32xf32, strides=[1]>
    %ov = make_partition_view %ot : !out
    %s1 = reshape %sum : tile<f32> -> tile<1xf32>
    %u = store_view_tko weak %s1, %ov[%b] : tile<1xf32>, !out, tile<i32> -> token
    %i = addi %b, %c8 : tile<i32>
    %s2 = reshape %squares : tile<f32> -> tile<1xf32>
    %w = store_view_tko weak %s2, %ov[%i] : tile<1xf32>, !out, tile<i32> -> token
    return
  }

  // Of one that needs the other's result there are two, as of other bodies.
  // CHECK-LABEL: entry @softmax
  // CHECK-NOT: cat
  // CHECK: maxf
  // CHECK: addf
  // CHECK: return
  entry @softmax(%a: tile<ptr<f32>>, %o: tile<ptr<f32>>) attributes {tileas.plan = {num_warps = 4 : i64}} {
    %b, %y, %z = get_tile_block_id : tile<i32>
    %at = make_tensor_view %a, shape = [32768], strides = [1] : tensor_view<32768xf32, strides=[1]>
    %av = make_partition_view %at : !row
    %x, %t = load_view_tko weak %av[%b] : !row, tile<i32> -> tile<4096xf32>, token
    %max = reduce %x dim=0 identities=[0xFF800000 : f32] : tile<4096xf32> -> tile<f32>
    (%p: tile<f32>, %q: tile<f32>) {
      %s = maxf %p, %q : tile<f32>
      yield %s : tile<f32>
    }
    %m1 = reshape %max : tile<f32> -> tile<1xf32>
    %m = broadcast %m1 : tile<1xf32> -> tile<4096xf32>
    %d = subf %x, %m : tile<4096xf32>
    %sum = reduce %d dim=0 identities=[0.0 : f32] : tile<4096xf32> -> tile<f32>
    (%p: tile<f32>, %q: tile<f32>) {
      %s = addf %p, %q : tile<f32>
      yield %s : tile<f32>
    }
    %ot = make_tensor_view %o, shape = [32], strides = [1] : tensor_view<32xf32, strides=[1]>
    %ov = make_partition_view %ot : !out
    %s1 = reshape %sum : tile<f32> -> tile<1xf32>
    %u = store_view_tko weak %s1, %ov[%b] : tile<1xf32>, !out, tile<i32> -> token
    return
  }
}
