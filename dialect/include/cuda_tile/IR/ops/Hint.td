//===- Hint.td - Assumptions, assertions and printing -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_IR_OPS_HINT_TD
#define CUDA_TILE_IR_OPS_HINT_TD

include "cuda_tile/IR/Attrs.td"
include "cuda_tile/IR/Enums.td"
include "cuda_tile/IR/Types.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def CudaTile_AssertOp : CudaTile_Op<"assert", "hint", 0x5, "13.1"> {
  let summary = "Stops the program with a message unless all elements are true";
  let description = [{
    The message does not say which tile block failed or which element is false. The
    op has an effect: it is never removed as dead code.
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
    [CudaTile_Computes, CudaTile_Renames, AllTypesMatch<["value", "result"]>,
     CudaTile_NamesResults]> {
  let summary = "States a fact about a value";
  let description = [{
    The result is the operand, and the compiler may rely on the predicate. If the
    predicate does not hold, the behaviour is undefined.
    (C1) The predicate applies to the type of the value.
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

// Called `print` in 13.1; the parser accepts both names.
def CudaTile_PrintTkoOp : CudaTile_Op<"print_tko", "hint", 0x55, "13.1",
    [CudaTile_TouchesNothing, CudaTile_OrdersNothing, AttrSizedOperandSegments]> {
  let summary = "Prints formatted text, like C's printf";
  let description = [{
    A format specifier begins with `%` and ends with a letter of
    `diouxXeEfFgGaAcsSpn`; `%%` is a percent sign. A tile is printed with all its
    elements, in brackets.
    (C1) Each format specifier is complete.
    (C2) There is one operand per format specifier.
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
