// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/*===- cuda_tile-c/Bytecode.h - Tile IR bytecode in C -------------*- C -*-===*/

#ifndef CUDA_TILE_C_BYTECODE_H
#define CUDA_TILE_C_BYTECODE_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Whether `data` begins with the magic number of a bytecode file.
MLIR_CAPI_EXPORTED bool mlirCudaTileIsBytecode(MlirStringRef data);

/// Reads a bytecode file of version 13.1 or newer and verifies its contents.
/// The result, which the caller destroys, is a builtin module that contains one
/// cuda_tile.module. It is null if the file or its program is invalid;
/// diagnostics then refer to the file as `name`.
MLIR_CAPI_EXPORTED MlirModule mlirCudaTileReadBytecode(MlirContext context,
                                                       MlirStringRef data,
                                                       MlirStringRef name);

/// Verifies the cuda_tile.module that `module` is or contains and passes its
/// bytecode to `callback`, in one or several calls. `version` is for example
/// "13.1"; an empty string means 13.3. On failure, emits diagnostics and does
/// not call it.
MLIR_CAPI_EXPORTED MlirLogicalResult
mlirCudaTileBytecodeWrite(MlirOperation module, MlirStringRef version,
                          MlirStringCallback callback, void *userData);

/// The same, into memory that mlirCudaTileBytecodeFree frees. On failure,
/// `*buffer` is null and `*sizeBytes` is 0.
MLIR_CAPI_EXPORTED MlirLogicalResult
mlirCudaTileBytecodeWriteToBuffer(MlirOperation module, MlirStringRef version,
                                  char **buffer, size_t *sizeBytes);

/// Frees a buffer of the function above; null is allowed.
MLIR_CAPI_EXPORTED void mlirCudaTileBytecodeFree(char *buffer);

#ifdef __cplusplus
}
#endif

#endif /* CUDA_TILE_C_BYTECODE_H */
