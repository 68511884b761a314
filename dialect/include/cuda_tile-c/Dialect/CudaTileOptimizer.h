// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/*===- cuda_tile-c/Dialect/CudaTileOptimizer.h - Optimizer --------*- C -*-===*\
|*                                                                            *|
|* The optimizer and the writer of bytecode with the signatures of other      *|
|* tools. Bytecode.h also reads, and writes other versions.                   *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CUDA_TILE_C_DIALECT_CUDATILEOPTIMIZER_H
#define CUDA_TILE_C_DIALECT_CUDATILEOPTIMIZER_H

#include "cuda_tile-c/Bytecode.h"
#include "cuda_tile-c/Passes.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  CUDATILE_OPT_FLAG_NONE = 0,
  /// Passes may use the threads of the context; otherwise they use one.
  CUDATILE_OPT_FLAG_ENABLE_MULTITHREAD = 1,
  /// fuse-fma runs first, which rounds once instead of twice.
  CUDATILE_OPT_FLAG_FUSE_FMA = 2
};

typedef struct mlirCudaTileOptConfig {
  /// A sum of the flags above.
  uint64_t flags;
  /// 0: nothing. 1: fold-constants, cse. 2: also loop-invariant code motion.
  /// 3: also loop-split, fold-constants.
  int optLevel;
  /// 0: loops are never split; 1: always; else for branches of as many ops.
  int loopSplitThreshold;
  /// If not null, gets each diagnostic as "error: text" in one call; handlers
  /// of the context then do not.
  MlirStringCallback diagnosticCallback;
  void *diagnosticUserData;
} mlirCudaTileOptConfig;

/// Fills in the defaults: no flags, level 3, threshold 1, no callback.
MLIR_CAPI_EXPORTED void mlirCudaTileOptFlagsInit(mlirCudaTileOptConfig *config);

/// Runs the optimizations on a cuda_tile.module or a module that contains one.
/// An invalid level is an error diagnostic.
MLIR_CAPI_EXPORTED MlirLogicalResult mlirCudaTileApplyOptimizations(
    MlirOperation module, const mlirCudaTileOptConfig *config);

/// Writes bytecode of version 13.3 to a file descriptor, which stays open.
/// False after a diagnostic.
MLIR_CAPI_EXPORTED bool mlirCudaTileWriteBytecode(MlirOperation module,
                                                  int fileDescriptor);

/// The same, into memory that mlirCudaTileFreeBuffer frees. On failure, emits
/// a diagnostic, and the text is empty.
MLIR_CAPI_EXPORTED MlirStringRef
mlirCudaTileWriteBytecodeToBuffer(MlirOperation module);

/// Frees a text of the function above; an empty one is allowed.
MLIR_CAPI_EXPORTED void mlirCudaTileFreeBuffer(MlirStringRef buffer);

#ifdef __cplusplus
}
#endif

#endif /* CUDA_TILE_C_DIALECT_CUDATILEOPTIMIZER_H */
