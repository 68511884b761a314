//===- Integer.td - Integer arithmetic -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_IR_OPS_INTEGER_TD
#define CUDA_TILE_IR_OPS_INTEGER_TD

include "cuda_tile/IR/Attrs.td"
include "cuda_tile/IR/Enums.td"
include "cuda_tile/IR/Types.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class CudaTile_IntegerOp<string mnemonic, int wire, list<Trait> traits = []>
    : CudaTile_Op<mnemonic, "integer", wire, "13.1",
        !listconcat([CudaTile_Elementwise], traits)>;

// Operands and result have the same type: `op %x, %y ... : type`.
class CudaTile_IntegerUnaryOp<string mnemonic, int wire,
                              list<Trait> traits = []>
    : CudaTile_IntegerOp<mnemonic, wire,
        !listconcat([Pure, AllTypesMatch<["source", "result"]>], traits)> {
  let arguments = (ins CudaTile_IntTile:$source);
  let results = (outs CudaTile_IntTile:$result);
}

// `names` in the order of the message about types that differ.
class CudaTile_IntegerBinaryOp<string mnemonic, int wire,
                               list<Trait> traits = [Pure],
                               list<string> names = ["lhs", "rhs", "result"]>
    : CudaTile_IntegerOp<mnemonic, wire,
        !listconcat(traits, [AllTypesMatch<names>])> {
  let arguments = (ins CudaTile_IntTile:$lhs, CudaTile_IntTile:$rhs);
  let results = (outs CudaTile_IntTile:$result);
}

// Undefined behaviour for some operands, so it is speculatable only conditionally.
defvar CudaTile_Traps = [
  NoMemoryEffect, CudaTile_Expensive,
  DeclareOpInterfaceMethods<ConditionallySpeculatable>];

defvar overflowAttr = DefaultValuedAttr<CudaTile_IntegerOverflowAttr,
                                        "::cuda_tile::IntegerOverflow::NONE">;

// Wraps around; `overflow` guarantees that it does not (nsw, nuw).
class CudaTile_WrappingOp<string mnemonic, int wire, list<Trait> traits = []>
    : CudaTile_IntegerBinaryOp<mnemonic, wire, !listconcat([Pure], traits)> {
  let arguments = (ins
    CudaTile_IntTile:$lhs,
    CudaTile_IntTile:$rhs,
    overflowAttr:$overflow
  );
  let assemblyFormat = [{
    $lhs `,` $rhs (`overflow` `` $overflow^)? attr-dict `:`
    custom<CudaTileType>(type($result))
  }];
  let examples = [
    "%r = " # mnemonic # " %n, %n : tile<i32>",
    "%r = " # mnemonic # " %n, %n overflow<no_signed_wrap> : tile<i32>",
  ];
}

// The result depends on the signedness.
class CudaTile_SignednessOp<string mnemonic, int wire,
                            list<Trait> traits = [Pure],
                            list<string> names = ["lhs", "rhs", "result"]>
    : CudaTile_IntegerBinaryOp<mnemonic, wire, traits, names> {
  let arguments = (ins
    CudaTile_IntTile:$lhs,
    CudaTile_IntTile:$rhs,
    CudaTile_SignednessAttr:$signedness
  );
  let assemblyFormat = [{
    $lhs `,` $rhs custom<Signedness>($signedness) attr-dict `:`
    custom<CudaTileType>(type($result))
  }];
  let examples = [
    "%r = " # mnemonic # " %n, %n signed : tile<i32>",
    "%r = " # mnemonic # " %n, %n unsigned : tile<i32>",
  ];
}

def CudaTile_AbsIOp : CudaTile_IntegerUnaryOp<"absi", 0x1,
    [SameOperandsAndResultShape]> {
  let summary = "Absolute value of a signed integer";
  let description = "The smallest signed value wraps around to itself.";
  let examples = ["%r = absi %n : tile<i32>"];
  let assemblyFormat = [{
    $source attr-dict `:` custom<CudaTileType>(type($result))
  }];
}

