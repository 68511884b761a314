// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics

cuda_tile.module @m {
  entry @tcgen05_c1(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %a = tileas.alloc_shared : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<8x16xf16, #cute.layout<(1@0, 2@0, 4@0, 1@1, 2@1, 4@1, 8@1)>>
    %t = constant <f16: 1.0> : tile<64x16xf16>
    %c = constant <f32: 0.0> : tile<64x16xf32>
    %p0 = tileas.settled %c : tile<64x16xf32>
    // expected-error @below {{expected shapes [M, K], [K, N], [M, N], got [64, 16], [8, 16], [64, 16]}}
    %q = tileas.tcgen05 %a, %b, %p0 atom = "tcgen05.m64n16k16" : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>, !tileas.buffer<8x16xf16, #cute.layout<(1@0, 2@0, 4@0, 1@1, 2@1, 4@1, 8@1)>>, !tileas.pending<tile<64x16xf32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tcgen05_c2(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %a = tileas.alloc_shared : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<16x16xbf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1, 8@1)>>
    %t = constant <f16: 1.0> : tile<64x16xf16>
    %c = constant <f32: 0.0> : tile<64x16xf32>
    %p0 = tileas.settled %c : tile<64x16xf32>
    // expected-error @below {{expected lhs and rhs of one element type, got 'f16' and 'bf16'}}
    %q = tileas.tcgen05 %a, %b, %p0 atom = "tcgen05.m64n16k16" : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>, !tileas.buffer<16x16xbf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1, 8@1)>>, !tileas.pending<tile<64x16xf32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tcgen05_c2_registers(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %a = tileas.alloc_shared : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<16x16xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1, 8@1)>>
    %t = constant <f16: 1.0> : tile<64x16xf16>
    %c = constant <f32: 0.0> : tile<64x16xf32>
    %p0 = tileas.settled %c : tile<64x16xf32>
    // expected-error @below {{expected lhs to be a buffer, got}}
    %q = tileas.tcgen05 %t, %b, %p0 atom = "tcgen05.m64n16k16" : tile<64x16xf16>, !tileas.buffer<16x16xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1, 8@1)>>, !tileas.pending<tile<64x16xf32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tcgen05_c3(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %a = tileas.alloc_shared : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<16x16xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1, 8@1)>>
    %t = constant <f16: 1.0> : tile<64x16xf16>
    %c = constant <f32: 0.0> : tile<64x16xf32>
    %p0 = tileas.settled %c : tile<64x16xf32>
    // expected-error @below {{expected atom to be tcgen05. and m64 or m128, n and k, with n from 16 to 256 in steps of 16, or m128, n, k and .mxf8, .mxf4 or .nvf4, got 'm64n16k16'}}
    %q = tileas.tcgen05 %a, %b, %p0 atom = "m64n16k16" : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>, !tileas.buffer<16x16xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1, 8@1)>>, !tileas.pending<tile<64x16xf32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tcgen05_c3_columns(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %a = tileas.alloc_shared : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<16x16xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1, 8@1)>>
    %t = constant <f16: 1.0> : tile<64x16xf16>
    %c = constant <f32: 0.0> : tile<64x16xf32>
    %p0 = tileas.settled %c : tile<64x16xf32>
    // expected-error @below {{expected atom to be tcgen05. and m64 or m128, n and k, with n from 16 to 256 in steps of 16, or m128, n, k and .mxf8, .mxf4 or .nvf4, got 'tcgen05.m64n8k16'}}
    %q = tileas.tcgen05 %a, %b, %p0 atom = "tcgen05.m64n8k16" : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>, !tileas.buffer<16x16xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1, 8@1)>>, !tileas.pending<tile<64x16xf32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tcgen05_c4(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %a = tileas.alloc_shared : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<16x16xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1, 8@1)>>
    %t = constant <f16: 1.0> : tile<64x16xf16>
    %c = constant <f32: 0.0> : tile<64x16xf32>
    %p0 = tileas.settled %c : tile<64x16xf32>
    // expected-error @below {{expected atom tcgen05.m128n16k16 to divide the product, got M, N and K [64, 16, 16]}}
    %q = tileas.tcgen05 %a, %b, %p0 atom = "tcgen05.m128n16k16" : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>, !tileas.buffer<16x16xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1, 8@1)>>, !tileas.pending<tile<64x16xf32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tcgen05_c4_types(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %a = tileas.alloc_shared : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<16x16xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1, 8@1)>>
    %t = constant <f16: 1.0> : tile<64x16xf16>
    %c = constant <f32: 0.0> : tile<64x16xf32>
    %p0 = tileas.settled %c : tile<64x16xf32>
    // expected-error @below {{expected operand and accumulator types of an atom of k 8, tf32 and f32, got f16 and f32}}
    %q = tileas.tcgen05 %a, %b, %p0 atom = "tcgen05.m64n16k8" : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>, !tileas.buffer<16x16xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1, 8@1)>>, !tileas.pending<tile<64x16xf32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tcgen05_c5(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %a = tileas.alloc_shared : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<16x16xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1, 8@1)>>
    %t = constant <f16: 1.0> : tile<64x16xf16>
    %c = constant <f32: 0.0> : tile<64x16xf32>
    %p0 = tileas.settled %c : tile<64x16xf32>
    // expected-error @below {{expected signedness_lhs and signedness_rhs of integers only}}
    %q = tileas.tcgen05 %a, %b, %p0 atom = "tcgen05.m64n16k16" {signedness_lhs = #cuda_tile<signedness signed>} : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>, !tileas.buffer<16x16xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1, 8@1)>>, !tileas.pending<tile<64x16xf32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tcgen05_c3_rows(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %a = tileas.alloc_shared : !tileas.buffer<64x32xf8E5M2, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<32x16xf8E5M2, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1, 8@1)>>
    %c = constant <f32: 0.0> : tile<64x16xf32>
    %s0 = constant <f8E8M0FNU: 1.0> : tile<64x1xf8E8M0FNU>
    %s1 = constant <f8E8M0FNU: 1.0> : tile<1x16xf8E8M0FNU>
    %p0 = tileas.settled %c : tile<64x16xf32>
    // expected-error @below {{or m128, n, k and .mxf8, .mxf4 or .nvf4, got 'tcgen05.m64n16k32.mxf8'}}
    %q = tileas.tcgen05 %a, %b, %p0 scales(%s0, %s1 : tile<64x1xf8E8M0FNU>, tile<1x16xf8E8M0FNU>) atom = "tcgen05.m64n16k32.mxf8" : !tileas.buffer<64x32xf8E5M2, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>, !tileas.buffer<32x16xf8E5M2, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1, 8@1)>>, !tileas.pending<tile<64x16xf32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tcgen05_c3_suffix(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %a = tileas.alloc_shared : !tileas.buffer<128x32xf8E5M2, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<32x16xf8E5M2, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1, 8@1)>>
    %c = constant <f32: 0.0> : tile<128x16xf32>
    %s0 = constant <f8E8M0FNU: 1.0> : tile<128x1xf8E8M0FNU>
    %s1 = constant <f8E8M0FNU: 1.0> : tile<1x16xf8E8M0FNU>
    %p0 = tileas.settled %c : tile<128x16xf32>
    // expected-error @below {{or m128, n, k and .mxf8, .mxf4 or .nvf4, got 'tcgen05.m128n16k32.mx'}}
    %q = tileas.tcgen05 %a, %b, %p0 scales(%s0, %s1 : tile<128x1xf8E8M0FNU>, tile<1x16xf8E8M0FNU>) atom = "tcgen05.m128n16k32.mx" : !tileas.buffer<128x32xf8E5M2, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>, !tileas.buffer<32x16xf8E5M2, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1, 8@1)>>, !tileas.pending<tile<128x16xf32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tcgen05_c4_scaled(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %a = tileas.alloc_shared : !tileas.buffer<128x32xf8E5M2, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<32x16xf8E5M2, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1, 8@1)>>
    %c = constant <f32: 0.0> : tile<128x16xf32>
    %s0 = constant <f8E8M0FNU: 1.0> : tile<128x1xf8E8M0FNU>
    %s1 = constant <f8E8M0FNU: 1.0> : tile<1x16xf8E8M0FNU>
    %p0 = tileas.settled %c : tile<128x16xf32>
    // expected-error @below {{expected operand and accumulator types of an atom of k 32, of which there is none, got f8E5M2 and f32}}
    %q = tileas.tcgen05 %a, %b, %p0 scales(%s0, %s1 : tile<128x1xf8E8M0FNU>, tile<1x16xf8E8M0FNU>) atom = "tcgen05.m128n16k32.mxf4" : !tileas.buffer<128x32xf8E5M2, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>, !tileas.buffer<32x16xf8E5M2, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1, 8@1)>>, !tileas.pending<tile<128x16xf32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tcgen05_c6_none(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %a = tileas.alloc_shared : !tileas.buffer<128x32xf8E5M2, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<32x16xf8E5M2, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1, 8@1)>>
    %c = constant <f32: 0.0> : tile<128x16xf32>
    %p0 = tileas.settled %c : tile<128x16xf32>
    // expected-error @below {{expected 2 operands of scale factors for atom tcgen05.m128n16k32.mxf8, got 0}}
    %q = tileas.tcgen05 %a, %b, %p0 atom = "tcgen05.m128n16k32.mxf8" : !tileas.buffer<128x32xf8E5M2, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>, !tileas.buffer<32x16xf8E5M2, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1, 8@1)>>, !tileas.pending<tile<128x16xf32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tcgen05_c6_mixed(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %a = tileas.alloc_shared : !tileas.buffer<128x32xf8E5M2, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<32x16xf8E5M2, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1, 8@1)>>
    %c = constant <f32: 0.0> : tile<128x16xf32>
    %s0 = tileas.alloc_shared : !tileas.buffer<128x1xf8E8M0FNU, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>
    %s1 = constant <f8E8M0FNU: 1.0> : tile<1x16xf8E8M0FNU>
    %p0 = tileas.settled %c : tile<128x16xf32>
    // expected-error @below {{expected scale factors in two tiles or two buffers}}
    %q = tileas.tcgen05 %a, %b, %p0 scales(%s0, %s1 : !tileas.buffer<128x1xf8E8M0FNU, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>, tile<1x16xf8E8M0FNU>) atom = "tcgen05.m128n16k32.mxf8" : !tileas.buffer<128x32xf8E5M2, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>, !tileas.buffer<32x16xf8E5M2, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1, 8@1)>>, !tileas.pending<tile<128x16xf32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tcgen05_c6_some(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %a = tileas.alloc_shared : !tileas.buffer<128x32xf8E5M2, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<32x16xf8E5M2, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1, 8@1)>>
    %c = constant <f32: 0.0> : tile<128x16xf32>
    %s0 = constant <f8E8M0FNU: 1.0> : tile<128x1xf8E8M0FNU>
    %s1 = constant <f8E8M0FNU: 1.0> : tile<1x16xf8E8M0FNU>
    %p0 = tileas.settled %c : tile<128x16xf32>
    // expected-error @below {{expected 0 operands of scale factors for atom tcgen05.m128n16k32, got 2}}
    %q = tileas.tcgen05 %a, %b, %p0 scales(%s0, %s1 : tile<128x1xf8E8M0FNU>, tile<1x16xf8E8M0FNU>) atom = "tcgen05.m128n16k32" : !tileas.buffer<128x32xf8E5M2, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>, !tileas.buffer<32x16xf8E5M2, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1, 8@1)>>, !tileas.pending<tile<128x16xf32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tcgen05_c6_type(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %a = tileas.alloc_shared : !tileas.buffer<128x32xf8E5M2, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<32x16xf8E5M2, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1, 8@1)>>
    %c = constant <f32: 0.0> : tile<128x16xf32>
    %s0 = constant <f8E4M3FN: 1.0> : tile<128x1xf8E4M3FN>
    %s1 = constant <f8E4M3FN: 1.0> : tile<1x16xf8E4M3FN>
    %p0 = tileas.settled %c : tile<128x16xf32>
    // expected-error @below {{expected scale factors [128, 1] and [1, 16] of f8E8M0FNU, got '!cuda_tile.tile<128x1xf8E4M3FN>' and '!cuda_tile.tile<1x16xf8E4M3FN>'}}
    %q = tileas.tcgen05 %a, %b, %p0 scales(%s0, %s1 : tile<128x1xf8E4M3FN>, tile<1x16xf8E4M3FN>) atom = "tcgen05.m128n16k32.mxf8" : !tileas.buffer<128x32xf8E5M2, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>, !tileas.buffer<32x16xf8E5M2, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1, 8@1)>>, !tileas.pending<tile<128x16xf32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tcgen05_c6_shape(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %a = tileas.alloc_shared : !tileas.buffer<128x32xf8E5M2, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<32x16xf8E5M2, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1, 8@1)>>
    %c = constant <f32: 0.0> : tile<128x16xf32>
    %s0 = constant <f8E8M0FNU: 1.0> : tile<128x2xf8E8M0FNU>
    %s1 = constant <f8E8M0FNU: 1.0> : tile<2x16xf8E8M0FNU>
    %p0 = tileas.settled %c : tile<128x16xf32>
    // expected-error @below {{expected scale factors [128, 1] and [1, 16] of f8E8M0FNU, got '!cuda_tile.tile<128x2xf8E8M0FNU>' and '!cuda_tile.tile<2x16xf8E8M0FNU>'}}
    %q = tileas.tcgen05 %a, %b, %p0 scales(%s0, %s1 : tile<128x2xf8E8M0FNU>, tile<2x16xf8E8M0FNU>) atom = "tcgen05.m128n16k32.mxf8" : !tileas.buffer<128x32xf8E5M2, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>, !tileas.buffer<32x16xf8E5M2, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1, 8@1)>>, !tileas.pending<tile<128x16xf32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tcgen05_c2_fours(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %a = tileas.alloc_shared : !tileas.buffer<128x32xf4E2M1FN, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<32x16xf4E2M1FN, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1, 8@1)>>
    %c = constant <f32: 0.0> : tile<128x16xf32>
    %s0 = constant <f8E8M0FNU: 1.0> : tile<128x1xf8E8M0FNU>
    %s1 = constant <f8E8M0FNU: 1.0> : tile<1x16xf8E8M0FNU>
    %p0 = tileas.settled %c : tile<128x16xf32>
    // expected-error @below {{expected operand and accumulator types of an atom of k 64, i8 and f32, got f4E2M1FN and f32}}
    %q = tileas.tcgen05 %a, %b, %p0 scales(%s0, %s1 : tile<128x1xf8E8M0FNU>, tile<1x16xf8E8M0FNU>) atom = "tcgen05.m128n16k64.mxf4" : !tileas.buffer<128x32xf4E2M1FN, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>, !tileas.buffer<32x16xf4E2M1FN, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1, 8@1)>>, !tileas.pending<tile<128x16xf32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tcgen05_c6_fours(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %a = tileas.alloc_shared : !tileas.buffer<128x32xi8, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<32x16xi8, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1, 8@1)>>
    %c = constant <f32: 0.0> : tile<128x16xf32>
    %s0 = constant <f8E8M0FNU: 1.0> : tile<128x1xf8E8M0FNU>
    %s1 = constant <f8E8M0FNU: 1.0> : tile<1x16xf8E8M0FNU>
    %p0 = tileas.settled %c : tile<128x16xf32>
    // expected-error @below {{expected scale factors [128, 2] and [2, 16] of f8E8M0FNU, got '!cuda_tile.tile<128x1xf8E8M0FNU>' and '!cuda_tile.tile<1x16xf8E8M0FNU>'}}
    %q = tileas.tcgen05 %a, %b, %p0 scales(%s0, %s1 : tile<128x1xf8E8M0FNU>, tile<1x16xf8E8M0FNU>) atom = "tcgen05.m128n16k64.mxf4" : !tileas.buffer<128x32xi8, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>, !tileas.buffer<32x16xi8, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1, 8@1)>>, !tileas.pending<tile<128x16xf32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @deposit_c1(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %r = tileas.ring fill = "tcgen05" drain = "threads" sync = "mbarriers" : !tileas.ring<1, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>
    %b = tileas.acquire %r[%n] : !tileas.ring<1, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>
    %c = constant <f32: 0.0> : tile<8xf32>
    %s = tileas.settled %c : tile<8xf32>
    // expected-error @below {{expected a buffer of the shape and element type of '!tileas.pending<tile<8xf32>>', got '!tileas.buffer<4xf32}}
    tileas.deposit %s to %b : !tileas.pending<tile<8xf32>>, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tcgen05_c3_pair() {
    %a = tileas.alloc_shared : !tileas.buffer<128x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<16x32xf16, #cute.layout<((1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1, 8@1), (16@1))>>
    %c = constant <f32: 0.0> : tile<128x32xf32>
    %p0 = tileas.settled %c : tile<128x32xf32>
    // expected-error @below {{expected atom of a pair to be tcgen05.m256, n and k, with n from 32 to 256 in steps of 32, got 'tcgen05.m128n32k16.pair'}}
    %q = tileas.tcgen05 %a, %b, %p0 atom = "tcgen05.m128n32k16.pair" : !tileas.buffer<128x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>, !tileas.buffer<16x32xf16, #cute.layout<((1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1, 8@1), (16@1))>>, !tileas.pending<tile<128x32xf32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tcgen05_c7_one() {
    %a = tileas.alloc_shared : !tileas.buffer<128x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<16x32xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1, 8@1, 16@1)>>
    %c = constant <f32: 0.0> : tile<128x32xf32>
    %p0 = tileas.settled %c : tile<128x32xf32>
    // expected-error @below {{expected lhs in one CTA, and rhs in two for atom tcgen05.m256n32k16.pair, got '!tileas.buffer<16x32xf16}}
    %q = tileas.tcgen05 %a, %b, %p0 atom = "tcgen05.m256n32k16.pair" : !tileas.buffer<128x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>, !tileas.buffer<16x32xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1, 8@1, 16@1)>>, !tileas.pending<tile<128x32xf32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tcgen05_c7_two() {
    %a = tileas.alloc_shared : !tileas.buffer<128x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<16x32xf16, #cute.layout<((1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1, 8@1), (16@1))>>
    %c = constant <f32: 0.0> : tile<128x32xf32>
    %p0 = tileas.settled %c : tile<128x32xf32>
    // expected-error @below {{expected lhs in one CTA, and rhs in one for atom tcgen05.m128n32k16, got '!tileas.buffer<16x32xf16}}
    %q = tileas.tcgen05 %a, %b, %p0 atom = "tcgen05.m128n32k16" : !tileas.buffer<128x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>, !tileas.buffer<16x32xf16, #cute.layout<((1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1, 8@1), (16@1))>>, !tileas.pending<tile<128x32xf32>>
    return
  }
}
