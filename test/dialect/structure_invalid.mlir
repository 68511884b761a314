// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// entry
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  // expected-error @below {{entry op must not return values}}
  entry @entry_c1_result() -> (tile<f32>) {
    return
  }
}

// -----

cuda_tile.module @m {
  // expected-error @below {{entry op must have scalar types (rank 0 !cuda_tile.tile)}}
  entry @entry_c2_rank_1(%a: tile<8xi8>) {
    return
  }
}

// -----

cuda_tile.module @m {
  // expected-error @below {{entry block must have 1 arguments to match function signature}}
  entry @entry_argument_without_name(tile<i8>) {
    return
  }
}

// -----

cuda_tile.module @m {
  // expected-error @below {{expected dictionary attribute for optimization_hints entry `sm_90` got value=1}}
  entry @entry_hints_no_dictionary() optimization_hints=<sm_90 = 1> {
    return
  }
}

// -----

cuda_tile.module @m {
  // expected-error @below {{duplicate optimization_hints key `sm_90`}}
  entry @entry_hints_twice() optimization_hints=<sm_90 = {}, sm_90 = {}> {
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// get_tile_block_id
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @get_tile_block_id_i64() {
    // expected-error @below {{result #0 must be 0D tile of i32 values, but got '!cuda_tile.tile<i64>'}}
    %x, %y, %z = get_tile_block_id : tile<i64>
    return
  }
}

// -----

cuda_tile.module @m {
  // expected-error @below {{expected type instead of SSA identifier}}
  entry @mixed(tile<f32>, %b: tile<f32>) {
    return
  }
}

// -----

cuda_tile.module @m {
  // expected-error @below {{expected SSA identifier}}
  entry @mixed(%a: tile<f32>, tile<f32>) {
    return
  }
}

// -----

cuda_tile.module @m {
  // expected-error @below {{variadic arguments must be at end of argument list}}
  entry @variadic(..., %b: tile<f32>) {
    return
  }
}

// -----

cuda_tile.module @m {
  // expected-error @below {{expected a fixed number of arguments}}
  entry @variadic(%b: tile<f32>, ...) {
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// global
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  // expected-error @below {{type must have rank 1}}
  global @global_c1_rank <i32: 1> : tile<2x2xi32>
}

// -----

cuda_tile.module @m {
  global @twice <i32: 1> : tile<2xi32>
  // expected-note @above {{see existing symbol definition here}}
  // expected-error @below {{redefinition of symbol named 'twice'}}
  global @twice <i32: 1> : tile<2xi32>
  entry @global_twice() {
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// get_global
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @get_global_c1_none() {
    // expected-error @below {{'missing' does not reference a valid global}}
    %r = get_global @missing : tile<ptr<f32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @get_global_c1_entry() {
    // expected-error @below {{'get_global_c1_entry' does not reference a valid global}}
    %r = get_global @get_global_c1_entry : tile<ptr<f32>>
    return
  }
}

// -----

cuda_tile.module @m {
  global @lut <i32: 1> : tile<2xi32>
  entry @get_global_c2_pointee() {
    // expected-error @below {{pointee type of result type '!cuda_tile.ptr<f32>' does not match type 'i32' of the global @lut}}
    %r = get_global @lut : tile<ptr<f32>>
    return
  }
}
