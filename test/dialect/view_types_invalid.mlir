// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics

// Not reachable: `gather/scatter dimension d is out of range for index count n`
// (the ops compare the number of indices with the view's rank first) and `expected
// index ... to be a tile type` (the ops' operands are tiles).

//===----------------------------------------------------------------------===//
// strided_view
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @strided_0d() {
    // expected-error @below {{0-dimension tile shape is not supported}}
    %r = make_token : strided_view<tile=(), traversal_strides=[], tensor_view<f32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @strided_rank() {
    // expected-error @below {{expected tensor_view rank and tile rank to match, got tensor_view of rank 2 and tiles of rank 1}}
    %r = make_token : strided_view<tile=(8), traversal_strides=[4], tensor_view<64x64xf32, strides=[64,1]>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @strided_dim_map_count() {
    // expected-error @below {{expected dim_map to map exactly all 2 dimensions of the tile, got 1 mappings}}
    %r = make_token : strided_view<tile=(8x8), traversal_strides=[4,8], tensor_view<64x64xf32, strides=[64,1]>, dim_map=[0]>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @strided_power() {
    // expected-error @below {{tile shape dimensions must have power of two length but got [8, 3]}}
    %r = make_token : strided_view<tile=(8x3), traversal_strides=[4,8], tensor_view<64x64xf32, strides=[64,1]>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @strided_extent() {
    // expected-error @below {{tile dimension 1 exceeds i32 limitations (got 4294967296, expected strictly positive and less than or equal to 2147483647)}}
    %r = make_token : strided_view<tile=(8x4294967296), traversal_strides=[4,8], tensor_view<64x64xf32, strides=[64,1]>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @strided_dim_map_negative() {
    // expected-error @below {{target dimension must not be negative, got -1}}
    %r = make_token : strided_view<tile=(8x8), traversal_strides=[4,8], tensor_view<64x64xf32, strides=[64,1]>, dim_map=[0, -1]>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @strided_dim_map_outside() {
    // expected-error @below {{target dimension is outside of tensor view dimensions, expected strictly less than 2, got 2}}
    %r = make_token : strided_view<tile=(8x8), traversal_strides=[4,8], tensor_view<64x64xf32, strides=[64,1]>, dim_map=[0, 2]>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @strided_dim_map_twice() {
    // expected-error @below {{target dimension 1 mapped at least twice (for tile dimensions 0 and 1)}}
    %r = make_token : strided_view<tile=(8x8), traversal_strides=[4,8], tensor_view<64x64xf32, strides=[64,1]>, dim_map=[1, 1]>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @strided_padding() {
    // expected-error @below {{padding_value nan can only be used with floating point element types, got 'i32'}}
    %r = make_token : strided_view<tile=(8), traversal_strides=[4], padding_value = nan, tensor_view<64xi32, strides=[1]>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @strided_padding_keyword() {
    // expected-error @below {{invalid padding_value attribute specification. Got "one" but expect one of: zero, neg_zero, nan, pos_inf, neg_inf}}
    %r = make_token : strided_view<tile=(8), traversal_strides=[4], padding_value = one, tensor_view<64xi32, strides=[1]>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @strided_too_large() {
    // expected-error @below {{tile would exceed the maximum of 16777216 elements}}
    %r = make_token : strided_view<tile=(4096x8192), traversal_strides=[4,8], tensor_view<?x?xf32, strides=[?,1]>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @strided_count() {
    // expected-error @below {{expected 2 traversal strides, got 1}}
    %r = make_token : strided_view<tile=(8x8), traversal_strides=[4], tensor_view<64x64xf32, strides=[64,1]>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @strided_positive() {
    // expected-error @below {{traversal strides must be strictly positive but got [4, 0]}}
    %r = make_token : strided_view<tile=(8x8), traversal_strides=[4,0], tensor_view<64x64xf32, strides=[64,1]>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @strided_no_strides() {
    // expected-error @below {{expected 'traversal_strides'}}
    %r = make_token : strided_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @strided_tensor_view() {
    // expected-error @below {{expected 'tensor_view' type, but got '!cuda_tile.tile<f32>'}}
    %r = make_token : strided_view<tile=(8x8), traversal_strides=[4,8], tile<f32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @make_strided_view_kind(%p: tile<ptr<f32>>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    // expected-error @below {{expected 'strided_view' type, but got '!cuda_tile.partition_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>>'}}
    %v = make_strided_view %t : partition_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// gather_scatter_view
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @gather_0d() {
    // expected-error @below {{0-dimension tile shape is not supported}}
    %r = make_token : gather_scatter_view<tile=(), tensor_view<f32>, sparse_dim=0>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @gather_rank() {
    // expected-error @below {{expected tensor_view rank and tile rank to match, got tensor_view of rank 2 and tiles of rank 1}}
    %r = make_token : gather_scatter_view<tile=(8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @gather_power() {
    // expected-error @below {{tile shape dimensions must have power of two length but got [8, 3]}}
    %r = make_token : gather_scatter_view<tile=(8x3), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @gather_outside() {
    // expected-error @below {{gather dimension is outside of tensor view dimensions, expected strictly less than 2, got 2}}
    %r = make_token : gather_scatter_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=2>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @gather_negative() {
    // expected-error @below {{gather dimension must not be negative, got -1}}
    %r = make_token : gather_scatter_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=-1>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @gather_padding() {
    // expected-error @below {{padding_value neg_inf can only be used with floating point element types, got 'i32'}}
    %r = make_token : gather_scatter_view<tile=(8), padding_value = neg_inf, tensor_view<64xi32, strides=[1]>, sparse_dim=0>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @gather_too_large() {
    // expected-error @below {{tile would exceed the maximum of 16777216 elements}}
    %r = make_token : gather_scatter_view<tile=(4096x8192), tensor_view<?x?xf32, strides=[?,1]>, sparse_dim=0>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @gather_no_dim() {
    // expected-error @below {{expected ','}}
    %r = make_token : gather_scatter_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @gather_tensor_view() {
    // expected-error @below {{expected 'tensor_view' type, but got '!cuda_tile.tile<f32>'}}
    %r = make_token : gather_scatter_view<tile=(8x8), tile<f32>, sparse_dim=0>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @make_gather_scatter_view_kind(%p: tile<ptr<f32>>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    // expected-error @below {{expected 'gather_scatter_view' type, but got '!cuda_tile.partition_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>>'}}
    %v = make_gather_scatter_view %t : partition_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @gather_index_count(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_gather_scatter_view %t : gather_scatter_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>
    // expected-error @below {{expected 2 index operands (based on view type), got 1}}
    %x, %k = load_view_tko weak %v[%n] : gather_scatter_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>, tile<i32> -> tile<8x8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @gather_index_rank(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_gather_scatter_view %t : gather_scatter_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>
    // expected-error @below {{expected index at sparse_dim position 0 to be a 1D tensor for GatherScatterView, got rank 0}}
    %x, %k = load_view_tko weak %v[%n, %n] : gather_scatter_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>, tile<i32> -> tile<8x8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @gather_index_size(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_gather_scatter_view %t : gather_scatter_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>
    %i = iota : tile<4xi32>
    // expected-error @below {{expected gather/scatter index size (4) to match tile shape at gather/scatter dimension 0 (8)}}
    %x, %k = load_view_tko weak %v[%i, %n] : gather_scatter_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> tile<8x8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @gather_index_scalar(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_gather_scatter_view %t : gather_scatter_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>
    %i = iota : tile<8xi32>
    // expected-error @below {{expected index 1 to be a scalar tile for GatherScatterView}}
    %x, %k = load_view_tko weak %v[%i, %i] : gather_scatter_view<tile=(8x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>, tile<8xi32> -> tile<8x8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @gather_index_types(%p: tile<ptr<f32>>, %n: tile<i32>, %m: tile<i64>) {
    %t = make_tensor_view %p, shape = [64, 64, 64], strides = [4096, 64, 1] : tensor_view<64x64x64xf32, strides=[4096,64,1]>
    %v = make_gather_scatter_view %t : gather_scatter_view<tile=(4x8x4), tensor_view<64x64x64xf32, strides=[4096,64,1]>, sparse_dim=1>
    %i = iota : tile<8xi64>
    // expected-error @below {{expected scalar index 2 to have the same type as other scalar indices ('!cuda_tile.tile<i32>'), got '!cuda_tile.tile<i64>'}}
    %x, %k = load_view_tko weak %v[%n, %i, %m] : gather_scatter_view<tile=(4x8x4), tensor_view<64x64x64xf32, strides=[4096,64,1]>, sparse_dim=1>, tile<i32>, tile<8xi64>, tile<i64> -> tile<4x8x4xf32>, token
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// C1 of make_*: the usual form has one tensor_view type, the generic form two
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @make_strided_view_c1(%p: tile<ptr<f32>>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    // expected-error @below {{expected the type of the provided tensor_view value ('!cuda_tile.tensor_view<64xf32, strides=[1]>') to be the same as the view's tensor_view type ('!cuda_tile.tensor_view<64xf32, strides=[2]>')}}
    %v = "cuda_tile.make_strided_view"(%t) : (!cuda_tile.tensor_view<64xf32, strides=[1]>) -> !cuda_tile.strided_view<tile=(8), traversal_strides=[4], tensor_view<64xf32, strides=[2]>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @make_gather_scatter_view_c1(%p: tile<ptr<f32>>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    // expected-error @below {{expected the type of the provided tensor_view value ('!cuda_tile.tensor_view<64xf32, strides=[1]>') to be the same as the view's tensor_view type ('!cuda_tile.tensor_view<64xf32, strides=[2]>')}}
    %v = "cuda_tile.make_gather_scatter_view"(%t) : (!cuda_tile.tensor_view<64xf32, strides=[1]>) -> !cuda_tile.gather_scatter_view<tile=(8), tensor_view<64xf32, strides=[2]>, sparse_dim=0>
    return
  }
}
