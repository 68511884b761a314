// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// mmai
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @mmai_operand() {
    %a = constant <i16: 1> : tile<8x8xi16>
    %b = constant <i16: 1> : tile<8x8xi16>
    %c = constant <i32: 1> : tile<8x8xi32>
    // expected-error @below {{operand #0 must be mmai operand tile type of i8 values, but got '!cuda_tile.tile<8x8xi16>'}}
    %r = mmai %a, %b, %c signed signed : tile<8x8xi16>, tile<8x8xi16>, tile<8x8xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmai_acc() {
    %a = constant <i8: 1> : tile<8x8xi8>
    %b = constant <i8: 1> : tile<8x8xi8>
    %c = constant <i8: 1> : tile<8x8xi8>
    // expected-error @below {{operand #2 must be mmai acc tile type of i32 values, but got '!cuda_tile.tile<8x8xi8>'}}
    %r = mmai %a, %b, %c signed signed : tile<8x8xi8>, tile<8x8xi8>, tile<8x8xi8>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmai_result() {
    %a = constant <i8: 1> : tile<8x8xi8>
    %c = constant <i32: 1> : tile<8x8xi32>
    // expected-error @below {{failed to verify that all of {acc, result} have same type; mma accumulator and result shapes must match}}
    %r = "cuda_tile.mmai"(%a, %a, %c) <{signedness_lhs = #cuda_tile<signedness signed>, signedness_rhs = #cuda_tile<signedness signed>}> : (!cuda_tile.tile<8x8xi8>, !cuda_tile.tile<8x8xi8>, !cuda_tile.tile<8x8xi32>) -> !cuda_tile.tile<8x4xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmai_signedness() {
    %a = constant <i8: 1> : tile<8x8xi8>
    %b = constant <i8: 1> : tile<8x8xi8>
    %c = constant <i32: 1> : tile<8x8xi32>
    // expected-error @below {{expected valid keyword}}
    // expected-error @below {{expected signedness to be one of: {'signed', 'unsigned'}}}
    %r = mmai %a, %b, %c signed : tile<8x8xi8>, tile<8x8xi8>, tile<8x8xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmai_c1_rank() {
    %a = constant <i8: 1> : tile<8x8xi8>
    %b = constant <i8: 1> : tile<2x8x8xi8>
    %c = constant <i32: 1> : tile<8x8xi32>
    // expected-error @below {{failed to verify that all of {lhs, rhs, acc} have same rank; mma operands must share rank}}
    %r = mmai %a, %b, %c signed signed : tile<8x8xi8>, tile<2x8x8xi8>, tile<8x8xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmai_c1_rank_4() {
    %a = constant <i8: 1> : tile<1x1x8x8xi8>
    %b = constant <i8: 1> : tile<1x1x8x8xi8>
    %c = constant <i32: 1> : tile<1x1x8x8xi32>
    // expected-error @below {{operands must be 2D or 3D tiles; mma operand A must be rank-2 or rank-3}}
    %r = mmai %a, %b, %c signed signed : tile<1x1x8x8xi8>, tile<1x1x8x8xi8>, tile<1x1x8x8xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmai_c2_k() {
    %a = constant <i8: 1> : tile<8x8xi8>
    %b = constant <i8: 1> : tile<4x8xi8>
    %c = constant <i32: 1> : tile<8x8xi32>
    // expected-error @below {{ shape error: dim 1 of lhs (8) and dim 0 of rhs (4) must match, but got lhs shape (8, 8) and rhs shape (4, 8); mma contracting dimension mismatch}}
    %r = mmai %a, %b, %c signed signed : tile<8x8xi8>, tile<4x8xi8>, tile<8x8xi32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// mmaf_scaled
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @mmaf_scaled_operand() {
    %a = constant <f16: 1.0> : tile<16x64xf16>
    %b = constant <f16: 1.0> : tile<64x32xf16>
    %c = constant <f32: 1.0> : tile<16x32xf32>
    %u = constant <f8E8M0FNU: 1.0> : tile<16x2xf8E8M0FNU>
    %v = constant <f8E8M0FNU: 1.0> : tile<2x32xf8E8M0FNU>
    // expected-error @below {{operand #0 must be mmaf_scaled operand tile type of f8E4M3FN or f8E5M2 or f4E2M1FN values, but got '!cuda_tile.tile<16x64xf16>'}}
    %r = mmaf_scaled %a, %b, %c, %u, %v : tile<16x64xf16>, tile<64x32xf16>, tile<16x32xf32>, tile<16x2xf8E8M0FNU>, tile<2x32xf8E8M0FNU>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmaf_scaled_acc() {
    %a = constant <f8E4M3FN: 1.0> : tile<16x64xf8E4M3FN>
    %b = constant <f8E4M3FN: 1.0> : tile<64x32xf8E4M3FN>
    %c = constant <f16: 1.0> : tile<16x32xf16>
    %u = constant <f8E8M0FNU: 1.0> : tile<16x2xf8E8M0FNU>
    %v = constant <f8E8M0FNU: 1.0> : tile<2x32xf8E8M0FNU>
    // expected-error @below {{operand #2 must be mmaf_scaled result tile type of f32 values, but got '!cuda_tile.tile<16x32xf16>'}}
    %r = mmaf_scaled %a, %b, %c, %u, %v : tile<16x64xf8E4M3FN>, tile<64x32xf8E4M3FN>, tile<16x32xf16>, tile<16x2xf8E8M0FNU>, tile<2x32xf8E8M0FNU>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmaf_scaled_scale() {
    %a = constant <f8E4M3FN: 1.0> : tile<16x64xf8E4M3FN>
    %b = constant <f8E4M3FN: 1.0> : tile<64x32xf8E4M3FN>
    %c = constant <f32: 1.0> : tile<16x32xf32>
    %u = constant <f8E5M2: 1.0> : tile<16x2xf8E5M2>
    %v = constant <f8E5M2: 1.0> : tile<2x32xf8E5M2>
    // expected-error @below {{operand #3 must be mmaf_scaled scale tile type of f8E4M3FN or f8E8M0FNU values, but got '!cuda_tile.tile<16x2xf8E5M2>'}}
    %r = mmaf_scaled %a, %b, %c, %u, %v : tile<16x64xf8E4M3FN>, tile<64x32xf8E4M3FN>, tile<16x32xf32>, tile<16x2xf8E5M2>, tile<2x32xf8E5M2>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmaf_scaled_scale_types() {
    %a = constant <f8E4M3FN: 1.0> : tile<16x64xf8E4M3FN>
    %b = constant <f8E4M3FN: 1.0> : tile<64x32xf8E4M3FN>
    %c = constant <f32: 1.0> : tile<16x32xf32>
    %u = constant <f8E8M0FNU: 1.0> : tile<16x2xf8E8M0FNU>
    %v = constant <f8E4M3FN: 1.0> : tile<2x32xf8E4M3FN>
    // expected-error @below {{failed to verify that all of {lhs_scale, rhs_scale} have the same element type}}
    %r = mmaf_scaled %a, %b, %c, %u, %v : tile<16x64xf8E4M3FN>, tile<64x32xf8E4M3FN>, tile<16x32xf32>, tile<16x2xf8E8M0FNU>, tile<2x32xf8E4M3FN>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmaf_scaled_c1_rank() {
    %a = constant <f8E4M3FN: 1.0> : tile<16x64xf8E4M3FN>
    %b = constant <f8E4M3FN: 1.0> : tile<64x32xf8E4M3FN>
    %c = constant <f32: 1.0> : tile<16x32xf32>
    %u = constant <f8E8M0FNU: 1.0> : tile<1x16x2xf8E8M0FNU>
    %v = constant <f8E8M0FNU: 1.0> : tile<2x32xf8E8M0FNU>
    // expected-error @below {{failed to verify that all of {lhs, rhs, acc, lhs_scale, rhs_scale} have same rank; mma operands must share rank}}
    %r = mmaf_scaled %a, %b, %c, %u, %v : tile<16x64xf8E4M3FN>, tile<64x32xf8E4M3FN>, tile<16x32xf32>, tile<1x16x2xf8E8M0FNU>, tile<2x32xf8E8M0FNU>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmaf_scaled_c1_rank_1() {
    %a = constant <f8E4M3FN: 1.0> : tile<64xf8E4M3FN>
    %b = constant <f8E4M3FN: 1.0> : tile<64xf8E4M3FN>
    %c = constant <f32: 1.0> : tile<64xf32>
    %u = constant <f8E8M0FNU: 1.0> : tile<2xf8E8M0FNU>
    %v = constant <f8E8M0FNU: 1.0> : tile<2xf8E8M0FNU>
    // expected-error @below {{operands must be 2D or 3D tiles; mma operand A must be rank-2 or rank-3}}
    %r = mmaf_scaled %a, %b, %c, %u, %v : tile<64xf8E4M3FN>, tile<64xf8E4M3FN>, tile<64xf32>, tile<2xf8E8M0FNU>, tile<2xf8E8M0FNU>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmaf_scaled_c2_batch_acc() {
    %a = constant <f8E4M3FN: 1.0> : tile<2x16x64xf8E4M3FN>
    %b = constant <f8E4M3FN: 1.0> : tile<2x64x32xf8E4M3FN>
    %c = constant <f32: 1.0> : tile<4x16x32xf32>
    %u = constant <f8E8M0FNU: 1.0> : tile<2x16x2xf8E8M0FNU>
    %v = constant <f8E8M0FNU: 1.0> : tile<2x2x32xf8E8M0FNU>
    // expected-error @below {{shape error: dim 0 of lhs (2) and dim 0 of acc (4) must match, but got lhs shape (2, 16, 64) and acc shape (4, 16, 32); mma operands must share the batch dimension}}
    %r = mmaf_scaled %a, %b, %c, %u, %v : tile<2x16x64xf8E4M3FN>, tile<2x64x32xf8E4M3FN>, tile<4x16x32xf32>, tile<2x16x2xf8E8M0FNU>, tile<2x2x32xf8E8M0FNU>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmaf_scaled_c2_batch_lhs() {
    %a = constant <f8E4M3FN: 1.0> : tile<2x16x64xf8E4M3FN>
    %b = constant <f8E4M3FN: 1.0> : tile<2x64x32xf8E4M3FN>
    %c = constant <f32: 1.0> : tile<2x16x32xf32>
    %u = constant <f8E8M0FNU: 1.0> : tile<4x16x2xf8E8M0FNU>
    %v = constant <f8E8M0FNU: 1.0> : tile<2x2x32xf8E8M0FNU>
    // expected-error @below {{shape error: dim 0 of lhs (2) and dim 0 of lhs_scale (4) must match, but got lhs shape (2, 16, 64) and lhs_scale shape (4, 16, 2)}}
    %r = mmaf_scaled %a, %b, %c, %u, %v : tile<2x16x64xf8E4M3FN>, tile<2x64x32xf8E4M3FN>, tile<2x16x32xf32>, tile<4x16x2xf8E8M0FNU>, tile<2x2x32xf8E8M0FNU>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmaf_scaled_c2_batch_rhs() {
    %a = constant <f8E4M3FN: 1.0> : tile<2x16x64xf8E4M3FN>
    %b = constant <f8E4M3FN: 1.0> : tile<2x64x32xf8E4M3FN>
    %c = constant <f32: 1.0> : tile<2x16x32xf32>
    %u = constant <f8E8M0FNU: 1.0> : tile<2x16x2xf8E8M0FNU>
    %v = constant <f8E8M0FNU: 1.0> : tile<4x2x32xf8E8M0FNU>
    // expected-error @below {{shape error: dim 0 of rhs (2) and dim 0 of rhs_scale (4) must match, but got rhs shape (2, 64, 32) and rhs_scale shape (4, 2, 32)}}
    %r = mmaf_scaled %a, %b, %c, %u, %v : tile<2x16x64xf8E4M3FN>, tile<2x64x32xf8E4M3FN>, tile<2x16x32xf32>, tile<2x16x2xf8E8M0FNU>, tile<4x2x32xf8E8M0FNU>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmaf_scaled_c2_rows() {
    %a = constant <f8E4M3FN: 1.0> : tile<16x64xf8E4M3FN>
    %b = constant <f8E4M3FN: 1.0> : tile<64x32xf8E4M3FN>
    %c = constant <f32: 1.0> : tile<16x32xf32>
    %u = constant <f8E8M0FNU: 1.0> : tile<32x2xf8E8M0FNU>
    %v = constant <f8E8M0FNU: 1.0> : tile<2x32xf8E8M0FNU>
    // expected-error @below {{shape error: dim 0 of lhs (16) and dim 0 of lhs_scale (32) must match, but got lhs shape (16, 64) and lhs_scale shape (32, 2)}}
    %r = mmaf_scaled %a, %b, %c, %u, %v : tile<16x64xf8E4M3FN>, tile<64x32xf8E4M3FN>, tile<16x32xf32>, tile<32x2xf8E8M0FNU>, tile<2x32xf8E8M0FNU>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmaf_scaled_c2_columns() {
    %a = constant <f8E4M3FN: 1.0> : tile<16x64xf8E4M3FN>
    %b = constant <f8E4M3FN: 1.0> : tile<64x32xf8E4M3FN>
    %c = constant <f32: 1.0> : tile<16x32xf32>
    %u = constant <f8E8M0FNU: 1.0> : tile<16x2xf8E8M0FNU>
    %v = constant <f8E8M0FNU: 1.0> : tile<2x16xf8E8M0FNU>
    // expected-error @below {{shape error: dim 1 of rhs (32) and dim 1 of rhs_scale (16) must match, but got rhs shape (64, 32) and rhs_scale shape (2, 16)}}
    %r = mmaf_scaled %a, %b, %c, %u, %v : tile<16x64xf8E4M3FN>, tile<64x32xf8E4M3FN>, tile<16x32xf32>, tile<16x2xf8E8M0FNU>, tile<2x16xf8E8M0FNU>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmaf_scaled_c2_factors() {
    %a = constant <f8E4M3FN: 1.0> : tile<16x64xf8E4M3FN>
    %b = constant <f8E4M3FN: 1.0> : tile<64x32xf8E4M3FN>
    %c = constant <f32: 1.0> : tile<16x32xf32>
    %u = constant <f8E8M0FNU: 1.0> : tile<16x2xf8E8M0FNU>
    %v = constant <f8E8M0FNU: 1.0> : tile<4x32xf8E8M0FNU>
    // expected-error @below {{shape error: dim 1 of lhs_scale (2) and dim 0 of rhs_scale (4) must match, but got lhs_scale shape (16, 2) and rhs_scale shape (4, 32)}}
    %r = mmaf_scaled %a, %b, %c, %u, %v : tile<16x64xf8E4M3FN>, tile<64x32xf8E4M3FN>, tile<16x32xf32>, tile<16x2xf8E8M0FNU>, tile<4x32xf8E8M0FNU>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmaf_scaled_c2_divisor() {
    %a = constant <f8E4M3FN: 1.0> : tile<16x64xf8E4M3FN>
    %b = constant <f8E4M3FN: 1.0> : tile<64x32xf8E4M3FN>
    %c = constant <f32: 1.0> : tile<16x32xf32>
    %u = constant <f8E8M0FNU: 1.0> : tile<16x128xf8E8M0FNU>
    %v = constant <f8E8M0FNU: 1.0> : tile<128x32xf8E8M0FNU>
    // expected-error @below {{shape error: dim 1 of lhs_scale (128) must be a divisor of dim 1 of lhs (64), but got lhs_scale shape (16, 128) and lhs shape (16, 64)}}
    %r = mmaf_scaled %a, %b, %c, %u, %v : tile<16x64xf8E4M3FN>, tile<64x32xf8E4M3FN>, tile<16x32xf32>, tile<16x128xf8E8M0FNU>, tile<128x32xf8E8M0FNU>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmaf_scaled_c3_f8() {
    %a = constant <f8E4M3FN: 1.0> : tile<16x64xf8E4M3FN>
    %b = constant <f8E4M3FN: 1.0> : tile<64x32xf8E4M3FN>
    %c = constant <f32: 1.0> : tile<16x32xf32>
    %u = constant <f8E4M3FN: 1.0> : tile<16x2xf8E4M3FN>
    %v = constant <f8E4M3FN: 1.0> : tile<2x32xf8E4M3FN>
    // expected-error @below {{unsupported combination of element types. Scale type 'f8E4M3FN' expects lhs and rhs element types to be 'f4E2M1FN', but got 'f8E4M3FN'}}
    %r = mmaf_scaled %a, %b, %c, %u, %v : tile<16x64xf8E4M3FN>, tile<64x32xf8E4M3FN>, tile<16x32xf32>, tile<16x2xf8E4M3FN>, tile<2x32xf8E4M3FN>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmaf_scaled_c4_f8() {
    %a = constant <f8E4M3FN: 1.0> : tile<16x64xf8E4M3FN>
    %b = constant <f8E4M3FN: 1.0> : tile<64x32xf8E4M3FN>
    %c = constant <f32: 1.0> : tile<16x32xf32>
    %u = constant <f8E8M0FNU: 1.0> : tile<16x4xf8E8M0FNU>
    %v = constant <f8E8M0FNU: 1.0> : tile<4x32xf8E8M0FNU>
    // expected-error @below {{shape error: f8 element type requires block scale factor of lhs_scale and rhs_scale to be 32, but got 16}}
    %r = mmaf_scaled %a, %b, %c, %u, %v : tile<16x64xf8E4M3FN>, tile<64x32xf8E4M3FN>, tile<16x32xf32>, tile<16x4xf8E8M0FNU>, tile<4x32xf8E8M0FNU>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmaf_scaled_c4_f4_e4m3() {
    %a = constant <f4E2M1FN: 1.0> : tile<16x64xf4E2M1FN>
    %b = constant <f4E2M1FN: 1.0> : tile<64x32xf4E2M1FN>
    %c = constant <f32: 1.0> : tile<16x32xf32>
    %u = constant <f8E4M3FN: 1.0> : tile<16x2xf8E4M3FN>
    %v = constant <f8E4M3FN: 1.0> : tile<2x32xf8E4M3FN>
    // expected-error @below {{shape error: f4E2M1FN element type with f8E4M3FN scales requires block scale factor of lhs_scale and rhs_scale to be 16, but got 32}}
    %r = mmaf_scaled %a, %b, %c, %u, %v : tile<16x64xf4E2M1FN>, tile<64x32xf4E2M1FN>, tile<16x32xf32>, tile<16x2xf8E4M3FN>, tile<2x32xf8E4M3FN>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmaf_scaled_c4_f4_e8m0() {
    %a = constant <f4E2M1FN: 1.0> : tile<16x64xf4E2M1FN>
    %b = constant <f4E2M1FN: 1.0> : tile<64x32xf4E2M1FN>
    %c = constant <f32: 1.0> : tile<16x32xf32>
    %u = constant <f8E8M0FNU: 1.0> : tile<16x1xf8E8M0FNU>
    %v = constant <f8E8M0FNU: 1.0> : tile<1x32xf8E8M0FNU>
    // expected-error @below {{shape error: f4E2M1FN element type with f8E8M0FNU scales requires block scale factor of lhs_scale and rhs_scale to be 16 or 32, but got 64}}
    %r = mmaf_scaled %a, %b, %c, %u, %v : tile<16x64xf4E2M1FN>, tile<64x32xf4E2M1FN>, tile<16x32xf32>, tile<16x1xf8E8M0FNU>, tile<1x32xf8E8M0FNU>
    return
  }
}
