//===- Integer.cpp - Integer arithmetic -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/Verify.h"

using namespace mlir;
using namespace cuda_tile;

//===----------------------------------------------------------------------===//
// divi
//===----------------------------------------------------------------------===//

LogicalResult DivIOp::verify() {
  if (failed(verifyRounding(*this, getRounding(), // C1
                            {RoundingMode::ZERO, RoundingMode::NEGATIVE_INF,
                             RoundingMode::POSITIVE_INF},
                            "")))
    return failure();
  if (getSignedness() == Signedness::Unsigned && // C2
      getRounding() == RoundingMode::NEGATIVE_INF)
    return emitOpError("rounding mode 'negative_inf' is not allowed with "
                       "'unsigned' flag");
  return success();
}

//===----------------------------------------------------------------------===//
// negi
//===----------------------------------------------------------------------===//

LogicalResult NegIOp::verify() {
  if (getOverflow() == IntegerOverflow::NO_UNSIGNED_WRAP) // C1
    return emitOpError("'no_unsigned_wrap' overflow flag is not supported");
  return success();
}
