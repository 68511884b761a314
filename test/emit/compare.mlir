// Family integer: comparisons that facts know to be equal are made once.

// RUN: cuda-tile-compile %s --gpu sm_80 --num-warps=4 --emit=ptx | FileCheck %s

cuda_tile.module @kernels {
  // 16 divides %n, so the four neighbours that a lane loads are on one side of it.
  // CHECK-LABEL: .entry groups(
  // CHECK-COUNT-2: setp.{{l|g}}
  // CHECK-NOT: setp
  // CHECK: ret
  entry @groups(%p: tile<ptr<i32>>, %n: tile<i32>) {
    %n_low = assume bounded<0, ?>, %n : tile<i32>
    %n_known = assume div_by<16>, %n_low : tile<i32>
    %i = iota : tile<1024xi32>
    %row = reshape %n_known : tile<i32> -> tile<1xi32>
    %end = broadcast %row : tile<1xi32> -> tile<1024xi32>
    %below = cmpi less_than %i, %end, signed : tile<1024xi32> -> tile<1024xi1>
    %q = assume div_by<16>, %p : tile<ptr<i32>>
    %t = make_tensor_view %q, shape = [1024], strides = [1] : tensor_view<1024xi32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(1024), tensor_view<1024xi32, strides=[1]>>
    %zero = constant <i32: 0> : tile<i32>
    %x, %k = load_view_tko weak %v[%zero] : partition_view<tile=(1024), tensor_view<1024xi32, strides=[1]>>, tile<i32> -> tile<1024xi32>, token
    %none = constant <i32: 0> : tile<1024xi32>
    %y = select %below, %x, %none : tile<1024xi1>, tile<1024xi32>
    %s = store_view_tko weak %y, %v[%zero] token = %k : tile<1024xi32>, partition_view<tile=(1024), tensor_view<1024xi32, strides=[1]>>, tile<i32> -> token
    return
  }
}
