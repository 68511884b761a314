// RUN: cuda-tile-opt %s -Wunsupported-hints -split-input-file -verify-diagnostics

cuda_tile.module @m {
  // expected-warning @below {{unknown hint key sm_42}}
  entry @unknown_key() optimization_hints=<sm_42 = {num_cta_in_cga = 2}> {
    return
  }

  // expected-warning @below {{speed is not known hint for current Operation}}
  // expected-warning @below {{latency is not known hint for current Operation}}
  entry @unknown_params() optimization_hints=<sm_90 = {latency = 2, speed = 3}> {
    return
  }

  // expected-warning @below {{integer value expected for sm_100.num_cta_in_cga}}
  entry @cluster_kind() optimization_hints=<sm_100 = {num_cta_in_cga = true}> {
    return
  }

  // expected-warning @below {{expected 1 for sm_89.num_cta_in_cga}}
  entry @cluster_ampere() optimization_hints=<sm_89 = {num_cta_in_cga = 2}> {
    return
  }

  // expected-warning @below {{expected power-of-two ≤ 16 for sm_100.num_cta_in_cga}}
  // expected-warning @below {{expected power-of-two ≤ 16 for sm_90.num_cta_in_cga}}
  entry @cluster_power() optimization_hints=<sm_90 = {num_cta_in_cga = 3}, sm_100 = {num_cta_in_cga = 32}> {
    return
  }

  // expected-warning @below {{expected power-of-two ≤ 32 for default.num_worker_warps_per_cta}}
  entry @warps() optimization_hints=<default = {num_worker_warps_per_cta = 64}> {
    return
  }

  // expected-warning @below {{integer value in the range [1, 32] is expected for sm_120.occupancy}}
  entry @occupancy() optimization_hints=<sm_120 = {occupancy = 33}> {
    return
  }

  entry @known() optimization_hints=<sm_80 = {num_cta_in_cga = 1}, sm_86 = {occupancy = 1}, sm_87 = {occupancy = 32},
      sm_88 = {}, sm_103 = {num_cta_in_cga = 16}, sm_110 = {num_worker_warps_per_cta = 32}, sm_121 = {num_worker_warps_per_cta = 1}> {
    return
  }

  entry @pointers(%p: tile<ptr<f32>>) {
    // expected-warning @below {{integer value in the range [1, 10] is expected for sm_90.latency}}
    %x, %t0 = load_ptr_tko weak %p optimization_hints = <sm_90 = {latency = 11}> : tile<ptr<f32>> -> tile<f32>, token
    // expected-warning @below {{allow_tma is not known hint for current Operation}}
    %t1 = store_ptr_tko weak %p, %x optimization_hints = <sm_90 = {allow_tma = true}> : tile<ptr<f32>>, tile<f32> -> token
    return
  }

  entry @views(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    // expected-warning @below {{boolean value expected for sm_100.allow_tma}}
    %x, %t0 = load_view_tko weak %v[%n] optimization_hints = <sm_100 = {allow_tma = 1}> : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
    // expected-warning @below {{integer value expected for sm_100.latency}}
    %t1 = store_view_tko weak %x, %v[%n] optimization_hints = <sm_100 = {latency = "low"}> : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
