//===- Copy.cpp - Copies between global and shared memory -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda_tile/Tileas/Tileas.h"

#include "IR/Syntax.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace cuda_tile;
using namespace cuda_tile::tileas;

/// What copies to and from views have in common.
template <typename Op>
static LogicalResult verifyViewCopy(Op op, ArrayRef<StringRef> engines) {
  if (!llvm::is_contained(engines, op.getEngine())) // C1
    return op.emitOpError("expected engine to be one of ")
           << llvm::join(engines, ", ") << ", got '" << op.getEngine() << "'";
  TileView view = op.getView().getType();
  int64_t rank = view.getViewIndexRank(), count = op.getIndex().size();
  if (count != rank) // C2
    return op.emitOpError("expected ")
           << rank << " index operands (based on view type), got " << count;
  if (failed(view.verifyIndices(op, op.getIndex().getTypes()))) // C2
    return failure();
  auto tile = cast<TileType>(view.getViewTileType());
  BufferType buffer = op.getBuffer().getType();
  if (tile.getShape() != buffer.getShape() || // C3
      tile.getElementType() != buffer.getElementType())
    return op.emitOpError("expected a buffer of the shape and element type of "
                          "the view's tile, ")
           << tile << ", got " << buffer;
  std::optional<int64_t> map = op.getMap();
  if (map && op.getEngine() != "tma") // C4
    return op.emitOpError(
               "expected a map with engine 'tma' only, got one with '")
           << op.getEngine() << "'";
  if (map && *map < 0) // C4
    return op.emitOpError("expected map to be at least 0, got ") << *map;
  return success();
}

LogicalResult CopyInOp::verify() {
  return verifyViewCopy(*this, {"tma", "cp_async"});
}

LogicalResult CopyOutOp::verify() { return verifyViewCopy(*this, {"tma"}); }

LogicalResult GatherInOp::verify() {
  TileType pointers = getPointers().getType();
  BufferType buffer = getBuffer().getType();
  auto pointer = cast<PointerType>(pointers.getElementType());
  if (pointers.getShape() != buffer.getShape() || // C1
      pointer.getPointeeType() != buffer.getElementType())
    return emitOpError("expected a buffer of the shape and pointee type of the "
                       "tile of pointers, ")
           << pointers << ", got " << buffer;
  if (Value mask = getMask()) // C2
    if (cast<TileType>(mask.getType()).getShape() != pointers.getShape())
      return emitOpError(
                 "expected a mask of the shape of the tile of pointers, ")
             << pointers << ", got " << mask.getType();
  return success();
}
