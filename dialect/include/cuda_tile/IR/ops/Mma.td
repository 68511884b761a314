//===- Mma.td - Matrix products -*- tablegen -*-===//

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
def CudaTile_MmaFAccTile : CudaTile_TileOf<mmafResults, "mmaf acc tile type">;
def CudaTile_MmaFResultTile
    : CudaTile_TileOf<mmafResults, "mmaf result tile type">;

def CudaTile_MmaFOp : CudaTile_Op<"mmaf", "mma", 0x49, "13.1",
    [Pure,
     CudaTile_TypesMatch<["acc", "result"],
       "mma accumulator and result shapes must match; floating mma accumulator "
       "and result must share type">,
     AllElementTypesMatch<["lhs", "rhs"]>,
     CudaTile_Rule<"all of {lhs, rhs, acc} have same rank; mma operands must "
                   "share rank",
       "getLhs().getType().getRank() == getRhs().getType().getRank() && "
       "getLhs().getType().getRank() == getAcc().getType().getRank()">]> {
  let summary = "Floating-point matrix product: lhs * rhs + acc";
  let description = [{
    `lhs: [M, K]`, `rhs: [K, N]`, `acc: [M, N]`; with a batch dimension in front
    of each, as many products.
    (C1) Ranks are equal, and 2 or 3.
    (C2) Extents agree.
    (C3) The accumulator is one that the inputs allow: f16 -> f16, f32;
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
    CudaTile_MmaFAccTile:$acc,
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

#endif // CUDA_TILE_IR_OPS_MMA_TD
