// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// ceil
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @ceil_types(%a: tile<f32>) {
    // expected-error @below {{failed to verify that all of {source, result} have same type}}
    %r = "cuda_tile.ceil"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f16>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// floor
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @floor_types(%a: tile<f32>) {
    // expected-error @below {{failed to verify that all of {source, result} have same type}}
    %r = "cuda_tile.floor"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f16>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// exp
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @exp_types(%a: tile<f32>) {
    // expected-error @below {{failed to verify that all of {source, result} have same type}}
    %r = "cuda_tile.exp"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f16>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @exp_c1_keyword(%a: tile<f32>) {
    // expected-error @below {{invalid rounding mode specified, expect one of [approx, full]}}
    %r = exp %a rounding<zero> : tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @exp_c1_mode(%a: tile<f32>) {
    // expected-error @below {{invalid rounding mode specified, expect one of [approx, full]}}
    %r = "cuda_tile.exp"(%a) <{rounding_mode = #cuda_tile.rounding<zero>}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @exp_c2_f16(%h: tile<f16>) {
    // expected-error @below {{approx modifier only supported for f32 data type, but got: 'f16'; approx and full rounding modes require f32}}
    %r = exp %h rounding<approx> : tile<f16>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// exp2
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @exp2_c1_f16(%h: tile<f16>) {
    // expected-error @below {{flush_to_zero modifier only supported for f32 data type, but got: 'f16'}}
    %r = exp2 %h flush_to_zero : tile<f16>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// atan2
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @atan2_types(%a: tile<f32>) {
    // expected-error @below {{failed to verify that all of {x, y, result} have same type}}
    %r = "cuda_tile.atan2"(%a, %a) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f16>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// cos
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @cos_types(%a: tile<f32>) {
    // expected-error @below {{failed to verify that all of {source, result} have same type}}
    %r = "cuda_tile.cos"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f16>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @cos_integer(%n: tile<i32>) {
    // expected-error @below {{operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<i32>'}}
    %r = cos %n : tile<i32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// cosh
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @cosh_types(%a: tile<f32>) {
    // expected-error @below {{failed to verify that all of {source, result} have same type}}
    %r = "cuda_tile.cosh"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f16>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// sin
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @sin_types(%a: tile<f32>) {
    // expected-error @below {{failed to verify that all of {source, result} have same type}}
    %r = "cuda_tile.sin"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f16>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// sinh
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @sinh_types(%a: tile<f32>) {
    // expected-error @below {{failed to verify that all of {source, result} have same type}}
    %r = "cuda_tile.sinh"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f16>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// tan
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @tan_types(%a: tile<f32>) {
    // expected-error @below {{failed to verify that all of {source, result} have same type}}
    %r = "cuda_tile.tan"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f16>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// log
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @log_types(%a: tile<f32>) {
    // expected-error @below {{failed to verify that all of {source, result} have same type}}
    %r = "cuda_tile.log"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f16>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// log2
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @log2_types(%a: tile<f32>) {
    // expected-error @below {{failed to verify that all of {source, result} have same type}}
    %r = "cuda_tile.log2"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f16>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// fpowi
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @fpowi_c1_shape(%a: tile<f32>) {
    %n = constant <i32: 2> : tile<4xi32>
    // expected-error @below {{failed to verify that all of {source, exponent} have same shape}}
    %r = fpowi %a, %n : tile<f32>, tile<4xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @fpowi_exponent(%a: tile<f32>, %n: tile<i64>) {
    // expected-error @below {{operand #1 must be tile of i1 or i8 or i16 or i32 values, but got '!cuda_tile.tile<i64>'}}
    %r = fpowi %a, %n : tile<f32>, tile<i64>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// pow
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @pow_types(%a: tile<f32>, %h: tile<f16>) {
    // expected-error @below {{failed to verify that all of {result, source, exponent} have same type}}
    %r = "cuda_tile.pow"(%a, %h) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>) -> !cuda_tile.tile<f32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// rsqrt
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @rsqrt_c1_f16(%h: tile<f16>) {
    // expected-error @below {{flush_to_zero modifier only supported for f32 data type, but got: 'f16'; flush-to-zero is only legal for f32 element type}}
    %r = rsqrt %h flush_to_zero : tile<f16>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// sqrt
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @sqrt_c1_keyword(%a: tile<f32>) {
    // expected-error @below {{invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf, approx]; rounding mode not allowed outside divf}}
    %r = sqrt %a rounding<full> : tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @sqrt_c1_mode(%a: tile<f32>) {
    // expected-error @below {{invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf, approx]; rounding mode not allowed outside divf}}
    %r = "cuda_tile.sqrt"(%a) <{rounding_mode = #cuda_tile.rounding<full>}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @sqrt_c2_f64(%a: tile<f64>) {
    // expected-error @below {{approx modifier only supported for f32 data type, but got: 'f64'; approx and full rounding modes require f32}}
    %r = sqrt %a rounding<approx> : tile<f64>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @sqrt_c3_f64(%a: tile<f64>) {
    // expected-error @below {{flush_to_zero modifier only supported for f32 data type, but got: 'f64'; flush-to-zero is only legal for f32 element type}}
    %r = sqrt %a flush_to_zero : tile<f64>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// tanh
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @tanh_c1_mode(%a: tile<f32>) {
    // expected-error @below {{invalid rounding mode specified, expect one of [approx, full]}}
    %r = "cuda_tile.tanh"(%a) <{rounding_mode = #cuda_tile.rounding<zero>}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tanh_c2_f16(%h: tile<f16>) {
    // expected-error @below {{approx modifier only supported for f32 data type, but got: 'f16'; approx and full rounding modes require f32}}
    %r = tanh %h rounding<approx> : tile<f16>
    return
  }
}
