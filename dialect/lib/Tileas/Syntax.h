//===- Syntax.h - Custom directives of tileas op formats --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every `custom<X>` of the .td files is a pair parseX, printX. They are
// declared here, because the generated parsers of all ops are in one file.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_LIB_TILEAS_SYNTAX_H
#define CUDA_TILE_LIB_TILEAS_SYNTAX_H

#include "cuda_tile/Tileas/Tileas.h"

namespace cuda_tile::tileas {

/// The type of a ring, which says what its buffers are.
mlir::ParseResult
parseRingOfBuffers(mlir::OpAsmParser &parser, mlir::Type &ring,
                   llvm::SmallVectorImpl<mlir::Type> &buffers);
void printRingOfBuffers(mlir::OpAsmPrinter &printer, mlir::Operation *,
                        mlir::Type ring, mlir::TypeRange buffers);

/// The type of a tile, which says what is pending.
mlir::ParseResult parseSettledTypes(mlir::OpAsmParser &parser, mlir::Type &tile,
                                    mlir::Type &pending);
void printSettledTypes(mlir::OpAsmPrinter &printer, mlir::Operation *,
                       mlir::Type tile, mlir::Type pending);

/// Types of what is pending, which say what the tiles are.
mlir::ParseResult parseAwaitedTypes(mlir::OpAsmParser &parser,
                                    llvm::SmallVectorImpl<mlir::Type> &pending,
                                    llvm::SmallVectorImpl<mlir::Type> &tiles);
void printAwaitedTypes(mlir::OpAsmPrinter &printer, mlir::Operation *,
                       mlir::TypeRange pending, mlir::TypeRange tiles);

} // namespace cuda_tile::tileas

#endif // CUDA_TILE_LIB_TILEAS_SYNTAX_H
