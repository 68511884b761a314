// Family view: the widest vectors that alignment, strides and extents allow; what may
// stick out is predicated and filled with the padding value.

// RUN: cuda-tile-compile %s --gpu sm_80 --emit=ptx | FileCheck %s

!pairs = !cuda_tile.tensor_view<16x64x2xf16, strides=[128, 2, 1]>
!line = !cuda_tile.tensor_view<?xf32, strides=[1]>

cuda_tile.module @kernels {
  // Aligned and whole tiles: 16 bytes each. The tile may be one that the tensor does not
  // have, which one comparison tells for all threads.
  // CHECK-LABEL: .entry aligned(
  // CHECK-NOT: setp
  // CHECK: setp.lt.u32 %[[P:p[0-9]+]]
  // CHECK: @%[[P]] ld.global{{.*}}.v4.b32
  // CHECK-NOT: setp
  // CHECK: @%[[P]] st.global.v4.b32
  // CHECK-NOT: setp
  // CHECK: ret
  entry @aligned(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %base = assume div_by<16>, %p : tile<ptr<f32>>
    %size = assume div_by<128>, %n : tile<i32>
    %t = make_tensor_view %base, shape = [%size], strides = [1] : tile<i32> -> !line
    %v = make_partition_view %t : partition_view<tile=(128), !cuda_tile.tensor_view<?xf32, strides=[1]>>
    %i, %j, %k = get_tile_block_id : tile<i32>
    %x, %r = load_view_tko weak %v[%i] : partition_view<tile=(128), !cuda_tile.tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %s = store_view_tko weak %x, %v[%i] token = %r : tile<128xf32>, partition_view<tile=(128), !cuda_tile.tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }

  // No more iterations than there are tiles: nothing to compare but the iterations themselves.
  // CHECK-LABEL: .entry counted(
  // CHECK-NOT: @%p{{[0-9]+}} {{ld|st}}
  // CHECK: ld.global{{.*}}.v4.b32
  // CHECK-NOT: @%p{{[0-9]+}} st
  // CHECK: st.global.v4.b32
  // CHECK: ret
  entry @counted(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %base = assume div_by<16>, %p : tile<ptr<f32>>
    %size = assume div_by<128>, %n : tile<i32>
    %t = make_tensor_view %base, shape = [%size], strides = [1] : tile<i32> -> !line
    %v = make_partition_view %t : partition_view<tile=(128), !cuda_tile.tensor_view<?xf32, strides=[1]>>
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %tile = constant <i32: 128> : tile<i32>
    %iterations = divi %size, %tile signed rounding<positive_inf> : tile<i32>
    for %i in (%z to %iterations, step %one) : tile<i32> {
      %x, %r = load_view_tko weak %v[%i] : partition_view<tile=(128), !cuda_tile.tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
      %y = addf %x, %x : tile<128xf32>
      %s = store_view_tko weak %y, %v[%i] token = %r : tile<128xf32>, partition_view<tile=(128), !cuda_tile.tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
      continue
    }
    return
  }

  // Tiles side by side, whose numbers are known, share an address; that of a tile whose
  // distance no instruction holds is a sum.
  // CHECK-LABEL: .entry beside(
  // CHECK: ld.global.v4.b32 {{.*}}, [%[[A:rd[0-9]+]]];
  // CHECK: ld.global.v4.b32 {{.*}}, [%[[A]]+512];
  // CHECK: add.s64 %[[FAR:rd[0-9]+]], %[[A]], 4294967296;
  // CHECK: ld.global.v4.b32 {{.*}}, [%[[FAR]]];
  entry @beside(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>) {
    %base = assume div_by<16>, %p : tile<ptr<f32>>
    %out = assume div_by<16>, %q : tile<ptr<f32>>
    %t = make_tensor_view %base, shape = [4294967296], strides = [1] : tensor_view<4294967296xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(128), tensor_view<4294967296xf32, strides=[1]>>
    %ts = make_tensor_view %out, shape = [128], strides = [1] : tensor_view<128xf32, strides=[1]>
    %vs = make_partition_view %ts : partition_view<tile=(128), tensor_view<128xf32, strides=[1]>>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %far = constant <i32: 8388608> : tile<i32>
    %x, %r = load_view_tko weak %v[%zero] : partition_view<tile=(128), tensor_view<4294967296xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %y, %ry = load_view_tko weak %v[%one] : partition_view<tile=(128), tensor_view<4294967296xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %z, %rz = load_view_tko weak %v[%far] : partition_view<tile=(128), tensor_view<4294967296xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %xy = addf %x, %y : tile<128xf32>
    %xyz = addf %xy, %z : tile<128xf32>
    %s = store_view_tko weak %xyz, %vs[%zero] : tile<128xf32>, partition_view<tile=(128), tensor_view<128xf32, strides=[1]>>, tile<i32> -> token
    return
  }

  // A multiple of four but not of the tile: a vector lies inside or outside as a whole.
  // CHECK-LABEL: .entry ragged(
  // CHECK: max.u32
  // CHECK: setp.lt.u32
  // CHECK: mov.b32 {{.*}}0x7fc00000
  // CHECK: @%p{{[0-9]+}} ld.global.v4.b32
  // CHECK: @%p{{[0-9]+}} st.global.v4.b32
  entry @ragged(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %base = assume div_by<16>, %p : tile<ptr<f32>>
    %size = assume div_by<4>, %n : tile<i32>
    %t = make_tensor_view %base, shape = [%size], strides = [1] : tile<i32> -> !line
    %v = make_partition_view %t : partition_view<tile=(128), padding_value = nan, !cuda_tile.tensor_view<?xf32, strides=[1]>>
    %i, %j, %k = get_tile_block_id : tile<i32>
    %x, %r = load_view_tko weak %v[%i] : partition_view<tile=(128), padding_value = nan, !cuda_tile.tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %s = store_view_tko weak %x, %v[%i] token = %r : tile<128xf32>, partition_view<tile=(128), padding_value = nan, !cuda_tile.tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }

  // Nothing is known: one element at a time.
  // CHECK-LABEL: .entry unknown(
  // CHECK-NOT: .v4
  // CHECK-NOT: .v2
  // CHECK: mov.b32 {{.*}}0xff800000
  // CHECK: @%p{{[0-9]+}} ld.global.b32
  // CHECK: ret
  entry @unknown(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [%n], strides = [1] : tile<i32> -> !line
    %v = make_partition_view %t : partition_view<tile=(128), padding_value = neg_inf, !cuda_tile.tensor_view<?xf32, strides=[1]>>
    %i, %j, %k = get_tile_block_id : tile<i32>
    %x, %r = load_view_tko weak %v[%i] : partition_view<tile=(128), padding_value = neg_inf, !cuda_tile.tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %s = store_view_tko weak %x, %v[%i] token = %r : tile<128xf32>, partition_view<tile=(128), padding_value = neg_inf, !cuda_tile.tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }

  // 64-bit indices: the tile's start does not wrap at 2^32.
  // CHECK-LABEL: .entry wide(
  // CHECK: ld.param.b64 %[[I:rd[0-9]+]], [wide_param_2]
  // CHECK: min.u64 %[[J:rd[0-9]+]], %[[I]]
  // CHECK: shl.b64 {{.*}}%[[J]], {{7|9}}
  entry @wide(%p: tile<ptr<f32>>, %n: tile<i64>, %i: tile<i64>) {
    %t = make_tensor_view %p, shape = [%n], strides = [1] : tile<i64> -> !line
    %v = make_partition_view %t : partition_view<tile=(128), !cuda_tile.tensor_view<?xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<128xf32>
    %s = store_view_tko weak %x, %v[%i] : tile<128xf32>, partition_view<tile=(128), !cuda_tile.tensor_view<?xf32, strides=[1]>>, tile<i64> -> token
    return
  }

  // Rows of pairs without a gap go together as rows of numbers do.
  // CHECK-LABEL: .entry pairs(
  // CHECK: ld.global{{.*}}.v4.b32
  // CHECK: st.global.v4.b32
  entry @pairs(%p: tile<ptr<f16>>) {
    %base = assume div_by<16>, %p : tile<ptr<f16>>
    %zero = constant <i32: 0> : tile<i32>
    %t = make_tensor_view %base, shape = [16, 64, 2], strides = [128, 2, 1] : !pairs
    %v = make_partition_view %t : partition_view<tile=(16x64x2), !pairs>
    %x, %r = load_view_tko weak %v[%zero, %zero, %zero] : partition_view<tile=(16x64x2), !pairs>, tile<i32> -> tile<16x64x2xf16>, token
    %y = addf %x, %x : tile<16x64x2xf16>
    %s = store_view_tko weak %y, %v[%zero, %zero, %zero] token = %r : tile<16x64x2xf16>, partition_view<tile=(16x64x2), !pairs>, tile<i32> -> token
    return
  }
}
