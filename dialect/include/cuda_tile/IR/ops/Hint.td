//===- Hint.td - What the producer knows or wants to see -*- tablegen -*-===//

#ifndef CUDA_TILE_IR_OPS_HINT_TD
#define CUDA_TILE_IR_OPS_HINT_TD

include "cuda_tile/IR/Attrs.td"
include "cuda_tile/IR/Enums.td"
include "cuda_tile/IR/Types.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def CudaTile_AssertOp : CudaTile_Op<"assert", "hint", 0x5, "13.1"> {
  let summary = "Stops the program with a message unless all are true";
  let description = [{
    Which tile block failed, and for which element, is not part of the message. The
    op is never removed.
  }];
  let examples = [[{
    %c = constant <i1: true> : tile<8xi1>
    assert %c, "must hold" : tile<8xi1>
  }]];
  let arguments = (ins CudaTile_BoolTile:$condition, StrAttr:$message);
  let assemblyFormat = [{
    $condition `,` $message attr-dict `:`
    custom<CudaTileType>(type($condition))
  }];
}

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

// Called `print` in 13.1; both names are read.
def CudaTile_PrintTkoOp : CudaTile_Op<"print_tko", "hint", 0x55, "13.1",
    [AttrSizedOperandSegments]> {
  let summary = "Prints a text with values in it, as C's printf does";
  let description = [{
    A directive begins with `%` and ends with a letter of `diouxXeEfFgGaAcsSpn`;
    `%%` is a percent sign. Of a tile every element is printed, in brackets.
    (C1) Each directive ends.
    (C2) There is an operand per directive.
  }];
  let examples = [[{
    %a = make_token : token
    %b = print_tko "n = %i", %n token=%a : tile<i32> -> token
    %c = print_tko "100 %%" -> token
  }]];
  let arguments = (ins
    StrAttr:$str,
    Variadic<CudaTile_Tile>:$args,
    CudaTile_Since<"13.2", Optional<CudaTile_TokenType>>:$token
  );
  let results = (outs CudaTile_Since<"13.2", CudaTile_TokenType>:$result_token);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1; // C1, C2
}

#endif // CUDA_TILE_IR_OPS_HINT_TD
