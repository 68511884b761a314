//===- Types.cpp - Types of the dialect in C ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda_tile-c/Types.h"
#include "cuda_tile/IR/CudaTile.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"

using namespace mlir;

/// Calls the checked getter of `Cpp`; its errors are reported at `loc`.
template <typename Cpp, typename... Parameters>
static MlirType getChecked(MlirLocation loc, Parameters... parameters) {
  Location location = unwrap(loc);
  return wrap(Type(Cpp::getChecked([&] { return emitError(location); },
                                   location.getContext(), parameters...)));
}

template <typename Cpp> static Cpp typeAs(MlirType type) {
  return llvm::cast<Cpp>(unwrap(type));
}

#define DEFINE_TYPE(Name)                                                      \
  bool mlirCudaTileTypeIsA##Name##Type(MlirType type) {                        \
    return llvm::isa<cuda_tile::Name##Type>(unwrap(type));                     \
  }                                                                            \
  MlirTypeID mlirCudaTile##Name##TypeGetTypeID(void) {                         \
    return wrap(cuda_tile::Name##Type::getTypeID());                           \
  }

DEFINE_TYPE(Pointer)
DEFINE_TYPE(F8E5M3FNU)
DEFINE_TYPE(Tile)
DEFINE_TYPE(String)
DEFINE_TYPE(Token)
DEFINE_TYPE(TensorView)
DEFINE_TYPE(PartitionView)
DEFINE_TYPE(StridedView)
DEFINE_TYPE(GatherScatterView)

//===----------------------------------------------------------------------===//
// Pointer, tile, token
//===----------------------------------------------------------------------===//

MlirType mlirCudaTileStringTypeGet(MlirContext context) {
  return wrap(Type(cuda_tile::StringType::get(unwrap(context))));
}

MlirType mlirCudaTilePointerTypeGet(MlirContext, MlirType pointeeType) {
  return wrap(Type(cuda_tile::PointerType::get(unwrap(pointeeType))));
}

MlirType mlirCudaTilePointerTypeGetChecked(MlirLocation loc,
                                           MlirType pointeeType) {
  return getChecked<cuda_tile::PointerType>(loc, unwrap(pointeeType),
                                            cuda_tile::PointerKindAttr());
}

static cuda_tile::PointerKindAttr kindOf(MlirAttribute ptrAttr) {
  return llvm::cast_if_present<cuda_tile::PointerKindAttr>(unwrap(ptrAttr));
}

MlirType mlirCudaTilePointerTypeGetWithPtrAttr(MlirType pointeeType,
                                               MlirAttribute ptrAttr) {
  return wrap(
      Type(cuda_tile::PointerType::get(unwrap(pointeeType), kindOf(ptrAttr))));
}

MlirAttribute mlirCudaTilePointerTypeGetPtrAttr(MlirType type) {
  return wrap(Attribute(typeAs<cuda_tile::PointerType>(type).getPtrAttr()));
}

MlirType mlirCudaTileF8E5M3FNUTypeGet(MlirContext context) {
  return wrap(Type(cuda_tile::F8E5M3FNUType::get(unwrap(context))));
}

MlirType mlirCudaTilePointerTypeGetPointeeType(MlirType type) {
  return wrap(typeAs<cuda_tile::PointerType>(type).getPointeeType());
}

MlirType mlirCudaTileTileTypeGet(MlirContext, intptr_t rank,
                                 const int64_t *shape, MlirType elementType) {
  return wrap(Type(cuda_tile::TileType::get(ArrayRef<int64_t>(shape, rank),
                                            unwrap(elementType))));
}

MlirType mlirCudaTileTileTypeGetAt(MlirLocation loc, intptr_t rank,
                                   const int64_t *shape, MlirType elementType) {
  return getChecked<cuda_tile::TileType>(loc, ArrayRef<int64_t>(shape, rank),
                                         unwrap(elementType),
                                         cuda_tile::cute::LayoutAttr());
}

MlirType mlirCudaTileTileTypeGetElementType(MlirType type) {
  return wrap(typeAs<cuda_tile::TileType>(type).getElementType());
}

intptr_t mlirCudaTileTileTypeGetRank(MlirType type) {
  return typeAs<cuda_tile::TileType>(type).getRank();
}

int64_t mlirCudaTileTileTypeGetDimSize(MlirType type, intptr_t dim) {
  return typeAs<cuda_tile::TileType>(type).getShape()[dim];
}

MlirType mlirCudaTileTokenTypeGet(MlirContext context) {
  return wrap(Type(cuda_tile::TokenType::get(unwrap(context))));
}

MlirType mlirCudaTileTokenTypeGetChecked(MlirLocation loc) {
  return wrap(Type(cuda_tile::TokenType::get(unwrap(loc).getContext())));
}

//===----------------------------------------------------------------------===//
// Tensor view
//===----------------------------------------------------------------------===//

int64_t mlirCudaTileTensorViewTypeGetDynamicSize(void) {
  return cuda_tile::TensorViewType::kDynamic;
}

MlirType mlirCudaTileTensorViewTypeGetAt(MlirLocation loc, MlirType elementType,
                                         intptr_t rank, const int64_t *shape,
                                         const int64_t *strides) {
  return getChecked<cuda_tile::TensorViewType>(
      loc, unwrap(elementType), ArrayRef<int64_t>(shape, rank),
      ArrayRef<int64_t>(strides, rank), cuda_tile::PointerKindAttr());
}

MlirType mlirCudaTileTensorViewTypeWithPtrAttr(MlirType type,
                                               MlirAttribute ptrAttr) {
  auto view = typeAs<cuda_tile::TensorViewType>(type);
  return wrap(Type(
      cuda_tile::TensorViewType::get(view.getElementType(), view.getShape(),
                                     view.getStrides(), kindOf(ptrAttr))));
}

