//===- DenseSyntax.cpp - Literals of constant tiles -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `<f32: 0.5>` is a splat, `<i32: [[1, 2], [3, 4]]>` lists each element.
//
//===----------------------------------------------------------------------===//

#include "IR/F8E5M3FNU.h"
#include "IR/Syntax.h"

using namespace mlir;
using namespace cuda_tile;

namespace {

/// Parses the elements of a literal, and the shape from its brackets.
class LiteralParser {
public:
  LiteralParser(OpAsmParser &parser, Type elementType)
      : parser(parser), elementType(elementType) {}

  /// One number, or nested lists of equal length.
  ParseResult parse() { return parseList(/*depth=*/0); }

  ArrayRef<int64_t> getShape() const { return shape; }

  DenseElementsAttr getAttr(TileType type) const {
    if (isa<FloatType>(elementType))
      return DenseElementsAttr::get(type, floats);
    return DenseElementsAttr::get(type, integers);
  }

private:
  /// Tiles have at most 24 dimensions that are not 1; this bounds recursion.
  static constexpr size_t kMaxDepth = 64;

  ParseResult parseList(size_t depth) {
    SMLoc loc = parser.getCurrentLocation();
    if (failed(parser.parseOptionalLSquare())) {
      if (isDepthKnown && depth != shape.size())
        return raggedError(loc);
      isDepthKnown = true;
      return parseElement();
    }
    if (succeeded(parser.parseOptionalRSquare()))
      return parser.emitError(loc, isa<FloatType>(elementType)
                                       ? "expected floating point literal"
                                       : "expected integer value")
             << "; dense attribute cannot be empty";
    if (depth >= kMaxDepth || (isDepthKnown && depth >= shape.size()))
      return raggedError(loc);
    bool isFirst = !isDepthKnown;
    if (isFirst)
      shape.push_back(0);
    int64_t count = 0;
    do {
      if (parseList(depth + 1))
        return failure();
      ++count;
    } while (succeeded(parser.parseOptionalComma()));
    if (parser.parseRSquare())
      return failure();
    if (shape[depth] == 0)
      shape[depth] = count;
    if (shape[depth] != count)
      return raggedError(loc);
    return success();
  }

  ParseResult raggedError(SMLoc loc) {
    return parser.emitError(loc, "tensor literal is invalid; ranks are not "
                                 "consistent between elements");
  }

  ParseResult parseElement() {
    if (isa<F8E5M3FNUType>(elementType))
      return parseF8E5M3FNU();
    if (auto type = dyn_cast<FloatType>(elementType)) {
      APFloat value(type.getFloatSemantics());
      if (parser.parseFloat(type.getFloatSemantics(), value))
        return failure();
      floats.push_back(value);
      return success();
    }
    return parseIntegerElement(elementType.getIntOrFloatBitWidth());
  }

  /// A number that the type has, as an f64.
  ParseResult parseF8E5M3FNU() {
    SMLoc loc = parser.getCurrentLocation();
    APFloat value(APFloat::IEEEdouble());
    if (parser.parseFloat(APFloat::IEEEdouble(), value))
      return failure();
    uint8_t bits = encodeF8E5M3FNU(value);
    if (!value.isNaN() && decodeF8E5M3FNU(bits) != value)
      return parser.emitError(loc, "expected a number that fnv8E5M3FNU has; "
                                   "the nearest is ")
             << decodeF8E5M3FNU(bits).convertToDouble();
    auto &semantics = cast<FloatType>(elementType).getFloatSemantics();
    floats.emplace_back(semantics, APInt(8, bits));
    return success();
  }

  ParseResult parseIntegerElement(unsigned bits) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef keyword;
    bool isKeyword =
        succeeded(parser.parseOptionalKeyword(&keyword, {"true", "false"}));
    if (isKeyword && bits == 1) {
      integers.emplace_back(1, keyword == "true");
      return success();
    }
    APInt value;
    OptionalParseResult result = std::nullopt;
    if (!isKeyword)
      result = parser.parseOptionalInteger(value);
    if (!result.has_value())
      return parser.emitError(loc, "expected integer value");
    if (failed(*result))
      return failure();
    // Signed and unsigned literals are both accepted: -1 and 255 for i8.
    bool fits = value.isNegative() ? value.getSignificantBits() <= bits
                                   : value.getActiveBits() <= bits;
    if (!fits)
      return parser.emitError(loc, "integer constant out of range for type");
    integers.push_back(value.sextOrTrunc(bits));
    return success();
  }

  OpAsmParser &parser;
  Type elementType;
  SmallVector<int64_t> shape;
  /// The first element determines the nesting depth.
  bool isDepthKnown = false;
  SmallVector<APFloat> floats;
  SmallVector<APInt> integers;
};

} // namespace

