// Family math: exp by ex2 with its argument's rounding error put back, or without.

// RUN: cuda-tile-compile %s --gpu sm_80 --emit=ptx | FileCheck %s

cuda_tile.module @kernels {
  // CHECK-LABEL: .entry full(
  // CHECK: fma.rn.f32
  // CHECK: ex2.approx.f32
  // CHECK: fma.rn.f32
  entry @full(%p: tile<ptr<f32>>, %x: tile<f32>) {
    %a = exp %x : tile<f32>
    %s = store_ptr_tko weak %p, %a : tile<ptr<f32>>, tile<f32> -> token
    return
  }

  // Nowhere positive: no case for infinity.
  // CHECK-LABEL: .entry below(
  // CHECK: fma.rn.sat.f32
  // CHECK-NEXT: ex2.approx.f32
  // CHECK-NOT: setp
  // CHECK: st.global
  entry @below(%p: tile<ptr<f32>>, %x: tile<f32>, %y: tile<f32>) {
    %m = maxf %y, %x : tile<f32>
    %d = subf %x, %m : tile<f32>
    %a = exp %d : tile<f32>
    %s = store_ptr_tko weak %p, %a : tile<ptr<f32>>, tile<f32> -> token
    return
  }

  // CHECK-LABEL: .entry approximate(
  // CHECK: mul.rn.f32 {{.*}}0f3FB8AA3B
  // CHECK: ex2.approx.f32
  // CHECK-NOT: fma
  // CHECK: ret
  entry @approximate(%p: tile<ptr<f32>>, %x: tile<f32>) {
    %a = exp %x rounding<approx> : tile<f32>
    %s = store_ptr_tko weak %p, %a : tile<ptr<f32>>, tile<f32> -> token
    return
  }

  // CHECK-LABEL: .entry whole(
  // CHECK: cvt.rmi.f32.f32
  // CHECK: cvt.rpi.f32.f32
  entry @whole(%p: tile<ptr<f32>>, %x: tile<f32>) {
    %a = floor %x : tile<f32>
    %b = mulf %a, %x : tile<f32>
    %c = ceil %b : tile<f32>
    %s = store_ptr_tko weak %p, %c : tile<ptr<f32>>, tile<f32> -> token
    return
  }

  // Functions of libdevice become part of the kernel.
  // CHECK-LABEL: .entry library(
  // CHECK-NOT: call
  // CHECK: sqrt.rm.f32
  // CHECK: rsqrt.approx.ftz.f32
  // CHECK: tanh.approx.f32
  // CHECK: ret
  entry @library(%p: tile<ptr<f32>>, %x: tile<f32>) {
    %a = log %x : tile<f32>
    %b = sqrt %a rounding<negative_inf> : tile<f32>
    %c = rsqrt %b flush_to_zero : tile<f32>
    %d = tanh %c rounding<approx> : tile<f32>
    %e = cosh %d : tile<f32>
    %s = store_ptr_tko weak %p, %e : tile<ptr<f32>>, tile<f32> -> token
    return
  }

  // A constant exponent is multiplied out.
  // CHECK-LABEL: .entry cube(
  // CHECK-COUNT-2: mul.rn.f32
  // CHECK-NOT: mul
  // CHECK: ret
  entry @cube(%p: tile<ptr<f32>>, %x: tile<f32>) {
    %n = constant <i32: 3> : tile<i32>
    %a = fpowi %x, %n : tile<f32>, tile<i32>
    %s = store_ptr_tko weak %p, %a : tile<ptr<f32>>, tile<f32> -> token
    return
  }

  // Calls of library functions are inlined, up to a limit (test_inlined_functions.py).
  // CHECK-LABEL: .entry many(
  // CHECK-NOT: call
  // CHECK: ret
  entry @many(%p: tile<ptr<f32>>) {
    %i = iota : tile<16384xi32>
    %q = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
    %b = broadcast %q : tile<1xptr<f32>> -> tile<16384xptr<f32>>
    %a = offset %b, %i : tile<16384xptr<f32>>, tile<16384xi32> -> tile<16384xptr<f32>>
    %x, %t = load_ptr_tko weak %a : tile<16384xptr<f32>> -> tile<16384xf32>, token
    %y = sin %x : tile<16384xf32>
    %s = store_ptr_tko weak %a, %y : tile<16384xptr<f32>>, tile<16384xf32> -> token
    return
  }
}
