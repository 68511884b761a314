// A product of batches of one matrix is a product of matrices, in loops, too.

// RUN: cuda-tile-opt %s --cuda-tile-unit-batches --cuda-tile-simplify -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// A second run finds the work done.
// RUN: cuda-tile-opt %t.mlir --cuda-tile-unit-batches --cuda-tile-simplify | FileCheck %s

cuda_tile.module @kernels {
  // The sum is carried as a matrix through both loops, and is a batch behind them.
  // CHECK-LABEL: entry @carried
  // CHECK: for {{.*}} -> (tile<16x16xf32>)
  // CHECK-NEXT: for {{.*}} -> (tile<16x16xf32>)
  // CHECK: mmaf {{.*}} : tile<16x32xf16>, tile<32x16xf16>, tile<16x16xf32>
  // CHECK-NEXT: continue
  // CHECK: continue
  // CHECK: %[[SUM:.*]] = reshape %{{.*}} : tile<16x16xf32> -> tile<1x16x16xf32>
  // CHECK-NEXT: print_tko "%f", %[[SUM]]
  entry @carried(%n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %zeros = constant <f32: 0.0> : tile<1x16x16xf32>
    %a = constant <f16: 1.0> : tile<1x16x32xf16>
    %b = constant <f16: 2.0> : tile<1x32x16xf16>
    %sum = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %zeros) -> (tile<1x16x16xf32>) {
      %inner = for %j in (%zero to %i, step %one) : tile<i32> iter_values(%more = %acc) -> (tile<1x16x16xf32>) {
        %next = mmaf %a, %b, %more : tile<1x16x32xf16>, tile<1x32x16xf16>, tile<1x16x16xf32>
        continue %next : tile<1x16x16xf32>
      }
      continue %inner : tile<1x16x16xf32>
    }
    %t = print_tko "%f", %sum : tile<1x16x16xf32> -> token
    return
  }

  // Signs stay, and what else a loop carries.
  // CHECK-LABEL: entry @integers
  // CHECK: for {{.*}} -> (tile<i32>, tile<1x16x16xi32>, tile<16x16xi32>)
  // CHECK: mmai {{.*}} signed unsigned : tile<16x32xi8>, tile<32x16xi8>, tile<16x16xi32>
  entry @integers(%n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %zeros = constant <i32: 0> : tile<1x16x16xi32>
    %ones = constant <i32: 1> : tile<1x16x16xi32>
    %a = constant <i8: 1> : tile<1x16x32xi8>
    %b = constant <i8: 2> : tile<1x32x16xi8>
    %count, %sum, %other = for %i in (%zero to %n, step %one) : tile<i32>
        iter_values(%c = %zero, %acc = %zeros, %o = %zeros) -> (tile<i32>, tile<1x16x16xi32>, tile<1x16x16xi32>) {
      %next = mmai %a, %b, %acc signed unsigned : tile<1x16x32xi8>, tile<1x32x16xi8>, tile<1x16x16xi32>
      %d = addi %c, %one : tile<i32>
      %p = addi %o, %ones : tile<1x16x16xi32>
      continue %d, %next, %p : tile<i32>, tile<1x16x16xi32>, tile<1x16x16xi32>
    }
    %t = print_tko "%i %i %i", %count, %sum, %other : tile<i32>, tile<1x16x16xi32>, tile<1x16x16xi32> -> token
    return
  }

  // Two matrices stay a batch.
  // CHECK-LABEL: entry @two
  // CHECK: mmaf {{.*}} : tile<2x16x32xf16>, tile<2x32x16xf16>, tile<2x16x16xf32>
  entry @two() {
    %zeros = constant <f32: 0.0> : tile<2x16x16xf32>
    %a = constant <f16: 1.0> : tile<2x16x32xf16>
    %b = constant <f16: 2.0> : tile<2x32x16xf16>
    %sum = mmaf %a, %b, %zeros : tile<2x16x32xf16>, tile<2x32x16xf16>, tile<2x16x16xf32>
    %t = print_tko "%f", %sum : tile<2x16x16xf32> -> token
    return
  }

  // Results of a loop need not be what it carries.
  // CHECK-LABEL: entry @loops
  // CHECK: loop iter_values({{.*}}) : tile<1x16x16xf32> -> tile<f32>, tile<1x16x16xf32>
  // CHECK: mmaf {{.*}} : tile<16x16xf16>, tile<16x16xf16>, tile<16x16xf32>
  entry @loops(%c: tile<i1>) {
    %zeros = constant <f32: 0.0> : tile<1x16x16xf32>
    %one = constant <f32: 1.0> : tile<f32>
    %a = constant <f16: 1.0> : tile<1x16x16xf16>
    %i, %s = loop iter_values(%x = %zeros) : tile<1x16x16xf32> -> tile<f32>, tile<1x16x16xf32> {
      %q = mmaf %a, %a, %x : tile<1x16x16xf16>, tile<1x16x16xf16>, tile<1x16x16xf32>
      if %c {
        break %one, %q : tile<f32>, tile<1x16x16xf32>
      }
      continue %q : tile<1x16x16xf32>
    }
    %t = print_tko "%f %f", %i, %s : tile<f32>, tile<1x16x16xf32> -> token
    return
  }
}
