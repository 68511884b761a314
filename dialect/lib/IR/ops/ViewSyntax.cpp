//===- ViewSyntax.cpp - Access through views: syntax ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/ops/ViewAccess.h"

using namespace mlir;
using namespace cuda_tile;

//===----------------------------------------------------------------------===//
// get_index_space_shape, get_tensor_shape
//===----------------------------------------------------------------------===//

/// The rank of a view or tensor_view; none of any other type.
static std::optional<int64_t> getRank(Type type) {
  if (auto view = dyn_cast<TileView>(type))
    return view.getViewIndexRank();
  if (auto view = dyn_cast<TensorViewType>(type))
    return view.getRank();
  return std::nullopt;
}

/// `%view : type -> types`; the number of results follows from the type.
template <typename Op>
static ParseResult parseShapeQuery(OpAsmParser &parser,
                                   OperationState &result) {
  OpAsmParser::UnresolvedOperand source;
  Type sourceType;
  if (parser.parseOperand(source) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColon())
    return failure();
  SMLoc typeLoc = parser.getCurrentLocation();
  if (parseCudaTileType(parser, sourceType))
    return failure();
  if (std::is_same_v<Op, GetTensorShapeOp> && !isa<TensorViewType>(sourceType))
    return parser.emitError(typeLoc, "expected tensor_view, got ")
           << sourceType;
  if (parser.resolveOperand(source, sourceType, result.operands))
    return failure();
  std::optional<int64_t> rank = getRank(sourceType);
  if (rank == 0 && failed(parser.parseOptionalArrow()))
    return success();
  SmallVector<Type> types;
  if (rank != 0 && parser.parseArrow())
    return failure();
  if (parseCudaTileTypes(parser, types))
    return failure();
  // The verifier reports a wrong number, and a source that is no view.
  if (rank)
    expandTypes(types, *rank);
  result.addTypes(types);
  return success();
}

template <typename Op>
static void printShapeQuery(OpAsmPrinter &printer, Op op) {
  printer << " " << op.getSrc();
  printer.printOptionalAttrDict(op->getAttrs());
  printer << " : ";
  printCudaTileType(printer, op.getSrc().getType());
  if (op.getNumResults() != 0) {
    printer << " -> ";
    printUniformTypes(printer, op->getResultTypes());
  }
}

ParseResult GetIndexSpaceShapeOp::parse(OpAsmParser &parser,
                                        OperationState &result) {
  return parseShapeQuery<GetIndexSpaceShapeOp>(parser, result);
}

void GetIndexSpaceShapeOp::print(OpAsmPrinter &printer) {
  printShapeQuery(printer, *this);
}

ParseResult GetTensorShapeOp::parse(OpAsmParser &parser,
                                    OperationState &result) {
  return parseShapeQuery<GetTensorShapeOp>(parser, result);
}

void GetTensorShapeOp::print(OpAsmPrinter &printer) {
  printShapeQuery(printer, *this);
}

//===----------------------------------------------------------------------===//
// make_partition_view, make_strided_view, make_gather_scatter_view
//===----------------------------------------------------------------------===//

template <typename View>
static ParseResult parseViewOf(OpAsmParser &parser, Type &view,
                               Type &tensorView) {
  SMLoc loc = parser.getCurrentLocation();
  if (parseCudaTileType(parser, view))
    return failure();
  auto expected = dyn_cast<View>(view);
  if (!expected)
    return parser.emitError(loc, "expected '")
           << View::getMnemonic() << "' type, but got " << view;
  tensorView = expected.getTensorView();
  return success();
}

#define DEFINE_VIEW(NAME)                                                      \
  ParseResult cuda_tile::parse##NAME(OpAsmParser &parser, Type &view,          \
                                     Type &tensorView) {                       \
    return parseViewOf<NAME##Type>(parser, view, tensorView);                  \
  }                                                                            \
  void cuda_tile::print##NAME(OpAsmPrinter &printer, Operation *, Type view,   \
                              Type) {                                          \
    printCudaTileType(printer, view);                                          \
  }
DEFINE_VIEW(PartitionView)
DEFINE_VIEW(StridedView)
DEFINE_VIEW(GatherScatterView)
#undef DEFINE_VIEW

//===----------------------------------------------------------------------===//
// make_tensor_view
//===----------------------------------------------------------------------===//

/// `what = [%n, 64]`; integers into `values`, kDynamic for operands.
static ParseResult
parseExtents(OpAsmParser &parser, StringRef what,
             SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
             SmallVectorImpl<int64_t> &values) {
  auto parseExtent = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    int64_t value;
    OptionalParseResult result = parser.parseOptionalInteger(value);
    if (result.has_value()) {
      values.push_back(value);
      return *result;
    }
    OpAsmParser::UnresolvedOperand operand;
    result = parser.parseOptionalOperand(operand);
    if (!result.has_value())
      return parser.emitError(loc, "expected either integer or SSA value");
    operands.push_back(operand);
    values.push_back(ShapedType::kDynamic);
    return *result;
  };
  return failure(parser.parseKeyword(what) || parser.parseEqual() ||
                 parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                                parseExtent));
}

