//===- Wgmma.td - Matrix products that run by themselves --------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_TILEAS_OPS_WGMMA_TD
#define CUDA_TILE_TILEAS_OPS_WGMMA_TD

include "cuda_tile/Tileas/Base.td"
include "cuda_tile/Tileas/Interfaces.td"

// A product that runs by itself; its end is known by groups, which complete in order, or
// by an mbarrier. `more` are further operands, which `clause` prints.
class Tileas_AsyncProductOp<string mnemonic, string stem, string completion,
                            dag more = (ins), string clause = "">
    : Tileas_Op<mnemonic, stem,
                [AllTypesMatch<["acc", "result"]>, Tileas_AsyncProduct]> {
  let arguments = !con((ins
    Arg<AnyTypeOf<[Tileas_BufferType, CudaTile_Tile]>, "",
        [MemRead<Tileas_SharedMemory>]>:$lhs,
    Arg<Tileas_BufferType, "", [MemRead<Tileas_SharedMemory>]>:$rhs,
    Tileas_PendingType:$acc
  ), more, (ins
    StrAttr:$atom,
    OptionalAttr<CudaTile_SignednessAttr>:$signedness_lhs,
    OptionalAttr<CudaTile_SignednessAttr>:$signedness_rhs
  ));
  let results = (outs Tileas_PendingType:$result);
  let assemblyFormat = "$lhs `,` $rhs `,` $acc " # clause # [{
    `atom` `=` $atom attr-dict `:`
    custom<CudaTileType>(type($lhs)) `,` qualified(type($rhs)) `,`
    qualified(type($acc))
  }];
  let extraClassDeclaration =
      "static ::llvm::StringRef getCompletion() { return \"" # completion # "\"; }";
}

def Tileas_WgmmaOp : Tileas_AsyncProductOp<"wgmma", "mma", "group"> {
  let summary = "Starts a matrix product of warpgroups";
  let description = [{
    What `mmaf` and `mmai` compute, by instructions of four warps that `atom` names:
    `m64n128k16`. They read `rhs`, and `lhs` where that is a buffer, until the result
    is awaited; each op is one group of them.

    (C1) The operands are matrices with matching extents.
    (C2) `lhs` and `rhs` have the same element type.
    (C3) `atom` is m64, n of 8 to 256 and k; n is a multiple of 8, of integers above
         32 one of 16; k is 32 bytes.
    (C4) The atom takes the element types, and its m, n and k divide the extents.
    (C5) Integers have a signedness each, others have none.
  }];
  let examples = [[{
    %a = tileas.alloc_shared : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<16x8xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1)>>
    %c = constant <f32: 0.0> : tile<64x8xf32>
    %sum = tileas.settled %c : tile<64x8xf32>
    %q = tileas.wgmma %a, %b, %sum atom = "m64n8k16" : !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>, !tileas.buffer<16x8xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1)>>, !tileas.pending<tile<64x8xf32>>
    %r = tileas.await %q : !tileas.pending<tile<64x8xf32>>
  }]];
  let hasVerifier = 1; // C1..C5
}

def Tileas_SettledOp : Tileas_Op<"settled", "mma", [Pure]> {
  let summary = "A tile as a pending value that is there already";
  let description = "(C1) The result is pending of the operand's type.";
  let examples = [[{
    %c = constant <f32: 0.0> : tile<64x8xf32>
    %sum = tileas.settled %c : tile<64x8xf32>
  }]];
  let arguments = (ins CudaTile_Tile:$tile);
  let results = (outs Tileas_PendingType:$result);
  let assemblyFormat = "$tile attr-dict `:` custom<SettledTypes>(type($tile), type($result))";
  let hasVerifier = 1; // C1
}

def Tileas_AwaitOp : Tileas_Op<"await", "mma",
    [Tileas_AwaitsProducts, MemoryEffects<[MemRead<Tileas_SharedMemory>,
                    MemWrite<Tileas_SharedMemory>]>]> {
  let summary = "Waits for products and gives their tiles";
  let description = [{
    `groups`, set by the count pass, is the number of the youngest products that may
    still run afterwards.

    (C1) The results are the tiles of the operands' types.
  }];
  let examples = [[{
    %c = constant <f32: 0.0> : tile<64x8xf32>
    %sum = tileas.settled %c : tile<64x8xf32>
    %r = tileas.await %sum groups = 0 : !tileas.pending<tile<64x8xf32>>
  }]];
  let arguments = (ins Variadic<Tileas_PendingType>:$pending,
                       OptionalAttr<I64Attr>:$groups);
  let results = (outs Variadic<CudaTile_Tile>:$tiles);
  let assemblyFormat = [{
    $pending (`groups` `=` $groups^)? attr-dict `:`
    custom<AwaitedTypes>(type($pending), type($tiles))
  }];
  let hasVerifier = 1; // C1
}

#endif // CUDA_TILE_TILEAS_OPS_WGMMA_TD
