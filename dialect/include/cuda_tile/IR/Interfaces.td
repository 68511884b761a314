//===- Interfaces.td - Interfaces of the cuda_tile dialect ----*- tablegen -*-===//

#ifndef CUDA_TILE_IR_INTERFACES_TD
#define CUDA_TILE_IR_INTERFACES_TD

include "mlir/IR/OpBase.td"

def CudaTile_AssumePredicateAttrInterface
    : AttrInterface<"AssumePredicateAttrInterface"> {
  let cppNamespace = "::cuda_tile";
  let description = [{
    A statement about a value, as `assume` carries it.
  }];
  let methods = [
    InterfaceMethod<
      "Says at `op` why the statement makes no sense for a value of `type`.",
      "::llvm::LogicalResult", "verifyPredicate",
      (ins "::mlir::Operation *":$op, "::mlir::Type":$type)>,
  ];
}

def CudaTile_TileViewInterface : TypeInterface<"TileView"> {
  let cppNamespace = "::cuda_tile";
  let description = [{
    A view that cuts a tensor in memory into tiles, one per index.
  }];
  let methods = [
    InterfaceMethod<
      "The TileType, without layout, that one index reads or writes.",
      "::mlir::ShapedType", "getViewTileType">,
    InterfaceMethod<"Number of index operands.",
      "int64_t", "getViewIndexRank">,
    InterfaceMethod<
      "Says at `op` why values of `types` cannot index the view.",
      "::llvm::LogicalResult", "verifyIndices",
      (ins "::mlir::Operation *":$op, "::mlir::TypeRange":$types)>,
  ];
}

#endif // CUDA_TILE_IR_INTERFACES_TD
