//===- Tileas.td - Tile assembly: conversions, shared memory, barriers -----------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_TILEAS_TILEAS_TD
#define CUDA_TILE_TILEAS_TILEAS_TD

include "cuda_tile/Tileas/ops/Place.td"
include "cuda_tile/Tileas/ops/Shared.td"
include "cuda_tile/Tileas/ops/Mma.td"
include "cuda_tile/Tileas/ops/Wgmma.td"
include "cuda_tile/Tileas/ops/Tcgen05.td"
include "cuda_tile/Tileas/ops/Barrier.td"
include "cuda_tile/Tileas/ops/Ring.td"
include "cuda_tile/Tileas/ops/Copy.td"
include "cuda_tile/Tileas/ops/Roles.td"
include "cuda_tile/Tileas/ops/Persist.td"
include "cuda_tile/Tileas/ops/Testing.td"

#endif // CUDA_TILE_TILEAS_TILEAS_TD
