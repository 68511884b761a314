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
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <optional>
#include <string>

namespace cuda_tile {

class ModuleOp;

/// Whether `data` begins with the magic number of a bytecode file.
bool isBytecode(llvm::StringRef data);

/// Reads a bytecode file of version 13.1 to 13.5 and verifies what it holds.
///
/// The result is a builtin module around `cuda_tile.module @kernels` (files do
/// not store the module's name). A file that is damaged, of another version, or
/// holds an invalid program gives null and diagnostics in `context`; each error
/// of the format names the offset in the file, the section and the op.
mlir::OwningOpRef<mlir::ModuleOp> readBytecode(llvm::MemoryBufferRef buffer,
                                               mlir::MLIRContext *context);

/// Reads a bytecode file and explains it byte by byte: offset, bytes, section,
/// op, field, value. Of a file that cannot be read, what comes before the error
/// is explained.
mlir::LogicalResult dumpBytecode(llvm::MemoryBufferRef buffer,
                                 mlir::MLIRContext *context,
                                 llvm::raw_ostream &os);

/// Version of a bytecode file.
struct BytecodeVersion {
  uint8_t major = 13;
  uint8_t minor = 3;
  uint16_t tag = 0;

  /// The version that `text` ("13.1", "13.1.0") names; none if it names none.
  static std::optional<BytecodeVersion> parse(llvm::StringRef text);
  bool isSupported() const;
  std::string str() const;
};

/// All versions that are read and written, oldest first, but for those that
/// only builds for tests have (250.0 and 250.1).
llvm::SmallVector<BytecodeVersion> getBytecodeVersions();

/// Verifies `module` and writes the bytecode file that holds it.
///
/// Fails, with diagnostics at the ops and nothing written, if the module is
/// invalid or something in it is newer than `version`. What no version holds is
/// left out: with a warning, attributes that the ops do not define; names of
/// locations. Locations in files without a scope get that of their entry. The
/// module's name goes into the producer section, which exists from 13.3 on.
mlir::LogicalResult writeBytecode(llvm::raw_ostream &os, ModuleOp module,
                                  BytecodeVersion version = {});

/// The module that a bytecode file can hold: `op` itself or the only op in it.
/// Null and a diagnostic if there is none.
ModuleOp findTileModule(mlir::Operation *op);

/// Gives the dialects compact encodings in MLIR's own bytecode (`.mlirbc`),
/// which holds every level of IR.
void registerMlirBytecode(mlir::DialectRegistry &registry);

/// Adds `-cudatilebc-to-mlir`, `-mlir-to-cudatilebc`,
/// `-test-cudatile-roundtrip` and `-dump` to the translations of the process,
/// with the options
/// `-bytecode-version` and `-list-versions`.
void registerBytecodeTranslations();

} // namespace cuda_tile

#endif // CUDA_TILE_BYTECODE_BYTECODE_H