def CudaTile_AddIOp : CudaTile_WrappingOp<"addi", 0x3, [CudaTile_Commutes]> {
  let summary = "Sum";
  let description = [{
    The sum modulo 2^N, where N is the bit width. `overflow` guarantees that the sum
    does not overflow as a signed number (no_signed_wrap, LLVM's nsw), as an unsigned
    one (no_unsigned_wrap, nuw) or as either (no_wrap); if it does, the result is
    undefined.
    (C1) Operands and result have the same type.
  }];
}

def CudaTile_SubIOp : CudaTile_WrappingOp<"subi", 0x68> {
  let summary = "Difference";
  let description = [{
    The difference modulo 2^N, where N is the bit width. `overflow` guarantees that
    the difference does not overflow as a signed number (no_signed_wrap, LLVM's nsw),
    as an unsigned one (no_unsigned_wrap, nuw) or as either (no_wrap); if it does,
    the result is undefined.
    (C1) Operands and result have the same type.
  }];
}

def CudaTile_MulIOp : CudaTile_WrappingOp<"muli", 0x4E, [CudaTile_Commutes]> {
  let summary = "Low half of the product";
  let description = [{
    The product modulo 2^N, where N is the bit width. `overflow` guarantees that the
    product does not overflow as a signed number (no_signed_wrap, LLVM's nsw), as an
    unsigned one (no_unsigned_wrap, nuw) or as either (no_wrap); if it does, the
    result is undefined.
    (C1) Operands and result have the same type.
  }];
}

def CudaTile_MulhiIOp : CudaTile_IntegerOp<"mulhii", 0x4D,
    [Pure, CudaTile_Expensive, AllTypesMatch<["x", "y", "result"]>]> {
  let summary = "High half of the unsigned product";
  let description = [{
    The upper N bits of the 2N-bit product, where N is the bit width.
    (C1) Operands and result have the same type.
  }];
  let examples = ["%r = mulhii %n, %n : tile<i32>"];
  let arguments = (ins CudaTile_IntTile:$x, CudaTile_IntTile:$y);
  let results = (outs CudaTile_IntTile:$result);
  let assemblyFormat = [{
    $x `,` $y attr-dict `:` custom<CudaTileType>(type($result))
  }];
}

def CudaTile_DivIOp
    : CudaTile_IntegerBinaryOp<"divi", 0x15, CudaTile_Traps> {
  let summary = "Quotient, rounded toward zero by default";
  let description = [{
    Division by zero and overflow are undefined behaviour, so the op is speculated
    only if the divisor is a constant that excludes both.
    (C1) The rounding mode is zero, negative_inf or positive_inf.
    (C2) An unsigned quotient is not rounded to negative_inf.
  }];
  let examples = [
    "%r = divi %n, %n signed : tile<i32>",
    "%r = divi %n, %n unsigned rounding<positive_inf> : tile<i32>",
  ];
  let arguments = (ins
    CudaTile_IntTile:$lhs,
    CudaTile_IntTile:$rhs,
    CudaTile_SignednessAttr:$signedness,
    DefaultValuedAttr<CudaTile_RoundingModeAttr,
                      "::cuda_tile::RoundingMode::ZERO">:$rounding
  );
  let assemblyFormat = [{
    $lhs `,` $rhs custom<Signedness>($signedness)
    (`rounding` `` custom<DivIRounding>($rounding)^)? attr-dict `:`
    custom<CudaTileType>(type($result))
  }];
  let hasVerifier = 1; // C1, C2
}

def CudaTile_RemIOp : CudaTile_SignednessOp<"remi", 0x5A, CudaTile_Traps,
                                            ["result", "lhs", "rhs"]> {
  let summary = "Remainder of the division that rounds toward zero";
  let description = [{
    `lhs - rhs * q`, where `q` is the quotient of `divi` rounded toward zero: the
    result has the sign of `lhs`. Undefined behaviour where that `divi` has it.
  }];
}

def CudaTile_NegIOp : CudaTile_IntegerUnaryOp<"negi", 0x50> {
  let summary = "Negation of a signed integer";
  let description = [{
    (C1) `overflow` is not no_unsigned_wrap; no_wrap means no_signed_wrap.
  }];
  let examples = [
    "%r = negi %n : tile<i32>",
    "%r = negi %n overflow<no_signed_wrap> : tile<i32>",
  ];
  let arguments = (ins
    CudaTile_IntTile:$source,
    CudaTile_Since<"13.2", overflowAttr>:$overflow
  );
  let assemblyFormat = [{
    $source (`overflow` `` $overflow^)? attr-dict `:`
    custom<CudaTileType>(type($result))
  }];
  let hasVerifier = 1; // C1
}

def CudaTile_MaxIOp : CudaTile_SignednessOp<"maxi", 0x46,
    [Pure, CudaTile_Commutes]> {
  let summary = "Maximum of two integers";
  let description = [{
    The operands are compared as signed or unsigned integers.
    (C1) Operands and result have the same type.
  }];
}

def CudaTile_MinIOp : CudaTile_SignednessOp<"mini", 0x48,
    [Pure, CudaTile_Commutes]> {
  let summary = "Minimum of two integers";
  let description = [{
    The operands are compared as signed or unsigned integers.
    (C1) Operands and result have the same type.
  }];
}

def CudaTile_ShLIOp : CudaTile_WrappingOp<"shli", 0x60> {
  let summary = "Shift left";
  let description = [{
    Shifts in zeros. The shift amount is unsigned; the result is undefined if the
    amount is not less than the bit width. `overflow` gives the guarantees of `muli`
    by a power of two.
    (C1) Operands and result have the same type.
  }];
}

def CudaTile_ShRIOp : CudaTile_SignednessOp<"shri", 0x61> {
  let summary = "Shift right: arithmetic if signed, logical if unsigned";
  let description = [{
    The shift amount is unsigned; the result is undefined if the amount is not less
    than the bit width.
    (C1) Operands and result have the same type.
  }];
}

def CudaTile_CmpIOp : CudaTile_IntegerOp<"cmpi", 0xF,
    [Pure, AllTypesMatch<["lhs", "rhs"]>,
     CudaTile_ComparisonResult]> {
  let summary = "Comparison of integers";
  let description = [{
    `equal` and `not_equal` do not depend on the signedness. A true i1 is -1 as a
    signed number.
    (C1) The operands have the same type; the result is a tile of i1 with their shape.
  }];
  let examples = [
    "%r = cmpi less_than_or_equal %n, %n, signed : tile<i32> -> tile<i1>",
  ];
  let arguments = (ins
    CudaTile_ComparisonPredicateAttr:$comparison_predicate,
    CudaTile_IntTile:$lhs,
    CudaTile_IntTile:$rhs,
    CudaTile_SignednessAttr:$signedness
  );
  let results = (outs CudaTile_BoolTile:$result);
  let assemblyFormat = [{
    custom<ComparisonPredicate>($comparison_predicate) $lhs `,` $rhs `,`
    custom<Signedness>($signedness) attr-dict `:`
    custom<CudaTileType>(type($lhs)) `->` custom<CudaTileType>(type($result))
  }];
}

#endif // CUDA_TILE_IR_OPS_INTEGER_TD
