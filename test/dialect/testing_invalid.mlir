// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics

cuda_tile.testing$func @count(%x: !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32> {
  // expected-error @below {{has 0 operands, but enclosing function (@count) returns 1}}
  return
}

// -----

cuda_tile.testing$func @type(%x: !cuda_tile.tile<f32>) -> !cuda_tile.tile<i32> {
  // expected-error @below {{type of return operand 0 ('!cuda_tile.tile<f32>') doesn't match function result type ('!cuda_tile.tile<i32>') in function @type}}
  return %x : tile<f32>
}

// -----

cuda_tile.testing$func @values(%x: !cuda_tile.tile<f32>) {
  // expected-error @below {{has 1 operands, but enclosing function (@values) returns 0}}
  return %x : tile<f32>
}

// -----

cuda_tile.testing$func @in_loop(%x: !cuda_tile.tile<f32>) {
  loop {
    // expected-error @below {{'cuda_tile.return' op expects parent op to be one of 'cuda_tile.entry, cuda_tile.if, cuda_tile.testing$func'}}
    "cuda_tile.return"() : () -> ()
  }
}

// -----

cuda_tile.testing$func @in_branch_of_loop(%c: !cuda_tile.tile<i1>) {
  loop {
    if %c {
      // expected-error @below {{must be used within a cuda_tile.testing$func, cuda_tile.entry, or cuda_tile.if operation}}
      return
    }
    break
  }
}

// -----

cuda_tile.testing$func @nested(%c: !cuda_tile.tile<i1>, %x: !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32> {
  if %c {
    if %c {
      // expected-error @below {{has 0 operands, but enclosing function (@nested) returns 1}}
      return
    }
  }
  return %x : tile<f32>
}

// -----

cuda_tile.module @m {
  // expected-error @below {{expected type instead of SSA identifier}}
  testing$func @mixed(tile<f32>, %x: tile<f32>)
}

// -----

cuda_tile.module @m {
  // expected-error @below {{expected SSA identifier}}
  testing$func @mixed(%x: tile<f32>, tile<f32>)
}

// -----

cuda_tile.module @m {
  // expected-error @below {{variadic arguments must be at end of argument list}}
  testing$func @variadic(..., %x: tile<f32>)
}

// -----

cuda_tile.module @m {
  // expected-error @below {{expected '{' to begin a region}}
  testing$func private @declared(tile<f32>)
}

// -----

cuda_tile.module @m {
  // expected-error @below {{'cuda_tile.testing$func' op entry block must have 1 arguments to match function signature}}
  testing$func @unnamed(tile<f32>) {
  }
}

// -----

// expected-error @below {{'cuda_tile.return' op has 0 operands, but enclosing function (@implicit) returns 1}}
cuda_tile.testing$func @implicit() -> !cuda_tile.tile<f32> {
}
