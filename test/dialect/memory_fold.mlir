// Loads that no token orders may be merged, dropped and moved; others keep their place.
// RUN: cuda-tile-opt %s -cse -loop-invariant-code-motion | FileCheck %s

cuda_tile.module @m {
  // CHECK-LABEL: testing$func @merged
  testing$func @merged(%p: tile<8xptr<f32>>, %v: tile<8xf32>) -> (tile<8xf32>, tile<8xf32>, token) {
    // CHECK: %[[X:.*]], %{{.*}} = load_ptr_tko
    %x, %t0 = load_ptr_tko weak %p : tile<8xptr<f32>> -> tile<8xf32>, token
    // CHECK-NEXT: store_ptr_tko
    %t1 = store_ptr_tko weak %p, %v : tile<8xptr<f32>>, tile<8xf32> -> token
    // The store cannot be to the same bytes: that would be a race.
    // CHECK-NOT: load_ptr_tko
    %y, %t2 = load_ptr_tko weak %p : tile<8xptr<f32>> -> tile<8xf32>, token
    // CHECK: return %[[X]], %[[X]]
    return %x, %y, %t1 : tile<8xf32>, tile<8xf32>, token
  }

  // CHECK-LABEL: testing$func @ordered
  testing$func @ordered(%p: tile<8xptr<f32>>, %v: tile<8xf32>) -> (tile<8xf32>, tile<8xf32>) {
    // CHECK: %[[X:.*]], %[[T:.*]] = load_ptr_tko
    %x, %t0 = load_ptr_tko weak %p : tile<8xptr<f32>> -> tile<8xf32>, token
    %t1 = store_ptr_tko weak %p, %v token=%t0 : tile<8xptr<f32>>, tile<8xf32> -> token
    // CHECK: %[[Y:.*]], %{{.*}} = load_ptr_tko
    %y, %t2 = load_ptr_tko weak %p token=%t1 : tile<8xptr<f32>> -> tile<8xf32>, token
    // CHECK: return %[[X]], %[[Y]]
    return %x, %y : tile<8xf32>, tile<8xf32>
  }

  // CHECK-LABEL: testing$func @dead
  testing$func @dead(%p: tile<8xptr<f32>>) {
    %x, %t0 = load_ptr_tko weak %p : tile<8xptr<f32>> -> tile<8xf32>, token
    // CHECK-NEXT: load_ptr_tko acquire device
    %y, %t1 = load_ptr_tko acquire device %p : tile<8xptr<f32>> -> tile<8xf32>, token
    // CHECK-NEXT: return
    return
  }

  // CHECK-LABEL: testing$func @moved
  testing$func @moved(%p: tile<8xptr<f32>>, %q: tile<8xptr<f32>>, %n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %ten = constant <i32: 10> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    // This loop runs, so its load does.
    // CHECK: load_ptr_tko weak
    // CHECK-NEXT: for
    for %i in (%zero to %ten, step %one) : tile<i32> {
      %x, %t0 = load_ptr_tko weak %p : tile<8xptr<f32>> -> tile<8xf32>, token
      %t1 = store_ptr_tko weak %q, %x : tile<8xptr<f32>>, tile<8xf32> -> token
    }
    // This one may not, and the pointers may then lead nowhere.
    // CHECK: for
    // CHECK-NEXT: load_ptr_tko
    for %i in (%zero to %n, step %one) : tile<i32> {
      %x, %t0 = load_ptr_tko weak %q : tile<8xptr<f32>> -> tile<8xf32>, token
      %t1 = store_ptr_tko weak %p, %x : tile<8xptr<f32>>, tile<8xf32> -> token
    }
    return
  }
}
