//===- Syntax.cpp - Custom directives of op formats -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

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

/// A mnemonic and its parameters. The error about another word is `before`, the
/// word, `after`, and the word again if there is an `after`.
static ParseResult parseNamedType(AsmParser &parser, Type &type,
                                  StringRef before, StringRef after) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef mnemonic;
  if (parser.parseKeyword(&mnemonic))
    return failure();
  Syntax::Parse parse =
      mnemonic == "f8E5M3FNU" ? F8E5M3FNUType::parse : Syntax::find(mnemonic);
  if (!parse)
    return parser.emitError(loc, before)
           << mnemonic << after << (after.empty() ? "" : mnemonic);
  type = parse(parser);
  return success(static_cast<bool>(type));
}

ParseResult cuda_tile::parseCudaTileType(AsmParser &parser, Type &type) {
  OptionalParseResult result = parser.parseOptionalType(type);
  if (result.has_value())
    return *result;
  return parseNamedType(parser, type, "unknown type: ", "");
}

ParseResult cuda_tile::parseDialectType(AsmParser &parser, Type &type) {
  return parseNamedType(parser, type, "unknown  type `",
                        "` in dialect `cuda_tile`; unknown type: ");
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

std::string cuda_tile::extentsText(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(shape, os, [&](int64_t extent) {
    if (ShapedType::isDynamic(extent))
      os << '?';
    else
      os << extent;
  });
  return text;
}

std::string cuda_tile::shapeText(ArrayRef<int64_t> shape) {
  return "[" + extentsText(shape) + "]";
}

std::string cuda_tile::shapeText(ArrayRef<int32_t> shape) {
  return shapeText(SmallVector<int64_t>(shape));
}

//===----------------------------------------------------------------------===//
// Attributes of ops with regions
//===----------------------------------------------------------------------===//

ParseResult cuda_tile::parseFrontAttributes(OpAsmParser &parser,
                                            OperationState &result) {
  return parser.parseOptionalAttrDictWithKeyword(result.attributes);
}

ParseResult cuda_tile::parseBackAttributes(OpAsmParser &parser,
                                           OperationState &result) {
  return parser.parseOptionalAttrDict(result.attributes);
}

static SmallVector<NamedAttribute> selectAttributes(Operation *op,
                                                    bool isOfPasses) {
  SmallVector<NamedAttribute> selected;
  for (NamedAttribute attribute : op->getAttrs())
    if (attribute.getName().strref().starts_with("tileas.") == isOfPasses)
      selected.push_back(attribute);
  return selected;
}

void cuda_tile::printFrontAttributes(OpAsmPrinter &printer, Operation *op,
                                     ArrayRef<StringRef> elided) {
  printer.printOptionalAttrDictWithKeyword(
      selectAttributes(op, /*isOfPasses=*/true), elided);
}

void cuda_tile::printBackAttributes(OpAsmPrinter &printer, Operation *op,
                                    ArrayRef<StringRef> elided) {
  printer.printOptionalAttrDict(selectAttributes(op, /*isOfPasses=*/false),
                                elided);
}

//===----------------------------------------------------------------------===//
// Keywords
//===----------------------------------------------------------------------===//

bool cuda_tile::parseAnyKeyword(AsmParser &parser, StringRef &keyword) {
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword(&keyword)))
    return true;
  parser.emitError(loc, "expected valid keyword");
  return false;
}

/// Parses one of `allowed` (all of them as `what` lists them in the message).
template <typename EnumAttr, typename Enum>
static ParseResult parseEnum(OpAsmParser &parser, StringRef what,
                             std::optional<Enum> (*symbolize)(StringRef),
                             EnumAttr &attr) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  std::optional<Enum> value;
  if (parseAnyKeyword(parser, keyword))
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

namespace {

/// The modes of one kind of op. The parser takes those `listed` and `unlisted`,
/// and the verifier refuses those that do not fit, so that it can say why.
struct RoundingModes {
  RoundingMode usual; // of an op without `rounding<>`
  SmallVector<RoundingMode> listed;
  SmallVector<RoundingMode> unlisted;
  bool showFound;
  StringRef more; // ends the message
};

} // namespace

