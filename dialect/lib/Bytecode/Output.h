//===- Output.h - Bytes of a file under construction ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_LIB_BYTECODE_OUTPUT_H
#define CUDA_TILE_LIB_BYTECODE_OUTPUT_H

#include "Format.h"
#include "Varint.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Endian.h"

namespace cuda_tile::bytecode {

/// A growing range of bytes, the counterpart of Cursor.
class Output {
public:
  uint64_t size() const { return data.size(); }
  llvm::ArrayRef<uint8_t> bytes() const { return data; }
  llvm::StringRef str() const {
    return {reinterpret_cast<const char *>(data.data()), data.size()};
  }

  void writeByte(uint8_t value) { data.push_back(value); }
  void writeBytes(llvm::ArrayRef<uint8_t> values) {
    data.append(values.begin(), values.end());
  }
  void writeVarint(uint64_t value) {
    for (; value > 0x7F; value >>= 7)
      data.push_back(static_cast<uint8_t>(value) | 0x80);
    data.push_back(static_cast<uint8_t>(value));
  }
  void writeSignedVarint(int64_t value) { writeVarint(encodeZigzag(value)); }
  template <typename Int> void writeFixed(Int value) {
    data.resize(data.size() + sizeof(Int));
    llvm::support::endian::write<Int, llvm::endianness::little>(
        data.end() - sizeof(Int), value);
  }
  /// A count and that many little-endian integers.
  template <typename Int> void writeIntegers(llvm::ArrayRef<Int> values) {
    writeVarint(values.size());
    for (Int value : values)
      writeFixed(value);
  }
  /// Pads to a multiple of `alignment`. The alignment of a section is a
  /// multiple of that of its contents, so offsets in the section can be used.
  void align(uint64_t alignment) {
    while (data.size() % alignment != 0)
      data.push_back(kPadding);
  }

private:
  llvm::SmallVector<uint8_t, 0> data;
};

/// A sequence of entries after a table of their offsets.
class EntryTable {
public:
  uint64_t size() const { return starts.size(); }

  /// Appends an entry and returns its number.
  uint64_t add(llvm::ArrayRef<uint8_t> entry) {
    starts.push_back(data.size());
    data.writeBytes(entry);
    return starts.size() - 1;
  }

  /// Writes the form that readOffsetTable reads. False if an offset does not
  /// fit.
  template <typename Offset> [[nodiscard]] bool write(Output &out) const {
    out.writeVarint(size());
    out.align(sizeof(Offset));
    for (uint64_t start : starts) {
      if (start != static_cast<Offset>(start))
        return false;
      out.writeFixed(static_cast<Offset>(start));
    }
    out.writeBytes(data.bytes());
    return true;
  }

private:
  llvm::SmallVector<uint64_t, 0> starts;
  Output data;
};

} // namespace cuda_tile::bytecode

#endif // CUDA_TILE_LIB_BYTECODE_OUTPUT_H
