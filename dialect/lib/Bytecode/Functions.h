//===- Functions.h - The function section -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// count; per function: name, type, a byte of flags, number of its debug
// information (0: none), hints if their flag is set, size of the body in bytes,
// the body: a sequence of ops.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_LIB_BYTECODE_FUNCTIONS_H
#define CUDA_TILE_LIB_BYTECODE_FUNCTIONS_H

#include "Ops.h"

namespace cuda_tile::bytecode {

/// Reads the functions of the section and adds them to `body`.
mlir::LogicalResult readFunctions(Cursor cursor, Tables &tables,
                                  mlir::Block &body);

/// Writes the entries in `module`.
mlir::LogicalResult writeFunctions(mlir::Block &module, Pools &pools,
                                   Output &out);

} // namespace cuda_tile::bytecode

#endif // CUDA_TILE_LIB_BYTECODE_FUNCTIONS_H
