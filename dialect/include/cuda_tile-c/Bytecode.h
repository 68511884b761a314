/*===- cuda_tile-c/Bytecode.h - Tile IR bytecode in C -------------*- C -*-===*/

#ifndef CUDA_TILE_C_BYTECODE_H
#define CUDA_TILE_C_BYTECODE_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Whether `data` begins like a bytecode file.
MLIR_CAPI_EXPORTED bool mlirCudaTileIsBytecode(MlirStringRef data);

/// Reads a bytecode file of version 13.1 or newer and verifies what it holds.
/// The result, which the caller destroys, is a builtin module around one
/// cuda_tile.module. It is null, with diagnostics that call the file `name`,
/// if the file is damaged or its program invalid.
MLIR_CAPI_EXPORTED MlirModule mlirCudaTileReadBytecode(MlirContext context,
                                                       MlirStringRef data,
                                                       MlirStringRef name);

/// Verifies the cuda_tile.module that `module` is or holds and passes its
/// bytecode file to `callback`, in one or several pieces. `version` is for
/// example "13.1"; an empty one stands for 13.3. On failure there are
/// diagnostics and no call.
MLIR_CAPI_EXPORTED MlirLogicalResult
mlirCudaTileWriteBytecode(MlirOperation module, MlirStringRef version,
                          MlirStringCallback callback, void *userData);

/// The same into memory, which mlirCudaTileFreeBuffer gives back. On failure
/// `*buffer` is null and `*sizeBytes` 0.
MLIR_CAPI_EXPORTED MlirLogicalResult
mlirCudaTileWriteBytecodeToBuffer(MlirOperation module, MlirStringRef version,
                                  char **buffer, size_t *sizeBytes);

/// Gives back a buffer of the function above; null is allowed.
MLIR_CAPI_EXPORTED void mlirCudaTileFreeBuffer(char *buffer);

#ifdef __cplusplus
}
#endif

#endif /* CUDA_TILE_C_BYTECODE_H */
