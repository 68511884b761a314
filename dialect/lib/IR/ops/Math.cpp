//===- Math.cpp - Elementary functions ------------------------------------===//

#include "IR/Verify.h"

using namespace mlir;
using namespace cuda_tile;

//===----------------------------------------------------------------------===//
// exp
//===----------------------------------------------------------------------===//

LogicalResult ExpOp::verify() {
  RoundingMode mode = getRoundingMode();
  if (failed(verifyRounding(*this, mode, // C1
                            {RoundingMode::APPROX, RoundingMode::FULL}, "")))
    return failure();
  if (mode != RoundingMode::APPROX)
    return success();
  return verifyApproxIsF32(*this, mode, getResult().getType()); // C2
}

//===----------------------------------------------------------------------===//
// exp2
//===----------------------------------------------------------------------===//

LogicalResult Exp2Op::verify() {
  return verifyFlushToZero(*this, getFlushToZero(), getResult().getType());
}
