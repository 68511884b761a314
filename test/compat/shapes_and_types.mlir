// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect

// Shapes and types in messages. `row` names the row of rows.txt.

// row 1.1.1
cuda_tile.module @m {
  // expected-error @below {{all dimensions must be positive constants, got 1, 0, 2}}
  entry @f(%x: tile<1x0x2xf32>) {
  }
}

// -----

// row 1.1.2
cuda_tile.module @m {
  // expected-error @below {{all dimensions must be powers of two, got 5, 5}}
  entry @f(%x: tile<5x5xf32>) {
  }
}

// -----

// row 1.1.3
cuda_tile.module @m {
  entry @f() {
    %x = constant <f32: 1.0> : tile<4x4xf32>
    // expected-error @below {{expects the shape of source tile to be compatible with that of the result tile, but got: 4, 4 and 2, 4}}
    %r = broadcast %x : tile<4x4xf32> -> tile<2x4xf32>
  }
}

// -----

// row 1.1.4
cuda_tile.module @m {
  entry @f() {
    %a = constant <f32: 1.0> : tile<4x16xf32>
    %b = constant <f32: 1.0> : tile<8x16xf32>
    %c = constant <f32: 1.0> : tile<4x16xf32>
    // expected-error @below {{shape error: dim 1 of lhs (16) and dim 0 of rhs (8) must match, but got lhs shape (4, 16) and rhs shape (8, 16)}}
    %r = mmaf %a, %b, %c : tile<4x16xf32>, tile<8x16xf32>, tile<4x16xf32>
  }
}

// -----

// row 1.1.4
cuda_tile.module @m {
  entry @f() {
    %a = constant <i8: 1> : tile<2x4x16xi8>
    %b = constant <i8: 1> : tile<4x16x8xi8>
    %c = constant <i32: 1> : tile<2x4x8xi32>
    // expected-error @below {{shape error: dim 0 of lhs (2) and dim 0 of rhs (4) must match, but got lhs shape (2, 4, 16) and rhs shape (4, 16, 8)}}
    %r = mmai %a, %b, %c signed signed : tile<2x4x16xi8>, tile<4x16x8xi8>, tile<2x4x8xi32>
  }
}

// -----

// row 1.1.4
cuda_tile.module @m {
  entry @f() {
    %a = constant <f8E4M3FN: 1.0> : tile<4x64xf8E4M3FN>
    %b = constant <f8E4M3FN: 1.0> : tile<64x8xf8E4M3FN>
    %c = constant <f32: 1.0> : tile<4x8xf32>
    %s = constant <f8E8M0FNU: 1.0> : tile<8x2xf8E8M0FNU>
    %t = constant <f8E8M0FNU: 1.0> : tile<2x8xf8E8M0FNU>
    // expected-error @below {{shape error: dim 0 of lhs (4) and dim 0 of lhs_scale (8) must match, but got lhs shape (4, 64) and lhs_scale shape (8, 2)}}
    %r = mmaf_scaled %a, %b, %c, %s, %t : tile<4x64xf8E4M3FN>, tile<64x8xf8E4M3FN>, tile<4x8xf32>, tile<8x2xf8E8M0FNU>, tile<2x8xf8E8M0FNU>
  }
}

// -----

// row 1.1.5
cuda_tile.module @m {
  entry @f(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(2x2), tensor_view<64x64xf32, strides=[64,1]>>
    %x = constant <f32: 1.0> : tile<4x4xf32>
    // expected-error @below {{view tile shape 2, 2 must match value shape 4, 4 for element-wise atomic operations}}
    %tok = atomic_red_view_tko relaxed device %v[%i, %i], addf, %x : tile<4x4xf32>, partition_view<tile=(2x2), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
  }
}

// -----

