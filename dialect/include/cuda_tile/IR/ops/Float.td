//===- Float.td - Floating-point arithmetic -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_IR_OPS_FLOAT_TD
#define CUDA_TILE_IR_OPS_FLOAT_TD

include "cuda_tile/IR/Attrs.td"
include "cuda_tile/IR/Enums.td"
include "cuda_tile/IR/Types.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class CudaTile_FloatTypesMatch<list<string> names> : CudaTile_TypesMatch<names,
    "expected matching operand and result element types">;

class CudaTile_FloatOp<string mnemonic, int wire, list<string> oneType,
                       list<Trait> traits = []>
    : CudaTile_Op<mnemonic, "float", wire, "13.1",
        !listconcat([Pure, CudaTile_Elementwise,
                     CudaTile_FloatTypesMatch<oneType>], traits)> {
  let results = (outs CudaTile_BaseFloatTile:$result);
}

class CudaTile_FloatUnaryOp<string mnemonic, int wire, list<Trait> traits = []>
    : CudaTile_FloatOp<mnemonic, wire, ["source", "result"], traits> {
  let arguments = (ins CudaTile_BaseFloatTile:$source);
  let assemblyFormat = [{
    $source attr-dict `:` custom<CudaTileType>(type($result))
  }];
  let examples = [[{
    %a = constant <f32: 0.5> : tile<8xf32>
    %r = }] # mnemonic # " %a : tile<8xf32>"];
}

// (C1) `rounding_mode` is one of the IEEE modes (divf: or approx, full, for f32).
// (C2) `flush_to_zero` (of subnormal operands and results) requires f32.
class CudaTile_RoundedOp<string mnemonic, int wire, list<Trait> traits>
    : CudaTile_FloatOp<mnemonic, wire, ["lhs", "rhs", "result"], traits> {
  let arguments = (ins
    CudaTile_BaseFloatTile:$lhs,
    CudaTile_BaseFloatTile:$rhs,
    CudaTile_RoundingModeAttr:$rounding_mode,
    UnitAttr:$flush_to_zero
  );
  let assemblyFormat = [{
    $lhs `,` $rhs custom<IEEERounding>($rounding_mode)
    (`flush_to_zero` $flush_to_zero^)? attr-dict `:`
    custom<CudaTileType>(type($result))
  }];
  let examples = [[{
    %a = constant <f32: 0.5> : tile<8xf32>
    %r = }] # mnemonic # [{ %a, %a : tile<8xf32>
    %s = }] # mnemonic # " %a, %a rounding<zero> flush_to_zero : tile<8xf32>"];
  let hasVerifier = 1; // C1, C2
}

// (C1) `flush_to_zero` requires f32.
class CudaTile_FloatExtremumOp<string mnemonic, int wire>
    : CudaTile_FloatOp<mnemonic, wire, ["lhs", "rhs", "result"],
        [CudaTile_Commutes, CudaTile_KeepsZeroSigns]> {
  let description = [{
    If one operand is a NaN, the result is the other operand; with `propagate_nan`,
    it is a NaN. -0 is smaller than +0.
    (C1) `flush_to_zero` requires f32.
  }];
  let arguments = (ins
    CudaTile_BaseFloatTile:$lhs,
    CudaTile_BaseFloatTile:$rhs,
    UnitAttr:$propagate_nan,
    UnitAttr:$flush_to_zero
  );
  let assemblyFormat = [{
    $lhs `,` $rhs (`flush_to_zero` $flush_to_zero^)?
    (`propagate_nan` $propagate_nan^)? attr-dict `:`
    custom<CudaTileType>(type($result))
  }];
  let examples = [[{
    %a = constant <f32: 0.5> : tile<8xf32>
    %r = }] # mnemonic # " %a, %a flush_to_zero propagate_nan : tile<8xf32>"];
  let hasVerifier = 1; // C1
}

def CudaTile_AbsFOp : CudaTile_FloatUnaryOp<"absf", 0x0,
    [SameOperandsAndResultShape, CudaTile_HidesZeroSigns]> {
  let summary = "Absolute value";
  let description = [{
    Clears the sign bit, including that of zeros and infinities. The bits of a NaN
    result are unspecified.
  }];
}

def CudaTile_AddFOp : CudaTile_RoundedOp<"addf", 0x2,
    [CudaTile_Commutes, CudaTile_KeepsZeroSigns]> {
  let summary = "Sum";
  let description = [{
    The exact sum of each pair of elements, rounded once.
    (C1) `rounding_mode` is nearest_even (the default), zero, negative_inf or
         positive_inf.
    (C2) `flush_to_zero`, which flushes subnormal operands and results to zero,
         requires f32.
  }];
}

def CudaTile_SubFOp : CudaTile_RoundedOp<"subf", 0x67, [CudaTile_KeepsZeroSigns]> {
  let summary = "Difference";
  let description = [{
    The exact difference of each pair of elements, rounded once.
    (C1) `rounding_mode` is nearest_even (the default), zero, negative_inf or
         positive_inf.
    (C2) `flush_to_zero`, which flushes subnormal operands and results to zero,
         requires f32.
  }];
}

def CudaTile_MulFOp : CudaTile_RoundedOp<"mulf", 0x4C,
    [CudaTile_Commutes, CudaTile_KeepsZeroSigns]> {
  let summary = "Product";
  let description = [{
    The exact product of each pair of elements, rounded once.
    (C1) `rounding_mode` is nearest_even (the default), zero, negative_inf or
         positive_inf.
    (C2) `flush_to_zero`, which flushes subnormal operands and results to zero,
         requires f32.
  }];
}

def CudaTile_DivFOp : CudaTile_RoundedOp<"divf", 0x14, [CudaTile_Expensive]> {
  let summary = "Quotient";
  let description = [{
    x / 0 is an infinity, 0 / 0 and inf / inf are NaN. The IEEE modes round the
    exact quotient; `approx` multiplies by an approximate reciprocal and `full` is
    within 2 units in the last place.
    (C1) `rounding_mode` is an IEEE mode, approx or full.
    (C2) approx, full and `flush_to_zero` require f32.
  }];
  let assemblyFormat = [{
    $lhs `,` $rhs custom<DivFRounding>($rounding_mode)
    (`flush_to_zero` $flush_to_zero^)? attr-dict `:`
    custom<CudaTileType>(type($result))
  }];
}

def CudaTile_NegFOp : CudaTile_FloatUnaryOp<"negf", 0x4F,
    [CudaTile_KeepsZeroSigns]> {
  let summary = "Negation";
  let description = [{
    Flips the sign bit, including that of zeros and infinities. The bits of a NaN
    result are unspecified.
  }];
}

def CudaTile_FmaOp : CudaTile_FloatOp<"fma", 0x28,
    ["lhs", "rhs", "acc", "result"], [CudaTile_KeepsZeroSigns]> {
  let summary = "Fused multiply-add: lhs * rhs + acc, rounded once";
  let description = [{
    (C1) `rounding_mode` is one of the IEEE modes.
    (C2) `flush_to_zero` requires f32.
  }];
  let examples = [[{
    %a = constant <f32: 0.5> : tile<8xf32>
    %r = fma %a, %a, %a : tile<8xf32>
  }]];
  let arguments = (ins
    CudaTile_BaseFloatTile:$lhs,
    CudaTile_BaseFloatTile:$rhs,
    CudaTile_BaseFloatTile:$acc,
    CudaTile_RoundingModeAttr:$rounding_mode,
    UnitAttr:$flush_to_zero
  );
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc custom<IEEERounding>($rounding_mode)
    (`flush_to_zero` $flush_to_zero^)? attr-dict `:`
    custom<CudaTileType>(type($result))
  }];
  let hasVerifier = 1; // C1, C2
}

