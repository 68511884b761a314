// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// continue
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @continue_c1_types(%n: tile<i32>) {
    %r = for %i in (%n to %n, step %n) : tile<i32> iter_values(%x = %n) -> (tile<i32>) {
      // expected-error @below {{`for` is missing a valid terminator. `continue` op should have operand types that match the parent loop return types: ('!cuda_tile.tile<i32>'), but found: (); early-exit operand types must match the enclosing region contract}}
      continue
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @continue_parent(%n: tile<i32>) {
    // expected-error @below {{'cuda_tile.continue' op expects parent op}}
    continue
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// for
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @for_bounds(%a: tile<i32>, %b: tile<i64>) {
    // expected-error @below {{failed to verify that all of {lowerBound, upperBound, step} have same type; for induction, lower, upper, and step must share an integer type}}
    "cuda_tile.for"(%a, %a, %b) ({
    ^bb0(%i: !cuda_tile.tile<i32>):
      "cuda_tile.continue"() : () -> ()
    }) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> ()
    return
  }
}

// -----

cuda_tile.module @m {
  entry @for_results(%a: tile<i32>, %b: tile<i64>) {
    // expected-error @below {{failed to verify that all of {initValues, resultValues} have same type; for result types must match region iter-arg types}}
    %r = "cuda_tile.for"(%a, %a, %a, %a) ({
    ^bb0(%i: !cuda_tile.tile<i32>, %x: !cuda_tile.tile<i32>):
      "cuda_tile.continue"(%b) : (!cuda_tile.tile<i64>) -> ()
    }) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i64>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @for_float(%a: tile<f32>) {
    // expected-error @below {{operand #0 must be 0D tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<f32>'}}
    for %i in (%a to %a, step %a) : tile<f32> {
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @for_c1_no_argument(%n: tile<i32>) {
    // expected-error @below {{expected at least one block argument for induction variable}}
    "cuda_tile.for"(%n, %n, %n) ({
      "cuda_tile.continue"() : () -> ()
    }) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()
    return
  }
}

// -----

cuda_tile.module @m {
  entry @for_c1_type(%n: tile<i32>) {
    // expected-error @below {{expected induction variable to be same type as bounds and step: '!cuda_tile.tile<i64>' vs '!cuda_tile.tile<i32>'; for induction, lower, upper, and step must share an integer type}}
    "cuda_tile.for"(%n, %n, %n) ({
    ^bb0(%i: !cuda_tile.tile<i64>):
      "cuda_tile.continue"() : () -> ()
    }) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()
    return
  }
}

// -----

cuda_tile.module @m {
  entry @for_c2_count(%n: tile<i32>) {
    // expected-error @below {{mismatch in number of region iterator values and loop iterator inits: 1 vs 0}}
    "cuda_tile.for"(%n, %n, %n) ({
    ^bb0(%i: !cuda_tile.tile<i32>, %x: !cuda_tile.tile<i32>):
      "cuda_tile.continue"() : () -> ()
    }) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()
    return
  }
}

// -----

cuda_tile.module @m {
  entry @for_c2_type(%n: tile<i32>) {
    // expected-error @below {{init value 0 and region iter_value 0 have different type: '!cuda_tile.tile<i32>' != '!cuda_tile.tile<i64>'; for init values must match region iter-arg types}}
    %r = "cuda_tile.for"(%n, %n, %n, %n) ({
    ^bb0(%i: !cuda_tile.tile<i32>, %x: !cuda_tile.tile<i64>):
      "cuda_tile.continue"(%n) : (!cuda_tile.tile<i32>) -> ()
    }) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @for_c2_tensor_view(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p : tensor_view<f32>
    // expected-error @below {{loop-carried value 0 is a tensor_view, which is not supported; view-typed for results are not permitted}}
    %r = for %i in (%n to %n, step %n) : tile<i32> iter_values(%x = %t) -> (tensor_view<f32>) {
      continue %x : tensor_view<f32>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @for_c2_tile_view(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    // expected-error @below {{loop-carried value 0 is a tile view, which is not supported; view-typed for results are not permitted}}
    %r = for %i in (%n to %n, step %n) : tile<i32> iter_values(%x = %v) -> (partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>) {
      continue %x : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @for_iter_count(%n: tile<i32>) {
    // expected-error @below {{found different number of iter_values and types}}
    %r = for %i in (%n to %n, step %n) : tile<i32> iter_values(%x = %n) -> (tile<i32>, tile<i32>) {
      continue %x : tile<i32>
    }
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// return
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @return_c1_operand(%n: tile<i32>) {
    // expected-error @below {{has 1 operands, but entry function must return 0 operands}}
    return %n : tile<i32>
  }
}

// -----

cuda_tile.module @m {
  entry @return_parent(%n: tile<i32>) {
    for %i in (%n to %n, step %n) : tile<i32> {
      // expected-error @below {{'cuda_tile.return' op expects parent op}}
      return
    }
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// yield
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @yield_parent(%n: tile<i32>) {
    for %i in (%n to %n, step %n) : tile<i32> {
      // expected-error @below {{'cuda_tile.yield' op expects parent op}}
      yield
    }
    return
  }
}