// row 1.1.6
cuda_tile.module @m {
  entry @f(%p: tile<ptr<f32>>) {
    %i = constant <i32: 1> : tile<1xi32>
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(2), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<2xf32>
    // expected-error @below {{index operand 0 must be a scalar tile (rank 0), got shape 1}}
    %tok = "cuda_tile.atomic_red_view_tko"(%v, %i, %x) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, mode = 4 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (!cuda_tile.partition_view<tile=(2), tensor_view<64xf32, strides=[1]>>, !cuda_tile.tile<1xi32>, !cuda_tile.tile<2xf32>) -> !cuda_tile.token
  }
}

// -----

// row 1.1.7
// expected-error @below {{dimensions must have strictly positive constant sizes but got [0, ?]}}
"x.y"() {a = !cuda_tile.tensor_view<0x?xf32, strides=[32,1]>} : () -> ()

// -----

// row 1.1.7
// expected-error @below {{tile shape dimensions must have power of two length but got [3]}}
"x.y"() {a = !cuda_tile.partition_view<tile=(3), tensor_view<64xf32, strides=[1]>>} : () -> ()

// -----

// row 1.1.7
// expected-error @below {{traversal strides must be strictly positive but got [0]}}
"x.y"() {a = !cuda_tile.strided_view<tile=(4), traversal_strides=[0], tensor_view<64xf32, strides=[1]>>} : () -> ()

// -----

// row 1.1.7
cuda_tile.module @m {
  entry @f() {
    // expected-error @below {{inferred shape of elements literal ([2, 1]) does not match type ([2, 2])}}
    %x = constant <i32: [[1], [2]]> : tile<2x2xi32>
  }
}

// -----

// row 1.2.1
cuda_tile.module @m {
  entry @f(%p: tile<ptr<f32>>, %x: tile<i32>) {
    // expected-error @below {{operand #1 must be variadic of cuda tile token type, but got '!cuda_tile.tile<i32>'}}
    %r = "cuda_tile.join_tokens"(%t, %x) : (!cuda_tile.token, !cuda_tile.tile<i32>) -> !cuda_tile.token
    %t = make_token : token
  }
}

// -----

// row 1.2.1
cuda_tile.module @m {
  entry @f() {
    // expected-error @below {{result #0 must be cuda tile token type, but got '!cuda_tile.tile<i32>'}}
    %r = make_token : tile<i32>
  }
}

// -----

// row 1.2.1
cuda_tile.module @m {
  entry @f(%p: tile<ptr<f32>>) {
    // expected-error @below {{result #1 must be cuda tile token type, but got '!cuda_tile.tile<f32>'}}
    %r, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, tile<f32>
  }
}

// -----

// row 1.2.2
cuda_tile.module @m {
  entry @f(%x: tile<f32>, %i: tile<i32>) {
    // expected-error @below {{operand #0 must be TileView instance, but got '!cuda_tile.tile<f32>'}}
    %r, %t = load_view_tko weak %x[%i] : tile<f32>, tile<i32> -> tile<8xf32>, token
  }
}

// -----

// row 1.2.2
cuda_tile.module @m {
  entry @f(%x: tile<f32>, %i: tile<i32>) {
    // expected-error @below {{operand #1 must be TileView instance, but got '!cuda_tile.tile<f32>'}}
    %t = store_view_tko weak %x, %x[%i] : tile<f32>, tile<f32>, tile<i32> -> token
  }
}

// -----

// row 1.2.2
cuda_tile.module @m {
  entry @f(%x: tile<f32>, %i: tile<i32>) {
    // expected-error @below {{operand #0 must be TileView instance, but got '!cuda_tile.tile<f32>'}}
    %t = atomic_red_view_tko relaxed device %x[%i], addf, %x : tile<f32>, tile<f32>, tile<i32> -> token
  }
}

// -----

// row 1.2.2
cuda_tile.module @m {
  entry @f(%x: tile<f32>) {
    // expected-error @below {{operand #0 must be TileView instance, but got '!cuda_tile.tile<f32>'}}
    %n = get_index_space_shape %x : tile<f32> -> tile<i32>
  }
}

