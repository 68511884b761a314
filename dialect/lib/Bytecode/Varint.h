//===- Varint.h - Integers of variable length -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unsigned: LEB128, seven bits per byte, low group first, at most ten bytes.
// Signed: zigzag (0, -1, 1, -2, ...) of that.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_LIB_BYTECODE_VARINT_H
#define CUDA_TILE_LIB_BYTECODE_VARINT_H

#include "llvm/ADT/ArrayRef.h"
#include <cstddef>
#include <cstdint>

namespace cuda_tile::bytecode {

constexpr size_t kMaxVarintBytes = 10;

enum class VarintStatus { Ok, Truncated, TooLarge };

/// Decodes the varint at the start of `bytes`; `length` is its size in bytes.
/// A 65th bit is stored separately if the caller allows one.
inline VarintStatus decodeVarint(llvm::ArrayRef<uint8_t> bytes, uint64_t &value,
                                 size_t &length, bool *bit64 = nullptr) {
  value = 0;
  if (bit64)
    *bit64 = false;
  for (length = 0; length < kMaxVarintBytes; ++length) {
    if (length == bytes.size())
      return VarintStatus::Truncated;
    uint64_t byte = bytes[length];
    // The tenth byte holds bit 63 and, if there may be one, bit 64.
    if (length + 1 == kMaxVarintBytes) {
      if (byte > (bit64 ? 3 : 1))
        return VarintStatus::TooLarge;
      if (bit64)
        *bit64 = byte >> 1;
    }
    value |= (byte & 0x7F) << (7 * length);
    if (byte < 0x80) {
      ++length;
      return VarintStatus::Ok;
    }
  }
  return VarintStatus::TooLarge;
}

inline int64_t decodeZigzag(uint64_t value) {
  return static_cast<int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

inline uint64_t encodeZigzag(int64_t value) {
  uint64_t bits = static_cast<uint64_t>(value);
  return bits << 1 ^ (value < 0 ? ~uint64_t(0) : 0);
}

} // namespace cuda_tile::bytecode

#endif // CUDA_TILE_LIB_BYTECODE_VARINT_H
