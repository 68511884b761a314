//===- Bytecode.h - Tile IR bytecode files ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file format in which cuTile Python and other producers store kernels.
// dialect/docs/bytecode.md specifies it.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_BYTECODE_BYTECODE_H
#define CUDA_TILE_BYTECODE_BYTECODE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <optional>
#include <string>

namespace cuda_tile {

class ModuleOp;

/// Whether `data` begins with the magic number of a bytecode file.
bool isBytecode(llvm::StringRef data);

/// How much a reader lets pass.
enum class BytecodeReading {
  /// What NVIDIA's reader accepts too and is unambiguous: bytes that nothing
  /// reads, a section twice with equal contents, unknown flags of an op. Each
  /// is reported by a warning, except padding.
  Tolerant,
  /// Nothing of this; the padding that NVIDIA's writers add is no error.
  Strict,
};

/// Reads a bytecode file of version 13.1 to 13.5 and verifies its contents.
///
/// The result is a builtin module that contains `cuda_tile.module @kernels`
/// (files do not store the module's name). An invalid file, an unknown version
/// or an invalid program gives null and diagnostics in `context`; errors of the
/// format name the offset in the file, the section and the op.
mlir::OwningOpRef<mlir::ModuleOp>
readBytecode(llvm::MemoryBufferRef buffer, mlir::MLIRContext *context,
             BytecodeReading reading = BytecodeReading::Tolerant);

/// Reads a bytecode file and prints each field: offset, bytes, section, op,
/// name, value. For an invalid file, it prints everything before the error.
mlir::LogicalResult
dumpBytecode(llvm::MemoryBufferRef buffer, mlir::MLIRContext *context,
             llvm::raw_ostream &os,
             BytecodeReading reading = BytecodeReading::Tolerant);

/// Version of a bytecode file.
struct BytecodeVersion {
  uint8_t major = 13;
  uint8_t minor = 3;
  uint16_t tag = 0;

  /// Parses `text` ("13.1", "13.1.0"); none if it is not a version.
  static std::optional<BytecodeVersion> parse(llvm::StringRef text);
  bool isSupported() const;
  std::string str() const;
};

/// All supported versions, oldest first, without those of test builds (250.0
/// and 250.1).
llvm::SmallVector<BytecodeVersion> getBytecodeVersions();

/// Prints them one a line as `--list-versions` does: those of NVIDIA's open
/// tools, those of test builds, newer ones.
void printBytecodeVersions(llvm::raw_ostream &os);

/// What a writer does with locations that the format does not have.
enum class BytecodeLocations {
  /// Names and fusions are looked through: the nearest position is written.
  Nearest,
  /// They are errors.
  Strict,
};

/// Verifies `module` and writes it as bytecode.
///
/// Fails, with diagnostics at the ops and without output, if the module is
/// invalid or contains something newer than `version`. What no version can
/// store is dropped: attributes that the ops do not define (with a warning) and
/// names of locations. File locations without a scope get that of their entry.
/// The module's name is stored in the producer section, since 13.3.
mlir::LogicalResult
writeBytecode(llvm::raw_ostream &os, ModuleOp module,
              BytecodeVersion version = {},
              BytecodeLocations locations = BytecodeLocations::Nearest);

/// The module that can be written as bytecode: `op` itself or the only op in
/// it. Null and a diagnostic if there is none.
ModuleOp findTileModule(mlir::Operation *op);

/// Gives the dialects compact encodings in MLIR's own bytecode (`.mlirbc`),
/// which supports every level of IR.
void registerMlirBytecode(mlir::DialectRegistry &registry);

/// Adds `-cudatilebc-to-mlir`, `-mlir-to-cudatilebc`,
/// `-test-cudatile-roundtrip` and `-dump` to the translations of the process,
/// with the options
/// `-bytecode-version` and `-list-versions`.
void registerBytecodeTranslations();

} // namespace cuda_tile

#endif // CUDA_TILE_BYTECODE_BYTECODE_H
