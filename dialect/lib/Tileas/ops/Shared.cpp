//===- Shared.cpp - Shared memory of tileas -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda_tile/Tileas/Tileas.h"

#include "IR/Syntax.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace cuda_tile;
using namespace cuda_tile::tileas;

/// Checks that `part`, which begins at `offsets`, lies inside `whole`; the
/// names say in the message what they are.
static LogicalResult verifyPart(Operation *op, StringRef part, StringRef whole,
                                ArrayRef<int64_t> offsets,
                                ArrayRef<int64_t> extents,
                                ArrayRef<int64_t> wholeExtents) {
  if (offsets.size() != extents.size())
    return op->emitOpError("expected ")
           << extents.size() << " offsets (the buffer's rank), got "
           << offsets.size();
  for (auto [i, offset] : llvm::enumerate(offsets))
    if (offset < 0 || offset > wholeExtents[i] - extents[i])
      return op->emitOpError("expected the ")
             << part << " to lie inside the " << whole << ", got offset "
             << offset << " and extent " << extents[i] << " along dimension "
             << i << " of extent " << wholeExtents[i];
  return success();
}

//===----------------------------------------------------------------------===//
// store_shared
//===----------------------------------------------------------------------===//

LogicalResult StoreSharedOp::verify() {
  TileType tile = getTile().getType();
  BufferType buffer = getBuffer().getType();
  if (!getOffsets()) {
    if (tile.getShape() != buffer.getShape() || // C1, C3
        tile.getElementType() != buffer.getElementType())
      return emitOpError("expected tile and buffer of one shape and element "
                         "type, got ")
             << tile << " and " << buffer;
    return success();
  }
  if (tile.getShape().size() != buffer.getShape().size() || // C1
      tile.getElementType() != buffer.getElementType())
    return emitOpError("expected tile and buffer of one rank and element type, "
                       "got ")
           << tile << " and " << buffer;
  return verifyPart(*this, "buffer", "tile", *getOffsets(), // C2
                    buffer.getShape(), tile.getShape());
}

//===----------------------------------------------------------------------===//
// load_shared
//===----------------------------------------------------------------------===//

LogicalResult LoadSharedOp::verify() {
  TileType tile = getTile().getType();
  BufferType buffer = getBuffer().getType();
  if (tile.getShape().size() != buffer.getShape().size() || // C1
      tile.getElementType() != buffer.getElementType())
    return emitOpError("expected tile and buffer of one rank and element type, "
                       "got ")
           << tile << " and " << buffer;
  if (!getInto())
    return verifyPart(*this, "tile", "buffer", getOffsets(), // C2
                      tile.getShape(), buffer.getShape());
  if (getInto().getType() != tile) // C3
    return emitOpError("expected a result of the type of 'into', got ")
           << tile << " and " << getInto().getType();
  return verifyPart(*this, "buffer", "tile", getOffsets(), // C2
                    buffer.getShape(), tile.getShape());
}

//===----------------------------------------------------------------------===//
// load_part
//===----------------------------------------------------------------------===//

LogicalResult LoadPartOp::verify() {
  TileType tile = getTile().getType();
  BufferType buffer = getBuffer().getType();
  ArrayRef<int64_t> part = tile.getShape(), whole = buffer.getShape();
  if (part.size() != whole.size() || // C1
      tile.getElementType() != buffer.getElementType())
    return emitOpError("expected tile and buffer of one rank and element type, "
                       "got ")
           << tile << " and " << buffer;
  for (auto [dim, extents] : llvm::enumerate(llvm::zip_equal(whole, part)))
    if (std::get<0>(extents) % std::get<1>(extents) != 0) // C2
      return emitOpError("expected extent ")
             << dim << " of the buffer to be a multiple of the tile's, got "
             << std::get<0>(extents) << " and " << std::get<1>(extents);
  if (getIndices().size() != whole.size()) // C3
    return emitOpError("expected ")
           << whole.size() << " indices (the buffer's rank), got "
           << getIndices().size();
  return success();
}

//===----------------------------------------------------------------------===//
// reinterpret
//===----------------------------------------------------------------------===//

LogicalResult ReinterpretOp::verify() {
  BufferType source = getSource().getType(), result = getResult().getType();
  auto count = [](BufferType type) {
    return llvm::product_of(type.getShape());
  };
  if (source.getElementType() == result.getElementType() &&
      count(source) == count(result)) // C1
    return success();
  return emitOpError("expected buffers of as many elements of one type, got ")
         << source << " and " << result;
}
