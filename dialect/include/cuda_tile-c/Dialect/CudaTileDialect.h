/*===- cuda_tile-c/Dialect/CudaTileDialect.h - Types, attributes --*- C -*-===*\
|*                                                                            *|
|* The name under which other tools have the dialect's types and attributes.  *|
|* Signatures are those of our headers, which it includes.                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CUDA_TILE_C_DIALECT_CUDATILEDIALECT_H
#define CUDA_TILE_C_DIALECT_CUDATILEDIALECT_H

#include "cuda_tile-c/Attributes.h"
#include "cuda_tile-c/Dialect.h"
#include "cuda_tile-c/Types.h"

#endif /* CUDA_TILE_C_DIALECT_CUDATILEDIALECT_H */
