// RUN: cuda-tile-opt %s | cuda-tile-opt | FileCheck %s
// RUN: cuda-tile-opt %s -mlir-print-op-generic | cuda-tile-opt | FileCheck %s

cuda_tile.module @views {
  // CHECK-LABEL: entry @strided
  entry @strided(%p: tile<ptr<f32>>, %n: tile<i16>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    // CHECK: %sview = make_strided_view %tview : strided_view<tile=(8x4), traversal_strides=[3,8], tensor_view<64x64xf32, strides=[64,1]>>
    %0 = make_strided_view %t : strided_view<tile=(8x4), traversal_strides=[3, 8], tensor_view<64x64xf32, strides=[64,1]>, dim_map=[0, 1]>
    // CHECK: %sview_0 = make_strided_view %tview : strided_view<tile=(8x4), traversal_strides=[3,8], padding_value = neg_inf, tensor_view<64x64xf32, strides=[64,1]>, dim_map=[1, 0]>
    %1 = make_strided_view %t : strided_view<tile=(8x4), traversal_strides=[3,8], padding_value = neg_inf, tensor_view<64x64xf32, strides=[64,1]>, dim_map=[1, 0]>
    // CHECK: get_index_space_shape %sview : strided_view<tile=(8x4), traversal_strides=[3,8], tensor_view<64x64xf32, strides=[64,1]>> -> tile<i64>
    %s:2 = get_index_space_shape %0 : strided_view<tile=(8x4), traversal_strides=[3,8], tensor_view<64x64xf32, strides=[64,1]>> -> tile<i64>
    // CHECK: load_view_tko weak %sview[%arg1, %arg1] : strided_view<tile=(8x4), traversal_strides=[3,8], tensor_view<64x64xf32, strides=[64,1]>>, tile<i16> -> tile<8x4xf32>, token
    %x, %k = load_view_tko weak %0[%n, %n] : strided_view<tile=(8x4), traversal_strides=[3,8], tensor_view<64x64xf32, strides=[64,1]>>, tile<i16> -> tile<8x4xf32>, token
    // CHECK: store_view_tko weak %tile, %sview[%arg1, %arg1] token = %result_token : tile<8x4xf32>, strided_view<tile=(8x4), traversal_strides=[3,8], tensor_view<64x64xf32, strides=[64,1]>>, tile<i16> -> token
    %k2 = store_view_tko weak %x, %0[%n, %n] token = %k : tile<8x4xf32>, strided_view<tile=(8x4), traversal_strides=[3,8], tensor_view<64x64xf32, strides=[64,1]>>, tile<i16> -> token
    return
  }

  // CHECK-LABEL: entry @gather_scatter
  entry @gather_scatter(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    // CHECK: %gsview = make_gather_scatter_view %tview : gather_scatter_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>
    %0 = make_gather_scatter_view %t : gather_scatter_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>
    // CHECK: %gsview_0 = make_gather_scatter_view %tview : gather_scatter_view<tile=(8x4), padding_value = nan, tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=1>
    %1 = make_gather_scatter_view %t : gather_scatter_view<tile=(8x4), padding_value = nan, tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=1>
    // CHECK: %[[ROWS:.*]] = iota : tile<8xi64>
    %i = iota : tile<8xi64>
    // CHECK: load_view_tko weak %gsview[%[[ROWS]], %arg1] : gather_scatter_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>, tile<8xi64>, tile<i32> -> tile<8x4xf32>, token
    %x, %k = load_view_tko weak %0[%i, %n] : gather_scatter_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>, tile<8xi64>, tile<i32> -> tile<8x4xf32>, token
    return
  }

  // CHECK-LABEL: entry @string
  // CHECK: } {text = !cuda_tile.string}
  entry @string() attributes {text = !cuda_tile.string} {
    return
  }
}
