// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/*===- cuda_tile-c/CudaTile.h - The whole C API -------------------*- C -*-===*/

#ifndef CUDA_TILE_C_CUDATILE_H
#define CUDA_TILE_C_CUDATILE_H

#include "cuda_tile-c/Attributes.h"
#include "cuda_tile-c/Bytecode.h"
#include "cuda_tile-c/DebugInfo.h"
#include "cuda_tile-c/Dialect.h"
#include "cuda_tile-c/Dialect/CudaTileDialect.h"
#include "cuda_tile-c/Dialect/CudaTileOptimizer.h"
#include "cuda_tile-c/Passes.h"
#include "cuda_tile-c/Types.h"

#endif /* CUDA_TILE_C_CUDATILE_H */
