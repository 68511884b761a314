// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/*===- cuda_tile-c/Types.h - Types of the dialect in C ------------*- C -*-===*\
|*                                                                            *|
|* For each type: TypeIsA, Get, accessors, GetTypeID and GetAt (GetChecked of *|
|* pointer and token). Get is for parameters that are known to be right. The  *|
|* others verify them: a wrong one is an error diagnostic at `loc` and a null *|
|* type. Get of tensor, partition and strided views, and GetChecked with a    *|
|* context, as other tools have them: Dialect/CudaTileDialect.h.              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CUDA_TILE_C_TYPES_H
#define CUDA_TILE_C_TYPES_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/*===- ptr<E> -------------------------------------------------------------===*/

MLIR_CAPI_EXPORTED bool mlirCudaTileTypeIsAPointerType(MlirType type);
MLIR_CAPI_EXPORTED MlirTypeID mlirCudaTilePointerTypeGetTypeID(void);
MLIR_CAPI_EXPORTED MlirType mlirCudaTilePointerTypeGet(MlirContext context,
                                                       MlirType pointeeType);
MLIR_CAPI_EXPORTED MlirType
mlirCudaTilePointerTypeGetChecked(MlirLocation loc, MlirType pointeeType);
MLIR_CAPI_EXPORTED MlirType
mlirCudaTilePointerTypeGetPointeeType(MlirType type);
/// `ptr<E, <multicast>>`; `ptrAttr` is a PointerKindAttr or null.
MLIR_CAPI_EXPORTED MlirType mlirCudaTilePointerTypeGetWithPtrAttr(
    MlirType pointeeType, MlirAttribute ptrAttr);
/// Null if the type has none.
MLIR_CAPI_EXPORTED MlirAttribute
mlirCudaTilePointerTypeGetPtrAttr(MlirType type);

/*===- fnv8E5M3FNU --------------------------------------------------------===*/

MLIR_CAPI_EXPORTED bool mlirCudaTileTypeIsAF8E5M3FNUType(MlirType type);
MLIR_CAPI_EXPORTED MlirTypeID mlirCudaTileF8E5M3FNUTypeGetTypeID(void);
MLIR_CAPI_EXPORTED MlirType mlirCudaTileF8E5M3FNUTypeGet(MlirContext context);

/*===- tile<4x8xE> --------------------------------------------------------===*/

MLIR_CAPI_EXPORTED bool mlirCudaTileTypeIsATileType(MlirType type);
MLIR_CAPI_EXPORTED MlirTypeID mlirCudaTileTileTypeGetTypeID(void);
MLIR_CAPI_EXPORTED MlirType mlirCudaTileTileTypeGet(MlirContext context,
                                                    intptr_t rank,
                                                    const int64_t *shape,
                                                    MlirType elementType);
MLIR_CAPI_EXPORTED MlirType mlirCudaTileTileTypeGetAt(MlirLocation loc,
                                                      intptr_t rank,
                                                      const int64_t *shape,
                                                      MlirType elementType);
MLIR_CAPI_EXPORTED MlirType mlirCudaTileTileTypeGetElementType(MlirType type);
MLIR_CAPI_EXPORTED intptr_t mlirCudaTileTileTypeGetRank(MlirType type);
MLIR_CAPI_EXPORTED int64_t mlirCudaTileTileTypeGetDimSize(MlirType type,
                                                          intptr_t dim);

/*===- string -------------------------------------------------------------===*/

MLIR_CAPI_EXPORTED bool mlirCudaTileTypeIsAStringType(MlirType type);
MLIR_CAPI_EXPORTED MlirTypeID mlirCudaTileStringTypeGetTypeID(void);
MLIR_CAPI_EXPORTED MlirType mlirCudaTileStringTypeGet(MlirContext context);

/*===- token --------------------------------------------------------------===*/

MLIR_CAPI_EXPORTED bool mlirCudaTileTypeIsATokenType(MlirType type);
MLIR_CAPI_EXPORTED MlirTypeID mlirCudaTileTokenTypeGetTypeID(void);
MLIR_CAPI_EXPORTED MlirType mlirCudaTileTokenTypeGet(MlirContext context);
MLIR_CAPI_EXPORTED MlirType mlirCudaTileTokenTypeGetChecked(MlirLocation loc);

/*===- tensor_view<?x64xE, strides=[64,1]> --------------------------------===*/

/// The dynamic size or stride `?`.
MLIR_CAPI_EXPORTED int64_t mlirCudaTileTensorViewTypeGetDynamicSize(void);

MLIR_CAPI_EXPORTED bool mlirCudaTileTypeIsATensorViewType(MlirType type);
MLIR_CAPI_EXPORTED MlirTypeID mlirCudaTileTensorViewTypeGetTypeID(void);
/// `strides` are in elements; there are `rank` sizes and `rank` strides.
MLIR_CAPI_EXPORTED MlirType mlirCudaTileTensorViewTypeGetAt(
    MlirLocation loc, MlirType elementType, intptr_t rank, const int64_t *shape,
    const int64_t *strides);
