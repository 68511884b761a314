//===- DebugInfo.h - The debug section --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// number of functions, padding to 4, per function the u32 index of its first
// location; number of locations, padding to 8, per location the u64 number of a
// record; number of records, padding to 4, u32 offsets, the records. The first
// location of a function is its own, then one per op in the order of the body.
// Records are numbered from 1; number 0 is "unknown".
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_LIB_BYTECODE_DEBUGINFO_H
#define CUDA_TILE_LIB_BYTECODE_DEBUGINFO_H

#include "StringTable.h"
#include "cuda_tile/Bytecode/Bytecode.h"
#include "cuda_tile/IR/DebugInfo.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/DenseMap.h"

namespace cuda_tile {
class DICompileUnitAttr;
class DIFileAttr;
enum class SubprogramFlags : uint32_t;
} // namespace cuda_tile

namespace cuda_tile::bytecode {

/// The locations of one function, in order.
class FunctionLocations {
  friend class DebugInfo;
  bool known = false; // otherwise every location is unknown
  uint64_t next = 0;
  uint64_t last = 0;
};

class DebugInfo {
public:
  DebugInfo(const StringTable &strings, Version version)
      : strings(strings), version(version) {}

  mlir::LogicalResult read(Cursor cursor);

  /// The locations of function `number` (from 1; 0 is none), whose number is at
  /// `offset` in the file; messages call the function `name`.
  mlir::LogicalResult getFunction(llvm::StringRef name, uint64_t number,
                                  uint64_t offset,
                                  const Diagnostics &diagnostics,
                                  FunctionLocations &result) const;

  /// The next location of a function. `cursor` is at the op or function that it
  /// belongs to.
  mlir::LogicalResult next(FunctionLocations &locations, const Cursor &cursor,
                           mlir::Location &location);

private:
  /// A complete record; its tag determines its fields.
  struct Record {
    DebugTag tag = DebugTag::Unknown;
    mlir::Attribute attribute;   // null: unknown, or made of what is
    mlir::LocationAttr location; // of positions and call sites
    unsigned height = 0;         // of the tree of call sites or blocks
  };
  enum class State : uint8_t { Unread, Reading, Read };

  mlir::LogicalResult resolve(uint64_t number, const Cursor &cursor,
                              Record &record);
  mlir::LogicalResult readReference(Cursor &cursor, const llvm::Twine &what,
                                    llvm::ArrayRef<DebugTag> allowed,
                                    Record &record);
  mlir::LogicalResult readRecord(Cursor &cursor, Record &record);
  mlir::LogicalResult readFile(Cursor &cursor, Record &record);
  mlir::LogicalResult readCompileUnit(Cursor &cursor, Record &record);
  static mlir::LogicalResult addLevel(const Cursor &cursor,
                                      llvm::StringRef what, unsigned height,
                                      Record &record);
  mlir::LogicalResult readLexicalBlock(Cursor &cursor, Record &record);
  mlir::LogicalResult readSubprogram(Cursor &cursor, Record &record);
  mlir::LogicalResult readSubprogramFlags(Cursor &cursor,
                                          SubprogramFlags &flags);
  mlir::LogicalResult readPosition(Cursor &cursor, const llvm::Twine &what,
                                   unsigned &line, unsigned &column);
  mlir::LogicalResult readLoc(Cursor &cursor, Record &record);
  mlir::LogicalResult readCallSite(Cursor &cursor, Record &record);

  const StringTable &strings;
  Version version;
  llvm::ArrayRef<uint8_t> starts;    // u32 per function
  llvm::ArrayRef<uint8_t> locations; // u64 per location
  uint64_t locationsOffset = 0;
  llvm::SmallVector<Cursor> entries;
  llvm::SmallVector<Record> records;
  llvm::SmallVector<State> states;
  unsigned depth = 0;
};

/// The debug section of a written file. A file position needs a scope in this
/// format; one without a scope gets that of its function.
class DebugPool {
public:
  DebugPool(StringPool &strings, Version version, BytecodeLocations kinds)
      : strings(strings), version(version), kinds(kinds) {}

  /// Begins the locations of `function` with its own; returns the number for
  /// its record, 0 if nothing in it has a location.
  mlir::FailureOr<uint64_t> beginFunction(mlir::Operation *function);
  /// Appends the location of an op, which comes next in the function's order.
  mlir::LogicalResult add(mlir::Location location, mlir::Operation *op);

  bool empty() const { return starts.empty(); }
  mlir::LogicalResult write(Output &out) const;

private:
  mlir::FailureOr<uint64_t> addLocation(mlir::LocationAttr location,
                                        mlir::Operation *op);
  uint64_t addPosition(mlir::FileLineColLoc position, uint64_t scope);
  /// The scope of positions in the function that have none; 0 (unknown) if the
  /// function itself has no position.
  uint64_t getFunctionScope();
  uint64_t addFile(DIFileAttr file);
  uint64_t addCompileUnit(DICompileUnitAttr unit);
  uint64_t addScope(DILocalScopeAttr scope);
  /// The number of a record; adds it if it is new.
  uint64_t addRecord(const Output &record);

  StringPool &strings;
  Version version;
  BytecodeLocations kinds;
  llvm::SmallVector<uint32_t> starts;
  llvm::SmallVector<uint64_t, 0> locations;
  llvm::DenseMap<mlir::Attribute, uint64_t> numbers; // per function
  llvm::StringMap<uint64_t> numbersByRecord;
  EntryTable entries;

  mlir::Operation *function = nullptr;
  bool hasLocations = false; // of the function
  uint64_t functionScope = 0;
};

} // namespace cuda_tile::bytecode

#endif // CUDA_TILE_LIB_BYTECODE_DEBUGINFO_H
