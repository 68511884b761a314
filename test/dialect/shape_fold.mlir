// RUN: cuda-tile-opt %s -fold-constants | FileCheck %s

cuda_tile.module @m {
  // CHECK-LABEL: testing$func @select
  // CHECK-SAME: (%[[C:.*]]: tile<8xi1>, %[[X:.*]]: tile<8xi32>, %[[Y:.*]]: tile<8xi32>)
  testing$func @select(%c: tile<8xi1>, %x: tile<8xi32>, %y: tile<8xi32>) -> (tile<8xi32>, tile<8xi32>, tile<8xi1>, tile<8xi32>, tile<8xi32>) {
    %true = constant <i1: true> : tile<8xi1>
    %false = constant <i1: false> : tile<8xi1>
    %0 = select %c, %x, %x : tile<8xi1>, tile<8xi32>
    %1 = select %false, %x, %y : tile<8xi1>, tile<8xi32>
    %2 = select %c, %true, %false : tile<8xi1>, tile<8xi1>
    %eq = cmpi equal %x, %y, signed : tile<8xi32> -> tile<8xi1>
    %3 = select %eq, %x, %y : tile<8xi1>, tile<8xi32>
    %ne = cmpi not_equal %x, %y, signed : tile<8xi32> -> tile<8xi1>
    %4 = select %ne, %x, %y : tile<8xi1>, tile<8xi32>
    // CHECK-NEXT: return %[[X]], %[[Y]], %[[C]], %[[Y]], %[[X]]
    return %0, %1, %2, %3, %4 : tile<8xi32>, tile<8xi32>, tile<8xi1>, tile<8xi32>, tile<8xi32>
  }

  // CHECK-LABEL: testing$func @select_patterns
  // CHECK-SAME: (%[[C:.*]]: tile<8xi1>, %[[X:.*]]: tile<8xi32>, %[[Y:.*]]: tile<8xi32>)
  testing$func @select_patterns(%c: tile<8xi1>, %x: tile<8xi32>, %y: tile<8xi32>) -> (tile<8xi32>, tile<8xi32>, tile<8xi1>, tile<8xi32>, tile<8xi32>) {
    %true = constant <i1: true> : tile<8xi1>
    %false = constant <i1: false> : tile<8xi1>
    %one = constant <i32: 1> : tile<8xi32>
    %minus = constant <i32: -1> : tile<8xi32>
    %zero = constant <i32: 0> : tile<8xi32>
    // CHECK-DAG: %[[TRUE:.*]] = constant <i1: true> : tile<8xi1>
    %not = xori %c, %true : tile<8xi1>
    // CHECK-DAG: %[[SWAPPED:.*]] = select %[[C]], %[[Y]], %[[X]]
    %0 = select %not, %x, %y : tile<8xi1>, tile<8xi32>
    %inner = select %c, %x, %zero : tile<8xi1>, tile<8xi32>
    // CHECK-DAG: %[[NESTED:.*]] = select %[[C]], %[[X]], %[[Y]]
    %1 = select %c, %inner, %y : tile<8xi1>, tile<8xi32>
    // CHECK-DAG: %[[NOT:.*]] = xori %[[C]], %[[TRUE]]
    %2 = select %c, %false, %true : tile<8xi1>, tile<8xi1>
    // CHECK-DAG: %[[ZEXT:.*]] = exti %[[C]] unsigned
    %3 = select %c, %one, %zero : tile<8xi1>, tile<8xi32>
    // CHECK-DAG: %[[SEXT:.*]] = exti %[[C]] signed
    %4 = select %c, %minus, %zero : tile<8xi1>, tile<8xi32>
    // CHECK: return %[[SWAPPED]], %[[NESTED]], %[[NOT]], %[[ZEXT]], %[[SEXT]]
    return %0, %1, %2, %3, %4 : tile<8xi32>, tile<8xi32>, tile<8xi1>, tile<8xi32>, tile<8xi32>
  }

  // CHECK-LABEL: testing$func @moves
  // CHECK-SAME: (%[[X:.*]]: tile<4x8xf32>)
  testing$func @moves(%x: tile<4x8xf32>) -> (tile<4x8xf32>, tile<4x8xf32>, tile<2x16xf32>, tile<4x4xi32>) {
    %0 = permute %x [1, 0] : tile<4x8xf32> -> tile<8x4xf32>
    %1 = permute %0 [1, 0] : tile<8x4xf32> -> tile<4x8xf32>
    %2 = reshape %x : tile<4x8xf32> -> tile<32xf32>
    %3 = reshape %2 : tile<32xf32> -> tile<4x8xf32>
    // CHECK-DAG: %[[R:.*]] = reshape %[[X]] : tile<4x8xf32> -> tile<2x16xf32>
    %4 = reshape %2 : tile<32xf32> -> tile<2x16xf32>
    // CHECK-DAG: %[[C:.*]] = constant <i32: 7> : tile<4x4xi32>
    %c = constant <i32: 7> : tile<1x4xi32>
    %5 = broadcast %c : tile<1x4xi32> -> tile<4x4xi32>
    // CHECK: return %[[X]], %[[X]], %[[R]], %[[C]]
    return %1, %3, %4, %5 : tile<4x8xf32>, tile<4x8xf32>, tile<2x16xf32>, tile<4x4xi32>
  }

  // CHECK-LABEL: testing$func @tokens
  // CHECK-SAME: (%[[A:.*]]: token, %[[B:.*]]: token)
  testing$func @tokens(%a: token, %b: token) -> (token, token) {
    %none = make_token : token
    %0 = join_tokens %a, %none, %a : token
    // CHECK-NEXT: %[[J:.*]] = join_tokens %[[A]], %[[B]] : token
    %1 = join_tokens %a, %b, %none : token
    // CHECK-NEXT: return %[[A]], %[[J]]
    return %0, %1 : token, token
  }

  // CHECK-LABEL: testing$func @no_offset
  // CHECK-SAME: (%[[P:.*]]: tile<4xptr<f32>>)
  testing$func @no_offset(%p: tile<4xptr<f32>>) -> tile<4xptr<f32>> {
    %zero = constant <i32: 0> : tile<4xi32>
    // CHECK: return %[[P]]
    %0 = offset %p, %zero : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
    return %0 : tile<4xptr<f32>>
  }
}
