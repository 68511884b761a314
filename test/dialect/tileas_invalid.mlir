// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics

cuda_tile.module @m {
  entry @buffer_grouped() {
    // expected-error @below {{expected a buffer's layout to be flat, or to have 2 groups of bases (offset, block), got #cute.layout<((1@0, 2@0), ())>}}
    %b = tileas.alloc_shared : !tileas.buffer<4xi32, #cute.layout<((1@0, 2@0), ())>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @buffer_not_surjective() {
    // expected-error @below {{expected the layout to reach all 4 elements, got 2}}
    %b = tileas.alloc_shared : !tileas.buffer<4xi32, #cute.layout<(1@0)>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @buffer_not_injective() {
    // expected-error @below {{expected the layout to have one offset per element, got 3 offset bits for 4 elements}}
    %b = tileas.alloc_shared : !tileas.buffer<4xi32, #cute.layout<(1@0, 2@0, 0)>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @buffer_shape() {
    // expected-error @below {{all dimensions must be powers of two, got 3}}
    %b = tileas.alloc_shared : !tileas.buffer<3xi32, #cute.layout<(1@0, 2@0)>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @convert_layout_shape() {
    %x = iota : tile<32xi32>
    // expected-error @below {{failed to verify that all of {source, result} have same shape}}
    %y = tileas.convert_layout %x : tile<32xi32> -> tile<16xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @convert_layout_element() {
    %x = iota : tile<32xi32>
    // expected-error @below {{failed to verify that all of {source, result} have same element type}}
    %y = tileas.convert_layout %x : tile<32xi32> -> tile<32xi64>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @store_shared_c1_shape() {
    %x = iota : tile<16xi32>
    %b = tileas.alloc_shared : !tileas.buffer<32xi32, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0)>>
    // expected-error @below {{expected tile and buffer of one shape and element type, got '!cuda_tile.tile<16xi32>'}}
    tileas.store_shared %x, %b : tile<16xi32>, !tileas.buffer<32xi32, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0)>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @store_shared_c1_part_element() {
    %x = iota : tile<16xi64>
    %b = tileas.alloc_shared : !tileas.buffer<8xi32, #cute.layout<(1@0, 2@0, 4@0)>>
    // expected-error @below {{expected tile and buffer of one rank and element type, got '!cuda_tile.tile<16xi64>'}}
    tileas.store_shared %x at [8], %b : tile<16xi64>, !tileas.buffer<8xi32, #cute.layout<(1@0, 2@0, 4@0)>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @store_shared_c2_outside() {
    %x = iota : tile<16xi32>
    %b = tileas.alloc_shared : !tileas.buffer<8xi32, #cute.layout<(1@0, 2@0, 4@0)>>
    // expected-error @below {{expected the buffer to lie inside the tile, got offset 9 and extent 8 along dimension 0 of extent 16}}
    tileas.store_shared %x at [9], %b : tile<16xi32>, !tileas.buffer<8xi32, #cute.layout<(1@0, 2@0, 4@0)>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @store_shared_c3_shape() {
    %x = iota : tile<16xi32>
    %b = tileas.alloc_shared : !tileas.buffer<8xi32, #cute.layout<(1@0, 2@0, 4@0)>>
    // expected-error @below {{expected tile and buffer of one shape and element type, got '!cuda_tile.tile<16xi32>'}}
    tileas.store_shared %x, %b : tile<16xi32>, !tileas.buffer<8xi32, #cute.layout<(1@0, 2@0, 4@0)>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @load_shared_c2_into() {
    %x = iota : tile<16xi32>
    %b = tileas.alloc_shared : !tileas.buffer<8xi32, #cute.layout<(1@0, 2@0, 4@0)>>
    // expected-error @below {{expected the buffer to lie inside the tile, got offset 16 and extent 8 along dimension 0 of extent 16}}
    %y = tileas.load_shared %b[16] into %x : tile<16xi32> : !tileas.buffer<8xi32, #cute.layout<(1@0, 2@0, 4@0)>> -> tile<16xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @load_shared_c3_type() {
    %x = iota : tile<32xi32>
    %b = tileas.alloc_shared : !tileas.buffer<8xi32, #cute.layout<(1@0, 2@0, 4@0)>>
    // expected-error @below {{expected a result of the type of 'into', got '!cuda_tile.tile<16xi32>' and '!cuda_tile.tile<32xi32>'}}
    %y = tileas.load_shared %b[8] into %x : tile<32xi32> : !tileas.buffer<8xi32, #cute.layout<(1@0, 2@0, 4@0)>> -> tile<16xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @load_shared_c1_element() {
    %b = tileas.alloc_shared : !tileas.buffer<32xi32, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0)>>
    // expected-error @below {{expected tile and buffer of one rank and element type, got '!cuda_tile.tile<16xi64>'}}
    %x = tileas.load_shared %b[0] : !tileas.buffer<32xi32, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0)>> -> tile<16xi64>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @load_shared_c2_count() {
    %b = tileas.alloc_shared : !tileas.buffer<32xi32, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0)>>
    // expected-error @below {{expected 1 offsets (the buffer's rank), got 2}}
    %x = tileas.load_shared %b[0, 0] : !tileas.buffer<32xi32, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0)>> -> tile<16xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @load_shared_c2_outside() {
    %b = tileas.alloc_shared : !tileas.buffer<32xi32, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0)>>
    // expected-error @below {{expected the tile to lie inside the buffer, got offset 17 and extent 16 along dimension 0 of extent 32}}
    %x = tileas.load_shared %b[17] : !tileas.buffer<32xi32, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0)>> -> tile<16xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @load_shared_c2_negative() {
    %b = tileas.alloc_shared : !tileas.buffer<32xi32, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0)>>
    // expected-error @below {{expected the tile to lie inside the buffer, got offset -1 and extent 16 along dimension 0 of extent 32}}
    %x = tileas.load_shared %b[-1] : !tileas.buffer<32xi32, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0)>> -> tile<16xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @load_part_c1_element(%i: tile<i32>) {
    %b = tileas.alloc_shared : !tileas.buffer<4xi32, #cute.layout<(1@0, 2@0)>>
    // expected-error @below {{expected tile and buffer of one rank and element type, got '!cuda_tile.tile<2xi64>'}}
    %x = tileas.load_part %b[%i] : !tileas.buffer<4xi32, #cute.layout<(1@0, 2@0)>> -> tile<2xi64>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @load_part_c2_extent(%i: tile<i32>) {
    %b = tileas.alloc_shared : !tileas.buffer<4xi32, #cute.layout<(1@0, 2@0)>>
    // expected-error @below {{expected extent 0 of the buffer to be a multiple of the tile's, got 4 and 8}}
    %x = tileas.load_part %b[%i] : !tileas.buffer<4xi32, #cute.layout<(1@0, 2@0)>> -> tile<8xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @load_part_c3_count(%i: tile<i32>) {
    %b = tileas.alloc_shared : !tileas.buffer<4xi32, #cute.layout<(1@0, 2@0)>>
    // expected-error @below {{expected 1 indices (the buffer's rank), got 2}}
    %x = tileas.load_part %b[%i, %i] : !tileas.buffer<4xi32, #cute.layout<(1@0, 2@0)>> -> tile<2xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mma_sync_c1_rank() {
    %a = constant <f16: 1.0> : tile<1x1x16x16xf16>
    // expected-error @below {{expected matrices or batches of them, got rank 4}}
    %r = tileas.mma_sync %a, %a, %a atom = "m16n8k16" : tile<1x1x16x16xf16>, tile<1x1x16x16xf16>, tile<1x1x16x16xf16>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mma_sync_c1_shapes() {
    %a = constant <f16: 1.0> : tile<16x16xf16>
    %b = constant <f16: 1.0> : tile<8x16xf16>
    // expected-error @below {{expected shapes [.., M, K], [.., K, N], [.., M, N], got [16, 16], [8, 16], [16, 16]}}
    %r = tileas.mma_sync %a, %b, %a atom = "m16n8k16" : tile<16x16xf16>, tile<8x16xf16>, tile<16x16xf16>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mma_sync_c2_elements() {
    %a = constant <f16: 1.0> : tile<16x16xf16>
    %b = constant <bf16: 1.0> : tile<16x16xbf16>
    // expected-error @below {{expected lhs and rhs of one element type, got 'f16' and 'bf16'}}
    %r = tileas.mma_sync %a, %b, %a atom = "m16n8k16" : tile<16x16xf16>, tile<16x16xbf16>, tile<16x16xf16>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mma_sync_c3_name() {
    %a = constant <f16: 1.0> : tile<16x16xf16>
    %c = constant <f32: 1.0> : tile<16x16xf32>
    // expected-error @below {{expected atom to be one of m16n8k32.mxf8, m16n8k64.mxf4, m16n8k64.nvf4, m16n8k32, m16n8k16, m16n8k8, m8n8k4, m16n8k8.f16, m8n8k16, m16n16k32, fma8x4, fma1x32, fma32x1, got 'm64n64k16'}}
    %r = tileas.mma_sync %a, %a, %c atom = "m64n64k16" : tile<16x16xf16>, tile<16x16xf16>, tile<16x16xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mma_sync_c1_batch() {
    %a = constant <f16: 1.0> : tile<2x16x16xf16>
    %b = constant <f16: 1.0> : tile<4x16x16xf16>
    %c = constant <f32: 1.0> : tile<2x16x16xf32>
    // expected-error @below {{expected shapes [.., M, K], [.., K, N], [.., M, N], got [2, 16, 16], [4, 16, 16], [2, 16, 16]}}
    %r = tileas.mma_sync %a, %b, %c atom = "m16n8k16" : tile<2x16x16xf16>, tile<4x16x16xf16>, tile<2x16x16xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mma_sync_c5_without() {
    %a = constant <i8: 1> : tile<16x16xi8>
    %c = constant <i32: 1> : tile<16x16xi32>
    // expected-error @below {{expected signedness_lhs and signedness_rhs of integers}}
    %r = tileas.mma_sync %a, %a, %c atom = "m16n8k32" : tile<16x16xi8>, tile<16x16xi8>, tile<16x16xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mma_sync_c5_float() {
    %a = constant <f16: 1.0> : tile<16x16xf16>
    // expected-error @below {{expected signedness_lhs and signedness_rhs of integers only}}
    %r = tileas.mma_sync %a, %a, %a atom = "m16n8k16" {signedness_lhs = #cuda_tile<signedness signed>} : tile<16x16xf16>, tile<16x16xf16>, tile<16x16xf16>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mma_sync_c6_count() {
    %a = constant <f16: 1.0> : tile<16x16xf16>
    %s = constant <f8E8M0FNU: 1.0> : tile<16x1xf8E8M0FNU>
    // expected-error @below {{expected two tiles of scale factors, got 1}}
    %r = tileas.mma_sync %a, %a, %a scales(%s : tile<16x1xf8E8M0FNU>) atom = "m16n8k16" : tile<16x16xf16>, tile<16x16xf16>, tile<16x16xf16>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mma_sync_c6_shapes() {
    %a = constant <f16: 1.0> : tile<16x16xf16>
    %s = constant <f8E8M0FNU: 1.0> : tile<16x1xf8E8M0FNU>
    // expected-error @below {{expected scale factors [.., M, S] and [.., S, N] where S divides K, got [16, 1] and [16, 1]}}
    %r = tileas.mma_sync %a, %a, %a scales(%s, %s : tile<16x1xf8E8M0FNU>, tile<16x1xf8E8M0FNU>) atom = "m16n8k16" : tile<16x16xf16>, tile<16x16xf16>, tile<16x16xf16>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mma_sync_c4_operand() {
    %a = constant <f64: 1.0> : tile<16x16xf64>
    // expected-error @below {{expected operand and accumulator types of atom m16n8k16, f16 and f32 or f16 and f16 or bf16 and f32 or f8E4M3FN and f32 or f8E4M3FN and f16 or f8E5M2 and f32 or f8E5M2 and f16 or f4E2M1FN and f32, got f64 and f64}}
    %r = tileas.mma_sync %a, %a, %a atom = "m16n8k16" : tile<16x16xf64>, tile<16x16xf64>, tile<16x16xf64>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @mma_sync_c4_accumulator() {
    %a = constant <bf16: 1.0> : tile<16x16xbf16>
    // expected-error @below {{expected operand and accumulator types of atom m16n8k16, f16 and f32 or f16 and f16 or bf16 and f32 or f8E4M3FN and f32 or f8E4M3FN and f16 or f8E5M2 and f32 or f8E5M2 and f16 or f4E2M1FN and f32, got bf16 and bf16}}
    %r = tileas.mma_sync %a, %a, %a atom = "m16n8k16" : tile<16x16xbf16>, tile<16x16xbf16>, tile<16x16xbf16>
    return
  }
}
