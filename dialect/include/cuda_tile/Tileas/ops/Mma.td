//===- Mma.td - Matrix instructions ------------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_TILEAS_OPS_MMA_TD
#define CUDA_TILE_TILEAS_OPS_MMA_TD

include "cuda_tile/Tileas/Base.td"

def Tileas_MmaSyncOp : Tileas_Op<"mma_sync", "mma",
    [Pure, AllTypesMatch<["acc", "result"]>,
     AllRanksMatch<["lhs", "rhs", "acc"]>]> {
  let summary = "Matrix product by the instruction that `atom` names";
  let description = [{
    What `mmaf`, `mmai` and, with two `scales`, `mmaf_scaled` compute.
    (C1) The operands are matrices, or batches of them, with matching extents.
    (C2) `lhs` and `rhs` have the same element type.
    (C3) `atom` is the name of a matrix instruction, or of multiply-adds of each thread.
    (C4) The atom takes the element types.
    (C5) Integers have a signedness each, others have none.
    (C6) There are no scale factors, or those of `mmaf_scaled`: of `lhs`, and of `rhs`.
  }];
  let examples = [[{
    %a = constant <f16: 1.0> : tile<16x16xf16>
    %b = constant <f16: 1.0> : tile<16x8xf16>
    %c = constant <f32: 0.0> : tile<16x8xf32>
    %r = tileas.mma_sync %a, %b, %c atom = "m16n8k16" : tile<16x16xf16>, tile<16x8xf16>, tile<16x8xf32>
  }], [{
    %a = constant <i8: 1> : tile<16x32xi8>
    %b = constant <i8: 1> : tile<32x8xi8>
    %c = constant <i32: 0> : tile<16x8xi32>
    %r = tileas.mma_sync %a, %b, %c atom = "m16n8k32" {signedness_lhs = #cuda_tile<signedness signed>, signedness_rhs = #cuda_tile<signedness unsigned>} : tile<16x32xi8>, tile<32x8xi8>, tile<16x8xi32>
  }], [{
    %a = constant <f8E5M2: 1.0> : tile<16x32xf8E5M2>
    %b = constant <f8E5M2: 1.0> : tile<32x8xf8E5M2>
    %c = constant <f32: 0.0> : tile<16x8xf32>
    %s = constant <f8E8M0FNU: 1.0> : tile<16x1xf8E8M0FNU>
    %t = constant <f8E8M0FNU: 1.0> : tile<1x8xf8E8M0FNU>
    %r = tileas.mma_sync %a, %b, %c scales(%s, %t : tile<16x1xf8E8M0FNU>, tile<1x8xf8E8M0FNU>) atom = "m16n8k16" : tile<16x32xf8E5M2>, tile<32x8xf8E5M2>, tile<16x8xf32>
  }]];
  let arguments = (ins
    CudaTile_Tile:$lhs,
    CudaTile_Tile:$rhs,
    CudaTile_Tile:$acc,
    Variadic<CudaTile_Tile>:$scales,
    StrAttr:$atom,
    OptionalAttr<CudaTile_SignednessAttr>:$signedness_lhs,
    OptionalAttr<CudaTile_SignednessAttr>:$signedness_rhs
  );
  let results = (outs CudaTile_Tile:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc
    (`scales` `(` $scales^ `:` custom<CudaTileTypes>(type($scales)) `)`)?
    `atom` `=` $atom attr-dict `:` custom<CudaTileType>(type($lhs)) `,`
    custom<CudaTileType>(type($rhs)) `,` custom<CudaTileType>(type($acc))
  }];
  let hasVerifier = 1; // C1..C6
}

#endif // CUDA_TILE_TILEAS_OPS_MMA_TD
