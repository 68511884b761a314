// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// get_index_space_shape
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @get_index_space_shape_c1_count(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    // expected-error @below {{expected 2 results due to view index space rank, but got 3}}
    %r:3 = get_index_space_shape %v : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>> -> tile<i32>, tile<i32>, tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @get_index_space_shape_tensor_view(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    // expected-error @below {{operand #0 must be TileView instance, but got '!cuda_tile.tensor_view<64x64xf32, strides=[64,1]>'}}
    %r:2 = get_index_space_shape %t : tensor_view<64x64xf32, strides=[64,1]> -> tile<i32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// get_tensor_shape
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @get_tensor_shape_c1_count(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    // expected-error @below {{expected 2 results due to tensor rank, but got 3}}
    %r:3 = get_tensor_shape %t : tensor_view<64x64xf32, strides=[64,1]> -> tile<i32>, tile<i32>, tile<i32>
    return
  }
}

// -----

// The type is looked at before the number of results.
cuda_tile.module @m {
  entry @get_tensor_shape_tile(%n: tile<i32>) {
    // expected-error @below {{expected tensor_view, got '!cuda_tile.tile<i32>'}}
    %r:3 = get_tensor_shape %n : tile<i32> -> tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @get_tensor_shape_tile_view(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    // expected-error @below {{expected tensor_view, got '!cuda_tile.partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>'}}
    %r:2 = get_tensor_shape %v : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>> -> tile<i32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// load_view_tko
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @load_view_tko_c1_ordering(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    // expected-error @below {{expect one of: weak, relaxed, or acquire, but got: release; load ordering must be weak, relaxed, or acquire}}
    %x, %tok = load_view_tko release device %v[%n, %n] : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x4xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @load_view_tko_c1_weak_scope(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    // expected-error @below {{operation specifies weak memory ordering semantics, but then provides "sys" scope, expected no memory scope.}}
    %x, %tok = load_view_tko weak sys %v[%n, %n] : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x4xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @load_view_tko_c1_no_scope(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    // expected-error @below {{memory scope is required for relaxed load; non-weak memory ordering requires an explicit scope}}
    %x, %tok = load_view_tko relaxed %v[%n, %n] : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x4xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @load_view_tko_ordering_keyword(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    // expected-error @below {{invalid memory_ordering_semantics attribute specification. Got "strong" but expect one of: weak, relaxed, acquire, release, acq_rel}}
    %x, %tok = load_view_tko strong %v[%n, %n] : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x4xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @load_view_tko_scope_keyword(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    // expected-error @below {{invalid memory_scope attribute specification. Got "cluster" but expect one of: tl_blk, device, sys}}
    %x, %tok = load_view_tko relaxed cluster %v[%n, %n] : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x4xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @load_view_tko_c2_count(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    // expected-error @below {{expected 2 index operands (based on view type), got 1}}
    %x, %tok = load_view_tko weak %v[%n] : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x4xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @load_view_tko_c2_index_rank(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    %i = iota : tile<8xi32>
    // expected-error @below {{expected index type to be a scalar tile, got '!cuda_tile.tile<8xi32>'}}
    %x, %tok = load_view_tko weak %v[%i, %i] : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>, tile<8xi32> -> tile<8x4xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @load_view_tko_c2_index_types(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    %i = constant <i64: 0> : tile<i64>
    // expected-error @below {{expected index type 1 to be the same as other index types ('!cuda_tile.tile<i32>'), got '!cuda_tile.tile<i64>'}}
    %x, %tok = load_view_tko weak %v[%n, %i] : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32>, tile<i64> -> tile<8x4xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @load_view_tko_c2_no_index_types(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    // expected-error @below {{index types must be specified when indices are present}}
    %x, %tok = load_view_tko weak %v[%n, %n] : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>> -> tile<8x4xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @load_view_tko_c2_index_type_count(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    // expected-error @below {{expected 2 index types, got 3}}
    %x, %tok = load_view_tko weak %v[%n, %n] : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32>, tile<i32>, tile<i32> -> tile<8x4xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @load_view_tko_c2_comma(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    // expected-error @below {{expected valid keyword}}
    // expected-error @below {{expected index type after comma}}
    %x, %tok = load_view_tko weak %v[%n, %n] : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>,  -> tile<8x4xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @load_view_tko_c4_inbounds(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    // expected-error @below {{expected inbounds to be empty or to have 2 entries (based on view type), got 1}}
    %x, %tok = load_view_tko weak %v[%n, %n] inbounds = [true] : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x4xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @load_view_tko_c3_type(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    // expected-error @below {{expected tile type to be '!cuda_tile.tile<8x4xf32>' (based on view type), got '!cuda_tile.tile<4x8xf32>'}}
    %x, %tok = load_view_tko weak %v[%n, %n] : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x8xf32>, token
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// make_partition_view
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @make_partition_view_c1_type(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    // expected-error @below {{expected the type of the provided tensor_view value ('!cuda_tile.tensor_view<64x64xf32, strides=[64,1]>') to be the same as the view's tensor_view type ('!cuda_tile.tensor_view<32x64xf32, strides=[64,1]>')}}
    %w = "cuda_tile.make_partition_view"(%t) : (!cuda_tile.tensor_view<64x64xf32, strides=[64,1]>) -> !cuda_tile.partition_view<tile=(8x4), tensor_view<32x64xf32, strides=[64,1]>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @make_partition_view_result(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    // expected-error @below {{expected 'partition_view' type, but got '!cuda_tile.tensor_view<64x64xf32, strides=[64,1]>'}}
    %w = make_partition_view %t : tensor_view<64x64xf32, strides=[64,1]>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// make_tensor_view
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @make_tensor_view_c1_pointee(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{expected pointer to 'f16' to build tensor_view of this type, got 'f32'}}
    %t = "cuda_tile.make_tensor_view"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!cuda_tile.tile<ptr<f32>>) -> !cuda_tile.tensor_view<f16>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @make_tensor_view_c2_shape(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{expected 1 dynamic shape operands, got 0}}
    %t = "cuda_tile.make_tensor_view"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!cuda_tile.tile<ptr<f32>>) -> !cuda_tile.tensor_view<?xf32, strides=[1]>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @make_tensor_view_c2_strides(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{expected 1 dynamic stride operands, got 2}}
    %t = "cuda_tile.make_tensor_view"(%p, %n, %n) <{operandSegmentSizes = array<i32: 1, 0, 2>}> : (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tensor_view<4xf32, strides=[?]>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @make_tensor_view_c3_shape(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %l = constant <i64: 1> : tile<i64>
    // expected-error @below {{expected dynamic shape index 1 to be of the same type as the other dynamic values ('!cuda_tile.tile<i32>'), got '!cuda_tile.tile<i64>'}}
    %t = "cuda_tile.make_tensor_view"(%p, %n, %l) <{operandSegmentSizes = array<i32: 1, 2, 0>}> : (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tensor_view<?x?xf32, strides=[1,1]>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @make_tensor_view_c3_stride(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %l = constant <i64: 1> : tile<i64>
    // expected-error @below {{expected dynamic stride index 0 to be of the same type as the other dynamic values ('!cuda_tile.tile<i32>'), got '!cuda_tile.tile<i64>'}}
    %t = "cuda_tile.make_tensor_view"(%p, %n, %l) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tensor_view<?xf32, strides=[?]>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @make_tensor_view_shape_count(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{expected shape declaration to contain 2 elements due to tensor_view type, but 1 were provided}}
    %t = make_tensor_view %p, shape = [64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @make_tensor_view_stride_count(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{expected stride declaration to contain 2 elements due to tensor_view type, but 1 were provided}}
    %t = make_tensor_view %p, shape = [64, 64], strides = [1] : tensor_view<64x64xf32, strides=[64,1]>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @make_tensor_view_shape_value(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{input shape dimension 0 does not match tensor_view type (expected 64, got 32)}}
    %t = make_tensor_view %p, shape = [32, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @make_tensor_view_extent(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{expected either integer or SSA value}}
    %t = make_tensor_view %p, shape = [?, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @make_tensor_view_result(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{expected 'tensor_view' type, but got '!cuda_tile.tile<i32>'}}
    %t = make_tensor_view %p, shape = [64], strides = [1] : tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @make_tensor_view_dynamic_type(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{expected '->'; expected the type of the dynamic values and '->' in front of the tensor_view type}}
    %t = make_tensor_view %p, shape = [%n], strides = [1] : tensor_view<?xf32, strides=[1]>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// store_view_tko
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @store_view_tko_c1_ordering(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    %x = constant <f32: 1.0> : tile<8x4xf32>
    // expected-error @below {{expect one of: weak, relaxed, or release, but got: acquire; store ordering must be weak, relaxed, or release}}
    %tok = store_view_tko acquire device %x, %v[%n, %n] : tile<8x4xf32>, partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @store_view_tko_c1_weak_scope(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    %x = constant <f32: 1.0> : tile<8x4xf32>
    // expected-error @below {{operation specifies weak memory ordering semantics, but then provides "sys" scope, expected no memory scope.}}
    %tok = store_view_tko weak sys %x, %v[%n, %n] : tile<8x4xf32>, partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @store_view_tko_c1_no_scope(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    %x = constant <f32: 1.0> : tile<8x4xf32>
    // expected-error @below {{memory scope is required for relaxed store; non-weak memory ordering requires an explicit scope}}
    %tok = store_view_tko relaxed %x, %v[%n, %n] : tile<8x4xf32>, partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @store_view_tko_ordering_keyword(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    %x = constant <f32: 1.0> : tile<8x4xf32>
    // expected-error @below {{invalid memory_ordering_semantics attribute specification. Got "strong" but expect one of: weak, relaxed, acquire, release, acq_rel}}
    %tok = store_view_tko strong %x, %v[%n, %n] : tile<8x4xf32>, partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @store_view_tko_scope_keyword(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    %x = constant <f32: 1.0> : tile<8x4xf32>
    // expected-error @below {{invalid memory_scope attribute specification. Got "cluster" but expect one of: tl_blk, device, sys}}
    %tok = store_view_tko relaxed cluster %x, %v[%n, %n] : tile<8x4xf32>, partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @store_view_tko_c2_count(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    %x = constant <f32: 1.0> : tile<8x4xf32>
    // expected-error @below {{expected 2 index operands (based on view type), got 1}}
    %tok = store_view_tko weak %x, %v[%n] : tile<8x4xf32>, partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @store_view_tko_c2_index_rank(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    %x = constant <f32: 1.0> : tile<8x4xf32>
    %i = iota : tile<8xi32>
    // expected-error @below {{expected index type to be a scalar tile, got '!cuda_tile.tile<8xi32>'}}
    %tok = store_view_tko weak %x, %v[%i, %i] : tile<8x4xf32>, partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>, tile<8xi32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @store_view_tko_c2_index_types(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    %x = constant <f32: 1.0> : tile<8x4xf32>
    %i = constant <i64: 0> : tile<i64>
    // expected-error @below {{expected index type 1 to be the same as other index types ('!cuda_tile.tile<i32>'), got '!cuda_tile.tile<i64>'}}
    %tok = store_view_tko weak %x, %v[%n, %i] : tile<8x4xf32>, partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32>, tile<i64> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @store_view_tko_c2_no_index_types(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    %x = constant <f32: 1.0> : tile<8x4xf32>
    // expected-error @below {{index types must be specified when indices are present}}
    %tok = store_view_tko weak %x, %v[%n, %n] : tile<8x4xf32>, partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @store_view_tko_c2_index_type_count(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    %x = constant <f32: 1.0> : tile<8x4xf32>
    // expected-error @below {{expected 2 index types, got 3}}
    %tok = store_view_tko weak %x, %v[%n, %n] : tile<8x4xf32>, partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32>, tile<i32>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @store_view_tko_c2_comma(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    %x = constant <f32: 1.0> : tile<8x4xf32>
    // expected-error @below {{expected valid keyword}}
    // expected-error @below {{expected index type after comma}}
    %tok = store_view_tko weak %x, %v[%n, %n] : tile<8x4xf32>, partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>,  -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @store_view_tko_c4_inbounds(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    %x = constant <f32: 1.0> : tile<8x4xf32>
    // expected-error @below {{expected inbounds to be empty or to have 2 entries (based on view type), got 1}}
    %tok = store_view_tko weak %x, %v[%n, %n] inbounds = [true] : tile<8x4xf32>, partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @store_view_tko_c3_type(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>
    %x = constant <f32: 1.0> : tile<4x8xf32>
    // expected-error @below {{expected tile type to be '!cuda_tile.tile<8x4xf32>' (based on view type), got '!cuda_tile.tile<4x8xf32>'}}
    %tok = store_view_tko weak %x, %v[%n, %n] : tile<4x8xf32>, partition_view<tile=(8x4), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
}
