// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// assume
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @assume_div_by_zero(%n: tile<i32>) {
    // expected-error @below {{'cuda_tile.div_by' divisor must be a power of 2}}
    %r = assume div_by<0>, %n : tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @assume_div_by_three(%n: tile<i32>) {
    // expected-error @below {{'cuda_tile.div_by' divisor must be a power of 2}}
    %r = assume div_by<3>, %n : tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @assume_div_by_large(%n: tile<i32>) {
    // expected-error @below {{'cuda_tile.div_by' divisor is too large}}
    %r = assume div_by<9223372036854775808>, %n : tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @assume_div_by_no_integer(%n: tile<i32>) {
    // expected-error @below {{expected integer value}}
    // expected-error @below {{failed to parse parameter 'divisor' which is expected to be an integer}}
    %r = assume div_by<x>, %n : tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @assume_div_by_every_alone(%n: tile<i32>) {
    // expected-error @below {{expected 'along'; 'every'/'along' must be used in combination}}
    %r = assume div_by<4, every 2>, %n : tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @assume_div_by_along_alone(%n: tile<i32>) {
    // expected-error @below {{expected 'every'; 'every'/'along' must be used in combination}}
    %r = assume div_by<4, along 0>, %n : tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @assume_c1_div_by_float(%a: tile<f32>) {
    // expected-error @below {{'cuda_tile.div_by' is valid only for tile of integer/pointer or tensor_view values}}
    %r = assume div_by<4>, %a : tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @assume_c1_div_by_token() {
    %t = make_token : token
    // expected-error @below {{'cuda_tile.div_by' is valid only for tile of integer/pointer or tensor_view values}}
    %r = assume div_by<4>, %t : token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @assume_c1_div_by_0d(%n: tile<i32>) {
    // expected-error @below {{'cuda_tile.div_by' 'every'/'along' cannot be used if the constrained value is a 0D tile}}
    %r = assume div_by<4, every 2 along 0>, %n : tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @assume_c1_div_by_tensor_view(%p: tile<ptr<f32>>) {
    %t = make_tensor_view %p : tensor_view<f32>
    // expected-error @below {{'cuda_tile.div_by' 'every'/'along' cannot be used if the constrained value is a tensor_view}}
    %r = assume div_by<4, every 2 along 0>, %t : tensor_view<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @assume_c1_div_by_along() {
    %i = iota : tile<8xi32>
    // expected-error @below {{'cuda_tile.div_by' every_dim (1) must be >= 0 and < tile rank (1)}}
    %r = assume div_by<4, every 2 along 1>, %i : tile<8xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @assume_c1_div_by_every() {
    %i = iota : tile<8xi32>
    // expected-error @below {{expected 'cuda_tile.div_by' every_dim to be within 0 and the size of the respective dimension (8)}}
    %r = assume div_by<4, every 16 along 0>, %i : tile<8xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @assume_c1_same_elements_float(%a: tile<f32>) {
    // expected-error @below {{'cuda_tile.same_elements' is valid only for tile of integer/pointer values}}
    %r = assume same_elements<[]>, %a : tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @assume_c1_same_elements_rank() {
    %i = iota : tile<8xi32>
    // expected-error @below {{expected number of values in 'cuda_tile.same_elements' (2) to match rank of constrained tile (1)}}
    %r = assume same_elements<[1, 1]>, %i : tile<8xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @assume_c1_same_elements_size() {
    %i = iota : tile<8xi32>
    // expected-error @below {{expected 'cuda_tile.same_elements' value 0 to be within 0 and the size of the respective dimension (8)}}
    %r = assume same_elements<[16]>, %i : tile<8xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @assume_c1_bounded_pointer(%p: tile<ptr<f32>>) {
    // expected-error @below {{'cuda_tile.bounded' is valid only for tile of integer values}}
    %r = assume bounded<0, ?>, %p : tile<ptr<f32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @assume_c1_bounded_lower(%n: tile<i32>) {
    // expected-error @below {{'cuda_tile.bounded' expects lower bound to be within [-2147483648, 2147483647]}}
    %r = assume bounded<-2147483649, ?>, %n : tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @assume_c1_bounded_upper(%n: tile<i32>) {
    // expected-error @below {{'cuda_tile.bounded' expects upper bound to be within [-2147483648, 2147483647]}}
    %r = assume bounded<?, 2147483648>, %n : tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @assume_c1_bounded_order(%n: tile<i32>) {
    // expected-error @below {{'cuda_tile.bounded' expects lower bound to be less than or equal to upper bound}}
    %r = assume bounded<2, 1>, %n : tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @assume_predicate_unknown(%n: tile<i32>) {
    // expected-error @below {{unknown assume predicate attribute: even (expected 'div_by', 'same_elements', or 'bounded')}}
    %r = assume even<2>, %n : tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @assume_predicate_other(%n: tile<i32>) {
    // expected-error @below {{expected assume predicate attribute}}
    %r = assume 4 : i32, %n : tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @assume_predicate_missing(%n: tile<i32>) {
    // expected-error @below {{expected valid keyword}}
    // expected-error @below {{expected attribute name}}
    %r = assume %n, %n : tile<i32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// assert
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @assert_condition(%n: tile<i32>) {
    // expected-error @below {{operand #0 must be tile of i1 values, but got '!cuda_tile.tile<i32>'}}
    assert %n, "x" : tile<i32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// print_tko
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @print_tko_c1_percent(%n: tile<i32>) {
    // expected-error @below {{found unterminated format expression}}
    %t = print_tko "n = %", %n : tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @print_tko_c1_letters(%n: tile<i32>) {
    // expected-error @below {{found unterminated format expression}}
    %t = print_tko "%z %q", %n, %n : tile<i32>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @print_tko_c2_few(%n: tile<i32>) {
    // expected-error @below {{incorrect number of operands: expected 2, found 1}}
    %t = print_tko "%i %i", %n : tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @print_tko_c2_many(%n: tile<i32>) {
    // expected-error @below {{incorrect number of operands: expected 0, found 1}}
    print "%%", %n : tile<i32>
    return
  }
}
