//===- Mma.td - Matrix products -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_IR_OPS_MMA_TD
#define CUDA_TILE_IR_OPS_MMA_TD

include "cuda_tile/IR/Attrs.td"
include "cuda_tile/IR/Enums.td"
include "cuda_tile/IR/Types.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

defvar mmafInputs = [CudaTile_F16, CudaTile_BF16, CudaTile_F32, CudaTile_F64,
                     CudaTile_TF32, CudaTile_F8E4M3FN, CudaTile_F8E5M2];
defvar mmafResults = [CudaTile_F16, CudaTile_F32, CudaTile_F64];

def CudaTile_MmaFInputTile
    : CudaTile_TileOf<mmafInputs, "mmaf operand tile type">;
def CudaTile_MmaFResultTile
    : CudaTile_TileOf<mmafResults, "mmaf acc/result tile type">;

def CudaTile_MmaFOp : CudaTile_Op<"mmaf", "mma", 0x49, "13.1",
    [Pure, CudaTile_Multiplies,
     CudaTile_TypesMatch<["acc", "result"],
       "mma accumulator and result shapes must match; floating mma accumulator "
       "and result must share type">,
     CudaTile_ElementTypesMatch<["lhs", "rhs"]>,
     CudaTile_Rule<"all of {lhs, rhs, acc} have same rank; mma operands must "
                   "share rank",
       "getLhs().getType().getRank() == getRhs().getType().getRank() && "
       "getLhs().getType().getRank() == getAcc().getType().getRank()">]> {
  let summary = "Floating-point matrix product: lhs * rhs + acc";
  let description = [{
    `lhs: [M, K]`, `rhs: [K, N]`, `acc: [M, N]`. With a leading batch dimension on
    each, one product per batch index.
    (C1) Ranks are equal, and 2 or 3.
    (C2) Extents match.
    (C3) The accumulator type is one that the input type allows: f16 -> f16, f32;
         bf16, tf32, f32 -> f32; f64 -> f64; f8 -> f16, f32.
  }];
  let examples = [[{
    %a = constant <f16: 1.0> : tile<16x8xf16>
    %b = constant <f16: 1.0> : tile<8x32xf16>
    %c = constant <f32: 0.0> : tile<16x32xf32>
    %r = mmaf %a, %b, %c : tile<16x8xf16>, tile<8x32xf16>, tile<16x32xf32>
  }]];
  let arguments = (ins
    CudaTile_MmaFInputTile:$lhs,
    CudaTile_MmaFInputTile:$rhs,
    CudaTile_MmaFResultTile:$acc,
    CudaTile_Since<"13.3", UnitAttr>:$fast_acc
  );
  let results = (outs CudaTile_MmaFResultTile:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc (`fast_acc` $fast_acc^)? attr-dict `:`
    custom<CudaTileType>(type($lhs)) `,` custom<CudaTileType>(type($rhs)) `,`
    custom<CudaTileType>(type($acc))
  }];
  let hasVerifier = 1; // C1, C2, C3
}

def CudaTile_MmaIInputTile
    : CudaTile_TileOf<[CudaTile_I8], "mmai operand tile type">;
def CudaTile_MmaIAccTile
    : CudaTile_TileOf<[CudaTile_I32], "mmai acc tile type">;
def CudaTile_MmaIResultTile
    : CudaTile_TileOf<[CudaTile_I32], "mmai result tile type">;

def CudaTile_MmaIOp : CudaTile_Op<"mmai", "mma", 0x4A, "13.1",
    [Pure, CudaTile_Multiplies,
     CudaTile_TypesMatch<["acc", "result"],
       "mma accumulator and result shapes must match">,
     CudaTile_ElementTypesMatch<["lhs", "rhs"]>,
     CudaTile_Rule<"all of {lhs, rhs, acc} have same rank; mma operands must "
                   "share rank",
       "getLhs().getType().getRank() == getRhs().getType().getRank() && "
       "getLhs().getType().getRank() == getAcc().getType().getRank()">]> {
  let summary = "Integer matrix product: lhs * rhs + acc";
  let description = [{
    Each input has a signedness of its own; the sum wraps around.
    (C1) Ranks are equal, and 2 or 3.
    (C2) Extents match, as for `mmaf`.
  }];
  let examples = [[{
    %a = constant <i8: 1> : tile<16x8xi8>
    %b = constant <i8: 1> : tile<8x32xi8>
    %c = constant <i32: 0> : tile<16x32xi32>
    %r = mmai %a, %b, %c signed unsigned : tile<16x8xi8>, tile<8x32xi8>, tile<16x32xi32>
  }]];
  let arguments = (ins
    CudaTile_MmaIInputTile:$lhs,
    CudaTile_MmaIInputTile:$rhs,
    CudaTile_MmaIAccTile:$acc,
    CudaTile_SignednessAttr:$signedness_lhs,
    CudaTile_SignednessAttr:$signedness_rhs
  );
  let results = (outs CudaTile_MmaIResultTile:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc custom<Signedness>($signedness_lhs)
    custom<Signedness>($signedness_rhs) attr-dict `:`
    custom<CudaTileType>(type($lhs)) `,` custom<CudaTileType>(type($rhs)) `,`
    custom<CudaTileType>(type($acc))
  }];
  let hasVerifier = 1; // C1, C2
}

