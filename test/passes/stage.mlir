// What must change threads goes through shared memory: operands of products in
// swizzled buffers, conversions between warps, the rest of a reduction across warps.

// RUN: cuda-tile-opt %s --pass-pipeline='builtin.module(cuda-tile-plan{gpu=sm_120},cuda-tile-place,cuda-tile-stage)' | FileCheck %s

!square = !cuda_tile.partition_view<tile=(64x64), !cuda_tile.tensor_view<64x64xf32, strides=[64,1]>>
!transposed = !cuda_tile.partition_view<tile=(64x64), !cuda_tile.tensor_view<64x64xf32, strides=[64,1]>, dim_map=[1, 0]>
!half = !cuda_tile.partition_view<tile=(64x64), !cuda_tile.tensor_view<64x64xf16, strides=[64,1]>>

cuda_tile.module @kernels {
  // CHECK-LABEL: entry @transpose
  // CHECK: %[[TILE:.*]], %{{.*}} = load_view_tko
  // CHECK-NEXT: %[[BUFFER:.*]] = tileas.alloc_shared : !tileas.buffer<64x64xf32
  // CHECK-NEXT: tileas.store_shared %[[TILE]], %[[BUFFER]]
  // CHECK-NEXT: %[[BACK:.*]] = tileas.load_shared %[[BUFFER]][0, 0]
  // CHECK-NEXT: store_view_tko weak %[[BACK]]
  // CHECK-NOT: convert_layout
  // CHECK: return
  entry @transpose(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>) {
    %a = assume div_by<16>, %p : tile<ptr<f32>>
    %b = assume div_by<16>, %q : tile<ptr<f32>>
    %t = make_tensor_view %a, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %u = make_tensor_view %b, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : !square
    %w = make_partition_view %u : !transposed
    %z = constant <i32: 0> : tile<i32>
    %x, %r = load_view_tko weak %v[%z, %z] : !square, tile<i32> -> tile<64x64xf32>, token
    %s = store_view_tko weak %x, %w[%z, %z] : tile<64x64xf32>, !transposed, tile<i32> -> token
    return
  }

  // Four slices of K, one mma_sync each, all from the same two buffers.
  // CHECK-LABEL: entry @product
  // CHECK-DAG: %[[A:.*]] = tileas.alloc_shared
  // CHECK-DAG: %[[B:.*]] = tileas.alloc_shared
  // CHECK: tileas.load_shared %{{.*}}[0, 0]
  // CHECK: tileas.mma_sync
  // CHECK: tileas.load_shared %{{.*}}[0, 16]
  // CHECK: tileas.load_shared %{{.*}}[16, 0]
  // CHECK: tileas.mma_sync {{.*}}atom = "m16n8k16"
  // CHECK: tileas.load_shared %{{.*}}[48, 0]
  // CHECK: tileas.mma_sync
  // CHECK-NOT: mma_sync
  // CHECK-NOT: mmaf
  // CHECK: return
  entry @product(%p: tile<ptr<f16>>, %q: tile<ptr<f32>>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf16, strides=[64,1]>
    %v = make_partition_view %t : !half
    %u = make_tensor_view %q, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %w = make_partition_view %u : !square
    %z = constant <i32: 0> : tile<i32>
    %zero = constant <f32: 0.0> : tile<64x64xf32>
    %a, %r = load_view_tko weak %v[%z, %z] : !half, tile<i32> -> tile<64x64xf16>, token
    %b, %s = load_view_tko weak %v[%z, %z] : !half, tile<i32> -> tile<64x64xf16>, token
    %c = mmaf %a, %b, %zero : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
    %d = store_view_tko weak %c, %w[%z, %z] : tile<64x64xf32>, !square, tile<i32> -> token
    return
  }

  // The left operand is stored once, before the loops that read it; the result of the
  // first product stays in its threads, where slices of it are other names of registers.
  // CHECK-LABEL: entry @chained
  // CHECK: tileas.store_shared {{.*}} : tile<64x32xf16
  // CHECK: for
  // CHECK-NOT: tileas.store_shared {{.*}} : tile<64x32xf16
  // CHECK: tileas.store_shared {{.*}} : tile<32x32xf16
  // CHECK: tileas.load_shared {{.*}}[0, 0] {{.*}} -> tile<64x16xf16
  // CHECK: tileas.mma_sync
  // CHECK: tileas.store_shared {{.*}} : tile<32x64xf16
  // CHECK: extract {{.*}} : tile<64x32xf16, {{.*}} -> tile<64x16xf16
  // CHECK: tileas.load_shared {{.*}}[0, 0] {{.*}} -> tile<16x64xf16
  // CHECK: tileas.mma_sync
  // CHECK: extract
  // CHECK: tileas.load_shared {{.*}}[16, 0]
  // CHECK: continue
  // CHECK: for
  // CHECK-NOT: tileas.store_shared {{.*}} : tile<64x32xf16
  // CHECK: return
  entry @chained(%p: tile<ptr<f16>>, %q: tile<ptr<f32>>) attributes {tileas.plan = {num_warps = 4 : i64, warps_m = 4 : i64, warps_n = 1 : i64}} {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf16, strides=[64,1]>
    %u = make_tensor_view %q, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %va = make_partition_view %t : partition_view<tile=(64x32), tensor_view<64x64xf16, strides=[64,1]>>
    %vb = make_partition_view %t : partition_view<tile=(32x32), tensor_view<64x64xf16, strides=[64,1]>>
    %vc = make_partition_view %t : partition_view<tile=(32x64), tensor_view<64x64xf16, strides=[64,1]>>
    %w = make_partition_view %u : !square
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %zero = constant <f32: 0.0> : tile<64x32xf32>
    %start = constant <f32: 0.0> : tile<64x64xf32>
    %a, %r = load_view_tko weak %va[%z, %z] : partition_view<tile=(64x32), tensor_view<64x64xf16, strides=[64,1]>>, tile<i32> -> tile<64x32xf16>, token
    %half = for %i in (%z to %two, step %one) : tile<i32> iter_values(%acc = %start) -> (tile<64x64xf32>) {
      %b, %s = load_view_tko weak %vb[%i, %z] : partition_view<tile=(32x32), tensor_view<64x64xf16, strides=[64,1]>>, tile<i32> -> tile<32x32xf16>, token
      %c = mmaf %a, %b, %zero : tile<64x32xf16>, tile<32x32xf16>, tile<64x32xf32>
      %d = ftof %c : tile<64x32xf32> -> tile<64x32xf16>
      %e, %x = load_view_tko weak %vc[%i, %z] : partition_view<tile=(32x64), tensor_view<64x64xf16, strides=[64,1]>>, tile<i32> -> tile<32x64xf16>, token
      %f = mmaf %d, %e, %acc : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
      continue %f : tile<64x64xf32>
    }
    %all = for %i in (%z to %two, step %one) : tile<i32> iter_values(%acc = %half) -> (tile<64x64xf32>) {
      %b, %s = load_view_tko weak %vc[%i, %z] : partition_view<tile=(32x64), tensor_view<64x64xf16, strides=[64,1]>>, tile<i32> -> tile<32x64xf16>, token
      %f = mmaf %a, %b, %acc : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
      continue %f : tile<64x64xf32>
    }
    %d = store_view_tko weak %all, %w[%z, %z] : tile<64x64xf32>, !square, tile<i32> -> token
    return
  }

  // Within warps first; what is left, one element per warp, goes to every thread.
  // CHECK-LABEL: entry @sum
  // CHECK: reduce {{.*}} -> tile<4xf32
  // CHECK: tileas.store_shared {{.*}} : tile<4xf32
  // CHECK: %[[ALL:.*]] = tileas.load_shared
  // CHECK: reduce %[[ALL]] {{.*}} -> tile<f32>
  // CHECK: return
  entry @sum(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>) attributes {tileas.plan = {num_warps = 4 : i64}} {
    %t = make_tensor_view %p, shape = [1024], strides = [1] : tensor_view<1024xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(1024), tensor_view<1024xf32, strides=[1]>>
    %z = constant <i32: 0> : tile<i32>
    %x, %r = load_view_tko weak %v[%z] : partition_view<tile=(1024), tensor_view<1024xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
    %sum = reduce %x dim=0 identities=[0.0 : f32] : tile<1024xf32> -> tile<f32>
    (%a: tile<f32>, %b: tile<f32>) {
      %s = addf %a, %b : tile<f32>
      yield %s : tile<f32>
    }
    %s = store_ptr_tko weak %q, %sum : tile<ptr<f32>>, tile<f32> -> token
    return
  }

  // Within one warp nothing is staged.
  // CHECK-LABEL: entry @short
  // CHECK-NOT: alloc_shared
  // CHECK: reduce {{.*}} -> tile<f32>
  // CHECK-NOT: = reduce
  // CHECK: return
  entry @short(%q: tile<ptr<f32>>) {
    %x = constant <f32: 1.0> : tile<64xf32>
    %sum = reduce %x dim=0 identities=[0.0 : f32] : tile<64xf32> -> tile<f32>
    (%a: tile<f32>, %b: tile<f32>) {
      %s = addf %a, %b : tile<f32>
      yield %s : tile<f32>
    }
    %s = store_ptr_tko weak %q, %sum : tile<ptr<f32>>, tile<f32> -> token
    return
  }

  // A part that other threads hold: with constant indices it alone is stored, with others
  // the whole tile, once for all parts and before the loop that takes them.
  // CHECK-LABEL: entry @parts
  // CHECK: tileas.store_shared %{{.*}} : tile<256xf32, {{.*}} !tileas.buffer<256xf32
  // CHECK: for
  // CHECK: tileas.load_part %{{.*}}[%{{.*}}] : !tileas.buffer<256xf32, {{.*}} -> tile<32xf32
  // CHECK: continue
  // CHECK: tileas.store_shared %{{.*}} at [96], %{{.*}} !tileas.buffer<32xf32
  // CHECK: tileas.load_shared %{{.*}}[0] : !tileas.buffer<32xf32
  // CHECK-NOT: = extract
  // CHECK: return
  entry @parts(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>, %n: tile<i32>) attributes {tileas.plan = {num_warps = 4 : i64}} {
    %i = iota : tile<256xi32>
    %j = iota : tile<32xi32>
    %a = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
    %b = broadcast %a : tile<1xptr<f32>> -> tile<256xptr<f32>>
    %c = offset %b, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
    %x, %r = load_ptr_tko weak %c : tile<256xptr<f32>> -> tile<256xf32>, token
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %three = constant <i32: 3> : tile<i32>
    %none = constant <f32: 0.0> : tile<32xf32>
    %sum = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %none) -> (tile<32xf32>) {
      %part = extract %x[%k] : tile<256xf32> -> tile<32xf32>
      %more = addf %acc, %part : tile<32xf32>
      continue %more : tile<32xf32>
    }
    %last = extract %x[%three] : tile<256xf32> -> tile<32xf32>
    %y = addf %sum, %last : tile<32xf32>
    %s = reshape %q : tile<ptr<f32>> -> tile<1xptr<f32>>
    %t = broadcast %s : tile<1xptr<f32>> -> tile<32xptr<f32>>
    %u = offset %t, %j : tile<32xptr<f32>>, tile<32xi32> -> tile<32xptr<f32>>
    %v = store_ptr_tko weak %u, %y : tile<32xptr<f32>>, tile<32xf32> -> token
    return
  }

  // A scan across warps: of blocks that lie in warps, of their last prefixes in every
  // thread, and both combined but for the first block.
  // CHECK-LABEL: entry @running
  // CHECK: scan {{.*}} dim=1 {{.*}} -> tile<8x128xi32
  // CHECK: tileas.store_shared {{.*}} at [0, 127]
  // CHECK: %[[TOTALS:.*]] = tileas.load_shared {{.*}} -> tile<8x1xi32
  // CHECK: scan %[[TOTALS]] dim=0
  // CHECK: reduce {{.*}} dim=0 {{.*}} : tile<2x8x128xi32
  // CHECK: select
  // CHECK: return
  entry @running(%p: tile<ptr<i32>>) attributes {tileas.plan = {num_warps = 4 : i64}} {
    %c = assume div_by<16>, %p : tile<ptr<i32>>
    %t = make_tensor_view %c, shape = [1024], strides = [1] : tensor_view<1024xi32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(1024), tensor_view<1024xi32, strides=[1]>>
    %z = constant <i32: 0> : tile<i32>
    %x, %r = load_view_tko weak %v[%z] : partition_view<tile=(1024), tensor_view<1024xi32, strides=[1]>>, tile<i32> -> tile<1024xi32>, token
    %m = scan %x dim=0 reverse=false identities=[0 : i32] : tile<1024xi32> -> tile<1024xi32>
    (%a: tile<i32>, %b: tile<i32>) {
      %n = addi %a, %b : tile<i32>
      yield %n : tile<i32>
    }
    %s = store_view_tko weak %m, %v[%z] : tile<1024xi32>, partition_view<tile=(1024), tensor_view<1024xi32, strides=[1]>>, tile<i32> -> token
    return
  }

  // More than shared memory holds goes in parts through one buffer, and a remark says so.
  // CHECK-LABEL: entry @large
  // CHECK-SAME: tileas.remarks = [{{.*}}"{{.*}}wanted a tile<256x256xf64> to change threads at once, it goes in 8 parts: it takes 524288 bytes of shared memory where 101376 are left
  // CHECK: %[[BUFFER:.*]] = tileas.alloc_shared
  // CHECK-COUNT-4: tileas.store_shared %{{.*}} at [{{.*}}], %[[BUFFER]]
  // CHECK: tileas.load_shared %[[BUFFER]][{{.*}}] into
  // CHECK: return
  entry @large(%p: tile<ptr<f64>>) {
    %t = make_tensor_view %p, shape = [256, 256], strides = [256, 1] : tensor_view<256x256xf64, strides=[256,1]>
    %v = make_partition_view %t : partition_view<tile=(256x256), tensor_view<256x256xf64, strides=[256,1]>>
    %z = constant <i32: 0> : tile<i32>
    %x, %r = load_view_tko weak %v[%z, %z] : partition_view<tile=(256x256), tensor_view<256x256xf64, strides=[256,1]>>, tile<i32> -> tile<256x256xf64>, token
    %y = permute %x [1, 0] : tile<256x256xf64> -> tile<256x256xf64>
    %s = store_view_tko weak %y, %v[%z, %z] : tile<256x256xf64>, partition_view<tile=(256x256), tensor_view<256x256xf64, strides=[256,1]>>, tile<i32> -> token
    return
  }
}
