// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// join_tokens
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @join_tokens_c1_one() {
    %t = make_token : token
    // expected-error @below {{expect two or more tokens}}
    %r = join_tokens %t : token
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// load_ptr_tko
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @load_ptr_tko_ordering(%p: tile<ptr<f32>>, %a: tile<f32>) {
    // expected-error @below {{expect one of: weak, relaxed, or acquire, but got: release; load ordering must be weak, relaxed, or acquire}}
    %v, %t = load_ptr_tko release device %p : tile<ptr<f32>> -> tile<f32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @load_ptr_tko_weak_scope(%p: tile<ptr<f32>>, %a: tile<f32>) {
    // expected-error @below {{weak load must not have memory scope; weak memory ordering must not carry a scope}}
    %v, %t = load_ptr_tko weak sys %p : tile<ptr<f32>> -> tile<f32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @load_ptr_tko_no_scope(%p: tile<ptr<f32>>, %a: tile<f32>) {
    // expected-error @below {{memory scope is required for relaxed load; non-weak memory ordering requires an explicit scope}}
    %v, %t = load_ptr_tko relaxed %p : tile<ptr<f32>> -> tile<f32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @load_ptr_tko_ordering_keyword(%p: tile<ptr<f32>>, %a: tile<f32>) {
    // expected-error @below {{expected string or keyword containing one of the following enum values for attribute 'memory_ordering_semantics' [weak, relaxed, acquire, release, acq_rel]}}
    %v, %t = load_ptr_tko seq_cst %p : tile<ptr<f32>> -> tile<f32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @load_ptr_tko_scope_keyword(%p: tile<ptr<f32>>, %a: tile<f32>) {
    // expected-error @below {{invalid memory_scope attribute specification. Got "gpu" but expect one of: tl_blk, device, sys}}
    %v, %t = load_ptr_tko relaxed gpu %p : tile<ptr<f32>> -> tile<f32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @load_ptr_tko_c1_pointee(%p: tile<ptr<f32>>) {
    // expected-error @below {{`source` type is expected a pointer type of `result` type; pointer pointee element type must match value element type}}
    %v, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<i32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @load_ptr_tko_c1_shape(%p: tile<ptr<f32>>) {
    // expected-error @below {{`source` type is expected a pointer type of `result` type; pointer tile shape must match value shape}}
    %v, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @load_ptr_tko_c2_mask(%p: tile<ptr<f32>>) {
    %m = constant <i1: true> : tile<8xi1>
    // expected-error @below {{shape of 'mask' must match the shape of 'source'; mask shape must match value shape}}
    %v, %t = load_ptr_tko weak %p, %m : tile<ptr<f32>>, tile<8xi1> -> tile<f32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @load_ptr_tko_c3_padding(%p: tile<ptr<f32>>) {
    %m = constant <i1: true> : tile<i1>
    %z = constant <f16: 0.0> : tile<f16>
    // expected-error @below {{type of 'paddingValue' must match the type of 'result'}}
    %v, %t = load_ptr_tko weak %p, %m, %z : tile<ptr<f32>>, tile<i1>, tile<f16> -> tile<f32>, token
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// store_ptr_tko
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @store_ptr_tko_ordering(%p: tile<ptr<f32>>, %a: tile<f32>) {
    // expected-error @below {{expect one of: weak, relaxed, or release, but got: acquire; store ordering must be weak, relaxed, or release}}
    %t = store_ptr_tko acquire device %p, %a : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @store_ptr_tko_weak_scope(%p: tile<ptr<f32>>, %a: tile<f32>) {
    // expected-error @below {{weak store must not have memory scope; weak memory ordering must not carry a scope}}
    %t = store_ptr_tko weak sys %p, %a : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @store_ptr_tko_no_scope(%p: tile<ptr<f32>>, %a: tile<f32>) {
    // expected-error @below {{memory scope is required for relaxed store; non-weak memory ordering requires an explicit scope}}
    %t = store_ptr_tko relaxed %p, %a : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @store_ptr_tko_ordering_keyword(%p: tile<ptr<f32>>, %a: tile<f32>) {
    // expected-error @below {{expected string or keyword containing one of the following enum values for attribute 'memory_ordering_semantics' [weak, relaxed, acquire, release, acq_rel]}}
    %t = store_ptr_tko seq_cst %p, %a : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @store_ptr_tko_scope_keyword(%p: tile<ptr<f32>>, %a: tile<f32>) {
    // expected-error @below {{invalid memory_scope attribute specification. Got "gpu" but expect one of: tl_blk, device, sys}}
    %t = store_ptr_tko relaxed gpu %p, %a : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @store_ptr_tko_c1_pointee(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{`destination` type is expected a pointer type of `value` type; pointer pointee element type must match value element type}}
    %t = store_ptr_tko weak %p, %n : tile<ptr<f32>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @store_ptr_tko_c1_shape(%p: tile<ptr<f32>>) {
    %v = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{`destination` type is expected a pointer type of `value` type; pointer tile shape must match value shape}}
    %t = store_ptr_tko weak %p, %v : tile<ptr<f32>>, tile<8xf32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @store_ptr_tko_c2_mask(%p: tile<ptr<f32>>, %a: tile<f32>) {
    %m = constant <i1: true> : tile<8xi1>
    // expected-error @below {{shape of 'destination' must match the shape of 'mask'; mask shape must match value shape}}
    %t = store_ptr_tko weak %p, %a, %m : tile<ptr<f32>>, tile<f32>, tile<8xi1> -> token
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// alloca
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @alloca_c1_power() {
    // expected-error @below {{'alignment' must be power of two}}
    %r = alloca num_elem = 64, alignment = 12 : tile<ptr<f32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @alloca_c1_zero() {
    // expected-error @below {{'alignment' must be power of two}}
    %r = alloca num_elem = 64, alignment = 0 : tile<ptr<f32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @alloca_c2_size() {
    // expected-error @below {{'alignment' (2) must be at least the natural size (4 bytes) for element type 'f32'}}
    %r = alloca num_elem = 64, alignment = 2 : tile<ptr<f32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @alloca_c2_tf32() {
    // expected-error @below {{'alignment' (1) must be at least the natural size (2 bytes) for element type 'tf32'}}
    %r = alloca num_elem = 64, alignment = 1 : tile<ptr<tf32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @alloca_tile() {
    // expected-error @below {{result #0 must be 0D tile of Pointer type values, but got '!cuda_tile.tile<2xptr<f32>>'}}
    %r = alloca num_elem = 64, alignment = 4 : tile<2xptr<f32>>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// gdc_launch_dependents_tko
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @gdc_launch_dependents_tko_token(%n: tile<i32>) {
    // expected-error @below {{operand #0 must be cuda tile token type, but got '!cuda_tile.tile<i32>'}}
    %r = "cuda_tile.gdc_launch_dependents_tko"(%n) : (!cuda_tile.tile<i32>) -> !cuda_tile.token
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// gdc_wait_tko
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @gdc_wait_tko_token(%n: tile<i32>) {
    // expected-error @below {{operand #0 must be cuda tile token type, but got '!cuda_tile.tile<i32>'}}
    %r = "cuda_tile.gdc_wait_tko"(%n) : (!cuda_tile.tile<i32>) -> !cuda_tile.token
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// memory_fence_alias_tko
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @memory_fence_alias_tko_token(%n: tile<i32>) {
    // expected-error @below {{operand #0 must be cuda tile token type, but got '!cuda_tile.tile<i32>'}}
    %r = "cuda_tile.memory_fence_alias_tko"(%n) : (!cuda_tile.tile<i32>) -> !cuda_tile.token
    return
  }
}
