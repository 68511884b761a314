// Exchanges between warps share a barrier: what a later one needs moves up, or, as here,
// where a relaxed load stays where it is, the earlier one moves down.

// RUN: cuda-tile-opt %s --pass-pipeline='builtin.module(cuda-tile-plan{gpu=sm_90},cuda-tile-place,cuda-tile-join-reductions,cuda-tile-stage)' | FileCheck %s

!row = !cuda_tile.partition_view<tile=(1024), !cuda_tile.tensor_view<8192xf32, strides=[1]>>
!out = !cuda_tile.partition_view<tile=(1), !cuda_tile.tensor_view<16xf32, strides=[1]>>

cuda_tile.module @kernels {
  // CHECK-LABEL: entry @load_between
  // CHECK: load_view_tko relaxed
  // CHECK: load_view_tko relaxed
  // CHECK: store_shared
  // CHECK-NOT: load_shared
  // CHECK: store_shared
  // CHECK: load_shared
  // CHECK-NEXT: load_shared
  // CHECK: return
  entry @load_between(%a: tile<ptr<f32>>, %o: tile<ptr<f32>>) attributes {tileas.plan = {num_warps = 4 : i64}} {
    %b, %y, %z = get_tile_block_id : tile<i32>
    %c8 = constant <i32: 8> : tile<i32>
    %at = make_tensor_view %a, shape = [8192], strides = [1] : tensor_view<8192xf32, strides=[1]>
    %av = make_partition_view %at : !row
    %ot = make_tensor_view %o, shape = [16], strides = [1] : tensor_view<16xf32, strides=[1]>
    %ov = make_partition_view %ot : !out
    %x, %t = load_view_tko relaxed device %av[%b] : !row, tile<i32> -> tile<1024xf32>, token
    %max = reduce %x dim=0 identities=[0xFF800000 : f32] : tile<1024xf32> -> tile<f32>
    (%p: tile<f32>, %q: tile<f32>) {
      %s = maxf %p, %q : tile<f32>
      yield %s : tile<f32>
    }
    %v, %r = load_view_tko relaxed device %av[%b] : !row, tile<i32> -> tile<1024xf32>, token
    %sum = reduce %v dim=0 identities=[0.0 : f32] : tile<1024xf32> -> tile<f32>
    (%p: tile<f32>, %q: tile<f32>) {
      %s = addf %p, %q : tile<f32>
      yield %s : tile<f32>
    }
    %s1 = reshape %max : tile<f32> -> tile<1xf32>
    %u = store_view_tko weak %s1, %ov[%b] : tile<1xf32>, !out, tile<i32> -> token
    %i = addi %b, %c8 : tile<i32>
    %s2 = reshape %sum : tile<f32> -> tile<1xf32>
    %w = store_view_tko weak %s2, %ov[%i] : tile<1xf32>, !out, tile<i32> -> token
    return
  }

  // The store of the first result is made where it stands.
  // CHECK-LABEL: entry @store_between
  // CHECK: store_shared
  // CHECK-NEXT: load_shared
  // CHECK: store_view_tko
  // CHECK: load_view_tko relaxed
  // CHECK: store_shared
  // CHECK-NEXT: load_shared
  // CHECK: return
  entry @store_between(%a: tile<ptr<f32>>, %o: tile<ptr<f32>>) attributes {tileas.plan = {num_warps = 4 : i64}} {
    %b, %y, %z = get_tile_block_id : tile<i32>
    %c8 = constant <i32: 8> : tile<i32>
    %at = make_tensor_view %a, shape = [8192], strides = [1] : tensor_view<8192xf32, strides=[1]>
    %av = make_partition_view %at : !row
    %ot = make_tensor_view %o, shape = [16], strides = [1] : tensor_view<16xf32, strides=[1]>
    %ov = make_partition_view %ot : !out
    %x, %t = load_view_tko relaxed device %av[%b] : !row, tile<i32> -> tile<1024xf32>, token
    %max = reduce %x dim=0 identities=[0xFF800000 : f32] : tile<1024xf32> -> tile<f32>
    (%p: tile<f32>, %q: tile<f32>) {
      %s = maxf %p, %q : tile<f32>
      yield %s : tile<f32>
    }
    %s1 = reshape %max : tile<f32> -> tile<1xf32>
    %u = store_view_tko weak %s1, %ov[%b] : tile<1xf32>, !out, tile<i32> -> token
    %v, %r = load_view_tko relaxed device %av[%b] token = %u : !row, tile<i32> -> tile<1024xf32>, token
    %sum = reduce %v dim=0 identities=[0.0 : f32] : tile<1024xf32> -> tile<f32>
    (%p: tile<f32>, %q: tile<f32>) {
      %s = addf %p, %q : tile<f32>
      yield %s : tile<f32>
    }
    %i = addi %b, %c8 : tile<i32>
    %s2 = reshape %sum : tile<f32> -> tile<1xf32>
    %w = store_view_tko weak %s2, %ov[%i] : tile<1xf32>, !out, tile<i32> -> token
    return
  }
}
