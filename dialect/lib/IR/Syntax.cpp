//===- Syntax.cpp - Custom directives of op formats -----------------------===//

#include "IR/Syntax.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cuda_tile;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

namespace {
/// Parsing and printing of each type of the dialect, `Ours`.
template <typename... Ours> struct TypesSyntax {
  using Parse = Type (*)(AsmParser &);

  /// The parser of the type that `mnemonic` names; null if there is none.
  static Parse find(StringRef mnemonic) {
    Parse parse = nullptr;
    ((mnemonic == Ours::getMnemonic() ? void(parse = Ours::parse) : void()),
     ...);
    return parse;
  }

  static void print(AsmPrinter &printer, Type type) {
    TypeSwitch<Type>(type)
        .Case<Ours...>([&](auto ours) {
          printer << ours.getMnemonic();
          ours.print(printer);
        })
        .Default([&](Type other) { printer << other; });
  }
};
} // namespace

using Syntax = TypesSyntax<
#define GET_TYPEDEF_LIST
#include "cuda_tile/IR/CudaTileTypes.cpp.inc"
    >;

ParseResult cuda_tile::parseCudaTileType(AsmParser &parser, Type &type) {
  OptionalParseResult result = parser.parseOptionalType(type);
  if (result.has_value())
    return *result;
  SMLoc loc = parser.getCurrentLocation();
  StringRef mnemonic;
  if (parser.parseKeyword(&mnemonic))
    return failure();
  Syntax::Parse parse = Syntax::find(mnemonic);
  if (!parse) {
    InFlightDiagnostic error = parser.emitError(loc, "unknown type: ")
                               << mnemonic;
    if (mnemonic == "f8E5M3FNU")
      error << "; " << kNoSuchFloat;
    return error;
  }
  type = parse(parser);
  return success(static_cast<bool>(type));
}

void cuda_tile::printCudaTileType(AsmPrinter &printer, Type type) {
  Syntax::print(printer, type);
}

ParseResult cuda_tile::parseCudaTileTypes(AsmParser &parser,
                                          SmallVectorImpl<Type> &types) {
  return parser.parseCommaSeparatedList(
      [&] { return parseCudaTileType(parser, types.emplace_back()); });
}

void cuda_tile::printCudaTileTypes(AsmPrinter &printer, TypeRange types) {
  llvm::interleaveComma(types, printer.getStream(),
                        [&](Type type) { printCudaTileType(printer, type); });
}

void cuda_tile::printShape(raw_ostream &os, ArrayRef<int64_t> shape) {
  llvm::interleave(
      shape, os,
      [&](int64_t extent) {
        if (ShapedType::isDynamic(extent))
          os << '?';
        else
          os << extent;
      },
      "x");
}

template <typename T> static std::string bracketed(ArrayRef<T> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(shape, os, [&](T extent) {
    if (ShapedType::isDynamic(extent))
      os << '?';
    else
      os << extent;
  });
  os << ']';
  return text;
}

std::string cuda_tile::shapeText(ArrayRef<int64_t> shape) {
  return bracketed(shape);
}

std::string cuda_tile::shapeText(ArrayRef<int32_t> shape) {
  return bracketed(shape);
}

//===----------------------------------------------------------------------===//
// Keywords
//===----------------------------------------------------------------------===//

/// Parses one of `allowed` (all of them as `what` lists them in the message).
template <typename EnumAttr, typename Enum>
static ParseResult parseEnum(OpAsmParser &parser, StringRef what,
                             std::optional<Enum> (*symbolize)(StringRef),
                             EnumAttr &attr) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  std::optional<Enum> value;
  if (succeeded(parser.parseOptionalKeyword(&keyword)))
    value = symbolize(keyword);
  if (!value)
    return parser.emitError(loc, "expected ") << what;
  attr = EnumAttr::get(parser.getContext(), *value);
  return success();
}