def CudaTile_MmaFScaledInputTile : CudaTile_TileOf<
    [CudaTile_F8E4M3FN, CudaTile_F8E5M2, CudaTile_F4E2M1FN],
    "mmaf_scaled operand tile type">;
def CudaTile_MmaFScaledResultTile
    : CudaTile_TileOf<[CudaTile_F32], "mmaf_scaled result tile type">;
def CudaTile_MmaFScaledScaleTile : CudaTile_TileOf<
    [CudaTile_F8E4M3FN, CudaTile_F8E8M0FNU], "mmaf_scaled scale tile type">;

def CudaTile_MmaFScaledOp : CudaTile_Op<"mmaf_scaled", "mma", 0x72, "13.3",
    [Pure, CudaTile_Multiplies,
     CudaTile_TypesMatch<["acc", "result"],
       "mma accumulator and result shapes must match; floating mma accumulator "
       "and result must share type">,
     CudaTile_ElementTypesMatch<["lhs", "rhs"]>,
     CudaTile_ElementTypesMatch<["lhs_scale", "rhs_scale"]>,
     CudaTile_Rule<"all of {lhs, rhs, acc, lhs_scale, rhs_scale} have same "
                   "rank; mma operands must share rank",
       "::llvm::all_of(getOperands(), [&](::mlir::Value value) { return "
       "::llvm::cast<::cuda_tile::TileType>(value.getType()).getRank() == "
       "getLhs().getType().getRank(); })">]> {
  let summary = "Block-scaled matrix product: (lhs * scales) * (rhs * scales) + acc";
  let description = [{
    A block is `K / S` consecutive elements along K: of a row of `lhs: [M, K]` or of
    a column of `rhs: [K, N]`. The elements of a block are multiplied by one scale
    factor, from `lhs_scale: [M, S]` or `rhs_scale: [S, N]`.
    (C1) Ranks are equal, and 2 or 3.
    (C2) Extents match, as for `mmaf`; those of the scale factors match them, and
         `S` divides `K`.
    (C3) The scale factors of f8 elements are f8E8M0FNU, those of f4 elements
         f8E8M0FNU or f8E4M3FN.
    (C4) A block has 32 f8 elements; 16 or 32 f4 elements with f8E8M0FNU
         scale factors, 16 with f8E4M3FN scale factors.
  }];
  let examples = [[{
    %a = constant <f8E4M3FN: 1.0> : tile<16x64xf8E4M3FN>
    %b = constant <f8E4M3FN: 1.0> : tile<64x32xf8E4M3FN>
    %c = constant <f32: 0.0> : tile<16x32xf32>
    %u = constant <f8E8M0FNU: 1.0> : tile<16x2xf8E8M0FNU>
    %v = constant <f8E8M0FNU: 1.0> : tile<2x32xf8E8M0FNU>
    %r = mmaf_scaled %a, %b, %c, %u, %v : tile<16x64xf8E4M3FN>, tile<64x32xf8E4M3FN>, tile<16x32xf32>, tile<16x2xf8E8M0FNU>, tile<2x32xf8E8M0FNU>
  }]];
  let arguments = (ins
    CudaTile_MmaFScaledInputTile:$lhs,
    CudaTile_MmaFScaledInputTile:$rhs,
    CudaTile_MmaFScaledResultTile:$acc,
    CudaTile_MmaFScaledScaleTile:$lhs_scale,
    CudaTile_MmaFScaledScaleTile:$rhs_scale
  );
  let results = (outs CudaTile_MmaFScaledResultTile:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc `,` $lhs_scale `,` $rhs_scale attr-dict `:`
    custom<CudaTileType>(type($lhs)) `,` custom<CudaTileType>(type($rhs)) `,`
    custom<CudaTileType>(type($acc)) `,`
    custom<CudaTileType>(type($lhs_scale)) `,`
    custom<CudaTileType>(type($rhs_scale))
  }];
  let hasVerifier = 1; // C1, C2, C3, C4
}

#endif // CUDA_TILE_IR_OPS_MMA_TD
