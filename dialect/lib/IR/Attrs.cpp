//===- Attrs.cpp - Attributes of the cuda_tile dialect --------------------===//

#include "cuda_tile/IR/CudaTile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cuda_tile;

#include "cuda_tile/IR/CudaTileAttrInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "cuda_tile/IR/CudaTileAttrs.cpp.inc"

void CudaTileDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "cuda_tile/IR/CudaTileAttrs.cpp.inc"
      >();
}

/// `'cuda_tile.div_by' `, the start of messages.
template <typename Attr> static std::string quoted() {
  return ("'" + Attr::name + "' ").str();
}

static bool isIntOrPointer(TileType tile) {
  return tile && isa<IntegerType, PointerType>(tile.getElementType());
}

//===----------------------------------------------------------------------===//
// DivByAttr
//===----------------------------------------------------------------------===//

LogicalResult DivByAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                uint64_t divisor, std::optional<int64_t> every,
                                std::optional<int64_t> along) {
  if (!llvm::isPowerOf2_64(divisor))
    return emitError() << quoted<DivByAttr>() << "divisor must be a power of 2";
  if (divisor > (uint64_t(1) << 62))
    return emitError() << quoted<DivByAttr>() << "divisor is too large";
  if (every.has_value() != along.has_value())
    return emitError() << quoted<DivByAttr>()
                       << "'every'/'along' must be used in combination";
  return success();
}

LogicalResult DivByAttr::verifyPredicate(Operation *op, Type type) const {
  std::string name = quoted<DivByAttr>();
  if (isa<TensorViewType>(type)) {
    if (getEvery())
      return op->emitOpError(name) << "'every'/'along' cannot be used if the "
                                      "constrained value is a tensor_view";
    return success();
  }
  auto tile = dyn_cast<TileType>(type);
  if (!isIntOrPointer(tile))
    return op->emitOpError(name) << "is valid only for tile of integer/pointer "
                                    "or tensor_view values";
  if (!getEvery())
    return success();
  if (tile.getRank() == 0)
    return op->emitOpError(name) << "'every'/'along' cannot be used if the "
                                    "constrained value is a 0D tile";
  if (*getAlong() < 0 || *getAlong() >= tile.getRank())
    return op->emitOpError(name)
           << "every_dim (" << *getAlong() << ") must be >= 0 and < tile rank ("
           << tile.getRank() << ")";
  int64_t extent = tile.getDimSize(*getAlong());
  if (*getEvery() < 0 || *getEvery() > extent)
    return op->emitOpError("expected ")
           << name
           << "every_dim to be within 0 and the size of the respective "
              "dimension ("
           << extent << ")";
  return success();
}

Attribute DivByAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  uint64_t divisor;
  std::optional<int64_t> every, along;
  if (parser.parseLess())
    return {};
  SMLoc divisorLoc = parser.getCurrentLocation();
  OptionalParseResult result = parser.parseOptionalInteger(divisor);
  if (!result.has_value() || failed(*result)) {
    parser.emitError(divisorLoc, "failed to parse parameter 'divisor' which is "
                                 "expected to be an integer");
    return {};
  }
  if (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalKeyword("every")) &&
        parser.parseInteger(every.emplace()))
      return {};
    if (succeeded(parser.parseOptionalKeyword("along")) &&
        parser.parseInteger(along.emplace()))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    divisor, every, along);
}

void DivByAttr::print(AsmPrinter &printer) const {
  printer << "<" << getDivisor();
  if (getEvery())
    printer << ", every " << *getEvery() << " along " << *getAlong();
  printer << ">";
}

//===----------------------------------------------------------------------===//
// SameElementsAttr
//===----------------------------------------------------------------------===//

LogicalResult SameElementsAttr::verifyPredicate(Operation *op,
                                                Type type) const {
  std::string name = quoted<SameElementsAttr>();
  auto tile = dyn_cast<TileType>(type);
  if (!isIntOrPointer(tile))
    return op->emitOpError(name)
           << "is valid only for tile of integer/pointer values";
  ArrayRef<int64_t> values = getValues().asArrayRef();
  if (static_cast<int64_t>(values.size()) != tile.getRank())
    return op->emitOpError("expected number of values in ")
           << name << "(" << values.size()
           << ") to match rank of constrained tile (" << tile.getRank() << ")";
  for (auto [i, value] : llvm::enumerate(values))
    if (value < 0 || value > tile.getDimSize(i))
      return op->emitOpError("expected ")
             << name << "value " << i
             << " to be within 0 and the size of the respective dimension ("
             << tile.getDimSize(i) << ")";
  return success();
}

//===----------------------------------------------------------------------===//
// BoundedAttr
//===----------------------------------------------------------------------===//

