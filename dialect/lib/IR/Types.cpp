//===- Types.cpp - Types of the cuda_tile dialect -------------------------===//

#include "IR/Syntax.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cuda_tile;

#include "cuda_tile/IR/CudaTileTypeInterfaces.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "cuda_tile/IR/CudaTileTypes.cpp.inc"

void CudaTileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "cuda_tile/IR/CudaTileTypes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// What types are made of
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kNumberTypes =
    "f16 or bf16 or f32 or tf32 or f64 or f8E4M3FN or f8E5M2 or f8E8M0FNU or "
    "f4E2M1FN or i1 or i8 or i16 or i32 or i64";

static bool isNumber(Type type) {
  if (isa<Float16Type, BFloat16Type, Float32Type, FloatTF32Type, Float64Type,
          Float8E4M3FNType, Float8E5M2Type, Float8E8M0FNUType,
          Float4E2M1FNType>(type))
    return true;
  return type.isSignlessInteger() &&
         llvm::is_contained({1u, 8u, 16u, 32u, 64u},
                            type.getIntOrFloatBitWidth());
}

static LogicalResult verifyNumber(function_ref<InFlightDiagnostic()> emitError,
                                  StringRef parameter, Type type) {
  if (isNumber(type))
    return success();
  return emitError() << "failed to verify '" << parameter
                     << "': " << kNumberTypes;
}

//===----------------------------------------------------------------------===//
// PointerType
//===----------------------------------------------------------------------===//

LogicalResult PointerType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  Type pointeeType) {
  return verifyNumber(emitError, "pointeeType", pointeeType);
}

Type PointerType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  Type pointee;
  if (parser.parseLess() || parseCudaTileType(parser, pointee) ||
      parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    pointee);
}

void PointerType::print(AsmPrinter &printer) const {
  printer << "<";
  printCudaTileType(printer, getPointeeType());
  printer << ">";
}

//===----------------------------------------------------------------------===//
// TileType
//===----------------------------------------------------------------------===//

bool TileType::hasRank() const { return true; }

ShapedType TileType::cloneWith(std::optional<ArrayRef<int64_t>> shape,
                               Type elementType) const {
  // A layout is a map onto one shape.
  bool sameShape = !shape || *shape == getShape();
  return get(shape.value_or(getShape()), elementType,
             sameShape ? getLayout() : cute::LayoutAttr());
}

LogicalResult
TileType::verifyShape(function_ref<InFlightDiagnostic()> emitError,
                      ArrayRef<int64_t> shape, Type elementType) {
  if (llvm::any_of(shape, [](int64_t extent) { return extent <= 0; }))
    return emitError() << "all dimensions must be positive constants, got "
                       << shapeText(shape);
  if (llvm::any_of(shape, [](int64_t e) { return !llvm::isPowerOf2_64(e); }))
    return emitError() << "all dimensions must be powers of two, got "
                       << shapeText(shape);
  // Powers of two: the logarithms cannot overflow as the product can.
  uint64_t bits = 0;
  for (int64_t extent : shape)
    bits += llvm::Log2_64(extent);
  if (bits > llvm::Log2_64(kMaxElements))
    return emitError() << "tile would exceed the maximum of " << kMaxElements
                       << " elements";
  if (isa<Float4E2M1FNType>(elementType) && bits == 0)
    return emitError() << "F4E2M1FN tiles must have an even number of elements";
  return success();
}

LogicalResult TileType::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> shape, Type elementType,
                               cute::LayoutAttr layout) {
  if (!isNumber(elementType) && !isa<PointerType>(elementType) &&
      !elementType.isSignlessInteger(4))
    return emitError() << "failed to verify 'elementType': " << kNumberTypes
                       << " or Pointer type or i4";
  if (failed(verifyShape(emitError, shape, elementType)))
    return failure();
  if (!layout)
    return success();

  SmallVector<cute::LayoutAttr::Group> groups = layout.getGroups();
  if (layout.getIsFlat() || groups.size() != 4)
    return emitError() << "expected a tile's layout to have 4 groups of bases "
                          "(register, lane, warp, block), got "
                       << (layout.getIsFlat() ? "a flat layout"
                                              : std::to_string(groups.size()));
  if (groups[1].size() != 5)
    return emitError() << "expected 5 lane bases in a tile's layout, got "
                       << groups[1].size();
  std::string misfit = layout.findMisfit(shape, /*bijective=*/false);
  if (!misfit.empty())
    return emitError() << misfit;
  return success();
}

