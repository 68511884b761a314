//===- Hint.cpp - What the producer knows ---------------------------------===//

#include "IR/Syntax.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace cuda_tile;

//===----------------------------------------------------------------------===//
// assume
//===----------------------------------------------------------------------===//

/// Saying the same twice is saying it once.
OpFoldResult AssumeOp::fold(FoldAdaptor) {
  auto inner = getValue().getDefiningOp<AssumeOp>();
  if (inner && inner.getPredicate() == getPredicate())
    return getValue();
  return {};
}

/// The name under which `value` prints, if its op gives it one.
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
  // `assume` for each assumption in the chain, then the name of its source.
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
    if (!result.has_value())
      return parser.emitError(loc, "expected attribute name");
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
