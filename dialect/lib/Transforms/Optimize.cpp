//===- Optimize.cpp - The default pipeline of optimizations ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda_tile/Transforms/Optimize.h"
#include "cuda_tile/Transforms/Passes.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;

void cuda_tile::addOptimizations(OpPassManager &passes,
                                 const OptimizationOptions &options) {
  if (options.fuseFMA)
    passes.addPass(createFuseFMA());
  if (options.level >= 1) {
    passes.addPass(createFoldConstants());
    passes.addPass(createCSEPass());
  }
  if (options.level >= 2)
    passes.addPass(createLoopInvariantCodeMotionPass());
  if (options.level >= 3) {
    LoopSplitOptions splitting;
    splitting.splitThreshold = options.loopSplitThreshold;
    passes.addPass(createLoopSplit(splitting));
    passes.addPass(createFoldConstants());
  }
}

LogicalResult
cuda_tile::applyOptimizations(Operation *module,
                              const OptimizationOptions &options) {
  if (options.level < 0 || options.level > 3)
    return emitError(module->getLoc())
           << "expected an optimization level of 0 to 3, got " << options.level;
  PassManager passes(module->getContext(), module->getName().getStringRef());
  addOptimizations(passes, options);
  return passes.run(module);
}
