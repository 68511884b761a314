//===- Nesting.h - How deep regions may nest --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsers, verifiers and passes recurse into regions. One limit, checked
// wherever a module comes in, keeps all of them within their stacks.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_IR_NESTING_H
#define CUDA_TILE_IR_NESTING_H

#include "mlir/IR/Operation.h"
#include <optional>
#include <string>

namespace cuda_tile {

/// Regions of ops in a kernel's body. Real programs use less than a tenth.
constexpr unsigned kMaxRegionDepth = 256;

/// `expected regions nested at most N deep`.
std::string getNestingMessage();

/// Where text nests so deep that the parser, which recurses, may overflow its
/// stack. What this passes, `findDeepOp` measures.
std::optional<size_t> findDeepText(llvm::StringRef text);

/// An op with a region too deep, or null. Does not recurse.
mlir::Operation *findDeepOp(mlir::Operation *module);

} // namespace cuda_tile

#endif // CUDA_TILE_IR_NESTING_H