// -----

// row 1.2.3
cuda_tile.module @m {
  entry @f() {
    %t = make_token : token
    // expected-error @below {{operand #0 must be Tile type, but got '!cuda_tile.token'}}
    %r = broadcast %t : token -> tile<2xf32>
  }
}

// -----

// row 1.2.3
cuda_tile.module @m {
  entry @f() {
    %t = make_token : token
    // expected-error @below {{operand #0 must be Tile type, but got '!cuda_tile.token'}}
    %r = reshape %t : token -> tile<2xf32>
  }
}

// -----

// row 1.2.3
cuda_tile.module @m {
  entry @f(%x: tile<i32>) {
    // expected-error @below {{operand #0 must be variadic of Tile type, but got '!cuda_tile.token'}}
    %u = "cuda_tile.print_tko"(%t) <{str = "%d", operandSegmentSizes = array<i32: 1, 0>}> : (!cuda_tile.token) -> !cuda_tile.token
    %t = make_token : token
  }
}

// -----

// row 1.2.4
cuda_tile.module @m {
  entry @f(%x: tile<i32>) {
    // expected-error @below {{operand #0 must be tensor view type, but got '!cuda_tile.tile<i32>'}}
    %u = "cuda_tile.get_tensor_shape"(%x) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
  }
}

// -----

// row 1.2.5
cuda_tile.module @m {
  entry @f(%p: tile<ptr<f32>>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    // expected-error @below {{result #0 must be partition view type, but got '!cuda_tile.tile<i32>'}}
    %u = "cuda_tile.make_partition_view"(%t) : (!cuda_tile.tensor_view<64xf32, strides=[1]>) -> !cuda_tile.tile<i32>
  }
}

// -----

// row 1.2.5
cuda_tile.module @m {
  entry @f(%p: tile<ptr<f32>>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    // expected-error @below {{result #0 must be strided view type, but got '!cuda_tile.tile<i32>'}}
    %u = "cuda_tile.make_strided_view"(%t) : (!cuda_tile.tensor_view<64xf32, strides=[1]>) -> !cuda_tile.tile<i32>
  }
}

// -----

// row 1.2.5
cuda_tile.module @m {
  entry @f(%p: tile<ptr<f32>>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    // expected-error @below {{result #0 must be gather/scatter view type, but got '!cuda_tile.tile<i32>'}}
    %u = "cuda_tile.make_gather_scatter_view"(%t) : (!cuda_tile.tensor_view<64xf32, strides=[1]>) -> !cuda_tile.tile<i32>
  }
}

// -----

// row 1.2.6
cuda_tile.module @m {
  entry @f() {
    %a = constant <f16: 1.0> : tile<4x4xf16>
    %c = constant <i32: 1> : tile<4x4xi32>
    // expected-error @below {{operand #2 must be mmaf acc/result tile type of f16 or f32 or f64 values, but got '!cuda_tile.tile<4x4xi32>'}}
    %r = mmaf %a, %a, %c : tile<4x4xf16>, tile<4x4xf16>, tile<4x4xi32>
  }
}

// -----

// row 1.2.7
cuda_tile.module @m {
  entry @f() {
    %a = constant <f8E4M3FN: 1.0> : tile<4x32xf8E4M3FN>
    %b = constant <f8E4M3FN: 1.0> : tile<32x4xf8E4M3FN>
    %c = constant <f16: 1.0> : tile<4x4xf16>
    %s = constant <f8E8M0FNU: 1.0> : tile<4x1xf8E8M0FNU>
    %t = constant <f8E8M0FNU: 1.0> : tile<1x4xf8E8M0FNU>
    // expected-error @below {{operand #2 must be mmaf_scaled result tile type of f32 values, but got '!cuda_tile.tile<4x4xf16>'}}
    %r = mmaf_scaled %a, %b, %c, %s, %t : tile<4x32xf8E4M3FN>, tile<32x4xf8E4M3FN>, tile<4x4xf16>, tile<4x1xf8E8M0FNU>, tile<1x4xf8E8M0FNU>
  }
}

