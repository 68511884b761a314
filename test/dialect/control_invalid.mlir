// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// break
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @break_parent(%n: tile<i32>) {
    for %i in (%n to %n, step %n) : tile<i32> {
      // expected-error @below {{'cuda_tile.break' op expects parent op to be one of 'cuda_tile.if, cuda_tile.loop'}}
      break
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @break_c1_in_for(%n: tile<i32>, %c: tile<i1>) {
    // expected-note @below {{see unexpected ancestor operation}}
    for %i in (%n to %n, step %n) : tile<i32> {
      if %c {
        // expected-error @below {{can only be nested within a ancestor chain of 'cuda_tile.loop', 'cuda_tile.if' operations; early-exit must be enclosed by a compatible loop or for}}
        break
      }
    }
    return
  }
}

// -----

cuda_tile.module @m {
  // expected-note @below {{see unexpected ancestor operation}}
  entry @break_c1_in_entry(%c: tile<i1>) {
    if %c {
      if %c {
        // expected-error @below {{can only be nested within a ancestor chain of 'cuda_tile.loop', 'cuda_tile.if' operations}}
        break
      }
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @break_c2_types(%n: tile<i32>, %c: tile<i1>) {
    %r = loop -> tile<i64> {
      if %c {
        // expected-error @below {{operand types must correspond to the parent loop result types: ('!cuda_tile.tile<i32>') vs ('!cuda_tile.tile<i64>'); early-exit operand types must match the enclosing region contract}}
        break %n : tile<i32>
      }
      continue
    }
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// continue
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @continue_parent() {
    // expected-error @below {{'cuda_tile.continue' op expects parent op to be one of 'cuda_tile.for, cuda_tile.if, cuda_tile.loop'}}
    continue
    return
  }
}

// -----

cuda_tile.module @m {
  // expected-note @below {{see unexpected ancestor operation}}
  entry @continue_c1_in_entry(%c: tile<i1>) {
    if %c {
      // expected-error @below {{can only be nested within a ancestor chain of 'cuda_tile.for', 'cuda_tile.loop', 'cuda_tile.if' operations; early-exit must be enclosed by a compatible loop or for}}
      continue
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @continue_c2_for(%n: tile<i32>) {
    %r = for %i in (%n to %n, step %n) : tile<i32> iter_values(%x = %n) -> (tile<i32>) {
      // expected-error @below {{`for` is missing a valid terminator. `continue` op should have operand types that match the parent loop return types: ('!cuda_tile.tile<i32>'), but found: (); early-exit operand types must match the enclosing region contract}}
      continue
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @continue_c2_loop(%n: tile<i32>, %c: tile<i1>, %m: tile<i64>) {
    %r = loop iter_values(%x = %n) : tile<i32> -> tile<i32> {
      if %c {
        // expected-error @below {{`loop` is missing a valid terminator. `continue` op should have operand types that match the parent loop iter_values: ('!cuda_tile.tile<i32>'), but found: ('!cuda_tile.tile<i64>'); early-exit operand types must match the enclosing region contract}}
        continue %m : tile<i64>
      }
      break %x : tile<i32>
    }
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
    // expected-error @below {{found different number of iter_values and types; mismatch in number of loop-carried values and defined values}}
    %r = for %i in (%n to %n, step %n) : tile<i32> iter_values(%x = %n) -> (tile<i32>, tile<i32>) {
      continue %x : tile<i32>
    }
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// if
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @if_condition(%n: tile<i32>) {
    // expected-error @below {{operand #0 must be 0D tile of i1 values, but got '!cuda_tile.tile<i32>'}}
    "cuda_tile.if"(%n) ({
      "cuda_tile.yield"() : () -> ()
    }, {}) : (!cuda_tile.tile<i32>) -> ()
    return
  }
}

// -----

cuda_tile.module @m {
  entry @if_c1_then(%c: tile<i1>) {
    // expected-error @below {{must define then branch; if requires a then-region}}
    "cuda_tile.if"(%c) ({}, {}) : (!cuda_tile.tile<i1>) -> ()
    return
  }
}

// -----

cuda_tile.module @m {
  entry @if_c1_else(%c: tile<i1>, %n: tile<i32>) {
    // expected-error @below {{has non-empty return type, must define else branch; if with results requires an else-region}}
    %r = if %c -> (tile<i32>) {
      yield %n : tile<i32>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @if_c2_no_yield(%c: tile<i1>, %n: tile<i32>) {
    // expected-error @below {{has return type of '!cuda_tile.tile<i32>' but else branch does not yield anything}}
    %r = if %c -> (tile<i32>) {
      yield %n : tile<i32>
    } else {
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @if_c2_no_result(%c: tile<i1>, %n: tile<i32>) {
    // expected-error @below {{does not return a value, but then branch yields '!cuda_tile.tile<i32>'}}
    if %c {
      yield %n : tile<i32>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @if_c2_types(%c: tile<i1>, %n: tile<i32>) {
    // expected-error @below {{type does not match yield type, then branch yields '!cuda_tile.tile<i32>' but op result type is '!cuda_tile.tile<i64>'}}
    %r = if %c -> (tile<i64>) {
      yield %n : tile<i32>
    } else {
      yield %n : tile<i32>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @if_c3_tensor_view(%c: tile<i1>, %p: tile<ptr<f32>>) {
    %t = make_tensor_view %p : tensor_view<f32>
    // expected-error @below {{result type 0 is a tensor_view, which is not supported; view-typed if results are not permitted}}
    %r = if %c -> (tensor_view<f32>) {
      yield %t : tensor_view<f32>
    } else {
      yield %t : tensor_view<f32>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @if_c3_tile_view(%c: tile<i1>, %p: tile<ptr<f32>>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    // expected-error @below {{result type 0 is a tile view, which is not supported; view-typed if results are not permitted}}
    %r = if %c -> (partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>) {
      yield %v : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    } else {
      yield %v : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @if_end(%c: tile<i1>) {
    // expected-error @+2 {{expects regions to end with 'cuda_tile.yield', found 'llvm.unreachable'}}
    // expected-note @below {{in custom textual format, the absence of terminator implies 'cuda_tile.yield'}}
    "cuda_tile.if"(%c) ({
      "llvm.unreachable"() : () -> ()
    }, {}) : (!cuda_tile.tile<i1>) -> ()
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// loop
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @loop_iter_count(%n: tile<i32>) {
    // expected-error @below {{found different number of iter_values and types; mismatch in number of loop-carried values and defined values}}
    loop iter_values(%x = %n) : tile<i32>, tile<i32> {
      continue %x : tile<i32>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @loop_c1_count(%n: tile<i32>) {
    // expected-error @below {{mismatch in number of region iterator values and loop iterator inits: 0 vs 1}}
    "cuda_tile.loop"(%n) ({
      "cuda_tile.break"() : () -> ()
    }) : (!cuda_tile.tile<i32>) -> ()
    return
  }
}

// -----

cuda_tile.module @m {
  entry @loop_c1_type(%n: tile<i32>) {
    // expected-error @below {{init value 0 and region iter_value 0 have different type: '!cuda_tile.tile<i32>' != '!cuda_tile.tile<i64>'; for init values must match region iter-arg types}}
    "cuda_tile.loop"(%n) ({
    ^bb0(%x: !cuda_tile.tile<i64>):
      "cuda_tile.break"() : () -> ()
    }) : (!cuda_tile.tile<i32>) -> ()
    return
  }
}

// -----

cuda_tile.module @m {
  entry @loop_c2_carried_view(%p: tile<ptr<f32>>) {
    %t = make_tensor_view %p : tensor_view<f32>
    // expected-error @below {{loop-carried value 0 is a tensor_view, which is not supported; view-typed loop results are not permitted}}
    loop iter_values(%x = %t) : tensor_view<f32> {
      break
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @loop_c2_tensor_view(%p: tile<ptr<f32>>) {
    %t = make_tensor_view %p : tensor_view<f32>
    // expected-error @below {{result type 0 is a tensor_view, which is not supported; view-typed loop results are not permitted}}
    %r = loop -> tensor_view<f32> {
      break %t : tensor_view<f32>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @loop_c2_tile_view(%p: tile<ptr<f32>>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    // expected-error @below {{result type 0 is a tile view, which is not supported; view-typed loop results are not permitted}}
    %r = loop -> partition_view<tile=(8), tensor_view<64xf32, strides=[1]>> {
      break %v : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    }
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// return
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @return_c2_operand(%n: tile<i32>) {
    // expected-error @below {{has 1 operands, but entry function must return 0 operands; early-exit operand types must match the enclosing region contract}}
    return %n : tile<i32>
  }
}

// -----

cuda_tile.module @m {
  entry @return_parent(%n: tile<i32>) {
    for %i in (%n to %n, step %n) : tile<i32> {
      // expected-error @below {{'cuda_tile.return' op expects parent op to be one of 'cuda_tile.entry, cuda_tile.if}}
      return
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @return_c1_in_for(%n: tile<i32>, %c: tile<i1>) {
    for %i in (%n to %n, step %n) : tile<i32> {
      if %c {
        // expected-error-re @below {{must be used within a {{(cuda_tile.testing\$func, )?}}cuda_tile.entry, or cuda_tile.if operation; early-exit must be enclosed by a compatible loop or for}}
        return
      }
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @return_c1_in_loop(%c: tile<i1>) {
    loop {
      if %c {
        // expected-error-re @below {{must be used within a {{(cuda_tile.testing\$func, )?}}cuda_tile.entry, or cuda_tile.if operation}}
        return
      }
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
      // expected-error @below {{'cuda_tile.yield' op expects parent op to be one of 'cuda_tile.if, cuda_tile.reduce, cuda_tile.scan'}}
      yield
    }
    return
  }
}