Type TileType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type elementType;
  cute::LayoutAttr layout;
  if (parser.parseLess() || parser.parseDimensionList(shape) ||
      parseCudaTileType(parser, elementType))
    return {};
  if (succeeded(parser.parseOptionalComma()) && parser.parseAttribute(layout))
    return {};
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    shape, elementType, layout);
}

void TileType::print(AsmPrinter &printer) const {
  printer << "<";
  printShape(printer.getStream(), getShape());
  if (getRank() != 0)
    printer << "x";
  printCudaTileType(printer, getElementType());
  if (getLayout())
    printer << ", " << getLayout();
  printer << ">";
}

bool cuda_tile::pointsTo(TileType pointers, TileType values) {
  auto pointer = dyn_cast<PointerType>(pointers.getElementType());
  return pointer && pointer.getPointeeType() == values.getElementType();
}

//===----------------------------------------------------------------------===//
// TensorViewType
//===----------------------------------------------------------------------===//

LogicalResult
TensorViewType::verify(function_ref<InFlightDiagnostic()> emitError,
                       Type elementType, ArrayRef<int64_t> shape,
                       ArrayRef<int64_t> strides) {
  if (failed(verifyNumber(emitError, "elementType", elementType)))
    return failure();
  if (shape.size() != strides.size())
    return emitError()
           << "expected shape and stride to be of same rank but got shape of "
              "rank "
           << shape.size() << " and stride of rank " << strides.size();
  auto isBad = [](int64_t value) {
    return value <= 0 && !ShapedType::isDynamic(value);
  };
  if (llvm::any_of(shape, isBad))
    return emitError() << "dimensions must have strictly positive constant "
                          "sizes but got "
                       << shapeText(shape);
  if (llvm::any_of(strides, isBad))
    return emitError() << "dimensions must have strictly positive constant "
                          "strides but got "
                       << shapeText(strides);
  return success();
}

/// An integer or `?`.
static ParseResult parseStride(AsmParser &parser, int64_t &stride) {
  if (succeeded(parser.parseOptionalQuestion())) {
    stride = ShapedType::kDynamic;
    return success();
  }
  SMLoc loc = parser.getCurrentLocation();
  OptionalParseResult result = parser.parseOptionalInteger(stride);
  if (!result.has_value())
    return parser.emitError(loc,
                            "expected either 64-bit integer or question mark");
  if (failed(*result))
    return failure();
  if (stride <= 0)
    return parser.emitError(loc, "expected strictly positive integer, got ")
           << stride;
  return success();
}

Type TensorViewType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape, strides;
  Type elementType;
  if (parser.parseLess() || parser.parseDimensionList(shape) ||
      parseCudaTileType(parser, elementType))
    return {};
  SMLoc tailLoc = parser.getCurrentLocation();
  if (shape.empty()) {
    if (succeeded(parser.parseOptionalComma())) {
      bool isStrides = succeeded(parser.parseOptionalKeyword("strides"));
      parser.emitError(tailLoc)
          << (isStrides
                  ? "strides must not be provided for 0-d tiles"
                  : "unexpected token after element type in 0-d tensor_view");
      return {};
    }
  } else {
    if (parser.parseComma())
      return {};
    tailLoc = parser.getCurrentLocation();
    if (failed(parser.parseOptionalKeyword("strides"))) {
      parser.emitError(tailLoc, "expected 'strides'");
      return {};
    }
    if (parser.parseEqual() ||
        parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
          return parseStride(parser, strides.emplace_back());
        }))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    elementType, shape, strides);
}

void TensorViewType::print(AsmPrinter &printer) const {
  printer << "<";
  printShape(printer.getStream(), getShape());
  if (getRank() != 0)
    printer << "x";
  printCudaTileType(printer, getElementType());
  if (getRank() != 0) {
    printer << ", strides=[";
    llvm::interleave(
        getStrides(), printer.getStream(),
        [&](int64_t stride) {
          if (ShapedType::isDynamic(stride))
            printer << "?";
          else
            printer << stride;
        },
        ",");
    printer << "]";
  }
  printer << ">";
}

