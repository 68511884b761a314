//===- Verify.cpp - Checks that several families share --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/Verify.h"

using namespace mlir;
using namespace cuda_tile;

LogicalResult cuda_tile::verifyFlushToZero(Operation *op, bool flushToZero,
                                           TileType type) {
  if (!flushToZero || type.getElementType().isF32())
    return success();
  return op->emitOpError("flush_to_zero modifier only supported for f32 data "
                         "type, but got: ")
         << type.getElementType()
         << "; flush-to-zero is only legal for f32 element type";
}

int64_t cuda_tile::getStorageBits(Type type) {
  return isa<FloatTF32Type>(type) ? 32 : type.getIntOrFloatBitWidth();
}

LogicalResult cuda_tile::verifyRounding(Operation *op, RoundingMode mode,
                                        ArrayRef<RoundingMode> allowed,
                                        StringRef more) {
  if (llvm::is_contained(allowed, mode))
    return success();
  InFlightDiagnostic error =
      op->emitOpError("invalid rounding mode specified, expect one of [");
  llvm::interleaveComma(allowed, error, [&](RoundingMode each) {
    error << stringifyRoundingMode(each);
  });
  error << "]";
  if (!more.empty())
    error << "; " << more;
  return error;
}

LogicalResult cuda_tile::verifyApproxIsF32(Operation *op, RoundingMode mode,
                                           TileType type) {
  bool isApprox = mode == RoundingMode::APPROX || mode == RoundingMode::FULL;
  if (!isApprox || type.getElementType().isF32())
    return success();
  return op->emitOpError(stringifyRoundingMode(mode))
         << " modifier only supported for f32 data type, but got: "
         << type.getElementType()
         << "; approx and full rounding modes require f32";
}

LogicalResult cuda_tile::verifyOnlyRounding(Operation *op, RoundingMode mode,
                                            RoundingMode only, StringRef more) {
  if (mode == only)
    return success();
  return op->emitOpError("invalid rounding mode specified. Only '")
         << stringifyRoundingMode(only) << "' is supported; " << more;
}

LogicalResult cuda_tile::verifyMemoryModel(Operation *op, Access access,
                                           MemoryOrderingSemantics ordering,
                                           std::optional<MemoryScope> scope) {
  using Ordering = MemoryOrderingSemantics;
  StringRef name = access == Access::Load ? "load" : "store";
  Ordering own = access == Access::Load ? Ordering::ACQUIRE : Ordering::RELEASE;
  if (!llvm::is_contained({Ordering::WEAK, Ordering::RELAXED, own}, ordering)) {
    StringRef ownName = stringifyMemoryOrderingSemantics(own);
    return op->emitOpError("expect one of: weak, relaxed, or ")
           << ownName
           << ", but got: " << stringifyMemoryOrderingSemantics(ordering)
           << "; " << name << " ordering must be weak, relaxed, or " << ownName;
  }
  if (ordering == Ordering::WEAK && scope)
    return op->emitOpError("weak ")
           << name
           << " must not have memory scope; weak memory ordering must not "
              "carry a scope";
  if (ordering != Ordering::WEAK && !scope)
    return op->emitOpError("memory scope is required for ")
           << stringifyMemoryOrderingSemantics(ordering) << " " << name
           << "; non-weak memory ordering requires an explicit scope";
  return success();
}