/// Parses `<m>`.
static ParseResult parseRoundingMode(OpAsmParser &parser,
                                     const RoundingModes &modes,
                                     RoundingModeAttr &attr) {
  if (parser.parseLess())
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (!parseAnyKeyword(parser, keyword))
    return failure();
  std::optional<RoundingMode> mode = symbolizeRoundingMode(keyword);
  if (!mode || (!llvm::is_contained(modes.listed, *mode) &&
                !llvm::is_contained(modes.unlisted, *mode))) {
    InFlightDiagnostic error =
        parser.emitError(loc, "expected rounding mode to be one of: ");
    llvm::interleaveComma(modes.listed, error, [&](RoundingMode each) {
      error << "'" << stringifyRoundingMode(each) << "'";
    });
    if (modes.showFound)
      error << ", got: '" << keyword << "'";
    return error << modes.more;
  }
  attr = RoundingModeAttr::get(parser.getContext(), *mode);
  return parser.parseGreater();
}

/// Parses `rounding<m>`, or nothing for the usual mode.
static ParseResult parseRounding(OpAsmParser &parser,
                                 const RoundingModes &modes,
                                 RoundingModeAttr &attr) {
  attr = RoundingModeAttr::get(parser.getContext(), modes.usual);
  if (failed(parser.parseOptionalKeyword("rounding")))
    return success();
  return parseRoundingMode(parser, modes, attr);
}

static void printRounding(OpAsmPrinter &printer, RoundingModeAttr attr,
                          RoundingMode usual) {
  if (attr && attr.getValue() != usual)
    printer << "rounding<" << stringifyRoundingMode(attr.getValue()) << ">";
}

ParseResult cuda_tile::parseIEEERounding(OpAsmParser &parser,
                                         RoundingModeAttr &attr) {
  RoundingModes modes{RoundingMode::NEAREST_EVEN,
                      {RoundingMode::NEAREST_EVEN, RoundingMode::ZERO,
                       RoundingMode::NEGATIVE_INF, RoundingMode::POSITIVE_INF},
                      {},
                      /*showFound=*/true,
                      ""};
  return parseRounding(parser, modes, attr);
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
  RoundingModes modes{RoundingMode::NEAREST_EVEN,
                      {RoundingMode::NEAREST_EVEN, RoundingMode::ZERO,
                       RoundingMode::NEGATIVE_INF, RoundingMode::POSITIVE_INF},
                      {RoundingMode::NEAREST_AWAY},
                      /*showFound=*/true,
                      "; 13.4 adds 'nearest_away'"};
  return parseRounding(parser, modes, attr);
}

void cuda_tile::printFToFRounding(OpAsmPrinter &printer, Operation *,
                                  RoundingModeAttr attr) {
  printRounding(printer, attr, RoundingMode::NEAREST_EVEN);
}

ParseResult cuda_tile::parseDivFRounding(OpAsmParser &parser,
                                         RoundingModeAttr &attr) {
  RoundingModes modes{RoundingMode::NEAREST_EVEN,
                      {RoundingMode::NEAREST_EVEN, RoundingMode::ZERO,
                       RoundingMode::NEGATIVE_INF, RoundingMode::POSITIVE_INF,
                       RoundingMode::APPROX, RoundingMode::FULL},
                      {RoundingMode::NEAREST_INT_TO_ZERO},
                      /*showFound=*/true,
                      ""};
  return parseRounding(parser, modes, attr);
}

void cuda_tile::printDivFRounding(OpAsmPrinter &printer, Operation *,
                                  RoundingModeAttr attr) {
  printRounding(printer, attr, RoundingMode::NEAREST_EVEN);
}

ParseResult cuda_tile::parseDivIRounding(OpAsmParser &parser,
                                         RoundingModeAttr &attr) {
  attr =
      dyn_cast_or_null<RoundingModeAttr>(RoundingModeAttr::parse(parser, {}));
  return success(static_cast<bool>(attr));
}