/// The declaration matches the type.
static ParseResult checkExtents(OpAsmParser &parser, SMLoc loc, StringRef what,
                                ArrayRef<int64_t> declared,
                                ArrayRef<int64_t> typed) {
  if (declared.size() != typed.size())
    return parser.emitError(loc, "expected ")
           << what << " declaration to contain " << typed.size()
           << " elements due to tensor_view type, but " << declared.size()
           << " were provided";
  auto text = [](int64_t value) {
    return ShapedType::isDynamic(value) ? "dynamic" : std::to_string(value);
  };
  for (auto [i, value, inType] : llvm::enumerate(declared, typed))
    if (value != inType)
      return parser.emitError(loc, "input ")
             << what << " dimension " << i
             << " does not match tensor_view type (expected " << text(inType)
             << ", got " << text(value) << ")";
  return success();
}

/// The end of what stands in front of `loc`, where upstream reports a token
/// that is not there: often on an earlier line. The op's name stands in front
/// of it.
static SMLoc endOfPrevious(SMLoc loc) {
  const char *end = loc.getPointer();
  while (StringRef(" \t\r\n").contains(end[-1]))
    --end;
  return SMLoc::getFromPointer(end);
}

/// `[type of %base,] [type of dynamic values] -> `, or nothing. Only a pointer
/// with a layout is named: its type is clear otherwise.
static ParseResult parseSourceTypes(OpAsmParser &parser, bool isDynamic,
                                    Type &baseType, Type &dynamicType,
                                    TensorViewType &viewType) {
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  if (parseCudaTileTypes(parser, types))
    return failure();
  auto isBase = [](Type type) {
    auto tile = dyn_cast<TileType>(type);
    return tile && tile.getLayout() && isa<PointerType>(tile.getElementType());
  };
  bool namesSources = isDynamic || isBase(types.front());
  if (namesSources) {
    SMLoc arrowLoc = endOfPrevious(parser.getCurrentLocation());
    if (failed(parser.parseOptionalArrow()))
      return parser.emitError(arrowLoc,
                              "expected '->'; expected the type of the dynamic "
                              "values and '->' in front of the tensor_view "
                              "type");
    for (auto [i, type] : llvm::enumerate(types))
      (i == 0 && isBase(type) ? baseType : dynamicType) = type;
    types.clear();
    loc = parser.getCurrentLocation();
    if (parseCudaTileTypes(parser, types))
      return failure();
  }
  if (types.size() == 1)
    viewType = dyn_cast<TensorViewType>(types.front());
  if (!viewType)
    return parser.emitError(loc, "expected 'tensor_view' type, but got ")
           << types;
  return success();
}

ParseResult MakeTensorViewOp::parse(OpAsmParser &parser,
                                    OperationState &result) {
  OpAsmParser::UnresolvedOperand base;
  SmallVector<OpAsmParser::UnresolvedOperand> shapeValues, strideValues;
  SmallVector<int64_t> shape, strides;
  Type baseType, dynamicType;
  TensorViewType viewType;
  if (parser.parseOperand(base))
    return failure();
  SMLoc shapeLoc = parser.getCurrentLocation(), strideLoc = shapeLoc;
  if (succeeded(parser.parseOptionalComma())) {
    shapeLoc = parser.getCurrentLocation();
    if (parseExtents(parser, "shape", shapeValues, shape) ||
        parser.parseComma())
      return failure();
    strideLoc = parser.getCurrentLocation();
    if (parseExtents(parser, "strides", strideValues, strides))
      return failure();
  }
  bool isDynamic = !shapeValues.empty() || !strideValues.empty();
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parseSourceTypes(parser, isDynamic, baseType, dynamicType, viewType) ||
      checkExtents(parser, shapeLoc, "shape", shape, viewType.getShape()) ||
      checkExtents(parser, strideLoc, "stride", strides, viewType.getStrides()))
    return failure();
  if (!baseType)
    baseType = TileType::get(
        {}, PointerType::get(viewType.getElementType(), viewType.getPtrAttr()));
  result.addTypes(viewType);
  llvm::copy(
      ArrayRef<int32_t>{1, static_cast<int32_t>(shapeValues.size()),
                        static_cast<int32_t>(strideValues.size())},
      result.getOrAddProperties<Properties>().operandSegmentSizes.begin());
  return failure(
      parser.resolveOperand(base, baseType, result.operands) ||
      parser.resolveOperands(shapeValues, dynamicType, result.operands) ||
      parser.resolveOperands(strideValues, dynamicType, result.operands));
}

static void printExtents(OpAsmPrinter &printer, StringRef what,
                         ArrayRef<int64_t> values, OperandRange operands) {
  printer << ", " << what << " = [";
  auto operand = operands.begin();
  llvm::interleaveComma(values, printer, [&](int64_t value) {
    if (ShapedType::isDynamic(value))
      printer << *operand++;
    else
      printer << value;
  });
  printer << "]";
}

void MakeTensorViewOp::print(OpAsmPrinter &printer) {
  TensorViewType type = getResult().getType();
  printer << " " << getBase();
  printExtents(printer, "shape", type.getShape(), getDynamicShape());
  printExtents(printer, "strides", type.getStrides(), getDynamicStrides());
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getOperandSegmentSizesAttrName()});
  printer << " : ";
  SmallVector<Type> sources;
  if (getBase().getType().getLayout())
    sources.push_back(getBase().getType());
  if (!getDynamicShape().empty())
    sources.push_back(getDynamicShape().front().getType());
  else if (!getDynamicStrides().empty())
    sources.push_back(getDynamicStrides().front().getType());
  if (!sources.empty()) {
    printCudaTileTypes(printer, sources);
    printer << " -> ";
  }
  printCudaTileType(printer, Type(type));
}
