// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// mmaf
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @mmaf_c1_ranks() {
    %a = constant <f16: 1.0> : tile<8x8xf16>
    %b = constant <f16: 1.0> : tile<8x8xf16>
    %c = constant <f32: 1.0> : tile<1x8x8xf32>
    // expected-error @below {{failed to verify that all of {lhs, rhs, acc} have same rank; mma operands must share rank}}
    %r = mmaf %a, %b, %c : tile<8x8xf16>, tile<8x8xf16>, tile<1x8x8xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmaf_c1_rank_1() {
    %a = constant <f16: 1.0> : tile<8xf16>
    %b = constant <f16: 1.0> : tile<8xf16>
    %c = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{operands must be 2D or 3D tiles; mma operand A must be rank-2 or rank-3}}
    %r = mmaf %a, %b, %c : tile<8xf16>, tile<8xf16>, tile<8xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmaf_c2_batch() {
    %a = constant <f16: 1.0> : tile<2x8x8xf16>
    %b = constant <f16: 1.0> : tile<4x8x8xf16>
    %c = constant <f32: 1.0> : tile<2x8x8xf32>
    // expected-error @below {{shape error: dim 0 of lhs (2) and dim 0 of rhs (4) must match, but got lhs shape (2, 8, 8) and rhs shape (4, 8, 8); mma operands must share the batch dimension}}
    %r = mmaf %a, %b, %c : tile<2x8x8xf16>, tile<4x8x8xf16>, tile<2x8x8xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmaf_c2_batch_acc() {
    %a = constant <f16: 1.0> : tile<2x8x8xf16>
    %b = constant <f16: 1.0> : tile<2x8x8xf16>
    %c = constant <f32: 1.0> : tile<4x8x8xf32>
    // expected-error @below {{shape error: dim 0 of lhs (2) and dim 0 of acc (4) must match, but got lhs shape (2, 8, 8) and acc shape (4, 8, 8); mma operands must share the batch dimension}}
    %r = mmaf %a, %b, %c : tile<2x8x8xf16>, tile<2x8x8xf16>, tile<4x8x8xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmaf_c2_k() {
    %a = constant <f16: 1.0> : tile<8x16xf16>
    %b = constant <f16: 1.0> : tile<8x8xf16>
    %c = constant <f32: 1.0> : tile<8x8xf32>
    // expected-error @below {{ shape error: dim 1 of lhs (16) and dim 0 of rhs (8) must match, but got lhs shape (8, 16) and rhs shape (8, 8); mma contracting dimension mismatch}}
    %r = mmaf %a, %b, %c : tile<8x16xf16>, tile<8x8xf16>, tile<8x8xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmaf_c2_m() {
    %a = constant <f16: 1.0> : tile<8x16xf16>
    %b = constant <f16: 1.0> : tile<16x8xf16>
    %c = constant <f32: 1.0> : tile<16x8xf32>
    // expected-error @below {{ shape error: dim 0 of lhs (8) and dim 0 of acc (16) must match, but got lhs shape (8, 16) and acc shape (16, 8); mma accumulator must agree with A and B on M and N}}
    %r = mmaf %a, %b, %c : tile<8x16xf16>, tile<16x8xf16>, tile<16x8xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmaf_c2_n() {
    %a = constant <f16: 1.0> : tile<8x16xf16>
    %b = constant <f16: 1.0> : tile<16x8xf16>
    %c = constant <f32: 1.0> : tile<8x16xf32>
    // expected-error @below {{ shape error: dim 1 of rhs (8) and dim 1 of acc (16) must match, but got rhs shape (16, 8) and acc shape (8, 16); mma accumulator must agree with A and B on M and N}}
    %r = mmaf %a, %b, %c : tile<8x16xf16>, tile<16x8xf16>, tile<8x16xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmaf_c3_bf16_to_f16() {
    %a = constant <bf16: 1.0> : tile<8x8xbf16>
    %b = constant <bf16: 1.0> : tile<8x8xbf16>
    %c = constant <f16: 1.0> : tile<8x8xf16>
    // expected-error @below {{unsupported combination of element types. Input type 'bf16' expects accumulator/result type to be one of {'f32'}, but got 'f16'}}
    %r = mmaf %a, %b, %c : tile<8x8xbf16>, tile<8x8xbf16>, tile<8x8xf16>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmaf_c3_f16_to_f64() {
    %a = constant <f16: 1.0> : tile<8x8xf16>
    %b = constant <f16: 1.0> : tile<8x8xf16>
    %c = constant <f64: 1.0> : tile<8x8xf64>
    // expected-error @below {{unsupported combination of element types. Input type 'f16' expects accumulator/result type to be one of {'f16', 'f32'}, but got 'f64'}}
    %r = mmaf %a, %b, %c : tile<8x8xf16>, tile<8x8xf16>, tile<8x8xf64>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmaf_element_types() {
    %a = constant <f16: 1.0> : tile<8x8xf16>
    %b = constant <bf16: 1.0> : tile<8x8xbf16>
    %c = constant <f32: 1.0> : tile<8x8xf32>
    // expected-error @below {{failed to verify that all of {lhs, rhs} have the same element type}}
    %r = mmaf %a, %b, %c : tile<8x8xf16>, tile<8x8xbf16>, tile<8x8xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmaf_integers() {
    %a = constant <i8: 1> : tile<8x8xi8>
    %b = constant <i8: 1> : tile<8x8xi8>
    %c = constant <f32: 1.0> : tile<8x8xf32>
    // expected-error @below {{operand #0 must be mmaf operand tile type of f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 values, but got '!cuda_tile.tile<8x8xi8>'}}
    %r = mmaf %a, %b, %c : tile<8x8xi8>, tile<8x8xi8>, tile<8x8xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmaf_integer_acc() {
    %a = constant <f16: 1.0> : tile<8x8xf16>
    %b = constant <f16: 1.0> : tile<8x8xf16>
    %c = constant <i32: 1> : tile<8x8xi32>
    // expected-error @below {{operand #2 must be mmaf acc/result tile type of f16 or f32 or f64 values, but got '!cuda_tile.tile<8x8xi32>'}}
    %r = mmaf %a, %b, %c : tile<8x8xf16>, tile<8x8xf16>, tile<8x8xi32>
    return
  }
}
