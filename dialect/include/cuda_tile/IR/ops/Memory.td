//===- Memory.td - Memory access through pointers, and tokens -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_IR_OPS_MEMORY_TD
#define CUDA_TILE_IR_OPS_MEMORY_TD

include "cuda_tile/IR/Attrs.td"
include "cuda_tile/IR/Enums.td"
include "cuda_tile/IR/Types.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class CudaTile_MemoryOp<string mnemonic, int wire, list<Trait> traits = [],
                        string version = "13.1">
    : CudaTile_Op<mnemonic, "memory", wire, version, traits>;

// The pointee type is the element type of the values.
class CudaTile_PointeeRule<string pointers, string values, string getPointers,
                           string getValues>
    : CudaTile_Rule<"`" # pointers # "` type is expected a pointer type of `"
                        # values # "` type; pointer pointee element type must "
                        # "match value element type",
        "pointsTo(" # getPointers # ".getType(), " # getValues
                    # ".getType())">;
class CudaTile_PointerShapeRule<string pointers, string values,
                                string getPointers, string getValues>
    : CudaTile_Rule<"`" # pointers # "` type is expected a pointer type of `"
                        # values # "` type; pointer tile shape must match value "
                        # "shape",
        getPointers # ".getType().getShape() == " # getValues
                    # ".getType().getShape()">;

def CudaTile_AllocaOp : CudaTile_MemoryOp<"alloca", 0x71, [], "13.3"> {
  let summary = "Allocates memory for the lifetime of the enclosing block";
  let description = [{
    Each execution allocates new, uninitialised memory. Only this tile block may
    access it, unless `global` is given.
    (C1) `alignment`, in bytes, is a power of two.
    (C2) It is at least the number of whole bytes of an element.
  }];
  let examples = [
    "%a = alloca num_elem = 64, alignment = 16 : tile<ptr<f32>>",
    "%a = alloca num_elem = 64, alignment = 16 global : tile<ptr<f32>>",
  ];
  let arguments = (ins
    ConfinedAttr<I64Attr, [IntMinValue<0>]>:$num_elem,
    ConfinedAttr<I64Attr, [IntMinValue<0>]>:$alignment,
    UnitAttr:$global
  );
  let results = (outs CudaTile_PointerScalar:$result);
  let assemblyFormat = [{
    `num_elem` `=` $num_elem `,` `alignment` `=` $alignment
    (`global` $global^)? attr-dict `:` custom<CudaTileType>(type($result))
  }];
  let hasVerifier = 1; // C1, C2
}

// Programmatic dependent launch (CUDA): a kernel may start before the preceding
// kernel of the stream has ended.
class CudaTile_DependentLaunchOp<string mnemonic, int wire,
                                 list<Trait> traits = []>
    : CudaTile_MemoryOp<mnemonic, wire,
        !listconcat([CudaTile_TouchesNothing], traits), "13.4"> {
  let examples = [[{
    %a = }] # mnemonic # [{ : token
    %b = }] # mnemonic # " token=%a : token"];
  let arguments = (ins Optional<CudaTile_TokenType>:$token);
  let results = (outs CudaTile_TokenType:$result_token);
  let assemblyFormat = [{
    (`token` `` `=` `` $token^)? attr-dict `:`
    custom<CudaTileType>(type($result_token))
  }];
}

def CudaTile_GdcLaunchDependentsTkoOp
    : CudaTile_DependentLaunchOp<"gdc_launch_dependents_tko", 0x77,
        [CudaTile_OrdersNothing]> {
  let summary = "Allows the dependent kernel to start";
  let description = [{
    That kernel may start once every tile block has executed this op or has ended.
    The op does not order memory accesses. It has no effect before sm_90 or without
    the launch attribute.
  }];
}

def CudaTile_GdcWaitTkoOp : CudaTile_DependentLaunchOp<"gdc_wait_tko", 0x78> {
  let summary = "Waits for the preceding kernel";
  let description = [{
    Accesses ordered after the result token see everything that the preceding kernel
    has written. The op has no effect before sm_90 or without the launch attribute.
  }];
}

def CudaTile_JoinTokensOp : CudaTile_MemoryOp<"join_tokens", 0x3C, [Pure]> {
  let summary = "Joins tokens into one that is ordered after all of them";
  let description = "(C1) There are at least two operands.";
  let examples = [[{
    %a = make_token : token
    %b = make_token : token
    %c = join_tokens %a, %b : token
  }]];
  let arguments = (ins Variadic<CudaTile_TokenType>:$tokens);
  let results = (outs CudaTile_TokenType:$result);
  let assemblyFormat = [{
    $tokens attr-dict `:` custom<CudaTileType>(type($result))
  }];
  let hasVerifier = 1; // C1
}

