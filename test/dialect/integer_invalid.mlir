// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// addi
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @addi_types(%a: tile<i32>, %b: tile<i64>) {
    // expected-error @below {{failed to verify that all of {lhs, rhs, result} have same type}}
    %r = "cuda_tile.addi"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @addi_float(%a: tile<f32>) {
    // expected-error @below {{operand #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<f32>'}}
    %r = addi %a, %a : tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @addi_overflow_keyword(%n: tile<i32>) {
    // expected-error @below {{expected ::mlir::cuda_tile::IntegerOverflow to be one of: none, no_signed_wrap, no_unsigned_wrap, no_wrap}}
    // expected-error @below {{failed to parse CudaTile_IntegerOverflowAttr parameter 'value' which is to be a `::mlir::cuda_tile::IntegerOverflow`}}
    %r = addi %n, %n overflow<sometimes> : tile<i32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// subi
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @subi_types(%a: tile<i32>, %b: tile<i64>) {
    // expected-error @below {{failed to verify that all of {lhs, rhs, result} have same type}}
    %r = "cuda_tile.subi"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<i32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// muli
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @muli_types(%a: tile<i32>, %b: tile<i64>) {
    // expected-error @below {{failed to verify that all of {lhs, rhs, result} have same type}}
    %r = "cuda_tile.muli"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<i32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// mulhii
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @mulhii_types(%a: tile<i32>, %b: tile<i64>) {
    // expected-error @below {{failed to verify that all of {x, y, result} have same type}}
    %r = "cuda_tile.mulhii"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<i32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// divi
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @divi_types(%a: tile<i32>, %b: tile<i64>) {
    // expected-error @below {{failed to verify that all of {lhs, rhs, result} have same type}}
    %r = "cuda_tile.divi"(%a, %b) <{signedness = #cuda_tile<signedness signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @divi_c1_keyword(%n: tile<i32>) {
    // expected-error @below {{invalid rounding mode specified, expect one of [zero, negative_inf, positive_inf]}}
    %r = divi %n, %n signed rounding<nearest_even> : tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @divi_c1_mode(%n: tile<i32>) {
    // expected-error @below {{invalid rounding mode specified, expect one of [zero, negative_inf, positive_inf]}}
    %r = "cuda_tile.divi"(%n, %n) <{signedness = #cuda_tile<signedness signed>, rounding = #cuda_tile.rounding<full>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @divi_c2_unsigned(%n: tile<i32>) {
    // expected-error @below {{rounding mode 'negative_inf' is not allowed with 'unsigned' flag}}
    %r = divi %n, %n unsigned rounding<negative_inf> : tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @divi_signedness(%n: tile<i32>) {
    // expected-error @below {{expected signedness to be one of: {'signed', 'unsigned'}}}
    %r = divi %n, %n sideways : tile<i32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// remi
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @remi_types(%a: tile<i32>, %b: tile<i64>) {
    // expected-error @below {{failed to verify that all of {result, lhs, rhs} have same type}}
    %r = "cuda_tile.remi"(%a, %b) <{signedness = #cuda_tile<signedness signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<i32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// maxi
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @maxi_types(%a: tile<i32>, %b: tile<i64>) {
    // expected-error @below {{failed to verify that all of {lhs, rhs, result} have same type}}
    %r = "cuda_tile.maxi"(%a, %b) <{signedness = #cuda_tile<signedness signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<i32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// mini
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @mini_types(%a: tile<i32>, %b: tile<i64>) {
    // expected-error @below {{failed to verify that all of {lhs, rhs, result} have same type}}
    %r = "cuda_tile.mini"(%a, %b) <{signedness = #cuda_tile<signedness signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<i32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// shli
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @shli_types(%a: tile<i32>, %b: tile<i64>) {
    // expected-error @below {{failed to verify that all of {lhs, rhs, result} have same type}}
    %r = "cuda_tile.shli"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<i32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// shri
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @shri_types(%a: tile<i32>, %b: tile<i64>) {
    // expected-error @below {{failed to verify that all of {lhs, rhs, result} have same type}}
    %r = "cuda_tile.shri"(%a, %b) <{signedness = #cuda_tile<signedness signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<i32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// absi
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @absi_types(%n: tile<i32>) {
    // expected-error @below {{failed to verify that all of {source, result} have same type}}
    %r = "cuda_tile.absi"(%n) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<8xi32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// negi
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @negi_types(%n: tile<i32>) {
    // expected-error @below {{failed to verify that all of {source, result} have same type}}
    %r = "cuda_tile.negi"(%n) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<8xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @negi_c1_no_unsigned_wrap(%n: tile<i32>) {
    // expected-error @below {{'no_unsigned_wrap' overflow flag is not supported}}
    %r = negi %n overflow<no_unsigned_wrap> : tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @negi_c1_no_wrap(%n: tile<i32>) {
    %r = negi %n overflow<no_wrap> : tile<i32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// cmpi
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @cmpi_types(%a: tile<i32>, %b: tile<i64>) {
    // expected-error @below {{failed to verify that all of {lhs, rhs} have same type}}
    %r = "cuda_tile.cmpi"(%a, %b) <{comparison_predicate = #cuda_tile<comparison_predicate equal>, signedness = #cuda_tile<signedness signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<i1>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @cmpi_result(%n: tile<i32>) {
    // expected-error @below {{failed to verify that Result type has i1 element type and same shape as operands}}
    %r = cmpi equal %n, %n, signed : tile<i32> -> tile<8xi1>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @cmpi_predicate(%n: tile<i32>) {
    // expected-error @below {{expected 'comparison_predicate' to be one of: {'equal', 'not_equal', 'less_than', 'less_than_or_equal', 'greater_than', 'greater_than_or_equal'}}}
    %r = cmpi similar %n, %n, signed : tile<i32> -> tile<i1>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @cmpi_signedness(%n: tile<i32>) {
    // expected-error @below {{expected signedness to be one of: {'signed', 'unsigned'}}}
    %r = cmpi equal %n, %n, perhaps : tile<i32> -> tile<i1>
    return
  }
}
