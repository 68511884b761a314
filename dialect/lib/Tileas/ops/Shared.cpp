//===- Shared.cpp - Shared memory of tileas -------------------------------===//

#include "cuda_tile/Tileas/Tileas.h"

#include "IR/Syntax.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace cuda_tile;
using namespace cuda_tile::tileas;

//===----------------------------------------------------------------------===//
// store_shared
//===----------------------------------------------------------------------===//

LogicalResult StoreSharedOp::verify() {
  TileType tile = getTile().getType();
  BufferType buffer = getBuffer().getType();
  if (tile.getShape() != buffer.getShape() || // C1
      tile.getElementType() != buffer.getElementType())
    return emitOpError("expected tile and buffer of one shape and element "
                       "type, got ")
           << tile << " and " << buffer;
  return success();
}

//===----------------------------------------------------------------------===//
// load_shared
//===----------------------------------------------------------------------===//

LogicalResult LoadSharedOp::verify() {
  TileType tile = getTile().getType();
  BufferType buffer = getBuffer().getType();
  ArrayRef<int64_t> extents = buffer.getShape();
  if (tile.getShape().size() != extents.size() || // C1
      tile.getElementType() != buffer.getElementType())
    return emitOpError("expected tile and buffer of one rank and element type, "
                       "got ")
           << tile << " and " << buffer;
  if (getOffsets().size() != extents.size()) // C2
    return emitOpError("expected ")
           << extents.size() << " offsets (the buffer's rank), got "
           << getOffsets().size();
  for (auto [i, offset] : llvm::enumerate(getOffsets())) // C2
    if (offset < 0 || offset > extents[i] - tile.getDimSize(i))
      return emitOpError("expected the tile to lie inside the buffer, got "
                         "offset ")
             << offset << " and extent " << tile.getDimSize(i)
             << " along dimension " << i << " of extent " << extents[i];
  return success();
}
