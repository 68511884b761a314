//===- Trace.h - Records the reads of a file --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reader records each read in its trace, if it has one. The trace is printed
// in file order to dump a file. As the reader itself produces it, no second
// parser can disagree with it.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_LIB_BYTECODE_TRACE_H
#define CUDA_TILE_LIB_BYTECODE_TRACE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace cuda_tile::bytecode {

class Trace {
public:
  static constexpr int kNoPlace = -1;

  /// The place `kind index 'name'` inside `outer`.
  int addPlace(int outer, llvm::StringRef kind, std::optional<uint64_t> index,
               llvm::StringRef name);
  void setPlaceName(int place, llvm::StringRef name);

  /// Records that bytes `offset` to `offset + size` are `field`.
  void addRead(int place, uint64_t offset, uint64_t size, std::string field,
               std::string value);
  /// Records the meaning of the value at `offset`, which was just read.
  void explain(uint64_t offset, std::string meaning);

  /// Prints a line per read and per place. A read within another one is a part
  /// of it; bytes that were read twice have one line.
  void print(llvm::raw_ostream &os, llvm::ArrayRef<uint8_t> file) const;

private:
  struct PlaceNode {
    int outer;
    std::string kind;
    std::optional<uint64_t> index;
    std::string name;
    unsigned depth;
  };
  struct Read {
    int place;
    uint64_t offset, size;
    std::string field, value, meaning;
  };
  class Printer;

  llvm::SmallVector<const Read *> inFileOrder() const;

  llvm::SmallVector<PlaceNode, 0> places;
  std::map<std::tuple<int, std::string, uint64_t, std::string>, int> known;
  llvm::SmallVector<Read, 0> reads;
};

} // namespace cuda_tile::bytecode

#endif // CUDA_TILE_LIB_BYTECODE_TRACE_H
