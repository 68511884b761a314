//===- Cute.h - Layouts as attributes ---------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_CUTE_CUTE_H
#define CUDA_TILE_CUTE_CUTE_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"

#include "cuda_tile/Cute/CuteDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "cuda_tile/Cute/CuteAttrs.h.inc"

#endif // CUDA_TILE_CUTE_CUTE_H
