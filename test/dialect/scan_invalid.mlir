// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// scan
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @scan_c1_operands() {
    // expected-error @below {{expect at least 1 operand; reduce/scan requires at least one input}}
    "cuda_tile.scan"() <{dim = 0 : i32, reverse = false, identities = []}> ({
      "cuda_tile.yield"() : () -> ()
    }) : () -> ()
    return
  }
}

// -----

cuda_tile.module @m {
  entry @scan_c1_results() {
    %a = constant <f32: 1.0> : tile<4x8xf32>
    // expected-error @below {{expect same number of operands and results; reduce/scan must produce one result per input}}
    "cuda_tile.scan"(%a) <{dim = 0 : i32, reverse = false, identities = [0.0 : f32]}> ({
    ^bb0(%x: !cuda_tile.tile<f32>, %y: !cuda_tile.tile<f32>):
      "cuda_tile.yield"(%x) : (!cuda_tile.tile<f32>) -> ()
    }) : (!cuda_tile.tile<4x8xf32>) -> ()
    return
  }
}

// -----

cuda_tile.module @m {
  entry @scan_c1_identities() {
    %a = constant <f32: 1.0> : tile<4x8xf32>
    // expected-error @below {{expect identities to match the number of operands but got: 1 operands and 2 identities}}
    %r = scan %a dim=0 reverse=false identities=[0.0 : f32, 0.0 : f32] : tile<4x8xf32> -> tile<4x8xf32>
    (%x: tile<f32>, %y: tile<f32>) {
      %s = addf %x, %y : tile<f32>
      yield %s : tile<f32>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @scan_c2_shapes() {
    %a = constant <f32: 1.0> : tile<4x8xf32>
    %b = constant <f32: 1.0> : tile<4x4xf32>
    // expected-error @below {{requires the same shape for all operands}}
    %r:2 = scan %a, %b dim=0 reverse=false identities=[0.0 : f32, 0.0 : f32] : tile<4x8xf32>, tile<4x4xf32> -> tile<4x8xf32>, tile<4x4xf32>
    (%x: tile<f32>, %y: tile<f32>, %z: tile<f32>, %w: tile<f32>) {
      yield %x, %z : tile<f32>, tile<f32>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @scan_c2_identity_type() {
    %a = constant <f32: 1.0> : tile<4x8xf32>
    // expected-error @below {{expect same type for operand at index: 0 and identity at index: 0 but got: 'f32' and 'f16'; identity element type must match input element type}}
    %r = scan %a dim=0 reverse=false identities=[0.0 : f16] : tile<4x8xf32> -> tile<4x8xf32>
    (%x: tile<f32>, %y: tile<f32>) {
      %s = addf %x, %y : tile<f32>
      yield %s : tile<f32>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @scan_c3_dim() {
    %a = constant <f32: 1.0> : tile<4x8xf32>
    // expected-error @below {{dimension (2) is out of bound [0, 2); reduction dimension is out of range}}
    %r = scan %a dim=2 reverse=false identities=[0.0 : f32] : tile<4x8xf32> -> tile<4x8xf32>
    (%x: tile<f32>, %y: tile<f32>) {
      %s = addf %x, %y : tile<f32>
      yield %s : tile<f32>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @scan_c3_negative() {
    %a = constant <f32: 1.0> : tile<4x8xf32>
    // expected-error @below {{attribute 'dim' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative}}
    %r = scan %a dim=-1 reverse=false identities=[0.0 : f32] : tile<4x8xf32> -> tile<4x8xf32>
    (%x: tile<f32>, %y: tile<f32>) {
      %s = addf %x, %y : tile<f32>
      yield %s : tile<f32>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @scan_c4_empty() {
    %a = constant <f32: 1.0> : tile<4x8xf32>
    // expected-error @below {{expects a non-empty block}}
    %r = "cuda_tile.scan"(%a) <{dim = 0 : i32, reverse = false, identities = [0.0 : f32]}> ({
    ^bb0(%x: !cuda_tile.tile<f32>, %y: !cuda_tile.tile<f32>):
    }) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @scan_c4_arguments() {
    %a = constant <f32: 1.0> : tile<4x8xf32>
    // expected-error @below {{expect 2 block arguments but got: 1; reduce/scan body must take two rank-zero arguments per input}}
    %r = scan %a dim=0 reverse=false identities=[0.0 : f32] : tile<4x8xf32> -> tile<4x8xf32>
    (%x: tile<f32>) {
      yield %x : tile<f32>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @scan_c4_argument_rank() {
    %a = constant <f32: 1.0> : tile<4x8xf32>
    // expected-error @below {{expect 0-rank tile type at index: 1 but got: '!cuda_tile.tile<8xf32>'}}
    %r = scan %a dim=0 reverse=false identities=[0.0 : f32] : tile<4x8xf32> -> tile<4x8xf32>
    (%x: tile<f32>, %y: tile<8xf32>) {
      yield %x : tile<f32>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @scan_c4_argument_token() {
    %a = constant <f32: 1.0> : tile<4x8xf32>
    // expected-error @below {{expect 0-rank tile type at index: 1 but got: '!cuda_tile.token'}}
    %r = scan %a dim=0 reverse=false identities=[0.0 : f32] : tile<4x8xf32> -> tile<4x8xf32>
    (%x: tile<f32>, %y: token) {
      yield %x : tile<f32>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @scan_c4_argument_pair() {
    %a = constant <f32: 1.0> : tile<4x8xf32>
    // expected-error @below {{expect same element type for block argument at index: 0 and 1 but got: 'f32' and 'f16'}}
    %r = scan %a dim=0 reverse=false identities=[0.0 : f32] : tile<4x8xf32> -> tile<4x8xf32>
    (%x: tile<f32>, %y: tile<f16>) {
      yield %x : tile<f32>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @scan_c4_argument_type() {
    %a = constant <f32: 1.0> : tile<4x8xf32>
    // expected-error @below {{expect same type for operand at index: 0 and block argument at index: 0 but got: 'f32' and 'f16'}}
    %r = scan %a dim=0 reverse=false identities=[0.0 : f32] : tile<4x8xf32> -> tile<4x8xf32>
    (%x: tile<f16>, %y: tile<f16>) {
      yield %x : tile<f16>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @scan_c4_yield_count() {
    %a = constant <f32: 1.0> : tile<4x8xf32>
    // expected-error @below {{expect number of terminators operands (0) to match number of operands (1); expect number of terminators operands (0) to match expected (1)}}
    %r = scan %a dim=0 reverse=false identities=[0.0 : f32] : tile<4x8xf32> -> tile<4x8xf32>
    (%x: tile<f32>, %y: tile<f32>) {
      %z = addf %x, %y : tile<f32>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @scan_c4_yield_token() {
    %a = constant <f32: 1.0> : tile<4x8xf32>
    // expected-error @below {{expected TileType for operand and terminator types but got: '!cuda_tile.tile<4x8xf32>' and '!cuda_tile.token'}}
    %r = scan %a dim=0 reverse=false identities=[0.0 : f32] : tile<4x8xf32> -> tile<4x8xf32>
    (%x: tile<f32>, %y: tile<f32>) {
      %t = make_token : token
      yield %t : token
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @scan_c4_yield_type() {
    %a = constant <f32: 1.0> : tile<4x8xf32>
    // expected-error @below {{expect same type for operand at index: 0 and terminator argument at index: 0 but got: 'f32' and 'f16'; expected TileType for operand and terminator types but got: '!cuda_tile.tile<f16>' vs '!cuda_tile.tile<4x8xf32>'}}
    %r = scan %a dim=0 reverse=false identities=[0.0 : f32] : tile<4x8xf32> -> tile<4x8xf32>
    (%x: tile<f32>, %y: tile<f32>) {
      %z = ftof %x : tile<f32> -> tile<f16>
      yield %z : tile<f16>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @scan_c5_divi() {
    %a = iota : tile<8xi32>
    %r = scan %a dim=0 reverse=false identities=[0 : i32] : tile<8xi32> -> tile<8xi32>
    (%x: tile<i32>, %y: tile<i32>) {
      // expected-error @below {{only pure operations are allowed inside 'cuda_tile.scan'; only pure operations allowed}}
      %s = divi %x, %y signed : tile<i32>
      yield %s : tile<i32>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @scan_c5_for() {
    %a = iota : tile<8xi32>
    %r = scan %a dim=0 reverse=false identities=[0 : i32] : tile<8xi32> -> tile<8xi32>
    (%x: tile<i32>, %y: tile<i32>) {
      // expected-error @below {{only pure operations are allowed inside 'cuda_tile.scan'}}
      for %i in (%x to %y, step %x) : tile<i32> {
      }
      yield %x : tile<i32>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @scan_c6_result() {
    %a = constant <f32: 1.0> : tile<4x8xf32>
    // expected-error @below {{expect same type for operand at index: 0 and result at index: 0 but got: '!cuda_tile.tile<4x8xf32>' and '!cuda_tile.tile<8xf32>'}}
    %r = scan %a dim=0 reverse=false identities=[0.0 : f32] : tile<4x8xf32> -> tile<8xf32>
    (%x: tile<f32>, %y: tile<f32>) {
      yield %x : tile<f32>
    }
    return
  }
}

// -----

// Of rank 0, but no tiles.
cuda_tile.module @m {
  entry @scan_c4_argument_tensors() {
    %a = constant <f32: 1.0> : tile<4x8xf32>
    // expected-error @below {{expected TileType for block arguments but got types: 'tensor<f32>' and 'tensor<f32>'}}
    %r = "cuda_tile.scan"(%a) <{dim = 0 : i32, reverse = false, identities = [0.0 : f32]}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = "cuda_tile.constant"() <{value = dense<0.0> : !cuda_tile.tile<f32>}> : () -> !cuda_tile.tile<f32>
      "cuda_tile.yield"(%z) : (!cuda_tile.tile<f32>) -> ()
    }) : (!cuda_tile.tile<4x8xf32>) -> !cuda_tile.tile<4x8xf32>
    return
  }
}
