// RUN: cuda-tile-opt %s | cuda-tile-opt | FileCheck %s

cuda_tile.module @memory {
  // CHECK-LABEL: entry @tokens
  entry @tokens() {
    // CHECK: %0 = make_token : token
    %0 = make_token : token
    // CHECK: %1 = join_tokens %0, %0, %0 : token
    %1 = join_tokens %0, %0, %0 : token
    return
  }

  // CHECK-LABEL: entry @load_ptr_tko
  entry @load_ptr_tko(%p: tile<ptr<f32>>) {
    %m = constant <i1: true> : tile<i1>
    %z = constant <f32: 0.0> : tile<f32>
    // CHECK: %result, %result_token = load_ptr_tko weak %arg0 : tile<ptr<f32>> -> tile<f32>, token
    %a, %t0 = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
    // CHECK: load_ptr_tko relaxed tl_blk %arg0, %true token=%result_token : tile<ptr<f32>>, tile<i1> -> tile<f32>, token
    %b, %t1 = load_ptr_tko relaxed tl_blk %p, %m token=%t0 : tile<ptr<f32>>, tile<i1> -> tile<f32>, token
    // CHECK: load_ptr_tko acquire device %arg0, %true, %cst_0_f32 optimization_hints = <sm_100 = {latency = 4}> : tile<ptr<f32>>, tile<i1>, tile<f32> -> tile<f32>, token
    %c, %t2 = load_ptr_tko acquire device %p, %m, %z optimization_hints = <sm_100 = {latency = 4}> : tile<ptr<f32>>, tile<i1>, tile<f32> -> tile<f32>, token
    return
  }

  // CHECK-LABEL: entry @store_ptr_tko
  entry @store_ptr_tko(%p: tile<ptr<f32>>, %a: tile<f32>) {
    %m = constant <i1: true> : tile<i1>
    // CHECK: %0 = store_ptr_tko weak %arg0, %arg1 : tile<ptr<f32>>, tile<f32> -> token
    %0 = store_ptr_tko weak %p, %a : tile<ptr<f32>>, tile<f32> -> token
    // CHECK: store_ptr_tko release sys %arg0, %arg1, %true token=%0 : tile<ptr<f32>>, tile<f32>, tile<i1> -> token
    %1 = store_ptr_tko release sys %p, %a, %m token=%0 : tile<ptr<f32>>, tile<f32>, tile<i1> -> token
    return
  }

  // CHECK-LABEL: entry @alloca
  entry @alloca() {
    // CHECK: %0 = alloca num_elem = 64, alignment = 16 : tile<ptr<f32>>
    %0 = alloca num_elem = 64, alignment = 16 : tile<ptr<f32>>
    // CHECK: alloca num_elem = 0, alignment = 1 global : tile<ptr<i1>>
    %1 = alloca num_elem = 0, alignment = 1 global : tile<ptr<i1>>
    return
  }

  // CHECK-LABEL: entry @dependent_launch
  entry @dependent_launch() {
    // CHECK: %0 = gdc_wait_tko : token
    %0 = gdc_wait_tko : token
    // CHECK: %1 = gdc_wait_tko token=%0 : token
    %1 = gdc_wait_tko token=%0 : token
    // CHECK: %2 = gdc_launch_dependents_tko token=%1 : token
    %2 = gdc_launch_dependents_tko token=%1 : token
    // CHECK: gdc_launch_dependents_tko : token
    %3 = gdc_launch_dependents_tko : token
    // CHECK: memory_fence_alias_tko token=%2 : token
    %4 = memory_fence_alias_tko token=%2 : token
    return
  }
}
