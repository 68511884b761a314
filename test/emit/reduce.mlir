// Family reduce: registers first, then a butterfly over the lanes, then shared memory.

// RUN: cuda-tile-compile %s --gpu sm_80 --emit=ptx | FileCheck %s

cuda_tile.module @kernels {
  // 32 lanes: five exchanges, no shared memory.
  // CHECK-LABEL: .entry warp(
  // CHECK: shfl.sync.bfly.b32 {{.*}}, 1, 31, -1
  // CHECK: shfl.sync.bfly.b32 {{.*}}, 2, 31, -1
  // CHECK: shfl.sync.bfly.b32 {{.*}}, 4, 31, -1
  // CHECK: shfl.sync.bfly.b32 {{.*}}, 8, 31, -1
  // CHECK: shfl.sync.bfly.b32 {{.*}}, 16, 31, -1
  // CHECK-NOT: shfl
  // CHECK-NOT: shared
  // CHECK: ret
  entry @warp(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>) {
    %t = make_tensor_view %p, shape = [128], strides = [1] : tensor_view<128xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(128), tensor_view<128xf32, strides=[1]>>
    %z = constant <i32: 0> : tile<i32>
    %x, %r = load_view_tko weak %v[%z] : partition_view<tile=(128), tensor_view<128xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %m = reduce %x dim=0 identities=[0xFFC00000 : f32] : tile<128xf32> -> tile<f32>
    (%a: tile<f32>, %b: tile<f32>) {
      %n = maxf %a, %b : tile<f32>
      yield %n : tile<f32>
    }
    %s = store_ptr_tko weak %q, %m : tile<ptr<f32>>, tile<f32> -> token
    return
  }

  // Integers of all lanes: one instruction.
  // CHECK-LABEL: .entry counted(
  // CHECK-NOT: shfl
  // CHECK: redux.sync.max.u32
  // CHECK-NOT: shfl
  // CHECK: ret
  entry @counted(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>) {
    %t = make_tensor_view %p, shape = [128], strides = [1] : tensor_view<128xi32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(128), tensor_view<128xi32, strides=[1]>>
    %z = constant <i32: 0> : tile<i32>
    %x, %r = load_view_tko weak %v[%z] : partition_view<tile=(128), tensor_view<128xi32, strides=[1]>>, tile<i32> -> tile<128xi32>, token
    %m = reduce %x dim=0 identities=[0 : i32] : tile<128xi32> -> tile<i32>
    (%a: tile<i32>, %b: tile<i32>) {
      %n = maxi %a, %b unsigned : tile<i32>
      yield %n : tile<i32>
    }
    %s = store_ptr_tko weak %q, %m : tile<ptr<i32>>, tile<i32> -> token
    return
  }

  // Four warps: each leaves its part in shared memory, one barrier, then all read all.
  // CHECK-LABEL: .entry block(
  // CHECK: shfl.sync.bfly
  // CHECK: st.shared
  // CHECK: bar.sync 0
  // CHECK: ld.shared
  // CHECK-NOT: bar.sync
  // CHECK: ret
  entry @block(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>) {
    %t = make_tensor_view %p, shape = [1024], strides = [1] : tensor_view<1024xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(1024), tensor_view<1024xf32, strides=[1]>>
    %z = constant <i32: 0> : tile<i32>
    %x, %r = load_view_tko weak %v[%z] : partition_view<tile=(1024), tensor_view<1024xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
    %m = reduce %x dim=0 identities=[0xFFC00000 : f32] : tile<1024xf32> -> tile<f32>
    (%a: tile<f32>, %b: tile<f32>) {
      %n = maxf %a, %b : tile<f32>
      yield %n : tile<f32>
    }
    %s = store_ptr_tko weak %q, %m : tile<ptr<f32>>, tile<f32> -> token
    return
  }

  // A scan of one warp: each lane its own four elements, then the totals of the lanes.
  // CHECK-LABEL: .entry running(
  // CHECK: ld.global.v4
  // CHECK: add.s32
  // CHECK: shfl.sync.bfly.b32 {{.*}}, 1, 31, -1
  // CHECK: shfl.sync.bfly.b32 {{.*}}, 2, 31, -1
  // CHECK: shfl.sync.bfly.b32 {{.*}}, 4, 31, -1
  // CHECK: shfl.sync.bfly.b32 {{.*}}, 8, 31, -1
  // CHECK: shfl.sync.bfly.b32 {{.*}}, 16, 31, -1
  // CHECK-NOT: shfl
  // CHECK-NOT: shared
  // CHECK: st.global.v4
  // CHECK: ret
  entry @running(%p: tile<ptr<i32>>) {
    %c = assume div_by<16>, %p : tile<ptr<i32>>
    %t = make_tensor_view %c, shape = [128], strides = [1] : tensor_view<128xi32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(128), tensor_view<128xi32, strides=[1]>>
    %z = constant <i32: 0> : tile<i32>
    %x, %r = load_view_tko weak %v[%z] : partition_view<tile=(128), tensor_view<128xi32, strides=[1]>>, tile<i32> -> tile<128xi32>, token
    %m = scan %x dim=0 reverse=false identities=[0 : i32] : tile<128xi32> -> tile<128xi32>
    (%a: tile<i32>, %b: tile<i32>) {
      %n = addi %a, %b : tile<i32>
      yield %n : tile<i32>
    }
    %s = store_view_tko weak %m, %v[%z] : tile<128xi32>, partition_view<tile=(128), tensor_view<128xi32, strides=[1]>>, tile<i32> -> token
    return
  }
}
