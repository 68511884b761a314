//===- Mma.cpp - Matrix instructions of tileas ----------------------------===//

#include "cuda_tile/Tileas/Tileas.h"

#include "IR/Syntax.h"

using namespace mlir;
using namespace cuda_tile;
using namespace cuda_tile::tileas;

//===----------------------------------------------------------------------===//
// mma_sync
//===----------------------------------------------------------------------===//

LogicalResult MmaSyncOp::verify() {
  TileType lhs = getLhs().getType(), rhs = getRhs().getType(),
           acc = getAcc().getType();
  if (lhs.getRank() != 2) // C1
    return emitOpError("expected matrices, got rank ") << lhs.getRank();
  if (lhs.getDimSize(1) != rhs.getDimSize(0) || // C1
      lhs.getDimSize(0) != acc.getDimSize(0) ||
      rhs.getDimSize(1) != acc.getDimSize(1))
    return emitOpError("expected shapes [M, K], [K, N], [M, N], got ")
           << shapeText(lhs.getShape()) << ", " << shapeText(rhs.getShape())
           << ", " << shapeText(acc.getShape());
  if (lhs.getElementType() != rhs.getElementType()) // C2
    return emitOpError("expected lhs and rhs of one element type, got ")
           << lhs.getElementType() << " and " << rhs.getElementType();
  return success();
}