def CudaTile_RemFOp
    : CudaTile_FloatOp<"remf", 0x59, ["lhs", "rhs", "result"],
                       [CudaTile_Expensive]> {
  let summary = "Remainder of the division that truncates toward zero";
  let description = [{
    `lhs - rhs * trunc(lhs / rhs)` in exact arithmetic, like C's fmod: the result has
    the sign of `lhs` and a smaller magnitude than `rhs`. The result is NaN if `rhs`
    is 0 or `lhs` is infinite, and `lhs` if only `rhs` is infinite.
  }];
  let examples = [[{
    %a = constant <f32: 0.5> : tile<8xf32>
    %r = remf %a, %a : tile<8xf32>
  }]];
  let arguments = (ins
    CudaTile_BaseFloatTile:$lhs,
    CudaTile_BaseFloatTile:$rhs
  );
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` custom<CudaTileType>(type($result))
  }];
}

def CudaTile_MaxFOp : CudaTile_FloatExtremumOp<"maxf", 0x45> {
  let summary = "Maximum";
}

def CudaTile_MinFOp : CudaTile_FloatExtremumOp<"minf", 0x47> {
  let summary = "Minimum";
}

def CudaTile_CmpFOp : CudaTile_Op<"cmpf", "float", 0xE, "13.1",
    [Pure, CudaTile_Elementwise, CudaTile_HidesZeroSigns,
     CudaTile_FloatTypesMatch<["lhs", "rhs"]>,
     CudaTile_ComparisonResult]> {
  let summary = "Comparison of floating-point numbers";
  let description = [{
    If an operand is a NaN, `ordered` gives false and `unordered` gives true.
    -0 equals +0.
    (C1) The result is a tile of i1 with the shape of the operands.
  }];
  let examples = [[{
    %a = constant <f32: 0.5> : tile<8xf32>
    %r = cmpf greater_than ordered %a, %a : tile<8xf32> -> tile<8xi1>
  }]];
  let arguments = (ins
    CudaTile_ComparisonPredicateAttr:$comparison_predicate,
    CudaTile_ComparisonOrderingAttr:$comparison_ordering,
    CudaTile_BaseFloatTile:$lhs,
    CudaTile_BaseFloatTile:$rhs
  );
  let results = (outs CudaTile_BoolTile:$result);
  let assemblyFormat = [{
    custom<ComparisonPredicate>($comparison_predicate)
    custom<ComparisonOrdering>($comparison_ordering) $lhs `,` $rhs attr-dict `:`
    custom<CudaTileType>(type($lhs)) `->` custom<CudaTileType>(type($result))
  }];
}

#endif // CUDA_TILE_IR_OPS_FLOAT_TD
