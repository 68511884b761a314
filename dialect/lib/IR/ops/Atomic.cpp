//===- Atomic.cpp - Atomic operations -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/ops/ViewAccess.h"

using namespace mlir;
using namespace cuda_tile;

//===----------------------------------------------------------------------===//
// Shared rules
//===----------------------------------------------------------------------===//

static LogicalResult verifyAtomicOrdering(Operation *op,
                                          MemoryOrderingSemantics ordering) {
  if (ordering != MemoryOrderingSemantics::WEAK)
    return success();
  return op->emitOpError("memory ordering semantics must be one of: relaxed, "
                         "acquire, release, acq_rel");
}

/// The pointee type of `pointers` is the element type of `values`, named
/// `name`.
static LogicalResult verifyPointee(Operation *op, TileType pointers,
                                   StringRef name, TileType values) {
  if (pointsTo(pointers, values))
    return success();
  auto pointer = cast<PointerType>(pointers.getElementType());
  return op->emitOpError("expected pointee type (")
         << pointer.getPointeeType() << ") to match element type of '" << name
         << "' (" << values.getElementType()
         << "); pointer pointee element type must match value element type";
}

/// `names` are those of the operands in the message.
static LogicalResult verifyMask(Operation *op, TileType pointers, Value mask,
                                StringRef names) {
  if (!mask || cast<TileType>(mask.getType()).getShape() == pointers.getShape())
    return success();
  return op->emitOpError("failed to verify that all of {")
         << names << "} have same shape; mask shape must match value shape";
}

static bool isWordOrDouble(Type type) {
  return type.isInteger(32) || type.isInteger(64) || type.isF32() ||
         type.isF64();
}

/// `mode` supports elements of `type`.
static LogicalResult verifyMode(Operation *op, AtomicRMWMode mode, Type type) {
  StringRef name = stringifyAtomicRMWMode(mode);
  if (mode == AtomicRMWMode::ADDF) {
    if (type.isF16() || type.isBF16() || type.isF32() || type.isF64())
      return success();
    return op->emitOpError("'")
           << name
           << "' works only with floats f16, bf16, f32, and f64; "
              "floating-add rmw requires a target-supported floating width";
  }
  if (mode == AtomicRMWMode::XCHG) {
    if (isWordOrDouble(type))
      return success();
    return op->emitOpError("'")
           << name
           << "' works only with integers or float of 32 or 64 bitwidth; xchg "
              "rmw requires a target-supported atomic width";
  }
  if (type.isInteger(32) || type.isInteger(64))
    return success();
  return op->emitOpError("'")
         << name
         << "' works only with integers i32 and i64; integer rmw mode requires "
            "i32 or i64 element type";
}

//===----------------------------------------------------------------------===//
// atomic_cas_tko
//===----------------------------------------------------------------------===//

LogicalResult AtomicCASTkoOp::verify() {
  TileType pointers = getPointers().getType(), values = getVal().getType();
  if (failed(verifyAtomicOrdering(*this, getMemoryOrderingSemantics())) || // C1
      failed(verifyPointee(*this, pointers, "val", values)))               // C2
    return failure();
  if (!isWordOrDouble(values.getElementType())) // C3
    return emitOpError("expect only float or integer types with 32 or 64 bit");
  return verifyMask(*this, pointers, getMask(), // C4
                    "pointers, val, cmp and mask");
}

//===----------------------------------------------------------------------===//
// atomic_rmw_tko
//===----------------------------------------------------------------------===//

LogicalResult AtomicRMWTkoOp::verify() {
  TileType pointers = getPointers().getType(), values = getArg().getType();
  if (failed(verifyAtomicOrdering(*this, getMemoryOrderingSemantics())) || // C1
      failed(verifyPointee(*this, pointers, "arg", values)) ||             // C2
      failed(verifyMode(*this, getMode(), values.getElementType())))       // C3
    return failure();
  return verifyMask(*this, pointers, getMask(), "pointers, arg, mask"); // C4
}

//===----------------------------------------------------------------------===//
// atomic_red_view_tko: rules
//===----------------------------------------------------------------------===//

/// The padding of a view, if it has one.
static PaddingValueAttr getPadding(TileView view) {
  if (auto partition = dyn_cast<PartitionViewType>(view))
    return partition.getPaddingValue();
  if (auto strided = dyn_cast<StridedViewType>(view))
    return strided.getPaddingValue();
  return {};
}

/// The view, and the value with its tile type.
static LogicalResult verifyViewAndValue(AtomicRedViewTkoOp op) {
  TileView view = op.getView().getType();
  if (isa<GatherScatterViewType>(view)) // C1
    return op.emitOpError(
        "gather_scatter_view is not supported; use partition_view instead");
  if (getPadding(view)) // C1
    return op.emitOpError(
        "views with padding_value are not supported for atomic reductions");
  ShapedType tile = view.getViewTileType();
  TileType value = op.getValue().getType();
  if (tile.getElementType() != value.getElementType()) // C2
    return op.emitOpError("view element type (")
           << tile.getElementType() << ") must match value element type ("
           << value.getElementType()
           << "); pointer pointee element type must match value element type";
  if (tile.getShape() != value.getShape()) // C2
    return op.emitOpError("view tile shape ")
           << extentsText(tile.getShape()) << " must match value shape "
           << extentsText(value.getShape())
           << " for element-wise atomic operations; pointer tile shape must "
              "match value shape";
  return success();
}

