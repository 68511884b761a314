//===- Passes.h - Passes on programs in cuda_tile ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_TRANSFORMS_PASSES_H
#define CUDA_TILE_TRANSFORMS_PASSES_H

#include "cuda_tile/IR/CudaTile.h"

#include "mlir/Pass/Pass.h"

namespace cuda_tile {

/// Discardable attributes that override the option of loop-split: of an `if`,
/// its loop or its function, and, as earlier versions called it, of a loop or
/// any op around it.
inline constexpr llvm::StringLiteral kLoopSplit = "cuda_tile.loop_split";
inline constexpr llvm::StringLiteral kLoopSplitThreshold =
    "loop_split_threshold";

#define GEN_PASS_DECL
#include "cuda_tile/Transforms/Passes.h.inc"

// registerPasses() registers them for pipelines and tools.
#define GEN_PASS_REGISTRATION
#include "cuda_tile/Transforms/Passes.h.inc"

/// Adds test-debuginfo-update-symbol-name; exists in test builds.
void registerTestPasses();

} // namespace cuda_tile

#endif // CUDA_TILE_TRANSFORMS_PASSES_H
