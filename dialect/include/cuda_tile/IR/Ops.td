//===- Ops.td - All ops of the cuda_tile dialect --------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_IR_OPS_TD
#define CUDA_TILE_IR_OPS_TD

include "cuda_tile/IR/DebugInfo.td"
include "cuda_tile/IR/ops/Structure.td"
include "cuda_tile/IR/ops/Shape.td"
include "cuda_tile/IR/ops/Reduce.td"
include "cuda_tile/IR/ops/Integer.td"
include "cuda_tile/IR/ops/Bitwise.td"
include "cuda_tile/IR/ops/Float.td"
include "cuda_tile/IR/ops/Math.td"
include "cuda_tile/IR/ops/Mma.td"
include "cuda_tile/IR/ops/Convert.td"
include "cuda_tile/IR/ops/Control.td"
include "cuda_tile/IR/ops/Memory.td"
include "cuda_tile/IR/ops/Atomic.td"
include "cuda_tile/IR/ops/View.td"
include "cuda_tile/IR/ops/Multimem.td"
include "cuda_tile/IR/ops/Hint.td"

// A build for tests has more; see the CMake option of this name.
#ifdef CUDA_TILE_TESTING
include "cuda_tile/IR/ops/Testing.td"
#endif // CUDA_TILE_TESTING

#endif // CUDA_TILE_IR_OPS_TD