LogicalResult BoundedAttr::verifyPredicate(Operation *op, Type type) const {
  std::string name = quoted<BoundedAttr>();
  auto tile = dyn_cast<TileType>(type);
  if (!tile || !isa<IntegerType>(tile.getElementType()))
    return op->emitOpError(name) << "is valid only for tile of integer values";
  unsigned bits = tile.getElementTypeBitWidth();
  int64_t minimum = llvm::minIntN(bits), maximum = llvm::maxIntN(bits);
  auto verifyBound = [&](std::optional<int64_t> bound,
                         StringRef which) -> LogicalResult {
    if (!bound || (*bound >= minimum && *bound <= maximum))
      return success();
    return op->emitOpError(name)
           << "expects " << which << " bound to be within [" << minimum << ", "
           << maximum << "]";
  };
  if (failed(verifyBound(getLb(), "lower")) ||
      failed(verifyBound(getUb(), "upper")))
    return failure();
  if (getLb() && getUb() && *getLb() > *getUb())
    return op->emitOpError(name)
           << "expects lower bound to be less than or equal to upper bound";
  return success();
}

/// An integer or `?`.
static ParseResult parseBound(AsmParser &parser,
                              std::optional<int64_t> &bound) {
  if (succeeded(parser.parseOptionalQuestion()))
    return success();
  return parser.parseInteger(bound.emplace());
}

static void printBound(AsmPrinter &printer, std::optional<int64_t> bound) {
  if (bound)
    printer << *bound;
  else
    printer << "?";
}

Attribute BoundedAttr::parse(AsmParser &parser, Type) {
  std::optional<int64_t> lower, upper;
  if (parser.parseLess() || parseBound(parser, lower) || parser.parseComma() ||
      parseBound(parser, upper) || parser.parseGreater())
    return {};
  return get(parser.getContext(), lower, upper);
}

void BoundedAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printBound(printer, getLb());
  printer << ", ";
  printBound(printer, getUb());
  printer << ">";
}

//===----------------------------------------------------------------------===//
// OptimizationHintsAttr
//===----------------------------------------------------------------------===//

LogicalResult
OptimizationHintsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              DictionaryAttr value) {
  for (NamedAttribute entry : value)
    if (!isa<DictionaryAttr>(entry.getValue()))
      return emitError() << "expected dictionary attribute for "
                            "optimization_hints entry `"
                         << entry.getName().getValue()
                         << "` got value=" << entry.getValue();
  return success();
}

/// True for numbers that are written without their type.
static bool isPlainNumber(IntegerAttr number) {
  return number && !number.getType().isInteger(1) &&
         number.getType().isSignlessInteger() &&
         number.getValue().getSignificantBits() <= 32;
}

/// Integers in hints are i32, as in bytecode; MLIR parses a plain number as
/// i64.
static Attribute withPlainNumbers(Attribute value) {
  auto hints = dyn_cast<DictionaryAttr>(value);
  if (!hints)
    return value;
  Builder builder(value.getContext());
  SmallVector<NamedAttribute> plain;
  for (NamedAttribute hint : hints) {
    auto number = dyn_cast<IntegerAttr>(hint.getValue());
    if (isPlainNumber(number))
      plain.emplace_back(hint.getName(), builder.getI32IntegerAttr(
                                             number.getValue().getSExtValue()));
    else
      plain.push_back(hint);
  }
  return builder.getDictionaryAttr(plain);
}

Attribute OptimizationHintsAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<NamedAttribute> entries;
  llvm::StringSet<> seen;
  auto parseEntry = [&]() -> ParseResult {
    SMLoc keyLoc = parser.getCurrentLocation();
    std::string key;
    Attribute value;
    if (parser.parseKeywordOrString(&key))
      return failure();
    if (!seen.insert(key).second)
      return parser.emitError(keyLoc, "duplicate optimization_hints key `")
             << key << "`";
    if (parser.parseEqual() || parser.parseAttribute(value))
      return failure();
    entries.emplace_back(StringAttr::get(parser.getContext(), key),
                         withPlainNumbers(value));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseEntry))
    return {};
  return getChecked([&] { return parser.emitError(loc); },
                    DictionaryAttr::get(parser.getContext(), entries));
}

static void printHints(AsmPrinter &printer, DictionaryAttr hints) {
  printer << "{";
  llvm::interleaveComma(hints, printer, [&](NamedAttribute hint) {
    printer.printKeywordOrString(hint.getName());
    printer << " = ";
    auto number = dyn_cast<IntegerAttr>(hint.getValue());
    if (isPlainNumber(number))
      printer.printAttributeWithoutType(number);
    else
      printer << hint.getValue();
  });
  printer << "}";
}

void OptimizationHintsAttr::print(AsmPrinter &printer) const {
  printer << "<";
  llvm::interleaveComma(getValue(), printer, [&](NamedAttribute entry) {
    printer.printKeywordOrString(entry.getName());
    printer << " = ";
    printHints(printer, cast<DictionaryAttr>(entry.getValue()));
  });
  printer << ">";
}
