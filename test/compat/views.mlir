// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect -o /dev/null

// Views, globals, assumptions, types, attributes. `row` names the row of rows.txt.

// row 1.9.1
cuda_tile.module @m {
  entry @f(%p: tile<ptr<f32>>) {
    // expected-error @below {{expected stride declaration to contain 2 elements due to tensor_view type, but 0 were provided}}
    %t = make_tensor_view %p, shape = [64, 64], strides = [] : tensor_view<64x64xf32, strides=[64,1]>
  }
}

// -----

// row 1.9.1
cuda_tile.module @m {
  entry @f(%p: tile<ptr<f32>>) {
    // expected-error @below {{expected shape declaration to contain 2 elements due to tensor_view type, but 1 were provided}}
    %t = make_tensor_view %p, shape = [64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  }
}

// -----

// row 1.9.2
cuda_tile.module @m {
  entry @f(%p: tile<ptr<f32>>) {
    // expected-error @below {{input shape dimension 1 does not match tensor_view type (expected 32, got 64)}}
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x32xf32, strides=[64,1]>
  }
}

// -----

// row 1.9.2
cuda_tile.module @m {
  entry @f(%p: tile<ptr<f32>>) {
    // expected-error @below {{input stride dimension 0 does not match tensor_view type (expected 32, got 64)}}
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[32,1]>
  }
}

// -----

// row 1.9.3
cuda_tile.module @m {
  entry @f(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{input shape dimension 0 does not match tensor_view type (expected 32, got dynamic)}}
    %t = make_tensor_view %p, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<32x64xf32, strides=[64,1]>
  }
}

// -----

// row 1.9.4
cuda_tile.module @m {
  entry @f(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{input shape dimension 0 does not match tensor_view type (expected dynamic, got 32)}}
    %t = make_tensor_view %p, shape = [32, 64], strides = [64, 1] : tensor_view<?x64xf32, strides=[64,1]>
  }
}

// -----

// row 1.9.5
cuda_tile.module @m {
  entry @f(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{expected '->'}}
    %t = make_tensor_view %p, shape = [%n, 64], strides = [64, 1] : tensor_view<?x64xf32, strides=[64,1]>
  }
}

// -----

// row 1.9.6
cuda_tile.module @m {
  entry @f(%p: tile<ptr<f32>>, %n: tile<ptr<f64>>) {
    // expected-error @below {{operand #1 must be variadic of 0D tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<ptr<f64>>'}}
    %t = make_tensor_view %p, shape = [%n, 64], strides = [64, 1] : tile<ptr<f64>> -> tensor_view<?x64xf32, strides=[64,1]>
  }
}

// -----

// row 1.9.7
cuda_tile.module @m {
  entry @f(%p: tile<ptr<f32>>) {
    // expected-error @below {{expected 'tensor_view' type, but got '!cuda_tile.tile<i32>'}}
    %t = make_tensor_view %p, shape = [64], strides = [1] : tile<i32> -> tensor_view<64xf32, strides=[1]>
  }
}

// -----

// row 1.9.8
// expected-error @below {{expected 'tensor_view' type, but got '!cuda_tile.partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>'}}
"x.y"() {a = !cuda_tile.strided_view<tile=(4), traversal_strides=[1], partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>>} : () -> ()

// -----

// row 1.9.8
// expected-error @below {{expected 'tensor_view' type, but got '!cuda_tile.tile<f32>'}}
"x.y"() {a = !cuda_tile.gather_scatter_view<tile=(4), tile<f32>, sparse_dim=0>} : () -> ()

// -----

// row 1.9.9
cuda_tile.module @m {
  entry @f(%p: tile<ptr<f32>>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    // expected-error @below {{operation defines 1 results but was provided 2 to bind}}
    %a, %b = get_tensor_shape %t : tensor_view<64xf32, strides=[1]> -> tile<i32>
  }
}

// -----

// row 1.9.9
cuda_tile.module @m {
  entry @f(%p: tile<ptr<f32>>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    // expected-error @below {{operation defines 1 results but was provided 2 to bind}}
    %a, %b = get_index_space_shape %v : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>> -> tile<i32>
  }
}

// -----

// row 1.10.1
cuda_tile.module @m {
  global @g1 <f16: [1.0, 2.0]> : tile<2xf16>
  entry @f() {
    // expected-error @below {{pointee type of result type '!cuda_tile.ptr<f32>' does not match type 'f16' of the global @g1}}
    %p = get_global @g1 : tile<ptr<f32>>
  }
}

// -----