/// The same type with the attribute of its base pointer, a PointerKindAttr or
/// null.
MLIR_CAPI_EXPORTED MlirType
mlirCudaTileTensorViewTypeWithPtrAttr(MlirType type, MlirAttribute ptrAttr);
/// Null if the type has none.
MLIR_CAPI_EXPORTED MlirAttribute
mlirCudaTileTensorViewTypeGetPtrAttr(MlirType type);
MLIR_CAPI_EXPORTED MlirType
mlirCudaTileTensorViewTypeGetElementType(MlirType type);
MLIR_CAPI_EXPORTED intptr_t mlirCudaTileTensorViewTypeGetRank(MlirType type);
MLIR_CAPI_EXPORTED int64_t mlirCudaTileTensorViewTypeGetDimSize(MlirType type,
                                                                intptr_t dim);
MLIR_CAPI_EXPORTED int64_t mlirCudaTileTensorViewTypeGetStride(MlirType type,
                                                               intptr_t dim);

/*===- Views that cut a tensor into tiles ---------------------------------===*\
|* `paddingValue` is a PaddingValueAttr or the null attribute. Lists that     *|
|* speak of tile dimensions have `tileRank` entries.                          *|
\*===----------------------------------------------------------------------===*/

MLIR_CAPI_EXPORTED bool mlirCudaTileTypeIsAPartitionViewType(MlirType type);
MLIR_CAPI_EXPORTED MlirTypeID mlirCudaTilePartitionViewTypeGetTypeID(void);
MLIR_CAPI_EXPORTED MlirType mlirCudaTilePartitionViewTypeGetAt(
    MlirLocation loc, intptr_t tileRank, const int32_t *tileShape,
    MlirType tensorView, const int32_t *dimMap, MlirAttribute paddingValue);
MLIR_CAPI_EXPORTED int32_t
mlirCudaTilePartitionViewTypeGetDimMap(MlirType type, intptr_t tileDim);

MLIR_CAPI_EXPORTED bool mlirCudaTileTypeIsAStridedViewType(MlirType type);
MLIR_CAPI_EXPORTED MlirTypeID mlirCudaTileStridedViewTypeGetTypeID(void);
MLIR_CAPI_EXPORTED MlirType mlirCudaTileStridedViewTypeGetAt(
    MlirLocation loc, intptr_t tileRank, const int32_t *tileShape,
    const int32_t *traversalStrides, MlirType tensorView, const int32_t *dimMap,
    MlirAttribute paddingValue);
MLIR_CAPI_EXPORTED int32_t
mlirCudaTileStridedViewTypeGetTraversalStride(MlirType type, intptr_t tileDim);
MLIR_CAPI_EXPORTED int32_t
mlirCudaTileStridedViewTypeGetDimMap(MlirType type, intptr_t tileDim);

MLIR_CAPI_EXPORTED bool mlirCudaTileTypeIsAGatherScatterViewType(MlirType type);
MLIR_CAPI_EXPORTED MlirTypeID mlirCudaTileGatherScatterViewTypeGetTypeID(void);
MLIR_CAPI_EXPORTED MlirType mlirCudaTileGatherScatterViewTypeGet(
    MlirContext context, intptr_t tileRank, const int32_t *tileShape,
    MlirType tensorView, int32_t sparseDim, MlirAttribute paddingValue);
MLIR_CAPI_EXPORTED MlirType mlirCudaTileGatherScatterViewTypeGetAt(
    MlirLocation loc, intptr_t tileRank, const int32_t *tileShape,
    MlirType tensorView, int32_t sparseDim, MlirAttribute paddingValue);
MLIR_CAPI_EXPORTED int32_t
mlirCudaTileGatherScatterViewTypeGetSparseDim(MlirType type);

/// Properties of all views. The padding value is null if there is none; the
/// tile type is the result type of a load; the index rank is the number of
/// indices of an access.
#define CUDA_TILE_C_DECLARE_VIEW(View)                                         \
  MLIR_CAPI_EXPORTED intptr_t mlirCudaTile##View##TypeGetTileRank(             \
      MlirType type);                                                          \
  MLIR_CAPI_EXPORTED int32_t mlirCudaTile##View##TypeGetTileDimSize(           \
      MlirType type, intptr_t tileDim);                                        \
  MLIR_CAPI_EXPORTED MlirType mlirCudaTile##View##TypeGetTensorView(           \
      MlirType type);                                                          \
  MLIR_CAPI_EXPORTED MlirAttribute mlirCudaTile##View##TypeGetPaddingValue(    \
      MlirType type);                                                          \
  MLIR_CAPI_EXPORTED MlirType mlirCudaTile##View##TypeGetViewTileType(         \
      MlirType type);                                                          \
  MLIR_CAPI_EXPORTED intptr_t mlirCudaTile##View##TypeGetViewIndexRank(        \
      MlirType type);

CUDA_TILE_C_DECLARE_VIEW(PartitionView)
CUDA_TILE_C_DECLARE_VIEW(StridedView)
CUDA_TILE_C_DECLARE_VIEW(GatherScatterView)
#undef CUDA_TILE_C_DECLARE_VIEW

#ifdef __cplusplus
}
#endif

#endif /* CUDA_TILE_C_TYPES_H */
