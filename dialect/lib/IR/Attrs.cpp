//===- Attrs.cpp - Attributes of the cuda_tile dialect --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda_tile/IR/CudaTile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cuda_tile;

#include "cuda_tile/IR/CudaTileAttrInterfaces.cpp.inc"

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

/// Name of the type, cases and attribute of an enumeration, as messages have
/// them. `more` lists what came after the cases that scripts know.
struct EnumText {
  StringLiteral name, cases, more;
};

template <typename Enum> static constexpr EnumText getEnumText();
#define CUDA_TILE_ENUM_TEXT(NAME, CASES, MORE)                                 \
  template <> constexpr EnumText getEnumText<NAME>() {                         \
    return {#NAME, CASES, MORE};                                               \
  }
CUDA_TILE_ENUM_TEXT(Signedness, "unsigned, signed", "")
CUDA_TILE_ENUM_TEXT(IntegerOverflow,
                    "none, no_signed_wrap, no_unsigned_wrap, no_wrap", "")
CUDA_TILE_ENUM_TEXT(RoundingMode,
                    "nearest_even, zero, negative_inf, positive_inf, approx, "
                    "full, nearest_int_to_zero",
                    "nearest_away")
CUDA_TILE_ENUM_TEXT(ComparisonOrdering, "unordered, ordered", "")
CUDA_TILE_ENUM_TEXT(ComparisonPredicate,
                    "equal, not_equal, less_than, less_than_or_equal, "
                    "greater_than, greater_than_or_equal",
                    "")
CUDA_TILE_ENUM_TEXT(AtomicRMWMode,
                    "and, or, xor, add, addf, max, min, umax, umin, xchg", "")
CUDA_TILE_ENUM_TEXT(MultimemReduction,
                    "add, min, max, and, or, xor, umin, umax", "")
CUDA_TILE_ENUM_TEXT(PointerKind, "none, unicast, multicast", "")
CUDA_TILE_ENUM_TEXT(MemoryScope, "tl_blk, device, sys", "")
CUDA_TILE_ENUM_TEXT(MemoryOrderingSemantics,
                    "weak, relaxed, acquire, release, acq_rel", "")
CUDA_TILE_ENUM_TEXT(SymbolVisibility, "public, private", "")
#ifdef CUDA_TILE_TESTING
CUDA_TILE_ENUM_TEXT(BytecodeTestPriority, "low, normal, high", "")
#endif // CUDA_TILE_TESTING
#undef CUDA_TILE_ENUM_TEXT

/// The two errors of a case that is not there.
static ParseResult emitUnknownCase(AsmParser &parser, SMLoc loc,
                                   const EnumText &text) {
  InFlightDiagnostic error =
      parser.emitError(loc, "expected ::mlir::cuda_tile::")
      << text.name << " to be one of: " << text.cases;
  if (!text.more.empty())
    error << "; 13.4 adds " << text.more;
  error.report();
  return parser.emitError(loc, "failed to parse CudaTile_")
         << text.name << "Attr parameter 'value' which is to be a "
         << "`::mlir::cuda_tile::" << text.name << "`";
}

/// `<signed>`, or `signed` as in `#cuda_tile<signedness signed>`.
template <typename Enum>
static ParseResult parseEnumCase(AsmParser &parser, Enum &value) {
  bool isBracketed = succeeded(parser.parseOptionalLess());
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  (void)parser.parseOptionalKeyword(&keyword);
  std::optional<Enum> known = symbolizeEnum<Enum>(keyword);
  if (!known)
    return emitUnknownCase(parser, loc, getEnumText<Enum>());
  value = *known;
  return isBracketed ? parser.parseGreater() : success();
}

template <typename Enum>
static void printEnumCase(AsmPrinter &printer, Enum value) {
  printer << "<" << stringifyEnum(value) << ">";
}

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

LogicalResult
DivByAttr::verifyFields(function_ref<InFlightDiagnostic()> emitError,
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
  if (failed(verifyFields([&] { return op->emitOpError(); }, getDivisor(),
                          getEvery(), getAlong())))
    return failure();
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

/// `every 4` or `along 1`; one needs the other.
static ParseResult parseGroupField(AsmParser &parser, StringRef keyword,
                                   std::optional<int64_t> &value) {
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword(keyword)))
    return parser.emitError(loc, "expected '")
           << keyword << "'; 'every'/'along' must be used in combination";
  return parser.parseInteger(value.emplace());
}

Attribute DivByAttr::parse(AsmParser &parser, Type) {
  uint64_t divisor;
  std::optional<int64_t> every, along;
  if (parser.parseLess())
    return {};
  SMLoc divisorLoc = parser.getCurrentLocation();
  OptionalParseResult result = parser.parseOptionalInteger(divisor);
  if (!result.has_value() || failed(*result)) {
    if (!result.has_value())
      parser.emitError(divisorLoc, "expected integer value");
    parser.emitError(divisorLoc, "failed to parse parameter 'divisor' which is "
                                 "expected to be an integer");
    return {};
  }
  if (succeeded(parser.parseOptionalComma()) &&
      (parseGroupField(parser, "every", every) ||
       parseGroupField(parser, "along", along)))
    return {};
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), divisor, every, along);
}

void DivByAttr::print(AsmPrinter &printer) const {
  printer << "<" << getDivisor();
  if (getEvery() && getAlong())
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