def CudaTile_LoadPtrTkoOp : CudaTile_MemoryOp<"load_ptr_tko", 0x3D,
    [CudaTile_Loads, AttrSizedOperandSegments,
     CudaTile_PointerShapeRule<"source", "result", "getSource()",
                               "getResult()">,
     CudaTile_PointeeRule<"source", "result", "getSource()", "getResult()">,
     CudaTile_Rule<"shape of 'mask' must match the shape of 'source'; mask "
                   "shape must match value shape",
       "!getMask() || getMask().getType().getShape() == "
       "getSource().getType().getShape()">,
     CudaTile_Rule<"type of 'paddingValue' must match the type of 'result'",
       "!getPaddingValue() || getPaddingValue().getType() == "
       "getResult().getType()">]> {
  let summary = "Loads through a tile of pointers";
  let description = [{
    Elements whose mask is false are not read; they take the padding value, or are
    undefined without one.
    (C1) The pointee type is the element type of the result; shapes are equal.
    (C2) The mask has the shape of the pointers.
    (C3) The padding value has the type of the result.
    (C4) The ordering is weak, relaxed or acquire; weak takes no scope, the others
         require one.
    (C5) The compiler knows the hints; checked only if the command line asks for it.
    (C6) The pointers are not multicast.
  }];
  let examples = [[{
    %t0 = make_token : token
    %v, %t1 = load_ptr_tko weak %p token=%t0 : tile<ptr<f32>> -> tile<f32>, token
    %m = constant <i1: true> : tile<i1>
    %w, %t2 = load_ptr_tko acquire device %p, %m, %v token=%t1 optimization_hints = <sm_100 = {latency = 4}> : tile<ptr<f32>>, tile<i1>, tile<f32> -> tile<f32>, token
  }]];
  let arguments = (ins
    CudaTile_MemoryOrderingSemanticsAttr:$memory_ordering_semantics,
    OptionalAttr<CudaTile_MemoryScopeAttr>:$memory_scope,
    CudaTile_PointerTile:$source,
    Optional<CudaTile_BoolTile>:$mask,
    Optional<CudaTile_NumberTile>:$paddingValue,
    Optional<CudaTile_TokenType>:$token,
    OptionalAttr<CudaTile_OptimizationHintsAttr>:$optimization_hints
  );
  let results = (outs
    CudaTile_Tile:$result,
    CudaTile_TokenType:$result_token
  );
  let assemblyFormat = [{
    custom<MemoryModel>($memory_ordering_semantics, $memory_scope)
    $source (`,` $mask^)? (`,` $paddingValue^)? (`token` `` `=` `` $token^)?
    (`optimization_hints` `=` $optimization_hints^)? attr-dict `:`
    custom<CudaTileType>(type($source))
    (`,` custom<CudaTileType>(type($mask))^)?
    (`,` custom<CudaTileType>(type($paddingValue))^)? `->`
    custom<CudaTileType>(type($result)) `,`
    custom<CudaTileType>(type($result_token))
  }];
  let hasVerifier = 1; // C4, C5, C6
}

def CudaTile_MakeTokenOp : CudaTile_MemoryOp<"make_token", 0x44, [Pure]> {
  let summary = "Creates a token that follows no access";
  let description = [{
    An access whose only token is this one is not ordered after any other access.
  }];
  let examples = ["%t = make_token : token"];
  let results = (outs CudaTile_TokenType:$result);
  let assemblyFormat = "attr-dict `:` custom<CudaTileType>(type($result))";
}

def CudaTile_MemoryFenceAliasTkoOp
    : CudaTile_MemoryOp<"memory_fence_alias_tko", 0x7A, [], "13.4"> {
  let summary = "Orders accesses to the same memory through different addresses";
  let description = [{
    Accesses that the operand depends on are ordered before those that depend on the
    result, even where both reach the same bytes through different addresses.
  }];
  let examples = [[{
    %a = make_token : token
    %b = memory_fence_alias_tko token=%a : token
  }]];
  let arguments = (ins CudaTile_TokenType:$token);
  let results = (outs CudaTile_TokenType:$result_token);
  let assemblyFormat = [{
    `token` `` `=` `` $token attr-dict `:`
    custom<CudaTileType>(type($result_token))
  }];
}

def CudaTile_StorePtrTkoOp : CudaTile_MemoryOp<"store_ptr_tko", 0x65,
    [CudaTile_Stores, AttrSizedOperandSegments,
     CudaTile_PointerShapeRule<"destination", "value", "getDestination()",
                               "getValue()">,
     CudaTile_PointeeRule<"destination", "value", "getDestination()",
                          "getValue()">,
     CudaTile_Rule<"shape of 'destination' must match the shape of 'mask'; "
                   "mask shape must match value shape",
       "!getMask() || getMask().getType().getShape() == "
       "getDestination().getType().getShape()">]> {
  let summary = "Stores through a tile of pointers";
  let description = [{
    Elements whose mask is false are not written.
    (C1) The pointee type is the element type of the value; shapes are equal.
    (C2) The mask has the shape of the pointers.
    (C3) The ordering is weak, relaxed or release; weak takes no scope, the others
         require one.
    (C4) The compiler knows the hints; checked only if the command line asks for it.
  }];
  let examples = [[{
    %v = constant <f32: 0.5> : tile<f32>
    %t = store_ptr_tko release sys %p, %v : tile<ptr<f32>>, tile<f32> -> token
  }]];
  let arguments = (ins
    CudaTile_MemoryOrderingSemanticsAttr:$memory_ordering_semantics,
    OptionalAttr<CudaTile_MemoryScopeAttr>:$memory_scope,
    CudaTile_PointerTile:$destination,
    CudaTile_Tile:$value,
    Optional<CudaTile_BoolTile>:$mask,
    Optional<CudaTile_TokenType>:$token,
    OptionalAttr<CudaTile_OptimizationHintsAttr>:$optimization_hints
  );
  let results = (outs CudaTile_TokenType:$result_token);
  let assemblyFormat = [{
    custom<MemoryModel>($memory_ordering_semantics, $memory_scope)
    $destination `,` $value (`,` $mask^)? (`token` `` `=` `` $token^)?
    (`optimization_hints` `=` $optimization_hints^)? attr-dict `:`
    custom<CudaTileType>(type($destination)) `,`
    custom<CudaTileType>(type($value))
    (`,` custom<CudaTileType>(type($mask))^)? `->`
    custom<CudaTileType>(type($result_token))
  }];
  let hasVerifier = 1; // C3, C4
}

#endif // CUDA_TILE_IR_OPS_MEMORY_TD