ParseResult cuda_tile::parseSignedness(OpAsmParser &parser,
                                       SignednessAttr &attr) {
  return parseEnum<SignednessAttr, Signedness>(
      parser, "signedness to be one of: {'signed', 'unsigned'}",
      symbolizeSignedness, attr);
}

void cuda_tile::printSignedness(OpAsmPrinter &printer, Operation *,
                                SignednessAttr attr) {
  printer << stringifySignedness(attr.getValue());
}

ParseResult cuda_tile::parseComparisonPredicate(OpAsmParser &parser,
                                                ComparisonPredicateAttr &attr) {
  return parseEnum<ComparisonPredicateAttr, ComparisonPredicate>(
      parser,
      "'comparison_predicate' to be one of: {'equal', 'not_equal', "
      "'less_than', 'less_than_or_equal', 'greater_than', "
      "'greater_than_or_equal'}",
      symbolizeComparisonPredicate, attr);
}

void cuda_tile::printComparisonPredicate(OpAsmPrinter &printer, Operation *,
                                         ComparisonPredicateAttr attr) {
  printer << stringifyComparisonPredicate(attr.getValue());
}

ParseResult cuda_tile::parseComparisonOrdering(OpAsmParser &parser,
                                               ComparisonOrderingAttr &attr) {
  return parseEnum<ComparisonOrderingAttr, ComparisonOrdering>(
      parser, "'comparison_ordering' to be one of: {'ordered', 'unordered'}",
      symbolizeComparisonOrdering, attr);
}

void cuda_tile::printComparisonOrdering(OpAsmPrinter &printer, Operation *,
                                        ComparisonOrderingAttr attr) {
  printer << stringifyComparisonOrdering(attr.getValue());
}

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

/// Parses `<m>`, with `m` one of `allowed`. The message for the IEEE modes also
/// contains what was found.
static ParseResult parseRoundingMode(OpAsmParser &parser,
                                     ArrayRef<RoundingMode> allowed,
                                     bool showFound, RoundingModeAttr &attr) {
  StringRef keyword;
  if (parser.parseLess())
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  (void)parser.parseOptionalKeyword(&keyword);
  std::optional<RoundingMode> mode = symbolizeRoundingMode(keyword);
  if (!mode || !llvm::is_contained(allowed, *mode)) {
    InFlightDiagnostic error =
        parser.emitError(loc, "expected rounding mode to be one of: ");
    llvm::interleaveComma(allowed, error, [&](RoundingMode each) {
      error << "'" << stringifyRoundingMode(each) << "'";
    });
    if (showFound)
      error << ", got: '" << keyword << "'";
    return error;
  }
  attr = RoundingModeAttr::get(parser.getContext(), *mode);
  return parser.parseGreater();
}

/// Parses `rounding<m>`, or nothing for the first of `allowed`.
static ParseResult parseRounding(OpAsmParser &parser,
                                 ArrayRef<RoundingMode> allowed, bool showFound,
                                 RoundingModeAttr &attr) {
  attr = RoundingModeAttr::get(parser.getContext(), allowed.front());
  if (failed(parser.parseOptionalKeyword("rounding")))
    return success();
  return parseRoundingMode(parser, allowed, showFound, attr);
}

static void printRounding(OpAsmPrinter &printer, RoundingModeAttr attr,
                          RoundingMode usual) {
  if (attr && attr.getValue() != usual)
    printer << "rounding<" << stringifyRoundingMode(attr.getValue()) << ">";
}

ParseResult cuda_tile::parseIEEERounding(OpAsmParser &parser,
                                         RoundingModeAttr &attr) {
  return parseRounding(parser,
                       {RoundingMode::NEAREST_EVEN, RoundingMode::ZERO,
                        RoundingMode::NEGATIVE_INF, RoundingMode::POSITIVE_INF},
                       /*showFound=*/true, attr);
}

void cuda_tile::printIEEERounding(OpAsmPrinter &printer, Operation *,
                                  RoundingModeAttr attr) {
  printRounding(printer, attr, RoundingMode::NEAREST_EVEN);
}

