//===- Ops.cpp - Op records and regions -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Ops.h"
#include "cuda_tile/IR/CudaTile.h"
#include "cuda_tile/IR/Nesting.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace cuda_tile::bytecode {

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult OpReader::readBody(Cursor &cursor, Block &block) {
  llvm::append_range(values, block.getArguments());
  while (cursor.remaining() > 0)
    if (failed(readOp(cursor, block)))
      return failure();
  return checkTerminator(cursor, block);
}

LogicalResult OpReader::readOp(Cursor &cursor, Block &block) {
  Place place(cursor.diags(), "op", numOps++);
  uint64_t start = cursor.offset(), opcode;
  if (failed(cursor.readVarint(opcode, "operation opcode.")))
    return failure();
  const OpRecord *record = findOpRecord(opcode);
  if (opcode >= kFirstPreviewOpcode && opcode <= kLastPreviewOpcode &&
      tables.version >= kEntryAttributesVersion)
    return cursor.diags().error(
        start, "encountered public-preview opcode " + Twine(opcode) +
                   " but the header does not advertise preview content");
  if (!record || tables.version < record->since)
    return cursor.diags().error(
        start, "unsupported opcode " + Twine(opcode) +
                   " for bytecode version " + tables.version.str() +
                   "; unknown or unimplemented opcode: " + Twine(opcode));
  place.setName(record->name);
  cursor.diags().explain(start, record->name);

  Location location = UnknownLoc::get(cursor.getContext());
  if (failed(tables.debug.next(locations, cursor, location)))
    return failure();
  OperationState state(location,
                       tables.names.get(*record, cursor.getContext()));
  unsigned numWrittenResults = 0;
  if (failed(readFields(cursor, *record, state, numWrittenResults)))
    return failure();
  Operation *op = Operation::create(state);
  block.push_back(op);
  llvm::append_range(values, op->getResults().take_front(numWrittenResults));
  return success();
}

LogicalResult OpReader::readFields(Cursor &cursor, const OpRecord &record,
                                   OperationState &state,
                                   unsigned &numWrittenResults) {
  uint64_t flags = 0;
  return failure(
      failed(readResultTypes(cursor, record, state, numWrittenResults)) ||
      failed(readFlags(cursor, record, flags)) ||
      failed(readAttributes(cursor, record, flags, state)) ||
      failed(readOperands(cursor, record, flags, state)) ||
      failed(readRegions(cursor, record, state)));
}

/// Results that the file's version does not have are tokens; they are added
/// without a value number.
LogicalResult OpReader::readResultTypes(Cursor &cursor, const OpRecord &record,
                                        OperationState &state,
                                        unsigned &numWritten) {
  uint64_t start = cursor.offset();
  uint64_t expected = llvm::count_if(record.results, [&](const auto &field) {
    return tables.version >= field.since;
  });
  uint64_t count = expected;
  if (record.writesResultCount() &&
      failed(
          cursor.readCount(count, "number of result types for " + record.name)))
    return failure();
  if (!record.hasVariadicResult() && count != expected)
    return cursor.diags().error(
        start, "result count mismatch for " + record.name + ": expected " +
                   Twine(expected) + " compatible results but got " +
                   Twine(count));
  for (uint64_t i = 0; i < count; ++i) {
    Type type = tables.types.readType(cursor, "result type " + Twine(i) +
                                                  " for " + record.name);
    if (!type)
      return failure();
    state.types.push_back(type);
  }
  numWritten = count;
  for (const ResultField &field : record.results)
    if (tables.version < field.since)
      state.types.push_back(TokenType::get(cursor.getContext()));
  return success();
}

