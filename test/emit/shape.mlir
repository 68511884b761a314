// Family shape: moving elements about costs no instruction where they stay with their
// threads.

// RUN: cuda-tile-compile %s --gpu sm_80 --emit=ptx | FileCheck %s

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
}
