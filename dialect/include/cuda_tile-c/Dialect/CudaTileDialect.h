// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/*===- cuda_tile-c/Dialect/CudaTileDialect.h - Types, attributes --*- C -*-===*\
|*                                                                            *|
|* The dialect's types and attributes with the signatures of other tools.     *|
|* Get is for parameters that are known to be right. GetChecked verifies      *|
|* them: a wrong one is an error diagnostic at the unknown location of        *|
|* `context` and a null type. GetAt of Types.h reports it at a location.      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CUDA_TILE_C_DIALECT_CUDATILEDIALECT_H
#define CUDA_TILE_C_DIALECT_CUDATILEDIALECT_H

#include "cuda_tile-c/Attributes.h"
#include "cuda_tile-c/Dialect.h"
#include "cuda_tile-c/Types.h"

#ifdef __cplusplus
extern "C" {
#endif

/*===- array<i32: ...>, the form of shapes --------------------------------===*/

MLIR_CAPI_EXPORTED MlirAttribute mlirCudaTileDenseI32ArrayAttrGet(
    MlirContext context, intptr_t numElements, const int32_t *values);
MLIR_CAPI_EXPORTED intptr_t
mlirCudaTileDenseI32ArrayAttrGetNumElements(MlirAttribute attribute);
MLIR_CAPI_EXPORTED int32_t mlirCudaTileDenseI32ArrayAttrGetElement(
    MlirAttribute attribute, intptr_t position);

/*===- Tiles and tensors --------------------------------------------------===*/

MLIR_CAPI_EXPORTED MlirType
mlirCudaTileTileTypeGetChecked(MlirContext context, intptr_t rank,
                               const int64_t *shape, MlirType elementType);

/// `strides` are in elements; a size or stride can be
/// mlirCudaTileTensorViewTypeGetDynamicSize().
MLIR_CAPI_EXPORTED MlirType mlirCudaTileTensorViewTypeGet(
    MlirContext context, MlirType elementType, intptr_t shapeRank,
    const int64_t *shape, intptr_t strideRank, const int64_t *strides);
MLIR_CAPI_EXPORTED MlirType mlirCudaTileTensorViewTypeGetChecked(
    MlirContext context, MlirType elementType, intptr_t shapeRank,
    const int64_t *shape, intptr_t strideRank, const int64_t *strides);

/*===- Views that cut a tensor into tiles ---------------------------------===*\
|* Shapes and traversal strides are the arrays above; `paddingValue` is a     *|
|* PaddingValueAttr or the null attribute.                                    *|
\*===----------------------------------------------------------------------===*/

MLIR_CAPI_EXPORTED MlirType mlirCudaTilePartitionViewTypeGet(
    MlirContext context, MlirAttribute tileShape, MlirType tensorView,
    intptr_t dimMapRank, const int32_t *dimMap, MlirAttribute paddingValue);
MLIR_CAPI_EXPORTED MlirType mlirCudaTilePartitionViewTypeGetChecked(
    MlirContext context, MlirAttribute tileShape, MlirType tensorView,
    intptr_t dimMapRank, const int32_t *dimMap, MlirAttribute paddingValue);
MLIR_CAPI_EXPORTED MlirAttribute
mlirCudaTilePartitionViewTypeGetTileShape(MlirType type);
MLIR_CAPI_EXPORTED intptr_t
mlirCudaTilePartitionViewTypeGetDimMapRank(MlirType type);
MLIR_CAPI_EXPORTED int32_t
mlirCudaTilePartitionViewTypeGetDimMapElement(MlirType type, intptr_t position);

MLIR_CAPI_EXPORTED MlirType mlirCudaTileStridedViewTypeGet(
    MlirContext context, MlirAttribute tileShape,
    MlirAttribute traversalStrides, MlirType tensorView, intptr_t dimMapRank,
    const int32_t *dimMap, MlirAttribute paddingValue);
MLIR_CAPI_EXPORTED MlirType mlirCudaTileStridedViewTypeGetChecked(
    MlirContext context, MlirAttribute tileShape,
    MlirAttribute traversalStrides, MlirType tensorView, intptr_t dimMapRank,
    const int32_t *dimMap, MlirAttribute paddingValue);
MLIR_CAPI_EXPORTED MlirAttribute
mlirCudaTileStridedViewTypeGetTileShape(MlirType type);
MLIR_CAPI_EXPORTED MlirAttribute
mlirCudaTileStridedViewTypeGetTraversalStrides(MlirType type);
MLIR_CAPI_EXPORTED intptr_t
mlirCudaTileStridedViewTypeGetDimMapRank(MlirType type);
MLIR_CAPI_EXPORTED int32_t
mlirCudaTileStridedViewTypeGetDimMapElement(MlirType type, intptr_t position);

#ifdef __cplusplus
}
#endif

#endif /* CUDA_TILE_C_DIALECT_CUDATILEDIALECT_H */
