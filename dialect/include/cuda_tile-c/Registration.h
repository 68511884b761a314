// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/*===- cuda_tile-c/Registration.h - Dialects and passes -----------*- C -*-===*\
|*                                                                            *|
|* The name under which other tools have mlirCudaTileRegisterAllDialects and  *|
|* mlirCudaTileRegisterAllPasses.                                             *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CUDA_TILE_C_REGISTRATION_H
#define CUDA_TILE_C_REGISTRATION_H

#include "cuda_tile-c/Dialect.h"
#include "cuda_tile-c/Passes.h"

#endif /* CUDA_TILE_C_REGISTRATION_H */
