//===- Control.cpp - Loops and how regions end ----------------------------===//

#include "IR/Syntax.h"

using namespace mlir;
using namespace cuda_tile;

//===----------------------------------------------------------------------===//
// continue
//===----------------------------------------------------------------------===//

LogicalResult ContinueOp::verify() {
  auto loop = cast<ForOp>((*this)->getParentOp());
  if (getOperandTypes() == loop.getResultTypes()) // C1
    return success();
  InFlightDiagnostic error =
      emitOpError("`for` is missing a valid terminator. `continue` op should "
                  "have operand types that match the parent loop return "
                  "types: (");
  llvm::interleaveComma(loop.getResultTypes(), error);
  error << "), but found: (";
  llvm::interleaveComma(getOperandTypes(), error);
  return error << "); early-exit operand types must match the enclosing region "
                  "contract";
}

//===----------------------------------------------------------------------===//
// for: names and syntax
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
static ParseResult
parseIterValues(OpAsmParser &parser,
                SmallVectorImpl<OpAsmParser::Argument> &arguments,
                OperationState &result) {
  if (failed(parser.parseOptionalKeyword("iter_values")))
    return success();
  SmallVector<OpAsmParser::UnresolvedOperand> values;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseAssignmentList(arguments, values) || parser.parseArrow() ||
      parser.parseLParen() || parseCudaTileTypes(parser, result.types) ||
      parser.parseRParen())
    return failure();
  if (values.size() != result.types.size())
    return parser.emitError(loc,
                            "found different number of iter_values and types");
  for (auto [argument, type] : llvm::zip_equal(
           MutableArrayRef(arguments).take_back(values.size()), result.types))
    argument.type = type;
  return parser.resolveOperands(values, result.types, loc, result.operands);
}

ParseResult ForOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments(1);
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
  if (parseIterValues(parser, arguments, result) ||
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
    printer << " iter_values(";
    llvm::interleaveComma(llvm::zip_equal(getIterValues(), getInitValues()),
                          printer, [&](auto pair) {
                            printer << std::get<0>(pair) << " = "
                                    << std::get<1>(pair);
                          });
    printer << ") -> (";
    printCudaTileTypes(printer, getResultTypes());
    printer << ")";
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {getUnsignedCmpAttrName()});
  printer << " ";
  printer.printRegion(getRegion(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/!getInitValues().empty());
}

//===----------------------------------------------------------------------===//
// for: verification
//===----------------------------------------------------------------------===//

/// Views name memory; they do not leave the region that makes them.
static LogicalResult verifyNoView(Operation *op, StringRef what, size_t index,
                                  Type type) {
  bool isTensorView = isa<TensorViewType>(type);
  if (!isTensorView && !isa<TileView>(type))
    return success();
  return op->emitOpError(what)
         << " " << index << " is a "
         << (isTensorView ? "tensor_view" : "tile view")
         << ", which is not supported; view-typed for results are not "
            "permitted";
}

LogicalResult ForOp::verify() {
  for (auto [i, type] : llvm::enumerate(getInitValues().getTypes())) // C2
    if (failed(verifyNoView(*this, "loop-carried value", i, type)))
      return failure();
  return success();
}

LogicalResult ForOp::verifyRegions() {
  if (getRegion().getNumArguments() == 0) // C1
    return emitOpError(
        "expected at least one block argument for induction variable");
  Type index = getInductionVar().getType(), bound = getLowerBound().getType();
  if (index != bound) // C1
    return emitOpError("expected induction variable to be same type as bounds "
                       "and step: ")
           << index << " vs " << bound
           << "; for induction, lower, upper, and step must share an integer "
              "type";
  if (getIterValues().size() != getInitValues().size()) // C2
    return emitOpError("mismatch in number of region iterator values and loop "
                       "iterator inits: ")
           << getIterValues().size() << " vs " << getInitValues().size();
  for (auto [i, init, value] :
       llvm::enumerate(getInitValues(), getIterValues())) // C2
    if (init.getType() != value.getType())
      return emitOpError("init value ")
             << i << " and region iter_value " << i
             << " have different type: " << init.getType()
             << " != " << value.getType()
             << "; for init values must match region iter-arg types";
  return success();
}

//===----------------------------------------------------------------------===//
// return
//===----------------------------------------------------------------------===//

LogicalResult ReturnOp::verify() {
  if (getNumOperands() == 0) // C1
    return success();
  return emitOpError("has ")
         << getNumOperands()
         << " operands, but entry function must return 0 operands; early-exit "
            "operand types must match the enclosing region contract";
}
