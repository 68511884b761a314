// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/*===- cuda_tile-c/Dialect.h - The dialects and their ops in C ----*- C -*-===*\
|*                                                                            *|
|* Needs MLIR's own C API (mlir-c). Link the CMake target CudaTile::C, which  *|
|* holds both, and no other library of MLIR but the shared ones.              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CUDA_TILE_C_DIALECT_H
#define CUDA_TILE_C_DIALECT_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(CudaTile, cuda_tile);

/// Adds the dialects cuda_tile, cute (layouts) and tileas to `registry`, with
/// their encodings in MLIR's own bytecode.
MLIR_CAPI_EXPORTED void
mlirCudaTileRegisterAllDialects(MlirDialectRegistry registry);

/// Whether `op` is a cuda_tile.module.
MLIR_CAPI_EXPORTED bool mlirCudaTileOperationIsAModuleOp(MlirOperation op);

/// Sets an attribute that the op does not define, such as
/// `loop_split_threshold`; replaces one of the same name.
MLIR_CAPI_EXPORTED void mlirCudaTileOperationSetDiscardableAttributeByName(
    MlirOperation op, MlirStringRef name, MlirAttribute attribute);

/// The signless integer type of `width` bits, an element type of tiles.
MLIR_CAPI_EXPORTED MlirType mlirCudaTileIntegerTypeGet(MlirContext context,
                                                       unsigned width);

/// `value` as an attribute of an integer type (or index).
MLIR_CAPI_EXPORTED MlirAttribute mlirCudaTileIntegerAttrGet(MlirType type,
                                                            int64_t value);

#ifdef __cplusplus
}
#endif

#endif /* CUDA_TILE_C_DIALECT_H */
