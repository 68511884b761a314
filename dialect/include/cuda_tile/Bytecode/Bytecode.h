//===- Bytecode.h - Tile IR bytecode files ----------------------*- C++ -*-===//
//
// The wire format in which cuTile Python and other producers hand kernels over.
// dialect/docs/bytecode.md describes it section by section.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_BYTECODE_BYTECODE_H
#define CUDA_TILE_BYTECODE_BYTECODE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace cuda_tile {

/// Whether `data` begins with the magic number of a bytecode file.
bool isBytecode(llvm::StringRef data);

/// Reads a bytecode file of version 13.1 to 13.4 and verifies what it holds.
///
/// The result is a builtin module around `cuda_tile.module @kernels` (files do
/// not store the module's name). A file that is damaged, of another version, or
/// holds an invalid program gives null and diagnostics in `context`; each error
/// of the format names the offset in the file, the section and the op.
mlir::OwningOpRef<mlir::ModuleOp> readBytecode(llvm::MemoryBufferRef buffer,
                                               mlir::MLIRContext *context);

/// Adds `-cudatilebc-to-mlir` to the translations of the process.
void registerBytecodeTranslations();

} // namespace cuda_tile

#endif // CUDA_TILE_BYTECODE_BYTECODE_H
