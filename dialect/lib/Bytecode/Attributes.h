//===- Attributes.h - Attributes that stand among other data ----*- C++ -*-===//
//
// A self-contained attribute is a tag and its payload; where the op says which
// attribute comes, the payload stands without the tag.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_LIB_BYTECODE_ATTRIBUTES_H
#define CUDA_TILE_LIB_BYTECODE_ATTRIBUTES_H

#include "ConstantTable.h"
#include "StringTable.h"
#include "TypeTable.h"

namespace cuda_tile::bytecode {

/// Reads attributes; every function gives null after an error.
class AttributeReader {
public:
  AttributeReader(const StringTable &strings, const TypeTable &types)
      : strings(strings), types(types) {}

  /// A tag and the payload of the attribute that it announces.
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

  const StringTable &strings;
  const TypeTable &types;
  unsigned depth = 0;
};

} // namespace cuda_tile::bytecode

#endif // CUDA_TILE_LIB_BYTECODE_ATTRIBUTES_H
