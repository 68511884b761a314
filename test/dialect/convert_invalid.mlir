// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// bitcast
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @bitcast_shape(%n: tile<i32>) {
    // expected-error @below {{failed to verify that all of {source, result} have same shape}}
    %r = bitcast %n : tile<i32> -> tile<8xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @bitcast_c1_width(%n: tile<i32>) {
    // expected-error @below {{types must be equal width, cannot convert '!cuda_tile.tile<i32>' of width 32 to type '!cuda_tile.tile<f16>' of width 16; bitcast requires equal-width source and destination element types}}
    %r = bitcast %n : tile<i32> -> tile<f16>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// exti
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @exti_shape(%n: tile<i32>) {
    // expected-error @below {{failed to verify that all of {from, to} have same shape}}
    %r = exti %n signed : tile<i32> -> tile<8xi64>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @exti_c1_same(%n: tile<i32>) {
    // expected-error @below {{extending to smaller or identical integer; exti requires the result width to be strictly greater than the input width}}
    %r = exti %n signed : tile<i32> -> tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @exti_c1_smaller(%n: tile<i32>) {
    // expected-error @below {{extending to smaller or identical integer}}
    %r = exti %n signed : tile<i32> -> tile<i16>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// ftof
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @ftof_c1_same(%a: tile<f32>) {
    // expected-error @below {{converting tiles must not be a no-op; ftof rejects identity conversions}}
    %r = ftof %a : tile<f32> -> tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @ftof_c3_up(%a: tile<f32>) {
    // expected-error @below {{invalid rounding mode specified. Only 'nearest_even' is supported; ftof requires nearest-even rounding}}
    %r = ftof %a rounding<positive_inf> : tile<f32> -> tile<f16>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @ftof_c3_away(%a: tile<f32>) {
    // expected-error @below {{invalid rounding mode specified. Only 'nearest_even' is supported; ftof requires nearest-even rounding}}
    %r = ftof %a rounding<nearest_away> : tile<f32> -> tile<bf16>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @ftof_c3_small(%a: tile<f32>) {
    // expected-error @below {{invalid rounding mode specified. Only 'nearest_even' is supported; ftof requires nearest-even rounding}}
    %r = ftof %a rounding<zero> : tile<f32> -> tile<f8E4M3FN>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @ftof_c3_bf16(%a: tile<bf16>) {
    // expected-error @below {{invalid rounding mode specified. Only 'nearest_even' is supported; ftof requires nearest-even rounding}}
    %r = ftof %a rounding<negative_inf> : tile<bf16> -> tile<f16>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @ftof_c2_e8m0(%a: tile<f32>) {
    // expected-error @below {{invalid rounding mode specified for conversion to f8E8M0FNU. Only 'zero' and 'positive_inf' are supported}}
    %r = ftof %a : tile<f32> -> tile<f8E8M0FNU>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// ftoi
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @ftoi_c1_keyword(%a: tile<f32>) {
    // expected-error @below {{expected rounding mode to be one of: 'nearest_int_to_zero'}}
    %r = ftoi %a signed rounding<zero> : tile<f32> -> tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @ftoi_c1_mode(%a: tile<f32>) {
    // expected-error @below {{invalid rounding mode specified. Only 'nearest_int_to_zero' is supported; ftoi requires truncation toward zero}}
    %r = "cuda_tile.ftoi"(%a) <{signedness = #cuda_tile<signedness signed>, rounding_mode = #cuda_tile.rounding<zero>}> : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<i32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// itof
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @itof_c1_e8m0(%n: tile<i32>) {
    // expected-error @below {{integer to f8E8M0FNU conversion is not supported, please first convert to another float type}}
    %r = itof %n signed : tile<i32> -> tile<f8E8M0FNU>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @itof_c2_zero(%n: tile<i32>) {
    // expected-error @below {{invalid rounding mode specified. Only 'nearest_even' is supported; itof requires nearest-even rounding}}
    %r = itof %n signed rounding<zero> : tile<i32> -> tile<f32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// trunci
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @trunci_c1_same(%n: tile<i32>) {
    // expected-error @below {{truncating to larger or identical integer; trunci requires the result width to be strictly less than the input width}}
    %r = trunci %n : tile<i32> -> tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @trunci_c1_larger(%n: tile<i32>) {
    // expected-error @below {{truncating to larger or identical integer}}
    %r = trunci %n : tile<i32> -> tile<i64>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// int_to_ptr
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @int_to_ptr_i32(%n: tile<i32>) {
    // expected-error @below {{operand #0 must be tile of i64 values, but got '!cuda_tile.tile<i32>'}}
    %r = int_to_ptr %n : tile<i32> -> tile<ptr<f32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @int_to_ptr_shape(%n: tile<i64>) {
    // expected-error @below {{failed to verify that all of {source, result} have same shape}}
    %r = int_to_ptr %n : tile<i64> -> tile<2xptr<f32>>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// ptr_to_int
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @ptr_to_int_i32(%p: tile<ptr<f32>>) {
    // expected-error @below {{result #0 must be tile of i64 values, but got '!cuda_tile.tile<i32>'}}
    %r = ptr_to_int %p : tile<ptr<f32>> -> tile<i32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// ptr_to_ptr
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @ptr_to_ptr_number(%n: tile<i64>) {
    // expected-error @below {{operand #0 must be tile of Pointer type values, but got '!cuda_tile.tile<i64>'}}
    %r = ptr_to_ptr %n : tile<i64> -> tile<ptr<i8>>
    return
  }
}
