// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics

cuda_tile.module @m {
  entry @ring_slots(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{expected a ring of at least one slot, got 0}}
    %r = tileas.ring fill = "cp_async" drain = "threads" sync = "groups" : !tileas.ring<0, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @ring_buffers(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{expected a ring of at least one buffer per slot}}
    %r = tileas.ring fill = "cp_async" drain = "threads" sync = "groups" : !tileas.ring<3>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @ring_c1(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{expected fill to be one of tma, cp_async, threads, got 'tensor'}}
    %r = tileas.ring fill = "tensor" drain = "threads" sync = "groups" : !tileas.ring<3, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @ring_c1_drain(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{expected drain to be threads, or a product that runs by itself such as wgmma, got 'tma'}}
    %r = tileas.ring fill = "tma" drain = "tma" sync = "groups" : !tileas.ring<3, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @ring_c1_sync(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{expected sync to be one of groups, mbarriers, got 'group'}}
    %r = tileas.ring fill = "tma" drain = "wgmma" sync = "group" : !tileas.ring<3, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @ring_c2(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{expected sync of a ring that is filled by 'tma' to be mbarriers, got 'groups'}}
    %r = tileas.ring fill = "tma" drain = "threads" sync = "groups" : !tileas.ring<3, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @acquire_c1(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %r = tileas.ring fill = "cp_async" drain = "threads" sync = "groups" : !tileas.ring<3, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>
    // expected-error @below {{expected results of the types of the ring's buffers, '!tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>', got '!tileas.buffer<8xf32, #cute.layout<(1@0, 2@0, 4@0)>>'}}
    %b = "tileas.acquire"(%r, %n) : (!tileas.ring<3, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>, !cuda_tile.tile<i32>) -> !tileas.buffer<8xf32, #cute.layout<(1@0, 2@0, 4@0)>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @take_c1(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %r = tileas.ring fill = "cp_async" drain = "threads" sync = "groups" : !tileas.ring<3, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>
    // expected-error @below {{expected results of the types of the ring's buffers, '!tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>', got '!tileas.buffer<8xf32, #cute.layout<(1@0, 2@0, 4@0)>>'}}
    %b = "tileas.take"(%r, %n) : (!tileas.ring<3, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>, !cuda_tile.tile<i32>) -> !tileas.buffer<8xf32, #cute.layout<(1@0, 2@0, 4@0)>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @acquire_result(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %r = tileas.ring fill = "cp_async" drain = "threads" sync = "groups" : !tileas.ring<3, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>
    // expected-error @below {{result #0 must be variadic of buffer in shared memory, but got '!cuda_tile.tile<i32>'}}
    %b = "tileas.acquire"(%r, %n) : (!tileas.ring<3, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @take_result(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %r = tileas.ring fill = "cp_async" drain = "threads" sync = "groups" : !tileas.ring<3, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>
    // expected-error @below {{result #0 must be variadic of buffer in shared memory, but got '!cuda_tile.tile<i32>'}}
    %b = "tileas.take"(%r, %n) : (!tileas.ring<3, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @acquire_ring(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{operand #0 must be ring of slots in shared memory, but got '!cuda_tile.tile<i32>'}}
    %b = "tileas.acquire"(%n, %n) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @release_after(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %r = tileas.ring fill = "cp_async" drain = "threads" sync = "groups" : !tileas.ring<3, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>
    // expected-error @below {{operand #2 must be variadic of tile that is still being computed, but got '!cuda_tile.tile<i32>'}}
    "tileas.release"(%r, %n, %n) : (!tileas.ring<3, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()
    return
  }
}

// -----

cuda_tile.module @m {
  entry @copy_in_c1(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>
    %b = tileas.alloc_shared : !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>
    %big = tileas.alloc_shared : !tileas.buffer<8xf32, #cute.layout<(1@0, 2@0, 4@0)>>
    // expected-error @below {{expected engine to be one of tma, cp_async, got 'bulk'}}
    %tok = tileas.copy_in %v[%n] to %b engine = "bulk" : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>[tile<i32>] to !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @copy_in_c2(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>
    %b = tileas.alloc_shared : !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>
    %big = tileas.alloc_shared : !tileas.buffer<8xf32, #cute.layout<(1@0, 2@0, 4@0)>>
    // expected-error @below {{expected 1 index operands (based on view type), got 2}}
    %tok = tileas.copy_in %v[%n, %n] to %b engine = "tma" : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>[tile<i32>, tile<i32>] to !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @copy_in_c3(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>
    %b = tileas.alloc_shared : !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>
    %big = tileas.alloc_shared : !tileas.buffer<8xf32, #cute.layout<(1@0, 2@0, 4@0)>>
    // expected-error @below {{expected a buffer of the shape and element type of the view's tile, '!cuda_tile.tile<4xf32>', got '!tileas.buffer<8xf32, #cute.layout<(1@0, 2@0, 4@0)>>'}}
    %tok = tileas.copy_in %v[%n] to %big engine = "tma" : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>[tile<i32>] to !tileas.buffer<8xf32, #cute.layout<(1@0, 2@0, 4@0)>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @copy_in_c4(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>
    %b = tileas.alloc_shared : !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>
    %big = tileas.alloc_shared : !tileas.buffer<8xf32, #cute.layout<(1@0, 2@0, 4@0)>>
    // expected-error @below {{expected a map with engine 'tma' only, got one with 'cp_async'}}
    %tok = tileas.copy_in %v[%n] to %b engine = "cp_async" map = 0 : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>[tile<i32>] to !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @copy_in_c4_negative(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>
    %b = tileas.alloc_shared : !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>
    %big = tileas.alloc_shared : !tileas.buffer<8xf32, #cute.layout<(1@0, 2@0, 4@0)>>
    // expected-error @below {{expected map to be at least 0, got -1}}
    %tok = tileas.copy_in %v[%n] to %b engine = "tma" map = -1 : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>[tile<i32>] to !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @copy_out_c1(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>
    %b = tileas.alloc_shared : !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>
    %big = tileas.alloc_shared : !tileas.buffer<8xf32, #cute.layout<(1@0, 2@0, 4@0)>>
    // expected-error @below {{expected engine to be one of tma, got 'threads'}}
    %tok = tileas.copy_out %b to %v[%n] engine = "threads" : !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>> to partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>[tile<i32>]
    return
  }
}

// -----

cuda_tile.module @m {
  entry @copy_out_c2(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>
    %b = tileas.alloc_shared : !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>
    %big = tileas.alloc_shared : !tileas.buffer<8xf32, #cute.layout<(1@0, 2@0, 4@0)>>
    // expected-error @below {{expected 1 index operands (based on view type), got 2}}
    %tok = tileas.copy_out %b to %v[%n, %n] engine = "tma" : !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>> to partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>[tile<i32>, tile<i32>]
    return
  }
}

// -----

cuda_tile.module @m {
  entry @copy_out_c3(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>
    %b = tileas.alloc_shared : !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>
    %big = tileas.alloc_shared : !tileas.buffer<8xf32, #cute.layout<(1@0, 2@0, 4@0)>>
    // expected-error @below {{expected a buffer of the shape and element type of the view's tile, '!cuda_tile.tile<4xf32>', got '!tileas.buffer<8xf32, #cute.layout<(1@0, 2@0, 4@0)>>'}}
    %tok = tileas.copy_out %big to %v[%n] engine = "tma" : !tileas.buffer<8xf32, #cute.layout<(1@0, 2@0, 4@0)>> to partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>[tile<i32>]
    return
  }
}

// -----

cuda_tile.module @m {
  entry @copy_out_c4_negative(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>
    %b = tileas.alloc_shared : !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>
    %big = tileas.alloc_shared : !tileas.buffer<8xf32, #cute.layout<(1@0, 2@0, 4@0)>>
    // expected-error @below {{expected map to be at least 0, got -1}}
    %tok = tileas.copy_out %b to %v[%n] engine = "tma" map = -1 : !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>> to partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>[tile<i32>]
    return
  }
}

// -----

cuda_tile.module @m {
  entry @gather_in_c1(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %i = constant <i64: 0> : tile<4xi64>
    %q = int_to_ptr %i : tile<4xi64> -> tile<4xptr<f32>>
    %m = constant <i1: false> : tile<8xi1>
    %big = tileas.alloc_shared : !tileas.buffer<8xf32, #cute.layout<(1@0, 2@0, 4@0)>>
    // expected-error @below {{expected a buffer of the shape and pointee type of the tile of pointers, '!cuda_tile.tile<4xptr<f32>>', got '!tileas.buffer<8xf32, #cute.layout<(1@0, 2@0, 4@0)>>'}}
    %tok = tileas.gather_in %q to %big : tile<4xptr<f32>> to !tileas.buffer<8xf32, #cute.layout<(1@0, 2@0, 4@0)>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @gather_in_c2(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %i = constant <i64: 0> : tile<4xi64>
    %q = int_to_ptr %i : tile<4xi64> -> tile<4xptr<f32>>
    %m = constant <i1: false> : tile<8xi1>
    %b = tileas.alloc_shared : !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>
    // expected-error @below {{expected a mask of the shape of the tile of pointers, '!cuda_tile.tile<4xptr<f32>>', got '!cuda_tile.tile<8xi1>'}}
    %tok = tileas.gather_in %q mask(%m : tile<8xi1>) to %b : tile<4xptr<f32>> to !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @reinterpret_c1(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %b = tileas.alloc_shared : !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>
    // expected-error @below {{expected buffers of as many elements of one type, got '!tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>' and '!tileas.buffer<8xf32, #cute.layout<(1@0, 2@0, 4@0)>>'}}
    %c = tileas.reinterpret %b : !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>> -> !tileas.buffer<8xf32, #cute.layout<(1@0, 2@0, 4@0)>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @reinterpret_source(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{operand #0 must be buffer in shared memory, but got '!cuda_tile.tile<i32>'}}
    %c = "tileas.reinterpret"(%n) : (!cuda_tile.tile<i32>) -> !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @wgmma_c1(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %a = tileas.alloc_shared : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<16x8xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1)>>
    %b8 = tileas.alloc_shared : !tileas.buffer<8x8xf16, #cute.layout<(1@0, 2@0, 4@0, 1@1, 2@1, 4@1)>>
    %bi = tileas.alloc_shared : !tileas.buffer<32x8xi8, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1)>>
    %ai = tileas.alloc_shared : !tileas.buffer<64x32xi8, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %c = constant <f32: 0.0> : tile<64x8xf32>
    %p0 = tileas.settled %c : tile<64x8xf32>
    %ci = constant <i32: 0> : tile<64x8xi32>
    %pi = tileas.settled %ci : tile<64x8xi32>
    // expected-error @below {{expected shapes [M, K], [K, N], [M, N], got [64, 16], [8, 8], [64, 8]}}
    %q = tileas.wgmma %a, %b8, %p0 atom = "m64n8k16" : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>, !tileas.buffer<8x8xf16, #cute.layout<(1@0, 2@0, 4@0, 1@1, 2@1, 4@1)>>, !tileas.pending<tile<64x8xf32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @wgmma_c2(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %a = tileas.alloc_shared : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<16x8xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1)>>
    %b8 = tileas.alloc_shared : !tileas.buffer<8x8xf16, #cute.layout<(1@0, 2@0, 4@0, 1@1, 2@1, 4@1)>>
    %bi = tileas.alloc_shared : !tileas.buffer<32x8xi8, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1)>>
    %ai = tileas.alloc_shared : !tileas.buffer<64x32xi8, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %c = constant <f32: 0.0> : tile<64x8xf32>
    %p0 = tileas.settled %c : tile<64x8xf32>
    %ci = constant <i32: 0> : tile<64x8xi32>
    %pi = tileas.settled %ci : tile<64x8xi32>
    %bb = tileas.alloc_shared : !tileas.buffer<16x8xbf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1)>>
    // expected-error @below {{expected lhs and rhs of one element type, got 'f16' and 'bf16'}}
    %q = tileas.wgmma %a, %bb, %p0 atom = "m64n8k16" : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>, !tileas.buffer<16x8xbf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1)>>, !tileas.pending<tile<64x8xf32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @wgmma_c3(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %a = tileas.alloc_shared : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<16x8xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1)>>
    %b8 = tileas.alloc_shared : !tileas.buffer<8x8xf16, #cute.layout<(1@0, 2@0, 4@0, 1@1, 2@1, 4@1)>>
    %bi = tileas.alloc_shared : !tileas.buffer<32x8xi8, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1)>>
    %ai = tileas.alloc_shared : !tileas.buffer<64x32xi8, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %c = constant <f32: 0.0> : tile<64x8xf32>
    %p0 = tileas.settled %c : tile<64x8xf32>
    %ci = constant <i32: 0> : tile<64x8xi32>
    %pi = tileas.settled %ci : tile<64x8xi32>
    // expected-error @below {{expected atom to be m64, n and k, with n from 8 to 256 in steps of 8, got 'm64n12k16'}}
    %q = tileas.wgmma %a, %b, %p0 atom = "m64n12k16" : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>, !tileas.buffer<16x8xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1)>>, !tileas.pending<tile<64x8xf32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @wgmma_c3_integers(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %a = tileas.alloc_shared : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<16x8xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1)>>
    %b8 = tileas.alloc_shared : !tileas.buffer<8x8xf16, #cute.layout<(1@0, 2@0, 4@0, 1@1, 2@1, 4@1)>>
    %bi = tileas.alloc_shared : !tileas.buffer<32x8xi8, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1)>>
    %ai = tileas.alloc_shared : !tileas.buffer<64x32xi8, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %c = constant <f32: 0.0> : tile<64x8xf32>
    %p0 = tileas.settled %c : tile<64x8xf32>
    %ci = constant <i32: 0> : tile<64x8xi32>
    %pi = tileas.settled %ci : tile<64x8xi32>
    // expected-error @below {{expected atom to be m64, n and k, with n from 8 to 256 in steps of 16, got 'm64n40k32'}}
    %q = tileas.wgmma %ai, %bi, %pi atom = "m64n40k32" : !tileas.buffer<64x32xi8, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>, !tileas.buffer<32x8xi8, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1)>>, !tileas.pending<tile<64x8xi32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @wgmma_c4(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %a = tileas.alloc_shared : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<16x8xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1)>>
    %b8 = tileas.alloc_shared : !tileas.buffer<8x8xf16, #cute.layout<(1@0, 2@0, 4@0, 1@1, 2@1, 4@1)>>
    %bi = tileas.alloc_shared : !tileas.buffer<32x8xi8, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1)>>
    %ai = tileas.alloc_shared : !tileas.buffer<64x32xi8, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %c = constant <f32: 0.0> : tile<64x8xf32>
    %p0 = tileas.settled %c : tile<64x8xf32>
    %ci = constant <i32: 0> : tile<64x8xi32>
    %pi = tileas.settled %ci : tile<64x8xi32>
    // expected-error @below {{expected atom m64n16k16 to divide the product, got M, N and K [64, 8, 16]}}
    %q = tileas.wgmma %a, %b, %p0 atom = "m64n16k16" : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>, !tileas.buffer<16x8xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1)>>, !tileas.pending<tile<64x8xf32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @wgmma_c4_types(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %a = tileas.alloc_shared : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<16x8xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1)>>
    %b8 = tileas.alloc_shared : !tileas.buffer<8x8xf16, #cute.layout<(1@0, 2@0, 4@0, 1@1, 2@1, 4@1)>>
    %bi = tileas.alloc_shared : !tileas.buffer<32x8xi8, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1)>>
    %ai = tileas.alloc_shared : !tileas.buffer<64x32xi8, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %c = constant <f32: 0.0> : tile<64x8xf32>
    %p0 = tileas.settled %c : tile<64x8xf32>
    %ci = constant <i32: 0> : tile<64x8xi32>
    %pi = tileas.settled %ci : tile<64x8xi32>
    // expected-error @below {{expected operand and accumulator types of an atom of k 8, tf32 and f32, got f16 and f32}}
    %q = tileas.wgmma %a, %b, %p0 atom = "m64n8k8" : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>, !tileas.buffer<16x8xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1)>>, !tileas.pending<tile<64x8xf32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @wgmma_c4_depth(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %a = tileas.alloc_shared : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<16x8xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1)>>
    %b8 = tileas.alloc_shared : !tileas.buffer<8x8xf16, #cute.layout<(1@0, 2@0, 4@0, 1@1, 2@1, 4@1)>>
    %bi = tileas.alloc_shared : !tileas.buffer<32x8xi8, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1)>>
    %ai = tileas.alloc_shared : !tileas.buffer<64x32xi8, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %c = constant <f32: 0.0> : tile<64x8xf32>
    %p0 = tileas.settled %c : tile<64x8xf32>
    %ci = constant <i32: 0> : tile<64x8xi32>
    %pi = tileas.settled %ci : tile<64x8xi32>
    // expected-error @below {{expected operand and accumulator types of an atom of k 4, of which there is none, got f16 and f32}}
    %q = tileas.wgmma %a, %b, %p0 atom = "m64n8k4" : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>, !tileas.buffer<16x8xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1)>>, !tileas.pending<tile<64x8xf32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @wgmma_c5(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %a = tileas.alloc_shared : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<16x8xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1)>>
    %b8 = tileas.alloc_shared : !tileas.buffer<8x8xf16, #cute.layout<(1@0, 2@0, 4@0, 1@1, 2@1, 4@1)>>
    %bi = tileas.alloc_shared : !tileas.buffer<32x8xi8, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1)>>
    %ai = tileas.alloc_shared : !tileas.buffer<64x32xi8, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %c = constant <f32: 0.0> : tile<64x8xf32>
    %p0 = tileas.settled %c : tile<64x8xf32>
    %ci = constant <i32: 0> : tile<64x8xi32>
    %pi = tileas.settled %ci : tile<64x8xi32>
    // expected-error @below {{expected signedness_lhs and signedness_rhs of integers}}
    %q = tileas.wgmma %ai, %bi, %pi atom = "m64n8k32" : !tileas.buffer<64x32xi8, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>, !tileas.buffer<32x8xi8, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1)>>, !tileas.pending<tile<64x8xi32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @wgmma_c5_float(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %a = tileas.alloc_shared : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<16x8xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1)>>
    %b8 = tileas.alloc_shared : !tileas.buffer<8x8xf16, #cute.layout<(1@0, 2@0, 4@0, 1@1, 2@1, 4@1)>>
    %bi = tileas.alloc_shared : !tileas.buffer<32x8xi8, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1)>>
    %ai = tileas.alloc_shared : !tileas.buffer<64x32xi8, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %c = constant <f32: 0.0> : tile<64x8xf32>
    %p0 = tileas.settled %c : tile<64x8xf32>
    %ci = constant <i32: 0> : tile<64x8xi32>
    %pi = tileas.settled %ci : tile<64x8xi32>
    // expected-error @below {{expected signedness_lhs and signedness_rhs of integers only}}
    %q = tileas.wgmma %a, %b, %p0 atom = "m64n8k16" {signedness_lhs = #cuda_tile<signedness signed>} : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>, !tileas.buffer<16x8xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1)>>, !tileas.pending<tile<64x8xf32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @wgmma_acc(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %a = tileas.alloc_shared : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<16x8xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1)>>
    %b8 = tileas.alloc_shared : !tileas.buffer<8x8xf16, #cute.layout<(1@0, 2@0, 4@0, 1@1, 2@1, 4@1)>>
    %bi = tileas.alloc_shared : !tileas.buffer<32x8xi8, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1)>>
    %ai = tileas.alloc_shared : !tileas.buffer<64x32xi8, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %c = constant <f32: 0.0> : tile<64x8xf32>
    %p0 = tileas.settled %c : tile<64x8xf32>
    %ci = constant <i32: 0> : tile<64x8xi32>
    %pi = tileas.settled %ci : tile<64x8xi32>
    // expected-error @below {{operand #2 must be tile that is still being computed, but got '!cuda_tile.tile<64x8xf32>'}}
    %q = "tileas.wgmma"(%a, %b, %c) <{atom = "m64n8k16"}> : (!tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>, !tileas.buffer<16x8xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1)>>, !cuda_tile.tile<64x8xf32>) -> !cuda_tile.tile<64x8xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @settled_c1(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %a = tileas.alloc_shared : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<16x8xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1)>>
    %b8 = tileas.alloc_shared : !tileas.buffer<8x8xf16, #cute.layout<(1@0, 2@0, 4@0, 1@1, 2@1, 4@1)>>
    %bi = tileas.alloc_shared : !tileas.buffer<32x8xi8, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1)>>
    %ai = tileas.alloc_shared : !tileas.buffer<64x32xi8, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %c = constant <f32: 0.0> : tile<64x8xf32>
    %p0 = tileas.settled %c : tile<64x8xf32>
    %ci = constant <i32: 0> : tile<64x8xi32>
    %pi = tileas.settled %ci : tile<64x8xi32>
    // expected-error @below {{expected a result pending of '!cuda_tile.tile<64x8xf32>', got '!tileas.pending<tile<64x8xi32>>'}}
    %q = "tileas.settled"(%c) : (!cuda_tile.tile<64x8xf32>) -> !tileas.pending<tile<64x8xi32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @await_c1(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %a = tileas.alloc_shared : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<16x8xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1)>>
    %b8 = tileas.alloc_shared : !tileas.buffer<8x8xf16, #cute.layout<(1@0, 2@0, 4@0, 1@1, 2@1, 4@1)>>
    %bi = tileas.alloc_shared : !tileas.buffer<32x8xi8, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1)>>
    %ai = tileas.alloc_shared : !tileas.buffer<64x32xi8, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %c = constant <f32: 0.0> : tile<64x8xf32>
    %p0 = tileas.settled %c : tile<64x8xf32>
    %ci = constant <i32: 0> : tile<64x8xi32>
    %pi = tileas.settled %ci : tile<64x8xi32>
    // expected-error @below {{expected the tiles of what is pending, '!tileas.pending<tile<64x8xf32>>', got '!cuda_tile.tile<64x8xi32>'}}
    %q = "tileas.await"(%p0) : (!tileas.pending<tile<64x8xf32>>) -> !cuda_tile.tile<64x8xi32>
    return
  }
}
