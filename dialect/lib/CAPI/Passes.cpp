//===- Passes.cpp - Passes of the dialect in C ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda_tile-c/Passes.h"
#include "cuda_tile/Transforms/Passes.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Transforms/Passes.h"

void mlirCudaTileRegisterPasses(void) { cuda_tile::registerPasses(); }

void mlirCudaTileRegisterAllPasses(void) {
  cuda_tile::registerPasses();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerInlinerPass();
  mlir::registerLoopInvariantCodeMotionPass();
}

void mlirCudaTileRegisterCSEPass(void) { mlir::registerCSEPass(); }

void mlirCudaTileRegisterCanonicalizerPass(void) {
  mlir::registerCanonicalizerPass();
}

void mlirCudaTileRegisterFuseFMAPass(void) { cuda_tile::registerFuseFMAPass(); }

void mlirCudaTileRegisterLoopSplitPass(void) {
  cuda_tile::registerLoopSplitPass();
}

void mlirCudaTileRegisterSynthesizeDebugInfoScopesPass(void) {
  cuda_tile::registerSynthesizeDebugInfoScopesPass();
}

MlirPass mlirCudaTileCreateFuseFMAPass(void) {
  return wrap(cuda_tile::createFuseFMA().release());
}

MlirPass mlirCudaTileCreateLoopSplitPass(int32_t splitThreshold) {
  cuda_tile::LoopSplitOptions options;
  options.splitThreshold = splitThreshold;
  return wrap(cuda_tile::createLoopSplit(options).release());
}

MlirPass mlirCudaTileCreateSynthesizeDebugInfoScopesPass(void) {
  return wrap(cuda_tile::createSynthesizeDebugInfoScopes().release());
}
