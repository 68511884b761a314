//===- OpWriter.cpp - Writing op records and regions ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Ops.h"
#include "cuda_tile/IR/CudaTile.h"
#include "cuda_tile/IR/Nesting.h"

using namespace mlir;

namespace cuda_tile::bytecode {

OpRecords::OpRecords(MLIRContext *context) {
  for (const OpRecord &record : getOpRecords())
    records.try_emplace(OperationName(record.name, context), &record);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult OpWriter::writeBody(Block &block) {
  number(block.getArguments());
  for (Operation &op : block)
    if (failed(writeOp(op)))
      return failure();
  return success();
}

LogicalResult OpWriter::writeOp(Operation &op) {
  const OpRecord *record = pools.records.find(op.getName());
  if (!record)
    return op.emitError("unhandled operation type in bytecode writer: '")
           << op.getName() << "'";
  if (pools.version < record->since)
    return op.emitError("operation '")
           << op.getName() << "' is not available in bytecode version "
           << pools.version.str();
  for (NamedAttribute attribute : op.getDiscardableAttrs())
    emitWarning(op.getLoc(), "attribute '")
        << attribute.getName().getValue()
        << "' has no place in bytecode and is left out";
  out.writeVarint(record->opcode);
  unsigned numResults = 0;
  if (failed(pools.debug.add(op.getLoc(), &op)) ||
      failed(writeResultTypes(op, *record, numResults)) ||
      failed(writeFlagsAndAttributes(op, *record)) ||
      failed(writeOperands(op, *record)) || failed(writeRegions(op, *record)))
    return failure();
  number(op.getResults().take_front(numResults));
  return success();
}

/// Results that the file's version does not have are omitted if they are
/// unused; they are the last ones.
LogicalResult OpWriter::writeResultTypes(Operation &op, const OpRecord &record,
                                         unsigned &numWritten) {
  numWritten = op.getNumResults();
  for (const ResultField &field : llvm::reverse(record.results)) {
    if (pools.version >= field.since)
      break;
    OpResult result = op.getResult(--numWritten);
    if (!result.use_empty())
      return op.emitError("result '")
             << field.name << "' requires bytecode version "
             << field.since.str() << " but is being used and targeting "
             << pools.version.str()
             << ". Cannot serialize to older bytecode version when newer "
                "features are used.";
  }
  if (record.writesResultCount())
    out.writeVarint(numWritten);
  AttributeWriter writer(pools.attributes(), out, &op);
  for (OpResult result : op.getResults().take_front(numWritten))
    if (failed(writer.writeType(result.getType())))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Whether omitting `value` is equivalent to writing it.
static bool isDefault(const AttributeField &field, Attribute value) {
  if (!value)
    return true;
  if (field.codec == AttributeCodec::BoolArray)
    return !llvm::is_contained(cast<DenseBoolArrayAttr>(value).asArrayRef(),
                               true);
  return field.getDefault && field.getDefault(value.getContext()) == value;
}

LogicalResult OpWriter::checkTooNew(Operation &op, const AttributeField &field,
                                    Attribute value) {
  if (isDefault(field, value))
    return success();
  if (field.flagBit >= 0)
    return op.emitError("optional attribute '")
           << field.name << "' is provided but requires bytecode version "
           << field.since.str() << ", targeting " << pools.version.str();
  return op.emitError("attribute '")
         << field.name << "' requires bytecode version " << field.since.str()
         << "+, but targeting " << pools.version.str();
}

LogicalResult OpWriter::writeFlagsAndAttributes(Operation &op,
                                                const OpRecord &record) {
  SmallVector<Attribute, 8> values;
  uint64_t flags = 0;
  auto setFlag = [&](int bit, bool value) {
    if (bit >= 0 && value)
      flags |= uint64_t(1) << bit;
  };
  for (const AttributeField &field : record.attributes) {
    Attribute value = op.getAttr(field.name);
    if (pools.version < field.since) {
      if (failed(checkTooNew(op, field, value)))
        return failure();
      value = {};
    } else if (!value && field.flagBit < 0 && field.getDefault) {
      value = field.getDefault(op.getContext());
    }
    if (field.codec == AttributeCodec::OptimizationHints && value)
      value =
          getHintsOf(pools.version, cast<OptimizationHintsAttr>(value), &op);
    setFlag(field.flagBit, static_cast<bool>(value));
    values.push_back(value);
  }
  for (auto [index, field] : llvm::enumerate(record.operands))
    if (field.flagBit >= 0 && pools.version >= field.since)
      setFlag(field.flagBit, getGroupSize(op, record, index) > 0);
  if (record.getFlagMask(pools.version) != 0)
    out.writeVarint(flags);

  for (auto [field, value] : llvm::zip_equal(record.attributes, values)) {
    if (pools.version < field.since || (field.flagBit >= 0 && !value))
      continue;
    if (!value)
      return op.emitError("expected attribute '") << field.name << "'";
    if (failed(writeAttribute(op, record, field, value)))
      return failure();
  }
  return success();
}

LogicalResult OpWriter::writeAttribute(Operation &op, const OpRecord &record,
                                       const AttributeField &field,
                                       Attribute value) {
  AttributeWriter writer(pools.attributes(), out, &op);
  switch (field.codec) {
  case AttributeCodec::Unit:
    return success();
  case AttributeCodec::Enum:
    return writeEnum(op, field, value);
  case AttributeCodec::Bool:
    out.writeByte(cast<BoolAttr>(value).getValue());
    return success();
  case AttributeCodec::Integer:
    return writer.writeInteger(cast<IntegerAttr>(value));
  case AttributeCodec::String:
    out.writeVarint(pools.strings.add(cast<StringAttr>(value)));
    return success();
  case AttributeCodec::SymbolRef:
    out.writeVarint(
        pools.strings.add(cast<FlatSymbolRefAttr>(value).getValue()));
    return success();
  case AttributeCodec::Type:
    return writer.writeType(cast<TypeAttr>(value).getValue());
  case AttributeCodec::Array:
    return writer.writeArray(cast<ArrayAttr>(value));
  case AttributeCodec::BoolArray:
    writeBoolArray(op, record, cast<DenseBoolArrayAttr>(value));
    return success();
  case AttributeCodec::I32Array:
    out.writeIntegers(cast<DenseI32ArrayAttr>(value).asArrayRef());
    return success();
  case AttributeCodec::I64Array:
    out.writeIntegers(cast<DenseI64ArrayAttr>(value).asArrayRef());
    return success();
  case AttributeCodec::Constant:
    return writeConstant(op, value);
  case AttributeCodec::OptimizationHints:
    return writer.writeDictionary(
        cast<OptimizationHintsAttr>(value).getValue());
  case AttributeCodec::SelfContained:
    return writer.writeSelfContained(value);
  }
  llvm_unreachable("all codecs are handled");
}

LogicalResult OpWriter::writeEnum(Operation &op, const AttributeField &field,
                                  Attribute value) {
  std::optional<uint64_t> number = field.enumCodec->encode(value);
  if (!number)
    return op.emitError("expected attribute '")
           << field.name << "' to be a " << field.enumCodec->name << ", got "
           << value;
  if (const EnumCase *found =
          field.enumCodec->findTooNew(*number, pools.version))
    return op.emitError("enum value for attribute '")
           << field.name << "' is not available in bytecode version "
           << pools.version.str() << ": '" << found->name << "' requires "
           << found->since.str() << "+";
  out.writeVarint(*number);
  return success();
}

/// An array that is empty means false for each operand of the op's variadic
/// group.
void OpWriter::writeBoolArray(Operation &op, const OpRecord &record,
                              DenseBoolArrayAttr value) {
  SmallVector<bool> bools(value.asArrayRef());
  for (auto [index, field] : llvm::enumerate(record.operands))
    if (bools.empty() && field.arity == Arity::Variadic)
      bools.assign(getGroupSize(op, record, index), false);
  out.writeVarint(bools.size());
  for (bool value : bools)
    out.writeByte(value);
}

LogicalResult OpWriter::writeConstant(Operation &op, Attribute value) {
  auto elements = dyn_cast<DenseElementsAttr>(value);
  if (!elements)
    return op.emitError("unsupported attribute type in constant data: ")
           << value;
  out.writeVarint(pools.constants.add(elements));
  return success();
}

//===----------------------------------------------------------------------===//
// Operands and regions
//===----------------------------------------------------------------------===//

uint64_t OpWriter::getGroupSize(Operation &op, const OpRecord &record,
                                unsigned index) {
  if (record.hasSizedOperandGroups)
    return op.getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes")[index];
  if (record.operands[index].arity == Arity::One)
    return 1;
  // There is one such group at most.
  return op.getNumOperands() - (record.operands.size() - 1);
}

LogicalResult OpWriter::writeOperands(Operation &op, const OpRecord &record) {
  if (record.writesOperandCount())
    out.writeVarint(op.getNumOperands());
  auto operands = op.getOperands().begin();
  for (auto [index, field] : llvm::enumerate(record.operands)) {
    uint64_t size = getGroupSize(op, record, index);
    if (pools.version < field.since && size > 0)
      return op.emitError("optional operand '")
             << field.name << "' is provided but requires bytecode version "
             << field.since.str() << ", targeting " << pools.version.str();
    if (record.hasSizedOperandGroups && field.arity == Arity::Variadic &&
        pools.version >= field.since)
      out.writeVarint(size);
    for (uint64_t i = 0; i < size; ++i) {
      auto known = numbers.find(*operands++);
      if (known == numbers.end())
        return op.emitError("operand index ")
               << index << ": expected a value of the same function";
      out.writeVarint(known->second);
    }
  }
  return success();
}

LogicalResult OpWriter::writeRegions(Operation &op, const OpRecord &record) {
  if (record.numRegions == 0)
    return success();
  if (depth == kMaxRegionDepth)
    return op.emitError(getNestingMessage());
  ++depth;
  out.writeVarint(op.getNumRegions());
  for (Region &region : op.getRegions()) {
    out.writeVarint(region.getBlocks().size());
    for (Block &block : region)
      if (failed(writeBlock(op, block)))
        return failure();
  }
  --depth;
  return success();
}

LogicalResult OpWriter::writeBlock(Operation &parent, Block &block) {
  uint64_t numOuterValues = numValues;
  AttributeWriter writer(pools.attributes(), out, &parent);
  out.writeVarint(block.getNumArguments());
  for (Type type : block.getArgumentTypes())
    if (failed(writer.writeType(type)))
      return failure();
  out.writeVarint(block.getOperations().size());
  if (failed(writeBody(block)))
    return failure();
  numValues = numOuterValues;
  return success();
}

} // namespace cuda_tile::bytecode
