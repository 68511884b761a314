//===- Convert.td - Numbers as other numbers -*- tablegen -*-===//

#ifndef CUDA_TILE_IR_OPS_CONVERT_TD
#define CUDA_TILE_IR_OPS_CONVERT_TD

include "cuda_tile/IR/Attrs.td"
include "cuda_tile/IR/Enums.td"
include "cuda_tile/IR/Types.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// Operand and result have one shape.
class CudaTile_ConvertOp<string mnemonic, int wire, list<string> oneShape,
                         list<Trait> traits = []>
    : CudaTile_Op<mnemonic, "convert", wire, "13.1",
        !listconcat([Pure, AllShapesMatch<oneShape>], traits)>;

def CudaTile_WidthTile : CudaTile_TileOf<
    [CudaTile_I1, CudaTile_I4, CudaTile_I8, CudaTile_I16, CudaTile_I32,
     CudaTile_I64]>;

def CudaTile_BitcastOp
    : CudaTile_ConvertOp<"bitcast", 0x9, ["source", "result"]> {
  let summary = "The same bits under another type";
  let description = [{
    Nothing is converted. The bits of a NaN stay as they are.
    (C1) Elements have one width.
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
  let summary = "Integers with more bits";
  let description = [{
    Copies of the sign enter if signed, zeros if unsigned.
    (C1) The result is wider.
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
  let summary = "Floating-point numbers of another type";
  let description = [{
    A number too large for a type without infinities becomes its largest.
    (C1) The types differ.
    (C2) To f8E8M0FNU, rounding is zero or positive_inf.
    (C3) To other types it is nearest_even. From bytecode version 13.4 on it may
         also be zero, but to f8E4M3FN, f8E5M2 and f4E2M1FN; negative_inf or
         positive_inf from f64 to f32; nearest_away from f32 to tf32; any of
         these where the result holds every value of the source.
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
    /// Whether bytecode before 13.4 knows the rounding of this conversion.
    bool isRoundingOfEveryVersion();
  }];
}

def CudaTile_FToIOp : CudaTile_ConvertOp<"ftoi", 0x2B, ["from", "to"]> {
  let summary = "Floating-point numbers rounded to integers";
  let description = [{
    Numbers outside the result's range are undefined; with `saturating` they
    become its nearest end, and a NaN becomes 0.
    (C1) Rounding is nearest_int_to_zero.
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
  let summary = "Addresses as pointers";
  let description = [{
    The address, in bytes, is a multiple of the size of the element that the pointer
    names.
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
  let summary = "Integers as floating-point numbers";
  let description = [{
    The nearest number of the type, the even one of two; an infinity where the
    integer is too large.
    (C1) The result is not f8E8M0FNU.
    (C2) Rounding is nearest_even.
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
  let summary = "Pointers as addresses, in bytes";
  let description = [{
    The value of a pointer at run time.
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
  let summary = "The same addresses, of numbers of another type";
  let description = [{
    The bytes in memory are those of before; nothing is converted.
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
  let summary = "Low bits of integers";
  let description = [{
    `overflow` promises that the value, read as signed (no_signed_wrap), unsigned
    (no_unsigned_wrap) or both (no_wrap), fits in the result.
    (C1) The result is narrower.
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
