//===- Math.cpp - Elementary functions ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/Verify.h"

using namespace mlir;
using namespace cuda_tile;

//===----------------------------------------------------------------------===//
// exp, tanh
//===----------------------------------------------------------------------===//

template <typename Op> static LogicalResult verifyApproxOrFull(Op op) {
  RoundingMode mode = op.getRoundingMode();
  if (failed(verifyRounding(op, mode, // C1
                            {RoundingMode::APPROX, RoundingMode::FULL}, "")))
    return failure();
  if (mode != RoundingMode::APPROX)
    return success();
  return verifyApproxIsF32(op, mode, op.getResult().getType()); // C2
}

LogicalResult ExpOp::verify() { return verifyApproxOrFull(*this); }
LogicalResult TanHOp::verify() { return verifyApproxOrFull(*this); }

//===----------------------------------------------------------------------===//
// exp2, rsqrt
//===----------------------------------------------------------------------===//

LogicalResult Exp2Op::verify() {
  return verifyFlushToZero(*this, getFlushToZero(), getResult().getType());
}

LogicalResult RsqrtOp::verify() {
  return verifyFlushToZero(*this, getFlushToZero(), getResult().getType());
}

//===----------------------------------------------------------------------===//
// sqrt
//===----------------------------------------------------------------------===//

LogicalResult SqrtOp::verify() {
  TileType type = getResult().getType();
  if (failed(verifyRounding(*this, getRoundingMode(), // C1
                            {RoundingMode::NEAREST_EVEN, RoundingMode::ZERO,
                             RoundingMode::NEGATIVE_INF,
                             RoundingMode::POSITIVE_INF, RoundingMode::APPROX},
                            "rounding mode not allowed outside divf")) ||
      failed(verifyFlushToZero(*this, getFlushToZero(), type))) // C3
    return failure();
  return verifyApproxIsF32(*this, getRoundingMode(), type); // C2
}
