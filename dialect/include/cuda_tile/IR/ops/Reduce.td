//===- Reduce.td - Reductions and scans -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_IR_OPS_REDUCE_TD
#define CUDA_TILE_IR_OPS_REDUCE_TD

include "cuda_tile/IR/Attrs.td"
include "cuda_tile/IR/Enums.td"
include "cuda_tile/IR/Types.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def CudaTile_ReduceOp : CudaTile_Op<"reduce", "reduce", 0x58, "13.1",
    [RecursiveMemoryEffects, CudaTile_Combines, CudaTile_Reduces, SingleBlock,
     SingleBlockImplicitTerminator<"YieldOp">,
     DeclareOpInterfaceMethods<OpAsmOpInterface,
       ["getDefaultDialect", "getAsmResultNames",
        "getAsmBlockArgumentNames"]>]> {
  let summary = "Reduces a dimension by combining its elements";
  let description = [{
    The body combines two elements into one (with several operands, a pair of
    elements of each). The order and grouping of the elements are unspecified, and
    the identities may be inserted anywhere.
    (C1) There is at least one operand, and one result and one identity for each.
    (C2) All operands are tiles of the same shape; identity `i` has the element type
         of operand `i` (f16 is accepted for bf16 and conversely).
    (C3) `dim` is a dimension of the operands.
    (C4) The body takes a pair of scalars per operand and yields one scalar for each.
    (C5) The body is pure.
    (C6) Results have the operands' element types, and their shape without `dim`.
  }];
  let examples = [[{
    %a = constant <f32: 1.0> : tile<8x16xf32>
    %sum = reduce %a dim=1 identities=[0.0 : f32] : tile<8x16xf32> -> tile<8xf32>
    (%x: tile<f32>, %y: tile<f32>) {
      %s = addf %x, %y : tile<f32>
      yield %s : tile<f32>
    }
  }]];
  let arguments = (ins
    Variadic<CudaTile_Tile>:$operands,
    ConfinedAttr<I32Attr, [IntNonNegative]>:$dim,
    ArrayAttr:$identities
  );
  let results = (outs Variadic<CudaTile_Tile>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $operands `dim` `` `=` `` $dim
    `identities` `` `=` `` $identities attr-dict `:`
    custom<CudaTileTypes>(type($operands)) `->`
    custom<CudaTileTypes>(type($results))
    custom<ArgumentRegion>($body)
  }];
  let hasVerifier = 1;       // C1, C2, C3, C6
  let hasRegionVerifier = 1; // C4, C5
}

def CudaTile_ScanOp : CudaTile_Op<"scan", "reduce", 0x5E, "13.1",
    [RecursiveMemoryEffects, CudaTile_Combines, SingleBlock,
     SingleBlockImplicitTerminator<"YieldOp">,
     DeclareOpInterfaceMethods<OpAsmOpInterface, ["getDefaultDialect"]>]> {
  let summary = "Inclusive scan along a dimension";
  let description = [{
    Element `i` of the result combines elements `0` to `i` of the operand or, with
    `reverse`, elements `i` to the last. The first argument of a pair is an
    element, the second the value accumulated so far. The grouping of the elements
    is unspecified.
    (C1) There is at least one operand, and one result and one identity for each.
    (C2) All operands are tiles of the same shape; identity `i` has the element type
         of operand `i` (f16 is accepted for bf16 and conversely).
    (C3) `dim` is a dimension of the operands.
    (C4) The body takes a pair of scalars per operand and yields one scalar for each.
    (C5) The body is pure.
    (C6) Results have the types of the operands.
  }];
  let examples = [[{
    %a = constant <f32: 1.0> : tile<8x16xf32>
    %sums = scan %a dim=1 reverse=false identities=[0.0 : f32] : tile<8x16xf32> -> tile<8x16xf32>
    (%x: tile<f32>, %y: tile<f32>) {
      %s = addf %x, %y : tile<f32>
      yield %s : tile<f32>
    }
  }]];
  let arguments = (ins
    Variadic<CudaTile_Tile>:$operands,
    ConfinedAttr<I32Attr, [IntNonNegative]>:$dim,
    BoolAttr:$reverse,
    ArrayAttr:$identities
  );
  let results = (outs Variadic<CudaTile_Tile>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $operands `dim` `` `=` `` $dim `reverse` `` `=` `` $reverse
    `identities` `` `=` `` $identities attr-dict `:`
    custom<CudaTileTypes>(type($operands)) `->`
    custom<CudaTileTypes>(type($results))
    custom<ArgumentRegion>($body)
  }];
  let hasVerifier = 1;       // C1, C2, C3, C6
  let hasRegionVerifier = 1; // C4, C5
}

#endif // CUDA_TILE_IR_OPS_REDUCE_TD
