//===- ViewTypes.cpp - View types -----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/Syntax.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cuda_tile;

//===----------------------------------------------------------------------===//
// Rules that views share
//===----------------------------------------------------------------------===//

/// Each tile dimension runs along a different tensor dimension.
static LogicalResult verifyDimMap(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<int32_t> dimMap, int64_t rank) {
  SmallVector<int64_t> mappedFrom(rank, -1);
  for (auto [tileDim, tensorDim] : llvm::enumerate(dimMap)) {
    if (tensorDim < 0)
      return emitError() << "target dimension must not be negative, got "
                         << tensorDim;
    if (tensorDim >= rank)
      return emitError() << "target dimension is outside of tensor view "
                            "dimensions, expected strictly less than "
                         << rank << ", got " << tensorDim;
    if (mappedFrom[tensorDim] >= 0)
      return emitError() << "target dimension " << tensorDim
                         << " mapped at least twice (for tile dimensions "
                         << mappedFrom[tensorDim] << " and " << tileDim << ")";
    mappedFrom[tensorDim] = tileDim;
  }
  return success();
}

/// Tiles of `tileShape` cover all dimensions of `tensorView`.
static LogicalResult verifyTiles(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int32_t> tileShape,
                                 TensorViewType tensorView) {
  if (tileShape.empty())
    return emitError() << "0-dimension tile shape is not supported";
  int64_t rank = tensorView.getRank();
  if (rank != static_cast<int64_t>(tileShape.size()))
    return emitError() << "expected tensor_view rank and tile rank to match, "
                          "got tensor_view of rank "
                       << rank << " and tiles of rank " << tileShape.size();
  return success();
}

static LogicalResult verifyExtents(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<int32_t> tileShape) {
  if (llvm::any_of(tileShape, [](int32_t extent) { return extent <= 0; }))
    return emitError() << "tile shape dimensions must have positive length but "
                          "got "
                       << shapeText(tileShape);
  if (llvm::any_of(tileShape,
                   [](int32_t e) { return !llvm::isPowerOf2_32(e); }))
    return emitError() << "tile shape dimensions must have power of two length "
                          "but got "
                       << shapeText(tileShape);
  return success();
}

/// The element type supports the padding value, and the tile type is valid.
static LogicalResult
verifyElements(function_ref<InFlightDiagnostic()> emitError,
               ArrayRef<int32_t> tileShape, Type elementType,
               PaddingValueAttr padding) {
  if (padding && padding.getValue() != PaddingValue::zero &&
      !isa<FloatType>(elementType))
    return emitError() << "padding_value "
                       << stringifyPaddingValue(padding.getValue())
                       << " can only be used with floating point element "
                          "types, got "
                       << elementType;
  return TileType::verifyShape(emitError, SmallVector<int64_t>(tileShape),
                               elementType);
}

/// The rules of partition_view, which also hold for strided_view.
static LogicalResult verifyGrid(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<int32_t> tileShape,
                                TensorViewType tensorView,
                                ArrayRef<int32_t> dimMap,
                                PaddingValueAttr padding) {
  if (failed(verifyTiles(emitError, tileShape, tensorView)))
    return failure();
  if (dimMap.size() != tileShape.size())
    return emitError() << "expected dim_map to map exactly all "
                       << tileShape.size() << " dimensions of the tile, got "
                       << dimMap.size() << " mappings";
  if (failed(verifyExtents(emitError, tileShape)) ||
      failed(verifyDimMap(emitError, dimMap, tensorView.getRank())))
    return failure();
  return verifyElements(emitError, tileShape, tensorView.getElementType(),
                        padding);
}

/// Indices of a grid of tiles: scalars of the same type.
static LogicalResult verifyGridIndices(Operation *op, TypeRange types) {
  for (auto [i, type] : llvm::enumerate(types)) {
    auto tile = dyn_cast<TileType>(type);
    if (!tile)
      return op->emitOpError("expected index type to be a tile type, got ")
             << type;
    if (tile.getRank() != 0)
      return op->emitOpError("expected index type to be a scalar tile, got ")
             << type;
    if (type != types.front())
      return op->emitOpError("expected index type ")
             << i << " to be the same as other index types (" << types.front()
             << "), got " << type;
  }
  return success();
}

