//===- Attributes.h - Attributes within other data --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A self-contained attribute is a tag and its payload; where the op determines
// the kind of attribute, there is only the payload.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_LIB_BYTECODE_ATTRIBUTES_H
#define CUDA_TILE_LIB_BYTECODE_ATTRIBUTES_H

#include "ConstantTable.h"
#include "StringTable.h"
#include "TypeTable.h"

namespace cuda_tile {
class MultimemReductionAttr;
class OptimizationHintsAttr;
} // namespace cuda_tile

namespace cuda_tile::bytecode {

/// Reads attributes; every function returns null after an error.
class AttributeReader {
public:
  AttributeReader(const StringTable &strings, const TypeTable &types)
      : strings(strings), types(types) {}

  /// A tag and the payload of its attribute.
  mlir::Attribute readSelfContained(Cursor &cursor);

  mlir::Attribute readArray(Cursor &cursor);
  mlir::DictionaryAttr readDictionary(Cursor &cursor);
  mlir::Attribute readOptimizationHints(Cursor &cursor);
  mlir::Attribute readType(Cursor &cursor);
  /// An integer of `type` as a varint of its zero-extended bits.
  mlir::Attribute readInteger(Cursor &cursor, mlir::IntegerType type);
  mlir::Attribute readBool(Cursor &cursor);

private:
  mlir::Attribute readPayload(Cursor &cursor, uint64_t tag, uint64_t start);
  mlir::Attribute readTypedInteger(Cursor &cursor);
  mlir::Attribute readFloat(Cursor &cursor);
  mlir::Attribute readDenseElements(Cursor &cursor);
  mlir::Attribute readDivBy(Cursor &cursor);
  mlir::Attribute readSameElements(Cursor &cursor);
  mlir::Attribute readBounded(Cursor &cursor);
  mlir::Attribute readMultimemReduction(Cursor &cursor, uint64_t start);

  const StringTable &strings;
  const TypeTable &types;
  unsigned depth = 0;
};

/// The tables to which the attributes of a written file refer.
struct AttributePools {
  StringPool &strings;
  TypePool &types;
};

/// The hints that a file of `version` can store: without those for the GPU
/// `default` if compilers of that version refuse them. Null if none remain.
OptimizationHintsAttr getHintsOf(Version version, OptimizationHintsAttr hints,
                                 mlir::Operation *user);

/// Writes attributes; failures are reported at `user`.
class AttributeWriter {
public:
  AttributeWriter(AttributePools pools, Output &out, mlir::Operation *user)
      : pools(pools), out(out), user(user) {}

  /// A tag and the payload of the attribute.
  mlir::LogicalResult writeSelfContained(mlir::Attribute attribute);

  mlir::LogicalResult writeArray(mlir::ArrayAttr array);
  mlir::LogicalResult writeDictionary(mlir::DictionaryAttr dictionary);
  mlir::LogicalResult writeType(mlir::Type type);
  /// A varint of the zero-extended bits.
  mlir::LogicalResult writeInteger(mlir::IntegerAttr integer);

private:
  /// The payload; fails silently if bytecode has no such attribute.
  mlir::LogicalResult writePayload(mlir::Attribute attribute, bool &isKnown);
  mlir::LogicalResult writeFloat(mlir::FloatAttr number);
  mlir::LogicalResult writeDenseElements(mlir::DenseElementsAttr elements);
  mlir::LogicalResult writeMultimemReduction(MultimemReductionAttr reduction);
  void writeTag(AttributeTag tag) {
    out.writeVarint(static_cast<uint64_t>(tag));
  }
  void writeTwoOptional(std::optional<int64_t> first,
                        std::optional<int64_t> second);

  AttributePools pools;
  Output &out;
  mlir::Operation *user;
};

} // namespace cuda_tile::bytecode

#endif // CUDA_TILE_LIB_BYTECODE_ATTRIBUTES_H