void cuda_tile::printDivIRounding(OpAsmPrinter &printer, Operation *,
                                  RoundingModeAttr attr) {
  printer << "<" << stringifyRoundingMode(attr.getValue()) << ">";
}

ParseResult cuda_tile::parseApproxRounding(OpAsmParser &parser,
                                           RoundingModeAttr &attr) {
  RoundingModes modes{RoundingMode::FULL,
                      {RoundingMode::APPROX, RoundingMode::FULL},
                      {RoundingMode::NEAREST_EVEN, RoundingMode::ZERO,
                       RoundingMode::NEGATIVE_INF, RoundingMode::POSITIVE_INF,
                       RoundingMode::NEAREST_INT_TO_ZERO},
                      /*showFound=*/false,
                      ""};
  return parseRounding(parser, modes, attr);
}

void cuda_tile::printApproxRounding(OpAsmPrinter &printer, Operation *,
                                    RoundingModeAttr attr) {
  printRounding(printer, attr, RoundingMode::FULL);
}

ParseResult cuda_tile::parseFToIRounding(OpAsmParser &parser,
                                         RoundingModeAttr &attr) {
  RoundingModes modes{RoundingMode::NEAREST_INT_TO_ZERO,
                      {RoundingMode::NEAREST_INT_TO_ZERO},
                      {},
                      /*showFound=*/true,
                      ""};
  return parseRounding(parser, modes, attr);
}

void cuda_tile::printFToIRounding(OpAsmPrinter &printer, Operation *,
                                  RoundingModeAttr attr) {
  printRounding(printer, attr, RoundingMode::NEAREST_INT_TO_ZERO);
}

ParseResult cuda_tile::parseSqrtRounding(OpAsmParser &parser,
                                         RoundingModeAttr &attr) {
  RoundingModes modes{RoundingMode::NEAREST_EVEN,
                      {RoundingMode::NEAREST_EVEN, RoundingMode::ZERO,
                       RoundingMode::NEGATIVE_INF, RoundingMode::POSITIVE_INF,
                       RoundingMode::APPROX},
                      {RoundingMode::FULL, RoundingMode::NEAREST_INT_TO_ZERO},
                      /*showFound=*/false,
                      ""};
  return parseRounding(parser, modes, attr);
}

void cuda_tile::printSqrtRounding(OpAsmPrinter &printer, Operation *,
                                  RoundingModeAttr attr) {
  printRounding(printer, attr, RoundingMode::NEAREST_EVEN);
}

//===----------------------------------------------------------------------===//
// Memory model
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

static constexpr StringLiteral kOrderings =
    "weak, relaxed, acquire, release, acq_rel";

static ParseResult parseNamedOrdering(OpAsmParser &parser,
                                      MemoryOrderingSemanticsAttr &ordering) {
  return parseNamedEnum<MemoryOrderingSemanticsAttr, MemoryOrderingSemantics>(
      parser, "memory_ordering_semantics", kOrderings,
      symbolizeMemoryOrderingSemantics, ordering);
}

ParseResult cuda_tile::parseMemoryModel(OpAsmParser &parser,
                                        MemoryOrderingSemanticsAttr &ordering,
                                        MemoryScopeAttr &scope) {
  if (parseNamedOrdering(parser, ordering))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (failed(parser.parseOptionalKeyword(&keyword)))
    return success();
  std::optional<MemoryScope> found = symbolizeMemoryScope(keyword);
  if (!found) // a pointer may stand here too
    return parser.emitError(
               loc, "expected SSA operand; invalid memory_scope attribute "
                    "specification. Got \"")
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

ParseResult cuda_tile::parseAtomicModel(OpAsmParser &parser,
                                        MemoryOrderingSemanticsAttr &ordering,
                                        MemoryScopeAttr &scope) {
  return failure(parseNamedOrdering(parser, ordering) ||
                 parseNamedEnum<MemoryScopeAttr, MemoryScope>(
                     parser, "memory_scope", "tl_blk, device, sys",
                     symbolizeMemoryScope, scope));
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
