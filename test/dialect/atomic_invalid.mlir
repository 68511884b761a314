// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// atomic_cas_tko
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @atomic_cas_tko_c1_weak(%p: tile<ptr<f32>>, %a: tile<f32>) {
    // expected-error @below {{memory ordering semantics must be one of: relaxed, acquire, release, acq_rel}}
    %r, %t = atomic_cas_tko weak device %p, %a, %a : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_cas_tko_scope(%p: tile<ptr<f32>>, %a: tile<f32>) {
    // expected-error @below {{expected string or keyword containing one of the following enum values for attribute 'memory_scope' [tl_blk, device, sys]}}
    %r, %t = atomic_cas_tko relaxed %p, %a, %a : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_cas_tko_types(%p: tile<ptr<f32>>, %a: tile<f32>, %n: tile<i32>) {
    // expected-error @below {{failed to verify that all of {cmp, val, result} have same type}}
    %r:2 = "cuda_tile.atomic_cas_tko"(%p, %a, %n) <{memory_ordering_semantics = #cuda_tile<memory_ordering_semantics relaxed>, memory_scope = #cuda_tile<memory_scope device>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<f32>, !cuda_tile.tile<i32>) -> (!cuda_tile.tile<f32>, !cuda_tile.token)
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_cas_tko_shapes(%p: tile<ptr<f32>>) {
    %a = constant <f32: 1.0> : tile<2xf32>
    // expected-error @below {{failed to verify that all of {pointers, cmp, val, result} have same shape; pointer tile shape must match value shape}}
    %r, %t = atomic_cas_tko relaxed device %p, %a, %a : tile<ptr<f32>>, tile<2xf32> -> tile<2xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_cas_tko_c2_pointee(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{expected pointee type ('f32') to match element type of 'val' ('i32'); pointer pointee element type must match value element type}}
    %r, %t = atomic_cas_tko relaxed device %p, %n, %n : tile<ptr<f32>>, tile<i32> -> tile<i32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_cas_tko_c3_f16(%p: tile<ptr<f16>>, %a: tile<f16>) {
    // expected-error @below {{expect only float or integer types with 32 or 64 bit}}
    %r, %t = atomic_cas_tko relaxed device %p, %a, %a : tile<ptr<f16>>, tile<f16> -> tile<f16>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_cas_tko_c4_mask(%p: tile<ptr<f32>>, %a: tile<f32>) {
    %m = constant <i1: true> : tile<2xi1>
    // expected-error @below {{failed to verify that all of {pointers, val, cmp and mask} have same shape; mask shape must match value shape}}
    %r, %t = atomic_cas_tko relaxed device %p, %a, %a, %m : tile<ptr<f32>>, tile<f32>, tile<2xi1> -> tile<f32>, token
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// atomic_rmw_tko
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @atomic_rmw_tko_c1_weak(%p: tile<ptr<f32>>, %a: tile<f32>) {
    // expected-error @below {{memory ordering semantics must be one of: relaxed, acquire, release, acq_rel}}
    %r, %t = atomic_rmw_tko weak device %p, addf, %a : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_rmw_tko_ordering(%p: tile<ptr<f32>>, %a: tile<f32>) {
    // expected-error @below {{expected string or keyword containing one of the following enum values for attribute 'memory_ordering_semantics' [weak, relaxed, acquire, release, acq_rel]}}
    %r, %t = atomic_rmw_tko seq_cst device %p, addf, %a : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_rmw_tko_scope(%p: tile<ptr<f32>>, %a: tile<f32>) {
    // expected-error @below {{expected string or keyword containing one of the following enum values for attribute 'memory_scope' [tl_blk, device, sys]}}
    %r, %t = atomic_rmw_tko relaxed gpu %p, addf, %a : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_rmw_tko_mode(%p: tile<ptr<f32>>, %a: tile<f32>) {
    // expected-error @below {{expected string or keyword containing one of the following enum values for attribute 'mode' [and, or, xor, add, addf, max, min, umax, umin, xchg]}}
    %r, %t = atomic_rmw_tko relaxed device %p, addu, %a : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_rmw_tko_shapes(%p: tile<ptr<f32>>) {
    %a = constant <f32: 1.0> : tile<2xf32>
    // expected-error @below {{failed to verify that all of {pointers, arg, result} have same shape; pointer tile shape must match value shape}}
    %r, %t = atomic_rmw_tko relaxed device %p, addf, %a : tile<ptr<f32>>, tile<2xf32> -> tile<2xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_rmw_tko_types(%p: tile<ptr<f32>>, %a: tile<f32>) {
    // expected-error @below {{failed to verify that all of {arg, result} have same type}}
    %r, %t = atomic_rmw_tko relaxed device %p, addf, %a : tile<ptr<f32>>, tile<f32> -> tile<i32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_rmw_tko_c2_pointee(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{expected pointee type ('f32') to match element type of 'arg' ('i32'); pointer pointee element type must match value element type}}
    %r, %t = atomic_rmw_tko relaxed device %p, add, %n : tile<ptr<f32>>, tile<i32> -> tile<i32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_rmw_tko_c3_integer(%p: tile<ptr<f32>>, %a: tile<f32>) {
    // expected-error @below {{'and' works only with integers i32 and i64; integer rmw mode requires i32 or i64 element type}}
    %r, %t = atomic_rmw_tko relaxed device %p, and, %a : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_rmw_tko_c3_i16(%p: tile<ptr<i16>>, %a: tile<i16>) {
    // expected-error @below {{'umax' works only with integers i32 and i64}}
    %r, %t = atomic_rmw_tko relaxed device %p, umax, %a : tile<ptr<i16>>, tile<i16> -> tile<i16>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_rmw_tko_c3_addf(%p: tile<ptr<i32>>, %a: tile<i32>) {
    // expected-error @below {{'addf' works only with floats f16, bf16, f32, and f64; floating-add rmw requires a target-supported floating width}}
    %r, %t = atomic_rmw_tko relaxed device %p, addf, %a : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_rmw_tko_c3_xchg(%p: tile<ptr<f16>>, %a: tile<f16>) {
    // expected-error @below {{'xchg' works only with integers or float of 32 or 64 bitwidth; xchg rmw requires a target-supported atomic width}}
    %r, %t = atomic_rmw_tko relaxed device %p, xchg, %a : tile<ptr<f16>>, tile<f16> -> tile<f16>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_rmw_tko_c4_mask(%p: tile<ptr<f32>>, %a: tile<f32>) {
    %m = constant <i1: true> : tile<2xi1>
    // expected-error @below {{failed to verify that all of {pointers, arg, mask} have same shape; mask shape must match value shape}}
    %r, %t = atomic_rmw_tko relaxed device %p, addf, %a, %m : tile<ptr<f32>>, tile<f32>, tile<2xi1> -> tile<f32>, token
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// atomic_red_view_tko
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @atomic_red_view_tko_ordering(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{invalid memory_ordering_semantics: 'seq_cst'; expected one of: weak, relaxed, acquire, release, acq_rel}}
    %tok = atomic_red_view_tko seq_cst device %v[%i], addf, %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_red_view_tko_scope(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{invalid memory_scope: 'gpu'; expected one of: tl_blk, device, sys}}
    %tok = atomic_red_view_tko relaxed gpu %v[%i], addf, %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_red_view_tko_mode(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{unknown atomic RMW mode: 'addu'; expected one of: and, or, xor, add, addf, max, min, umax, umin}}
    %tok = atomic_red_view_tko relaxed device %v[%i], addu, %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_red_view_tko_no_index_types(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{index types must be specified when indices are present}}
    %tok = atomic_red_view_tko relaxed device %v[%i], addf, %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_red_view_tko_index_types(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expected 1 index types, got 2}}
    %tok = atomic_red_view_tko relaxed device %v[%i], addf, %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_red_view_tko_comma(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expected valid keyword}}
    // expected-error @below {{expected index type after comma}}
    %tok = atomic_red_view_tko relaxed device %v[%i], addf, %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_red_view_tko_view(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{operand #0 must be TileView instance, but got '!cuda_tile.tensor_view<64xf32, strides=[1]>'}}
    %tok = atomic_red_view_tko relaxed device %t[%i], addf, %x : tile<8xf32>, tensor_view<64xf32, strides=[1]>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_red_view_tko_c1_gather(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_gather_scatter_view %t : gather_scatter_view<tile=(8), tensor_view<64xf32, strides=[1]>, sparse_dim=0>
    %x = constant <f32: 1.0> : tile<8xf32>
    %j = iota : tile<8xi32>
    // expected-error @below {{gather_scatter_view is not supported; use partition_view instead}}
    %tok = atomic_red_view_tko relaxed device %v[%j], addf, %x : tile<8xf32>, gather_scatter_view<tile=(8), tensor_view<64xf32, strides=[1]>, sparse_dim=0>, tile<8xi32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_red_view_tko_c1_padding(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), padding_value = zero, tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{views with padding_value are not supported for atomic reductions}}
    %tok = atomic_red_view_tko relaxed device %v[%i], addf, %x : tile<8xf32>, partition_view<tile=(8), padding_value = zero, tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_red_view_tko_c1_strided_padding(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_strided_view %t : strided_view<tile=(8), traversal_strides=[4], padding_value = zero, tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{views with padding_value are not supported for atomic reductions}}
    %tok = atomic_red_view_tko relaxed device %v[%i], addf, %x : tile<8xf32>, strided_view<tile=(8), traversal_strides=[4], padding_value = zero, tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_red_view_tko_c2_element(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <i32: 1> : tile<8xi32>
    // expected-error @below {{view element type ('f32') must match value element type ('i32'); pointer pointee element type must match value element type}}
    %tok = atomic_red_view_tko relaxed device %v[%i], add, %x : tile<8xi32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_red_view_tko_c2_shape(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<4xf32>
    // expected-error @below {{view tile shape 8 must match value shape 4 for element-wise atomic operations; pointer tile shape must match value shape}}
    %tok = atomic_red_view_tko relaxed device %v[%i], addf, %x : tile<4xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_red_view_tko_c3_xchg(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{atomic_red_view_tko op cannot use xchg operation}}
    %tok = atomic_red_view_tko relaxed device %v[%i], xchg, %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_red_view_tko_c3_mode(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{'max' works only with integers i32 and i64; integer rmw mode requires i32 or i64 element type}}
    %tok = atomic_red_view_tko relaxed device %v[%i], max, %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_red_view_tko_c3_addf(%p: tile<ptr<i32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xi32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>
    %x = constant <i32: 1> : tile<8xi32>
    // expected-error @below {{'addf' works only with floats f16, bf16, f32, and f64; floating-add rmw requires a target-supported floating width}}
    %tok = atomic_red_view_tko relaxed device %v[%i], addf, %x : tile<8xi32>, partition_view<tile=(8), tensor_view<64xi32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_red_view_tko_c4_acquire(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{only 'relaxed' memory ordering is supported for view-based atomic reductions}}
    %tok = atomic_red_view_tko acquire device %v[%i], addf, %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_red_view_tko_c4_sys(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{memory scope 'sys' is not supported for view-based atomic reductions; use 'tl_blk' or 'device' for TMA compatibility}}
    %tok = atomic_red_view_tko relaxed sys %v[%i], addf, %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_red_view_tko_c5_count(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expected 1 index operand(s) for view with tile rank 1, got 2}}
    %tok = atomic_red_view_tko relaxed device %v[%i, %i], addf, %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_red_view_tko_c5_rank(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    %j = iota : tile<8xi32>
    // expected-error @below {{index operand 0 must be a scalar tile (rank 0), got shape 8}}
    %tok = atomic_red_view_tko relaxed device %v[%j], addf, %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<8xi32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_red_view_tko_c5_float(%p: tile<ptr<f32>>, %i: tile<i32>, %j: tile<f32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{operand #1 must be variadic of tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<f32>'}}
    %tok = atomic_red_view_tko relaxed device %v[%j], addf, %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<f32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @atomic_red_view_tko_c6_inbounds(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expected inbounds to be empty or to have 1 entries (based on view type), got 2}}
    %tok = atomic_red_view_tko relaxed device %v[%i], addf, %x inbounds = [true, true] : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
