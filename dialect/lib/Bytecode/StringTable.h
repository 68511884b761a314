//===- StringTable.h - The string section -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// count, padding to 4, one u32 offset per string, the bytes of all strings.
// A string ends where the next one begins.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_LIB_BYTECODE_STRINGTABLE_H
#define CUDA_TILE_LIB_BYTECODE_STRINGTABLE_H

#include "Cursor.h"
#include "Output.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringMap.h"

namespace cuda_tile::bytecode {

class StringTable {
public:
  /// Reads the table; a string is looked up when something refers to it.
  mlir::LogicalResult read(Cursor cursor);
  /// Looks up the strings to which nothing has referred.
  mlir::LogicalResult readRest();

  /// The string, or an empty one if there is none, for messages.
  llvm::StringRef peek(uint64_t index) const;
  /// String `index`, whose index is at `start` in the file.
  mlir::LogicalResult getString(const Cursor &cursor, uint64_t start,
                                uint64_t index, const llvm::Twine &what) const;
  /// The same as an attribute; null after an error.
  mlir::StringAttr getStringAttr(const Cursor &cursor, uint64_t start,
                                 uint64_t index, const llvm::Twine &what) const;
  /// Reads the index of a string and returns the string.
  mlir::LogicalResult readString(Cursor &cursor, llvm::StringRef &string,
                                 const llvm::Twine &what) const;
  /// The same as an attribute; null after an error.
  mlir::StringAttr readStringAttr(Cursor &cursor,
                                  const llvm::Twine &what) const;

private:
  mlir::LogicalResult readIndex(Cursor &cursor, uint64_t &index,
                                const llvm::Twine &what) const;

  /// Looks up a string; a silent failure is that of one that is not UTF-8.
  mlir::LogicalResult fetch(uint64_t index, bool isSilent = false) const;

  OffsetTable<uint32_t> table{"string"};
  mutable llvm::SmallVector<std::optional<llvm::StringRef>> strings;
  /// Cached per string, so that a long string is hashed only once.
  mutable llvm::SmallVector<mlir::StringAttr> attributes;
};

/// The strings of a written file, without duplicates.
class StringPool {
public:
  /// The index of `string`; adds it if it is new.
  uint64_t add(llvm::StringRef string);

  mlir::LogicalResult write(Output &out) const {
    return mlir::success(entries.write<uint32_t>(out));
  }

private:
  llvm::StringMap<uint64_t> numbers;
  EntryTable entries;
};

} // namespace cuda_tile::bytecode

#endif // CUDA_TILE_LIB_BYTECODE_STRINGTABLE_H
