// What ODS says of operands and results, where only the generic form gets past the
// parsers of the ops.
// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect

cuda_tile.module @m {
  entry @constant_pointer() {
    // expected-error @below {{result #0 must be tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN values, but got '!cuda_tile.tile<ptr<i32>>'}}
    %r = "cuda_tile.constant"() <{value = dense<0> : !cuda_tile.tile<i32>}> : () -> !cuda_tile.tile<ptr<i32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @itof_result(%n: tile<i32>) {
    // expected-error @below {{result #0 must be tile of f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN values, but got '!cuda_tile.tile<i64>'}}
    %r = itof %n signed : tile<i32> -> tile<i64>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @join_tokens_tile(%n: tile<i32>) {
    // expected-error @below {{operand #0 must be variadic of cuda tile token type, but got '!cuda_tile.tile<i32>'}}
    %r = "cuda_tile.join_tokens"(%n, %n) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @trunci_float(%x: tile<f32>) {
    // expected-error @below {{operand #0 must be tile of i1 or i8 or i16 or i32 or i64 or i4 values, but got '!cuda_tile.tile<f32>'}}
    %r = trunci %x : tile<f32> -> tile<i8>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @unpack_pointer(%x: tile<i8>) {
    %a = constant <i8: 1> : tile<8xi8>
    // expected-error @below {{result #0 must be tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or i4 values, but got '!cuda_tile.tile<1xptr<i8>>'}}
    %r = unpack %a : tile<8xi8> -> tile<1xptr<i8>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmaf_result() {
    %a = constant <f16: 1.0> : tile<2x2xf16>
    %c = constant <f32: 1.0> : tile<2x2xf32>
    // expected-error @below {{result #0 must be mmaf acc/result tile type of f16 or f32 or f64 values, but got '!cuda_tile.tile<2x2xbf16>'}}
    %r = "cuda_tile.mmaf"(%a, %a, %c) : (!cuda_tile.tile<2x2xf16>, !cuda_tile.tile<2x2xf16>, !cuda_tile.tile<2x2xf32>) -> !cuda_tile.tile<2x2xbf16>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmai_result() {
    %a = constant <i8: 1> : tile<2x2xi8>
    %c = constant <i32: 1> : tile<2x2xi32>
    // expected-error @below {{result #0 must be mmai result tile type of i32 values, but got '!cuda_tile.tile<2x2xi64>'}}
    %r = "cuda_tile.mmai"(%a, %a, %c) <{signedness_lhs = #cuda_tile<signedness signed>, signedness_rhs = #cuda_tile<signedness signed>}> : (!cuda_tile.tile<2x2xi8>, !cuda_tile.tile<2x2xi8>, !cuda_tile.tile<2x2xi32>) -> !cuda_tile.tile<2x2xi64>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmaf_scaled_result() {
    %a = constant <f8E5M2: 1.0> : tile<32x32xf8E5M2>
    %c = constant <f32: 1.0> : tile<32x32xf32>
    %s = constant <f8E8M0FNU: 1.0> : tile<32x1xf8E8M0FNU>
    %t = constant <f8E8M0FNU: 1.0> : tile<1x32xf8E8M0FNU>
    // expected-error @below {{result #0 must be mmaf_scaled result tile type of f32 values, but got '!cuda_tile.tile<32x32xf16>'}}
    %r = "cuda_tile.mmaf_scaled"(%a, %a, %c, %s, %t) : (!cuda_tile.tile<32x32xf8E5M2>, !cuda_tile.tile<32x32xf8E5M2>, !cuda_tile.tile<32x32xf32>, !cuda_tile.tile<32x1xf8E8M0FNU>, !cuda_tile.tile<1x32xf8E8M0FNU>) -> !cuda_tile.tile<32x32xf16>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmaf_scaled_shape() {
    %a = constant <f8E5M2: 1.0> : tile<32x32xf8E5M2>
    %c = constant <f32: 1.0> : tile<32x32xf32>
    %s = constant <f8E8M0FNU: 1.0> : tile<32x1xf8E8M0FNU>
    %t = constant <f8E8M0FNU: 1.0> : tile<1x32xf8E8M0FNU>
    // expected-error @below {{failed to verify that all of {acc, result} have same type; mma accumulator and result shapes must match; floating mma accumulator and result must share type}}
    %r = "cuda_tile.mmaf_scaled"(%a, %a, %c, %s, %t) : (!cuda_tile.tile<32x32xf8E5M2>, !cuda_tile.tile<32x32xf8E5M2>, !cuda_tile.tile<32x32xf32>, !cuda_tile.tile<32x1xf8E8M0FNU>, !cuda_tile.tile<1x32xf8E8M0FNU>) -> !cuda_tile.tile<32x64xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mmaf_batch() {
    %a = constant <f32: 1.0> : tile<2x4x4xf32>
    %b = constant <f32: 1.0> : tile<4x4x4xf32>
    // expected-error @below {{shape error: dim 0 of lhs (2) and dim 0 of rhs (4) must match, but got lhs shape (2, 4, 4) and rhs shape (4, 4, 4); mma operands must share the batch dimension}}
    %r = mmaf %a, %b, %a : tile<2x4x4xf32>, tile<4x4x4xf32>, tile<2x4x4xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @partition_of_nothing(%p: tile<ptr<f32>>) {
    %v = make_tensor_view %p, shape = [8], strides = [1] : tensor_view<8xf32, strides=[1]>
    // expected-error @below {{result #0 must be partition view type, but got '!cuda_tile.token'}}
    %r = "cuda_tile.make_partition_view"(%v) : (!cuda_tile.tensor_view<8xf32, strides=[1]>) -> !cuda_tile.token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @strided_of_nothing(%p: tile<ptr<f32>>) {
    %v = make_tensor_view %p, shape = [8], strides = [1] : tensor_view<8xf32, strides=[1]>
    // expected-error @below {{result #0 must be strided view type, but got '!cuda_tile.token'}}
    %r = "cuda_tile.make_strided_view"(%v) : (!cuda_tile.tensor_view<8xf32, strides=[1]>) -> !cuda_tile.token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @gather_of_nothing(%p: tile<ptr<f32>>) {
    %v = make_tensor_view %p, shape = [8], strides = [1] : tensor_view<8xf32, strides=[1]>
    // expected-error @below {{result #0 must be gather/scatter view type, but got '!cuda_tile.token'}}
    %r = "cuda_tile.make_gather_scatter_view"(%v) : (!cuda_tile.tensor_view<8xf32, strides=[1]>) -> !cuda_tile.token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tensor_view_of_nothing(%p: tile<ptr<f32>>) {
    // expected-error @below {{result #0 must be tensor view type, but got '!cuda_tile.token'}}
    %r = "cuda_tile.make_tensor_view"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!cuda_tile.tile<ptr<f32>>) -> !cuda_tile.token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tensor_view_extent(%p: tile<ptr<f32>>, %x: tile<f32>) {
    // expected-error @below {{operand #1 must be variadic of 0D tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<f32>'}}
    %r = make_tensor_view %p, shape = [%x], strides = [1] : tile<f32> -> tensor_view<?xf32, strides=[1]>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tensor_view_known_extent(%p: tile<ptr<f32>>) {
    // expected-error @below {{input shape dimension 0 does not match tensor_view type (expected dynamic, got 8)}}
    %r = make_tensor_view %p, shape = [8], strides = [1] : tensor_view<?xf32, strides=[1]>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @load_padding(%p: tile<ptr<f32>>, %m: tile<i1>) {
    // expected-error @below {{operand #2 must be tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN values, but got '!cuda_tile.tile<ptr<f32>>'}}
    %r, %t = load_ptr_tko weak %p, %m, %p : tile<ptr<f32>>, tile<i1>, tile<ptr<f32>> -> tile<f32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @constant_of_token() {
    // expected-error @below {{result #0 must be tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN values, but got '!cuda_tile.token'}}
    %r = constant <i32: 1> : token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @reduce_end() {
    %a = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expects regions to end with 'cuda_tile.yield', found 'other.end'}}
    // expected-note @below {{in custom textual format, the absence of terminator implies 'cuda_tile.yield'}}
    %r = "cuda_tile.reduce"(%a) <{dim = 0 : i32, identities = [0.0 : f32]}> ({
    ^body(%x: !cuda_tile.tile<f32>, %y: !cuda_tile.tile<f32>):
      "other.end"() : () -> ()
    }) : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @no_such_number() {
    // expected-error @below {{expected a number that fnv8E5M3FNU has; the nearest is 1.015625e-01}}
    %x = constant <fnv8E5M3FNU: 0.1> : tile<4xfnv8E5M3FNU>
    return
  }
}

// -----

// expected-error @below {{expected a positive stride in layout, got 0}}
#shape = #cute.shape<(0@0, 4@1)>
