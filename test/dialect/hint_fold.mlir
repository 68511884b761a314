// RUN: cuda-tile-opt %s --canonicalize | FileCheck %s

cuda_tile.module @hint_fold {
  // CHECK-LABEL: entry @assume_same_twice
  entry @assume_same_twice(%p: tile<ptr<i32>>, %n: tile<i32>) {
    // CHECK:      %[[A:.*]] = assume div_by<16>, %arg1
    // CHECK-NEXT: store_ptr_tko weak %arg0, %[[A]]
    %a = assume div_by<16>, %n : tile<i32>
    %b = assume div_by<16>, %a : tile<i32>
    %t = store_ptr_tko weak %p, %b : tile<ptr<i32>>, tile<i32> -> token
    return
  }

  // CHECK-LABEL: entry @assume_different
  entry @assume_different(%p: tile<ptr<i32>>, %n: tile<i32>) {
    // CHECK:      %[[A:.*]] = assume div_by<16>, %arg1
    // CHECK-NEXT: %[[B:.*]] = assume div_by<8>, %[[A]]
    // CHECK-NEXT: store_ptr_tko weak %arg0, %[[B]]
    %a = assume div_by<16>, %n : tile<i32>
    %b = assume div_by<8>, %a : tile<i32>
    %t = store_ptr_tko weak %p, %b : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
