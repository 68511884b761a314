//===- Hint.cpp - Assumptions, assertions and printing --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/Syntax.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace cuda_tile;

//===----------------------------------------------------------------------===//
// assume
//===----------------------------------------------------------------------===//

/// Removes a repeated assumption.
OpFoldResult AssumeOp::fold(FoldAdaptor) {
  auto inner = getValue().getDefiningOp<AssumeOp>();
  if (inner && inner.getPredicate() == getPredicate())
    return getValue();
  return {};
}

/// The name that `value`'s op suggests for printing, if any.
static std::string findName(Value value) {
  std::string found;
  auto named = dyn_cast_or_null<OpAsmOpInterface>(value.getDefiningOp());
  if (named)
    named.getAsmResultNames([&](Value result, StringRef name) {
      if (result == value)
        found = name.str();
    });
  return found;
}

void AssumeOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  // `assume` per assumption in the chain, then the name of its source.
  std::string name = "assume";
  Value source = getValue();
  while (auto inner = source.getDefiningOp<AssumeOp>()) {
    name += "_assume";
    source = inner.getValue();
  }
  std::string sourceName = findName(source);
  if (!sourceName.empty())
    name += "_" + sourceName;
  setName(getResult(), name);
}

LogicalResult AssumeOp::verify() {
  return getPredicate().verifyPredicate(*this, getValue().getType()); // C1
}

ParseResult
cuda_tile::parseAssumePredicate(OpAsmParser &parser,
                                AssumePredicateAttrInterface &predicate) {
  SMLoc loc = parser.getCurrentLocation();
  Attribute attr;
  StringRef name;
  if (succeeded(parser.parseOptionalKeyword(&name))) {
    if (name == DivByAttr::getMnemonic())
      attr = DivByAttr::parse(parser, {});
    else if (name == SameElementsAttr::getMnemonic())
      attr = SameElementsAttr::parse(parser, {});
    else if (name == BoundedAttr::getMnemonic())
      attr = BoundedAttr::parse(parser, {});
    else
      return parser.emitError(loc, "unknown assume predicate attribute: ")
             << name << " (expected 'div_by', 'same_elements', or 'bounded')";
    if (!attr)
      return failure();
  } else {
    OptionalParseResult result = parser.parseOptionalAttribute(attr);
    if (!result.has_value()) {
      parser.emitError(loc, "expected valid keyword");
      return parser.emitError(loc, "expected attribute name");
    }
    if (failed(*result))
      return failure();
  }
  predicate = dyn_cast<AssumePredicateAttrInterface>(attr);
  if (!predicate)
    return parser.emitError(loc, "expected assume predicate attribute");
  return success();
}

void cuda_tile::printAssumePredicate(OpAsmPrinter &printer, Operation *,
                                     AssumePredicateAttrInterface predicate) {
  auto print = [&](auto attr) {
    printer << attr.getMnemonic();
    attr.print(printer);
  };
  if (auto divBy = dyn_cast<DivByAttr>(Attribute(predicate)))
    print(divBy);
  else if (auto same = dyn_cast<SameElementsAttr>(Attribute(predicate)))
    print(same);
  else if (auto bounded = dyn_cast<BoundedAttr>(Attribute(predicate)))
    print(bounded);
  else
    printer << Attribute(predicate);
}

//===----------------------------------------------------------------------===//
// print_tko
//===----------------------------------------------------------------------===//

/// `"text", %a, %b token=%t : types -> token`. `print` of 13.1 has no token;
/// the result token of the op is then unused.
ParseResult PrintTkoOp::parse(OpAsmParser &parser, OperationState &result) {
  Properties &properties = result.getOrAddProperties<Properties>();
  SmallVector<OpAsmParser::UnresolvedOperand> args, tokens;
  SmallVector<Type> types;
  Type tokenType = TokenType::get(parser.getContext());
  if (parser.parseAttribute(properties.str))
    return failure();
  while (succeeded(parser.parseOptionalComma()))
    if (parser.parseOperand(args.emplace_back()))
      return failure();
  if (succeeded(parser.parseOptionalKeyword("token")))
    if (parser.parseEqual() || parser.parseOperand(tokens.emplace_back()))
      return failure();
  if (parser.parseOptionalAttrDict(result.attributes))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (!args.empty())
    if (parser.parseColon() || parseCudaTileTypes(parser, types))
      return failure();
  result.addTypes(tokenType);
  if (succeeded(parser.parseOptionalArrow()))
    if (parseCudaTileType(parser, result.types.back()))
      return failure();
  properties.operandSegmentSizes = {static_cast<int32_t>(args.size()),
                                    static_cast<int32_t>(tokens.size())};
  return failure(
      parser.resolveOperands(args, types, loc, result.operands) ||
      parser.resolveOperands(tokens, tokenType, loc, result.operands));
}

void PrintTkoOp::print(OpAsmPrinter &printer) {
  printer << " " << getStrAttr();
  for (Value arg : getArgs())
    printer << ", " << arg;
  if (getToken())
    printer << " token=" << getToken();
  printer.printOptionalAttrDict(
      (*this)->getAttrs(),
      {getStrAttrName(), getOperandSegmentSizesAttrName()});
  if (!getArgs().empty()) {
    printer << " : ";
    printCudaTileTypes(printer, getArgs().getTypes());
  }
  printer << " -> ";
  printCudaTileType(printer, Type(getResultToken().getType()));
}

/// The number of format specifiers, `%%` excluded; failure if one is
/// incomplete.
static FailureOr<size_t> countDirectives(StringRef format) {
  size_t count = 0;
  for (size_t at = format.find('%'); at != StringRef::npos;
       at = format.find('%', at)) {
    size_t end = format.find_first_of("diouxXeEfFgGaAcsSpn%", at + 1);
    bool isPercent = end == at + 1 && format[end] == '%';
    if (end == StringRef::npos || (format[end] == '%' && !isPercent))
      return failure();
    if (!isPercent)
      ++count;
    at = end + 1;
  }
  return count;
}

LogicalResult PrintTkoOp::verify() {
  FailureOr<size_t> count = countDirectives(getStr());
  if (failed(count)) // C1
    return emitOpError("found unterminated format expression");
  if (*count != getArgs().size()) // C2
    return emitOpError("incorrect number of operands: expected ")
           << *count << ", found " << getArgs().size();
  return success();
}