// -----

// row 1.2.8
cuda_tile.module @m {
  entry @f() {
    %a = constant <f8E4M3FN: 1.0> : tile<4x32xf8E4M3FN>
    %b = constant <f8E4M3FN: 1.0> : tile<32x4xf8E4M3FN>
    %c = constant <f32: 1.0> : tile<4x4xf32>
    %s = constant <f16: 1.0> : tile<4x1xf16>
    %t = constant <f16: 1.0> : tile<1x4xf16>
    // expected-error @below {{operand #3 must be mmaf_scaled scale tile type of f8E4M3FN or f8E8M0FNU values, but got '!cuda_tile.tile<4x1xf16>'}}
    %r = mmaf_scaled %a, %b, %c, %s, %t : tile<4x32xf8E4M3FN>, tile<32x4xf8E4M3FN>, tile<4x4xf32>, tile<4x1xf16>, tile<1x4xf16>
  }
}

// -----

// row 1.2.9
cuda_tile.module @m {
  entry @f(%x: tile<f32>) {
    // expected-error @below {{operand #0 must be tile of i1 or i8 or i16 or i32 or i64 or i4 values, but got '!cuda_tile.tile<f32>'}}
    %r = exti %x signed : tile<f32> -> tile<i32>
  }
}

// -----

// row 1.2.9
cuda_tile.module @m {
  entry @f(%x: tile<f32>) {
    // expected-error @below {{operand #0 must be tile of i1 or i8 or i16 or i32 or i64 or i4 values, but got '!cuda_tile.tile<f32>'}}
    %r = trunci %x : tile<f32> -> tile<i32>
  }
}

// -----

// row 1.2.10
cuda_tile.module @m {
  entry @f(%x: tile<f32>) {
    loop {
      %i = "x.f80"() : () -> f80
      // expected-error @below {{operand #0 must be variadic of f16 or bf16 or f32 or tf32 or f64 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or i1 or i8 or i16 or i32 or i64 or , but got 'f80'}}
      break %i : f80
    }
  }
}

// -----

// row 1.2.10
cuda_tile.module @m {
  entry @f(%x: tile<f32>) {
    loop {
      %i = "x.tensor"() : () -> tensor<4xf32>
      // expected-error @below {{operand #0 must be variadic of f16 or bf16 or f32 or tf32 or f64 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or i1 or i8 or i16 or i32 or i64 or , but got 'tensor<4xf32>'}}
      continue %i : tensor<4xf32>
    }
  }
}

// -----

// row 1.2.11
cuda_tile.module @m {
  entry @f() {
    %x = constant <f32: 1.0> : tile<2x4xf32>
    // expected-error @below {{failed to verify that all of {source, result} have the same element type}}
    %r = permute %x [1, 0] : tile<2x4xf32> -> tile<4x2xf16>
  }
}

// -----

// row 1.2.11
cuda_tile.module @m {
  entry @f() {
    %x = constant <f32: 1.0> : tile<2xf32>
    // expected-error @below {{failed to verify that all of {lhs, rhs, result} have the same element type}}
    %r = cat %x, %x dim = 0 : tile<2xf32>, tile<2xf32> -> tile<4xf16>
  }
}

// -----

// row 1.2.11
cuda_tile.module @m {
  entry @f() {
    %a = constant <f16: 1.0> : tile<4x4xf16>
    %b = constant <bf16: 1.0> : tile<4x4xbf16>
    %c = constant <f32: 1.0> : tile<4x4xf32>
    // expected-error @below {{failed to verify that all of {lhs, rhs} have the same element type}}
    %r = mmaf %a, %b, %c : tile<4x4xf16>, tile<4x4xbf16>, tile<4x4xf32>
  }
}

