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
}
