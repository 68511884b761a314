//===- Base.td - Tile assembly: dialect and types -------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What cuda_tile ops cannot express once tiles have layouts: layout conversions,
// shared-memory buffers and accesses to them, copies that run by themselves and the
// rings these fill, matrix instructions, barriers, roles of warps.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_TILEAS_BASE_TD
#define CUDA_TILE_TILEAS_BASE_TD

include "cuda_tile/IR/Enums.td"
include "cuda_tile/IR/Types.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tileas_Dialect : Dialect {
  let name = "tileas";
  let summary = "Tile assembly: layouts, shared memory, copies, products, barriers, roles";
  let cppNamespace = "::cuda_tile::tileas";
  let dependentDialects = ["::cuda_tile::CudaTileDialect"];
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1; // Attributes.td
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = "void registerTypes();";
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def Tileas_BufferType : TypeDef<Tileas_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "buffer in shared memory";
  let description = [{
    `!tileas.buffer<8x64xf16, #cute.layout<(1@1, ...)>>`: basis `i` of the flat
    layout is the contribution of bit `i` of the offset, in elements, to the
    coordinates. Each element has exactly one offset. With a second group,
    `#cute.layout<((1@1, ...), (32@1))>`, the buffers of several CTAs hold the elements
    together: basis `i` of that group is the contribution of bit `i` of a CTA's number.
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

def Tileas_PendingType : TypeDef<Tileas_Dialect, "Pending"> {
  let mnemonic = "pending";
  let summary = "tile that is still being computed";
  let description = [{
    `!tileas.pending<tile<128x256xf32, #layout>>`: what a product that runs by itself
    leaves in registers once it is done; only `await` makes the tile of it.
  }];
  let parameters = (ins "::cuda_tile::TileType":$tile);
  let builders = [TypeBuilderWithInferredContext<
      (ins "::cuda_tile::TileType":$tile), [{
    return $_get(tile.getContext(), tile);
  }]>];
  let hasCustomAssemblyFormat = 1;
}

// The shared memory of a CTA.
def Tileas_SharedMemory : Resource<"::cuda_tile::tileas::SharedMemory">;

//===----------------------------------------------------------------------===//
// Op base class
//===----------------------------------------------------------------------===//

class Tileas_Op<string mnemonic, string stem, list<Trait> traits = []>
    : Op<Tileas_Dialect, mnemonic, traits> {
  string family = stem;
  // Snippets that parse as the body of an entry, as in cuda_tile.
  list<string> examples = [];
}

#endif // CUDA_TILE_TILEAS_BASE_TD
