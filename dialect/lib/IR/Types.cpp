//===- Types.cpp - Types of the cuda_tile dialect -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

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
// Element types
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kNumberTypes =
    "f16 or bf16 or f32 or tf32 or f64 or f8E4M3FN or f8E5M2 or f8E8M0FNU or "
    "f4E2M1FN or i1 or i8 or i16 or i32 or i64";

static bool isNumber(Type type) {
  if (isa<Float16Type, BFloat16Type, Float32Type, FloatTF32Type, Float64Type,
          Float8E4M3FNType, Float8E5M2Type, Float8E8M0FNUType, Float4E2M1FNType,
          F8E5M3FNUType>(type))
    return true;
  return type.isSignlessInteger() &&
         llvm::is_contained({1u, 8u, 16u, 32u, 64u},
                            type.getIntOrFloatBitWidth());
}

bool cuda_tile::isMulticast(PointerKindAttr kind) {
  return kind && kind.getValue() == PointerKind::MULTICAST;
}

TensorViewType cuda_tile::getTensorView(Type view) {
  return llvm::TypeSwitch<Type, TensorViewType>(view)
      .Case<PartitionViewType, StridedViewType, GatherScatterViewType>(
          [](auto tiles) { return tiles.getTensorView(); })
      .Default(TensorViewType());
}

bool cuda_tile::isCarried(Type type) {
  // Level W carries buffers too.
  StringRef dialect = type.getDialect().getNamespace();
  return isNumber(type) || dialect == "cuda_tile" || dialect == "tileas";
}

static LogicalResult verifyNumber(function_ref<InFlightDiagnostic()> emitError,
                                  StringRef parameter, Type type) {
  if (isNumber(type))
    return success();
  return emitError() << "failed to verify '" << parameter
                     << "': " << kNumberTypes;
}

//===----------------------------------------------------------------------===//
// F8E5M3FNUType
//===----------------------------------------------------------------------===//

Type F8E5M3FNUType::parse(AsmParser &parser) {
  return get(parser.getContext());
}

void F8E5M3FNUType::print(AsmPrinter &) const {}

/// LLVM has no such format. MLIR takes from here that elements have 8 bits; of
/// the formats of 8 bits, this one keeps every pattern of bits as it is. Values
/// must not be computed with it.
const llvm::fltSemantics &F8E5M3FNUType::getFloatSemantics() const {
  return APFloat::Float8E8M0FNU();
}

//===----------------------------------------------------------------------===//
// PointerType
//===----------------------------------------------------------------------===//

LogicalResult PointerType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  Type pointeeType, PointerKindAttr) {
  return verifyNumber(emitError, "pointeeType", pointeeType);
}

/// `, <multicast>` or `, #cuda_tile.ptr_attr<multicast>`, or nothing.
static ParseResult parseOptionalPointerKind(AsmParser &parser,
                                            PointerKindAttr &kind) {
  if (failed(parser.parseOptionalComma()))
    return success();
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalLess()))
    return parser.parseAttribute(kind);
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<PointerKind> value = symbolizePointerKind(keyword);
  if (!value)
    return parser.emitError(loc, "expected a pointer attribute: one of none, "
                                 "unicast, multicast; got ")
           << keyword;
  kind = PointerKindAttr::get(parser.getContext(), *value);
  return parser.parseGreater();
}

Type PointerType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  Type pointee;
  PointerKindAttr kind;
  if (parser.parseLess() || parseCudaTileType(parser, pointee) ||
      parseOptionalPointerKind(parser, kind) || parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    pointee, kind);
}

void PointerType::print(AsmPrinter &printer) const {
  printer << "<";
  printCudaTileType(printer, getPointeeType());
  if (getPtrAttr())
    printer << ", <" << stringifyPointerKind(getPtrAttr().getValue()) << ">";
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
                       << extentsText(shape);
  bool isOdd = llvm::all_of(shape, [](int64_t extent) { return extent % 2; });
  if (isa<Float4E2M1FNType>(elementType) && isOdd)
    return emitError() << "F4E2M1FN tiles must have an even number of elements";
  if (llvm::any_of(shape, [](int64_t e) { return !llvm::isPowerOf2_64(e); }))
    return emitError() << "all dimensions must be powers of two, got "
                       << extentsText(shape);
  // Powers of two: the logarithms cannot overflow as the product can.
  uint64_t bits = 0;
  for (int64_t extent : shape)
    bits += llvm::Log2_64(extent);
  if (bits > llvm::Log2_64(kMaxElements))
    return emitError() << "tile would exceed the maximum of " << kMaxElements
                       << " elements";
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
  if (parser.parseLess())
    return {};
  SMLoc shapeLoc = parser.getCurrentLocation();
  if (parser.parseDimensionList(shape))
    return {};
  if (llvm::any_of(shape, ShapedType::isDynamic)) {
    parser.emitError(shapeLoc, "expected static shape; all dimensions must be "
                               "positive constants, got ")
        << extentsText(shape);
    return {};
  }
  if (parseCudaTileType(parser, elementType) ||
      (succeeded(parser.parseOptionalComma()) && parser.parseAttribute(layout)))
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
                       ArrayRef<int64_t> strides, PointerKindAttr) {
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

/// `, strides=[8,1]`; an error names the keyword, whatever stands in its place.
static ParseResult parseStrides(AsmParser &parser,
                                SmallVectorImpl<int64_t> &strides) {
  SMLoc loc = parser.getCurrentLocation();
  bool hasComma = succeeded(parser.parseOptionalComma());
  if (hasComma)
    loc = parser.getCurrentLocation();
  if (!hasComma || failed(parser.parseOptionalKeyword("strides")))
    return parser.emitError(loc, "expected 'strides'");
  return failure(
      parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parseStride(parser, strides.emplace_back());
      }));
}

/// What may follow the element type of a tensor_view of rank 0.
static ParseResult parseScalarTail(AsmParser &parser, PointerKindAttr &kind) {
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalComma()))
    return success();
  Attribute attribute;
  OptionalParseResult result = parser.parseOptionalAttribute(attribute);
  if (result.has_value() && failed(*result))
    return failure();
  kind = dyn_cast_if_present<PointerKindAttr>(attribute);
  if (kind)
    return success();
  bool isStrides = succeeded(parser.parseOptionalKeyword("strides"));
  return parser.emitError(
      loc, isStrides
               ? "strides must not be provided for 0-d tiles"
               : "unexpected token after element type in 0-d tensor_view");
}

Type TensorViewType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape, strides;
  Type elementType;
  if (parser.parseLess() || parser.parseDimensionList(shape) ||
      parseCudaTileType(parser, elementType))
    return {};
  PointerKindAttr kind;
  ParseResult tail = shape.empty() ? parseScalarTail(parser, kind)
                                   : parseStrides(parser, strides);
  if (tail || (!shape.empty() && parseOptionalPointerKind(parser, kind)))
    return {};
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    elementType, shape, strides, kind);
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
  if (getPtrAttr())
    printer << ", " << getPtrAttr();
  printer << ">";
}

//===----------------------------------------------------------------------===//
// TokenType
//===----------------------------------------------------------------------===//

Type TokenType::parse(AsmParser &parser) { return get(parser.getContext()); }

void TokenType::print(AsmPrinter &) const {}

//===----------------------------------------------------------------------===//
// StringType
//===----------------------------------------------------------------------===//

Type StringType::parse(AsmParser &parser) { return get(parser.getContext()); }

void StringType::print(AsmPrinter &) const {}
