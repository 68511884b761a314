// Forms that real producers write, although some descriptions of the dialect would
// refuse them.
// RUN: cuda-tile-opt %s | cuda-tile-opt | FileCheck %s

cuda_tile.module @m {
  // Conversions between types of one width, and to f8E8M0FNU.
  // CHECK-LABEL: entry @conversions
  entry @conversions(%h: tile<f16>, %e: tile<f8E4M3FN>, %f: tile<f32>, %b: tile<i1>) {
    // CHECK: ftof %arg0 : tile<f16> -> tile<bf16>
    %0 = ftof %h : tile<f16> -> tile<bf16>
    // CHECK: ftof %arg1 : tile<f8E4M3FN> -> tile<f8E5M2>
    %1 = ftof %e : tile<f8E4M3FN> -> tile<f8E5M2>
    // CHECK: ftof %arg2 : tile<f32> -> tile<tf32>
    %2 = ftof %f : tile<f32> -> tile<tf32>
    // CHECK: ftof %arg2 rounding<zero> : tile<f32> -> tile<f8E8M0FNU>
    %3 = ftof %f rounding<zero> : tile<f32> -> tile<f8E8M0FNU>
    // CHECK: ftof %arg2 rounding<positive_inf> : tile<f32> -> tile<f8E8M0FNU>
    %4 = ftof %f rounding<positive_inf> : tile<f32> -> tile<f8E8M0FNU>
    // CHECK: exti %arg3 unsigned : tile<i1> -> tile<i32>
    %5 = exti %b unsigned : tile<i1> -> tile<i32>
    return
  }

  // Rounding modes outside divf, and comparisons that NaNs pass.
  // CHECK-LABEL: entry @rounding
  entry @rounding(%x: tile<f32>) {
    // CHECK: sqrt %arg0 rounding<approx>
    %0 = sqrt %x rounding<approx> : tile<f32>
    // CHECK: exp %arg0 rounding<approx>
    %1 = exp %x rounding<approx> : tile<f32>
    // CHECK: exp %arg0 :
    %2 = exp %x rounding<full> : tile<f32>
    // CHECK: tanh %arg0 :
    %3 = tanh %x rounding<full> : tile<f32>
    // CHECK: cmpf equal unordered
    %4 = cmpf equal unordered %x, %x : tile<f32> -> tile<i1>
    return
  }

  // Loops carry what they like, but for views.
  // CHECK-LABEL: entry @carried
  entry @carried(%n: tile<i32>, %p: tile<ptr<f64>>) {
    %x = constant <f32: 1.0> : tile<8x8xf32>
    %t = make_token : token
    // CHECK: for %loopIdx in (%arg0 to %arg0, step %arg0) : tile<i32> iter_values(%iterArg0 = %{{.*}}, %iterArg1 = %{{.*}}, %iterArg2 = %arg1) -> (tile<8x8xf32>, token, tile<ptr<f64>>)
    %r:3 = for %i in (%n to %n, step %n) : tile<i32> iter_values(%a = %x, %k = %t, %q = %p) -> (tile<8x8xf32>, token, tile<ptr<f64>>) {
      // CHECK: load_ptr_tko weak %iterArg2 token=%iterArg1 : tile<ptr<f64>> -> tile<f64>, token
      %v, %l = load_ptr_tko weak %q token=%k : tile<ptr<f64>> -> tile<f64>, token
      continue %a, %l, %q : tile<8x8xf32>, token, tile<ptr<f64>>
    }
    return
  }

  // CHECK-LABEL: entry @branches
  entry @branches(%c: tile<i1>) {
    // CHECK: if %arg0 {
    // CHECK-NEXT: }
    if %c {
    }
    // CHECK-NEXT: if %arg0 {
    // CHECK-NEXT: return
    // CHECK-NEXT: }
    if %c {
      return
    }
    return
  }

  // A bf16 and an f16 identity may stand for each other.
  // CHECK-LABEL: entry @identities
  entry @identities() {
    %x = constant <bf16: 1.0> : tile<8xbf16>
    // CHECK: reduce %{{.*}} dim=0 identities=[0.000000e+00 : f16] : tile<8xbf16> -> tile<bf16>
    %r = reduce %x dim=0 identities=[0.0 : f16] : tile<8xbf16> -> tile<bf16>
    (%a: tile<bf16>, %b: tile<bf16>) {
      %s = addf %a, %b : tile<bf16>
      yield %s : tile<bf16>
    }
    %i = constant <i32: 7> : tile<8xi32>
    // CHECK: remi
    %q = reduce %i dim=0 identities=[0 : i32] : tile<8xi32> -> tile<i32>
    (%a: tile<i32>, %b: tile<i32>) {
      %s = remi %a, %b signed : tile<i32>
      yield %s : tile<i32>
    }
    return
  }

  // CHECK-LABEL: entry @assumptions
  entry @assumptions(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // CHECK: assume div_by<1>, %arg0
    %0 = assume div_by<1>, %p : tile<ptr<f32>>
    // CHECK: assume bounded<1, 1>, %arg1
    %1 = assume bounded<1, 1>, %n : tile<i32>
    // CHECK: iota : tile<256xi8>
    %2 = iota : tile<256xi8>
    // CHECK: iota : tile<2xi1>
    %3 = iota : tile<2xi1>
    return
  }

  // CHECK-LABEL: entry @products
  entry @products(%p: tile<ptr<bf16>>, %h: tile<bf16>) {
    %f = constant <f32: 1.0> : tile<8x8xf32>
    %b = constant <bf16: 1.0> : tile<8x8xbf16>
    // CHECK: mmaf %{{.*}} : tile<8x8xf32>, tile<8x8xf32>, tile<8x8xf32>
    %0 = mmaf %f, %f, %f : tile<8x8xf32>, tile<8x8xf32>, tile<8x8xf32>
    // CHECK: mmaf %{{.*}} : tile<8x8xbf16>, tile<8x8xbf16>, tile<8x8xf32>
    %1 = mmaf %b, %b, %f : tile<8x8xbf16>, tile<8x8xbf16>, tile<8x8xf32>
    // CHECK: atomic_rmw_tko relaxed device %arg0, addf, %arg1
    %2, %t = atomic_rmw_tko relaxed device %p, addf, %h : tile<ptr<bf16>>, tile<bf16> -> tile<bf16>, token
    return
  }

  // Unknown GPUs and keys are silent unless a flag asks.
  // CHECK-LABEL: entry @hints
  // CHECK-SAME: optimization_hints=<sm_999 = {strange = 1}>
  entry @hints() optimization_hints=<sm_999 = {strange = 1}> {
    return
  }

  // CHECK-LABEL: entry @view_argument(%arg0: tensor_view<8xf32, strides=[1]>)
  entry @view_argument(%v: tensor_view<8xf32, strides=[1]>) {
    return
  }
}
