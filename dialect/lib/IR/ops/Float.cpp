//===- Float.cpp - Floating-point arithmetic ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/Verify.h"

using namespace mlir;
using namespace cuda_tile;

//===----------------------------------------------------------------------===//
// addf, subf, mulf, fma
//===----------------------------------------------------------------------===//

LogicalResult AddFOp::verify() { return verifyIEEE(*this); }
LogicalResult SubFOp::verify() { return verifyIEEE(*this); }
LogicalResult MulFOp::verify() { return verifyIEEE(*this); }
LogicalResult FmaOp::verify() { return verifyIEEE(*this); }

//===----------------------------------------------------------------------===//
// divf
//===----------------------------------------------------------------------===//

LogicalResult DivFOp::verify() {
  TileType type = getResult().getType();
  if (failed(verifyRounding(*this, getRoundingMode(), // C1
                            {RoundingMode::NEAREST_EVEN, RoundingMode::ZERO,
                             RoundingMode::NEGATIVE_INF,
                             RoundingMode::POSITIVE_INF, RoundingMode::APPROX,
                             RoundingMode::FULL},
                            "invalid rounding mode for divf")) ||
      failed(verifyFlushToZero(*this, getFlushToZero(), type))) // C2
    return failure();
  return verifyApproxIsF32(*this, getRoundingMode(), type); // C1
}

//===----------------------------------------------------------------------===//
// maxf, minf
//===----------------------------------------------------------------------===//

LogicalResult MaxFOp::verify() {
  return verifyFlushToZero(*this, getFlushToZero(), getResult().getType());
}

LogicalResult MinFOp::verify() {
  return verifyFlushToZero(*this, getFlushToZero(), getResult().getType());
}
