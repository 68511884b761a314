// Family mma: mma.sync on fragments that ldmatrix brings, transposed where the operand
// lies the other way round.

// RUN: cuda-tile-compile %s --gpu sm_80 --emit=ptx | FileCheck %s

!half = !cuda_tile.partition_view<tile=(64x64), !cuda_tile.tensor_view<64x64xf16, strides=[64,1]>>
!bhalf = !cuda_tile.partition_view<tile=(64x64), !cuda_tile.tensor_view<64x64xbf16, strides=[64,1]>>
!transposed = !cuda_tile.partition_view<tile=(64x64), !cuda_tile.tensor_view<64x64xf16, strides=[64,1]>, dim_map=[1, 0]>
!single = !cuda_tile.partition_view<tile=(64x64), !cuda_tile.tensor_view<64x64xf32, strides=[64,1]>>

cuda_tile.module @kernels {
  // A row-major: as it lies; B row-major: transposed.
  // CHECK-LABEL: .entry rows(
  // CHECK: bar.sync 0
  // CHECK-DAG: ldmatrix.sync.aligned.m8n8.x4.shared.b16
  // CHECK-DAG: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
  // CHECK-NOT: ld.shared
  // CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
  entry @rows(%p: tile<ptr<f16>>, %q: tile<ptr<f32>>) {
    %base = assume div_by<16>, %p : tile<ptr<f16>>
    %t = make_tensor_view %base, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf16, strides=[64,1]>
    %v = make_partition_view %t : !half
    %u = make_tensor_view %q, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %w = make_partition_view %u : !single
    %z = constant <i32: 0> : tile<i32>
    %zero = constant <f32: 0.0> : tile<64x64xf32>
    %a, %r = load_view_tko weak %v[%z, %z] : !half, tile<i32> -> tile<64x64xf16>, token
    %b, %s = load_view_tko weak %v[%z, %z] : !half, tile<i32> -> tile<64x64xf16>, token
    %c = mmaf %a, %b, %zero : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
    %d = store_view_tko weak %c, %w[%z, %z] : tile<64x64xf32>, !single, tile<i32> -> token
    return
  }

  // A and B column-major: the other way round.
  // CHECK-LABEL: .entry columns(
  // CHECK-DAG: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
  // CHECK-DAG: ldmatrix.sync.aligned.m8n8.x4.shared.b16
  // CHECK: mma.sync
  entry @columns(%p: tile<ptr<f16>>, %q: tile<ptr<f32>>) {
    %base = assume div_by<16>, %p : tile<ptr<f16>>
    %t = make_tensor_view %base, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf16, strides=[64,1]>
    %v = make_partition_view %t : !transposed
    %u = make_tensor_view %q, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %w = make_partition_view %u : !single
    %z = constant <i32: 0> : tile<i32>
    %zero = constant <f32: 0.0> : tile<64x64xf32>
    %a, %r = load_view_tko weak %v[%z, %z] : !transposed, tile<i32> -> tile<64x64xf16>, token
    %b, %s = load_view_tko weak %v[%z, %z] : !transposed, tile<i32> -> tile<64x64xf16>, token
    %c = mmaf %a, %b, %zero : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
    %d = store_view_tko weak %c, %w[%z, %z] : tile<64x64xf32>, !single, tile<i32> -> token
    return
  }

  // CHECK-LABEL: .entry bfloat(
  // CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
  entry @bfloat(%p: tile<ptr<bf16>>, %q: tile<ptr<f32>>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xbf16, strides=[64,1]>
    %v = make_partition_view %t : !bhalf
    %u = make_tensor_view %q, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %w = make_partition_view %u : !single
    %z = constant <i32: 0> : tile<i32>
    %zero = constant <f32: 0.0> : tile<64x64xf32>
    %a, %r = load_view_tko weak %v[%z, %z] : !bhalf, tile<i32> -> tile<64x64xbf16>, token
    %c = mmaf %a, %a, %zero : tile<64x64xbf16>, tile<64x64xbf16>, tile<64x64xf32>
    %d = store_view_tko weak %c, %w[%z, %z] : tile<64x64xf32>, !single, tile<i32> -> token
    return
  }
}
