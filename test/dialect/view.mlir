// RUN: cuda-tile-opt %s | cuda-tile-opt | FileCheck %s

cuda_tile.module @view {
  // CHECK-LABEL: entry @make_tensor_view
  entry @make_tensor_view(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // CHECK: %tview = make_tensor_view %arg0, shape = [%arg1, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
    %0 = make_tensor_view %p, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
    // CHECK: make_tensor_view %arg0, shape = [4], strides = [%arg1] : tile<i32> -> tensor_view<4xf32, strides=[?]>
    %1 = make_tensor_view %p, shape = [4], strides = [%n] : tile<i32> -> tensor_view<4xf32, strides=[?]>
    // CHECK: make_tensor_view %arg0, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %2 = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    // CHECK: make_tensor_view %arg0, shape = [], strides = [] : tensor_view<f32>
    %3 = make_tensor_view %p : tensor_view<f32>
    // CHECK: make_tensor_view %arg0, shape = [], strides = [] : tensor_view<f32>
    %4 = make_tensor_view %p, shape = [], strides = [] : tensor_view<f32>
    return
  }

  // CHECK-LABEL: entry @make_partition_view
  entry @make_partition_view(%p: tile<ptr<f32>>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    // CHECK: %pview = make_partition_view %tview : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    %0 = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    // The identity is not printed.
    // CHECK: make_partition_view %tview : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    %1 = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>, dim_map=[0, 1]>
    // CHECK: make_partition_view %tview : partition_view<tile=(8x4), padding_value = neg_inf, tensor_view<64x64xf32, strides=[64,1]>, dim_map=[1, 0]>
    %2 = make_partition_view %t : partition_view<tile=(8x4), padding_value = neg_inf, tensor_view<64x64xf32, strides=[64,1]>, dim_map=[1, 0]>
    return
  }

  // CHECK-LABEL: entry @shapes
  entry @shapes(%p: tile<ptr<f32>>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    %s = make_tensor_view %p : tensor_view<f32>
    // CHECK: %0:2 = get_tensor_shape %tview : tensor_view<64x64xf32, strides=[64,1]> -> tile<i32>
    %0:2 = get_tensor_shape %t : tensor_view<64x64xf32, strides=[64,1]> -> tile<i32>
    // CHECK: %1:2 = get_tensor_shape %tview : tensor_view<64x64xf32, strides=[64,1]> -> tile<i32>, tile<i64>
    %1:2 = get_tensor_shape %t : tensor_view<64x64xf32, strides=[64,1]> -> tile<i32>, tile<i64>
    // CHECK: get_tensor_shape %{{.*}} : tensor_view<f32>
    get_tensor_shape %s : tensor_view<f32>
    // CHECK: get_index_space_shape %pview : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>> -> tile<i64>
    %2:2 = get_index_space_shape %v : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>> -> tile<i64>
    return
  }

  // CHECK-LABEL: entry @accesses
  entry @accesses(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    // CHECK: %tile, %result_token = load_view_tko weak %pview[%arg1, %arg1] : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x4xf32>, token
    %x, %t0 = load_view_tko weak %v[%n, %n] : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32>, tile<i32> -> tile<8x4xf32>, token
    // CHECK: load_view_tko acquire sys %pview[%arg1, %arg1] token = %result_token inbounds = [true, false] optimization_hints = <sm_90 = {allow_tma = false, latency = 2}> : partition_view
    %y, %t1 = load_view_tko acquire sys %v[%n, %n] token = %t0 inbounds = [true, false] optimization_hints = <sm_90 = {allow_tma = false, latency = 2}> : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x4xf32>, token
    // Nothing in bounds is nothing said.
    // CHECK: store_view_tko weak %tile, %pview[%arg1, %arg1] : tile<8x4xf32>, partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    %t2 = store_view_tko weak %x, %v[%n, %n] inbounds = [false, false] : tile<8x4xf32>, partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    // CHECK: store_view_tko release device %tile, %pview[%arg1, %arg1] token = %{{.*}} {foo} : tile<8x4xf32>
    %t3 = store_view_tko release device %x, %v[%n, %n] token = %t2 {foo} : tile<8x4xf32>, partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
}
