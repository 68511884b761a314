//===- Reduce.cpp - Reductions and scans ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/Syntax.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace cuda_tile;

//===----------------------------------------------------------------------===//
// Names and syntax
//===----------------------------------------------------------------------===//

StringRef ReduceOp::getDefaultDialect() { return "cuda_tile"; }
StringRef ScanOp::getDefaultDialect() { return "cuda_tile"; }

void ReduceOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  if (getNumResults() != 0)
    setName(getResult(0), "reduce");
}

void ReduceOp::getAsmBlockArgumentNames(Region &region,
                                        OpAsmSetValueNameFn setName) {
  if (region.empty())
    return;
  bool isSingle = region.getNumArguments() == 2;
  for (BlockArgument argument : region.getArguments()) {
    unsigned number = argument.getArgNumber();
    std::string name = number % 2 == 0 ? "reduce_lhs" : "reduce_rhs";
    if (!isSingle)
      name += std::to_string(number / 2);
    setName(argument, name);
  }
}

ParseResult cuda_tile::parseArgumentRegion(OpAsmParser &parser,
                                           Region &region) {
  SmallVector<OpAsmParser::Argument> arguments;
  auto parseArgument = [&]() -> ParseResult {
    OpAsmParser::Argument &argument = arguments.emplace_back();
    return failure(parser.parseArgument(argument) || parser.parseColon() ||
                   parseCudaTileType(parser, argument.type) ||
                   parser.parseOptionalLocationSpecifier(argument.sourceLoc));
  };
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                     parseArgument) ||
      parser.parseRegion(region, arguments))
    return failure();
  // The verifier refuses a body without ops.
  if (region.empty() || region.front().empty())
    return success();
  Block &body = region.front();
  if (!body.back().mightHaveTrait<OpTrait::IsTerminator>()) {
    // Not `atBlockEnd`: the region has no parent op yet.
    OpBuilder builder(parser.getContext());
    builder.setInsertionPointToEnd(&body);
    YieldOp::create(builder, parser.getEncodedSourceLoc(loc));
  }
  return success();
}