static ShapedType makeTile(ArrayRef<int32_t> tileShape,
                           TensorViewType tensorView) {
  return TileType::get(SmallVector<int64_t>(tileShape),
                       tensorView.getElementType());
}

//===----------------------------------------------------------------------===//
// Syntax that views share
//===----------------------------------------------------------------------===//

/// `(8x4)`.
static ParseResult parseTileShape(AsmParser &parser,
                                  SmallVectorImpl<int32_t> &tileShape) {
  SmallVector<int64_t> shape;
  if (parser.parseLParen())
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseDimensionList(shape, /*allowDynamic=*/false,
                                /*withTrailingX=*/false) ||
      parser.parseRParen())
    return failure();
  constexpr int64_t maximum = std::numeric_limits<int32_t>::max();
  for (auto [i, extent] : llvm::enumerate(shape)) {
    if (extent <= 0 || extent > maximum)
      return parser.emitError(loc)
             << "tile dimension " << i << " exceeds i32 limitations (got "
             << extent
             << ", expected strictly positive and less than or equal to "
             << maximum << ")";
    tileShape.push_back(extent);
  }
  return success();
}

/// `padding_value = zero, `, or nothing.
static ParseResult parseOptionalPadding(AsmParser &parser,
                                        PaddingValueAttr &padding) {
  if (failed(parser.parseOptionalKeyword("padding_value")))
    return success();
  if (parser.parseEqual())
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  (void)parser.parseOptionalKeyword(&keyword);
  std::optional<PaddingValue> value = symbolizePaddingValue(keyword);
  if (!value)
    return parser.emitError(
               loc, "invalid padding_value attribute specification. Got \"")
           << keyword
           << "\" but expect one of: zero, neg_zero, nan, pos_inf, neg_inf";
  padding = PaddingValueAttr::get(parser.getContext(), *value);
  return parser.parseComma();
}

/// `, dim_map=[1, 0]`, or nothing for the identity.
static ParseResult parseOptionalDimMap(AsmParser &parser, size_t rank,
                                       SmallVectorImpl<int32_t> &dimMap) {
  if (failed(parser.parseOptionalComma())) {
    llvm::append_range(dimMap, llvm::seq<int32_t>(0, rank));
    return success();
  }
  if (parser.parseKeyword("dim_map") || parser.parseEqual())
    return failure();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(dimMap.emplace_back());
  });
}

/// `<tile=(8x8), `.
static ParseResult parseTile(AsmParser &parser,
                             SmallVectorImpl<int32_t> &tileShape) {
  return failure(parser.parseLess() || parser.parseKeyword("tile") ||
                 parser.parseEqual() || parseTileShape(parser, tileShape) ||
                 parser.parseComma());
}

static ParseResult parseTensorView(AsmParser &parser, TensorViewType &view) {
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parseCudaTileType(parser, type))
    return failure();
  view = dyn_cast<TensorViewType>(type);
  if (!view)
    return parser.emitError(loc, "expected 'tensor_view' type, but got ")
           << type;
  return success();
}

static void printTile(AsmPrinter &printer, ArrayRef<int32_t> tileShape) {
  printer << "<tile=(";
  printShape(printer.getStream(), SmallVector<int64_t>(tileShape));
  printer << "), ";
}

/// Padding, if there is one, and the tensor_view.
static void printTensor(AsmPrinter &printer, PaddingValueAttr padding,
                        TensorViewType tensorView) {
  if (padding)
    printer << "padding_value = " << stringifyPaddingValue(padding.getValue())
            << ", ";
  printCudaTileType(printer, tensorView);
}

