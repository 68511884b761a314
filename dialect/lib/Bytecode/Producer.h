//===- Producer.h - The producer section ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One string. Files do not store the name of a module; readers call it
// `kernels`. To preserve another name, our writer appends it to the producer:
// `PRODUCER; module @NAME`.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_LIB_BYTECODE_PRODUCER_H
#define CUDA_TILE_LIB_BYTECODE_PRODUCER_H

#include "StringTable.h"
#include <string>

namespace cuda_tile::bytecode {

constexpr llvm::StringLiteral kDefaultModuleName = "kernels";

/// Name and producer of a module.
struct Producer {
  std::string module = kDefaultModuleName.str();
  std::string producer; // empty: not known
};

mlir::LogicalResult readProducer(Cursor cursor, const StringTable &strings,
                                 Producer &result);

/// Whether a file needs the section to store `producer`.
bool isProducerNeeded(const Producer &producer);
void writeProducer(const Producer &producer, StringPool &strings, Output &out);

} // namespace cuda_tile::bytecode

#endif // CUDA_TILE_LIB_BYTECODE_PRODUCER_H
