// RUN: cuda-tile-opt %s | cuda-tile-opt | FileCheck %s

cuda_tile.module @float {
  // The usual rounding is not printed, the space before it is.
  // CHECK-LABEL: entry @rounded
  entry @rounded(%a: tile<f32>) {
    // CHECK: addf %arg0, %arg0  : tile<f32>
    %0 = addf %a, %a : tile<f32>
    // CHECK: addf %arg0, %arg0 rounding<zero> flush_to_zero : tile<f32>
    %1 = addf %a, %a rounding<zero> flush_to_zero : tile<f32>
    // CHECK: subf %arg0, %arg0 rounding<negative_inf> : tile<f32>
    %2 = subf %a, %a rounding<negative_inf> : tile<f32>
    // CHECK: mulf %arg0, %arg0  flush_to_zero : tile<f32>
    %3 = mulf %a, %a rounding<nearest_even> flush_to_zero : tile<f32>
    // CHECK: divf %arg0, %arg0 rounding<approx> : tile<f32>
    %4 = divf %a, %a rounding<approx> : tile<f32>
    // CHECK: divf %arg0, %arg0 rounding<full> flush_to_zero : tile<f32>
    %5 = divf %a, %a rounding<full> flush_to_zero : tile<f32>
    // CHECK: fma %arg0, %arg0, %arg0 rounding<positive_inf> : tile<f32>
    %6 = fma %a, %a, %a rounding<positive_inf> : tile<f32>
    return
  }

  // CHECK-LABEL: entry @plain
  entry @plain(%a: tile<bf16>) {
    // CHECK: absf %arg0 : tile<bf16>
    %0 = absf %a : tile<bf16>
    // CHECK: negf %arg0 : tile<bf16>
    %1 = negf %a : tile<bf16>
    // CHECK: maxf %arg0, %arg0 : tile<bf16>
    %2 = maxf %a, %a : tile<bf16>
    // CHECK: minf %arg0, %arg0 propagate_nan : tile<bf16>
    %3 = minf %a, %a propagate_nan : tile<bf16>
    return
  }

  // CHECK-LABEL: entry @maxf_both_flags
  entry @maxf_both_flags(%a: tile<f32>) {
    // CHECK: maxf %arg0, %arg0 flush_to_zero propagate_nan : tile<f32>
    %0 = maxf %a, %a flush_to_zero propagate_nan : tile<f32>
    return
  }

  // CHECK-LABEL: entry @cmpf
  entry @cmpf(%a: tile<f64>) {
    // CHECK: cmpf greater_than ordered %arg0, %arg0 : tile<f64> -> tile<i1>
    %0 = cmpf greater_than ordered %a, %a : tile<f64> -> tile<i1>
    // CHECK: cmpf equal unordered %arg0, %arg0 : tile<f64> -> tile<i1>
    %1 = cmpf equal unordered %a, %a : tile<f64> -> tile<i1>
    return
  }

  // CHECK-LABEL: entry @remf
  entry @remf(%a: tile<f16>) {
    // CHECK: remf %arg0, %arg0 : tile<f16>
    %0 = remf %a, %a : tile<f16>
    return
  }
}
