// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// multimem_load_reduce_view_tko
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @multimem_load_reduce_view_tko_reduction(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{unknown multimem reduction: 'addf'; expected one of: add, min, max, and, or, xor, umin, umax}}
    %r, %tok = multimem_load_reduce_view_tko relaxed sys %v[%i], addf : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_load_reduce_view_tko_c2_release(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expect one of: weak, relaxed, or acquire, but got: release}}
    %r, %tok = multimem_load_reduce_view_tko release sys %v[%i], add : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_load_reduce_view_tko_c2_weak(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{operation specifies weak memory ordering semantics, but then provides "sys" scope, expected no memory scope.}}
    %r, %tok = multimem_load_reduce_view_tko weak sys %v[%i], add : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_load_reduce_view_tko_c2_no_scope(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{memory scope is required for relaxed load}}
    %r, %tok = multimem_load_reduce_view_tko relaxed %v[%i], add : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_load_reduce_view_tko_c3_integers(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expected integers for reduction 'umin', got 'f32'}}
    %r, %tok = multimem_load_reduce_view_tko relaxed sys %v[%i], umin : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_load_reduce_view_tko_c1_strided(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_strided_view %t : strided_view<tile=(8), traversal_strides=[4], tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expected the view to be a partition_view, got '!cuda_tile.strided_view<tile=(8), traversal_strides=[4], tensor_view<64xf32, strides=[1]>>'}}
    %r, %tok = multimem_load_reduce_view_tko relaxed sys %v[%i], add : strided_view<tile=(8), traversal_strides=[4], tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_load_reduce_view_tko_c4_type(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<4xf32>
    // expected-error @below {{expected tile type to be '!cuda_tile.tile<8xf32>' (based on view type), got '!cuda_tile.tile<4xf32>'}}
    %r, %tok = multimem_load_reduce_view_tko relaxed sys %v[%i], add : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_load_reduce_view_tko_c5_count(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expected 1 index operands (based on view type), got 2}}
    %r, %tok = multimem_load_reduce_view_tko relaxed sys %v[%i, %i], add : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_load_reduce_view_tko_c5_rank(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    %j = iota : tile<8xi32>
    // expected-error @below {{expected index type to be a scalar tile, got '!cuda_tile.tile<8xi32>'}}
    %r, %tok = multimem_load_reduce_view_tko relaxed sys %v[%j], add : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<8xi32> -> tile<8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_load_reduce_view_tko_c6_inbounds(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expected inbounds to be empty or to have 1 entries (based on view type), got 2}}
    %r, %tok = multimem_load_reduce_view_tko relaxed sys %v[%i], add inbounds = [true, true] : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// multimem_reduce_view_tko
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @multimem_reduce_view_tko_c2_acquire(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expect one of: relaxed, or release, but got: acquire}}
    %tok = multimem_reduce_view_tko acquire sys %v[%i], add, %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_reduce_view_tko_scope(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expected string or keyword containing one of the following enum values for attribute 'memory_scope' [tl_blk, device, sys]}}
    %tok = multimem_reduce_view_tko relaxed %v[%i], add, %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_reduce_view_tko_c3_integers(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expected integers for reduction 'xor', got 'f32'}}
    %tok = multimem_reduce_view_tko relaxed sys %v[%i], xor, %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_reduce_view_tko_c1_strided(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_strided_view %t : strided_view<tile=(8), traversal_strides=[4], tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expected the view to be a partition_view, got '!cuda_tile.strided_view<tile=(8), traversal_strides=[4], tensor_view<64xf32, strides=[1]>>'}}
    %tok = multimem_reduce_view_tko relaxed sys %v[%i], add, %x : tile<8xf32>, strided_view<tile=(8), traversal_strides=[4], tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_reduce_view_tko_c4_type(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<4xf32>
    // expected-error @below {{expected tile type to be '!cuda_tile.tile<8xf32>' (based on view type), got '!cuda_tile.tile<4xf32>'}}
    %tok = multimem_reduce_view_tko relaxed sys %v[%i], add, %x : tile<4xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_reduce_view_tko_c5_count(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expected 1 index operands (based on view type), got 2}}
    %tok = multimem_reduce_view_tko relaxed sys %v[%i, %i], add, %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_reduce_view_tko_c5_rank(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    %j = iota : tile<8xi32>
    // expected-error @below {{expected index type to be a scalar tile, got '!cuda_tile.tile<8xi32>'}}
    %tok = multimem_reduce_view_tko relaxed sys %v[%j], add, %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<8xi32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_reduce_view_tko_c6_inbounds(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expected inbounds to be empty or to have 1 entries (based on view type), got 2}}
    %tok = multimem_reduce_view_tko relaxed sys %v[%i], add, %x inbounds = [true, true] : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// multimem_store_view_tko
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @multimem_store_view_tko_c2_acquire(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expect one of: weak, relaxed, or release, but got: acquire}}
    %tok = multimem_store_view_tko acquire sys %v[%i], %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_store_view_tko_c1_strided(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_strided_view %t : strided_view<tile=(8), traversal_strides=[4], tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expected the view to be a partition_view, got '!cuda_tile.strided_view<tile=(8), traversal_strides=[4], tensor_view<64xf32, strides=[1]>>'}}
    %tok = multimem_store_view_tko relaxed sys %v[%i], %x : tile<8xf32>, strided_view<tile=(8), traversal_strides=[4], tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_store_view_tko_c3_type(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<4xf32>
    // expected-error @below {{expected tile type to be '!cuda_tile.tile<8xf32>' (based on view type), got '!cuda_tile.tile<4xf32>'}}
    %tok = multimem_store_view_tko relaxed sys %v[%i], %x : tile<4xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_store_view_tko_c4_count(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expected 1 index operands (based on view type), got 2}}
    %tok = multimem_store_view_tko relaxed sys %v[%i, %i], %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_store_view_tko_c4_rank(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    %j = iota : tile<8xi32>
    // expected-error @below {{expected index type to be a scalar tile, got '!cuda_tile.tile<8xi32>'}}
    %tok = multimem_store_view_tko relaxed sys %v[%j], %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<8xi32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_store_view_tko_c5_inbounds(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expected inbounds to be empty or to have 1 entries (based on view type), got 2}}
    %tok = multimem_store_view_tko relaxed sys %v[%i], %x inbounds = [true, true] : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @multimem_store_view_tko_hints(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expected ':'}}
    %tok = multimem_store_view_tko relaxed sys %v[%i], %x optimization_hints = <sm_100 = {latency = 2}> : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
