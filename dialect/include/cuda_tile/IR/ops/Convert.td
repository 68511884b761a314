//===- Convert.td - Conversions -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_IR_OPS_CONVERT_TD
#define CUDA_TILE_IR_OPS_CONVERT_TD

include "cuda_tile/IR/Attrs.td"
include "cuda_tile/IR/Enums.td"
include "cuda_tile/IR/Types.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// Operand and result have the same shape.
class CudaTile_ConvertOp<string mnemonic, int wire, list<string> oneShape,
                         list<Trait> traits = []>
    : CudaTile_Op<mnemonic, "convert", wire, "13.1",
        !listconcat([Pure, CudaTile_Elementwise, AllShapesMatch<oneShape>],
                    traits)>;

def CudaTile_WidthTile : CudaTile_TileOf<
    [CudaTile_I1, CudaTile_I8, CudaTile_I16, CudaTile_I32, CudaTile_I64,
     CudaTile_I4]>;

def CudaTile_BitcastOp
    : CudaTile_ConvertOp<"bitcast", 0x9, ["source", "result"]> {
  let summary = "Reinterprets bits as another type of the same width";
  let description = [{
    The bits do not change, those of a NaN included.
    (C1) Both element types have the same width.
  }];
  let examples = ["%r = bitcast %n : tile<i32> -> tile<f32>"];
  let arguments = (ins CudaTile_NumberTile:$source);
  let results = (outs CudaTile_NumberTile:$result);
  let assemblyFormat = [{
    $source attr-dict `:` custom<CudaTileType>(type($source)) `->`
    custom<CudaTileType>(type($result))
  }];
  let hasVerifier = 1; // C1
}

def CudaTile_ExtIOp : CudaTile_ConvertOp<"exti", 0x25, ["from", "to"]> {
  let summary = "Extends integers to a wider type";
  let description = [{
    Sign-extends if `signed`, zero-extends if `unsigned`.
    (C1) The result is wider than the operand.
  }];
  let examples = ["%r = exti %n signed : tile<i32> -> tile<i64>"];
  let arguments = (ins
    CudaTile_WidthTile:$from,
    CudaTile_SignednessAttr:$signedness
  );
  let results = (outs CudaTile_WidthTile:$to);
  let assemblyFormat = [{
    $from custom<Signedness>($signedness) attr-dict `:`
    custom<CudaTileType>(type($from)) `->` custom<CudaTileType>(type($to))
  }];
  let hasVerifier = 1; // C1
}

def CudaTile_FToFOp : CudaTile_ConvertOp<"ftof", 0x2A, ["from", "to"]> {
  let summary = "Converts between floating-point types";
  let description = [{
    A value too large for a result type without infinities saturates to the largest
    value of that type.
    (C1) The types differ.
    (C2) To f8E8M0FNU, the rounding mode is zero or positive_inf.
    (C3) To other types it is nearest_even. From bytecode version 13.4 on, these are
         legal too: zero, except to f8E4M3FN, f8E5M2 and f4E2M1FN; negative_inf and
         positive_inf from f64 to f32; nearest_away from f32 to tf32; none of them
         if the result type represents every value of the source type.
  }];
  let examples = [[{
    %a = constant <f32: 0.5> : tile<8xf32>
    %r = ftof %a : tile<8xf32> -> tile<8xf16>
  }]];
  let arguments = (ins
    CudaTile_FloatTile:$from,
    DefaultValuedAttr<CudaTile_RoundingModeAttr,
                      "::cuda_tile::RoundingMode::NEAREST_EVEN">:$rounding_mode
  );
  let results = (outs CudaTile_FloatTile:$to);
  let assemblyFormat = [{
    $from custom<FToFRounding>($rounding_mode) attr-dict `:`
    custom<CudaTileType>(type($from)) `->` custom<CudaTileType>(type($to))
  }];
  let hasVerifier = 1; // C1, C2, C3
  let extraClassDeclaration = [{
    /// Whether bytecode before 13.4 has the rounding mode of this conversion.
    bool isRoundingOfEveryVersion();
  }];
}

def CudaTile_FToIOp : CudaTile_ConvertOp<"ftoi", 0x2B, ["from", "to"]> {
  let summary = "Converts floating-point numbers to integers";
  let description = [{
    Rounds toward zero. A value outside the range of the result type is undefined;
    with `saturating`, it is clamped to that range, and a NaN becomes 0. To i1, with
    `saturating` or without, every value but zero becomes true, a NaN too.
    (C1) The rounding mode is nearest_int_to_zero.
  }];
  let examples = [[{
    %a = constant <f32: 0.5> : tile<8xf32>
    %r = ftoi %a signed : tile<8xf32> -> tile<8xi32>
  }]];
  let arguments = (ins
    CudaTile_FloatTile:$from,
    CudaTile_SignednessAttr:$signedness,
    CudaTile_RoundingModeAttr:$rounding_mode,
    CudaTile_Since<"13.4", UnitAttr>:$saturating
  );
  let results = (outs CudaTile_IntTile:$to);
  let assemblyFormat = [{
    $from custom<Signedness>($signedness) custom<FToIRounding>($rounding_mode)
    (`saturating` $saturating^)? attr-dict `:`
    custom<CudaTileType>(type($from)) `->` custom<CudaTileType>(type($to))
  }];
  let hasVerifier = 1; // C1
}

