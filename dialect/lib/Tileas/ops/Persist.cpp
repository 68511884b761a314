//===- Persist.cpp - Several tile blocks per CTA --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda_tile/Tileas/Tileas.h"

#include "IR/Syntax.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace cuda_tile;
using namespace cuda_tile::tileas;

static constexpr unsigned kGridRank = 3;

StringRef TilesOp::getDefaultDialect() { return "cuda_tile"; }

SmallVector<Region *> TilesOp::getLoopRegions() { return {&getBody()}; }

Block::BlockArgListType TilesOp::getRegionIterArgs() {
  return getBody().getArguments().drop_front(kGridRank);
}

std::optional<MutableArrayRef<OpOperand>> TilesOp::getYieldedValuesMutable() {
  return getBody().front().getTerminator()->getOpOperands();
}

std::optional<ResultRange> TilesOp::getLoopResults() { return getResults(); }

/// A grid may be empty, so that the body may run not even once.
void TilesOp::getSuccessorRegions(
    RegionBranchPoint, SmallVectorImpl<RegionSuccessor> &successors) {
  successors.emplace_back(&getBody(), getRegionIterArgs());
  successors.emplace_back(getOperation(), getResults());
}

OperandRange TilesOp::getEntrySuccessorOperands(RegionSuccessor) {
  return getInits();
}

ParseResult TilesOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments, carried;
  SmallVector<OpAsmParser::UnresolvedOperand> inits;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren))
    return failure();
  if (arguments.size() != kGridRank)
    return parser.emitError(loc, "expected three arguments for the block's "
                                 "number, got ")
           << arguments.size();
  Type number = TileType::get({}, parser.getBuilder().getI32Type());
  for (OpAsmParser::Argument &argument : arguments)
    argument.type = number;
  if (succeeded(parser.parseOptionalKeyword("iter_values"))) {
    loc = parser.getCurrentLocation();
    if (parser.parseAssignmentList(carried, inits) || parser.parseArrow() ||
        parser.parseLParen() || parseCudaTileTypes(parser, result.types) ||
        parser.parseRParen())
      return failure();
    if (carried.size() != result.types.size())
      return parser.emitError(loc, "expected as many types as carried values, ")
             << carried.size() << ", got " << result.types.size();
    for (auto [argument, type] : llvm::zip_equal(carried, result.types))
      argument.type = type;
  }
  llvm::append_range(arguments, carried);
  Region *body = result.addRegion();
  if (parser.resolveOperands(inits, result.types, loc, result.operands) ||
      parser.parseRegion(*body, arguments) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void TilesOp::print(OpAsmPrinter &printer) {
  printer << " (";
  llvm::interleaveComma(getBody().getArguments().take_front(kGridRank),
                        printer);
  printer << ")";
  if (!getInits().empty()) {
    printer << " iter_values(";
    llvm::interleaveComma(
        llvm::zip_equal(getBody().getArguments().drop_front(kGridRank),
                        getInits()),
        printer, [&](auto pair) {
          printer << std::get<0>(pair) << " = " << std::get<1>(pair);
        });
    printer << ") -> (";
    printCudaTileTypes(printer, getResultTypes());
    printer << ")";
  }
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/!getInits().empty());
  printer.printOptionalAttrDict((*this)->getAttrs());
}

LogicalResult TilesOp::verifyRegions() {
  Type number = TileType::get({}, IntegerType::get(getContext(), 32));
  SmallVector<Type> all(getBody().getArgumentTypes());
  ArrayRef<Type> arguments = all;
  if (arguments.size() != kGridRank + getInits().size() ||
      llvm::any_of(arguments.take_front(kGridRank),
                   [&](Type type) { return type != number; })) // C1
    return emitOpError("expected three arguments of type ")
           << number << " and " << getInits().size()
           << " carried ones, got types " << arguments;
  return success();
}
