//===- Shape.td - Tile creation and rearrangement -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_IR_OPS_SHAPE_TD
#define CUDA_TILE_IR_OPS_SHAPE_TD

include "cuda_tile/IR/Attrs.td"
include "cuda_tile/IR/Enums.td"
include "cuda_tile/IR/Types.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class CudaTile_ShapeOp<string mnemonic, int wire, string version,
                       list<Trait> traits = []>
    : CudaTile_Op<mnemonic, "shape", wire, version,
                  !listconcat([Pure], traits)>;

def CudaTile_ConstantOp : CudaTile_ShapeOp<"constant", 0x10, "13.1",
    [ConstantLike, CudaTile_NamesResults,
     CudaTile_Rule<"all of {value, result} have same type",
       "getValue().getType() == getResult().getType().withLayout({})">]> {
  let summary = "Constant tile";
  let description = [{
    (C1) `value` has the type of `result`, without its layout.
  }];
  let examples = [
    "%half = constant <f32: 0.5> : tile<8x8xf32>",
    "%lut = constant <i32: [[1, 2], [3, 4]]> : tile<2x2xi32>",
  ];
  let arguments = (ins CudaTile_DenseElementsAttr:$value);
  let results = (outs CudaTile_NumberTile:$result);
  let assemblyFormat = "custom<DenseTile>($value, type($result)) attr-dict";
  let hasFolder = 1;
}

def CudaTile_IotaOp : CudaTile_ShapeOp<"iota", 0x3A, "13.1"> {
  let summary = "Consecutive integers 0, 1, 2, ...";
  let description = [{
    (C1) The result has rank 1.
    (C2) The element type represents each integer, as an unsigned number.
  }];
  let examples = ["%i = iota : tile<8xi32>"];
  let results = (outs CudaTile_IntTile:$result);
  let assemblyFormat = "attr-dict `:` custom<CudaTileType>(type($result))";
  let hasVerifier = 1; // C1, C2
}

def CudaTile_SelectOp : CudaTile_ShapeOp<"select", 0x5F, "13.1",
    [CudaTile_Elementwise, CudaTile_KeepsZeroSigns,
     AllTypesMatch<["val_if_true", "val_if_false", "result"]>,
     AllShapesMatch<["cond", "val_if_true", "val_if_false", "result"]>]> {
  let summary = "Elementwise selection between two tiles";
  let description = [{
    (C1) Both values and the result have the same type.
    (C2) The condition has their shape.
    (C3) Elements are not narrower than a byte (i1 is legal, f4E2M1FN is not).
  }];
  let examples = [[{
    %c = constant <i1: true> : tile<8xi1>
    %a = iota : tile<8xi32>
    %r = select %c, %a, %a : tile<8xi1>, tile<8xi32>
  }]];
  let arguments = (ins
    CudaTile_BoolTile:$cond,
    CudaTile_Tile:$val_if_true,
    CudaTile_Tile:$val_if_false
  );
  let results = (outs CudaTile_Tile:$result);
  let assemblyFormat = [{
    $cond `,` $val_if_true `,` $val_if_false attr-dict `:`
    custom<CudaTileType>(type($cond)) `,` custom<CudaTileType>(type($result))
  }];
  let hasVerifier = 1; // C3
}

def CudaTile_CatOp : CudaTile_ShapeOp<"cat", 0xC, "13.1",
    [AllRanksMatch<["lhs", "rhs", "result"]>,
     CudaTile_ElementTypesMatch<["lhs", "rhs", "result"]>]> {
  let summary = "Concatenates two tiles along a dimension";
  let description = [{
    (C1) Ranks and element types are equal.
    (C2) `dim` is a dimension of the operands.
    (C3) The extent of the result along `dim` is the sum of the operands' extents;
         the other extents are equal.
  }];
  let examples = [[{
    %a = constant <f32: 1.0> : tile<8x4xf32>
    %r = cat %a, %a dim = 1 : tile<8x4xf32>, tile<8x4xf32> -> tile<8x8xf32>
  }]];
  let arguments = (ins
    CudaTile_Tile:$lhs,
    CudaTile_Tile:$rhs,
    I64Attr:$dim
  );
  let results = (outs CudaTile_Tile:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `dim` `=` $dim attr-dict `:`
    custom<CudaTileType>(type($lhs)) `,` custom<CudaTileType>(type($rhs)) `->`
    custom<CudaTileType>(type($result))
  }];
  let hasVerifier = 1; // C2, C3
}

