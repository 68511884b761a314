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
    // expected-error @below {{expected rounding mode to be one of: 'full', 'approx'}}
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
