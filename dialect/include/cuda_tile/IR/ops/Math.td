//===- Math.td - Elementary functions -*- tablegen -*-===//

#ifndef CUDA_TILE_IR_OPS_MATH_TD
#define CUDA_TILE_IR_OPS_MATH_TD

include "cuda_tile/IR/Attrs.td"
include "cuda_tile/IR/Enums.td"
include "cuda_tile/IR/Types.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class CudaTile_MathOp<string mnemonic, int wire, string version>
    : CudaTile_Op<mnemonic, "math", wire, version,
        [Pure, AllTypesMatch<["source", "result"]>]> {
  let arguments = (ins CudaTile_BaseFloatTile:$source);
  let results = (outs CudaTile_BaseFloatTile:$result);
  let assemblyFormat = [{
    $source attr-dict `:` custom<CudaTileType>(type($result))
  }];
  let examples = [[{
    %a = constant <f32: 0.5> : tile<8xf32>
    %r = }] # mnemonic # " %a : tile<8xf32>"];
}

// (C1) `flush_to_zero` is for f32.
class CudaTile_FlushableMathOp<string mnemonic, int wire>
    : CudaTile_MathOp<mnemonic, wire, "13.1"> {
  let description = "(C1) `flush_to_zero` is for f32.";
  let arguments = (ins
    CudaTile_BaseFloatTile:$source,
    UnitAttr:$flush_to_zero
  );
  let assemblyFormat = [{
    $source (`flush_to_zero` $flush_to_zero^)? attr-dict `:`
    custom<CudaTileType>(type($result))
  }];
  let hasVerifier = 1; // C1
}

def CudaTile_CeilOp : CudaTile_MathOp<"ceil", 0xD, "13.1"> {
  let summary = "Smallest whole number that is not smaller";
}

def CudaTile_ExpOp : CudaTile_MathOp<"exp", 0x17, "13.1"> {
  let summary = "e to the power of the operand";
  let description = [{
    (C1) `rounding_mode` is approx or full.
    (C2) approx is for f32.
  }];
  let examples = [[{
    %a = constant <f32: 0.5> : tile<8xf32>
    %r = exp %a : tile<8xf32>
    %s = exp %a rounding<approx> : tile<8xf32>
  }]];
  let arguments = (ins
    CudaTile_BaseFloatTile:$source,
    CudaTile_Since<"13.3",
      DefaultValuedAttr<CudaTile_RoundingModeAttr,
                        "::cuda_tile::RoundingMode::FULL">>:$rounding_mode
  );
  let assemblyFormat = [{
    $source custom<ApproxRounding>($rounding_mode) attr-dict `:`
    custom<CudaTileType>(type($result))
  }];
  let hasVerifier = 1; // C1, C2
}

def CudaTile_Exp2Op : CudaTile_FlushableMathOp<"exp2", 0x18> {
  let summary = "2 to the power of the operand";
}

def CudaTile_FloorOp : CudaTile_MathOp<"floor", 0x27, "13.1"> {
  let summary = "Largest whole number that is not larger";
}

#endif // CUDA_TILE_IR_OPS_MATH_TD
