//===- Cursor.h - Checked reading of a byte range ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_LIB_BYTECODE_CURSOR_H
#define CUDA_TILE_LIB_BYTECODE_CURSOR_H

#include "Format.h"
#include "Trace.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"
#include <optional>

namespace cuda_tile::bytecode {

/// Reports errors of one file together with the reader's place in its
/// structure.
class Diagnostics {
public:
  /// Reads are recorded in `trace` if it is not null. `isStrict` makes errors
  /// of what other readers skip.
  Diagnostics(mlir::MLIRContext *context, llvm::StringRef bufferName,
              bool isStrict = false, Trace *trace = nullptr)
      : location(mlir::FileLineColLoc::get(context, bufferName, 0, 0)),
        isStrict(isStrict), trace(trace) {}

  /// Emits `error at offset N: MESSAGE (in PLACE)`. Always fails.
  mlir::LogicalResult error(uint64_t offset, const llvm::Twine &message) const;
  /// The same as a warning: `at offset N: MESSAGE (in PLACE)`.
  void warn(uint64_t offset, const llvm::Twine &message) const;
  /// An error if this is strict, otherwise a warning that ends in "; NOTE".
  mlir::LogicalResult warnUnlessStrict(uint64_t offset,
                                       const llvm::Twine &message,
                                       const llvm::Twine &note) const;

  /// Runs `build`, which reports errors through the callback it is given, and
  /// turns these into one error at `offset`. A null result is a failure.
  template <typename Build> auto checked(uint64_t offset, Build build) const {
    std::string text;
    auto capture = [&](mlir::Diagnostic &diagnostic) {
      if (diagnostic.getLocation() != location)
        return mlir::failure();
      text += (text.empty() ? "" : "; ") + diagnostic.str();
      return mlir::success();
    };
    auto result = [&] {
      mlir::ScopedDiagnosticHandler handler(location.getContext(), capture);
      return build([&] { return mlir::emitError(location); });
    }();
    if (!result)
      (void)error(offset, text);
    return result;
  }

  mlir::MLIRContext *getContext() const { return location.getContext(); }

  bool getIsStrict() const { return isStrict; }
  bool isTraced() const { return trace; }
  /// Records a read of `size` bytes.
  void addRead(uint64_t offset, uint64_t size, const llvm::Twine &field,
               const llvm::Twine &value = "") const;
  /// Records the meaning of the value at `offset`, which was just read.
  template <typename T> void explain(uint64_t offset, const T &meaning) const {
    if (!trace)
      return;
    std::string text;
    llvm::raw_string_ostream(text) << meaning;
    trace->explain(offset, std::move(text));
  }

private:
  friend class Place;
  void append(mlir::InFlightDiagnostic &diagnostic, uint64_t offset,
              const llvm::Twine &message) const;

  mlir::Location location;
  bool isStrict;
  Trace *trace;
  class Place *innermost = nullptr;
};

/// One level of the reader's place, such as "op 12 addi", during its
/// lifetime.
class Place {
public:
  Place(Diagnostics &diagnostics, llvm::StringRef kind,
        std::optional<uint64_t> index = std::nullopt, llvm::StringRef name = {})
      : diagnostics(diagnostics), outer(diagnostics.innermost), kind(kind),
        index(index), name(name) {
    diagnostics.innermost = this;
  }
  ~Place() { diagnostics.innermost = outer; }
  Place(const Place &) = delete;
  Place &operator=(const Place &) = delete;

  void setName(llvm::StringRef newName) {
    name = newName;
    if (traced != Trace::kNoPlace)
      diagnostics.trace->setPlaceName(traced, newName);
  }

private:
  friend class Diagnostics;
  /// This place in `trace`.
  int trace(Trace &trace);

  Diagnostics &diagnostics;
  Place *outer;
  int traced = Trace::kNoPlace;
  llvm::StringRef kind;
  std::optional<uint64_t> index;
  llvm::StringRef name;
};

/// Reads a range of the file from front to back. Every read names what it
/// reads, for the error in case the range ends or the value is out of bounds.
class Cursor {
public:
  Cursor(Diagnostics &diagnostics, llvm::ArrayRef<uint8_t> file, uint64_t begin,
         uint64_t end)
      : diagnostics(&diagnostics), file(file), position(begin), end(end) {
    assert(begin <= end && end <= file.size());
  }