/// Omits the identity.
static void printDimMap(AsmPrinter &printer, ArrayRef<int32_t> dimMap) {
  if (!llvm::equal(dimMap, llvm::seq<int32_t>(0, dimMap.size())))
    printer << ", dim_map=" << shapeText(dimMap);
}

//===----------------------------------------------------------------------===//
// PartitionViewType
//===----------------------------------------------------------------------===//

LogicalResult
PartitionViewType::verify(function_ref<InFlightDiagnostic()> emitError,
                          ArrayRef<int32_t> tileShape,
                          TensorViewType tensorView, ArrayRef<int32_t> dimMap,
                          PaddingValueAttr paddingValue) {
  return verifyGrid(emitError, tileShape, tensorView, dimMap, paddingValue);
}

Type PartitionViewType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int32_t> tileShape, dimMap;
  TensorViewType tensorView;
  PaddingValueAttr padding;
  if (parseTile(parser, tileShape) || parseOptionalPadding(parser, padding) ||
      parseTensorView(parser, tensorView) ||
      parseOptionalDimMap(parser, tileShape.size(), dimMap) ||
      parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    ArrayRef(tileShape), tensorView, ArrayRef(dimMap), padding);
}

void PartitionViewType::print(AsmPrinter &printer) const {
  printTile(printer, getTileShape());
  printTensor(printer, getPaddingValue(), getTensorView());
  printDimMap(printer, getDimMap());
  printer << ">";
}

ShapedType PartitionViewType::getViewTileType() const {
  return makeTile(getTileShape(), getTensorView());
}

int64_t PartitionViewType::getViewIndexRank() const {
  return getTileShape().size();
}

LogicalResult PartitionViewType::verifyIndices(Operation *op,
                                               TypeRange types) const {
  return verifyGridIndices(op, types);
}

//===----------------------------------------------------------------------===//
// StridedViewType
//===----------------------------------------------------------------------===//

LogicalResult StridedViewType::verify(
    function_ref<InFlightDiagnostic()> emitError, ArrayRef<int32_t> tileShape,
    ArrayRef<int32_t> traversalStrides, TensorViewType tensorView,
    ArrayRef<int32_t> dimMap, PaddingValueAttr paddingValue) {
  if (failed(
          verifyGrid(emitError, tileShape, tensorView, dimMap, paddingValue)))
    return failure();
  if (traversalStrides.size() != tileShape.size())
    return emitError() << "expected " << tileShape.size()
                       << " traversal strides, got " << traversalStrides.size();
  if (llvm::any_of(traversalStrides, [](int32_t step) { return step <= 0; }))
    return emitError() << "traversal strides must be strictly positive but got "
                       << shapeText(traversalStrides);
  return success();
}

/// `traversal_strides=[4,8], `.
static ParseResult parseTraversal(AsmParser &parser,
                                  SmallVectorImpl<int32_t> &strides) {
  auto parseStride = [&] {
    return parser.parseInteger(strides.emplace_back());
  };
  return failure(parser.parseKeyword("traversal_strides") ||
                 parser.parseEqual() ||
                 parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                                parseStride) ||
                 parser.parseComma());
}

Type StridedViewType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int32_t> tileShape, traversalStrides, dimMap;
  TensorViewType tensorView;
  PaddingValueAttr padding;
  if (parseTile(parser, tileShape) ||
      parseTraversal(parser, traversalStrides) ||
      parseOptionalPadding(parser, padding) ||
      parseTensorView(parser, tensorView) ||
      parseOptionalDimMap(parser, tileShape.size(), dimMap) ||
      parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    ArrayRef(tileShape), ArrayRef(traversalStrides), tensorView,
                    ArrayRef(dimMap), padding);
}

void StridedViewType::print(AsmPrinter &printer) const {
  printTile(printer, getTileShape());
  printer << "traversal_strides=[";
  llvm::interleave(getTraversalStrides(), printer.getStream(), ",");
  printer << "], ";
  printTensor(printer, getPaddingValue(), getTensorView());
  printDimMap(printer, getDimMap());
  printer << ">";
}