LogicalResult OpReader::readFlags(Cursor &cursor, const OpRecord &record,
                                  uint64_t &flags) {
  uint64_t mask = record.getFlagMask(tables.version), start = cursor.offset();
  if (mask == 0)
    return success();
  if (failed(cursor.readVarint(flags, "flags field")))
    return failure();
  uint64_t extra = flags & ~mask;
  if (extra == 0)
    return success();
  auto checkNew = [&](StringRef kind, const auto &field) -> LogicalResult {
    if (field.flagBit < 0 || !(extra >> field.flagBit & 1))
      return success();
    return cursor.diags().error(
        start, "malformed bytecode: flag set for " + kind + " '" + field.name +
                   "' which requires " + field.since.str() + " but reading " +
                   tables.version.str() + " bytecode");
  };
  for (const AttributeField &field : record.attributes)
    if (failed(checkNew("attribute", field)))
      return failure();
  for (const OperandField &field : record.operands)
    if (failed(checkNew("operand", field)))
      return failure();
  std::string message = ("malformed bytecode: expected flags " + Twine(mask) +
                         " or a part of them, got " + Twine(flags))
                            .str();
  flags &= mask;
  return cursor.diags().warnUnlessStrict(start, message,
                                         "the others are left out");
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

LogicalResult OpReader::readAttributes(Cursor &cursor, const OpRecord &record,
                                       uint64_t flags, OperationState &state) {
  for (const AttributeField &field : record.attributes) {
    bool isWritten = tables.version >= field.since &&
                     (field.flagBit < 0 || flags >> field.flagBit & 1);
    if (!isWritten)
      continue;
    Place place(cursor.diags(), "attribute", std::nullopt, field.name);
    FailureOr<Attribute> attribute = readAttribute(cursor, field, state);
    if (failed(attribute))
      return failure();
    if (*attribute)
      state.addAttribute(tables.names.get(field, cursor.getContext()),
                         *attribute);
  }
  return success();
}

static FailureOr<Attribute> orFailure(Attribute attribute) {
  if (!attribute)
    return failure();
  return attribute;
}

/// A null attribute means "omitted".
FailureOr<Attribute> OpReader::readAttribute(Cursor &cursor,
                                             const AttributeField &field,
                                             const OperationState &state) {
  MLIRContext *context = cursor.getContext();
  switch (field.codec) {
  case AttributeCodec::Unit:
    return Attribute(UnitAttr::get(context));
  case AttributeCodec::Enum:
    return orFailure(readEnum(cursor, field));
  case AttributeCodec::Bool:
    return orFailure(attributes.readBool(cursor));
  case AttributeCodec::Integer:
    return orFailure(
        attributes.readInteger(cursor, IntegerType::get(context, field.width)));
  case AttributeCodec::String:
    return orFailure(tables.strings.readStringAttr(cursor, "StringAttr."));
  case AttributeCodec::SymbolRef: {
    StringAttr name =
        tables.strings.readStringAttr(cursor, "string for FlatSymbolRefAttr.");
    if (!name)
      return failure();
    if (name.empty())
      return cursor.error("empty symbol reference is invalid");
    return Attribute(FlatSymbolRefAttr::get(name));
  }
  case AttributeCodec::Type:
    return orFailure(attributes.readType(cursor));
  case AttributeCodec::Array:
    return orFailure(attributes.readArray(cursor));
  case AttributeCodec::BoolArray:
    return readBoolArray(cursor);
  case AttributeCodec::I32Array: {
    SmallVector<int32_t> integers;
    if (failed(cursor.readElements(integers, "DenseI32ArrayAttr values.")))
      return failure();
    return Attribute(DenseI32ArrayAttr::get(context, integers));
  }
  case AttributeCodec::I64Array: {
    SmallVector<int64_t> integers;
    if (failed(cursor.readElements(integers, "DenseI64ArrayAttr values.")))
      return failure();
    return Attribute(DenseI64ArrayAttr::get(context, integers));
  }
  case AttributeCodec::Constant:
    return orFailure(tables.constants.readConstant(cursor, state.types[0]));
  case AttributeCodec::OptimizationHints:
    return orFailure(attributes.readOptimizationHints(cursor));
  case AttributeCodec::SelfContained: {
    uint64_t start = cursor.offset();
    Attribute attribute = attributes.readSelfContained(cursor);
    bool isPredicate =
        state.name.getStringRef() == AssumeOp::getOperationName();
    if (attribute && isPredicate &&
        !isa<AssumePredicateAttrInterface>(attribute))
      return cursor.diags().error(
          start, "failed to cast parsed attribute to "
                 "AssumePredicateAttrInterface; expected div_by, "
                 "same_elements or bounded");
    return orFailure(attribute);
  }
  }
  llvm_unreachable("all codecs are handled");
}

Attribute OpReader::readEnum(Cursor &cursor, const AttributeField &field) {
  const EnumCodec &codec = *field.enumCodec;
  uint64_t start = cursor.offset(), value;
  if (failed(cursor.readVarint(value, "VarInt for enum attribute.")))
    return {};
  Attribute attribute = codec.decode(cursor.getContext(), value);
  if (!attribute) {
    (void)cursor.diags().error(
        start, "invalid integer value for enum type: " + Twine(value) +
                   "; expected " + codec.name + " to be one of " + codec.cases);
    return {};
  }
  cursor.diags().explain(start, attribute);
  const EnumCase *newer = codec.findTooNew(value, tables.version);
  if (!newer)
    return attribute;
  (void)cursor.diags().error(start,
                             "enum value for attribute '" + field.name +
                                 "' is not available in bytecode version " +
                                 tables.version.str() + ": '" + newer->name +
                                 "' requires " + newer->since.str() + "+");
  return {};
}

/// An array without a true element is equivalent to none, which is also the
/// form in files older than the attribute, so it is omitted.
FailureOr<Attribute> OpReader::readBoolArray(Cursor &cursor) {
  uint64_t count, start = cursor.offset();
  ArrayRef<uint8_t> bytes;
  if (failed(cursor.readCount(count, "size of DenseBoolArrayAttr")) ||
      failed(cursor.readBytes(bytes, count, "DenseBoolArrayAttr values.")))
    return failure();
  SmallVector<bool> bools(bytes.begin(), bytes.end());
  for (uint8_t byte : bytes)
    if (byte > 1)
      return cursor.diags().error(
          start, "expected DenseBoolArrayAttr values to be 0 or 1, got " +
                     Twine(unsigned(byte)));
  if (!llvm::is_contained(bools, true))
    return Attribute();
  return Attribute(DenseBoolArrayAttr::get(cursor.getContext(), bools));
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

LogicalResult OpReader::readOperandGroup(Cursor &cursor, uint64_t count,
                                         StringRef name,
                                         OperationState &state) {
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t start = cursor.offset(), index;
    if (failed(cursor.readVarint(index, "operand index for " + name +
                                            " segment, element " + Twine(i))))
      return failure();
    if (index >= values.size())
      return cursor.diags().error(
          start, "operand index " + Twine(index) +
                     " out of bounds (size=" + Twine(values.size()) +
                     ") for operand " + Twine(state.operands.size()));
    cursor.diags().explain(start, values[index].getType());
    state.operands.push_back(values[index]);
  }
  return success();
}

LogicalResult OpReader::readOperands(Cursor &cursor, const OpRecord &record,
                                     uint64_t flags, OperationState &state) {
  if (!record.hasSizedOperandGroups) {
    uint64_t count = record.operands.size();
    if (record.writesOperandCount() &&
        failed(cursor.readCount(count, "operand count")))
      return failure();
    return readOperandGroup(cursor, count, record.name, state);
  }

  SmallVector<int32_t> sizes;
  for (const OperandField &field : record.operands) {
    uint64_t count = 1;
    if (tables.version < field.since)
      count = 0;
    else if (field.flagBit >= 0)
      count = flags >> field.flagBit & 1;
    else if (field.arity == Arity::Variadic &&
             failed(cursor.readCount(
                 count, "actual size for variadic ODS segment '" + field.name +
                            "' of op '" + record.name + "'")))
      return failure();
    if (failed(readOperandGroup(cursor, count, field.name, state)))
      return failure();
    sizes.push_back(static_cast<int32_t>(count));
  }
  state.addAttribute("operandSegmentSizes",
                     DenseI32ArrayAttr::get(cursor.getContext(), sizes));
  return success();
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

LogicalResult OpReader::readRegions(Cursor &cursor, const OpRecord &record,
                                    OperationState &state) {
  if (record.numRegions == 0)
    return success();
  uint64_t start = cursor.offset(), count;
  if (failed(cursor.readVarint(count, "number of regions to parse.")))
    return failure();
  if (count != record.numRegions)
    return cursor.diags().error(start, record.name + " op expected " +
                                           Twine(record.numRegions) +
                                           " regions, got " + Twine(count));
  if (depth == kMaxRegionDepth)
    return cursor.diags().error(start, getNestingMessage());
  ++depth;
  for (uint64_t i = 0; i < count; ++i) {
    Region *region = state.addRegion();
    uint64_t numBlocks;
    if (failed(cursor.readCount(numBlocks, "region block count")))
      return failure();
    for (uint64_t j = 0; j < numBlocks; ++j) {
      size_t numOuterValues = values.size();
      Block &block = region->emplaceBlock();
      if (failed(readBlock(cursor, block)))
        return failure();
      values.truncate(numOuterValues);
    }
  }
  --depth;
  return success();
}

LogicalResult OpReader::readBlock(Cursor &cursor, Block &block) {
  uint64_t numArguments, numBlockOps;
  if (failed(cursor.readCount(numArguments, "block argument count.")))
    return failure();
  for (uint64_t i = 0; i < numArguments; ++i) {
    Type type =
        tables.types.readType(cursor, "block argument type: " + Twine(i));
    if (!type)
      return failure();
    values.push_back(
        block.addArgument(type, UnknownLoc::get(cursor.getContext())));
  }
  if (failed(cursor.readCount(numBlockOps, "block operation count.")))
    return failure();
  for (uint64_t i = 0; i < numBlockOps; ++i)
    if (failed(readOp(cursor, block)))
      return failure();
  return checkTerminator(cursor, block);
}

LogicalResult OpReader::checkTerminator(const Cursor &cursor, Block &block) {
  StringRef message = "invalid block structure: block is expected to have a "
                      "terminator operation, but ";
  if (block.empty())
    return cursor.error(message + "it is empty");
  Operation &last = block.back();
  if (last.hasTrait<OpTrait::IsTerminator>())
    return success();
  return cursor.error(message + "the last operation '" +
                      last.getName().getStringRef() + "' is not a terminator.");
}

} // namespace cuda_tile::bytecode
