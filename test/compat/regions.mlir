// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect -o /dev/null

// Regions and control flow. `row` names the row of rows.txt.

// row 1.6.1
cuda_tile.module @m {
  entry @f() {
    %x = constant <f32: 1.0> : tile<2xf32>
    // expected-error @below {{region #0 ('body') failed to verify constraint: region with 1 blocks}}
    %r = reduce %x dim=0 identities=[0.0 : f32] : tile<2xf32> -> tile<f32>
    () {}
  }
}

// -----

// row 1.6.1
cuda_tile.module @m {
  entry @f() {
    %x = constant <f32: 1.0> : tile<2xf32>
    // expected-error @below {{region #0 ('body') failed to verify constraint: region with 1 blocks}}
    %r = scan %x dim=0 reverse=false identities=[0.0 : f32] : tile<2xf32> -> tile<2xf32>
    () {}
  }
}

// -----

// row 1.6.2
cuda_tile.module @m {
  entry @f() {
    %x = constant <f32: 1.0> : tile<2xf32>
    // expected-error @below {{expects a non-empty block}}
    %r = reduce %x dim=0 identities=[0.0 : f32] : tile<2xf32> -> tile<f32>
    (%a: tile<f32>, %b: tile<f32>) {
    }
  }
}

// -----

// row 1.6.2
cuda_tile.module @m {
  entry @f() {
    %x = constant <f32: 1.0> : tile<2xf32>
    // expected-error @below {{expects a non-empty block}}
    %r = "cuda_tile.reduce"(%x) <{dim = 0 : i32, identities = [0.0 : f32]}> ({
    ^bb0(%a: !cuda_tile.tile<f32>, %b: !cuda_tile.tile<f32>):
    }) : (!cuda_tile.tile<2xf32>) -> !cuda_tile.tile<f32>
  }
}

// -----

// row 1.6.3
cuda_tile.module @m {
  entry @f() {
    %x = constant <f32: 1.0> : tile<2xf32>
    // expected-error @below {{expect 0-rank tile type at index: 0 but got: 'f32'}}
    %r = reduce %x dim=0 identities=[0.0 : f32] : tile<2xf32> -> tile<f32>
    (%a: f32, %b: tile<f32>) {
      yield %b : tile<f32>
    }
  }
}

// -----

// row 1.6.3
cuda_tile.module @m {
  entry @f() {
    %x = constant <f32: 1.0> : tile<2xf32>
    // expected-error @below {{expect 0-rank tile type at index: 1 but got: '!cuda_tile.tile<2xf32>'}}
    %r = scan %x dim=0 reverse=false identities=[0.0 : f32] : tile<2xf32> -> tile<2xf32>
    (%a: tile<f32>, %b: tile<2xf32>) {
      yield %a : tile<f32>
    }
  }
}

// -----

// row 1.6.4
cuda_tile.module @m {
  entry @f() {
    %x = constant <f32: 1.0> : tile<2xf32>
    %y = constant <i32: 1> : tile<2xi32>
    // expected-error @below {{expect same element type for block argument at index: 2 and 3 but got: 'i32' and 'f32'}}
    %r, %s = reduce %x, %y dim=0 identities=[0.0 : f32, 0 : i32] : tile<2xf32>, tile<2xi32> -> tile<f32>, tile<i32>
    (%a: tile<f32>, %b: tile<f32>, %c: tile<i32>, %d: tile<f32>) {
      yield %a, %c : tile<f32>, tile<i32>
    }
  }
}

// -----

// row 1.6.5
cuda_tile.module @m {
  entry @f() {
    %x = constant <f32: 1.0> : tile<2xf32>
    // expected-error @below {{expect same type for operand at index: 0 and terminator argument at index: 0 but got: 'f32' and 'i32'}}
    %r = reduce %x dim=0 identities=[0.0 : f32] : tile<2xf32> -> tile<f32>
    (%a: tile<f32>, %b: tile<f32>) {
      %i = constant <i32: 1> : tile<i32>
      yield %i : tile<i32>
    }
  }
}

// -----

// row 1.6.6
cuda_tile.module @m {
  entry @f() {
    %x = constant <f32: 1.0> : tile<2xf32>
    %y = constant <i32: 1> : tile<2xi32>
    // expected-error @below {{inferred type(s) '!cuda_tile.tile<f32>', '!cuda_tile.tile<i32>' are incompatible with return type(s) of operation '!cuda_tile.tile<1xf32>', '!cuda_tile.tile<i32>'}}
    // expected-error @below {{failed to infer returned types}}
    %r, %s = reduce %x, %y dim=0 identities=[0.0 : f32, 0 : i32] : tile<2xf32>, tile<2xi32> -> tile<1xf32>, tile<i32>
    (%a: tile<f32>, %b: tile<f32>, %c: tile<i32>, %d: tile<i32>) {
      yield %a, %c : tile<f32>, tile<i32>
    }
  }
}

// -----

// row 1.6.7
cuda_tile.module @m {
  entry @f() {
    // expected-error @below {{expected 1 or more operands, but found 0}}
    "cuda_tile.scan"() <{dim = 0 : i32, reverse = false, identities = []}> ({
      "cuda_tile.yield"() : () -> ()
    }) : () -> ()
  }
}

// -----

// row 1.6.8
cuda_tile.module @m {
  entry @f() {
    %x = constant <f32: 1.0> : tile<2xf32>
    // expected-error @below {{expects regions to end with 'cuda_tile.yield', found 'x.y'}}
    // expected-note @below {{in custom textual format, the absence of terminator implies 'cuda_tile.yield'}}
    %r = reduce %x dim=0 identities=[0.0 : f32] : tile<2xf32> -> tile<f32>
    (%a: tile<f32>, %b: tile<f32>) {
      "x.y"() : () -> ()
    }
  }
}

