// RUN: cuda-tile-opt %s -Wunsupported-hints -Werr-hints -split-input-file -verify-diagnostics
// RUN: cuda-tile-opt %s -Werr-hints=always -split-input-file -verify-diagnostics

cuda_tile.module @m {
  // expected-warning @below {{unknown hint key sm_42}}
  // expected-error @below {{Optimization hints verification failed}}
  entry @entry() optimization_hints=<sm_42 = {}, sm_43 = {}> {
    return
  }
}

// -----

cuda_tile.module @m {
  entry @load_ptr(%p: tile<ptr<f32>>) {
    // expected-warning @below {{speed is not known hint for current Operation}}
    // expected-error @below {{Optimization hints verification failed}}
    %x, %t = load_ptr_tko weak %p optimization_hints = <sm_90 = {speed = 11}> : tile<ptr<f32>> -> tile<f32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @store_view(%p: tile<ptr<f32>>, %x: tile<f32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(1), tensor_view<64xf32, strides=[1]>>
    %c = constant <i32: 0> : tile<i32>
    %r = reshape %x : tile<f32> -> tile<1xf32>
    // expected-warning @below {{occupancy is not known hint for current Operation}}
    // expected-error @below {{Optimization hints verification failed}}
    %k = store_view_tko weak %r, %v[%c] optimization_hints = <sm_90 = {occupancy = 1}> : tile<1xf32>, partition_view<tile=(1), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
