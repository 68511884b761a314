//===- Mutator.h - Mutated bytecode files -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random changes that respect the sections of a file: most inputs keep a valid
// frame (lengths, alignment, padding), so that errors are in the records and
// not found by the first check.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_FUZZ_MUTATOR_H
#define CUDA_TILE_FUZZ_MUTATOR_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <random>
#include <vector>

namespace cuda_tile::fuzz {

using Bytes = std::vector<uint8_t>;

class Mutator {
public:
  explicit Mutator(uint64_t seed) : random(seed) {}

  /// A mutated copy of `file`, possibly with parts of `other`.
  Bytes mutate(llvm::ArrayRef<uint8_t> file, llvm::ArrayRef<uint8_t> other);

private:
  /// A number below `bound`, which is not 0.
  uint64_t below(uint64_t bound) { return random() % bound; }
  bool oneIn(uint64_t n) { return below(n) == 0; }

  void changePayload(Bytes &payload, bool isFunctions);
  void changeBytes(Bytes &bytes);
  void changeVarint(Bytes &bytes);
  void changeWord(Bytes &bytes);
  void changeSize(Bytes &bytes);
  uint64_t interestingNumber(uint64_t old);

  std::mt19937_64 random;
};

} // namespace cuda_tile::fuzz

#endif // CUDA_TILE_FUZZ_MUTATOR_H
