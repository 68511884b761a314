//===- ControlSyntax.cpp - Control flow: syntax ---------------------------===//

#include "IR/Syntax.h"

using namespace mlir;
using namespace cuda_tile;

//===----------------------------------------------------------------------===//
// Bodies and loop-carried values
//===----------------------------------------------------------------------===//

/// Prints ` {...}` without the implicit terminator that the parser adds.
template <typename End>
static void printBody(OpAsmPrinter &printer, Region &region) {
  Operation &end = region.front().back();
  bool isImplied = end.getName().getStringRef() == End::getOperationName() &&
                   end.getNumOperands() == 0 &&
                   end.getDiscardableAttrDictionary().empty();
  printer << " ";
  printer.printRegion(region, /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/!isImplied);
}

using Arguments = SmallVector<OpAsmParser::Argument>;
using Operands = SmallVector<OpAsmParser::UnresolvedOperand>;

/// Sets the types of `arguments` and `values`, which correspond to each other.
static ParseResult
resolveIterValues(OpAsmParser &parser, SMLoc loc,
                  MutableArrayRef<OpAsmParser::Argument> arguments,
                  const Operands &values, ArrayRef<Type> types,
                  OperationState &result) {
  if (values.size() != types.size())
    return parser.emitError(loc, "found different number of iter_values and "
                                 "types; mismatch in number of loop-carried "
                                 "values and defined values");
  for (auto [argument, type] : llvm::zip_equal(arguments, types))
    argument.type = type;
  return parser.resolveOperands(values, types, loc, result.operands);
}

static void printIterValues(OpAsmPrinter &printer,
                            Block::BlockArgListType arguments,
                            OperandRange values) {
  printer << " iter_values(";
  llvm::interleaveComma(
      llvm::zip_equal(arguments, values), printer, [&](auto pair) {
        printer << std::get<0>(pair) << " = " << std::get<1>(pair);
      });
  printer << ")";
}

//===----------------------------------------------------------------------===//
// for
//===----------------------------------------------------------------------===//

StringRef ForOp::getDefaultDialect() { return "cuda_tile"; }

void ForOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  if (getNumResults() != 0)
    setName(getResult(0), "for");
}

void ForOp::getAsmBlockArgumentNames(Region &region,
                                     OpAsmSetValueNameFn setName) {
  if (region.empty() || region.getNumArguments() == 0)
    return;
  setName(region.getArgument(0), "loopIdx");
  for (BlockArgument value : region.getArguments().drop_front())
    setName(value, "iterArg" + std::to_string(value.getArgNumber() - 1));
}

/// `iter_values(%a = %x, ...) -> (type, ...)`, or nothing.
static ParseResult parseForValues(OpAsmParser &parser, Arguments &arguments,
                                  OperationState &result) {
  if (failed(parser.parseOptionalKeyword("iter_values")))
    return success();
  Operands values;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseAssignmentList(arguments, values) || parser.parseArrow() ||
      parser.parseLParen() || parseCudaTileTypes(parser, result.types) ||
      parser.parseRParen())
    return failure();
  return resolveIterValues(parser, loc,
                           MutableArrayRef(arguments).take_back(values.size()),
                           values, result.types, result);
}

ParseResult ForOp::parse(OpAsmParser &parser, OperationState &result) {
  Arguments arguments(1);
  OpAsmParser::UnresolvedOperand lower, upper, step;
  Type type;
  if (succeeded(parser.parseOptionalKeyword("unsigned")))
    result.getOrAddProperties<Properties>().unsignedCmp =
        parser.getBuilder().getUnitAttr();
  if (parser.parseArgument(arguments.front()) || parser.parseKeyword("in") ||
      parser.parseLParen() || parser.parseOperand(lower) ||
      parser.parseKeyword("to") || parser.parseOperand(upper) ||
      parser.parseComma() || parser.parseKeyword("step") ||
      parser.parseOperand(step) || parser.parseRParen() ||
      parser.parseColon() || parseCudaTileType(parser, type))
    return failure();
  arguments.front().type = type;
  for (const auto &bound : {lower, upper, step})
    if (parser.resolveOperand(bound, type, result.operands))
      return failure();
  Region *body = result.addRegion();
  if (parseForValues(parser, arguments, result) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*body, arguments))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void ForOp::print(OpAsmPrinter &printer) {
  printer << (getUnsignedCmp() ? " unsigned " : " ") << getInductionVar()
          << " in (" << getLowerBound() << " to " << getUpperBound()
          << ", step " << getStep() << ") : ";
  printCudaTileType(printer, getLowerBound().getType());
  if (!getInitValues().empty()) {
    printIterValues(printer, getIterValues(), getInitValues());
    printer << " -> (";
    printCudaTileTypes(printer, getResultTypes());
    printer << ")";
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {getUnsignedCmpAttrName()});
  printBody<ContinueOp>(printer, getRegion());
}

//===----------------------------------------------------------------------===//
// loop
//===----------------------------------------------------------------------===//

StringRef LoopOp::getDefaultDialect() { return "cuda_tile"; }

ParseResult LoopOp::parse(OpAsmParser &parser, OperationState &result) {
  Arguments arguments;
  Operands values;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("iter_values")))
    if (parser.parseAssignmentList(arguments, values))
      return failure();
  if (succeeded(parser.parseOptionalColon()))
    if (parseCudaTileTypes(parser, types))
      return failure();
  if (succeeded(parser.parseOptionalArrow()))
    if (parseCudaTileTypes(parser, result.types))
      return failure();
  Region *body = result.addRegion();
  if (resolveIterValues(parser, loc, arguments, values, types, result) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*body, arguments))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void LoopOp::print(OpAsmPrinter &printer) {
  if (!getInitValues().empty()) {
    printIterValues(printer, getIterValues(), getInitValues());
    printer << " : ";
    printCudaTileTypes(printer, getInitValues().getTypes());
  }
  if (!getResultTypes().empty()) {
    printer << " -> ";
    printCudaTileTypes(printer, getResultTypes());
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printBody<ContinueOp>(printer, getRegion());
}

//===----------------------------------------------------------------------===//
// if
//===----------------------------------------------------------------------===//

StringRef IfOp::getDefaultDialect() { return "cuda_tile"; }

ParseResult IfOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand condition;
  Type type = TileType::get({}, parser.getBuilder().getI1Type());
  if (parser.parseOperand(condition) ||
      parser.resolveOperand(condition, type, result.operands))
    return failure();
  if (succeeded(parser.parseOptionalArrow()))
    if (parser.parseLParen() || parseCudaTileTypes(parser, result.types) ||
        parser.parseRParen())
      return failure();
  Region *thenRegion = result.addRegion(), *elseRegion = result.addRegion();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*thenRegion))
    return failure();
  ensureTerminator(*thenRegion, parser.getBuilder(), result.location);
  if (failed(parser.parseOptionalKeyword("else")))
    return success();
  if (parser.parseRegion(*elseRegion))
    return failure();
  ensureTerminator(*elseRegion, parser.getBuilder(), result.location);
  return success();
}

void IfOp::print(OpAsmPrinter &printer) {
  printer << " " << getCondition();
  if (!getResultTypes().empty()) {
    printer << " -> (";
    printCudaTileTypes(printer, getResultTypes());
    printer << ")";
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printBody<YieldOp>(printer, getThenRegion());
  if (!getElseRegion().empty()) {
    printer << " else";
    printBody<YieldOp>(printer, getElseRegion());
  }
}
