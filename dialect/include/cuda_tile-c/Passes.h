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

/// Options of mlirCudaTileApplyOptimizations.
typedef struct MlirCudaTileOptFlags {
  /// 0: nothing. 1: canonicalize, cse. 2: also loop-invariant code motion.
  /// 3: also loop-split, canonicalize.
  int32_t optLevel;
  /// Whether fuse-fma runs first, which rounds once instead of twice.
  bool fuseFMA;
} MlirCudaTileOptFlags;

/// The defaults: level 3 without fuse-fma.
MLIR_CAPI_EXPORTED MlirCudaTileOptFlags mlirCudaTileOptFlagsInit(void);

/// Runs the optimizations on a cuda_tile.module or a module that contains one.
/// An invalid level is an error diagnostic.
MLIR_CAPI_EXPORTED MlirLogicalResult mlirCudaTileApplyOptimizations(
    MlirOperation module, MlirCudaTileOptFlags flags);

#ifdef __cplusplus
}
#endif

#endif /* CUDA_TILE_C_PASSES_H */
