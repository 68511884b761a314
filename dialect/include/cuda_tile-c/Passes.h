// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/*===- cuda_tile-c/Passes.h - Passes of the dialect in C ----------*- C -*-===*/

#ifndef CUDA_TILE_C_PASSES_H
#define CUDA_TILE_C_PASSES_H

#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Registers the passes of the dialect for pipeline strings.
MLIR_CAPI_EXPORTED void mlirCudaTileRegisterPasses(void);
/// These and MLIR's canonicalize, cse, inline and loop-invariant-code-motion.
MLIR_CAPI_EXPORTED void mlirCudaTileRegisterAllPasses(void);

MLIR_CAPI_EXPORTED void mlirCudaTileRegisterCSEPass(void);
MLIR_CAPI_EXPORTED void mlirCudaTileRegisterCanonicalizerPass(void);
MLIR_CAPI_EXPORTED void mlirCudaTileRegisterFuseFMAPass(void);
MLIR_CAPI_EXPORTED void mlirCudaTileRegisterLoopSplitPass(void);
MLIR_CAPI_EXPORTED void mlirCudaTileRegisterSynthesizeDebugInfoScopesPass(void);

/// A new pass, for mlirPassManagerAddOwnedPass.
MLIR_CAPI_EXPORTED MlirPass mlirCudaTileCreateFuseFMAPass(void);
/// `splitThreshold`: minimum number of ops in the branches of an `if` to split.
MLIR_CAPI_EXPORTED MlirPass
mlirCudaTileCreateLoopSplitPass(int32_t splitThreshold);
MLIR_CAPI_EXPORTED MlirPass
mlirCudaTileCreateSynthesizeDebugInfoScopesPass(void);

#ifdef __cplusplus
}
#endif

#endif /* CUDA_TILE_C_PASSES_H */
