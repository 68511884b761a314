//===- TypeTable.h - The type section ---------------------------*- C++ -*-===//
//
// count, padding to 4, one u32 offset per type, the records of all types: a tag
// and what that type has. Types refer to types by index.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_LIB_BYTECODE_TYPETABLE_H
#define CUDA_TILE_LIB_BYTECODE_TYPETABLE_H

#include "Cursor.h"
#include "mlir/IR/BuiltinTypes.h"

namespace cuda_tile::bytecode {

class TypeTable {
public:
  explicit TypeTable(Version version) : version(version) {}

  /// Reads all types, so that a bad one is an error even where it is not used.
  mlir::LogicalResult read(Cursor cursor);

  size_t size() const { return types.size(); }

  /// Reads the index of a type and gives the type; null after an error, which
  /// says `failed to get WHAT`.
  mlir::Type readType(Cursor &cursor, const llvm::Twine &what) const;

private:
  friend class TypeReader;
  Version version;
  llvm::SmallVector<mlir::Type> types;
};

} // namespace cuda_tile::bytecode

#endif // CUDA_TILE_LIB_BYTECODE_TYPETABLE_H
