// Family memory: tiles of pointers that are known to count up move as vectors; one
// thread stores a scalar; i1 is a byte of 0 or 1.

// RUN: cuda-tile-compile %s --gpu sm_80 --emit=ptx | FileCheck %s

cuda_tile.module @kernels {
  // The mask is constant over four neighbours, so they go together.
  // CHECK-LABEL: .entry masked(
  // CHECK: mov.b32 {{.*}}0x3f800000
  // CHECK: @%p{{[0-9]+}} ld.global.v4.b32
  // CHECK: @%p{{[0-9]+}} st.global.v4.b32
  entry @masked(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %base = assume div_by<16>, %p : tile<ptr<f32>>
    %size = assume div_by<4>, %n : tile<i32>
    %p1 = reshape %base : tile<ptr<f32>> -> tile<1xptr<f32>>
    %p128 = broadcast %p1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %i = iota : tile<128xi32>
    %q = offset %p128, %i : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %n1 = reshape %size : tile<i32> -> tile<1xi32>
    %n128 = broadcast %n1 : tile<1xi32> -> tile<128xi32>
    %m = cmpi less_than %i, %n128, signed : tile<128xi32> -> tile<128xi1>
    %one = constant <f32: 1.0> : tile<128xf32>
    %x, %r = load_ptr_tko weak %q, %m, %one : tile<128xptr<f32>>, tile<128xi1>, tile<128xf32> -> tile<128xf32>, token
    %s = store_ptr_tko weak %q, %x, %m token=%r : tile<128xptr<f32>>, tile<128xf32>, tile<128xi1> -> token
    return
  }

  // Rows from anywhere: the mask is made of one of the rows and one of the columns, and
  // changes along a row only at multiples of 8.
  // CHECK-LABEL: .entry rows(
  // CHECK: @%p{{[0-9]+}} ld.global.v4.b32
  // CHECK-NOT: ld.global.b16
  // CHECK: ret
  entry @rows(%p: tile<ptr<f16>>, %o: tile<ptr<f16>>, %m: tile<i32>, %n: tile<i32>) {
    %base = assume div_by<16>, %p : tile<ptr<f16>>
    %out = assume div_by<16>, %o : tile<ptr<f16>>
    %size = assume div_by<8>, %n : tile<i32>
    %i = iota : tile<8xi32>
    %i1 = reshape %i : tile<8xi32> -> tile<8x1xi32>
    %row = broadcast %i1 : tile<8x1xi32> -> tile<8x64xi32>
    %j = iota : tile<64xi32>
    %j1 = reshape %j : tile<64xi32> -> tile<1x64xi32>
    %column = broadcast %j1 : tile<1x64xi32> -> tile<8x64xi32>
    %m1 = reshape %m : tile<i32> -> tile<1x1xi32>
    %most = broadcast %m1 : tile<1x1xi32> -> tile<8x64xi32>
    %n1 = reshape %size : tile<i32> -> tile<1x1xi32>
    %width = broadcast %n1 : tile<1x1xi32> -> tile<8x64xi32>
    %below = cmpi less_than %row, %most, signed : tile<8x64xi32> -> tile<8x64xi1>
    %left = cmpi less_than %column, %width, signed : tile<8x64xi32> -> tile<8x64xi1>
    %inside = andi %below, %left : tile<8x64xi1>
    %first = muli %row, %width : tile<8x64xi32>
    %place = addi %first, %column : tile<8x64xi32>
    %p1 = reshape %base : tile<ptr<f16>> -> tile<1x1xptr<f16>>
    %pb = broadcast %p1 : tile<1x1xptr<f16>> -> tile<8x64xptr<f16>>
    %q = offset %pb, %place : tile<8x64xptr<f16>>, tile<8x64xi32> -> tile<8x64xptr<f16>>
    %zero = constant <f16: 0.0> : tile<8x64xf16>
    %x, %r = load_ptr_tko weak %q, %inside, %zero : tile<8x64xptr<f16>>, tile<8x64xi1>, tile<8x64xf16> -> tile<8x64xf16>, token
    %o1 = reshape %out : tile<ptr<f16>> -> tile<1x1xptr<f16>>
    %ob = broadcast %o1 : tile<1x1xptr<f16>> -> tile<8x64xptr<f16>>
    %t = offset %ob, %place : tile<8x64xptr<f16>>, tile<8x64xi32> -> tile<8x64xptr<f16>>
    %s = store_ptr_tko weak %t, %x : tile<8x64xptr<f16>>, tile<8x64xf16> -> token
    return
  }

  // A step of two is no vector.
  // CHECK-LABEL: .entry strided(
  // CHECK-NOT: .v4
  // CHECK-NOT: .v2
  // CHECK: ld.global{{.*}}.b32
  // CHECK: ret
  entry @strided(%p: tile<ptr<f32>>, %o: tile<ptr<f32>>) {
    %p1 = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
    %p128 = broadcast %p1 : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %i = iota : tile<128xi32>
    %two = constant <i32: 2> : tile<128xi32>
    %j = muli %i, %two : tile<128xi32>
    %q = offset %p128, %j : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %x, %r = load_ptr_tko weak %q : tile<128xptr<f32>> -> tile<128xf32>, token
    %y = addf %x, %x : tile<128xf32>
    %s = store_ptr_tko weak %q, %y token=%r : tile<128xptr<f32>>, tile<128xf32> -> token
    return
  }

  // Every thread has the scalar, the first one writes it.
  // CHECK-LABEL: .entry scalar(
  // CHECK: mov.u32 %[[T:r[0-9]+]], %tid.x
  // CHECK: setp.eq.{{[a-z0-9]+}} %[[FIRST:p[0-9]+]], %[[T]], 0
  // CHECK: @%[[FIRST]] st.global.b32
  entry @scalar(%p: tile<ptr<f32>>, %x: tile<f32>) {
    %s = store_ptr_tko weak %p, %x : tile<ptr<f32>>, tile<f32> -> token
    return
  }

  // CHECK-LABEL: .entry truth(
  // CHECK: ld.param.b8 %[[B:rs[0-9]+]], [truth_param_1]
  // CHECK: selp.{{[a-z0-9]+}} {{.*}}1, 0
  // CHECK: st.global.b8
  entry @truth(%p: tile<ptr<i1>>, %b: tile<i1>) {
    %s = store_ptr_tko weak %p, %b : tile<ptr<i1>>, tile<i1> -> token
    return
  }
}
