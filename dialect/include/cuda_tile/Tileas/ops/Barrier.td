//===- Barrier.td - Barriers -----------------------------------*- tablegen -*-===//

#ifndef CUDA_TILE_TILEAS_OPS_BARRIER_TD
#define CUDA_TILE_TILEAS_OPS_BARRIER_TD

include "cuda_tile/Tileas/Base.td"

def Tileas_BarrierOp : Tileas_Op<"barrier", "barrier"> {
  let summary = "Barrier of all threads of the CTA";
  let examples = ["tileas.barrier"];
  let assemblyFormat = "attr-dict";
}

#endif // CUDA_TILE_TILEAS_OPS_BARRIER_TD
