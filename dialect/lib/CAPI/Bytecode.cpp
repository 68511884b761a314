//===- Bytecode.cpp - Tile IR bytecode in C -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda_tile-c/Bytecode.h"
#include "cuda_tile/Bytecode/Bytecode.h"
#include "cuda_tile/IR/CudaTile.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Diagnostics.h"

#include <cstdlib>
#include <cstring>

using namespace mlir;

/// The bytes of the module that `op` is or contains; none after a diagnostic.
static std::optional<std::string> getBytes(Operation *op, StringRef version) {
  cuda_tile::BytecodeVersion parsed;
  if (!version.empty()) {
    std::optional<cuda_tile::BytecodeVersion> named =
        cuda_tile::BytecodeVersion::parse(version);
    if (!named) {
      emitError(op->getLoc())
          << "expected a bytecode version such as '13.3', got '" << version
          << "'";
      return std::nullopt;
    }
    parsed = *named;
  }
  cuda_tile::ModuleOp module = cuda_tile::findTileModule(op);
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  if (!module || failed(cuda_tile::writeBytecode(os, module, parsed)))
    return std::nullopt;
  return bytes;
}

bool mlirCudaTileIsBytecode(MlirStringRef data) {
  return cuda_tile::isBytecode(unwrap(data));
}

MlirModule mlirCudaTileReadBytecode(MlirContext context, MlirStringRef data,
                                    MlirStringRef name) {
  llvm::MemoryBufferRef buffer(unwrap(data), unwrap(name));
  return wrap(cuda_tile::readBytecode(buffer, unwrap(context)).release());
}

MlirLogicalResult mlirCudaTileBytecodeWrite(MlirOperation module,
                                            MlirStringRef version,
                                            MlirStringCallback callback,
                                            void *userData) {
  std::optional<std::string> bytes = getBytes(unwrap(module), unwrap(version));
  if (!bytes)
    return mlirLogicalResultFailure();
  callback(wrap(StringRef(*bytes)), userData);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult mlirCudaTileBytecodeWriteToBuffer(MlirOperation module,
                                                    MlirStringRef version,
                                                    char **buffer,
                                                    size_t *sizeBytes) {
  *buffer = nullptr;
  *sizeBytes = 0;
  std::optional<std::string> bytes = getBytes(unwrap(module), unwrap(version));
  if (!bytes)
    return mlirLogicalResultFailure();
  *buffer = static_cast<char *>(std::malloc(bytes->size()));
  if (!*buffer) {
    emitError(unwrap(module)->getLoc(), "no memory left for the bytecode");
    return mlirLogicalResultFailure();
  }
  std::memcpy(*buffer, bytes->data(), bytes->size());
  *sizeBytes = bytes->size();
  return mlirLogicalResultSuccess();
}

void mlirCudaTileBytecodeFree(char *buffer) { std::free(buffer); }