// row 1.10.2
cuda_tile.module @m {
  entry @f(%x: tile<i32>) {
    // expected-error @below {{'cuda_tile.assume' op 'cuda_tile.div_by' divisor must be a power of 2}}
    %r = assume div_by<3>, %x : tile<i32>
  }
}

// -----

// row 1.10.2
cuda_tile.module @m {
  entry @f(%x: tile<i32>) {
    // expected-error @below {{'cuda_tile.assume' op 'cuda_tile.div_by' divisor is too large}}
    %r = assume div_by<9223372036854775808>, %x : tile<i32>
  }
}

// -----

// row 1.10.2
"x.y"() {a = #cuda_tile.div_by<3>} : () -> ()

// -----

// row 1.10.3
cuda_tile.module @m {
  entry @f(%x: tile<i32>) {
    // expected-error @below {{expected 'along'}}
    %r = assume div_by<8, every 4>, %x : tile<i32>
  }
}

// -----

// row 1.10.3
cuda_tile.module @m {
  entry @f(%x: tile<i32>) {
    // expected-error @below {{expected 'every'}}
    %r = assume div_by<8, along 1>, %x : tile<i32>
  }
}

// -----

// row 1.10.4
cuda_tile.module @m {
  entry @f(%x: tile<i32>) {
    // expected-error @below {{expected integer value}}
    // expected-error @below {{failed to parse parameter 'divisor' which is expected to be an integer}}
    %r = assume div_by<x>, %x : tile<i32>
  }
}

// -----

// row 2.1
cuda_tile.module @m {
  // expected-error @below {{expected static shape}}
  entry @f(%x: tile<5x?xf32>) {
  }
}

// -----

// row 2.1
// expected-error @below {{expected static shape}}
"x.y"() {a = !cuda_tile.tile<?xf32>} : () -> ()

// -----

// row 2.2
cuda_tile.module @m {
  // expected-error @below {{F4E2M1FN tiles must have an even number of elements}}
  entry @f(%x: tile<f4E2M1FN>) {
  }
}

// -----

// row 2.3
// expected-error @below {{expected 'strides'}}
"x.y"() {a = !cuda_tile.tensor_view<2xf32>} : () -> ()

// -----

// row 2.3
// expected-error @below {{expected 'strides'}}
"x.y"() {a = !cuda_tile.tensor_view<2xf32, other=[1]>} : () -> ()

// -----

// row 2.3
// expected-error @below {{expected 'strides'}}
"x.y"() {a = !cuda_tile.tensor_view<2xf32 other=[1]>} : () -> ()

// -----

// row 2.4
cuda_tile.module @m {
  // expected-error @below {{unknown type: foo}}
  entry @f(%x: foo) {
  }
}

// -----

// row 2.4
// expected-error @below {{unknown  type `foo` in dialect `cuda_tile`}}
"x.y"() {a = !cuda_tile.foo<3>} : () -> ()

// -----

// row 2.5
// expected-error @below {{gather dimension must not be negative, got -1}}
"x.y"() {a = !cuda_tile.gather_scatter_view<tile=(4), tensor_view<64xf32, strides=[1]>, sparse_dim=-1>} : () -> ()

// -----

// row 3.3
// expected-error @below {{expected ::mlir::cuda_tile::RoundingMode to be one of: nearest_even, zero, negative_inf, positive_inf, approx, full, nearest_int_to_zero}}
// expected-error @below {{failed to parse CudaTile_RoundingModeAttr parameter 'value' which is to be a `::mlir::cuda_tile::RoundingMode`}}
"x.y"() {a = #cuda_tile.rounding<foo>} : () -> ()

// -----

// row 3.4
cuda_tile.module @m {
  entry @f(%p: tile<ptr<i32>>, %x: tile<i32>) {
    // expected-error @below {{attribute 'mode' failed to satisfy constraint: allowed 32-bit signless integer cases: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}
    %r:2 = "cuda_tile.atomic_rmw_tko"(%p, %x) {memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, mode = 77 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (!cuda_tile.tile<ptr<i32>>, !cuda_tile.tile<i32>) -> (!cuda_tile.tile<i32>, !cuda_tile.token)
  }
}

// -----

// row 3.7
cuda_tile.module @m {
  entry @f(%x: tile<i32>) {
    // expected-error @below {{expected assume predicate attribute}}
    %r = assume #cuda_tile.signedness<signed>, %x : tile<i32>
  }
}

// -----

// row 4.2
#file = #cuda_tile.di_file<"k.py" in "/">
#unit = #cuda_tile.di_compile_unit<file = #file>
// expected-error @below {{struct is missing required parameter: linkageName}}
#f = #cuda_tile.di_subprogram<file = #file, line = 1, name = "f", compileUnit = #unit>