ParseResult cuda_tile::parseOptionalHints(OpAsmParser &parser,
                                          OptimizationHintsAttr &hints) {
  if (failed(parser.parseOptionalKeyword("optimization_hints")))
    return success();
  if (parser.parseEqual())
    return failure();
  hints = dyn_cast_or_null<OptimizationHintsAttr>(
      OptimizationHintsAttr::parse(parser, {}));
  return success(static_cast<bool>(hints));
}

ParseResult cuda_tile::parseFToFRounding(OpAsmParser &parser,
                                         RoundingModeAttr &attr) {
  return parseRounding(parser,
                       {RoundingMode::NEAREST_EVEN, RoundingMode::ZERO,
                        RoundingMode::NEGATIVE_INF, RoundingMode::POSITIVE_INF,
                        RoundingMode::NEAREST_AWAY},
                       /*showFound=*/true, attr);
}

void cuda_tile::printFToFRounding(OpAsmPrinter &printer, Operation *,
                                  RoundingModeAttr attr) {
  printRounding(printer, attr, RoundingMode::NEAREST_EVEN);
}

ParseResult cuda_tile::parseDivFRounding(OpAsmParser &parser,
                                         RoundingModeAttr &attr) {
  return parseRounding(parser,
                       {RoundingMode::NEAREST_EVEN, RoundingMode::ZERO,
                        RoundingMode::NEGATIVE_INF, RoundingMode::POSITIVE_INF,
                        RoundingMode::APPROX, RoundingMode::FULL},
                       /*showFound=*/true, attr);
}

void cuda_tile::printDivFRounding(OpAsmPrinter &printer, Operation *,
                                  RoundingModeAttr attr) {
  printRounding(printer, attr, RoundingMode::NEAREST_EVEN);
}

ParseResult cuda_tile::parseDivIRounding(OpAsmParser &parser,
                                         RoundingModeAttr &attr) {
  return parseRoundingMode(parser,
                           {RoundingMode::ZERO, RoundingMode::NEGATIVE_INF,
                            RoundingMode::POSITIVE_INF},
                           /*showFound=*/false, attr);
}

void cuda_tile::printDivIRounding(OpAsmPrinter &printer, Operation *,
                                  RoundingModeAttr attr) {
  printer << "<" << stringifyRoundingMode(attr.getValue()) << ">";
}

ParseResult cuda_tile::parseApproxRounding(OpAsmParser &parser,
                                           RoundingModeAttr &attr) {
  return parseRounding(parser, {RoundingMode::FULL, RoundingMode::APPROX},
                       /*showFound=*/false, attr);
}

void cuda_tile::printApproxRounding(OpAsmPrinter &printer, Operation *,
                                    RoundingModeAttr attr) {
  printRounding(printer, attr, RoundingMode::FULL);
}

ParseResult cuda_tile::parseFToIRounding(OpAsmParser &parser,
                                         RoundingModeAttr &attr) {
  return parseRounding(parser, {RoundingMode::NEAREST_INT_TO_ZERO},
                       /*showFound=*/false, attr);
}

void cuda_tile::printFToIRounding(OpAsmPrinter &printer, Operation *,
                                  RoundingModeAttr attr) {
  printRounding(printer, attr, RoundingMode::NEAREST_INT_TO_ZERO);
}

ParseResult cuda_tile::parseSqrtRounding(OpAsmParser &parser,
                                         RoundingModeAttr &attr) {
  return parseRounding(parser,
                       {RoundingMode::NEAREST_EVEN, RoundingMode::ZERO,
                        RoundingMode::NEGATIVE_INF, RoundingMode::POSITIVE_INF,
                        RoundingMode::APPROX},
                       /*showFound=*/false, attr);
}

void cuda_tile::printSqrtRounding(OpAsmPrinter &printer, Operation *,
                                  RoundingModeAttr attr) {
  printRounding(printer, attr, RoundingMode::NEAREST_EVEN);
}

