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
  // expected-error @below {{expected SSA identifier}}
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
