//===- F8E5M3FNU.cpp - Values of fnv8E5M3FNU ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/F8E5M3FNU.h"

using namespace cuda_tile;
using llvm::APFloat;

static constexpr uint8_t kNaN = 0xFF, kLargest = 0xFE;
static constexpr int kFractionBits = 3, kLeastExponent = -14;

APFloat cuda_tile::decodeF8E5M3FNU(uint8_t bits) {
  if (bits == kNaN)
    return APFloat::getNaN(APFloat::IEEEdouble());
  int exponent = bits >> kFractionBits, fraction = bits & 7;
  // Subnormal numbers have the least exponent and no leading one.
  double significand = exponent ? 8 + fraction : fraction;
  int scale = kLeastExponent - kFractionBits + std::max(exponent - 1, 0);
  return scalbn(APFloat(significand), scale, APFloat::rmNearestTiesToEven);
}

uint8_t cuda_tile::encodeF8E5M3FNU(const APFloat &value) {
  if (value.isNaN())
    return kNaN;
  if (value.isNegative() || value.isZero())
    return 0;
  if (value.isInfinity())
    return kLargest;
  // In units of the last bit of the value's binade, a whole number of at most
  // four bits; the rounding may carry into the next binade.
  int exponent = std::max(ilogb(value), kLeastExponent);
  APFloat units =
      scalbn(value, kFractionBits - exponent, APFloat::rmNearestTiesToEven);
  (void)units.roundToIntegral(APFloat::rmNearestTiesToEven);
  auto whole = static_cast<int>(units.convertToDouble());
  int bits = (exponent - kLeastExponent) * 8 + whole;
  return static_cast<uint8_t>(std::min<int>(bits, kLargest));
}
