// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// multimem_load_reduce_view_tko
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @multimem_load_reduce_view_tko_reduction(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{unknown multimem reduction: 'addf'; expected one of: add, min, max, and, or, xor, umin, umax}}
    %r, %tok = multimem_load_reduce_view_tko relaxed sys %v[%i], addf : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_load_reduce_view_tko_c2_release(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expect one of: weak, relaxed, or acquire, but got: release}}
    %r, %tok = multimem_load_reduce_view_tko release sys %v[%i], add : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_load_reduce_view_tko_c2_weak(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{operation specifies weak memory ordering semantics, but then provides "sys" scope, expected no memory scope.}}
    %r, %tok = multimem_load_reduce_view_tko weak sys %v[%i], add : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_load_reduce_view_tko_c2_no_scope(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{memory scope is required for relaxed load}}
    %r, %tok = multimem_load_reduce_view_tko relaxed %v[%i], add : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_load_reduce_view_tko_c3_integers(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{and/or/xor/umin/umax reductions require integer element types; got 'f32'}}
    %r, %tok = multimem_load_reduce_view_tko relaxed sys %v[%i], umin : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_load_reduce_view_tko_c1_strided(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_strided_view %t : strided_view<tile=(8), traversal_strides=[4], tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expected the view to be a partition_view, got '!cuda_tile.strided_view<tile=(8), traversal_strides=[4], tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>'}}
    %r, %tok = multimem_load_reduce_view_tko relaxed sys %v[%i], add : strided_view<tile=(8), traversal_strides=[4], tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_load_reduce_view_tko_c4_type(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %x = constant <f32: 1.0> : tile<4xf32>
    // expected-error @below {{expected tile type to be '!cuda_tile.tile<8xf32>' (based on view type), got '!cuda_tile.tile<4xf32>'}}
    %r, %tok = multimem_load_reduce_view_tko relaxed sys %v[%i], add : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<4xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_load_reduce_view_tko_c5_count(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expected 1 index operands (based on view type), got 2}}
    %r, %tok = multimem_load_reduce_view_tko relaxed sys %v[%i, %i], add : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_load_reduce_view_tko_c5_rank(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %x = constant <f32: 1.0> : tile<8xf32>
    %j = iota : tile<8xi32>
    // expected-error @below {{expected index type to be a scalar tile, got '!cuda_tile.tile<8xi32>'}}
    %r, %tok = multimem_load_reduce_view_tko relaxed sys %v[%j], add : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<8xi32> -> tile<8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_load_reduce_view_tko_c6_inbounds(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expected inbounds to be empty or to have 1 entries (based on view type), got 2}}
    %r, %tok = multimem_load_reduce_view_tko relaxed sys %v[%i], add inbounds = [true, true] : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<8xf32>, token
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// multimem_reduce_view_tko
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @multimem_reduce_view_tko_c2_acquire(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{memory ordering semantics must be one of: relaxed, release; got acquire}}
    %tok = multimem_reduce_view_tko acquire sys %v[%i], add, %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_reduce_view_tko_scope(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expected string or keyword containing one of the following enum values for attribute 'memory_scope' [tl_blk, device, sys]}}
    %tok = multimem_reduce_view_tko relaxed %v[%i], add, %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_reduce_view_tko_c3_integers(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{supports only add for floating-point element types; got 'xor' of 'f32'}}
    %tok = multimem_reduce_view_tko relaxed sys %v[%i], xor, %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_reduce_view_tko_c1_strided(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_strided_view %t : strided_view<tile=(8), traversal_strides=[4], tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expected the view to be a partition_view, got '!cuda_tile.strided_view<tile=(8), traversal_strides=[4], tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>'}}
    %tok = multimem_reduce_view_tko relaxed sys %v[%i], add, %x : tile<8xf32>, strided_view<tile=(8), traversal_strides=[4], tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_reduce_view_tko_c4_type(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %x = constant <f32: 1.0> : tile<4xf32>
    // expected-error @below {{expected tile type to be '!cuda_tile.tile<8xf32>' (based on view type), got '!cuda_tile.tile<4xf32>'}}
    %tok = multimem_reduce_view_tko relaxed sys %v[%i], add, %x : tile<4xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_reduce_view_tko_c5_count(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expected 1 index operands (based on view type), got 2}}
    %tok = multimem_reduce_view_tko relaxed sys %v[%i, %i], add, %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_reduce_view_tko_c5_rank(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %x = constant <f32: 1.0> : tile<8xf32>
    %j = iota : tile<8xi32>
    // expected-error @below {{expected index type to be a scalar tile, got '!cuda_tile.tile<8xi32>'}}
    %tok = multimem_reduce_view_tko relaxed sys %v[%j], add, %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<8xi32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_reduce_view_tko_c6_inbounds(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expected inbounds to be empty or to have 1 entries (based on view type), got 2}}
    %tok = multimem_reduce_view_tko relaxed sys %v[%i], add, %x inbounds = [true, true] : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// multimem_store_view_tko
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @multimem_store_view_tko_c2_acquire(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expect one of: weak, relaxed, or release, but got: acquire}}
    %tok = multimem_store_view_tko acquire sys %v[%i], %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_store_view_tko_c1_strided(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_strided_view %t : strided_view<tile=(8), traversal_strides=[4], tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expected the view to be a partition_view, got '!cuda_tile.strided_view<tile=(8), traversal_strides=[4], tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>'}}
    %tok = multimem_store_view_tko relaxed sys %v[%i], %x : tile<8xf32>, strided_view<tile=(8), traversal_strides=[4], tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_store_view_tko_c3_type(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %x = constant <f32: 1.0> : tile<4xf32>
    // expected-error @below {{expected tile type to be '!cuda_tile.tile<8xf32>' (based on view type), got '!cuda_tile.tile<4xf32>'}}
    %tok = multimem_store_view_tko relaxed sys %v[%i], %x : tile<4xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_store_view_tko_c4_count(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expected 1 index operands (based on view type), got 2}}
    %tok = multimem_store_view_tko relaxed sys %v[%i, %i], %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_store_view_tko_c4_rank(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %x = constant <f32: 1.0> : tile<8xf32>
    %j = iota : tile<8xi32>
    // expected-error @below {{expected index type to be a scalar tile, got '!cuda_tile.tile<8xi32>'}}
    %tok = multimem_store_view_tko relaxed sys %v[%j], %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<8xi32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_store_view_tko_c5_inbounds(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expected inbounds to be empty or to have 1 entries (based on view type), got 2}}
    %tok = multimem_store_view_tko relaxed sys %v[%i], %x inbounds = [true, true] : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_store_view_tko_hints(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expected ':'}}
    %tok = multimem_store_view_tko relaxed sys %v[%i], %x optimization_hints = <sm_100 = {latency = 2}> : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// Pointers and elements of all three
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @multimem_load_reduce_view_tko_c1_no_attribute(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    // expected-error @below {{expected a multicast pointer, but got none}}
    %r, %tok = multimem_load_reduce_view_tko relaxed sys %v[%i], add : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_store_view_tko_c1_unicast(%p: tile<ptr<f32, <unicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<unicast>>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<unicast>>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expected a multicast pointer, but got unicast}}
    %tok = multimem_store_view_tko weak %v[%i], %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<unicast>>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_load_reduce_view_tko_c3_i8(%p: tile<ptr<i8, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xi8, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xi8, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    // expected-error @below {{multimem requires 32- or 64-bit integer/index element types; got 8 bits}}
    %r, %tok = multimem_load_reduce_view_tko relaxed sys %v[%i], add : partition_view<tile=(8), tensor_view<64xi8, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<8xi8>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_load_reduce_view_tko_c3_f8(%p: tile<ptr<f8E5M2, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf8E5M2, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf8E5M2, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    // expected-error @below {{multimem supports only f16, bf16, f32, and f64 floating-point element types}}
    %r, %tok = multimem_load_reduce_view_tko relaxed sys %v[%i], add : partition_view<tile=(8), tensor_view<64xf8E5M2, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<8xf8E5M2>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_load_reduce_view_tko_c3_max(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    // expected-error @below {{min/max supports f16 and bf16 float types only; got 'f32'}}
    %r, %tok = multimem_load_reduce_view_tko relaxed sys %v[%i], max : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<8xf32>, token
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// Attributes of pointers elsewhere
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @load_ptr_tko_c6_multicast(%p: tile<ptr<f32, <multicast>>>) {
    // expected-error @below {{'cuda_tile.load_ptr_tko' op multicast pointer is not allowed}}
    %x, %t = load_ptr_tko weak %p : tile<ptr<f32, <multicast>>> -> tile<f32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @load_view_tko_c6_multicast(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    // expected-error @below {{'cuda_tile.load_view_tko' op multicast ptr_attr is not allowed}}
    %x, %tok = load_view_tko weak %v[%i] : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @make_tensor_view_c4_no_base(%p: tile<ptr<f32>>) {
    // expected-error @below {{pointer base without ptr_attr cannot produce tensor_view with ptr_attr}}
    %t = "cuda_tile.make_tensor_view"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!cuda_tile.tile<ptr<f32>>) -> !cuda_tile.tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<unicast>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @make_tensor_view_c4_dropped(%p: tile<ptr<f32, <unicast>>>) {
    // expected-error @below {{tensor_view must preserve ptr_attr from base pointer (#cuda_tile.ptr_attr<unicast>)}}
    %t = "cuda_tile.make_tensor_view"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!cuda_tile.tile<ptr<f32, <unicast>>>) -> !cuda_tile.tensor_view<64xf32, strides=[1]>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @make_tensor_view_c4_other(%p: tile<ptr<f32, <unicast>>>) {
    // expected-error @below {{ptr_attr mismatch between base pointer (#cuda_tile.ptr_attr<unicast>) and result tensor_view (#cuda_tile.ptr_attr<none>)}}
    %t = "cuda_tile.make_tensor_view"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!cuda_tile.tile<ptr<f32, <unicast>>>) -> !cuda_tile.tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<none>>
    return
  }
}

// -----

cuda_tile.module @m {
  // expected-error @below {{expected a pointer attribute: one of none, unicast, multicast; got many}}
  entry @no_such_attribute(%p: tile<ptr<f32, <many>>>) {
    return
  }
}
