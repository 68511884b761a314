//===- Interfaces.td - Interfaces of the cuda_tile dialect ----*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_IR_INTERFACES_TD
#define CUDA_TILE_IR_INTERFACES_TD

include "mlir/IR/OpBase.td"

def CudaTile_AssumePredicateAttrInterface
    : AttrInterface<"AssumePredicateAttrInterface"> {
  let cppNamespace = "::cuda_tile";
  let description = [{
    A predicate of `assume`.
  }];
  let methods = [
    InterfaceMethod<
      "Emits an error at `op` if the predicate does not apply to `type`.",
      "::llvm::LogicalResult", "verifyPredicate",
      (ins "::mlir::Operation *":$op, "::mlir::Type":$type)>,
  ];
}

def CudaTile_TileViewInterface : TypeInterface<"TileView"> {
  let cppNamespace = "::cuda_tile";
  let description = [{
    A view of a tensor in memory as tiles, one per index.
  }];
  let methods = [
    InterfaceMethod<
      "Type of the tile at one index: a TileType without layout.",
      "::mlir::ShapedType", "getViewTileType">,
    InterfaceMethod<"Number of index operands.",
      "int64_t", "getViewIndexRank">,
    InterfaceMethod<
      "Emits an error at `op` if values of `types` cannot index the view.",
      "::llvm::LogicalResult", "verifyIndices",
      (ins "::mlir::Operation *":$op, "::mlir::TypeRange":$types)>,
  ];
}

#endif // CUDA_TILE_IR_INTERFACES_TD
