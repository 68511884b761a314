//===- ConstantTable.h - The constant section -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// count, padding to 8, one u64 offset per constant, then per constant its size
// as a varint and its elements, little-endian. A single element is a splat.
// Booleans are packed: eight to a byte, low bit first; one byte 0x00 or 0xFF is
// a splat. The type of the elements is that of the op that refers to them.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_LIB_BYTECODE_CONSTANTTABLE_H
#define CUDA_TILE_LIB_BYTECODE_CONSTANTTABLE_H

#include "Cursor.h"
#include "Output.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace cuda_tile::bytecode {

/// The elements of a `type` that `data` encodes; null after an error.
mlir::DenseElementsAttr decodeElements(Cursor data, mlir::Type type);

/// Whether constants can have `type`.
bool isTileOfNumbers(mlir::Type type);

class ConstantTable {
public:
  mlir::LogicalResult read(Cursor cursor);

  /// Reads the index of a constant and returns its elements as `type`; null
  /// after an error.
  mlir::DenseElementsAttr readConstant(Cursor &cursor, mlir::Type type) const;

private:
  llvm::SmallVector<Cursor> constants;
  /// Cached per constant and type, so that a long constant is hashed only once.
  mutable llvm::DenseMap<std::pair<uint64_t, mlir::Type>,
                         mlir::DenseElementsAttr>
      attributes;
};

/// Appends the encoding for decodeElements; one element if all are equal.
void encodeElements(mlir::DenseElementsAttr elements, Output &out);

/// The constants of a written file, without duplicates.
class ConstantPool {
public:
  /// The index of the constant with these elements; adds it if it is new.
  uint64_t add(mlir::DenseElementsAttr elements);

  mlir::LogicalResult write(Output &out) const {
    return mlir::success(entries.write<uint64_t>(out));
  }

private:
  llvm::DenseMap<mlir::Attribute, uint64_t> numbers;
  /// By elements: constants of different types may share them.
  llvm::StringMap<uint64_t> numbersByElements;
  EntryTable entries;
};

} // namespace cuda_tile::bytecode

#endif // CUDA_TILE_LIB_BYTECODE_CONSTANTTABLE_H
