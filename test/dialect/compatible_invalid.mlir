// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect

// Messages and their order where compatible tools emit two errors for one fault, or where the
// parser leaves a word to the verifier.

//===----------------------------------------------------------------------===//
// Keywords
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @predicate(%x: tile<i32>) {
    // expected-error @below {{expected valid keyword}}
    // expected-error @below {{expected 'comparison_predicate' to be one of: {'equal', 'not_equal', 'less_than', 'less_than_or_equal', 'greater_than', 'greater_than_or_equal'}}}
    %r = cmpi %x, %x, signed : tile<i32> -> tile<i1>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @ordering(%x: tile<f32>) {
    // expected-error @below {{expected valid keyword}}
    // expected-error @below {{expected 'comparison_ordering' to be one of: {'ordered', 'unordered'}}}
    %r = cmpf equal %x, %x : tile<f32> -> tile<i1>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @no_mode(%x: tile<f32>) {
    // expected-error @below {{expected valid keyword}}
    %r = addf %x, %x rounding<> : tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @view_ordering(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    // expected-error @below {{expected valid keyword}}
    // expected-error @below {{invalid memory_ordering_semantics attribute specification. Got "" but expect one of: weak, relaxed, acquire, release, acq_rel}}
    %x, %tok = load_view_tko %v[%i] : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @weak_and_a_word(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    // expected-error @below {{operation specifies weak memory ordering semantics, but then provides "foo" scope, expected no memory scope.}}
    %x, %tok = load_view_tko weak foo %v[%i] : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @pointer_scope(%p: tile<ptr<f32>>) {
    // expected-error @below {{expected SSA operand; invalid memory_scope attribute specification. Got "blah" but expect one of: tl_blk, device, sys}}
    %x, %t = load_ptr_tko weak blah %p : tile<ptr<f32>> -> tile<f32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @reduction_scope(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{requires attribute 'memory_scope'}}
    %tok = atomic_red_view_tko relaxed %v[%i], addf, %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @ftof(%x: tile<f32>) {
    // expected-error @below {{expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'foo'; 13.4 adds 'nearest_away'}}
    %r = ftof %x rounding<foo> : tile<f32> -> tile<f16>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @ftoi(%x: tile<f32>) {
    // expected-error @below {{expected rounding mode to be one of: 'nearest_int_to_zero', got: 'zero'}}
    %r = ftoi %x signed rounding<zero> : tile<f32> -> tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @divf(%x: tile<f32>) {
    // expected-error @below {{invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf, approx, full]}}
    %r = divf %x, %x rounding<nearest_int_to_zero> : tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @divi(%x: tile<i32>) {
    // expected-error @below {{expected ::mlir::cuda_tile::RoundingMode to be one of: nearest_even, zero, negative_inf, positive_inf, approx, full, nearest_int_to_zero; 13.4 adds nearest_away}}
    // expected-error @below {{failed to parse CudaTile_RoundingModeAttr parameter 'value' which is to be a `::mlir::cuda_tile::RoundingMode`}}
    %r = divi %x, %x signed rounding<foo> : tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @exact(%x: tile<f32>) {
    // expected-error @below {{invalid rounding mode specified. Only 'nearest_even' is supported}}
    %r = ftof %x rounding<negative_inf> : tile<f32> -> tile<f64>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @flush_comes_first(%x: tile<f16>) {
    // expected-error @below {{flush_to_zero modifier only supported for f32 data type, but got: 'f16'}}
    %r = divf %x, %x rounding<approx> flush_to_zero : tile<f16>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// Attributes of enumerations
//===----------------------------------------------------------------------===//

// expected-error @below {{expected ::mlir::cuda_tile::Signedness to be one of: unsigned, signed}}
// expected-error @below {{failed to parse CudaTile_SignednessAttr parameter 'value' which is to be a `::mlir::cuda_tile::Signedness`}}
"x.y"() {a = #cuda_tile.signedness<foo>} : () -> ()

// -----

// expected-error @below {{expected ::mlir::cuda_tile::ComparisonOrdering to be one of: unordered, ordered}}
// expected-error @below {{failed to parse CudaTile_ComparisonOrderingAttr}}
"x.y"() {a = #cuda_tile.comparison_ordering<foo>} : () -> ()

// -----

// expected-error @below {{expected ::mlir::cuda_tile::ComparisonPredicate to be one of: equal, not_equal, less_than, less_than_or_equal, greater_than, greater_than_or_equal}}
// expected-error @below {{failed to parse CudaTile_ComparisonPredicateAttr}}
"x.y"() {a = #cuda_tile.comparison_predicate<foo>} : () -> ()

// -----

// expected-error @below {{expected ::mlir::cuda_tile::SymbolVisibility to be one of: public, private}}
// expected-error @below {{failed to parse CudaTile_SymbolVisibilityAttr}}
"x.y"() {a = #cuda_tile.symbol_visibility<foo>} : () -> ()

// -----

//===----------------------------------------------------------------------===//
// Types and literals
//===----------------------------------------------------------------------===//

// expected-error @below {{unknown  type `foo` in dialect `cuda_tile`; unknown type: foo}}
"x.y"() {a = !cuda_tile.foo} : () -> ()

// -----

cuda_tile.module @m {
  entry @unknown_element() {
    // expected-error @below {{unknown type: pluto}}
    // expected-error @below {{expect element type to be one of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN values, but got '<<NULL TYPE>>'}}
    %r = constant <pluto: 1.0> : tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @no_number() {
    // expected-error @below {{f8E8M0FNU or f4E2M1FN values, but got '!cuda_tile.token'}}
    %r = constant <token: 1> : tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @true_is_no_i32() {
    // expected-error @below {{expected integer value}}
    %r = constant <i32: true> : tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @empty_list() {
    // expected-error @below {{expected floating point literal; dense attribute cannot be empty}}
    %r = constant <f32: []> : tile<1xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  // expected-error @below {{F4E2M1FN tiles must have an even number of elements}}
  entry @odd(%x: tile<3x3x3xf4E2M1FN>) {
    return
  }
}

// -----

// expected-error @+3 {{struct is missing required parameter: name}}
#file = #cuda_tile.di_file<"k.py" in "/">
#unit = #cuda_tile.di_compile_unit<file = #file>
#f = #cuda_tile.di_subprogram<file = #file, line = 1, linkageName = "f", compileUnit = #unit>

// -----

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @reduce_no_block() {
    %a = constant <f32: 1.0> : tile<4x8xf32>
    // expected-error @below {{region #0 ('body') failed to verify constraint: region with 1 blocks}}
    %r = reduce %a dim=0 identities=[0.0 : f32] : tile<4x8xf32> -> tile<8xf32>
    () {
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @reduce_no_operand() {
    // expected-error @below {{expected 1 or more operands, but found 0; expect at least 1 operand; reduce/scan requires at least one input}}
    "cuda_tile.reduce"() <{dim = 0 : i32, identities = []}> ({
      "cuda_tile.yield"() : () -> ()
    }) : () -> ()
    return
  }
}

// -----

cuda_tile.module @m {
  entry @if_no_branch(%c: tile<i1>) {
    // expected-error @below {{region #0 ('thenRegion') failed to verify constraint: region with 1 blocks; must define then branch; if requires a then-region}}
    "cuda_tile.if"(%c) ({
    }, {
    }) : (!cuda_tile.tile<i1>) -> ()
    return
  }
}

// -----

cuda_tile.module @m {
  entry @if_without_yield(%c: tile<i1>) {
    // expected-error @below {{has return type of '!cuda_tile.tile<i32>' but then branch does not yield anything}}
    %r = if %c -> (tile<i32>) {
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @if_of_a_view(%c: tile<i1>, %p: tile<ptr<f32>>) {
    // expected-error @below {{result type 0 is a tensor_view, which is not supported}}
    %r = if %c -> (tensor_view<64xf32, strides=[1]>) {
      %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
      yield %t : tensor_view<64xf32, strides=[1]>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @operand_of_its_own_region() {
    // expected-error @below {{use of undeclared SSA value name}}
    if %c {
      %c = constant <i1: true> : tile<i1>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @yield_index(%c: tile<i1>) {
    %i = "x.index"() : () -> index
    %r = if %c -> (index) {
      // expected-error @below {{operand #0 must be variadic of f16 or bf16 or f32 or tf32 or f64 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or i1 or i8 or i16 or i32 or i64 or , but got 'index'}}
      yield %i : index
    } else {
      yield %i : index
    }
    return
  }
}
