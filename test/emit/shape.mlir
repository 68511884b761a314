// Family shape: moving elements about costs no instruction where they stay with their
// threads.

// RUN: cuda-tile-compile %s --gpu sm_80 --emit=ptx | FileCheck %s

// CHECK: .global .align 16 .b8 table_0_lists[64] = {3, 0, 0, 0, 1,

cuda_tile.module @kernels {
  // Reshape and permute of a tile only rename registers.
  // CHECK-LABEL: .entry renamed(
  // CHECK: ld.global{{.*}}.v4.b32
  // CHECK-NOT: shfl
  // CHECK-NOT: shared
  // CHECK: st.global.v4.b32
  // CHECK: ret
  entry @renamed(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>) {
    %a = assume div_by<16>, %p : tile<ptr<f32>>
    %b = assume div_by<16>, %q : tile<ptr<f32>>
    %t = make_tensor_view %a, shape = [1024], strides = [1] : tensor_view<1024xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(1024), tensor_view<1024xf32, strides=[1]>>
    %u = make_tensor_view %b, shape = [32, 32], strides = [1, 32] : tensor_view<32x32xf32, strides=[1,32]>
    %w = make_partition_view %u : partition_view<tile=(32x32), tensor_view<32x32xf32, strides=[1,32]>>
    %z = constant <i32: 0> : tile<i32>
    %x, %r = load_view_tko weak %v[%z] : partition_view<tile=(1024), tensor_view<1024xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
    %y = reshape %x : tile<1024xf32> -> tile<32x32xf32>
    %c = permute %y [1, 0] : tile<32x32xf32> -> tile<32x32xf32>
    %s = store_view_tko weak %c, %w[%z, %z] : tile<32x32xf32>, partition_view<tile=(32x32), tensor_view<32x32xf32, strides=[1,32]>>, tile<i32> -> token
    return
  }

  // Where the threads hold the same places of both halves, cutting a tile and putting it
  // together again moves nothing either.
  // CHECK-LABEL: .entry halves(
  // CHECK: ld.global
  // CHECK-NOT: selp
  // CHECK-NOT: shfl
  // CHECK-NOT: shared
  // CHECK: st.global
  // CHECK: ret
  entry @halves(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>) {
    %i = iota : tile<256xi32>
    %a = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
    %b = broadcast %a : tile<1xptr<f32>> -> tile<256xptr<f32>>
    %c = offset %b, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
    %x, %r = load_ptr_tko weak %c : tile<256xptr<f32>> -> tile<256xf32>, token
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %low = extract %x[%zero] : tile<256xf32> -> tile<128xf32>
    %high = extract %x[%one] : tile<256xf32> -> tile<128xf32>
    %y = cat %high, %low dim = 0 : tile<128xf32>, tile<128xf32> -> tile<256xf32>
    %s = reshape %q : tile<ptr<f32>> -> tile<1xptr<f32>>
    %t = broadcast %s : tile<1xptr<f32>> -> tile<256xptr<f32>>
    %u = offset %t, %i : tile<256xptr<f32>>, tile<256xi32> -> tile<256xptr<f32>>
    %v = store_ptr_tko weak %u, %y : tile<256xptr<f32>>, tile<256xf32> -> token
    return
  }

  // Two values are chosen by a bit of the thread index, more are read from a table.
  // CHECK-LABEL: .entry lists(
  // CHECK: ld.global.nc
  // CHECK: selp.b32 {{.*}}, 9, 5
  // CHECK: st.global
  entry @lists(%q: tile<ptr<i32>>) {
    %i = iota : tile<64xi32>
    %few = constant <i32: [[5, 9]]> : tile<1x2xi32>
    %wide = broadcast %few : tile<1x2xi32> -> tile<32x2xi32>
    %flat = reshape %wide : tile<32x2xi32> -> tile<64xi32>
    %many = constant <i32: [[3], [1], [4], [1], [5], [9], [2], [6], [5], [3], [5], [8], [9], [7], [9], [3]]> : tile<16x1xi32>
    %each = broadcast %many : tile<16x1xi32> -> tile<16x4xi32>
    %all = reshape %each : tile<16x4xi32> -> tile<64xi32>
    %sum = addi %flat, %all : tile<64xi32>
    %s = reshape %q : tile<ptr<i32>> -> tile<1xptr<i32>>
    %t = broadcast %s : tile<1xptr<i32>> -> tile<64xptr<i32>>
    %u = offset %t, %i : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
    %v = store_ptr_tko weak %u, %sum : tile<64xptr<i32>>, tile<64xi32> -> token
    return
  }
}
