//===- Convert.cpp - Conversions ------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/Verify.h"

using namespace mlir;
using namespace cuda_tile;

//===----------------------------------------------------------------------===//
// bitcast
//===----------------------------------------------------------------------===//

LogicalResult BitcastOp::verify() {
  Type from = getSource().getType().getElementType();
  Type to = getResult().getType().getElementType();
  if (from.getIntOrFloatBitWidth() == to.getIntOrFloatBitWidth()) // C1
    return success();
  return emitOpError("types must be equal width, cannot convert ")
         << getSource().getType() << " of width "
         << from.getIntOrFloatBitWidth() << " to type " << getResult().getType()
         << " of width " << to.getIntOrFloatBitWidth()
         << "; bitcast requires equal-width source and destination element "
            "types";
}

//===----------------------------------------------------------------------===//
// exti
//===----------------------------------------------------------------------===//

LogicalResult ExtIOp::verify() {
  if (getTo().getType().getElementTypeBitWidth() <= // C1
      getFrom().getType().getElementTypeBitWidth())
    return emitOpError(
        "extending to smaller or identical integer; exti requires the result "
        "width to be strictly greater than the input width");
  return success();
}

//===----------------------------------------------------------------------===//
// ftof
//===----------------------------------------------------------------------===//

/// Whether an inexact conversion may use the rounding mode `mode`.
static bool mayNarrow(Type from, Type to, RoundingMode mode) {
  if (mode == RoundingMode::NEAREST_EVEN)
    return true;
  if (isa<Float8E4M3FNType, Float8E5M2Type, Float4E2M1FNType, F8E5M3FNUType>(
          to))
    return false;
  if (mode == RoundingMode::ZERO)
    return true;
  if (from.isF64() && to.isF32())
    return mode == RoundingMode::NEGATIVE_INF ||
           mode == RoundingMode::POSITIVE_INF;
  return from.isF32() && to.isTF32() && mode == RoundingMode::NEAREST_AWAY;
}

bool cuda_tile::isExactConversion(Type from, Type to) {
  if (isa<F8E5M3FNUType>(to))
    return false;               // no other type is without a sign and as narrow
  if (isa<F8E5M3FNUType>(from)) // f16 has its precision, but not its range
    return isa<BFloat16Type, FloatTF32Type, Float32Type, Float64Type>(to);
  return APFloat::isRepresentableBy(cast<FloatType>(from).getFloatSemantics(),
                                    cast<FloatType>(to).getFloatSemantics());
}

bool FToFOp::isRoundingOfEveryVersion() {
  return getRoundingMode() == RoundingMode::NEAREST_EVEN ||
         isa<Float8E8M0FNUType>(getTo().getType().getElementType());
}

LogicalResult FToFOp::verify() {
  Type from = getFrom().getType().getElementType();
  Type to = getTo().getType().getElementType();
  if (from == to) // C1
    return emitOpError("converting tiles must not be a no-op; ftof rejects "
                       "identity conversions");
  RoundingMode mode = getRoundingMode();
  if (isa<Float8E8M0FNUType>(to)) { // C2
    if (mode != RoundingMode::ZERO && mode != RoundingMode::POSITIVE_INF)
      return emitOpError("invalid rounding mode specified for conversion to "
                         "f8E8M0FNU. Only 'zero' and 'positive_inf' are "
                         "supported");
    return success();
  }
  if (isExactConversion(from, to) ? mode == RoundingMode::NEAREST_EVEN // C3
                                  : mayNarrow(from, to, mode))
    return success();
  return verifyOnlyRounding(*this, mode, RoundingMode::NEAREST_EVEN,
                            "ftof requires nearest-even rounding");
}

//===----------------------------------------------------------------------===//
// ftoi
//===----------------------------------------------------------------------===//

LogicalResult FToIOp::verify() {
  return verifyOnlyRounding(*this, getRoundingMode(), // C1
                            RoundingMode::NEAREST_INT_TO_ZERO,
                            "ftoi requires truncation toward zero");
}

//===----------------------------------------------------------------------===//
// itof
//===----------------------------------------------------------------------===//

LogicalResult IToFOp::verify() {
  if (isa<Float8E8M0FNUType>(getTo().getType().getElementType())) // C1
    return emitOpError("integer to f8E8M0FNU conversion is not supported, "
                       "please first convert to another float type");
  return verifyOnlyRounding(*this, getRoundingMode(), // C2
                            RoundingMode::NEAREST_EVEN,
                            "itof requires nearest-even rounding");
}

//===----------------------------------------------------------------------===//
// trunci
//===----------------------------------------------------------------------===//

LogicalResult TruncIOp::verify() {
  if (getTo().getType().getElementTypeBitWidth() >= // C1
      getFrom().getType().getElementTypeBitWidth())
    return emitOpError(
        "truncating to larger or identical integer; trunci requires the "
        "result width to be strictly less than the input width");
  return success();
}
