//===- OpRecord.h - Contents of the record of each op -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of this form are generated from ODS (dialect/tblgen/BytecodeGen.cpp).
//
// A record is, in this order:
//   opcode
//   number of results, if the op has a variadic operand or result
//   types of the results
//   flags, if the op has optional fields in the file's version
//   attributes in order of declaration; optional ones if their flag is set
//   operands; a variadic group is preceded by its size. If the op has no sized
//     groups, one size precedes all operands if their number is not fixed
//   number of regions and the regions, if the op has any
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_LIB_BYTECODE_OPRECORD_H
#define CUDA_TILE_LIB_BYTECODE_OPRECORD_H

#include "Format.h"
#include "mlir/IR/Attributes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include <optional>

namespace cuda_tile::bytecode {

/// Encoding of an attribute's value.
enum class AttributeCodec : uint8_t {
  Unit, // only its flag
  Enum,
  Bool,
  Integer,
  String,
  SymbolRef,
  Type,
  Array,
  BoolArray,
  I32Array,
  I64Array,
  Constant, // index of a constant, whose type is that of the first result
  OptimizationHints,
  SelfContained,
};

/// A case of an enumeration that is newer than the enumeration.
struct EnumCase {
  uint64_t value;
  llvm::StringLiteral name;
  Version since;
};

/// Numbers and names of an enumeration.
struct EnumCodec {
  llvm::StringLiteral name;
  llvm::StringLiteral cases; // "0 unsigned, 1 signed"
  llvm::ArrayRef<EnumCase> newCases;
  /// The attribute with number `value`; null if there is no such case.
  mlir::Attribute (*decode)(mlir::MLIRContext *context, uint64_t value);
  /// The number of `attribute`; none if that is no case of the enumeration.
  std::optional<uint64_t> (*encode)(mlir::Attribute attribute);

  /// The case with number `value` if `version` does not have it yet.
  const EnumCase *findTooNew(uint64_t value, Version version) const {
    const EnumCase *found = llvm::find_if(newCases, [&](const EnumCase &one) {
      return one.value == value && version < one.since;
    });
    return found == newCases.end() ? nullptr : found;
  }
};

struct AttributeField {
  llvm::StringLiteral name;
  Version since;
  int flagBit; // -1: always written
  AttributeCodec codec;
  const EnumCodec *enumCodec = nullptr; // of enumerations
  unsigned width = 0;                   // of integers, in bits
  /// The default of an absent attribute; null if it is mandatory.
  mlir::Attribute (*getDefault)(mlir::MLIRContext *context) = nullptr;
};

enum class Arity : uint8_t { One, Optional, Variadic };

struct OperandField {
  llvm::StringLiteral name;
  Version since;
  int flagBit; // -1: always written
  Arity arity;
};

struct ResultField {
  llvm::StringLiteral name;
  Version since;
  int flagBit; // always -1
  Arity arity;
};

struct OpRecord {
  uint64_t opcode;
  llvm::StringLiteral name;
  Version since;
  llvm::ArrayRef<AttributeField> attributes;
  llvm::ArrayRef<OperandField> operands;
  llvm::ArrayRef<ResultField> results;
  unsigned numRegions;
  bool hasSizedOperandGroups;

  bool hasVariadicResult() const {
    return llvm::any_of(results, [](const ResultField &field) {
      return field.arity == Arity::Variadic;
    });
  }
  bool writesResultCount() const {
    return hasVariadicResult() ||
           llvm::any_of(operands, [](const OperandField &field) {
             return field.arity == Arity::Variadic;
           });
  }
  /// Whether one size precedes all operands.
  bool writesOperandCount() const {
    return !hasSizedOperandGroups &&
           llvm::any_of(operands, [](const OperandField &field) {
             return field.arity != Arity::One;
           });
  }
  /// The flags that a file of `version` may set.
  uint64_t getFlagMask(Version version) const {
    uint64_t mask = 0;
    auto add = [&](const auto &field) {
      if (field.flagBit >= 0 && version >= field.since)
        mask |= uint64_t(1) << field.flagBit;
    };
    llvm::for_each(attributes, add);
    llvm::for_each(operands, add);
    return mask;
  }
};

/// The record of `opcode`; null if no op has it.
const OpRecord *findOpRecord(uint64_t opcode);

/// All records, by opcode.
llvm::ArrayRef<OpRecord> getOpRecords();

/// Fails if `op` is a conversion whose rounding mode is not legal in `version`,
/// although the mode itself is as old as the format. `file` ends the message.
mlir::LogicalResult checkRounding(mlir::Operation *op, Version version,
                                  llvm::StringRef file);

} // namespace cuda_tile::bytecode

#endif // CUDA_TILE_LIB_BYTECODE_OPRECORD_H
