// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// all types
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @type_unknown() {
    // expected-error @below {{unknown type: tens0r}}
    %r = make_token : tens0r
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// ptr
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @ptr_i4() {
    // expected-error @below {{failed to verify 'pointeeType': f16 or bf16 or f32 or tf32 or f64 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or i1 or i8 or i16 or i32 or i64}}
    %r = make_token : tile<ptr<i4>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @ptr_ptr() {
    // expected-error @below {{failed to verify 'pointeeType': f16}}
    %r = make_token : tile<ptr<ptr<f32>>>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// tile
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @tile_dynamic() {
    // expected-error @below {{expected static shape; all dimensions must be positive constants, got ?, 4}}
    %r = make_token : tile<?x4xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tile_zero() {
    // expected-error @below {{all dimensions must be positive constants, got 0, 4}}
    %r = make_token : tile<0x4xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tile_three() {
    // expected-error @below {{all dimensions must be powers of two, got 3}}
    %r = make_token : tile<3xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tile_large() {
    // expected-error @below {{tile would exceed the maximum of 16777216 elements}}
    %r = make_token : tile<4096x8192xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tile_huge() {
    // expected-error @below {{tile would exceed the maximum of 16777216 elements}}
    %r = make_token : tile<4611686018427387904x4611686018427387904xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tile_f4_odd() {
    // expected-error @below {{F4E2M1FN tiles must have an even number of elements}}
    %r = make_token : tile<f4E2M1FN>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tile_element() {
    // expected-error @below {{failed to verify 'elementType': f16 or bf16 or f32 or tf32 or f64 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or i1 or i8 or i16 or i32 or i64 or Pointer type or i4}}
    %r = make_token : tile<8xindex>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// tensor_view
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @tensor_view_ranks() {
    // expected-error @below {{expected shape and stride to be of same rank but got shape of rank 2 and stride of rank 1}}
    %r = make_token : tensor_view<4x4xf32, strides=[1]>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tensor_view_size() {
    // expected-error @below {{dimensions must have strictly positive constant sizes but got [0, 4]}}
    %r = make_token : tensor_view<0x4xf32, strides=[4,1]>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tensor_view_stride() {
    // expected-error @below {{expected strictly positive integer, got 0}}
    %r = make_token : tensor_view<4xf32, strides=[0]>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tensor_view_stride_token() {
    // expected-error @below {{expected either 64-bit integer or question mark}}
    %r = make_token : tensor_view<4xf32, strides=[x]>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tensor_view_0d_strides() {
    // expected-error @below {{strides must not be provided for 0-d tiles}}
    %r = make_token : tensor_view<f32, strides=[]>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tensor_view_0d_other() {
    // expected-error @below {{unexpected token after element type in 0-d tensor_view}}
    %r = make_token : tensor_view<f32, 4>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tensor_view_no_strides() {
    // expected-error @below {{expected 'strides'}}
    %r = make_token : tensor_view<4xf32, 4>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tensor_view_element() {
    // expected-error @below {{failed to verify 'elementType': f16}}
    %r = make_token : tensor_view<4xptr<f32>, strides=[1]>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// partition_view
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @partition_view_0d() {
    // expected-error @below {{0-dimension tile shape is not supported}}
    %r = make_token : partition_view<tile=(), tensor_view<f32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @partition_view_rank() {
    // expected-error @below {{expected tensor_view rank and tile rank to match, got tensor_view of rank 2 and tiles of rank 1}}
    %r = make_token : partition_view<tile=(8), tensor_view<4x4xf32, strides=[4,1]>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @partition_view_i32() {
    // expected-error @below {{tile dimension 0 exceeds i32 limitations (got 4294967296, expected strictly positive and less than or equal to 2147483647)}}
    %r = make_token : partition_view<tile=(4294967296), tensor_view<4xf32, strides=[1]>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @partition_view_power() {
    // expected-error @below {{tile shape dimensions must have power of two length but got [3]}}
    %r = make_token : partition_view<tile=(3), tensor_view<4xf32, strides=[1]>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @partition_view_dim_map_size() {
    // expected-error @below {{expected dim_map to map exactly all 2 dimensions of the tile, got 1 mappings}}
    %r = make_token : partition_view<tile=(4x4), tensor_view<4x4xf32, strides=[4,1]>, dim_map=[0]>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @partition_view_dim_map_negative() {
    // expected-error @below {{target dimension must not be negative, got -1}}
    %r = make_token : partition_view<tile=(4x4), tensor_view<4x4xf32, strides=[4,1]>, dim_map=[0, -1]>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @partition_view_dim_map_large() {
    // expected-error @below {{target dimension is outside of tensor view dimensions, expected strictly less than 2, got 2}}
    %r = make_token : partition_view<tile=(4x4), tensor_view<4x4xf32, strides=[4,1]>, dim_map=[0, 2]>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @partition_view_dim_map_twice() {
    // expected-error @below {{target dimension 1 mapped at least twice (for tile dimensions 0 and 1)}}
    %r = make_token : partition_view<tile=(4x4), tensor_view<4x4xf32, strides=[4,1]>, dim_map=[1, 1]>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @partition_view_padding() {
    // expected-error @below {{padding_value nan can only be used with floating point element types, got 'i32'}}
    %r = make_token : partition_view<tile=(4), padding_value = nan, tensor_view<4xi32, strides=[1]>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @partition_view_padding_keyword() {
    // expected-error @below {{invalid padding_value attribute specification. Got "one" but expect one of: zero, neg_zero, nan, pos_inf, neg_inf}}
    %r = make_token : partition_view<tile=(4), padding_value = one, tensor_view<4xf32, strides=[1]>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @partition_view_no_view() {
    // expected-error @below {{expected 'tensor_view' type, but got '!cuda_tile.tile<4xf32>'}}
    %r = make_token : partition_view<tile=(4), tile<4xf32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @partition_view_large() {
    // expected-error @below {{tile would exceed the maximum of 16777216 elements}}
    %r = make_token : partition_view<tile=(33554432), tensor_view<4xf32, strides=[1]>>
    return
  }
}
