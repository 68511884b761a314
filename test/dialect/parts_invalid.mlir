// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// cat
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @cat_c1_rank() {
    %a = constant <f32: 1.0> : tile<8x8xf32>
    %b = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{failed to verify that all of {lhs, rhs, result} have same rank}}
    %r = cat %a, %b dim = 0 : tile<8x8xf32>, tile<8xf32> -> tile<16x8xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @cat_c1_element_type() {
    %a = constant <f32: 1.0> : tile<8x8xf32>
    %b = constant <f16: 1.0> : tile<8x8xf16>
    // expected-error @below {{failed to verify that all of {lhs, rhs, result} have the same element type}}
    %r = cat %a, %b dim = 0 : tile<8x8xf32>, tile<8x8xf16> -> tile<16x8xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @cat_c2_dim() {
    %a = constant <f32: 1.0> : tile<8x8xf32>
    // expected-error @below {{expect dim to be [0, 2), but got: 2}}
    %r = cat %a, %a dim = 2 : tile<8x8xf32>, tile<8x8xf32> -> tile<16x8xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @cat_c2_negative() {
    %a = constant <f32: 1.0> : tile<8x8xf32>
    // expected-error @below {{expect dim to be [0, 2), but got: -1}}
    %r = cat %a, %a dim = -1 : tile<8x8xf32>, tile<8x8xf32> -> tile<16x8xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @cat_c3_sum() {
    %a = constant <f32: 1.0> : tile<8x8xf32>
    // expected-error @below {{invalid concat at position 0, expected: 16 but got: 32}}
    %r = cat %a, %a dim = 0 : tile<8x8xf32>, tile<8x8xf32> -> tile<32x8xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @cat_c3_rhs() {
    %a = constant <f32: 1.0> : tile<8x8xf32>
    %b = constant <f32: 1.0> : tile<8x4xf32>
    // expected-error @below {{expect lhs and rhs shapes to match at non-concat position 1, expected: 8 but got: 4}}
    %r = cat %a, %b dim = 0 : tile<8x8xf32>, tile<8x4xf32> -> tile<16x8xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @cat_c3_result() {
    %a = constant <f32: 1.0> : tile<8x8xf32>
    // expected-error @below {{expect lhs and result shapes to match at non-concat position 1, expected: 8 but got: 4}}
    %r = cat %a, %a dim = 0 : tile<8x8xf32>, tile<8x8xf32> -> tile<16x4xf32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// extract
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @extract_c1_rank(%i: tile<i32>) {
    %a = constant <f32: 1.0> : tile<8x8xf32>
    // expected-error @below {{failed to verify that all of {source, result} have same rank}}
    %r = extract %a[%i, %i] : tile<8x8xf32> -> tile<8xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @extract_c1_element_type(%i: tile<i32>) {
    %a = constant <f32: 1.0> : tile<8x8xf32>
    // expected-error @below {{source and result element type do not match}}
    %r = extract %a[%i, %i] : tile<8x8xf32> -> tile<4x4xf16>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @extract_c2_extents(%i: tile<i32>) {
    %a = constant <f32: 1.0> : tile<8x8xf32>
    // expected-error @below {{source dimension 1 size (8) must be evenly divisible by result dimension 1 size (16)}}
    %r = extract %a[%i, %i] : tile<8x8xf32> -> tile<4x16xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @extract_c3_count(%i: tile<i32>) {
    %a = constant <f32: 1.0> : tile<8x8xf32>
    // expected-error @below {{expected 2 indices, but got 1}}
    %r = extract %a[%i] : tile<8x8xf32> -> tile<4x4xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @extract_index_type(%i: tile<i64>) {
    %a = constant <f32: 1.0> : tile<8x8xf32>
    // expected-error @below {{operand #1 must be variadic of 0D tile of i32 values, but got '!cuda_tile.tile<i64>'}}
    %r = "cuda_tile.extract"(%a, %i, %i) : (!cuda_tile.tile<8x8xf32>, !cuda_tile.tile<i64>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<4x4xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @extract_warnings() {
    %a = constant <f32: 1.0> : tile<8x8xf32>
    %i = constant <i32: -1> : tile<i32>
    %j = constant <i32: 2> : tile<i32>
    // expected-warning @+2 {{extract index 0 has negative value -1, which may cause undefined behavior}}
    // expected-warning @below {{extract index 1 value 2 may be out of bounds (max valid index: 1)}}
    %r = extract %a[%i, %j] : tile<8x8xf32> -> tile<4x4xf32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// insert
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @insert_c1_rank(%i: tile<i32>) {
    %a = constant <f32: 1.0> : tile<4x4xf32>
    %b = constant <f32: 1.0> : tile<8x8xf32>
    %c = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{failed to verify that all of {source, destination} have same rank}}
    %r = insert %c, %b[%i, %i] : tile<8xf32>, tile<8x8xf32> -> tile<8x8xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @insert_c1_element_type(%i: tile<i32>) {
    %a = constant <f32: 1.0> : tile<4x4xf32>
    %b = constant <f32: 1.0> : tile<8x8xf32>
    %c = constant <f16: 1.0> : tile<4x4xf16>
    // expected-error @below {{failed to verify that all of {source, destination} have the same element type}}
    %r = insert %c, %b[%i, %i] : tile<4x4xf16>, tile<8x8xf32> -> tile<8x8xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @insert_c1_result(%i: tile<i32>) {
    %a = constant <f32: 1.0> : tile<4x4xf32>
    %b = constant <f32: 1.0> : tile<8x8xf32>
    // expected-error @below {{failed to verify that all of {destination, result} have same type}}
    %r = insert %a, %b[%i, %i] : tile<4x4xf32>, tile<8x8xf32> -> tile<4x4xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @insert_c2_extents(%i: tile<i32>) {
    %a = constant <f32: 1.0> : tile<4x4xf32>
    %b = constant <f32: 1.0> : tile<8x8xf32>
    // expected-error @below {{destination dimension 0 size (4) must be evenly divisible by source dimension 0 size (8)}}
    %r = insert %b, %a[%i, %i] : tile<8x8xf32>, tile<4x4xf32> -> tile<4x4xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @insert_c3_count(%i: tile<i32>) {
    %a = constant <f32: 1.0> : tile<4x4xf32>
    %b = constant <f32: 1.0> : tile<8x8xf32>
    // expected-error @below {{expected 2 indices, but got 3}}
    %r = insert %a, %b[%i, %i, %i] : tile<4x4xf32>, tile<8x8xf32> -> tile<8x8xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @insert_warning(%i: tile<i32>) {
    %a = constant <f32: 1.0> : tile<4x4xf32>
    %b = constant <f32: 1.0> : tile<8x8xf32>
    %j = constant <i32: 2> : tile<i32>
    // expected-warning @below {{insert index 1 value 2 may be out of bounds (max valid index: 1)}}
    %r = insert %a, %b[%i, %j] : tile<4x4xf32>, tile<8x8xf32> -> tile<8x8xf32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// pack
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @pack_rank() {
    %a = constant <f32: 1.0> : tile<8x8xf32>
    // expected-error @below {{failed to verify that all of {source, result} have same rank}}
    %r = pack %a : tile<8x8xf32> -> tile<256xi8>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @pack_c1_rank() {
    %a = constant <f32: 1.0> : tile<8x8xf32>
    // expected-error @below {{expects source and result to be rank-1 tiles}}
    %r = pack %a : tile<8x8xf32> -> tile<8x32xi8>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @pack_c2_width() {
    %a = constant <f8E5M2: 1.0> : tile<8xf8E5M2>
    // expected-error @below {{expects source and result to have different element type widths}}
    %r = pack %a : tile<8xf8E5M2> -> tile<8xi8>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @pack_c3_bits_over() {
    %a = constant <i1: true> : tile<4xi1>
    // expected-error @below {{expects source tile to be byte-aligned}}
    %r = pack %a : tile<4xi1> -> tile<1xi8>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @pack_c3_size() {
    %a = constant <f16: 1.0> : tile<8xf16>
    // expected-error @below {{expects source and result to have the same size in bytes, but got source tile size 16 bytes and result tile size 8 bytes}}
    %r = pack %a : tile<8xf16> -> tile<8xi8>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// unpack
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @unpack_source(%n: tile<i32>) {
    // expected-error @below {{operand #0 must be tile of i8 values, but got '!cuda_tile.tile<i32>'}}
    %r = unpack %n : tile<i32> -> tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @unpack_c1_rank(%n: tile<i8>) {
    // expected-error @below {{expects source and result to be rank-1 tiles}}
    %r = unpack %n : tile<i8> -> tile<i4>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @unpack_c2_width() {
    %a = constant <i8: 1> : tile<8xi8>
    // expected-error @below {{expects source and result to have different element type widths}}
    %r = unpack %a : tile<8xi8> -> tile<8xf8E5M2>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @unpack_c3_bits_over() {
    %a = constant <i8: 1> : tile<1xi8>
    // expected-error @below {{expects result tile to be byte-aligned}}
    %r = unpack %a : tile<1xi8> -> tile<1xi4>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @unpack_c3_size() {
    %a = constant <i8: 1> : tile<8xi8>
    // expected-error @below {{expects source and result to have the same size in bytes, but got source tile size 8 bytes and result tile size 32 bytes}}
    %r = unpack %a : tile<8xi8> -> tile<8xf32>
    return
  }
}
