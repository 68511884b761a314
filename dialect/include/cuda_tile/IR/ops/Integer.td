//===- Integer.td - Integer arithmetic -*- tablegen -*-===//

#ifndef CUDA_TILE_IR_OPS_INTEGER_TD
#define CUDA_TILE_IR_OPS_INTEGER_TD

include "cuda_tile/IR/Attrs.td"
include "cuda_tile/IR/Enums.td"
include "cuda_tile/IR/Types.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class CudaTile_IntegerOp<string mnemonic, int wire, list<Trait> traits = []>
    : CudaTile_Op<mnemonic, "integer", wire, "13.1", traits>;

// Operands and result of one type: `op %x, %y ... : type`.
class CudaTile_IntegerUnaryOp<string mnemonic, int wire,
                              list<Trait> traits = []>
    : CudaTile_IntegerOp<mnemonic, wire,
        !listconcat([Pure, AllTypesMatch<["source", "result"]>], traits)> {
  let arguments = (ins CudaTile_IntTile:$source);
  let results = (outs CudaTile_IntTile:$result);
}

class CudaTile_IntegerBinaryOp<string mnemonic, int wire,
                               list<Trait> traits = [Pure]>
    : CudaTile_IntegerOp<mnemonic, wire,
        !listconcat(traits, [AllTypesMatch<["lhs", "rhs", "result"]>])> {
  let arguments = (ins CudaTile_IntTile:$lhs, CudaTile_IntTile:$rhs);
  let results = (outs CudaTile_IntTile:$result);
}

// Undefined for some operands, so that it must not run where it did not.
defvar CudaTile_Traps = [
  NoMemoryEffect, DeclareOpInterfaceMethods<ConditionallySpeculatable>];

defvar overflowAttr = DefaultValuedAttr<CudaTile_IntegerOverflowAttr,
                                        "::cuda_tile::IntegerOverflow::NONE">;

// Wraps around; `overflow` promises that it does not.
class CudaTile_WrappingOp<string mnemonic, int wire>
    : CudaTile_IntegerBinaryOp<mnemonic, wire> {
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

// Depends on how the bits are read.
class CudaTile_SignednessOp<string mnemonic, int wire,
                            list<Trait> traits = [Pure]>
    : CudaTile_IntegerBinaryOp<mnemonic, wire, traits> {
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
  let summary = "Magnitude of a signed integer";
  let description = "The smallest signed value stays as it is.";
  let examples = ["%r = absi %n : tile<i32>"];
  let assemblyFormat = [{
    $source attr-dict `:` custom<CudaTileType>(type($result))
  }];
}

def CudaTile_AddIOp : CudaTile_WrappingOp<"addi", 0x3> {
  let summary = "Sum";
  let description = [{
    The sum modulo 2 to the number of bits. `overflow` promises that the signed
    (no_signed_wrap), the unsigned (no_unsigned_wrap) or either (no_wrap) reading
    does not overflow; the result is undefined where that is broken.
    (C1) Operands and result have one type.
  }];
}

def CudaTile_SubIOp : CudaTile_WrappingOp<"subi", 0x68> {
  let summary = "Difference";
  let description = [{
    The difference modulo 2 to the number of bits. `overflow` promises that the signed
    (no_signed_wrap), the unsigned (no_unsigned_wrap) or either (no_wrap) reading
    does not overflow; the result is undefined where that is broken.
    (C1) Operands and result have one type.
  }];
}

def CudaTile_MulIOp : CudaTile_WrappingOp<"muli", 0x4E> {
  let summary = "Low half of the product";
  let description = [{
    The product modulo 2 to the number of bits. `overflow` promises that the signed
    (no_signed_wrap), the unsigned (no_unsigned_wrap) or either (no_wrap) reading
    does not overflow; the result is undefined where that is broken.
    (C1) Operands and result have one type.
  }];
}

def CudaTile_MulhiIOp : CudaTile_IntegerOp<"mulhii", 0x4D,
    [Pure, AllTypesMatch<["x", "y", "result"]>]> {
  let summary = "High half of the unsigned product";
  let description = [{
    The upper bits of the product of two unsigned numbers, which has twice as many.
    (C1) Operands and result have one type.
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
  let summary = "Quotient, rounded toward zero or as told";
  let description = [{
    (C1) The rounding is zero, negative_inf or positive_inf.
    (C2) An unsigned quotient is not rounded to negative_inf.
    Division by zero and overflow are undefined; so the op is moved to where it
    runs more often only if the divisor is known.
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

def CudaTile_RemIOp : CudaTile_SignednessOp<"remi", 0x5A, CudaTile_Traps> {
  let summary = "Remainder of the quotient rounded toward zero";
  let description = [{
    `lhs - rhs * q` with `q` the quotient that `divi` gives: the sign is that of
    `lhs`. Undefined where that quotient is.
  }];
}

def CudaTile_NegIOp : CudaTile_IntegerUnaryOp<"negi", 0x50> {
  let summary = "Negative of a signed integer";
  let description = [{
    (C1) `overflow` is none or no_signed_wrap.
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

def CudaTile_MaxIOp : CudaTile_SignednessOp<"maxi", 0x46> {
  let summary = "Larger of two integers";
  let description = [{
    Both are read as `signedness` says.
    (C1) Operands and result have one type.
  }];
}

def CudaTile_MinIOp : CudaTile_SignednessOp<"mini", 0x48> {
  let summary = "Smaller of two integers";
  let description = [{
    Both are read as `signedness` says.
    (C1) Operands and result have one type.
  }];
}

def CudaTile_ShLIOp : CudaTile_WrappingOp<"shli", 0x60> {
  let summary = "Bits shifted to the left";
  let description = [{
    Zeros enter. The amount is unsigned; undefined if it is not less than the number
    of bits. `overflow` makes the promises of `muli` by a power of two.
    (C1) Operands and result have one type.
  }];
}

def CudaTile_ShRIOp : CudaTile_SignednessOp<"shri", 0x61> {
  let summary = "Bits shifted to the right, with copies of the sign if signed";
  let description = [{
    The amount is unsigned; undefined if it is not less than the number of bits.
    (C1) Operands and result have one type.
  }];
}

def CudaTile_CmpIOp : CudaTile_IntegerOp<"cmpi", 0xF,
    [Pure, AllTypesMatch<["lhs", "rhs"]>,
     CudaTile_ComparisonResult]> {
  let summary = "Comparison of integers";
  let description = [{
    `equal` and `not_equal` do not depend on the signedness. A signed i1 that is true
    is -1.
    (C1) Operands have one type; the result is a tile of i1 in their shape.
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