def CudaTile_IntToPtrOp
    : CudaTile_ConvertOp<"int_to_ptr", 0x33, ["source", "result"]> {
  let summary = "Converts addresses to pointers";
  let description = [{
    The address, in bytes, is a multiple of the size of the pointee.
  }];
  let examples = [[{
    %a = constant <i64: 4096> : tile<i64>
    %r = int_to_ptr %a : tile<i64> -> tile<ptr<f32>>
  }]];
  let arguments = (ins CudaTile_I64Tile:$source);
  let results = (outs CudaTile_PointerTile:$result);
  let assemblyFormat = [{
    $source attr-dict `:` custom<CudaTileType>(type($source)) `->`
    custom<CudaTileType>(type($result))
  }];
}

def CudaTile_IToFOp : CudaTile_ConvertOp<"itof", 0x3B, ["from", "to"]> {
  let summary = "Converts integers to floating-point numbers";
  let description = [{
    Rounds to nearest, ties to even; an integer that is too large becomes an
    infinity.
    (C1) The result is not f8E8M0FNU.
    (C2) The rounding mode is nearest_even.
  }];
  let examples = ["%r = itof %n unsigned : tile<i32> -> tile<f32>"];
  let arguments = (ins
    CudaTile_IntTile:$from,
    CudaTile_SignednessAttr:$signedness,
    CudaTile_RoundingModeAttr:$rounding_mode
  );
  let results = (outs CudaTile_FloatTile:$to);
  let assemblyFormat = [{
    $from custom<Signedness>($signedness) custom<IEEERounding>($rounding_mode)
    attr-dict `:` custom<CudaTileType>(type($from)) `->`
    custom<CudaTileType>(type($to))
  }];
  let hasVerifier = 1; // C1, C2
}

def CudaTile_PtrToIntOp
    : CudaTile_ConvertOp<"ptr_to_int", 0x56, ["source", "result"]> {
  let summary = "Converts pointers to addresses, in bytes";
  let description = [{
    The result is the address that the pointer holds at run time.
  }];
  let examples = ["%r = ptr_to_int %p : tile<ptr<f32>> -> tile<i64>"];
  let arguments = (ins CudaTile_PointerTile:$source);
  let results = (outs CudaTile_I64Tile:$result);
  let assemblyFormat = [{
    $source attr-dict `:` custom<CudaTileType>(type($source)) `->`
    custom<CudaTileType>(type($result))
  }];
}

def CudaTile_PtrToPtrOp
    : CudaTile_ConvertOp<"ptr_to_ptr", 0x57, ["source", "result"]> {
  let summary = "Changes the pointee type of pointers";
  let description = [{
    The addresses do not change, and nothing in memory is converted.
  }];
  let examples = ["%r = ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<i8>>"];
  let arguments = (ins CudaTile_PointerTile:$source);
  let results = (outs CudaTile_PointerTile:$result);
  let assemblyFormat = [{
    $source attr-dict `:` custom<CudaTileType>(type($source)) `->`
    custom<CudaTileType>(type($result))
  }];
}

def CudaTile_TruncIOp : CudaTile_ConvertOp<"trunci", 0x6B, ["from", "to"]> {
  let summary = "Truncates integers to a narrower type";
  let description = [{
    Keeps the low bits. `overflow` guarantees that the value fits in the result type,
    read as signed (no_signed_wrap), as unsigned (no_unsigned_wrap) or both ways
    (no_wrap).
    (C1) The result is narrower than the operand.
  }];
  let examples = [
    "%r = trunci %n overflow<no_signed_wrap> : tile<i32> -> tile<i16>",
  ];
  let arguments = (ins
    CudaTile_WidthTile:$from,
    DefaultValuedAttr<CudaTile_IntegerOverflowAttr,
                      "::cuda_tile::IntegerOverflow::NONE">:$overflow
  );
  let results = (outs CudaTile_WidthTile:$to);
  let assemblyFormat = [{
    $from (`overflow` `` $overflow^)? attr-dict `:`
    custom<CudaTileType>(type($from)) `->` custom<CudaTileType>(type($to))
  }];
  let hasVerifier = 1; // C1
}

#endif // CUDA_TILE_IR_OPS_CONVERT_TD
