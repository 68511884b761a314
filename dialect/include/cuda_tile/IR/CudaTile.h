//===- CudaTile.h - The cuda_tile dialect -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_IR_CUDATILE_H
#define CUDA_TILE_IR_CUDATILE_H

#include "cuda_tile/Cute/Cute.h"
#include "cuda_tile/IR/DebugInfo.h"
#include "cuda_tile/IR/Hints.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

#include "cuda_tile/IR/CudaTileDialect.h.inc"
#include "cuda_tile/IR/CudaTileEnums.h.inc"

#include "cuda_tile/IR/CudaTileAttrInterfaces.h.inc"
#include "cuda_tile/IR/CudaTileTypeInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "cuda_tile/IR/CudaTileAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "cuda_tile/IR/CudaTileTypes.h.inc"

namespace cuda_tile {

/// True if `pointers` are pointers to the element type of `values`.
bool pointsTo(TileType pointers, TileType values);

/// True for the attribute of pointers into a multicast object; false for null.
bool isMulticast(PointerKindAttr kind);

/// The tensor_view of a view of tiles; null for any other type.
TensorViewType getTensorView(mlir::Type view);

/// Whether every value of floating-point type `from` is one of type `to`.
bool isExactConversion(mlir::Type from, mlir::Type to);

/// Whether break, continue and yield may carry a value of `type`.
bool isCarried(mlir::Type type);

/// True if the body of `reduce` or `scan` may contain `op`: it must be pure.
bool mayCombine(mlir::Operation *op);

/// Adds the dialects cuda_tile, cute and tileas.
void registerDialects(mlir::DialectRegistry &registry);

// Terminators that are implied if none is written; defined below.
class BranchEnd;
class LoopEnd;

} // namespace cuda_tile

#define GET_OP_CLASSES
#include "cuda_tile/IR/CudaTileOps.h.inc"

namespace cuda_tile {

/// The terminator of a branch of `if`: a yield, or an op that leaves the `if`.
class BranchEnd : public YieldOp {
public:
  using YieldOp::YieldOp;
  static bool classof(mlir::Operation *op) {
    return llvm::isa<YieldOp, BreakOp, ContinueOp, ReturnOp>(op);
  }
};

/// The terminator of the body of `loop`.
class LoopEnd : public ContinueOp {
public:
  using ContinueOp::ContinueOp;
  static bool classof(mlir::Operation *op) {
    return llvm::isa<BreakOp, ContinueOp>(op);
  }
};

} // namespace cuda_tile

#endif // CUDA_TILE_IR_CUDATILE_H
