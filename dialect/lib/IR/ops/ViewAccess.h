//===- ViewAccess.h - Shared code of accesses through views -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An access is written as
//   op ordering scope ... %view[%i, %j] ... token = %t inbounds = [true, false]
//     optimization_hints = <...> {...} : types, view type, index types -> types
// where a single index type applies to all indices.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_LIB_IR_OPS_VIEWACCESS_H
#define CUDA_TILE_LIB_IR_OPS_VIEWACCESS_H

#include "IR/Syntax.h"

namespace cuda_tile {

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

/// The parsed parts of an access.
struct ViewAccess {
  mlir::OpAsmParser::UnresolvedOperand view;
  llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand> index;
  std::optional<mlir::OpAsmParser::UnresolvedOperand> token;
  mlir::DenseBoolArrayAttr inbounds; // null if absent
  OptimizationHintsAttr hints;
  mlir::Type viewType;
  llvm::SmallVector<mlir::Type> indexTypes;

  int32_t getNumIndices() const { return index.size(); }
  int32_t getNumTokens() const { return token ? 1 : 0; }
};

/// `weak`, or another ordering and a scope.
mlir::ParseResult parseOrdering(mlir::OpAsmParser &parser,
                                MemoryOrderingSemanticsAttr &ordering,
                                MemoryScopeAttr &scope);

/// Parses one of `cases`; `what` begins the error message.
template <typename EnumAttr, typename Enum>
mlir::ParseResult parseCase(mlir::OpAsmParser &parser, llvm::StringRef what,
                            llvm::StringRef cases,
                            std::optional<Enum> (*symbolize)(llvm::StringRef),
                            EnumAttr &attr) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  llvm::StringRef keyword;
  (void)parser.parseOptionalKeyword(&keyword);
  std::optional<Enum> value = symbolize(keyword);
  if (!value)
    return parser.emitError(loc, what)
           << ": '" << keyword << "'; expected one of: " << cases;
  attr = EnumAttr::get(parser.getContext(), *value);
  return mlir::success();
}

/// `%view[%i, %j]`.
mlir::ParseResult parseIndexedView(mlir::OpAsmParser &parser,
                                   ViewAccess &access);

/// The token and the other optional parts before the colon, and the colon.
/// Hints are accepted if the op has them.
mlir::ParseResult parseAccessEnd(mlir::OpAsmParser &parser,
                                 mlir::OperationState &result,
                                 ViewAccess &access, bool takesHints);

/// `view type, index types ->`.
mlir::ParseResult parseAccessTypes(mlir::OpAsmParser &parser,
                                   ViewAccess &access);

// These add the operands, so that each op has them in its own order.
mlir::ParseResult resolveView(mlir::OpAsmParser &parser,
                              mlir::OperationState &result,
                              const ViewAccess &access);
mlir::ParseResult resolveIndex(mlir::OpAsmParser &parser,
                               mlir::OperationState &result,
                               const ViewAccess &access);
mlir::ParseResult resolveToken(mlir::OpAsmParser &parser,
                               mlir::OperationState &result,
                               const ViewAccess &access);

/// Repeats a single type `count` times. False if there are neither one nor
/// `count` types.
bool expandTypes(llvm::SmallVectorImpl<mlir::Type> &types, size_t count);

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// Prints a single type if all are equal, otherwise each.
void printUniformTypes(mlir::OpAsmPrinter &printer, mlir::TypeRange types);

template <typename Op>
void printIndexedView(mlir::OpAsmPrinter &printer, Op op) {
  printer << op.getView() << "[" << op.getIndex() << "]";
}

template <typename Op>
void printTokenAndInbounds(mlir::OpAsmPrinter &printer, Op op) {
  if (op.getToken())
    printer << " token = " << op.getToken();
  if (llvm::is_contained(op.getInbounds(), true)) {
    printer << " inbounds = ";
    op.getInboundsAttr().print(printer);
  }
}

/// `view type, index types -> result types`.
template <typename Op>
void printAccessTypes(mlir::OpAsmPrinter &printer, Op op) {
  printCudaTileType(printer, mlir::Type(op.getView().getType()));
  if (!op.getIndex().empty()) {
    printer << ", ";
    printUniformTypes(printer, op.getIndex().getTypes());
  }
  printer << " -> ";
  printCudaTileTypes(printer, op->getResultTypes());
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// `inbounds` is empty or has one entry per dimension.
template <typename Op> llvm::LogicalResult verifyInbounds(Op op) {
  int64_t promises = op.getInbounds().size();
  int64_t rank = op.getView().getType().getViewIndexRank();
  if (promises == 0 || promises == rank)
    return mlir::success();
  return op.emitOpError("expected inbounds to be empty or to have ")
         << rank << " entries (based on view type), got " << promises;
}

/// The tile, the indices and `inbounds` match the view.
template <typename Op> llvm::LogicalResult verifyTileOfView(Op op) {
  TileView view = op.getView().getType();
  int64_t rank = view.getViewIndexRank(), count = op.getIndex().size();
  if (count != rank)
    return op.emitOpError("expected ")
           << rank << " index operands (based on view type), got " << count;
  mlir::ShapedType wanted = view.getViewTileType();
  TileType tile = op.getTile().getType();
  if (tile.withLayout({}) != wanted)
    return op.emitOpError("expected tile type to be ")
           << wanted << " (based on view type), got " << tile;
  if (failed(view.verifyIndices(op, op.getIndex().getTypes())))
    return mlir::failure();
  return verifyInbounds(op);
}

} // namespace cuda_tile

#endif // CUDA_TILE_LIB_IR_OPS_VIEWACCESS_H
