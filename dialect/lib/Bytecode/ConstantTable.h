//===- ConstantTable.h - The constant section -------------------*- C++ -*-===//
//
// count, padding to 8, one u64 offset per constant, then per constant its size
// as a varint and its elements, little-endian. One element alone stands for all
// (splat). Booleans are packed: eight to a byte, low bit first; one byte 0x00
// or 0xFF is a splat. What the bytes mean is said by the type of the op that
// refers to them.
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

class ConstantTable {
public:
  mlir::LogicalResult read(Cursor cursor);

  /// Reads the index of a constant and gives it as elements of `type`; null
  /// after an error.
  mlir::DenseElementsAttr readConstant(Cursor &cursor, mlir::Type type) const;

private:
  llvm::SmallVector<Cursor> constants;
  /// Made once per constant and type, so that a long one is not hashed at each
  /// use.
  mutable llvm::DenseMap<std::pair<uint64_t, mlir::Type>,
                         mlir::DenseElementsAttr>
      attributes;
};

/// Appends what decodeElements reads; one element if all are the same.
void encodeElements(mlir::DenseElementsAttr elements, Output &out);

/// The constants of a file that is written, each once.
class ConstantPool {
public:
  /// The number of a constant with these elements; a new one is added.
  uint64_t add(mlir::DenseElementsAttr elements);

  mlir::LogicalResult write(Output &out) const {
    return mlir::success(entries.write<uint64_t>(out));
  }

private:
  llvm::DenseMap<mlir::Attribute, uint64_t> numbers;
  /// By elements: constants of two types may have the same.
  llvm::StringMap<uint64_t> numbersByElements;
  EntryTable entries;
};

} // namespace cuda_tile::bytecode

#endif // CUDA_TILE_LIB_BYTECODE_CONSTANTTABLE_H
