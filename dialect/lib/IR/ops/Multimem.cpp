//===- Multimem.cpp - Multicast memory access -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/Verify.h"
#include "IR/ops/ViewAccess.h"

using namespace mlir;
using namespace cuda_tile;

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// The view is a partition_view of a multicast pointer, whose elements the
/// multimem instructions have.
template <typename Op> static LogicalResult verifyMultimemView(Op op) {
  Type view = op.getView().getType();
  auto partition = dyn_cast<PartitionViewType>(view);
  if (!partition)
    return op.emitOpError("expected the view to be a partition_view, got ")
           << view;
  PointerKindAttr kind = partition.getTensorView().getPtrAttr();
  if (!isMulticast(kind))
    return op.emitOpError("expected a multicast pointer, but got ")
           << stringifyPointerKind(kind ? kind.getValue() : PointerKind::NONE);
  Type element = op.getTile().getType().getElementType();
  if (isa<FloatType>(element) &&
      !isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element))
    return op.emitOpError("multimem supports only f16, bf16, f32, and f64 "
                          "floating-point element types; got ")
           << element;
  if (isa<FloatType>(element) || element.isInteger(32) || element.isInteger(64))
    return success();
  InFlightDiagnostic error = op.emitOpError(
      "multimem requires 32- or 64-bit integer/index element types; got ");
  if (element.isInteger())
    return error << element.getIntOrFloatBitWidth() << " bits";
  return error << element;
}

/// The reduction supports the element type.
static LogicalResult verifyReduction(Operation *op, MultimemReduction reduction,
                                     Type type, bool isLoad) {
  using Kind = MultimemReduction;
  if (reduction == Kind::ADD || isa<IntegerType>(type))
    return success();
  bool isExtremum = reduction == Kind::MIN || reduction == Kind::MAX;
  if (!isLoad)
    return op->emitOpError("supports only add for floating-point element "
                           "types; got '")
           << stringifyMultimemReduction(reduction) << "' of " << type;
  if (!isExtremum)
    return op->emitOpError("and/or/xor/umin/umax reductions require integer "
                           "element types; got ")
           << type;
  if (isa<Float16Type, BFloat16Type>(type))
    return success();
  return op->emitOpError("min/max supports f16 and bf16 float types only; got ")
         << type;
}

LogicalResult MultimemLoadReduceViewTkoOp::verify() {
  if (failed(verifyMemoryModel(*this, Access::Load, // C2
                               getMemoryOrderingSemantics(),
                               getMemoryScope())) ||
      failed(verifyMultimemView(*this)) ||          // C1
      failed(verifyReduction(*this, getReduction(), // C3
                             getTile().getType().getElementType(),
                             /*isLoad=*/true)))
    return failure();
  return verifyTileOfView(*this); // C4, C5, C6
}

LogicalResult MultimemReduceViewTkoOp::verify() {
  MemoryOrderingSemantics ordering = getMemoryOrderingSemantics();
  if (ordering != MemoryOrderingSemantics::RELAXED && // C2
      ordering != MemoryOrderingSemantics::RELEASE)
    return emitOpError("memory ordering semantics must be one of: relaxed, "
                       "release; got ")
           << stringifyMemoryOrderingSemantics(ordering);
  if (failed(verifyMultimemView(*this)) ||          // C1
      failed(verifyReduction(*this, getReduction(), // C3
                             getTile().getType().getElementType(),
                             /*isLoad=*/false)))
    return failure();
  return verifyTileOfView(*this); // C4, C5, C6
}

LogicalResult MultimemStoreViewTkoOp::verify() {
  if (failed(verifyMemoryModel(*this, Access::Store, // C2
                               getMemoryOrderingSemantics(),
                               getMemoryScope())) ||
      failed(verifyMultimemView(*this))) // C1, C3
    return failure();
  return verifyTileOfView(*this); // C3, C4, C5
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
