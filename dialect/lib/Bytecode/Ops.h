//===- Ops.h - Op records and regions ---------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_LIB_BYTECODE_OPS_H
#define CUDA_TILE_LIB_BYTECODE_OPS_H

#include "Attributes.h"
#include "DebugInfo.h"
#include "OpRecord.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/OperationSupport.h"

namespace cuda_tile::bytecode {

/// Names of ops and attributes in a context, each looked up once.
class OpNames {
public:
  mlir::OperationName get(const OpRecord &record, mlir::MLIRContext *context) {
    auto known = ops.find(&record);
    if (known == ops.end())
      known =
          ops.try_emplace(&record, mlir::OperationName(record.name, context))
              .first;
    return known->second;
  }
  mlir::StringAttr get(const AttributeField &field,
                       mlir::MLIRContext *context) {
    mlir::StringAttr &name = attributes[&field];
    if (!name)
      name = mlir::StringAttr::get(context, field.name);
    return name;
  }

private:
  llvm::DenseMap<const OpRecord *, mlir::OperationName> ops;
  llvm::DenseMap<const AttributeField *, mlir::StringAttr> attributes;
};

/// The tables of a file that functions refer to.
struct Tables {
  explicit Tables(Version version)
      : version(version), types(version), debug(strings, version) {}
  Tables(const Tables &) = delete;

  Version version;
  StringTable strings;
  TypeTable types;
  ConstantTable constants;
  DebugInfo debug;
  OpNames names;
};

/// Reads the ops of one function. Values are numbered in the order of their
/// definition; the numbers of a region's values are reused after the region.
class OpReader {
public:
  OpReader(Tables &tables, FunctionLocations locations)
      : tables(tables), attributes(tables.strings, tables.types),
        locations(locations) {}

  /// Numbers the arguments of `block`, then reads ops to the end of `cursor`.
  mlir::LogicalResult readBody(Cursor &cursor, mlir::Block &block);

private:
  mlir::LogicalResult readOp(Cursor &cursor, mlir::Block &block);
  mlir::LogicalResult readFields(Cursor &cursor, const OpRecord &record,
                                 mlir::OperationState &state,
                                 unsigned &numWrittenResults);
  mlir::LogicalResult readResultTypes(Cursor &cursor, const OpRecord &record,
                                      mlir::OperationState &state,
                                      unsigned &numWritten);
  mlir::LogicalResult readFlags(Cursor &cursor, const OpRecord &record,
                                uint64_t &flags);
  mlir::LogicalResult readAttributes(Cursor &cursor, const OpRecord &record,
                                     uint64_t flags,
                                     mlir::OperationState &state);
  mlir::FailureOr<mlir::Attribute>
  readAttribute(Cursor &cursor, const AttributeField &field,
                const mlir::OperationState &state);
  mlir::FailureOr<mlir::Attribute> readBoolArray(Cursor &cursor);
  mlir::Attribute readEnum(Cursor &cursor, const AttributeField &field);
  mlir::LogicalResult readOperands(Cursor &cursor, const OpRecord &record,
                                   uint64_t flags, mlir::OperationState &state);
  mlir::LogicalResult readOperandGroup(Cursor &cursor, uint64_t count,
                                       llvm::StringRef name,
                                       mlir::OperationState &state);
  mlir::LogicalResult readRegions(Cursor &cursor, const OpRecord &record,
                                  mlir::OperationState &state);
  mlir::LogicalResult readBlock(Cursor &cursor, mlir::Block &block);
  mlir::LogicalResult checkTerminator(const Cursor &cursor, mlir::Block &block);

  Tables &tables;
  AttributeReader attributes;
  FunctionLocations locations;
  llvm::SmallVector<mlir::Value> values;
  uint64_t numOps = 0;
  unsigned depth = 0;
};

/// The records by op.
class OpRecords {
public:
  explicit OpRecords(mlir::MLIRContext *context);

  /// The record of an op; null if bytecode does not have the op.
  const OpRecord *find(mlir::OperationName name) const {
    return records.lookup(name);
  }

private:
  llvm::DenseMap<mlir::OperationName, const OpRecord *> records;
};

/// The tables of a written file; functions fill them.
struct Pools {
  Pools(mlir::MLIRContext *context, Version version,
        BytecodeLocations locations)
      : version(version), records(context), types(context, version),
        debug(strings, version, locations) {}
  Pools(const Pools &) = delete;

  AttributePools attributes() { return {strings, types}; }

  Version version;
  OpRecords records;
  StringPool strings;
  TypePool types;
  ConstantPool constants;
  DebugPool debug;
};

/// Writes the ops of one function in the form that OpReader reads.
class OpWriter {
public:
  OpWriter(Pools &pools, Output &out) : pools(pools), out(out) {}

  /// Numbers the arguments of `block` and writes its ops.
  mlir::LogicalResult writeBody(mlir::Block &block);

private:
  mlir::LogicalResult writeOp(mlir::Operation &op);
  mlir::LogicalResult writeResultTypes(mlir::Operation &op,
                                       const OpRecord &record,
                                       unsigned &numWritten);
  mlir::LogicalResult checkTooNew(mlir::Operation &op,
                                  const AttributeField &field,
                                  mlir::Attribute value);
  mlir::LogicalResult writeFlagsAndAttributes(mlir::Operation &op,
                                              const OpRecord &record);
  mlir::LogicalResult writeAttribute(mlir::Operation &op,
                                     const OpRecord &record,
                                     const AttributeField &field,
                                     mlir::Attribute value);
  mlir::LogicalResult writeEnum(mlir::Operation &op,
                                const AttributeField &field,
                                mlir::Attribute value);
  void writeBoolArray(mlir::Operation &op, const OpRecord &record,
                      mlir::DenseBoolArrayAttr value);
  mlir::LogicalResult writeConstant(mlir::Operation &op, mlir::Attribute value);
  /// The number of operands in group `index`.
  static uint64_t getGroupSize(mlir::Operation &op, const OpRecord &record,
                               unsigned index);
  mlir::LogicalResult writeOperands(mlir::Operation &op,
                                    const OpRecord &record);
  mlir::LogicalResult writeRegions(mlir::Operation &op, const OpRecord &record);
  mlir::LogicalResult writeBlock(mlir::Operation &parent, mlir::Block &block);

  void number(mlir::ValueRange values) {
    for (mlir::Value value : values)
      numbers[value] = numValues++;
  }

  Pools &pools;
  Output &out;
  llvm::DenseMap<mlir::Value, uint64_t> numbers;
  uint64_t numValues = 0;
  unsigned depth = 0;
};

} // namespace cuda_tile::bytecode

#endif // CUDA_TILE_LIB_BYTECODE_OPS_H
