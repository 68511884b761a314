//===- ViewAccess.cpp - Accesses through views: syntax --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/ops/ViewAccess.h"

using namespace mlir;
using namespace cuda_tile;

//===----------------------------------------------------------------------===//
// Lists of types that are often all equal
//===----------------------------------------------------------------------===//

void cuda_tile::printUniformTypes(OpAsmPrinter &printer, TypeRange types) {
  if (llvm::all_equal(types))
    types = types.take_front(1);
  printCudaTileTypes(printer, types);
}

bool cuda_tile::expandTypes(SmallVectorImpl<Type> &types, size_t count) {
  if (types.size() == 1)
    types.assign(count, Type(types.front()));
  return types.size() == count;
}

//===----------------------------------------------------------------------===//
// Parts of an access
//===----------------------------------------------------------------------===//

ParseResult cuda_tile::parseOrdering(OpAsmParser &parser,
                                     MemoryOrderingSemanticsAttr &ordering,
                                     MemoryScopeAttr &scope) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  std::optional<MemoryOrderingSemantics> semantics;
  if (parseAnyKeyword(parser, keyword))
    semantics = symbolizeMemoryOrderingSemantics(keyword);
  if (!semantics)
    return parser.emitError(loc, "invalid memory_ordering_semantics attribute "
                                 "specification. Got \"")
           << keyword
           << "\" but expect one of: weak, relaxed, acquire, release, acq_rel";
  ordering = MemoryOrderingSemanticsAttr::get(parser.getContext(), *semantics);

  loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword(&keyword)))
    return success();
  if (*semantics == MemoryOrderingSemantics::WEAK)
    return parser.emitError(loc, "operation specifies weak memory ordering "
                                 "semantics, but then provides \"")
           << keyword << "\" scope, expected no memory scope.";
  std::optional<MemoryScope> found = symbolizeMemoryScope(keyword);
  if (!found)
    return parser.emitError(
               loc, "invalid memory_scope attribute specification. Got \"")
           << keyword << "\" but expect one of: tl_blk, device, sys";
  scope = MemoryScopeAttr::get(parser.getContext(), *found);
  return success();
}

ParseResult cuda_tile::parseIndexedView(OpAsmParser &parser,
                                        ViewAccess &access) {
  return failure(
      parser.parseOperand(access.view) ||
      parser.parseOperandList(access.index, OpAsmParser::Delimiter::Square));
}

/// `inbounds = [true, false]`. All false is equivalent to its absence.
static ParseResult parseOptionalInbounds(OpAsmParser &parser,
                                         DenseBoolArrayAttr &inbounds) {
  if (failed(parser.parseOptionalKeyword("inbounds")))
    return success();
  if (parser.parseEqual())
    return failure();
  auto found = dyn_cast_or_null<DenseBoolArrayAttr>(
      DenseBoolArrayAttr::parse(parser, {}));
  if (found && llvm::is_contained(found.asArrayRef(), true))
    inbounds = found;
  return success(static_cast<bool>(found));
}

ParseResult cuda_tile::parseAccessEnd(OpAsmParser &parser,
                                      OperationState &result,
                                      ViewAccess &access, bool takesHints) {
  if (succeeded(parser.parseOptionalKeyword("token")))
    if (parser.parseEqual() || parser.parseOperand(access.token.emplace()))
      return failure();
  return failure(parseOptionalInbounds(parser, access.inbounds) ||
                 (takesHints && parseOptionalHints(parser, access.hints)) ||
                 parser.parseOptionalAttrDict(result.attributes) ||
                 parser.parseColon());
}

ParseResult cuda_tile::parseAccessTypes(OpAsmParser &parser,
                                        ViewAccess &access) {
  // The verifier refuses what is no view.
  if (parseCudaTileType(parser, access.viewType))
    return failure();
  size_t count = access.index.size();
  SMLoc loc = parser.getCurrentLocation();
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc typeLoc = parser.getCurrentLocation();
    if (succeeded(parser.parseOptionalArrow())) {
      parser.emitError(typeLoc, "expected valid keyword");
      return parser.emitError(typeLoc, "expected index type after comma");
    }
    if (parseCudaTileType(parser, access.indexTypes.emplace_back()))
      return failure();
  }
  if (count != 0 && access.indexTypes.empty())
    return parser.emitError(
        loc, "index types must be specified when indices are present");
  size_t found = access.indexTypes.size();
  if (!(count == 0 && found == 0) && !expandTypes(access.indexTypes, count))
    return parser.emitError(loc, "expected ")
           << count << " index types, got " << found;
  return parser.parseArrow();
}

