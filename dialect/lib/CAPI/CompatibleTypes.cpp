//===- CompatibleTypes.cpp - Types with the signatures of other tools -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda_tile-c/Dialect/CudaTileDialect.h"
#include "cuda_tile/IR/CudaTile.h"
#include "mlir/CAPI/IR.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using cuda_tile::PaddingValueAttr;
using cuda_tile::PartitionViewType;
using cuda_tile::StridedViewType;
using cuda_tile::TensorViewType;

static MlirLocation unknownLoc(MlirContext context) {
  return wrap(Location(UnknownLoc::get(unwrap(context))));
}

static ArrayRef<int32_t> numbersOf(MlirAttribute array) {
  return llvm::cast<DenseI32ArrayAttr>(unwrap(array)).asArrayRef();
}

/// Whether the parameters of a view have the kinds that GetAt needs; otherwise
/// an error at the unknown location.
static bool areOfViews(MlirContext context, ArrayRef<MlirAttribute> arrays,
                       MlirType tensorView, intptr_t dimMapRank) {
  auto fail = [&] { return emitError(unwrap(unknownLoc(context))); };
  for (MlirAttribute array : arrays) {
    auto numbers = llvm::dyn_cast_if_present<DenseI32ArrayAttr>(unwrap(array));
    if (!numbers) {
      fail() << "expected an array of 32-bit integers for each dimension of "
                "the tile, got "
             << unwrap(array);
      return false;
    }
    if (numbers.size() != dimMapRank) {
      fail() << "expected as many numbers as dim_map has, " << dimMapRank
             << ", got " << numbers.size();
      return false;
    }
  }
  if (llvm::isa_and_present<TensorViewType>(unwrap(tensorView)))
    return true;
  fail() << "expected a tensor_view, got " << unwrap(tensorView);
  return false;
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

MlirAttribute mlirCudaTileDenseI32ArrayAttrGet(MlirContext context,
                                               intptr_t numElements,
                                               const int32_t *values) {
  return wrap(Attribute(DenseI32ArrayAttr::get(
      unwrap(context), ArrayRef<int32_t>(values, numElements))));
}

intptr_t mlirCudaTileDenseI32ArrayAttrGetNumElements(MlirAttribute attribute) {
  return numbersOf(attribute).size();
}

int32_t mlirCudaTileDenseI32ArrayAttrGetElement(MlirAttribute attribute,
                                                intptr_t position) {
  return numbersOf(attribute)[position];
}

//===----------------------------------------------------------------------===//
// Tiles and tensors
//===----------------------------------------------------------------------===//

MlirType mlirCudaTileTileTypeGetChecked(MlirContext context, intptr_t rank,
                                        const int64_t *shape,
                                        MlirType elementType) {
  return mlirCudaTileTileTypeGetAt(unknownLoc(context), rank, shape,
                                   elementType);
}

MlirType mlirCudaTileTensorViewTypeGet(MlirContext, MlirType elementType,
                                       intptr_t shapeRank, const int64_t *shape,
                                       intptr_t strideRank,
                                       const int64_t *strides) {
  return wrap(Type(TensorViewType::get(
      unwrap(elementType), ArrayRef<int64_t>(shape, shapeRank),
      ArrayRef<int64_t>(strides, strideRank))));
}

MlirType mlirCudaTileTensorViewTypeGetChecked(
    MlirContext context, MlirType elementType, intptr_t shapeRank,
    const int64_t *shape, intptr_t strideRank, const int64_t *strides) {
  Location location = unwrap(unknownLoc(context));
  return wrap(Type(TensorViewType::getChecked(
      [&] { return emitError(location); }, unwrap(context), unwrap(elementType),
      ArrayRef<int64_t>(shape, shapeRank),
      ArrayRef<int64_t>(strides, strideRank), cuda_tile::PointerKindAttr())));
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static PaddingValueAttr paddingOf(MlirAttribute attribute) {
  return llvm::cast_if_present<PaddingValueAttr>(unwrap(attribute));
}

MlirType mlirCudaTilePartitionViewTypeGet(
    MlirContext context, MlirAttribute tileShape, MlirType tensorView,
    intptr_t dimMapRank, const int32_t *dimMap, MlirAttribute paddingValue) {
  return wrap(Type(PartitionViewType::get(
      unwrap(context), numbersOf(tileShape),
      llvm::cast<TensorViewType>(unwrap(tensorView)),
      ArrayRef<int32_t>(dimMap, dimMapRank), paddingOf(paddingValue))));
}

MlirType mlirCudaTilePartitionViewTypeGetChecked(
    MlirContext context, MlirAttribute tileShape, MlirType tensorView,
    intptr_t dimMapRank, const int32_t *dimMap, MlirAttribute paddingValue) {
  if (!areOfViews(context, tileShape, tensorView, dimMapRank))
    return {nullptr};
  return mlirCudaTilePartitionViewTypeGetAt(unknownLoc(context), dimMapRank,
                                            numbersOf(tileShape).data(),
                                            tensorView, dimMap, paddingValue);
}

MlirType mlirCudaTileStridedViewTypeGet(
    MlirContext context, MlirAttribute tileShape,
    MlirAttribute traversalStrides, MlirType tensorView, intptr_t dimMapRank,
    const int32_t *dimMap, MlirAttribute paddingValue) {
  return wrap(Type(StridedViewType::get(
      unwrap(context), numbersOf(tileShape), numbersOf(traversalStrides),
      llvm::cast<TensorViewType>(unwrap(tensorView)),
      ArrayRef<int32_t>(dimMap, dimMapRank), paddingOf(paddingValue))));
}

MlirType mlirCudaTileStridedViewTypeGetChecked(
    MlirContext context, MlirAttribute tileShape,
    MlirAttribute traversalStrides, MlirType tensorView, intptr_t dimMapRank,
    const int32_t *dimMap, MlirAttribute paddingValue) {
  if (!areOfViews(context, {tileShape, traversalStrides}, tensorView,
                  dimMapRank))
    return {nullptr};
  return mlirCudaTileStridedViewTypeGetAt(
      unknownLoc(context), dimMapRank, numbersOf(tileShape).data(),
      numbersOf(traversalStrides).data(), tensorView, dimMap, paddingValue);
}

#define DEFINE_VIEW(View)                                                      \
  MlirAttribute mlirCudaTile##View##TypeGetTileShape(MlirType type) {          \
    auto view = llvm::cast<View##Type>(unwrap(type));                          \
    return wrap(Attribute(                                                     \
        DenseI32ArrayAttr::get(view.getContext(), view.getTileShape())));      \
  }                                                                            \
  intptr_t mlirCudaTile##View##TypeGetDimMapRank(MlirType type) {              \
    return llvm::cast<View##Type>(unwrap(type)).getDimMap().size();            \
  }                                                                            \
  int32_t mlirCudaTile##View##TypeGetDimMapElement(MlirType type,              \
                                                   intptr_t position) {        \
    return llvm::cast<View##Type>(unwrap(type)).getDimMap()[position];         \
  }

DEFINE_VIEW(PartitionView)
DEFINE_VIEW(StridedView)

MlirAttribute mlirCudaTileStridedViewTypeGetTraversalStrides(MlirType type) {
  auto view = llvm::cast<StridedViewType>(unwrap(type));
  return wrap(Attribute(
      DenseI32ArrayAttr::get(view.getContext(), view.getTraversalStrides())));
}
