//===- Testing.td - Ops that only tests make --------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_TILEAS_OPS_TESTING_TD
#define CUDA_TILE_TILEAS_OPS_TESTING_TD

include "cuda_tile/Tileas/ops/Wgmma.td"

def Tileas_TestingProductOp : Tileas_AsyncProductOp<"testing_product", "testing", "group"> {
  let summary = "Starts a product by an engine that a test registers";
  let description = "A test gives it its meaning and its instructions.";
}

#endif // CUDA_TILE_TILEAS_OPS_TESTING_TD