static LogicalResult verifyRelaxed(AtomicRedViewTkoOp op) {
  if (op.getMemoryOrderingSemantics() != MemoryOrderingSemantics::RELAXED)
    return op.emitOpError("only 'relaxed' memory ordering is supported for "
                          "view-based atomic reductions");
  if (op.getMemoryScope() == MemoryScope::SYS)
    return op.emitOpError("memory scope 'sys' is not supported for view-based "
                          "atomic reductions; use 'tl_blk' or 'device' for TMA "
                          "compatibility");
  return success();
}

static LogicalResult verifyIndex(AtomicRedViewTkoOp op) {
  TileView view = op.getView().getType();
  int64_t rank = view.getViewIndexRank(), count = op.getIndex().size();
  if (count != rank)
    return op.emitOpError("expected ")
           << rank << " index operand(s) for view with tile rank " << rank
           << ", got " << count;
  for (auto [i, type] : llvm::enumerate(op.getIndex().getTypes())) {
    ArrayRef<int64_t> shape = cast<TileType>(type).getShape();
    if (!shape.empty())
      return op.emitOpError("index operand ")
             << i << " must be a scalar tile (rank 0), got shape "
             << extentsText(shape);
  }
  return view.verifyIndices(op, op.getIndex().getTypes());
}

LogicalResult AtomicRedViewTkoOp::verify() {
  if (failed(verifyViewAndValue(*this))) // C1, C2
    return failure();
  if (getMode() == AtomicRMWMode::XCHG) // C3
    return emitOpError("atomic_red_view_tko op cannot use xchg operation");
  if (failed(verifyMode(*this, getMode(), // C3
                        getValue().getType().getElementType())) ||
      failed(verifyRelaxed(*this)) || // C4
      failed(verifyIndex(*this)))     // C5
    return failure();
  return verifyInbounds(*this); // C6
}

//===----------------------------------------------------------------------===//
// atomic_red_view_tko: syntax
//===----------------------------------------------------------------------===//

/// A scope; the verifier asks for it if there is none.
static ParseResult parseOptionalScope(OpAsmParser &parser,
                                      MemoryScopeAttr &scope) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (failed(parser.parseOptionalKeyword(&keyword)))
    return success();
  std::optional<MemoryScope> value = symbolizeMemoryScope(keyword);
  if (!value)
    return parser.emitError(loc, "invalid memory_scope: '")
           << keyword << "'; expected one of: tl_blk, device, sys";
  scope = MemoryScopeAttr::get(parser.getContext(), *value);
  return success();
}

ParseResult AtomicRedViewTkoOp::parse(OpAsmParser &parser,
                                      OperationState &result) {
  ViewAccess access;
  OpAsmParser::UnresolvedOperand value;
  Type valueType;
  Properties &properties = result.getOrAddProperties<Properties>();
  if (parseCase(parser, "invalid memory_ordering_semantics",
                "weak, relaxed, acquire, release, acq_rel",
                symbolizeMemoryOrderingSemantics,
                properties.memory_ordering_semantics) ||
      parseOptionalScope(parser, properties.memory_scope) ||
      parseIndexedView(parser, access) || parser.parseComma() ||
      parseCase(parser, "unknown atomic RMW mode",
                "and, or, xor, add, addf, max, min, umax, umin",
                symbolizeAtomicRMWMode, properties.mode) ||
      parser.parseComma() || parser.parseOperand(value) ||
      parseAccessEnd(parser, result, access, /*takesHints=*/false) ||
      parseCudaTileType(parser, valueType) || parser.parseComma() ||
      parseAccessTypes(parser, access) || resolveView(parser, result, access) ||
      resolveIndex(parser, result, access) ||
      parser.resolveOperand(value, valueType, result.operands) ||
      resolveToken(parser, result, access))
    return failure();
  if (access.inbounds)
    properties.inbounds = access.inbounds;
  properties.operandSegmentSizes = {1, access.getNumIndices(), 1,
                                    access.getNumTokens()};
  return parseCudaTileTypes(parser, result.types);
}

void AtomicRedViewTkoOp::print(OpAsmPrinter &printer) {
  printer << " ";
  printAtomicModel(printer, *this, getMemoryOrderingSemanticsAttr(),
                   getMemoryScopeAttr());
  printer << " ";
  printIndexedView(printer, *this);
  printer << ", " << stringifyAtomicRMWMode(getMode()) << ", " << getValue();
  printTokenAndInbounds(printer, *this);
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getMemoryOrderingSemanticsAttrName(),
                                 getMemoryScopeAttrName(), getModeAttrName(),
                                 getInboundsAttrName(),
                                 getOperandSegmentSizesAttrName()});
  printer << " : ";
  printCudaTileType(printer, Type(getValue().getType()));
  printer << ", ";
  printAccessTypes(printer, *this);
}
