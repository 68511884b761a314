//===- Optimize.h - The default pipeline of optimizations -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_TRANSFORMS_OPTIMIZE_H
#define CUDA_TILE_TRANSFORMS_OPTIMIZE_H

#include "mlir/Pass/PassManager.h"

namespace cuda_tile {

/// Options of the default optimizations of a module.
struct OptimizationOptions {
  /// 0: nothing. 1: canonicalize, cse. 2: also loop-invariant code motion.
  /// 3: also loop-split, canonicalize.
  int level = 3;
  /// Whether fuse-fma runs first, which rounds once instead of twice.
  bool fuseFMA = false;
  /// Threshold of loop-split: 0 never, 1 always, else a number of ops.
  int loopSplitThreshold = 1;
};

/// Adds the passes of `options` to a pipeline on modules.
void addOptimizations(mlir::OpPassManager &passes,
                      const OptimizationOptions &options);

/// Runs them on a cuda_tile.module or a module that contains one. An invalid
/// level is an error diagnostic.
llvm::LogicalResult applyOptimizations(mlir::Operation *module,
                                       const OptimizationOptions &options);

} // namespace cuda_tile

#endif // CUDA_TILE_TRANSFORMS_OPTIMIZE_H
