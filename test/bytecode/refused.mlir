// What cannot be written is said at its op, so that `-verify-diagnostics` finds it.
// RUN: cuda-tile-translate -mlir-to-cudatilebc -no-implicit-module -bytecode-version=13.1 -split-input-file -verify-diagnostics -allow-unregistered-dialect %s -o %t
// RUN: cuda-tile-translate -test-cudatile-roundtrip -no-implicit-module -bytecode-version=13.1 -split-input-file -verify-diagnostics -allow-unregistered-dialect %s

cuda_tile.module @kernels {
  entry @newer(%x: tile<f32>) {
    // expected-error @below {{attribute 'rounding_mode' requires bytecode version 13.2+, but targeting 13.1}}
    %0 = tanh %x rounding<approx> : tile<f32>
    return
  }
}

// -----

cuda_tile.module @kernels {
  entry @atan2(%x: tile<f32>) {
    // expected-error @below {{operation 'cuda_tile.atan2' is not available in bytecode version 13.1}}
    %0 = atan2 %x, %x : tile<f32>
    return
  }
}

// -----

// expected-error @below {{'cuda_tile.module' op only function and global ops are allowed in the body}}
cuda_tile.module @kernels {
  // expected-remark @below {{invalid op: cuda_tile.make_token}}
  %token = make_token : token
}

// -----

// expected-error @below {{'cuda_tile.module' op only ops from the 'cuda_tile' dialect are allowed}}
cuda_tile.module @kernels {
  entry @foreign() {
    // expected-remark @below {{invalid op: other.op}}
    "other.op"() : () -> ()
    return
  }
}

// -----

cuda_tile.module @kernels {
  // expected-error @below {{optional attribute 'arg_attrs' is provided but requires bytecode version 13.5, targeting 13.1}}
  entry @attributes(%x: tile<f32> {cuda_tile.note = 1 : i32}) {
    return
  }
}

// -----

cuda_tile.module @kernels {
  // expected-error @below {{global `hidden` uses non-public symbol visibility, which cannot be encoded in bytecode version 13.1 (requires bytecode 13.3+)}}
  global private @hidden <i32: [1, 2]> : tile<2xi32>
}