ParseResult cuda_tile::resolveView(OpAsmParser &parser, OperationState &result,
                                   const ViewAccess &access) {
  return parser.resolveOperand(access.view, access.viewType, result.operands);
}

ParseResult cuda_tile::resolveIndex(OpAsmParser &parser, OperationState &result,
                                    const ViewAccess &access) {
  return parser.resolveOperands(access.index, access.indexTypes,
                                parser.getCurrentLocation(), result.operands);
}

ParseResult cuda_tile::resolveToken(OpAsmParser &parser, OperationState &result,
                                    const ViewAccess &access) {
  if (!access.token)
    return success();
  return parser.resolveOperand(
      *access.token, TokenType::get(parser.getContext()), result.operands);
}

//===----------------------------------------------------------------------===//
// load_view_tko, store_view_tko
//===----------------------------------------------------------------------===//

template <typename Properties>
static void setProperties(const ViewAccess &access, Properties &properties) {
  if (access.inbounds)
    properties.inbounds = access.inbounds;
  if (access.hints)
    properties.optimization_hints = access.hints;
}

template <typename Op>
static void printAccessEnd(OpAsmPrinter &printer, Op op) {
  printTokenAndInbounds(printer, op);
  if (OptimizationHintsAttr hints = op.getOptimizationHintsAttr()) {
    printer << " optimization_hints = ";
    hints.print(printer);
  }
  printer.printOptionalAttrDict(
      op->getAttrs(),
      {op.getMemoryOrderingSemanticsAttrName(), op.getMemoryScopeAttrName(),
       op.getInboundsAttrName(), op.getOptimizationHintsAttrName(),
       op.getOperandSegmentSizesAttrName()});
  printer << " : ";
}

template <typename Op> static void printOrdering(OpAsmPrinter &printer, Op op) {
  printer << " ";
  printMemoryModel(printer, op, op.getMemoryOrderingSemanticsAttr(),
                   op.getMemoryScopeAttr());
  printer << " ";
}

ParseResult LoadViewTkoOp::parse(OpAsmParser &parser, OperationState &result) {
  ViewAccess access;
  Properties &properties = result.getOrAddProperties<Properties>();
  if (parseOrdering(parser, properties.memory_ordering_semantics,
                    properties.memory_scope) ||
      parseIndexedView(parser, access) ||
      parseAccessEnd(parser, result, access, /*takesHints=*/true) ||
      parseAccessTypes(parser, access) || resolveView(parser, result, access) ||
      resolveIndex(parser, result, access) ||
      resolveToken(parser, result, access))
    return failure();
  setProperties(access, properties);
  properties.operandSegmentSizes = {1, access.getNumIndices(),
                                    access.getNumTokens()};
  return parseCudaTileTypes(parser, result.types);
}

void LoadViewTkoOp::print(OpAsmPrinter &printer) {
  printOrdering(printer, *this);
  printIndexedView(printer, *this);
  printAccessEnd(printer, *this);
  printAccessTypes(printer, *this);
}

ParseResult StoreViewTkoOp::parse(OpAsmParser &parser, OperationState &result) {
  ViewAccess access;
  OpAsmParser::UnresolvedOperand tile;
  Type tileType;
  Properties &properties = result.getOrAddProperties<Properties>();
  if (parseOrdering(parser, properties.memory_ordering_semantics,
                    properties.memory_scope) ||
      parser.parseOperand(tile) || parser.parseComma() ||
      parseIndexedView(parser, access) ||
      parseAccessEnd(parser, result, access, /*takesHints=*/true) ||
      parseCudaTileType(parser, tileType) || parser.parseComma() ||
      parseAccessTypes(parser, access) ||
      parser.resolveOperand(tile, tileType, result.operands) ||
      resolveView(parser, result, access) ||
      resolveIndex(parser, result, access) ||
      resolveToken(parser, result, access))
    return failure();
  setProperties(access, properties);
  properties.operandSegmentSizes = {1, 1, access.getNumIndices(),
                                    access.getNumTokens()};
  return parseCudaTileTypes(parser, result.types);
}

void StoreViewTkoOp::print(OpAsmPrinter &printer) {
  printOrdering(printer, *this);
  printer << getTile() << ", ";
  printIndexedView(printer, *this);
  printAccessEnd(printer, *this);
  printCudaTileType(printer, Type(getTile().getType()));
  printer << ", ";
  printAccessTypes(printer, *this);
}