void cuda_tile::printArgumentRegion(OpAsmPrinter &printer, Operation *,
                                    Region &region) {
  printer.printNewline();
  printer << "(";
  llvm::interleaveComma(region.getArguments(), printer,
                        [&](BlockArgument argument) {
                          printer << argument << ": ";
                          printCudaTileType(printer, argument.getType());
                        });
  printer << ") ";
  printer.printRegion(region, /*printEntryBlockArgs=*/false);
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// f16 is accepted for bf16 and conversely, because producers write either.
static bool isIdentityType(Type operand, Type identity) {
  auto isHalf = [](Type type) { return type.isF16() || type.isBF16(); };
  return operand == identity || (isHalf(operand) && isHalf(identity));
}

/// All rules except those on the body and the result types.
template <typename Op> static LogicalResult verifyOperands(Op op) {
  size_t count = op.getNumOperands();
  if (count == 0) // C1
    return op.emitOpError("expected 1 or more operands, but found 0; expect at "
                          "least 1 operand; reduce/scan requires at least one "
                          "input");
  if (op.getNumResults() != count) // C1
    return op.emitOpError("expect same number of operands and results; "
                          "reduce/scan must produce one result per input");
  if (op.getIdentities().size() != count) // C1
    return op.emitOpError(
               "expect identities to match the number of operands but "
               "got: ")
           << count << " operands and " << op.getIdentities().size()
           << " identities";

  auto type = cast<TileType>(op.getOperand(0).getType());
  for (size_t i = 0; i < count; ++i) { // C2
    auto operand = cast<TileType>(op.getOperand(i).getType());
    if (operand.getShape() != type.getShape())
      return op.emitOpError("requires the same shape for all operands");
    Type elementType = operand.getElementType();
    auto identity = dyn_cast<TypedAttr>(op.getIdentities()[i]);
    if (!identity || !isIdentityType(elementType, identity.getType()))
      return op.emitOpError("expect same type for operand at index: ")
             << i << " and identity at index: " << i
             << " but got: " << elementType << " and "
             << (identity ? identity.getType() : Type())
             << "; identity element type must match input element type";
  }
  int64_t dim = static_cast<int32_t>(op.getDim());
  if (dim < 0 || dim >= type.getRank()) // C3
    return op.emitOpError("dimension (")
           << dim << ") is out of bound [0, " << type.getRank()
           << "); reduction dimension is out of range";
  return success();
}

/// Says of the results of a reduction what upstream says of inferred types.
static LogicalResult verifyResults(ReduceOp op) {
  SmallVector<Type> inferred, given;
  for (auto [operand, result] :
       llvm::zip_equal(op.getOperands(), op.getResults())) {
    auto from = cast<TileType>(operand.getType());
    SmallVector<int64_t> shape(from.getShape());
    shape.erase(shape.begin() + op.getDim());
    inferred.push_back(TileType::get(shape, from.getElementType()));
    given.push_back(cast<TileType>(result.getType()).withLayout({}));
  }
  if (inferred == given)
    return success();
  op.emitOpError("inferred type(s) ")
      << inferred << " are incompatible with return type(s) of operation "
      << given;
  return op.emitOpError("failed to infer returned types");
}

LogicalResult ReduceOp::verify() {
  if (failed(verifyOperands(*this))) // C1, C2, C3
    return failure();
  return verifyResults(*this); // C6
}

LogicalResult ScanOp::verify() {
  if (failed(verifyOperands(*this))) // C1, C2, C3
    return failure();
  for (auto [i, operand, result] :
       llvm::enumerate(getOperands(), getResults())) { // C6
    auto from = cast<TileType>(operand.getType());
    auto to = cast<TileType>(result.getType());
    if (from.withLayout({}) != to.withLayout({}))
      return emitOpError("expect same type for operand at index: ")
             << i << " and result at index: " << i << " but got: " << from
             << " and " << to;
  }
  return success();
}

/// A pair of scalars per operand, of its element type.
template <typename Op> static LogicalResult verifyArguments(Op op) {
  Block &body = op.getBody().front();
  size_t count = 2 * op.getNumOperands();
  if (body.getNumArguments() != count)
    return op.emitOpError("expect ")
           << count << " block arguments but got: " << body.getNumArguments()
           << "; reduce/scan body must take two rank-zero arguments per input";
  for (BlockArgument argument : body.getArguments()) {
    auto shaped = dyn_cast<ShapedType>(argument.getType());
    if (!shaped || !shaped.hasRank() || shaped.getRank() != 0)
      return op.emitOpError("expect 0-rank tile type at index: ")
             << argument.getArgNumber() << " but got: " << argument.getType();
  }
  for (size_t i = 0; i < op.getNumOperands(); ++i) {
    Type types[] = {body.getArgument(2 * i).getType(),
                    body.getArgument(2 * i + 1).getType()};
    if (!llvm::all_of(types, llvm::IsaPred<TileType>))
      return op.emitOpError("expected TileType for block arguments but got "
                            "types: ")
             << types[0] << " and " << types[1];
    Type lhs = cast<TileType>(types[0]).getElementType();
    Type rhs = cast<TileType>(types[1]).getElementType();
    if (lhs != rhs)
      return op.emitOpError("expect same element type for block argument at "
                            "index: ")
             << 2 * i << " and " << 2 * i + 1 << " but got: " << lhs << " and "
             << rhs;
    auto operand = cast<TileType>(op.getOperand(i).getType());
    if (operand.getElementType() != lhs)
      return op.emitOpError("expect same type for operand at index: ")
             << i << " and block argument at index: " << 2 * i
             << " but got: " << operand.getElementType() << " and " << lhs;
  }
  return success();
}

/// A scalar per operand, of its element type.
template <typename Op> static LogicalResult verifyYield(Op op) {
  auto yield = cast<YieldOp>(op.getBody().front().back());
  size_t count = op.getNumOperands();
  if (yield->getNumOperands() != count)
    return op.emitOpError("expect number of terminators operands (")
           << yield->getNumOperands() << ") to match number of operands ("
           << count << "); expect number of terminators operands ("
           << yield->getNumOperands() << ") to match expected (" << count
           << ")";
  for (size_t i = 0; i < count; ++i) {
    auto operand = cast<TileType>(op.getOperand(i).getType());
    Type yielded = yield->getOperand(i).getType();
    auto tile = dyn_cast<TileType>(yielded);
    if (!tile)
      return op.emitOpError("expected TileType for operand and terminator "
                            "types but got: ")
             << operand << " and " << yielded
             << "; expected TileType for operand and terminator types but "
                "got: "
             << operand << " vs " << yielded;
    if (tile.getRank() != 0 ||
        tile.getElementType() != operand.getElementType())
      return op.emitOpError("expect same type for operand at index: ")
             << i << " and terminator argument at index: " << i
             << " but got: " << operand.getElementType() << " and "
             << tile.getElementType()
             << "; expected TileType for operand and terminator types but "
                "got: "
             << yielded << " vs " << operand;
  }
  return success();
}

/// `remi` is allowed although it has undefined behaviour for some operands,
/// because files of other producers contain it there.
bool cuda_tile::mayCombine(Operation *op) {
  return isa<RemIOp>(op) || (isPure(op) && !isa<DivIOp>(op));
}

template <typename Op> static LogicalResult verifyBody(Op op) {
  if (failed(verifyArguments(op)) || failed(verifyYield(op))) // C4
    return failure();
  for (Operation &inner : op.getBody().front()) // C5
    if (!mayCombine(&inner))
      return inner.emitOpError("only pure operations are allowed inside '")
             << Op::getOperationName() << "'; only pure operations allowed";
  return success();
}

LogicalResult ReduceOp::verifyRegions() { return verifyBody(*this); }
LogicalResult ScanOp::verifyRegions() { return verifyBody(*this); }