//===----------------------------------------------------------------------===//
// PartitionViewType
//===----------------------------------------------------------------------===//

/// Each tile dimension runs along a tensor dimension of its own.
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

LogicalResult
PartitionViewType::verify(function_ref<InFlightDiagnostic()> emitError,
                          ArrayRef<int32_t> tileShape,
                          TensorViewType tensorView, ArrayRef<int32_t> dimMap,
                          PaddingValueAttr paddingValue) {
  if (tileShape.empty())
    return emitError() << "0-dimension tile shape is not supported";
  int64_t rank = tensorView.getRank();
  if (rank != static_cast<int64_t>(tileShape.size()))
    return emitError() << "expected tensor_view rank and tile rank to match, "
                          "got tensor_view of rank "
                       << rank << " and tiles of rank " << tileShape.size();
  if (dimMap.size() != tileShape.size())
    return emitError() << "expected dim_map to map exactly all "
                       << tileShape.size() << " dimensions of the tile, got "
                       << dimMap.size() << " mappings";
  if (llvm::any_of(tileShape, [](int32_t extent) { return extent <= 0; }))
    return emitError() << "tile shape dimensions must have positive length but "
                          "got "
                       << shapeText(tileShape);
  if (llvm::any_of(tileShape,
                   [](int32_t e) { return !llvm::isPowerOf2_32(e); }))
    return emitError() << "tile shape dimensions must have power of two length "
                          "but got "
                       << shapeText(tileShape);
  if (failed(verifyDimMap(emitError, dimMap, rank)))
    return failure();
  if (paddingValue && paddingValue.getValue() != PaddingValue::zero &&
      !isa<FloatType>(tensorView.getElementType()))
    return emitError() << "padding_value "
                       << stringifyPaddingValue(paddingValue.getValue())
                       << " can only be used with floating point element "
                          "types, got "
                       << tensorView.getElementType();
  return TileType::verifyShape(emitError, SmallVector<int64_t>(tileShape),
                               tensorView.getElementType());
}

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

Type PartitionViewType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int32_t> tileShape, dimMap;
  TensorViewType tensorView;
  PaddingValueAttr padding;
  if (parser.parseLess() || parser.parseKeyword("tile") ||
      parser.parseEqual() || parseTileShape(parser, tileShape) ||
      parser.parseComma() || parseOptionalPadding(parser, padding))
    return {};
  SMLoc viewLoc = parser.getCurrentLocation();
  Type view;
  if (parseCudaTileType(parser, view))
    return {};
  tensorView = dyn_cast<TensorViewType>(view);
  if (!tensorView) {
    parser.emitError(viewLoc, "expected tensor_view, got ") << view;
    return {};
  }
  if (parseOptionalDimMap(parser, tileShape.size(), dimMap) ||
      parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    tileShape, tensorView, dimMap, padding);
}

void PartitionViewType::print(AsmPrinter &printer) const {
  printer << "<tile=(";
  printShape(printer.getStream(), SmallVector<int64_t>(getTileShape()));
  printer << "), ";
  if (getPaddingValue())
    printer << "padding_value = "
            << stringifyPaddingValue(getPaddingValue().getValue()) << ", ";
  printCudaTileType(printer, getTensorView());
  if (!llvm::equal(getDimMap(), llvm::seq<int32_t>(0, getDimMap().size())))
    printer << ", dim_map=" << shapeText(getDimMap());
  printer << ">";
}

ShapedType PartitionViewType::getViewTileType() const {
  return TileType::get(SmallVector<int64_t>(getTileShape()),
                       getTensorView().getElementType());
}

int64_t PartitionViewType::getViewIndexRank() const {
  return getTileShape().size();
}

LogicalResult PartitionViewType::verifyIndices(Operation *op,
                                               TypeRange types) const {
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

//===----------------------------------------------------------------------===//
// TokenType
//===----------------------------------------------------------------------===//

Type TokenType::parse(AsmParser &parser) { return get(parser.getContext()); }

void TokenType::print(AsmPrinter &) const {}