// -----

// row 1.2.11
cuda_tile.module @m {
  entry @f() {
    %a = constant <f8E4M3FN: 1.0> : tile<4x32xf8E4M3FN>
    %b = constant <f8E4M3FN: 1.0> : tile<32x4xf8E4M3FN>
    %c = constant <f32: 1.0> : tile<4x4xf32>
    %s = constant <f8E8M0FNU: 1.0> : tile<4x1xf8E8M0FNU>
    %t = constant <f8E4M3FN: 1.0> : tile<1x4xf8E4M3FN>
    // expected-error @below {{failed to verify that all of {lhs_scale, rhs_scale} have the same element type}}
    %r = mmaf_scaled %a, %b, %c, %s, %t : tile<4x32xf8E4M3FN>, tile<32x4xf8E4M3FN>, tile<4x4xf32>, tile<4x1xf8E8M0FNU>, tile<1x4xf8E4M3FN>
  }
}

// -----

// row 1.2.12
cuda_tile.module @m {
  entry @f(%x: tile<i32>, %y: tile<i64>) {
    // expected-error @below {{failed to verify that all of {result, lhs, rhs} have same type}}
    %r = "cuda_tile.remi"(%x, %y) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<i32>
  }
}

// -----

// row 1.2.12
cuda_tile.module @m {
  entry @f(%x: tile<f32>, %y: tile<f64>) {
    // expected-error @below {{failed to verify that all of {result, source, exponent} have same type}}
    %r = "cuda_tile.pow"(%x, %y) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f64>) -> !cuda_tile.tile<f32>
  }
}

// -----

// row 1.2.13
cuda_tile.module @m {
  entry @f() {
    %x = constant <f32: 1.0> : tile<2xf32>
    // expected-error @below {{attribute 'dim' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative}}
    %r = reduce %x dim=-10 identities=[0.0 : f32] : tile<2xf32> -> tile<f32>
    (%a: tile<f32>, %b: tile<f32>) {
      %s = addf %a, %b : tile<f32>
      yield %s : tile<f32>
    }
  }
}

// -----

// row 1.2.13
cuda_tile.module @m {
  entry @f() {
    %x = constant <f32: 1.0> : tile<2xf32>
    // expected-error @below {{attribute 'dim' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative}}
    %r = scan %x dim=-1 reverse=false identities=[0.0 : f32] : tile<2xf32> -> tile<2xf32>
    (%a: tile<f32>, %b: tile<f32>) {
      %s = addf %a, %b : tile<f32>
      yield %s : tile<f32>
    }
  }
}

// -----

// row 1.2.14
cuda_tile.module @m {
  entry @f() {
    // expected-error @below {{attribute 'num_elem' failed to satisfy constraint: 64-bit signless integer attribute whose minimum value is 0}}
    %r = alloca num_elem = -1, alignment = 16 : tile<ptr<f32>>
  }
}

// -----

// row 1.2.14
cuda_tile.module @m {
  entry @f() {
    // expected-error @below {{attribute 'alignment' failed to satisfy constraint: 64-bit signless integer attribute whose minimum value is 0}}
    %r = alloca num_elem = 1, alignment = -16 : tile<ptr<f32>>
  }
}

// -----

// row 1.2.15
cuda_tile.module @m {
  entry @f(%x: tile<i32>) {
    // expected-error @below {{attribute 'signedness' failed to satisfy constraint: signedness}}
    %r = "cuda_tile.remi"(%x, %x) {signedness = 4.0 : f32} : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
  }
}

// -----

// row 1.2.16
cuda_tile.module @m {
  entry @f(%x: tile<i32>) {
    // expected-error @below {{attribute 'value' failed to satisfy constraint: An Attribute containing a dense multi-dimensional array of integer or floating-point values}}
    %r = "cuda_tile.constant"() {value = 4 : i32} : () -> !cuda_tile.tile<i32>
  }
}