  uint64_t offset() const { return position; }
  uint64_t remaining() const { return end - position; }
  Diagnostics &diags() const { return *diagnostics; }
  mlir::MLIRContext *getContext() const { return diagnostics->getContext(); }

  /// Fails with `message` at the current offset.
  mlir::LogicalResult error(const llvm::Twine &message) const {
    return diagnostics->error(position, message);
  }

  /// A cursor over the next `size` bytes, which this cursor skips.
  Cursor slice(uint64_t size) {
    assert(size <= remaining());
    Cursor part(*diagnostics, file, position, position + size);
    position += size;
    return part;
  }
  /// A cursor over bytes `begin` to `end` of this one's range.
  Cursor at(uint64_t begin, uint64_t last) const {
    assert(begin <= last && last <= end);
    return Cursor(*diagnostics, file, begin, last);
  }

  /// A byte, in the type that prints as a number.
  mlir::LogicalResult readByte(uint64_t &value, const llvm::Twine &what);
  /// The message of an error is `failed to VERB WHAT: ...`.
  mlir::LogicalResult readVarint(uint64_t &value, const llvm::Twine &what,
                                 llvm::StringRef verb = "read");
  mlir::LogicalResult readSignedVarint(int64_t &value, const llvm::Twine &what);
  /// Reads a zigzag varint of `width` bits, at most 64, either unsigned or in
  /// two's complement.
  mlir::LogicalResult readZigzagBits(uint64_t &bits, unsigned width,
                                     const llvm::Twine &what);
  /// Reads the number of items that follow, each of at least `itemBytes`.
  mlir::LogicalResult readCount(uint64_t &value, const llvm::Twine &what,
                                uint64_t itemBytes = 1);
  mlir::LogicalResult readBytes(llvm::ArrayRef<uint8_t> &bytes, uint64_t size,
                                const llvm::Twine &what);
  /// Reads a count and that many little-endian integers.
  template <typename Int>
  mlir::LogicalResult readIntegers(llvm::SmallVectorImpl<Int> &values,
                                   const llvm::Twine &what);
  /// The same for an array attribute, none of whose elements may be the least
  /// or greatest number of its type.
  template <typename Int>
  mlir::LogicalResult readElements(llvm::SmallVectorImpl<Int> &values,
                                   const llvm::Twine &what);
  /// Records that `bytes`, which were just read, are integers; `what` is their
  /// name in the singular.
  template <typename Int>
  void traceIntegers(llvm::ArrayRef<uint8_t> bytes, llvm::StringRef what) const;
  /// Skips to the next file offset that is a multiple of `alignment`.
  mlir::LogicalResult align(uint64_t alignment, const llvm::Twine &what);
  /// Everything should have been read, up to padding to a multiple of
  /// `alignment`. More bytes are skipped with a warning, or refused if strict.
  mlir::LogicalResult expectEnd(const llvm::Twine &what,
                                uint64_t alignment = 1);

private:
  mlir::LogicalResult readVarint(uint64_t &value, bool *bit64,
                                 const llvm::Twine &what, llvm::StringRef verb);

  Diagnostics *diagnostics;
  llvm::ArrayRef<uint8_t> file;
  uint64_t position;
  uint64_t end;
};

/// A count, padding, `count` offsets of type `Offset`, and the data that they
/// point into. An entry ends where the next one begins. `noun` is the singular
/// that errors use.
template <typename Offset> class OffsetTable {
public:
  explicit OffsetTable(llvm::StringRef noun) : noun(noun) {}

  /// Reads everything but the entries.
  mlir::LogicalResult read(Cursor cursor);
  uint64_t size() const { return count; }
  /// The cursor over the bytes of entry `i`; fails if they are not there.
  mlir::FailureOr<Cursor> getEntry(uint64_t i) const;
  /// Whether they are there.
  bool hasEntry(uint64_t i) const;

private:
  /// First byte of entry `i` in the data.
  uint64_t getBegin(uint64_t i) const;

  llvm::StringRef noun;
  uint64_t count = 0;
  llvm::ArrayRef<uint8_t> offsets;
  std::optional<Cursor> data;
};

/// Reads an offset table with all its entries.
template <typename Offset>
mlir::LogicalResult readOffsetTable(Cursor cursor, llvm::StringRef noun,
                                    llvm::SmallVectorImpl<Cursor> &entries);

} // namespace cuda_tile::bytecode

#endif // CUDA_TILE_LIB_BYTECODE_CURSOR_H
