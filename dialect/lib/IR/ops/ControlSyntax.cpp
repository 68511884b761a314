//===- ControlSyntax.cpp - Control flow: syntax ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

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

/// The initial values of a loop and their types. Operands are resolved behind
/// the regions, so that they cannot be values that only a region defines.
struct IterValues {
  SMLoc loc;
  Operands values;
  SmallVector<Type> types;

  ParseResult resolve(OpAsmParser &parser, OperationState &result) const {
    return parser.resolveOperands(values, types, loc, result.operands);
  }
};

/// Sets the types of `arguments`, which correspond to the initial values.
static ParseResult
setArgumentTypes(OpAsmParser &parser, const IterValues &inits,
                 MutableArrayRef<OpAsmParser::Argument> arguments) {
  if (inits.values.size() != inits.types.size())
    return parser.emitError(inits.loc,
                            "found different number of iter_values and "
                            "types; mismatch in number of loop-carried "
                            "values and defined values");
  for (auto [argument, type] : llvm::zip_equal(arguments, inits.types))
    argument.type = type;
  return success();
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
                                  IterValues &inits, OperationState &result) {
  if (failed(parser.parseOptionalKeyword("iter_values")))
    return success();
  inits.loc = parser.getCurrentLocation();
  if (parser.parseAssignmentList(arguments, inits.values) ||
      parser.parseArrow() || parser.parseLParen() ||
      parseCudaTileTypes(parser, result.types) || parser.parseRParen())
    return failure();
  llvm::append_range(inits.types, result.types);
  return setArgumentTypes(
      parser, inits, MutableArrayRef(arguments).take_back(inits.values.size()));
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
  IterValues inits;
  Region *body = result.addRegion();
  if (parseForValues(parser, arguments, inits, result) ||
      parseFrontAttributes(parser, result) ||
      parser.parseRegion(*body, arguments) ||
      parseBackAttributes(parser, result))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  for (const auto &bound : {lower, upper, step})
    if (parser.resolveOperand(bound, type, result.operands))
      return failure();
  return inits.resolve(parser, result);
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
  printFrontAttributes(printer, *this, {getUnsignedCmpAttrName()});
  printBody<ContinueOp>(printer, getRegion());
  printBackAttributes(printer, *this, {getUnsignedCmpAttrName()});
}

//===----------------------------------------------------------------------===//
// loop
//===----------------------------------------------------------------------===//

StringRef LoopOp::getDefaultDialect() { return "cuda_tile"; }

/// `iter_values(%a = %x) : types -> result types {...}`; without carried values
/// `: result types`, and `-> result types` is read too.
ParseResult LoopOp::parse(OpAsmParser &parser, OperationState &result) {
  Arguments arguments;
  IterValues inits;
  inits.loc = parser.getCurrentLocation();
  bool isCarrying = succeeded(parser.parseOptionalKeyword("iter_values"));
  if (isCarrying && parser.parseAssignmentList(arguments, inits.values))
    return failure();
  if (succeeded(parser.parseOptionalColon()))
    if (parseCudaTileTypes(parser, inits.types))
      return failure();
  if (succeeded(parser.parseOptionalArrow())) {
    if (parseCudaTileTypes(parser, result.types))
      return failure();
  } else if (!isCarrying) {
    result.addTypes(inits.types);
    inits.types.clear();
  }
  Region *body = result.addRegion();
  if (setArgumentTypes(parser, inits, arguments) ||
      parseFrontAttributes(parser, result) ||
      parser.parseRegion(*body, arguments) ||
      parseBackAttributes(parser, result))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return inits.resolve(parser, result);
}

void LoopOp::print(OpAsmPrinter &printer) {
  if (!getInitValues().empty()) {
    printIterValues(printer, getIterValues(), getInitValues());
    printer << " : ";
    printCudaTileTypes(printer, getInitValues().getTypes());
  }
  if (!getResultTypes().empty()) {
    printer << (getInitValues().empty() ? " : " : " -> ");
    printCudaTileTypes(printer, getResultTypes());
  }
  printFrontAttributes(printer, *this);
  printBody<ContinueOp>(printer, getRegion());
  printBackAttributes(printer, *this);
}

//===----------------------------------------------------------------------===//
// if
//===----------------------------------------------------------------------===//

StringRef IfOp::getDefaultDialect() { return "cuda_tile"; }

ParseResult IfOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand condition;
  Type type = TileType::get({}, parser.getBuilder().getI1Type());
  if (parser.parseOperand(condition))
    return failure();
  if (succeeded(parser.parseOptionalArrow()))
    if (parser.parseLParen() || parseCudaTileTypes(parser, result.types) ||
        parser.parseRParen())
      return failure();
  Region *thenRegion = result.addRegion(), *elseRegion = result.addRegion();
  if (parseFrontAttributes(parser, result) || parser.parseRegion(*thenRegion))
    return failure();
  ensureTerminator(*thenRegion, parser.getBuilder(), result.location);
  if (succeeded(parser.parseOptionalKeyword("else"))) {
    if (parser.parseRegion(*elseRegion))
      return failure();
    ensureTerminator(*elseRegion, parser.getBuilder(), result.location);
  }
  return failure(parseBackAttributes(parser, result) ||
                 parser.resolveOperand(condition, type, result.operands));
}

void IfOp::print(OpAsmPrinter &printer) {
  printer << " " << getCondition();
  if (!getResultTypes().empty()) {
    printer << " -> (";
    printCudaTileTypes(printer, getResultTypes());
    printer << ")";
  }
  printFrontAttributes(printer, *this);
  printBody<YieldOp>(printer, getThenRegion());
  if (!getElseRegion().empty()) {
    printer << " else";
    printBody<YieldOp>(printer, getElseRegion());
  }
  printBackAttributes(printer, *this);
}
