//===- Barrier.td - Barriers -----------------------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_TILEAS_OPS_BARRIER_TD
#define CUDA_TILE_TILEAS_OPS_BARRIER_TD

include "cuda_tile/Tileas/Base.td"

def Tileas_BarrierOp : Tileas_Op<"barrier", "barrier",
    [Tileas_OrdersBuffers]> {
  let summary = "Barrier of all threads of the CTA";
  let description = [{
    Inside `roles`, of the threads of the role. With `async`, what threads wrote to
    shared memory before it is also visible to copies and matrix instructions that
    read it by themselves afterwards.
  }];
  let examples = ["tileas.barrier", "tileas.barrier async"];
  let arguments = (ins UnitAttr:$async);
  let assemblyFormat = "(`async` $async^)? attr-dict";
}

#endif // CUDA_TILE_TILEAS_OPS_BARRIER_TD