ShapedType StridedViewType::getViewTileType() const {
  return makeTile(getTileShape(), getTensorView());
}

int64_t StridedViewType::getViewIndexRank() const {
  return getTileShape().size();
}

LogicalResult StridedViewType::verifyIndices(Operation *op,
                                             TypeRange types) const {
  return verifyGridIndices(op, types);
}

//===----------------------------------------------------------------------===//
// GatherScatterViewType
//===----------------------------------------------------------------------===//

LogicalResult
GatherScatterViewType::verify(function_ref<InFlightDiagnostic()> emitError,
                              ArrayRef<int32_t> tileShape,
                              TensorViewType tensorView, int32_t sparseDim,
                              PaddingValueAttr paddingValue) {
  if (failed(verifyTiles(emitError, tileShape, tensorView)) ||
      failed(verifyExtents(emitError, tileShape)))
    return failure();
  if (sparseDim < 0)
    return emitError() << "gather dimension must not be negative, got "
                       << sparseDim;
  if (sparseDim >= tensorView.getRank())
    return emitError() << "gather dimension is outside of tensor view "
                          "dimensions, expected strictly less than "
                       << tensorView.getRank() << ", got " << sparseDim;
  return verifyElements(emitError, tileShape, tensorView.getElementType(),
                        paddingValue);
}

Type GatherScatterViewType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int32_t> tileShape;
  TensorViewType tensorView;
  PaddingValueAttr padding;
  int32_t sparseDim;
  if (parseTile(parser, tileShape) || parseOptionalPadding(parser, padding) ||
      parseTensorView(parser, tensorView) || parser.parseComma() ||
      parser.parseKeyword("sparse_dim") || parser.parseEqual() ||
      parser.parseInteger(sparseDim) || parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    ArrayRef(tileShape), tensorView, sparseDim, padding);
}

void GatherScatterViewType::print(AsmPrinter &printer) const {
  printTile(printer, getTileShape());
  printTensor(printer, getPaddingValue(), getTensorView());
  printer << ", sparse_dim=" << getSparseDim() << ">";
}

ShapedType GatherScatterViewType::getViewTileType() const {
  return makeTile(getTileShape(), getTensorView());
}

int64_t GatherScatterViewType::getViewIndexRank() const {
  return getTileShape().size();
}

LogicalResult GatherScatterViewType::verifyIndices(Operation *op,
                                                   TypeRange types) const {
  int32_t sparse = getSparseDim();
  if (sparse >= static_cast<int64_t>(types.size()))
    return op->emitOpError("gather/scatter dimension ")
           << sparse << " is out of range for index count " << types.size();
  auto list = dyn_cast<TileType>(types[sparse]);
  if (!list)
    return op->emitOpError("expected index at sparse_dim position ")
           << sparse << " to be a tile type for GatherScatterView";
  if (list.getRank() != 1)
    return op->emitOpError("expected index at sparse_dim position ")
           << sparse << " to be a 1D tensor for GatherScatterView, got rank "
           << list.getRank();
  if (list.getDimSize(0) != getTileShape()[sparse])
    return op->emitOpError("expected gather/scatter index size (")
           << list.getDimSize(0)
           << ") to match tile shape at gather/scatter dimension " << sparse
           << " (" << getTileShape()[sparse] << ")";
  Type common;
  for (auto [i, type] : llvm::enumerate(types)) {
    if (static_cast<int64_t>(i) == sparse)
      continue;
    auto tile = dyn_cast<TileType>(type);
    if (!tile || tile.getRank() != 0)
      return op->emitOpError("expected index ")
             << i << " to be a scalar tile for GatherScatterView";
    if (!common)
      common = type;
    if (type != common)
      return op->emitOpError("expected scalar index ")
             << i << " to have the same type as other scalar indices ("
             << common << "), got " << type;
  }
  return success();
}
