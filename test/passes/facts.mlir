// What is known of integers and pointers, as text. `divisible` speaks of the first
// element of each contiguous group; pointers count in bytes.

// RUN: cuda-tile-opt %s --cuda-tile-facts | FileCheck %s

cuda_tile.module @kernels {
  // CHECK-LABEL: entry @integers
  entry @integers(%n: tile<i32>) {
    // CHECK: iota {{.*}}"divisible [{{.*}}], contiguous [64], constant [1], 0..63"
    %i = iota : tile<64xi32>
    // CHECK: constant {{.*}}"divisible [4], contiguous [1], constant [64], 12..12"
    %c = constant <i32: 12> : tile<64xi32>
    // A sum of both counts up from a multiple of 4.
    // CHECK: addi {{.*}}contiguous [64], constant [1], 12..75"
    %s = addi %i, %c : tile<64xi32>
    // A product does not count up.
    // CHECK: muli {{.*}}contiguous [1], constant [1], 0..756"
    %m = muli %i, %c : tile<64xi32>
    // CHECK: assume {{.*}}"divisible [16]"
    %d = assume div_by<16>, %n : tile<i32>
    // CHECK: assume {{.*}}"divisible [16], 0..99"
    %b = assume bounded<0, 99>, %d : tile<i32>
    return
  }

  // A mask that compares a run with a multiple of 16 changes only at multiples of 16.
  // CHECK-LABEL: entry @mask
  // CHECK: cmpi less_than {{.*}}constant [16]
  // CHECK: cmpi less_than {{.*}}constant [1]
  entry @mask(%n: tile<i32>) {
    %i = iota : tile<64xi32>
    %d = assume div_by<16>, %n : tile<i32>
    %d1 = reshape %d : tile<i32> -> tile<1xi32>
    %d64 = broadcast %d1 : tile<1xi32> -> tile<64xi32>
    %m = cmpi less_than %i, %d64, signed : tile<64xi32> -> tile<64xi1>
    %n1 = reshape %n : tile<i32> -> tile<1xi32>
    %n64 = broadcast %n1 : tile<1xi32> -> tile<64xi32>
    %u = cmpi less_than %i, %n64, signed : tile<64xi32> -> tile<64xi1>
    return
  }

  // What is made of several masks changes only where one of them does.
  // CHECK-LABEL: entry @masks
  // CHECK: constant <i1: true>{{.*}}constant [4, 64]"
  // CHECK: andi {{.*}}constant [4, 16]"
  // CHECK: ori {{.*}}constant [4, 16]"
  // CHECK: andi {{.*}}constant [1, 1]"
  // CHECK: select {{.*}}constant [1, 16]"
  entry @masks(%n: tile<i32>) {
    %true = constant <i1: true> : tile<4x64xi1>
    %i = iota : tile<64xi32>
    %i1 = reshape %i : tile<64xi32> -> tile<1x64xi32>
    %column = broadcast %i1 : tile<1x64xi32> -> tile<4x64xi32>
    %j = iota : tile<4xi32>
    %j1 = reshape %j : tile<4xi32> -> tile<4x1xi32>
    %row = broadcast %j1 : tile<4x1xi32> -> tile<4x64xi32>
    %d = assume div_by<16>, %n : tile<i32>
    %d1 = reshape %d : tile<i32> -> tile<1x1xi32>
    %bound = broadcast %d1 : tile<1x1xi32> -> tile<4x64xi32>
    %columns = cmpi less_than %column, %bound, signed : tile<4x64xi32> -> tile<4x64xi1>
    %rows = cmpi less_than %row, %bound, signed : tile<4x64xi32> -> tile<4x64xi1>
    %both = andi %rows, %columns : tile<4x64xi1>
    %any = ori %both, %true : tile<4x64xi1>
    %odd = cmpi greater_than %column, %row, signed : tile<4x64xi32> -> tile<4x64xi1>
    %none = andi %both, %odd : tile<4x64xi1>
    %picked = select %both, %row, %bound : tile<4x64xi1>, tile<4x64xi32>
    return
  }

  // CHECK-LABEL: entry @pointers
  entry @pointers(%p: tile<ptr<f32>>) {
    // CHECK: assume {{.*}}"divisible [16]"
    %q = assume div_by<16>, %p : tile<ptr<f32>>
    %q1 = reshape %q : tile<ptr<f32>> -> tile<1xptr<f32>>
    %q64 = broadcast %q1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
    %i = iota : tile<64xi32>
    // CHECK: offset {{.*}}"divisible [16], contiguous [64]
    %o = offset %q64, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
    return
  }

  // What a producer says of groups: of twelve it is true of each four of them.
  // CHECK-LABEL: entry @groups
  entry @groups(%p: tile<ptr<f32>>, %x: tile<i32>) {
    %x1 = reshape %x : tile<i32> -> tile<1xi32>
    %i = iota : tile<64xi32>
    %y = muli %i, %i : tile<64xi32>
    // CHECK: assume {{.*}}every 8 along 0{{.*}}"divisible [32], contiguous [8]
    %a = assume div_by<32, every 8 along 0>, %y : tile<64xi32>
    // CHECK: assume {{.*}}every 12 along 0{{.*}}"divisible [4], contiguous [4]
    %b = assume div_by<32, every 12 along 0>, %y : tile<64xi32>
    // CHECK: assume {{.*}}same_elements<[4]>{{.*}}constant [4]
    %c = assume same_elements<[4]>, %y : tile<64xi32>
    return
  }

  // The variable of a loop lies between its bounds and keeps their divisor.
  // CHECK-LABEL: entry @loop
  // CHECK: muli {{.*}}"divisible [32], 0..504"
  entry @loop() {
    %z = constant <i32: 0> : tile<i32>
    %n = constant <i32: 64> : tile<i32>
    %s = constant <i32: 4> : tile<i32>
    %e = constant <i32: 8> : tile<i32>
    for %i in (%z to %n, step %s) : tile<i32> {
      %m = muli %i, %e : tile<i32>
    }
    return
  }
}