def CudaTile_ExtractOp : CudaTile_ShapeOp<"extract", 0x26, "13.1",
    [AllRanksMatch<["source", "result"]>]> {
  let summary = "Extracts one part of a tile";
  let description = [{
    The source is a grid of parts of the result's shape. Index `i` counts parts along
    dimension `i`; it is unsigned. An index past the last part is undefined
    behaviour; the verifier warns of a constant one.
    (C1) Ranks and element types are equal.
    (C2) Each extent of the source is a multiple of that of the result.
    (C3) There is one index per dimension.
  }];
  let examples = [[{
    %a = constant <f32: 1.0> : tile<8x16xf32>
    %i = constant <i32: 1> : tile<i32>
    %r = extract %a[%i, %i] : tile<8x16xf32> -> tile<4x8xf32>
  }]];
  let arguments = (ins
    CudaTile_Tile:$source,
    Variadic<CudaTile_I32Scalar>:$indices
  );
  let results = (outs CudaTile_Tile:$result);
  let assemblyFormat = [{
    $source `[` $indices `]` attr-dict `:` custom<CudaTileType>(type($source))
    `->` custom<CudaTileType>(type($result))
  }];
  let hasVerifier = 1; // C1, C2, C3
}

def CudaTile_InsertOp : CudaTile_ShapeOp<"insert", 0x76, "13.4",
    [AllRanksMatch<["source", "destination"]>,
     CudaTile_ElementTypesMatch<["source", "destination"]>,
     AllTypesMatch<["destination", "result"]>]> {
  let summary = "Replaces one part of a tile";
  let description = [{
    The result is the destination, with the source in place of the part that
    `extract` with the same indices would give.
    (C1) Ranks and element types are equal; the result has the type of the
         destination.
    (C2) Each extent of the destination is a multiple of that of the source.
    (C3) There is one index per dimension.
  }];
  let examples = [[{
    %a = constant <f32: 1.0> : tile<4x8xf32>
    %b = constant <f32: 0.0> : tile<8x16xf32>
    %i = constant <i32: 1> : tile<i32>
    %r = insert %a, %b[%i, %i] : tile<4x8xf32>, tile<8x16xf32> -> tile<8x16xf32>
  }]];
  let arguments = (ins
    CudaTile_Tile:$source,
    CudaTile_Tile:$destination,
    Variadic<CudaTile_I32Scalar>:$indices
  );
  let results = (outs CudaTile_Tile:$result);
  let assemblyFormat = [{
    $source `,` $destination `[` $indices `]` attr-dict `:`
    custom<CudaTileType>(type($source)) `,`
    custom<CudaTileType>(type($destination)) `->`
    custom<CudaTileType>(type($result))
  }];
  let hasVerifier = 1; // C2, C3
}

// Elements that may be narrower than a byte.
def CudaTile_UnpackedTile
    : CudaTile_TileOf<!listconcat(CudaTile_Numbers, [CudaTile_I4])>;

def CudaTile_PackOp : CudaTile_ShapeOp<"pack", 0x6F, "13.3",
    [AllRanksMatch<["source", "result"]>]> {
  let summary = "Reinterprets elements as bytes, little-endian";
  let description = [{
    The first of two 4-bit elements in a byte is in the low half.
    (C1) Ranks are 1.
    (C2) Elements of source and result have different widths.
    (C3) Source and result occupy the same whole number of bytes.
  }];
  let examples = [[{
    %a = constant <f16: 1.0> : tile<64xf16>
    %r = pack %a : tile<64xf16> -> tile<128xi8>
  }]];
  let arguments = (ins CudaTile_UnpackedTile:$source);
  let results = (outs CudaTile_I8Tile:$result);
  let assemblyFormat = [{
    $source attr-dict `:` custom<CudaTileType>(type($source)) `->`
    custom<CudaTileType>(type($result))
  }];
  let hasVerifier = 1; // C1, C2, C3
}

def CudaTile_UnpackOp : CudaTile_ShapeOp<"unpack", 0x70, "13.3",
    [AllRanksMatch<["source", "result"]>]> {
  let summary = "Reinterprets bytes as elements: the inverse of `pack`";
  let description = [{
    (C1) Ranks are 1.
    (C2) Elements of source and result have different widths.
    (C3) Source and result occupy the same whole number of bytes.
  }];
  let examples = [[{
    %a = constant <i8: 7> : tile<64xi8>
    %r = unpack %a : tile<64xi8> -> tile<128xf4E2M1FN>
  }]];
  let arguments = (ins CudaTile_I8Tile:$source);
  let results = (outs CudaTile_UnpackedTile:$result);
  let assemblyFormat = [{
    $source attr-dict `:` custom<CudaTileType>(type($source)) `->`
    custom<CudaTileType>(type($result))
  }];
  let hasVerifier = 1; // C1, C2, C3
}

