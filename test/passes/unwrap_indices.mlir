// Neighbours of an index are summed in 64 bits where masks hide sums that wrap around.

// RUN: cuda-tile-opt %s --cuda-tile-unwrap-indices | FileCheck %s
// A second run finds the work done.
// RUN: cuda-tile-opt %s --cuda-tile-unwrap-indices --cuda-tile-unwrap-indices | FileCheck %s

cuda_tile.module @kernels {
  // The mask takes the sum of 32 bits, the address one of 64.
  // CHECK-LABEL: entry @behind
  // CHECK: %[[I:.*]] = addi %{{.*}}, %{{.*}} : tile<64xi32>
  // CHECK: %[[W:.*]] = addi %[[I]], %{{.*}} : tile<64xi32>
  // CHECK: %[[MASK:.*]] = exti %[[W]] signed
  // CHECK: cmpi less_than %[[MASK]]
  // CHECK: %[[PLACE:.*]] = addi %{{.*}}, %{{.*}} : tile<64xi64>
  // CHECK: %[[WIDE:.*]] = addi %[[PLACE]], %{{.*}} : tile<64xi64>
  // CHECK: offset %{{.*}}, %[[WIDE]] : tile<64xptr<f32>>, tile<64xi64>
  entry @behind(%x: tile<ptr<f32>>, %n: tile<i32>, %s: tile<i32>) {
    %m = assume bounded<0, ?>, %n : tile<i32>
    %one = constant <i32: 1> : tile<64xi32>
    %zero = constant <f32: 0.0> : tile<64xf32>
    %m1 = reshape %m : tile<i32> -> tile<1xi32>
    %end = broadcast %m1 : tile<1xi32> -> tile<64xi32>
    %far = exti %end signed : tile<64xi32> -> tile<64xi64>
    %s1 = reshape %s : tile<i32> -> tile<1xi32>
    %start = broadcast %s1 : tile<1xi32> -> tile<64xi32>
    %lane = iota : tile<64xi32>
    %i = addi %start, %lane : tile<64xi32>
    %w = addi %i, %one : tile<64xi32>
    %wide = exti %w signed : tile<64xi32> -> tile<64xi64>
    %ok = cmpi less_than %wide, %far, unsigned : tile<64xi64> -> tile<64xi1>
    %x1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
    %xs = broadcast %x1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
    %p = offset %xs, %wide : tile<64xptr<f32>>, tile<64xi64> -> tile<64xptr<f32>>
    %v, %t = load_ptr_tko weak %p, %ok, %zero : tile<64xptr<f32>>, tile<64xi1>, tile<64xf32> -> tile<64xf32>, token
    %done = store_ptr_tko weak %p, %v, %ok : tile<64xptr<f32>>, tile<64xf32>, tile<64xi1> -> token
    return
  }

  // A place in the grid is small, so that its neighbour needs no mask.
  // CHECK-LABEL: entry @small
  // CHECK: addi %{{.*}}, %{{.*}} : tile<64xi64>
  entry @small(%x: tile<ptr<f32>>) {
    %two = constant <i32: 2> : tile<64xi32>
    %lane = iota : tile<64xi32>
    %w = addi %lane, %two : tile<64xi32>
    %wide = exti %w signed : tile<64xi32> -> tile<64xi64>
    %x1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
    %xs = broadcast %x1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
    %p = offset %xs, %wide : tile<64xptr<f32>>, tile<64xi64> -> tile<64xptr<f32>>
    %v, %t = load_ptr_tko weak %p : tile<64xptr<f32>> -> tile<64xf32>, token
    %done = store_ptr_tko weak %p, %v : tile<64xptr<f32>>, tile<64xf32> -> token
    return
  }

  // One access has no mask.
  // CHECK-LABEL: entry @open
  // CHECK-NOT: addi {{.*}} : tile<64xi64>
  entry @open(%x: tile<ptr<f32>>, %n: tile<i32>, %s: tile<i32>) {
    %m = assume bounded<0, ?>, %n : tile<i32>
    %one = constant <i32: 1> : tile<64xi32>
    %m1 = reshape %m : tile<i32> -> tile<1xi32>
    %end = broadcast %m1 : tile<1xi32> -> tile<64xi32>
    %s1 = reshape %s : tile<i32> -> tile<1xi32>
    %i = broadcast %s1 : tile<1xi32> -> tile<64xi32>
    %w = addi %i, %one : tile<64xi32>
    %wide = exti %w signed : tile<64xi32> -> tile<64xi64>
    %ok = cmpi less_than %w, %end, unsigned : tile<64xi32> -> tile<64xi1>
    %x1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
    %xs = broadcast %x1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
    %p = offset %xs, %wide : tile<64xptr<f32>>, tile<64xi64> -> tile<64xptr<f32>>
    %v, %t = load_ptr_tko weak %p : tile<64xptr<f32>> -> tile<64xf32>, token
    %done = store_ptr_tko weak %p, %v, %ok : tile<64xptr<f32>>, tile<64xf32>, tile<64xi1> -> token
    return
  }
}
