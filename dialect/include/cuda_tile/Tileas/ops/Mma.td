//===- Mma.td - Matrix instructions ------------------------*- tablegen -*-===//

#ifndef CUDA_TILE_TILEAS_OPS_MMA_TD
#define CUDA_TILE_TILEAS_OPS_MMA_TD

include "cuda_tile/Tileas/Base.td"

def Tileas_MmaSyncOp : Tileas_Op<"mma_sync", "mma",
    [Pure, AllTypesMatch<["acc", "result"]>,
     AllRanksMatch<["lhs", "rhs", "acc"]>]> {
  let summary = "Matrix product by the instruction that `atom` names";
  let description = [{
    (C1) The operands are matrices with matching extents.
    (C2) `lhs` and `rhs` have the same element type.
    (C3) `atom` is the name of a matrix instruction whose M, N and K divide the
         extents of the product.
    (C4) The instruction exists for the element types.
  }];
  let examples = [[{
    %a = constant <f16: 1.0> : tile<16x16xf16>
    %b = constant <f16: 1.0> : tile<16x8xf16>
    %c = constant <f32: 0.0> : tile<16x8xf32>
    %r = tileas.mma_sync %a, %b, %c atom = "m16n8k16" : tile<16x16xf16>, tile<16x8xf16>, tile<16x8xf32>
  }]];
  let arguments = (ins
    CudaTile_Tile:$lhs,
    CudaTile_Tile:$rhs,
    CudaTile_Tile:$acc,
    StrAttr:$atom
  );
  let results = (outs CudaTile_Tile:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc `atom` `=` $atom attr-dict `:`
    custom<CudaTileType>(type($lhs)) `,` custom<CudaTileType>(type($rhs)) `,`
    custom<CudaTileType>(type($acc))
  }];
  let hasVerifier = 1; // C1..C4
}

#endif // CUDA_TILE_TILEAS_OPS_MMA_TD
