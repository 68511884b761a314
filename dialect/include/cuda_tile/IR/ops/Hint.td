//===- Hint.td - What the producer knows or wants to see -*- tablegen -*-===//

#ifndef CUDA_TILE_IR_OPS_HINT_TD
#define CUDA_TILE_IR_OPS_HINT_TD

include "cuda_tile/IR/Attrs.td"
include "cuda_tile/IR/Enums.td"
include "cuda_tile/IR/Types.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def CudaTile_AssumeOp : CudaTile_Op<"assume", "hint", 0x6, "13.1",
    [AllTypesMatch<["value", "result"]>,
     CudaTile_NamesResults]> {
  let summary = "The operand, of which something is known";
  let description = [{
    (C1) The predicate makes sense for the type of the value.
    If it does not hold, the program is undefined.
  }];
  let examples = [
    "%a = assume div_by<16>, %n : tile<i32>",
    "%a = assume bounded<0, ?>, %n : tile<i32>",
    [{
      %i = iota : tile<8xi32>
      %a = assume div_by<4, every 4 along 0>, %i : tile<8xi32>
      %b = assume same_elements<[1]>, %a : tile<8xi32>
    }],
  ];
  let arguments = (ins
    AnyType:$value,
    CudaTile_AssumePredicateAttrInterface:$predicate
  );
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    custom<AssumePredicate>($predicate) `,` $value attr-dict `:`
    custom<CudaTileType>(type($result))
  }];
  let hasFolder = 1;
  let hasVerifier = 1; // C1
}

#endif // CUDA_TILE_IR_OPS_HINT_TD
