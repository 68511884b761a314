//===- Check.h - What must hold for every input -----------------*- C++ -*-===//

#ifndef CUDA_TILE_FUZZ_CHECK_H
#define CUDA_TILE_FUZZ_CHECK_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/ArrayRef.h"
#include <memory>
#include <string>

namespace cuda_tile::fuzz {

/// What came of one input.
struct Outcome {
  bool accepted = false;
  std::string problem; // empty if all is well
};

/// Reads an input. One that is refused must have been told an offset; one that
/// is accepted must be written, and read again to the same module.
Outcome check(llvm::ArrayRef<uint8_t> input, mlir::MLIRContext &context);

/// A context for inputs. What these make in it is never freed, so it serves for
/// some of them only.
std::unique_ptr<mlir::MLIRContext> makeContext();

} // namespace cuda_tile::fuzz

#endif // CUDA_TILE_FUZZ_CHECK_H
