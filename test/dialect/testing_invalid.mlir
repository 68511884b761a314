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
