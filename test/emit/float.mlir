// Family float: the instruction each rounding and each width becomes.

// RUN: cuda-tile-compile %s --gpu sm_80 --emit=ptx | FileCheck %s

cuda_tile.module @kernels {
  // CHECK-LABEL: .entry rounding(
  // CHECK: add.rz.f32
  // CHECK: sub.rm.f32
  // CHECK: mul.rp.f32
  // CHECK: fma.rz.f32
  // CHECK: add.rp.f64
  entry @rounding(%p: tile<ptr<f32>>, %q: tile<ptr<f64>>, %x: tile<f32>, %y: tile<f64>) {
    %a = addf %x, %x rounding<zero> : tile<f32>
    %b = subf %a, %x rounding<negative_inf> : tile<f32>
    %c = mulf %b, %a rounding<positive_inf> : tile<f32>
    %d = fma %a, %b, %c rounding<zero> : tile<f32>
    %e = addf %y, %y rounding<positive_inf> : tile<f64>
    %s = store_ptr_tko weak %p, %d : tile<ptr<f32>>, tile<f32> -> token
    %t = store_ptr_tko weak %q, %e : tile<ptr<f64>>, tile<f64> -> token
    return
  }

  // Sums and products stay apart: only fma is one rounding.
  // CHECK-LABEL: .entry nearest(
  // CHECK: mul.rn.f32
  // CHECK: add.rn.f32
  // CHECK: fma.rn.f32
  entry @nearest(%p: tile<ptr<f32>>, %x: tile<f32>) {
    %a = mulf %x, %x : tile<f32>
    %b = addf %a, %x : tile<f32>
    %c = fma %b, %a, %x : tile<f32>
    %s = store_ptr_tko weak %p, %c : tile<ptr<f32>>, tile<f32> -> token
    return
  }

  // CHECK-LABEL: .entry quotients(
  // CHECK-DAG: div.rn.f32
  // CHECK-DAG: div.approx.f32
  // CHECK-DAG: div.full.f32
  // CHECK-DAG: div.rz.f32
  // CHECK-DAG: div.rn.f64
  entry @quotients(%p: tile<ptr<f32>>, %q: tile<ptr<f64>>, %x: tile<f32>, %y: tile<f64>) {
    %a = divf %x, %x : tile<f32>
    %b = divf %a, %x rounding<approx> : tile<f32>
    %c = divf %b, %x rounding<full> : tile<f32>
    %d = divf %c, %x rounding<zero> : tile<f32>
    %e = divf %y, %y : tile<f64>
    %s = store_ptr_tko weak %p, %d : tile<ptr<f32>>, tile<f32> -> token
    %t = store_ptr_tko weak %q, %e : tile<ptr<f64>>, tile<f64> -> token
    return
  }

  // Subnormal numbers are flushed only where the op says so.
  // CHECK-LABEL: .entry flush(
  // CHECK-NOT: ftz
  // CHECK: add.rn.f32
  // CHECK: add.rn.ftz.f32
  // CHECK: mul.rz.ftz.f32
  // CHECK: max.ftz.f32
  // CHECK: ex2.approx.ftz.f32
  entry @flush(%p: tile<ptr<f32>>, %x: tile<f32>) {
    %a = addf %x, %x : tile<f32>
    %b = addf %a, %x flush_to_zero : tile<f32>
    %c = mulf %b, %x rounding<zero> flush_to_zero : tile<f32>
    %d = maxf %c, %x flush_to_zero : tile<f32>
    %e = exp2 %d flush_to_zero : tile<f32>
    %s = store_ptr_tko weak %p, %e : tile<ptr<f32>>, tile<f32> -> token
    return
  }

  // CHECK-LABEL: .entry extremes(
  // CHECK: max.f32
  // CHECK: min.NaN.f32
  // CHECK: max.ftz.NaN.f32
  entry @extremes(%p: tile<ptr<f32>>, %x: tile<f32>, %y: tile<f32>) {
    %a = maxf %x, %y : tile<f32>
    %b = minf %a, %y propagate_nan : tile<f32>
    %c = maxf %b, %x flush_to_zero propagate_nan : tile<f32>
    %s = store_ptr_tko weak %p, %c : tile<ptr<f32>>, tile<f32> -> token
    return
  }

  // 16-bit numbers are computed in pairs.
  // CHECK-LABEL: .entry pairs(
  // CHECK: ld.global{{.*}}.v4.b32
  // CHECK-COUNT-4: fma.rn.f16x2
  // CHECK-NOT: fma.rn.f16{{[^x]}}
  // CHECK: st.global.v4.b32
  entry @pairs(%p: tile<ptr<f16>>, %x: tile<f16>) {
    %base = assume div_by<16>, %p : tile<ptr<f16>>
    %t = make_tensor_view %base, shape = [256], strides = [1] : tensor_view<256xf16, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(256), tensor_view<256xf16, strides=[1]>>
    %z = constant <i32: 0> : tile<i32>
    %a, %r = load_view_tko weak %v[%z] : partition_view<tile=(256), tensor_view<256xf16, strides=[1]>>, tile<i32> -> tile<256xf16>, token
    %b = fma %a, %a, %a : tile<256xf16>
    %s = store_view_tko weak %b, %v[%z] token = %r : tile<256xf16>, partition_view<tile=(256), tensor_view<256xf16, strides=[1]>>, tile<i32> -> token
    return
  }
}
