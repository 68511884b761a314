// How many warps, which matrix instruction; what stands on the entry already wins.

// RUN: cuda-tile-opt %s --cuda-tile-plan=gpu=sm_89 | FileCheck %s
// RUN: cuda-tile-opt %s --cuda-tile-plan=gpu=sm_80 | FileCheck %s --check-prefix=SM80
// RUN: cuda-tile-opt %s --cuda-tile-plan='gpu=sm_89 num-warps=2' | FileCheck %s --check-prefix=TWO
// RUN: not cuda-tile-opt %s --cuda-tile-plan=gpu=sm_70 2>&1 | FileCheck %s --check-prefix=GPU

// GPU: expected a known gpu name, got 'sm_70'; sm_75 is the oldest chip there is code for; known: sm_75
// GPU-NOT: Traceback

cuda_tile.module @kernels {
  // One warp is enough for a small tile.
  // CHECK-LABEL: entry @small
  // CHECK-SAME: tileas.plan = {num_warps = 1 : i64}, tileas.target = "sm_89"
  // SM80-LABEL: entry @small
  // SM80-SAME: tileas.target = "sm_80"
  // TWO-LABEL: entry @small
  // TWO-SAME: num_warps = 2
  entry @small() {
    %x = constant <f32: 1.0> : tile<64xf32>
    return
  }

  // CHECK-LABEL: entry @large
  // CHECK-SAME: num_warps = 8
  entry @large() {
    %x = constant <f32: 1.0> : tile<128x128xf32>
    return
  }

  // What combines the elements of a row has fewer warps than what does not: each
  // exchanges.
  // CHECK-LABEL: entry @summed
  // CHECK-SAME: num_warps = 2
  entry @summed(%p: tile<ptr<f32>>) {
    %t = make_tensor_view %p, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(1024), tensor_view<65536xf32, strides=[1]>>
    %z = constant <i32: 0> : tile<i32>
    %x, %done = load_view_tko weak %v[%z] : partition_view<tile=(1024), tensor_view<65536xf32, strides=[1]>>, tile<i32>
      -> tile<1024xf32>, token
    %sum = reduce %x dim=0 identities=[0.0 : f32] : tile<1024xf32> -> tile<f32>
    (%a: tile<f32>, %b: tile<f32>) {
      %c = addf %a, %b : tile<f32>
      yield %c : tile<f32>
    }
    return
  }

  // CHECK-LABEL: entry @doubled
  // CHECK-SAME: num_warps = 4
  entry @doubled() {
    %x = constant <f32: 1.0> : tile<1024xf32>
    %y = addf %x, %x : tile<1024xf32>
    return
  }

  // Two warps are the fewest where one is not faster: it has 64 elements a lane here.
  // CHECK-LABEL: entry @summed_twice
  // CHECK-SAME: num_warps = 2
  entry @summed_twice(%p: tile<ptr<f32>>) {
    %t = make_tensor_view %p, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>
    %z = constant <i32: 0> : tile<i32>
    %x, %done = load_view_tko weak %v[%z] : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>, tile<i32>
      -> tile<2048xf32>, token
    %sum = reduce %x dim=0 identities=[0.0 : f32] : tile<2048xf32> -> tile<f32>
    (%a: tile<f32>, %b: tile<f32>) {
      %c = addf %a, %b : tile<f32>
      yield %c : tile<f32>
    }
    return
  }

  // CHECK-LABEL: entry @summed_more
  // CHECK-SAME: num_warps = 4
  entry @summed_more(%p: tile<ptr<f32>>) {
    %t = make_tensor_view %p, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(4096), tensor_view<65536xf32, strides=[1]>>
    %z = constant <i32: 0> : tile<i32>
    %x, %done = load_view_tko weak %v[%z] : partition_view<tile=(4096), tensor_view<65536xf32, strides=[1]>>, tile<i32>
      -> tile<4096xf32>, token
    %sum = reduce %x dim=0 identities=[0.0 : f32] : tile<4096xf32> -> tile<f32>
    (%a: tile<f32>, %b: tile<f32>) {
      %c = addf %a, %b : tile<f32>
      yield %c : tile<f32>
    }
    return
  }

  // Where nothing is loaded exchanges are most of the clocks, and one warp has none.
  // CHECK-LABEL: entry @exchanged
  // CHECK-SAME: num_warps = 1
  entry @exchanged() {
    %x = constant <f32: 1.0> : tile<1024xf32>
    %sum = reduce %x dim=0 identities=[0.0 : f32] : tile<1024xf32> -> tile<f32>
    (%a: tile<f32>, %b: tile<f32>) {
      %c = addf %a, %b : tile<f32>
      yield %c : tile<f32>
    }
    return
  }

  // 64 x 64 accumulators: four warps, near square parts.
  // CHECK-LABEL: entry @product
  // CHECK-SAME: tileas.plan = {min_ctas = 1 : i64, num_warps = 4 : i64, warps_m = 2 : i64, warps_n = 2 : i64}
  // CHECK: mmaf {{.*}}tileas.plan = {atom = "m16n8k16"}
  entry @product() {
    %a = constant <f16: 1.0> : tile<64x32xf16>
    %b = constant <f16: 1.0> : tile<32x64xf16>
    %c = constant <f32: 0.0> : tile<64x64xf32>
    %d = mmaf %a, %b, %c : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
    return
  }

  // A plan written by hand or by a tuner is kept as it is, whatever the options say.
  // CHECK-LABEL: entry @by_hand
  // CHECK-SAME: tileas.plan = {num_warps = 16 : i64}
  // TWO-LABEL: entry @by_hand
  // TWO-SAME: tileas.plan = {num_warps = 16 : i64}
  entry @by_hand() attributes {tileas.plan = {num_warps = 16 : i64}} {
    return
  }

  // What a plan by hand leaves open is filled in; what it says of a product stays.
  // CHECK-LABEL: entry @products_by_hand
  // CHECK-SAME: tileas.plan = {num_warps = 4 : i64}
  // CHECK: mmaf {{.*}}tileas.plan = {atom = "m16n8k16", warps_m = 4 : i64, warps_n = 1 : i64}
  // CHECK: mmaf {{.*}}tileas.plan = {atom = "m16n8k16", warps_m = 2 : i64, warps_n = 2 : i64}
  // CHECK: mmaf {{.*}}tileas.plan = {atom = "m8n8k4", warps_m = 2 : i64, warps_n = 2 : i64}
  entry @products_by_hand() attributes {tileas.plan = {num_warps = 4 : i64}} {
    %a = constant <f16: 1.0> : tile<64x32xf16>
    %b = constant <f16: 1.0> : tile<32x64xf16>
    %c = constant <f32: 0.0> : tile<64x64xf32>
    %d = mmaf %a, %b, %c {tileas.plan = {atom = "m16n8k16", warps_m = 4 : i64, warps_n = 1 : i64}} : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
    %e = mmaf %a, %b, %c : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
    %f = constant <f64: 0.0> : tile<32x32xf64>
    %g = mmaf %f, %f, %f : tile<32x32xf64>, tile<32x32xf64>, tile<32x32xf64>
    return
  }

  // The producer's hints for this chip: 6 worker warps become 8, 3 CTAs must fit.
  // CHECK-LABEL: entry @hints
  // CHECK-SAME: tileas.plan = {min_ctas = 3 : i64, num_warps = 8 : i64}
  // SM80-LABEL: entry @hints
  // SM80-SAME: tileas.plan = {num_warps = 1 : i64}
  entry @hints() optimization_hints=<sm_89 = {num_worker_warps_per_cta = 6, occupancy = 3}> {
    return
  }
}
