//===- Producer.h - The producer section ------------------------*- C++ -*-===//
//
// One string. Files do not store the name of a module; a reader calls it
// `kernels`. So that nothing is lost on the way through a file, our writer
// appends another name to the producer: `PRODUCER; module @NAME`.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_LIB_BYTECODE_PRODUCER_H
#define CUDA_TILE_LIB_BYTECODE_PRODUCER_H

#include "StringTable.h"
#include <string>

namespace cuda_tile::bytecode {

constexpr llvm::StringLiteral kDefaultModuleName = "kernels";

/// What a module is called and who made it.
struct Producer {
  std::string module = kDefaultModuleName.str();
  std::string producer; // empty: not known
};

mlir::LogicalResult readProducer(Cursor cursor, const StringTable &strings,
                                 Producer &result);

/// Whether a file needs the section to hold `producer`.
bool isProducerNeeded(const Producer &producer);
void writeProducer(const Producer &producer, StringPool &strings, Output &out);

} // namespace cuda_tile::bytecode

#endif // CUDA_TILE_LIB_BYTECODE_PRODUCER_H
