// Level T, tidied: what nobody uses is gone, what is said twice is said once, and
// nothing that has an effect moves.

// RUN: cuda-tile-opt %s --cuda-tile-simplify | FileCheck %s
// A second run finds nothing more to do.
// RUN: cuda-tile-opt %s --cuda-tile-simplify -o %t.once
// RUN: cuda-tile-opt %t.once --cuda-tile-simplify -o %t.twice
// RUN: diff %t.once %t.twice

cuda_tile.module @kernels {
  // CHECK-LABEL: entry @dead
  // CHECK-NEXT: return
  entry @dead(%n: tile<i32>) {
    %i = iota : tile<64xi32>
    %m = reshape %n : tile<i32> -> tile<1xi32>
    %b = broadcast %m : tile<1xi32> -> tile<64xi32>
    %s = addi %i, %b : tile<64xi32>
    return
  }

  // CHECK-LABEL: entry @repeated
  // CHECK: %[[SUM:.*]] = addi
  // CHECK-NOT: addi
  // CHECK: muli %[[SUM]], %[[SUM]]
  entry @repeated(%p: tile<ptr<i32>>, %n: tile<i32>) {
    %a = addi %n, %n : tile<i32>
    %b = addi %n, %n : tile<i32>
    %c = muli %a, %b : tile<i32>
    %t = store_ptr_tko weak %p, %c : tile<ptr<i32>>, tile<i32> -> token
    return
  }

  // A load whose value nobody uses may stay or go, a store must stay, each of them.
  // CHECK-LABEL: entry @effects
  // CHECK-COUNT-2: store_ptr_tko
  entry @effects(%p: tile<ptr<i32>>, %n: tile<i32>) {
    %t = store_ptr_tko weak %p, %n : tile<ptr<i32>>, tile<i32> -> token
    %u = store_ptr_tko weak %p, %n token=%t : tile<ptr<i32>>, tile<i32> -> token
    return
  }

  // A product and a sum stay two roundings: there is fma for one.
  // CHECK-LABEL: entry @contracted
  // CHECK: mulf
  // CHECK: addf
  // CHECK-NOT: fma
  entry @contracted(%p: tile<ptr<f32>>, %x: tile<f32>) {
    %m = mulf %x, %x : tile<f32>
    %s = addf %m, %x : tile<f32>
    %t = store_ptr_tko weak %p, %s : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
