//===- Math.td - Elementary functions -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_IR_OPS_MATH_TD
#define CUDA_TILE_IR_OPS_MATH_TD

include "cuda_tile/IR/Attrs.td"
include "cuda_tile/IR/Enums.td"
include "cuda_tile/IR/Types.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// Sequences of instructions, or calls of a library.
defvar CudaTile_MathTraits = [Pure, CudaTile_Elementwise, CudaTile_Expensive];

class CudaTile_MathOp<string mnemonic, int wire, string version,
                      list<Trait> traits = []>
    : CudaTile_Op<mnemonic, "math", wire, version,
        !listconcat(CudaTile_MathTraits, [AllTypesMatch<["source", "result"]>],
                    traits)> {
  let arguments = (ins CudaTile_BaseFloatTile:$source);
  let results = (outs CudaTile_BaseFloatTile:$result);
  let assemblyFormat = [{
    $source attr-dict `:` custom<CudaTileType>(type($result))
  }];
  let examples = [[{
    %a = constant <f32: 0.5> : tile<8xf32>
    %r = }] # mnemonic # " %a : tile<8xf32>"];
}

// (C1) `flush_to_zero` requires f32.
class CudaTile_FlushableMathOp<string mnemonic, int wire,
                               list<Trait> traits = []>
    : CudaTile_MathOp<mnemonic, wire, "13.1", traits> {
  let description = "(C1) `flush_to_zero` requires f32.";
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

// (C1) `rounding_mode` is approx or full; (C2) approx requires f32.
class CudaTile_ApproxMathOp<string mnemonic, int wire, string modeVersion,
                            list<Trait> traits = []>
    : CudaTile_MathOp<mnemonic, wire, "13.1", traits> {
  let description = [{
    `full` has the accuracy of a maths library; `approx` is the hardware's fast
    approximation.
    (C1) `rounding_mode` is approx or full.
    (C2) approx requires f32.
  }];
  let examples = [[{
    %a = constant <f32: 0.5> : tile<8xf32>
    %r = }] # mnemonic # [{ %a : tile<8xf32>
    %s = }] # mnemonic # " %a rounding<approx> : tile<8xf32>"];
  let arguments = (ins
    CudaTile_BaseFloatTile:$source,
    CudaTile_Since<modeVersion,
      DefaultValuedAttr<CudaTile_RoundingModeAttr,
                        "::cuda_tile::RoundingMode::FULL">>:$rounding_mode
  );
  let assemblyFormat = [{
    $source custom<ApproxRounding>($rounding_mode) attr-dict `:`
    custom<CudaTileType>(type($result))
  }];
  let hasVerifier = 1; // C1, C2
}

// (C1) Operands and result have the same type.
class CudaTile_BinaryMathOp<string mnemonic, int wire, string version,
                            string first, string second,
                            list<string> names = [first, second, "result"]>
    : CudaTile_Op<mnemonic, "math", wire, version,
        !listconcat(CudaTile_MathTraits, [AllTypesMatch<names>])> {
  let description = "(C1) Operands and result have the same type.";
  let results = (outs CudaTile_BaseFloatTile:$result);
  let assemblyFormat = "$" # first # " `,` $" # second
      # " attr-dict `:` custom<CudaTileType>(type($result))";
  let examples = [[{
    %a = constant <f32: 0.5> : tile<8xf32>
    %r = }] # mnemonic # " %a, %a : tile<8xf32>"];
}

def CudaTile_Atan2Op
    : CudaTile_BinaryMathOp<"atan2", 0x6E, "13.2", "x", "y"> {
  let summary = "Arc tangent of x / y, in the quadrant of the point (y, x)";
  let description = [{
    In radians, from -pi to pi; the signs of both operands select the quadrant. The
    first operand, `x`, is the one that C's atan2 calls y.
    (C1) Operands and result have the same type.
  }];
  let arguments = (ins CudaTile_BaseFloatTile:$x, CudaTile_BaseFloatTile:$y);
}

def CudaTile_CeilOp : CudaTile_MathOp<"ceil", 0xD, "13.1"> {
  let summary = "Rounds up to an integral value";
  let description = [{
    The smallest integral value that is not below the operand. A zero has the sign of
    the operand, so -0.5 gives -0; infinities and NaN are unchanged.
  }];
}

def CudaTile_CosOp : CudaTile_MathOp<"cos", 0x12, "13.1"> {
  let summary = "Cosine";
  let description = [{
    The angle is in radians, of any magnitude; an infinity gives NaN.
  }];
}

def CudaTile_CosHOp : CudaTile_MathOp<"cosh", 0x13, "13.1"> {
  let summary = "Hyperbolic cosine";
  let description = [{
    An infinity gives +inf.
  }];
}

def CudaTile_ExpOp : CudaTile_ApproxMathOp<"exp", 0x17, "13.3",
    [CudaTile_HidesZeroSigns, CudaTile_Powers]> {
  let summary = "Exponential function: e to the power of the operand";
}

def CudaTile_Exp2Op : CudaTile_FlushableMathOp<"exp2", 0x18,
    [CudaTile_HidesZeroSigns, CudaTile_Powers]> {
  let summary = "2 to the power of the operand";
}

def CudaTile_FloorOp : CudaTile_MathOp<"floor", 0x27, "13.1"> {
  let summary = "Rounds down to an integral value";
  let description = [{
    The largest integral value that is not above the operand. Zeros keep their sign;
    infinities and NaN are unchanged.
  }];
}

def CudaTile_FPowIOp : CudaTile_Op<"fpowi", "math", 0x79, "13.4",
    !listconcat(CudaTile_MathTraits, [AllTypesMatch<["source", "result"]>,
     AllShapesMatch<["source", "exponent"]>])> {
  let summary = "Power with a signed integer exponent";
  let description = [{
    (C1) Source and result have the same type; the exponent has their shape.
  }];
  let examples = [[{
    %a = constant <f32: 0.5> : tile<8xf32>
    %i = iota : tile<8xi32>
    %r = fpowi %a, %i : tile<8xf32>, tile<8xi32>
  }]];
  let arguments = (ins
    CudaTile_BaseFloatTile:$source,
    CudaTile_SmallIntTile:$exponent
  );
  let results = (outs CudaTile_BaseFloatTile:$result);
  let assemblyFormat = [{
    $source `,` $exponent attr-dict `:` custom<CudaTileType>(type($source)) `,`
    custom<CudaTileType>(type($exponent))
  }];
}

def CudaTile_LogOp : CudaTile_MathOp<"log", 0x3F, "13.1"> {
  let summary = "Natural logarithm";
  let description = [{
    A zero gives -inf, a negative number NaN; subnormal operands are not flushed.
  }];
}

def CudaTile_Log2Op : CudaTile_MathOp<"log2", 0x40, "13.1"> {
  let summary = "Logarithm to the base 2";
  let description = [{
    A zero gives -inf, a negative number NaN; subnormal operands are not flushed.
  }];
}

// Since 13.4 also called `fpowf`; the parser accepts both names.
def CudaTile_PowOp : CudaTile_BinaryMathOp<"pow", 0x54, "13.1", "source",
                                           "exponent",
                                           ["result", "source", "exponent"]> {
  let summary = "Power with a floating-point exponent";
  let description = [{
    Like C's pow: 1 if the exponent is 0 or the source is 1, even if the other is a
    NaN; NaN if the source is negative and the exponent is not an integer.
    (C1) Operands and result have the same type.
  }];
  let arguments = (ins
    CudaTile_BaseFloatTile:$source,
    CudaTile_BaseFloatTile:$exponent
  );
}

def CudaTile_RsqrtOp : CudaTile_FlushableMathOp<"rsqrt", 0x5D> {
  let summary = "Reciprocal square root";
}

def CudaTile_SinOp : CudaTile_MathOp<"sin", 0x62, "13.1"> {
  let summary = "Sine";
  let description = [{
    The angle is in radians, of any magnitude; an infinity gives NaN, -0 gives -0.
  }];
}

def CudaTile_SinHOp : CudaTile_MathOp<"sinh", 0x63, "13.1"> {
  let summary = "Hyperbolic sine";
  let description = [{
    Infinities and zeros are unchanged.
  }];
}

def CudaTile_SqrtOp : CudaTile_MathOp<"sqrt", 0x64, "13.1"> {
  let summary = "Square root";
  let description = [{
    (C1) `rounding_mode` is one of the IEEE modes or approx.
    (C2) approx requires f32.
    (C3) `flush_to_zero` requires f32.
  }];
  let examples = [[{
    %a = constant <f32: 0.5> : tile<8xf32>
    %r = sqrt %a : tile<8xf32>
    %s = sqrt %a rounding<approx> flush_to_zero : tile<8xf32>
  }]];
  let arguments = (ins
    CudaTile_BaseFloatTile:$source,
    CudaTile_RoundingModeAttr:$rounding_mode,
    UnitAttr:$flush_to_zero
  );
  let assemblyFormat = [{
    $source custom<SqrtRounding>($rounding_mode)
    (`flush_to_zero` $flush_to_zero^)? attr-dict `:`
    custom<CudaTileType>(type($result))
  }];
  let hasVerifier = 1; // C1, C2, C3
}

def CudaTile_TanOp : CudaTile_MathOp<"tan", 0x69, "13.1"> {
  let summary = "Tangent";
  let description = [{
    The angle is in radians, of any magnitude; an infinity gives NaN, -0 gives -0.
  }];
}

def CudaTile_TanHOp : CudaTile_ApproxMathOp<"tanh", 0x6A, "13.2"> {
  let summary = "Hyperbolic tangent";
}

#endif // CUDA_TILE_IR_OPS_MATH_TD
