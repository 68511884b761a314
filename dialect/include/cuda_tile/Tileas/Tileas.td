//===- Tileas.td - Tile assembly ------------------------------*- tablegen -*-===//
//
// What tiles alone cannot say once they are placed: where a value changes its
// layout, what lies in shared memory, when the threads of a block wait for each
// other.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_TILEAS_TILEAS_TD
#define CUDA_TILE_TILEAS_TILEAS_TD

include "cuda_tile/IR/Types.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tileas_Dialect : Dialect {
  let name = "tileas";
  let summary = "Tile assembly: placed tiles, shared memory, barriers";
  let cppNamespace = "::cuda_tile::tileas";
  let dependentDialects = ["::cuda_tile::CudaTileDialect"];
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = "void registerTypes();";
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def Tileas_BufferType : TypeDef<Tileas_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "one slot of shared memory";
  let description = [{
    `!tileas.buffer<8x64xf16, #cute.layout<(1@1, ...)>>`: basis `i` of the flat
    layout says which element bit `i` of the offset (in elements) leads to. Each
    element has one offset.
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$shape,
    "::mlir::Type":$elementType,
    "::cuda_tile::cute::LayoutAttr":$layout
  );
  let builders = [TypeBuilderWithInferredContext<
      (ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType,
           "::cuda_tile::cute::LayoutAttr":$layout), [{
    return $_get(elementType.getContext(), shape, elementType, layout);
  }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

// Shared memory of a block.
def Tileas_SharedMemory : Resource<"::cuda_tile::tileas::SharedMemory">;

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

class Tileas_Op<string mnemonic, string stem, list<Trait> traits = []>
    : Op<Tileas_Dialect, mnemonic, traits> {
  string family = stem;
  // Snippets that parse as the body of an entry, as in cuda_tile.
  list<string> examples = [];
}

def Tileas_ConvertLayoutOp : Tileas_Op<"convert_layout", "place",
    [Pure, AllShapesMatch<["source", "result"]>,
     AllElementTypesMatch<["source", "result"]>]> {
  let summary = "The same tile in another layout";
  let description = "(C1) Shapes and element types are equal.";
  let examples = [[{
    %x = iota : tile<32xi32, #cute.layout<((), (1@0, 2@0, 4@0, 8@0, 16@0), (), ())>>
    %y = tileas.convert_layout %x : tile<32xi32, #cute.layout<((), (1@0, 2@0, 4@0, 8@0, 16@0), (), ())>> -> tile<32xi32, #cute.layout<((1@0), (2@0, 4@0, 8@0, 16@0, 0), (), ())>>
  }]];
  let arguments = (ins CudaTile_Tile:$source);
  let results = (outs CudaTile_Tile:$result);
  let assemblyFormat = [{
    $source attr-dict `:` custom<CudaTileType>(type($source)) `->`
    custom<CudaTileType>(type($result))
  }];
}

def Tileas_AllocSharedOp : Tileas_Op<"alloc_shared", "shared"> {
  let summary = "A slot of shared memory";
  let description = [{
    `offset` counts bytes from the start of the block's shared memory; the
    allocate pass sets it.
  }];
  let examples = [
    "%b = tileas.alloc_shared : !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>",
  ];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs Res<Tileas_BufferType, "",
                          [MemAlloc<Tileas_SharedMemory>]>:$buffer);
  let assemblyFormat = [{
    (`offset` `=` $offset^)? attr-dict `:`
    qualified(type($buffer))
  }];
}

def Tileas_StoreSharedOp : Tileas_Op<"store_shared", "shared"> {
  let summary = "Writes a tile to a slot";
  let description = "(C1) Shapes and element types are equal.";
  let examples = [[{
    %x = iota : tile<32xi32, #cute.layout<((), (1@0, 2@0, 4@0, 8@0, 16@0), (), ())>>
    %b = tileas.alloc_shared : !tileas.buffer<32xi32, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0)>>
    tileas.store_shared %x, %b : tile<32xi32, #cute.layout<((), (1@0, 2@0, 4@0, 8@0, 16@0), (), ())>>, !tileas.buffer<32xi32, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0)>>
  }]];
  let arguments = (ins
    CudaTile_Tile:$tile,
    Arg<Tileas_BufferType, "", [MemWrite<Tileas_SharedMemory>]>:$buffer
  );
  let assemblyFormat = [{
    $tile `,` $buffer attr-dict `:` custom<CudaTileType>(type($tile)) `,`
    qualified(type($buffer))
  }];
  let hasVerifier = 1; // C1
}

def Tileas_LoadSharedOp : Tileas_Op<"load_shared", "shared"> {
  let summary = "Reads a tile from a slot";
  let description = [{
    (C1) Ranks and element types are equal.
    (C2) The tile that begins at `offsets` (in elements) lies inside the slot.
  }];
  let examples = [[{
    %b = tileas.alloc_shared : !tileas.buffer<64xi32, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %x = tileas.load_shared %b[32] : !tileas.buffer<64xi32, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>> -> tile<32xi32, #cute.layout<((), (1@0, 2@0, 4@0, 8@0, 16@0), (), ())>>
  }]];
  let arguments = (ins
    Arg<Tileas_BufferType, "", [MemRead<Tileas_SharedMemory>]>:$buffer,
    DenseI64ArrayAttr:$offsets
  );
  let results = (outs CudaTile_Tile:$tile);
  let assemblyFormat = [{
    $buffer `` $offsets attr-dict `:` qualified(type($buffer)) `->`
    custom<CudaTileType>(type($tile))
  }];
  let hasVerifier = 1; // C1, C2
}

def Tileas_MmaSyncOp : Tileas_Op<"mma_sync", "mma",
    [Pure, AllTypesMatch<["acc", "result"]>,
     AllRanksMatch<["lhs", "rhs", "acc"]>]> {
  let summary = "Matrix product by the instruction that `atom` names";
  let description = [{
    (C1) The operands are matrices whose extents agree.
    (C2) `lhs` and `rhs` have one element type.
  }];
  let examples = [[{
    %a = constant <f16: 1.0> : tile<16x16xf16>
    %b = constant <f16: 1.0> : tile<16x8xf16>
    %c = constant <f32: 0.0> : tile<16x8xf32>
    %r = tileas.mma_sync %a, %b, %c atom = "m16n8k16" : tile<16x16xf16>, tile<16x8xf16>, tile<16x8xf32>
  }]];
  let arguments = (ins
    CudaTile_Tile:$lhs,
    CudaTile_Tile:$rhs,
    CudaTile_Tile:$acc,
    StrAttr:$atom
  );
  let results = (outs CudaTile_Tile:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc `atom` `=` $atom attr-dict `:`
    custom<CudaTileType>(type($lhs)) `,` custom<CudaTileType>(type($rhs)) `,`
    custom<CudaTileType>(type($acc))
  }];
  let hasVerifier = 1; // C1, C2
}

def Tileas_BarrierOp : Tileas_Op<"barrier", "barrier"> {
  let summary = "All threads of the block wait for each other";
  let examples = ["tileas.barrier"];
  let assemblyFormat = "attr-dict";
}

#endif // CUDA_TILE_TILEAS_TILEAS_TD
