//===- Convert.cpp - Numbers as other numbers -----------------------------===//

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
         << from << " of width " << from.getIntOrFloatBitWidth() << " to type "
         << to << " of width " << to.getIntOrFloatBitWidth()
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

LogicalResult FToFOp::verify() {
  Type from = getFrom().getType().getElementType();
  Type to = getTo().getType().getElementType();
  if (from == to) // C1
    return emitOpError("converting tiles must not be a no-op; ftof rejects "
                       "identity conversions");
  RoundingMode mode = getRoundingMode();
  if (!isa<Float8E8M0FNUType>(to)) // C2
    return verifyOnlyRounding(*this, mode, RoundingMode::NEAREST_EVEN,
                              "ftof requires nearest-even rounding");
  if (mode != RoundingMode::ZERO && mode != RoundingMode::POSITIVE_INF)
    return emitOpError("invalid rounding mode specified for conversion to "
                       "f8E8M0FNU. Only 'zero' and 'positive_inf' are "
                       "supported");
  return success();
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
