// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// addf
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @addf_types(%a: tile<f32>, %b: tile<f16>) {
    // expected-error @below {{failed to verify that all of {lhs, rhs, result} have same type; expected matching operand and result element types}}
    %r = "cuda_tile.addf"(%a, %b) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>) -> !cuda_tile.tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @addf_integer(%n: tile<i32>) {
    // expected-error @below {{operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<i32>'}}
    %r = addf %n, %n : tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @addf_c1_keyword(%a: tile<f32>) {
    // expected-error @below {{expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'upward'}}
    %r = addf %a, %a rounding<upward> : tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @addf_c1_mode(%a: tile<f32>) {
    // expected-error @below {{invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf]; rounding mode not allowed outside divf}}
    %r = "cuda_tile.addf"(%a, %a) <{rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @addf_c2_f16(%h: tile<f16>) {
    // expected-error @below {{flush_to_zero modifier only supported for f32 data type, but got: 'f16'; flush-to-zero is only legal for f32 element type}}
    %r = addf %h, %h flush_to_zero : tile<f16>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// subf
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @subf_types(%a: tile<f32>, %b: tile<f16>) {
    // expected-error @below {{failed to verify that all of {lhs, rhs, result} have same type; expected matching operand and result element types}}
    %r = "cuda_tile.subf"(%a, %b) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>) -> !cuda_tile.tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @subf_integer(%n: tile<i32>) {
    // expected-error @below {{operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<i32>'}}
    %r = subf %n, %n : tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @subf_c1_keyword(%a: tile<f32>) {
    // expected-error @below {{expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'upward'}}
    %r = subf %a, %a rounding<upward> : tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @subf_c1_mode(%a: tile<f32>) {
    // expected-error @below {{invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf]; rounding mode not allowed outside divf}}
    %r = "cuda_tile.subf"(%a, %a) <{rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @subf_c2_f16(%h: tile<f16>) {
    // expected-error @below {{flush_to_zero modifier only supported for f32 data type, but got: 'f16'; flush-to-zero is only legal for f32 element type}}
    %r = subf %h, %h flush_to_zero : tile<f16>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// mulf
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @mulf_types(%a: tile<f32>, %b: tile<f16>) {
    // expected-error @below {{failed to verify that all of {lhs, rhs, result} have same type; expected matching operand and result element types}}
    %r = "cuda_tile.mulf"(%a, %b) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>) -> !cuda_tile.tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mulf_integer(%n: tile<i32>) {
    // expected-error @below {{operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<i32>'}}
    %r = mulf %n, %n : tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mulf_c1_keyword(%a: tile<f32>) {
    // expected-error @below {{expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'upward'}}
    %r = mulf %a, %a rounding<upward> : tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mulf_c1_mode(%a: tile<f32>) {
    // expected-error @below {{invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf]; rounding mode not allowed outside divf}}
    %r = "cuda_tile.mulf"(%a, %a) <{rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mulf_c2_f16(%h: tile<f16>) {
    // expected-error @below {{flush_to_zero modifier only supported for f32 data type, but got: 'f16'; flush-to-zero is only legal for f32 element type}}
    %r = mulf %h, %h flush_to_zero : tile<f16>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// divf
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @divf_types(%a: tile<f32>, %b: tile<f16>) {
    // expected-error @below {{failed to verify that all of {lhs, rhs, result} have same type; expected matching operand and result element types}}
    %r = "cuda_tile.divf"(%a, %b) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>) -> !cuda_tile.tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @divf_integer(%n: tile<i32>) {
    // expected-error @below {{operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got '!cuda_tile.tile<i32>'}}
    %r = divf %n, %n : tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @divf_c1_keyword(%a: tile<f32>) {
    // expected-error @below {{expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', 'approx', 'full', got: 'upward'}}
    %r = divf %a, %a rounding<upward> : tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @divf_c1_mode(%a: tile<f32>) {
    // expected-error @below {{invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf, approx, full]; invalid rounding mode for divf}}
    %r = "cuda_tile.divf"(%a, %a) <{rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @divf_c2_f16(%h: tile<f16>) {
    // expected-error @below {{flush_to_zero modifier only supported for f32 data type, but got: 'f16'; flush-to-zero is only legal for f32 element type}}
    %r = divf %h, %h flush_to_zero : tile<f16>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @divf_c1_approx_f16(%h: tile<f16>) {
    // expected-error @below {{approx modifier only supported for f32 data type, but got: 'f16'; approx and full rounding modes require f32}}
    %r = divf %h, %h rounding<approx> : tile<f16>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @divf_c1_full_f16(%h: tile<f16>) {
    // expected-error @below {{full modifier only supported for f32 data type, but got: 'f16'; approx and full rounding modes require f32}}
    %r = divf %h, %h rounding<full> : tile<f16>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// absf
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @absf_types(%a: tile<f32>) {
    // expected-error @below {{failed to verify that all of {source, result} have same type; expected matching operand and result element types}}
    %r = "cuda_tile.absf"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<8xf32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// negf
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @negf_types(%a: tile<f32>) {
    // expected-error @below {{failed to verify that all of {source, result} have same type; expected matching operand and result element types}}
    %r = "cuda_tile.negf"(%a) : (!cuda_tile.tile<f32>) -> !cuda_tile.tile<8xf32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// fma
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @fma_types(%a: tile<f32>, %b: tile<f16>) {
    // expected-error @below {{failed to verify that all of {lhs, rhs, acc, result} have same type; expected matching operand and result element types}}
    %r = "cuda_tile.fma"(%a, %b, %a) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @fma_c1_mode(%a: tile<f32>) {
    // expected-error @below {{expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'full'}}
    %r = fma %a, %a, %a rounding<full> : tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @fma_c2_f16(%h: tile<f16>) {
    // expected-error @below {{flush_to_zero modifier only supported for f32 data type, but got: 'f16'}}
    %r = fma %h, %h, %h flush_to_zero : tile<f16>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// maxf
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @maxf_types(%a: tile<f32>, %b: tile<f16>) {
    // expected-error @below {{failed to verify that all of {lhs, rhs, result} have same type; expected matching operand and result element types}}
    %r = "cuda_tile.maxf"(%a, %b) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>) -> !cuda_tile.tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @maxf_c1_f16(%h: tile<f16>) {
    // expected-error @below {{flush_to_zero modifier only supported for f32 data type, but got: 'f16'}}
    %r = maxf %h, %h flush_to_zero : tile<f16>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// minf
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @minf_types(%a: tile<f32>, %b: tile<f16>) {
    // expected-error @below {{failed to verify that all of {lhs, rhs, result} have same type; expected matching operand and result element types}}
    %r = "cuda_tile.minf"(%a, %b) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>) -> !cuda_tile.tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @minf_c1_f16(%h: tile<f16>) {
    // expected-error @below {{flush_to_zero modifier only supported for f32 data type, but got: 'f16'}}
    %r = minf %h, %h flush_to_zero : tile<f16>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// cmpf
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @cmpf_types(%a: tile<f32>, %b: tile<f16>) {
    // expected-error @below {{failed to verify that all of {lhs, rhs} have same type}}
    %r = "cuda_tile.cmpf"(%a, %b) <{comparison_predicate = #cuda_tile<comparison_predicate equal>, comparison_ordering = #cuda_tile<comparison_ordering ordered>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>) -> !cuda_tile.tile<i1>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @cmpf_result(%a: tile<f32>) {
    // expected-error @below {{failed to verify that Result type has i1 element type and same shape as operands}}
    %r = cmpf equal ordered %a, %a : tile<f32> -> tile<8xi1>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @cmpf_predicate(%a: tile<f32>) {
    // expected-error @below {{expected 'comparison_predicate' to be one of: {'equal', 'not_equal', 'less_than', 'less_than_or_equal', 'greater_than', 'greater_than_or_equal'}}}
    %r = cmpf olt ordered %a, %a : tile<f32> -> tile<i1>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @cmpf_ordering(%a: tile<f32>) {
    // expected-error @below {{expected 'comparison_ordering' to be one of: {'ordered', 'unordered'}}}
    %r = cmpf equal sorted %a, %a : tile<f32> -> tile<i1>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// remf
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @remf_types(%a: tile<f32>, %h: tile<f16>) {
    // expected-error @below {{failed to verify that all of {lhs, rhs, result} have same type; expected matching operand and result element types}}
    %r = "cuda_tile.remf"(%a, %h) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f16>) -> !cuda_tile.tile<f32>
    return
  }
}