def CudaTile_BroadcastOp : CudaTile_ShapeOp<"broadcast", 0xB, "13.1",
    [CudaTile_Repeats, CudaTile_KeepsZeroSigns,
     SameOperandsAndResultElementType, AllRanksMatch<["source", "result"]>,
     CudaTile_NamesResults]> {
  let summary = "Repeats a tile along its dimensions of extent 1";
  let description = [{
    (C1) Ranks and element types are equal.
    (C2) Each extent of the source is 1 or equal to that of the result.
  }];
  let examples = [[{
    %one = constant <f32: 1.0> : tile<1x8xf32>
    %r = broadcast %one : tile<1x8xf32> -> tile<8x8xf32>
  }]];
  let arguments = (ins CudaTile_Tile:$source);
  let results = (outs CudaTile_Tile:$result);
  let assemblyFormat = [{
    $source attr-dict `:` custom<CudaTileType>(type($source)) `->`
    custom<CudaTileType>(type($result))
  }];
  let hasVerifier = 1; // C2
}

def CudaTile_ReshapeOp : CudaTile_ShapeOp<"reshape", 0x5B, "13.1",
    [CudaTile_Renames, CudaTile_KeepsZeroSigns, CudaTile_NamesResults]> {
  let summary = "Changes the shape; elements keep their row-major order";
  let description = [{
    (C1) Element types are equal.
    (C2) The numbers of elements are equal.
  }];
  let examples = ["%r = reshape %p : tile<ptr<f32>> -> tile<1x1xptr<f32>>"];
  let arguments = (ins CudaTile_Tile:$source);
  let results = (outs CudaTile_Tile:$result);
  let assemblyFormat = [{
    $source attr-dict `:` custom<CudaTileType>(type($source)) `->`
    custom<CudaTileType>(type($result))
  }];
  let hasVerifier = 1; // C2
}

def CudaTile_PermuteOp : CudaTile_ShapeOp<"permute", 0x53, "13.1",
    [CudaTile_Renames, CudaTile_KeepsZeroSigns,
     CudaTile_ElementTypesMatch<["source", "result"]>,
     AllRanksMatch<["source", "result"]>]> {
  let summary = "Permutes the dimensions";
  let description = [{
    Dimension `i` of the result is dimension `permutation[i]` of the source.
    (C1) Ranks and element types are equal.
    (C2) The rank is at least 2.
    (C3) `permutation` is a permutation of the dimensions.
    (C4) The extents of the result are those of the source, permuted.
  }];
  let examples = [[{
    %a = constant <f32: 1.0> : tile<4x8xf32>
    %r = permute %a [1, 0] : tile<4x8xf32> -> tile<8x4xf32>
  }]];
  let arguments = (ins
    CudaTile_Tile:$source,
    DenseI32ArrayAttr:$permutation
  );
  let results = (outs CudaTile_Tile:$result);
  let assemblyFormat = [{
    $source $permutation attr-dict `:` custom<CudaTileType>(type($source)) `->`
    custom<CudaTileType>(type($result))
  }];
  let hasVerifier = 1; // C2, C3, C4
}

def CudaTile_OffsetOp : CudaTile_ShapeOp<"offset", 0x51, "13.1",
    [Elementwise, CudaTile_Elementwise, SameOperandsAndResultShape,
     AllTypesMatch<["result", "ptr"]>]> {
  let summary = "Adds offsets, in elements, to pointers";
  let description = [{
    `result = ptr + offset * sizeof(pointee)`; offsets are signed.
    (C1) Pointers and result have the same type.
    (C2) The offsets have the shape of the pointers.
  }];
  let examples = [[{
    %i = iota : tile<8xi32>
    %r = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
    %b = broadcast %r : tile<1xptr<f32>> -> tile<8xptr<f32>>
    %o = offset %b, %i : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
  }]];
  let arguments = (ins
    CudaTile_PointerTile:$ptr,
    CudaTile_IntTile:$offset
  );
  let results = (outs CudaTile_PointerTile:$result);
  let assemblyFormat = [{
    $ptr `,` $offset attr-dict `:` custom<CudaTileType>(type($ptr)) `,`
    custom<CudaTileType>(type($offset)) `->`
    custom<CudaTileType>(type($result))
  }];
}

#endif // CUDA_TILE_IR_OPS_SHAPE_TD
