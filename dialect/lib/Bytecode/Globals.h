//===- Globals.h - The global section ---------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// count; per global: name, type, constant, alignment; since 13.3 also
// visibility and a byte that is 1 if the global is constant.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_LIB_BYTECODE_GLOBALS_H
#define CUDA_TILE_LIB_BYTECODE_GLOBALS_H

#include "Ops.h"

namespace cuda_tile::bytecode {

/// Reads the section and adds its globals to `module`.
mlir::LogicalResult readGlobals(Cursor cursor, Tables &tables,
                                mlir::Block &module);

/// Writes the globals of `module`; nothing if there are none.
mlir::LogicalResult writeGlobals(mlir::Block &module, Pools &pools,
                                 Output &out);

} // namespace cuda_tile::bytecode

#endif // CUDA_TILE_LIB_BYTECODE_GLOBALS_H