MlirAttribute mlirCudaTileTensorViewTypeGetPtrAttr(MlirType type) {
  return wrap(Attribute(typeAs<cuda_tile::TensorViewType>(type).getPtrAttr()));
}

MlirType mlirCudaTileTensorViewTypeGetElementType(MlirType type) {
  return wrap(typeAs<cuda_tile::TensorViewType>(type).getElementType());
}

intptr_t mlirCudaTileTensorViewTypeGetRank(MlirType type) {
  return typeAs<cuda_tile::TensorViewType>(type).getRank();
}

int64_t mlirCudaTileTensorViewTypeGetDimSize(MlirType type, intptr_t dim) {
  return typeAs<cuda_tile::TensorViewType>(type).getShape()[dim];
}

int64_t mlirCudaTileTensorViewTypeGetStride(MlirType type, intptr_t dim) {
  return typeAs<cuda_tile::TensorViewType>(type).getStrides()[dim];
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

#define DEFINE_VIEW(View)                                                      \
  intptr_t mlirCudaTile##View##TypeGetTileRank(MlirType type) {                \
    return typeAs<cuda_tile::View##Type>(type).getTileShape().size();          \
  }                                                                            \
  int32_t mlirCudaTile##View##TypeGetTileDimSize(MlirType type,                \
                                                 intptr_t tileDim) {           \
    return typeAs<cuda_tile::View##Type>(type).getTileShape()[tileDim];        \
  }                                                                            \
  MlirType mlirCudaTile##View##TypeGetTensorView(MlirType type) {              \
    return wrap(Type(typeAs<cuda_tile::View##Type>(type).getTensorView()));    \
  }                                                                            \
  MlirAttribute mlirCudaTile##View##TypeGetPaddingValue(MlirType type) {       \
    return wrap(                                                               \
        Attribute(typeAs<cuda_tile::View##Type>(type).getPaddingValue()));     \
  }                                                                            \
  MlirType mlirCudaTile##View##TypeGetViewTileType(MlirType type) {            \
    return wrap(Type(typeAs<cuda_tile::View##Type>(type).getViewTileType()));  \
  }                                                                            \
  intptr_t mlirCudaTile##View##TypeGetViewIndexRank(MlirType type) {           \
    return typeAs<cuda_tile::View##Type>(type).getViewIndexRank();             \
  }

DEFINE_VIEW(PartitionView)
DEFINE_VIEW(StridedView)
DEFINE_VIEW(GatherScatterView)

static ArrayRef<int32_t> dims(intptr_t rank, const int32_t *values) {
  return ArrayRef<int32_t>(values, rank);
}

static cuda_tile::TensorViewType tensorViewOf(MlirType type) {
  return typeAs<cuda_tile::TensorViewType>(type);
}

static cuda_tile::PaddingValueAttr paddingOf(MlirAttribute attribute) {
  return llvm::cast_if_present<cuda_tile::PaddingValueAttr>(unwrap(attribute));
}

MlirType mlirCudaTilePartitionViewTypeGetAt(MlirLocation loc, intptr_t tileRank,
                                            const int32_t *tileShape,
                                            MlirType tensorView,
                                            const int32_t *dimMap,
                                            MlirAttribute paddingValue) {
  return getChecked<cuda_tile::PartitionViewType>(
      loc, dims(tileRank, tileShape), tensorViewOf(tensorView),
      dims(tileRank, dimMap), paddingOf(paddingValue));
}

int32_t mlirCudaTilePartitionViewTypeGetDimMap(MlirType type,
                                               intptr_t tileDim) {
  return typeAs<cuda_tile::PartitionViewType>(type).getDimMap()[tileDim];
}

MlirType mlirCudaTileStridedViewTypeGetAt(MlirLocation loc, intptr_t tileRank,
                                          const int32_t *tileShape,
                                          const int32_t *traversalStrides,
                                          MlirType tensorView,
                                          const int32_t *dimMap,
                                          MlirAttribute paddingValue) {
  return getChecked<cuda_tile::StridedViewType>(
      loc, dims(tileRank, tileShape), dims(tileRank, traversalStrides),
      tensorViewOf(tensorView), dims(tileRank, dimMap),
      paddingOf(paddingValue));
}

int32_t mlirCudaTileStridedViewTypeGetTraversalStride(MlirType type,
                                                      intptr_t tileDim) {
  return typeAs<cuda_tile::StridedViewType>(type)
      .getTraversalStrides()[tileDim];
}

int32_t mlirCudaTileStridedViewTypeGetDimMap(MlirType type, intptr_t tileDim) {
  return typeAs<cuda_tile::StridedViewType>(type).getDimMap()[tileDim];
}

MlirType mlirCudaTileGatherScatterViewTypeGet(
    MlirContext context, intptr_t tileRank, const int32_t *tileShape,
    MlirType tensorView, int32_t sparseDim, MlirAttribute paddingValue) {
  return wrap(Type(cuda_tile::GatherScatterViewType::get(
      unwrap(context), dims(tileRank, tileShape), tensorViewOf(tensorView),
      sparseDim, paddingOf(paddingValue))));
}

MlirType mlirCudaTileGatherScatterViewTypeGetAt(
    MlirLocation loc, intptr_t tileRank, const int32_t *tileShape,
    MlirType tensorView, int32_t sparseDim, MlirAttribute paddingValue) {
  return getChecked<cuda_tile::GatherScatterViewType>(
      loc, dims(tileRank, tileShape), tensorViewOf(tensorView), sparseDim,
      paddingOf(paddingValue));
}

int32_t mlirCudaTileGatherScatterViewTypeGetSparseDim(MlirType type) {
  return typeAs<cuda_tile::GatherScatterViewType>(type).getSparseDim();
}
