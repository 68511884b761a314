// Loops with products: iterations in which a mask hides nothing go without it.

// RUN: cuda-tile-opt %s --cuda-tile-split | FileCheck %s

cuda_tile.module @kernels {
  // Keys up to a query's own place: the mask begins with the iterations. The bound is the
  // first iteration whose last column, j * 64 + 63, lies beyond the block's first row, or
  // beyond what an i32 holds.
  // CHECK-LABEL: entry @causal(
  // CHECK: %[[FIRST:.*]] = muli %blockId_x
  // CHECK: %[[WIDE:.*]] = exti %[[FIRST]] signed
  // CHECK: %[[REST:.*]] = addi %cst_-63_i64, %[[WIDE]]
  // CHECK: %[[LAST:.*]] = divi %[[REST]], %cst_64_i64 signed rounding<negative_inf>
  // CHECK: addi %[[LAST]], %cst_1_i64
  // CHECK: %[[BOUND:.*]] = trunci
  // CHECK: %[[END:.*]] = assume bounded<0, ?>, %[[BOUND]]
  // CHECK: %[[OPEN:.*]] = for %{{.*}} in (%cst_0_i32 to %[[END]], step
  // CHECK-NOT: cmpi
  // CHECK: mmaf
  // CHECK: %[[MASKED:.*]] = for %{{.*}} in (%[[END]] to %arg1, step {{.*}} = %[[OPEN]])
  // CHECK: cmpi greater_than_or_equal
  // CHECK: mmaf
  entry @causal(%out: tile<ptr<f32>>, %n: tile<i32>) {
    %b, %y, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %c64 = constant <i32: 64> : tile<i32>
    %start = constant <f32: 0.0> : tile<64x64xf32>
    %low = constant <f32: 0xFF800000> : tile<64x64xf32>
    %a = constant <f16: 1.0> : tile<64x64xf16>
    %first = muli %b, %c64 : tile<i32>
    %first1 = reshape %first : tile<i32> -> tile<1x1xi32>
    %firsts = broadcast %first1 : tile<1x1xi32> -> tile<64x1xi32>
    %places = iota : tile<64xi32>
    %row1 = reshape %places : tile<64xi32> -> tile<64x1xi32>
    %row2 = addi %firsts, %row1 : tile<64x1xi32>
    %rows = broadcast %row2 : tile<64x1xi32> -> tile<64x64xi32>
    %column1 = reshape %places : tile<64xi32> -> tile<1x64xi32>
    %r = for %j in (%zero to %n, step %one) : tile<i32>
        iter_values(%sum = %start) -> (tile<64x64xf32>) {
      %at = muli %j, %c64 : tile<i32>
      %at1 = reshape %at : tile<i32> -> tile<1x1xi32>
      %ats = broadcast %at1 : tile<1x1xi32> -> tile<1x64xi32>
      %column2 = addi %ats, %column1 : tile<1x64xi32>
      %columns = broadcast %column2 : tile<1x64xi32> -> tile<64x64xi32>
      %is = cmpi greater_than_or_equal %rows, %columns, signed
        : tile<64x64xi32> -> tile<64x64xi1>
      %p = mmaf %a, %a, %sum : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
      %m = select %is, %p, %low : tile<64x64xi1>, tile<64x64xf32>
      continue %m : tile<64x64xf32>
    }
    %t = make_tensor_view %out, shape = [64, 64], strides = [64, 1]
      : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(64x64),
      tensor_view<64x64xf32, strides=[64,1]>>
    %s = store_view_tko weak %r, %v[%zero, %zero] : tile<64x64xf32>,
      partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32>
      -> token
    return
  }
}
