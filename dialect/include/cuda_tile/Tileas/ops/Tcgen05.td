//===- Tcgen05.td - Matrix products in tensor memory ------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_TILEAS_OPS_TCGEN05_TD
#define CUDA_TILE_TILEAS_OPS_TCGEN05_TD

include "cuda_tile/Tileas/ops/Wgmma.td"

def Tileas_Tcgen05Op : Tileas_AsyncProductOp<"tcgen05", "mma", "mbarrier",
    (ins Arg<Variadic<AnyTypeOf<[Tileas_BufferType, CudaTile_Tile]>>, "",
        [MemRead<Tileas_SharedMemory>]>:$scales),
    "(`scales` `(` $scales^ `:` custom<CudaTileTypes>(type($scales)) `)`)?"> {
  let summary = "Starts a matrix product in tensor memory";
  let description = [{
    What `mmaf`, `mmai` and, with two `scales`, `mmaf_scaled` compute, by instructions
    of one thread that `atom` names: `tcgen05.m128n256k16`. They read `lhs` and `rhs`,
    and the sum is in tensor memory until it is awaited.

    (C1) The operands are matrices with matching extents.
    (C2) `lhs` and `rhs` are buffers with the same element type. Elements of 4 bits
         lie in `i8`: two neighbours along K in each, the first in its low half.
    (C3) `atom` is m64 or m128, n of 16 to 256 in steps of 16, and k, elements in 32
         bytes.
         One that takes scale factors is m128, and has `.mxf8`, `.mxf4` or `.nvf4`
         behind that. One of a pair of CTAs is m256, n of 32 to 256 in steps of 32, and
         has `.pair`: each has half of its rows.
    (C4) The atom takes the element types, and its m, n and k divide the extents.
    (C5) Integers have a signedness each, others, and bytes of `.mxf4` and `.nvf4`,
         have none.
    (C6) There are scale factors [M, S] and [S, N] for such an atom alone, of its type
         and for as many elements along K as it says. Both are tiles, which threads
         store to tensor memory, or both are buffers, which are copied there.
    (C7) The CTAs of a pair hold `rhs` together, and nothing else is held so.
  }];
  let examples = [[{
    %a = tileas.alloc_shared : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<16x16xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1, 8@1)>>
    %c = constant <f32: 0.0> : tile<64x16xf32>
    %sum = tileas.settled %c : tile<64x16xf32>
    %q = tileas.tcgen05 %a, %b, %sum atom = "tcgen05.m64n16k16" : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>, !tileas.buffer<16x16xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1, 8@1)>>, !tileas.pending<tile<64x16xf32>>
    %r = tileas.await %q : !tileas.pending<tile<64x16xf32>>
  }], [{
    %a = tileas.alloc_shared : !tileas.buffer<128x32xf8E5M2, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<32x16xf8E5M2, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1, 8@1)>>
    %c = constant <f32: 0.0> : tile<128x16xf32>
    %s = constant <f8E8M0FNU: 1.0> : tile<128x1xf8E8M0FNU>
    %t = constant <f8E8M0FNU: 1.0> : tile<1x16xf8E8M0FNU>
    %sum = tileas.settled %c : tile<128x16xf32>
    %q = tileas.tcgen05 %a, %b, %sum scales(%s, %t : tile<128x1xf8E8M0FNU>, tile<1x16xf8E8M0FNU>) atom = "tcgen05.m128n16k32.mxf8" : !tileas.buffer<128x32xf8E5M2, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>, !tileas.buffer<32x16xf8E5M2, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1, 8@1)>>, !tileas.pending<tile<128x16xf32>>
    %r = tileas.await %q : !tileas.pending<tile<128x16xf32>>
  }]];
  let hasVerifier = 1; // C1..C6
}

def Tileas_DepositOp : Tileas_Op<"deposit", "mma", [Tileas_UsesBuffer]> {
  let summary = "Leaves a sum in a slot of a ring that products fill";
  let description = [{
    Whoever takes the slot finds the sum there, once its products are done. Where it
    already lies in tensor memory nothing moves.

    (C1) The buffer has the shape and the element type of the sum.
  }];
  let examples = [[{
    %r = tileas.ring fill = "tcgen05" drain = "threads" sync = "mbarriers" : !tileas.ring<1, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>
    %b = tileas.acquire %r[%n] : !tileas.ring<1, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>
    %c = constant <f32: 0.0> : tile<4xf32>
    %sum = tileas.settled %c : tile<4xf32>
    tileas.deposit %sum to %b : !tileas.pending<tile<4xf32>>, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>
  }]];
  let arguments = (ins
    Tileas_PendingType:$sum,
    Arg<Tileas_BufferType, "", [MemWrite<Tileas_SharedMemory>]>:$buffer
  );
  let assemblyFormat = [{
    $sum `to` $buffer attr-dict `:` qualified(type($sum)) `,`
    qualified(type($buffer))
  }];
  let hasVerifier = 1; // C1
}

#endif // CUDA_TILE_TILEAS_OPS_TCGEN05_TD