// -----

// row 1.7.1
cuda_tile.module @m {
  entry @f(%x: tile<i32>) {
    // expected-error @below {{types must be equal width, cannot convert '!cuda_tile.tile<i32>' of width 32 to type '!cuda_tile.tile<f16>' of width 16}}
    %r = bitcast %x : tile<i32> -> tile<f16>
  }
}

// -----

// row 1.7.2
cuda_tile.module @m {
  entry @f(%x: tile<i32>) {
    %r = negi %x overflow<no_wrap> : tile<i32>
    %s = negi %x overflow<no_signed_wrap> : tile<i32>
    // expected-error @below {{'no_unsigned_wrap' overflow flag is not supported}}
    %t = negi %x overflow<no_unsigned_wrap> : tile<i32>
  }
}

// -----

// row 1.7.3
cuda_tile.module @m {
  entry @f() {
    %r = alloca num_elem = 4, alignment = 2 : tile<ptr<tf32>>
  }
}

// -----

// row 1.8.1
cuda_tile.module @m {
  // expected-note @below {{see unexpected ancestor operation}}
  entry @f(%c: tile<i1>) {
    if %c {
      // expected-error @below {{can only be nested within a ancestor chain of 'cuda_tile.for', 'cuda_tile.loop', 'cuda_tile.if' operations}}
      continue
    }
  }
}

// -----

// row 1.8.1
cuda_tile.module @m {
  entry @f(%n: tile<i32>, %c: tile<i1>) {
    // expected-note @below {{see unexpected ancestor operation}}
    for %i in (%n to %n, step %n) : tile<i32> {
      if %c {
        // expected-error @below {{can only be nested within a ancestor chain of 'cuda_tile.loop', 'cuda_tile.if' operations}}
        break
      }
    }
  }
}

// -----

// row 1.8.2
cuda_tile.module @m {
  entry @f(%n: tile<i32>) {
    // expected-error @below {{use of undeclared SSA value name}}
    for %i in (%n to %m, step %n) : tile<i32> {
      %m = constant <i32: 1> : tile<i32>
    }
  }
}

// -----

// row 1.8.2
cuda_tile.module @m {
  entry @f(%n: tile<i32>) {
    // expected-error @below {{use of undeclared SSA value name}}
    %r = loop iter_values(%a = %m) : tile<i32> -> tile<i32> {
      %m = constant <i32: 1> : tile<i32>
      break %a : tile<i32>
    }
  }
}

// -----

// row 1.8.4
cuda_tile.module @m {
  entry @f(%p: tile<ptr<f32>>) {
    // expected-error @below {{result type 0 is a tensor_view, which is not supported}}
    %r = loop : tensor_view<64xf32, strides=[1]> {
      %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
      break %t : tensor_view<64xf32, strides=[1]>
    }
  }
}

// -----

// row 1.8.4
cuda_tile.module @m {
  entry @f(%p: tile<ptr<f32>>) {
    // expected-error @below {{result type 0 is a tile view, which is not supported}}
    %r = loop : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>> {
      %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
      %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
      break %v : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    }
  }
}

// -----

// row 1.8.5
cuda_tile.module @m {
  entry @f(%c: tile<i1>) {
    // expected-error @below {{has return type of '!cuda_tile.tile<f32>' but then branch does not yield anything}}
    %r = if %c -> (tile<f32>) {
    }
  }
}

// -----

// row 1.8.6
cuda_tile.module @m {
  entry @f(%c: tile<i1>) {
    // expected-error @below {{region #0 ('thenRegion') failed to verify constraint: region with 1 blocks}}
    "cuda_tile.if"(%c) ({
    }, {
      "cuda_tile.yield"() : () -> ()
    }) : (!cuda_tile.tile<i1>) -> ()
  }
}

// -----

// row 1.8.7
cuda_tile.module @m {
  entry @f(%n: tile<i32>, %x: tile<f32>) {
    %r = for %i in (%n to %n, step %n) : tile<i32> iter_values(%a = %x) -> (tile<f32>) {
      // expected-error @below {{`for` is missing a valid terminator. `continue` op should have operand types that match the parent loop return types: ('!cuda_tile.tile<f32>'), but found: ('!cuda_tile.tile<i32>')}}
      continue %i : tile<i32>
    }
  }
}

// -----

// row 1.8.8
cuda_tile.module @m {
  entry @f(%x: tile<f32>) {
    // expected-error @below {{found different number of iter_values and types}}
    %r = loop iter_values(%a = %x, %b = %x) : tile<f32> -> tile<f32> {
      break %a : tile<f32>
    }
  }
}

// -----

// row 1.8.9
cuda_tile.module @m {
  // expected-error @below {{'cuda_tile.return' op has 0 operands, but enclosing function (@f) returns 1}}
  testing$func @f() -> tile<f32> {
  }
}

// -----

// row 1.8.10
cuda_tile.module @m {
  // expected-error @below {{region #0 ('body') failed to verify constraint: region with 1 blocks}}
  "cuda_tile.testing$func"() <{function_type = () -> (), sym_name = "f"}> ({
  }) : () -> ()
}

// -----

// row 1.8.11
cuda_tile.module @m {
  // expected-error @below {{'cuda_tile.entry' op entry block must have 1 arguments to match function signature}}
  entry @k(tile<i32>) {
  }
}
