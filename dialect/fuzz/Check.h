//===- Check.h - Properties checked for every input -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_FUZZ_CHECK_H
#define CUDA_TILE_FUZZ_CHECK_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/ArrayRef.h"
#include <memory>
#include <string>

namespace cuda_tile::fuzz {

/// The outcome of one input.
struct Outcome {
  bool accepted = false;
  std::string problem; // empty if all is well
};

/// Reads an input. A rejected input must have an error with an offset; an
/// accepted one is written, and must be read again to the same module.
Outcome check(llvm::ArrayRef<uint8_t> input, mlir::MLIRContext &context);

/// A context for a limited number of inputs, since it never frees types and
/// attributes.
std::unique_ptr<mlir::MLIRContext> makeContext();

} // namespace cuda_tile::fuzz

#endif // CUDA_TILE_FUZZ_CHECK_H