static bool isConstantElement(Type type) {
  if (type.isSignlessInteger())
    return llvm::is_contained({1u, 8u, 16u, 32u, 64u},
                              type.getIntOrFloatBitWidth());
  return isa<Float16Type, BFloat16Type, Float32Type, FloatTF32Type, Float64Type,
             Float8E4M3FNType, Float8E5M2Type, Float8E8M0FNUType,
             Float4E2M1FNType, F8E5M3FNUType>(type);
}

static constexpr StringLiteral kConstantTypes =
    "i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or "
    "f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN";

/// `'f32'`.
static std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << "'" << type << "'";
  return text;
}

ParseResult cuda_tile::parseDenseTile(OpAsmParser &parser,
                                      DenseIntOrFPElementsAttr &value,
                                      Type &type) {
  Type elementType;
  if (parser.parseLess())
    return failure();
  SMLoc elementLoc = parser.getCurrentLocation();
  // Of an unknown type, its own error and then that it is none of these.
  if (parseCudaTileType(parser, elementType))
    elementType = {};
  if (!elementType || !isConstantElement(elementType))
    return parser.emitError(elementLoc, "expect element type to be one of ")
           << kConstantTypes << " values, but got "
           << (elementType ? typeText(elementType) : "'<<NULL TYPE>>'");
  LiteralParser literal(parser, elementType);
  if (parser.parseColon())
    return failure();
  SMLoc literalLoc = parser.getCurrentLocation();
  if (literal.parse() || parser.parseGreater() || parser.parseColon() ||
      parseCudaTileType(parser, type))
    return failure();

  auto tile = dyn_cast<TileType>(type);
  if (!tile)
    return parser.emitError(literalLoc, "result #0 must be tile of ")
           << kConstantTypes << " values, but got " << type;
  if (tile.getElementType() != elementType)
    return parser.emitError(elementLoc, "mismatch between the element type: ")
           << elementType << " and the tile element type "
           << tile.getElementType();
  if (!literal.getShape().empty() && literal.getShape() != tile.getShape())
    return parser.emitError(literalLoc, "inferred shape of elements literal (")
           << shapeText(literal.getShape()) << ") does not match type ("
           << shapeText(tile.getShape()) << ")";
  value = cast<DenseIntOrFPElementsAttr>(literal.getAttr(tile.withLayout({})));
  return success();
}

/// Prints the elements `[first, first + count)` as lists along `shape`.
template <typename PrintElement>
static void printElements(OpAsmPrinter &printer, ArrayRef<int64_t> shape,
                          int64_t numElements, PrintElement printElement) {
  // The number of elements below one entry of each dimension.
  SmallVector<int64_t> sizes;
  int64_t size = numElements;
  for (int64_t extent : shape)
    sizes.push_back(size /= extent);
  for (int64_t i = 0; i < numElements; ++i) {
    if (i != 0)
      printer << ", ";
    for (auto [extent, size] : llvm::zip_equal(shape, sizes))
      if (i % (extent * size) == 0)
        printer << "[";
    printElement(i);
    for (auto [extent, size] : llvm::zip_equal(shape, sizes))
      if ((i + 1) % (extent * size) == 0)
        printer << "]";
  }
}

void cuda_tile::printDenseTile(OpAsmPrinter &printer, Operation *,
                               DenseIntOrFPElementsAttr value, Type type) {
  Type elementType = value.getElementType();
  auto print = [&](auto values, auto printElement) {
    if (value.isSplat())
      return printElement(*values.begin());
    printElements(printer, value.getType().getShape(), value.getNumElements(),
                  [&](int64_t i) { printElement(*(values.begin() + i)); });
  };
  printer << "<";
  printCudaTileType(printer, elementType);
  printer << ": ";
  if (isa<F8E5M3FNUType>(elementType))
    print(value.getValues<APFloat>(), [&](const APFloat &number) {
      uint64_t bits = number.bitcastToAPInt().getZExtValue();
      printer.printFloat(decodeF8E5M3FNU(static_cast<uint8_t>(bits)));
    });
  else if (isa<FloatType>(elementType))
    print(value.getValues<APFloat>(),
          [&](const APFloat &number) { printer.printFloat(number); });
  else if (elementType.isInteger(1))
    print(value.getValues<bool>(),
          [&](bool bit) { printer << (bit ? "true" : "false"); });
  else
    print(value.getValues<APInt>(), [&](const APInt &number) {
      number.print(printer.getStream(), true);
    });
  printer << "> : ";
  printCudaTileType(printer, type);
}
