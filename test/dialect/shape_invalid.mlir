// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// constant
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @constant_element_type() {
    // expected-error @below {{expect element type to be one of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN values, but got 'i7'}}
    %c = constant <i7: 1> : tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @constant_mismatch() {
    // expected-error @below {{mismatch between the element type: 'i32' and the tile element type 'i64'}}
    %c = constant <i32: 1> : tile<i64>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @constant_shape() {
    // expected-error @below {{inferred shape of elements literal ([2]) does not match type ([4])}}
    %c = constant <i32: [1, 2]> : tile<4xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @constant_shape_0d() {
    // expected-error @below {{inferred shape of elements literal ([1]) does not match type ([])}}
    %c = constant <i32: [1]> : tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @constant_ragged() {
    // expected-error @below {{tensor literal is invalid; ranks are not consistent between elements}}
    %c = constant <i32: [[1, 2], [3]]> : tile<2x2xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @constant_ragged_depth() {
    // expected-error @below {{tensor literal is invalid; ranks are not consistent between elements}}
    %c = constant <i32: [[1, 2], 3]> : tile<2x2xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @constant_empty() {
    // expected-error @below {{dense attribute cannot be empty}}
    %c = constant <i32: []> : tile<4xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @constant_range_unsigned() {
    // expected-error @below {{integer constant out of range for type}}
    %c = constant <i8: 256> : tile<i8>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @constant_range_signed() {
    // expected-error @below {{integer constant out of range for type}}
    %c = constant <i8: -129> : tile<i8>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @constant_no_integer() {
    // expected-error @below {{expected integer value}}
    %c = constant <i8: 1.0> : tile<i8>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @constant_no_float() {
    // expected-error @below {{unexpected decimal integer literal for a floating point value}}
    // expected-note @below {{add a trailing dot to make the literal a float}}
    %c = constant <f32: 1> : tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @constant_value_type() {
    // expected-error @below {{failed to verify that all of {value, result} have same type}}
    %c = "cuda_tile.constant"() {value = dense<1> : !cuda_tile.tile<4xi32>} : () -> !cuda_tile.tile<8xi32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// iota
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @iota_c1_rank_2() {
    // expected-error @below {{expects result type to be 1-d tile}}
    %i = iota : tile<8x8xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @iota_c2_too_many() {
    // expected-error @below {{the number of elements 512 exceeds the maximum value of element type 'i8'}}
    %i = iota : tile<512xi8>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @iota_float() {
    // expected-error @below {{result #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<8xf32>'}}
    %i = iota : tile<8xf32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// select
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @select_c1_types() {
    %c = constant <i1: true> : tile<8xi1>
    %a = iota : tile<8xi32>
    %b = iota : tile<8xi64>
    // expected-error @below {{failed to verify that all of {val_if_true, val_if_false, result} have same type}}
    %r = "cuda_tile.select"(%c, %a, %b) : (!cuda_tile.tile<8xi1>, !cuda_tile.tile<8xi32>, !cuda_tile.tile<8xi64>) -> !cuda_tile.tile<8xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @select_c2_scalar_condition() {
    %c = constant <i1: true> : tile<i1>
    %a = iota : tile<8xi32>
    // expected-error @below {{failed to verify that all of {cond, val_if_true, val_if_false, result} have same shape}}
    %r = select %c, %a, %a : tile<i1>, tile<8xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @select_c3_f4() {
    %c = constant <i1: true> : tile<8xi1>
    %a = constant <f4E2M1FN: 1.0> : tile<8xf4E2M1FN>
    // expected-error @below {{cannot operate on sub-byte type F4E2M1FN}}
    %r = select %c, %a, %a : tile<8xi1>, tile<8xf4E2M1FN>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// broadcast
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @broadcast_c1_rank(%a: tile<f32>) {
    // expected-error @below {{failed to verify that all of {source, result} have same rank}}
    %r = broadcast %a : tile<f32> -> tile<8xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @broadcast_c1_element_type() {
    %c = constant <f32: 1.0> : tile<1xf32>
    // expected-error @below {{requires the same element type for all operands and results}}
    %r = broadcast %c : tile<1xf32> -> tile<8xf16>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @broadcast_c2_extent() {
    %c = constant <f32: 1.0> : tile<2xf32>
    // expected-error @below {{expects the shape of source tile to be compatible with that of the result tile, but got: 2 and 8}}
    %r = broadcast %c : tile<2xf32> -> tile<8xf32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// reshape
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @reshape_c1_element_type(%a: tile<f32>) {
    // expected-error @below {{requires the same element type for all operands and results; reshape requires matching element types}}
    %r = reshape %a : tile<f32> -> tile<1xf16>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @reshape_c2_count(%a: tile<f32>) {
    // expected-error @below {{expected source tile and result tile to have the same number of elements; reshape element-count mismatch: source has 1 elements, result has 2}}
    %r = reshape %a : tile<f32> -> tile<2xf32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// permute
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @permute_c1_rank() {
    %c = constant <f32: 1.0> : tile<4x8xf32>

    // expected-error @below {{failed to verify that all of {source, result} have same rank}}
    %r = permute %c [1, 0] : tile<4x8xf32> -> tile<32xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @permute_c1_element_type() {
    %c = constant <f32: 1.0> : tile<4x8xf32>

    // expected-error @below {{failed to verify that all of {source, result} have the same element type}}
    %r = permute %c [1, 0] : tile<4x8xf32> -> tile<8x4xf16>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @permute_c2_rank_1() {
    %c = constant <f32: 1.0> : tile<8xf32>

    // expected-error @below {{expects at least rank 2, but got: 1}}
    %r = permute %c [0] : tile<8xf32> -> tile<8xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @permute_c3_size() {
    %c = constant <f32: 1.0> : tile<4x8xf32>

    // expected-error @below {{expect permutation size (1) to equal the rank of the source (2)}}
    %r = permute %c [0] : tile<4x8xf32> -> tile<4x8xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @permute_c3_twice() {
    %c = constant <f32: 1.0> : tile<4x8xf32>

    // expected-error @below {{expect permutation elements to be unique}}
    %r = permute %c [0, 0] : tile<4x8xf32> -> tile<4x4xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @permute_c3_range() {
    %c = constant <f32: 1.0> : tile<4x8xf32>

    // expected-error @below {{permutation element at index 1 (2) is out of bound [0, 2)}}
    %r = permute %c [0, 2] : tile<4x8xf32> -> tile<4x8xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @permute_c4_extent() {
    %c = constant <f32: 1.0> : tile<4x8xf32>

    // expected-error @below {{result shape invalid at index 0, expected: 8, but got: 4}}
    %r = permute %c [1, 0] : tile<4x8xf32> -> tile<4x8xf32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// offset
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @offset_c1_type(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{failed to verify that all of {result, ptr} have same type}}
    %o = "cuda_tile.offset"(%p, %n) : (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<ptr<f16>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @offset_c2_shape(%p: tile<ptr<f32>>) {
    %i = iota : tile<8xi32>
    // expected-error @below {{requires the same shape for all operands and results}}
    %o = offset %p, %i : tile<ptr<f32>>, tile<8xi32> -> tile<ptr<f32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @offset_no_pointer(%n: tile<i32>) {
    // expected-error @below {{operand #0 must be tile of Pointer type values, but got '!cuda_tile.tile<i32>'}}
    %o = offset %n, %n : tile<i32>, tile<i32> -> tile<i32>
    return
  }
}
