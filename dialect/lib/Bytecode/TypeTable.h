//===- TypeTable.h - The type section ---------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// count, padding to 4, one u32 offset per type, the records of all types: a tag
// and the type's parameters. Types refer to other types by index.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_LIB_BYTECODE_TYPETABLE_H
#define CUDA_TILE_LIB_BYTECODE_TYPETABLE_H

#include "Cursor.h"
#include "Output.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"

namespace cuda_tile::bytecode {

/// Name and first version of a tag.
struct TypeInfo {
  TypeTag tag;
  llvm::StringLiteral name;
  Version since;
};

/// The tag with number `tag`; null if there is none.
const TypeInfo *findTypeInfo(uint64_t tag);

class TypeTable {
public:
  explicit TypeTable(Version version) : version(version) {}

  /// Reads all types, so that an invalid one is an error even if it is unused.
  mlir::LogicalResult read(Cursor cursor);

  size_t size() const { return types.size(); }
  /// The version of the file.
  Version getVersion() const { return version; }

  /// Reads the index of a type and returns the type; null after an error, whose
  /// message begins with `failed to VERB WHAT`.
  mlir::Type readType(Cursor &cursor, const llvm::Twine &what,
                      llvm::StringRef verb = "get") const;

private:
  friend class TypeReader;
  Version version;
  llvm::SmallVector<mlir::Type> types;
};

/// The types of a written file, without duplicates, each after those it refers
/// to.
class TypePool {
public:
  TypePool(mlir::MLIRContext *context, Version version);

  /// The version of the file.
  Version getVersion() const { return version; }

  /// The index of `type`; adds it if it is new. Fails with a message at `user`
  /// if the file's version has no such type.
  mlir::FailureOr<uint64_t> add(mlir::Type type, mlir::Operation *user);

  mlir::LogicalResult write(Output &out) const {
    return mlir::success(entries.write<uint32_t>(out));
  }

private:
  friend class TypeWriter;
  Version version;
  llvm::DenseMap<mlir::Type, uint64_t> numbers;
  EntryTable entries;
};

} // namespace cuda_tile::bytecode

#endif // CUDA_TILE_LIB_BYTECODE_TYPETABLE_H
