/*===- cuda_tile-c/Dialect/CudaTileOptimizer.h - Optimizer --------*- C -*-===*\
|*                                                                            *|
|* The name under which other tools have the optimizer and the writer of      *|
|* bytecode. Signatures are those of our headers, which it includes.          *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CUDA_TILE_C_DIALECT_CUDATILEOPTIMIZER_H
#define CUDA_TILE_C_DIALECT_CUDATILEOPTIMIZER_H

#include "cuda_tile-c/Bytecode.h"
#include "cuda_tile-c/Passes.h"

#endif /* CUDA_TILE_C_DIALECT_CUDATILEOPTIMIZER_H */
