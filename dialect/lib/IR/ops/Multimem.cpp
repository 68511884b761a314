//===- Multimem.cpp - Multicast memory access -----------------------------===//

#include "IR/Verify.h"
#include "IR/ops/ViewAccess.h"

using namespace mlir;
using namespace cuda_tile;

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// Rules that all three ops share: view, tile, indices.
template <typename Op> static LogicalResult verifyMultimem(Op op) {
  TileView view = op.getView().getType();
  if (!isa<PartitionViewType>(view))
    return op.emitOpError("expected the view to be a partition_view, got ")
           << view;
  return verifyTileOfView(op);
}

/// The reduction supports the element type.
template <typename Op> static LogicalResult verifyReduction(Op op) {
  MultimemReduction reduction = op.getReduction();
  bool isForAll = llvm::is_contained(
      {MultimemReduction::ADD, MultimemReduction::MIN, MultimemReduction::MAX},
      reduction);
  Type type = op.getTile().getType().getElementType();
  if (isForAll || isa<IntegerType>(type))
    return success();
  return op.emitOpError("expected integers for reduction '")
         << stringifyMultimemReduction(reduction) << "', got " << type;
}

LogicalResult MultimemLoadReduceViewTkoOp::verify() {
  if (failed(verifyMemoryModel(*this, Access::Load, // C2
                               getMemoryOrderingSemantics(),
                               getMemoryScope())) ||
      failed(verifyReduction(*this))) // C3
    return failure();
  return verifyMultimem(*this); // C1, C4, C5, C6
}

LogicalResult MultimemReduceViewTkoOp::verify() {
  MemoryOrderingSemantics ordering = getMemoryOrderingSemantics();
  if (ordering != MemoryOrderingSemantics::RELAXED && // C2
      ordering != MemoryOrderingSemantics::RELEASE)
    return emitOpError("expect one of: relaxed, or release, but got: ")
           << stringifyMemoryOrderingSemantics(ordering);
  if (failed(verifyReduction(*this))) // C3
    return failure();
  return verifyMultimem(*this); // C1, C4, C5, C6
}

LogicalResult MultimemStoreViewTkoOp::verify() {
  if (failed(verifyMemoryModel(*this, Access::Store, // C2
                               getMemoryOrderingSemantics(), getMemoryScope())))
    return failure();
  return verifyMultimem(*this); // C1, C3, C4, C5
}

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

static ParseResult parseReduction(OpAsmParser &parser,
                                  MultimemReductionAttr &reduction) {
  return parseCase(parser, "unknown multimem reduction",
                   "add, min, max, and, or, xor, umin, umax",
                   symbolizeMultimemReduction, reduction);
}

/// Everything between the view and the types; then the type of the tile
/// operand, if there is one, and those of the access.
static ParseResult
parseTypes(OpAsmParser &parser, OperationState &result, ViewAccess &access,
           std::optional<OpAsmParser::UnresolvedOperand> tile) {
  Type tileType;
  if (parseAccessEnd(parser, result, access, /*takesHints=*/false))
    return failure();
  if (tile)
    if (parseCudaTileType(parser, tileType) || parser.parseComma())
      return failure();
  if (parseAccessTypes(parser, access) || resolveView(parser, result, access))
    return failure();
  if (tile)
    if (parser.resolveOperand(*tile, tileType, result.operands))
      return failure();
  return failure(resolveIndex(parser, result, access) ||
                 resolveToken(parser, result, access) ||
                 parseCudaTileTypes(parser, result.types));
}

template <typename Op> static void printHead(OpAsmPrinter &printer, Op op) {
  printer << " ";
  printMemoryModel(printer, op, op.getMemoryOrderingSemanticsAttr(),
                   op.getMemoryScopeAttr());
  printer << " ";
  printIndexedView(printer, op);
}

template <typename Op> static void printTail(OpAsmPrinter &printer, Op op) {
  printTokenAndInbounds(printer, op);
  printer.printOptionalAttrDict(op->getAttrs(),
                                {op.getMemoryOrderingSemanticsAttrName(),
                                 op.getMemoryScopeAttrName(), "reduction",
                                 op.getInboundsAttrName(),
                                 op.getOperandSegmentSizesAttrName()});
  printer << " : ";
}

ParseResult MultimemLoadReduceViewTkoOp::parse(OpAsmParser &parser,
                                               OperationState &result) {
  ViewAccess access;
  Properties &properties = result.getOrAddProperties<Properties>();
  if (parseOrdering(parser, properties.memory_ordering_semantics,
                    properties.memory_scope) ||
      parseIndexedView(parser, access) || parser.parseComma() ||
      parseReduction(parser, properties.reduction) ||
      parseTypes(parser, result, access, std::nullopt))
    return failure();
  if (access.inbounds)
    properties.inbounds = access.inbounds;
  properties.operandSegmentSizes = {1, access.getNumIndices(),
                                    access.getNumTokens()};
  return success();
}

void MultimemLoadReduceViewTkoOp::print(OpAsmPrinter &printer) {
  printHead(printer, *this);
  printer << ", " << stringifyMultimemReduction(getReduction());
  printTail(printer, *this);
  printAccessTypes(printer, *this);
}

ParseResult MultimemReduceViewTkoOp::parse(OpAsmParser &parser,
                                           OperationState &result) {
  ViewAccess access;
  OpAsmParser::UnresolvedOperand tile;
  Properties &properties = result.getOrAddProperties<Properties>();
  if (parseAtomicModel(parser, properties.memory_ordering_semantics,
                       properties.memory_scope) ||
      parseIndexedView(parser, access) || parser.parseComma() ||
      parseReduction(parser, properties.reduction) || parser.parseComma() ||
      parser.parseOperand(tile) || parseTypes(parser, result, access, tile))
    return failure();
  if (access.inbounds)
    properties.inbounds = access.inbounds;
  properties.operandSegmentSizes = {1, 1, access.getNumIndices(),
                                    access.getNumTokens()};
  return success();
}

void MultimemReduceViewTkoOp::print(OpAsmPrinter &printer) {
  printHead(printer, *this);
  printer << ", " << stringifyMultimemReduction(getReduction()) << ", "
          << getTile();
  printTail(printer, *this);
  printCudaTileType(printer, Type(getTile().getType()));
  printer << ", ";
  printAccessTypes(printer, *this);
}

ParseResult MultimemStoreViewTkoOp::parse(OpAsmParser &parser,
                                          OperationState &result) {
  ViewAccess access;
  OpAsmParser::UnresolvedOperand tile;
  Properties &properties = result.getOrAddProperties<Properties>();
  if (parseOrdering(parser, properties.memory_ordering_semantics,
                    properties.memory_scope) ||
      parseIndexedView(parser, access) || parser.parseComma() ||
      parser.parseOperand(tile) || parseTypes(parser, result, access, tile))
    return failure();
  if (access.inbounds)
    properties.inbounds = access.inbounds;
  properties.operandSegmentSizes = {1, 1, access.getNumIndices(),
                                    access.getNumTokens()};
  return success();
}

void MultimemStoreViewTkoOp::print(OpAsmPrinter &printer) {
  printHead(printer, *this);
  printer << ", " << getTile();
  printTail(printer, *this);
  printCudaTileType(printer, Type(getTile().getType()));
  printer << ", ";
  printAccessTypes(printer, *this);
}
