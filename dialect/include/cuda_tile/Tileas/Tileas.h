//===- Tileas.h - Tile assembly ---------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_TILEAS_TILEAS_H
#define CUDA_TILE_TILEAS_TILEAS_H

#include "cuda_tile/IR/CudaTile.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include "cuda_tile/Tileas/TileasDialect.h.inc"

namespace cuda_tile::tileas {

/// The shared memory of a CTA, as a resource of memory effects.
struct SharedMemory : public mlir::SideEffects::Resource::Base<SharedMemory> {
  llvm::StringRef getName() final { return "shared memory"; }
};

} // namespace cuda_tile::tileas

#define GET_TYPEDEF_CLASSES
#include "cuda_tile/Tileas/TileasTypes.h.inc"

#include "cuda_tile/Tileas/TileasInterfaces.h.inc"

#define GET_OP_CLASSES
#include "cuda_tile/Tileas/TileasOps.h.inc"

#endif // CUDA_TILE_TILEAS_TILEAS_H