//===----------------------------------------------------------------------===//
// Memory model
//===----------------------------------------------------------------------===//

ParseResult cuda_tile::parseMemoryModel(OpAsmParser &parser,
                                        MemoryOrderingSemanticsAttr &ordering,
                                        MemoryScopeAttr &scope) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  (void)parser.parseOptionalKeyword(&keyword);
  auto semantics = symbolizeMemoryOrderingSemantics(keyword);
  if (!semantics)
    return parser.emitError(loc, "invalid memory_ordering_semantics attribute "
                                 "specification. Got \"")
           << keyword
           << "\" but expect one of: weak, relaxed, acquire, release, acq_rel";
  ordering = MemoryOrderingSemanticsAttr::get(parser.getContext(), *semantics);

  loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword(&keyword)))
    return success();
  std::optional<MemoryScope> found = symbolizeMemoryScope(keyword);
  if (!found)
    return parser.emitError(
               loc, "invalid memory_scope attribute specification. Got \"")
           << keyword << "\" but expect one of: tl_blk, device, sys";
  scope = MemoryScopeAttr::get(parser.getContext(), *found);
  return success();
}

void cuda_tile::printMemoryModel(OpAsmPrinter &printer, Operation *,
                                 MemoryOrderingSemanticsAttr ordering,
                                 MemoryScopeAttr scope) {
  printer << stringifyMemoryOrderingSemantics(ordering.getValue());
  if (scope)
    printer << " " << stringifyMemoryScope(scope.getValue());
}

//===----------------------------------------------------------------------===//
// Keywords of atomic accesses, which have messages of their own
//===----------------------------------------------------------------------===//

/// Parses a keyword, bare or as a string, that stands for `attribute`.
template <typename EnumAttr, typename Enum>
static ParseResult
parseNamedEnum(OpAsmParser &parser, StringRef attribute, StringRef cases,
               std::optional<Enum> (*symbolize)(StringRef), EnumAttr &attr) {
  SMLoc loc = parser.getCurrentLocation();
  std::string keyword;
  std::optional<Enum> value;
  if (succeeded(parser.parseOptionalKeywordOrString(&keyword)))
    value = symbolize(keyword);
  if (!value)
    return parser.emitError(loc, "expected string or keyword containing one of "
                                 "the following enum values for attribute '")
           << attribute << "' [" << cases << "]";
  attr = EnumAttr::get(parser.getContext(), *value);
  return success();
}

ParseResult cuda_tile::parseAtomicModel(OpAsmParser &parser,
                                        MemoryOrderingSemanticsAttr &ordering,
                                        MemoryScopeAttr &scope) {
  return failure(
      parseNamedEnum<MemoryOrderingSemanticsAttr, MemoryOrderingSemantics>(
          parser, "memory_ordering_semantics",
          "weak, relaxed, acquire, release, acq_rel",
          symbolizeMemoryOrderingSemantics, ordering) ||
      parseNamedEnum<MemoryScopeAttr, MemoryScope>(
          parser, "memory_scope", "tl_blk, device, sys", symbolizeMemoryScope,
          scope));
}

void cuda_tile::printAtomicModel(OpAsmPrinter &printer, Operation *op,
                                 MemoryOrderingSemanticsAttr ordering,
                                 MemoryScopeAttr scope) {
  printMemoryModel(printer, op, ordering, scope);
}

ParseResult cuda_tile::parseAtomicMode(OpAsmParser &parser,
                                       AtomicRMWModeAttr &mode) {
  return parseNamedEnum<AtomicRMWModeAttr, AtomicRMWMode>(
      parser, "mode", "and, or, xor, add, addf, max, min, umax, umin, xchg",
      symbolizeAtomicRMWMode, mode);
}

void cuda_tile::printAtomicMode(OpAsmPrinter &printer, Operation *,
                                AtomicRMWModeAttr mode) {
  printer << stringifyAtomicRMWMode(mode.getValue());
}
