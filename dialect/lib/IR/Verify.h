//===- Verify.h - Checks that several families share ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each kind of failure has one message. It begins with the text that tools
// match; a second sentence for the same failure follows after `; `.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_LIB_IR_VERIFY_H
#define CUDA_TILE_LIB_IR_VERIFY_H

#include "cuda_tile/IR/CudaTile.h"

namespace cuda_tile {

/// `flush_to_zero` requires f32.
llvm::LogicalResult verifyFlushToZero(mlir::Operation *op, bool flushToZero,
                                      TileType type);

/// `mode` is one of `allowed`; `more` ends the message.
llvm::LogicalResult verifyRounding(mlir::Operation *op, RoundingMode mode,
                                   llvm::ArrayRef<RoundingMode> allowed,
                                   llvm::StringRef more);

/// approx and full require f32.
llvm::LogicalResult verifyApproxIsF32(mlir::Operation *op, RoundingMode mode,
                                      TileType type);

/// Arithmetic with the rounding modes of IEEE 754 (nearest_even, zero,
/// negative_inf, positive_inf); `flush_to_zero` requires f32.
template <typename Op> llvm::LogicalResult verifyIEEE(Op op) {
  if (failed(verifyRounding(op, op.getRoundingMode(),
                            {RoundingMode::NEAREST_EVEN, RoundingMode::ZERO,
                             RoundingMode::NEGATIVE_INF,
                             RoundingMode::POSITIVE_INF},
                            "rounding mode not allowed outside divf")))
    return mlir::failure();
  return verifyFlushToZero(op, op.getFlushToZero(), op.getResult().getType());
}

/// The only rounding mode of conversions, `more` ends the message.
llvm::LogicalResult verifyOnlyRounding(mlir::Operation *op, RoundingMode mode,
                                       RoundingMode only, llvm::StringRef more);

/// Bits that an element of `type` occupies in a tile: tf32 occupies four bytes,
/// of which 19 bits are significant.
int64_t getStorageBits(mlir::Type type);

enum class Access { Load, Store };

/// Ordering and scope of a load or store.
llvm::LogicalResult verifyMemoryModel(mlir::Operation *op, Access access,
                                      MemoryOrderingSemantics ordering,
                                      std::optional<MemoryScope> scope);

/// Ops that take optimization hints.
enum class HintedOp { Entry, ViewAccess, PointerAccess };

/// Reports hints that `op` does not support, according to the strictness that
/// is set in its dialect.
llvm::LogicalResult verifyHints(mlir::Operation *op, HintedOp kind,
                                OptimizationHintsAttr hints);

} // namespace cuda_tile

#endif // CUDA_TILE_LIB_IR_VERIFY_H
