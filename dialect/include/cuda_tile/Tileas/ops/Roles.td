//===- Roles.td - Warps with different work --------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_TILEAS_OPS_ROLES_TD
#define CUDA_TILE_TILEAS_OPS_ROLES_TD

include "cuda_tile/Tileas/Base.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/LoopLikeInterface.td"

def Tileas_RolesOp : Tileas_Op<"roles", "roles",
    [NoRegionArguments, RecursiveMemoryEffects, SingleBlock,
     SingleBlockImplicitTerminator<"DoneOp">,
     DeclareOpInterfaceMethods<RegionBranchOpInterface>,
     DeclareOpInterfaceMethods<OpAsmOpInterface, ["getDefaultDialect"]>]> {
  let summary = "Divides the warps of the CTA into roles that run at the same time";
  let description = [{
    Each region is run by warps of its own, in the order of the regions. `threads`
    of them do so: all, or one. `registers` is what a thread of the role may use; 0
    for all roles where the hardware shall not move registers between them.

    (C1) There is a name, a number of warps, of threads and of registers for each
         region. Names differ; numbers of warps are positive, and at most 32 in all;
         `threads` is 1 or 32 times `warps`.
    (C2) Registers are all 0, or multiples of 8 from 24 to 256 and warps multiples of
         4, and all threads together use at most 65536.
    (C3) What regions use from outside is the same in all threads: no tile of rank 1
         or more, and nothing pending.
    (C4) A ring is filled in one region, and drained in one.
    (C5) Roles are not nested.
  }];
  let examples = [[{
    tileas.roles role "work" warps = 8 threads = 256 registers = 232 {
      tileas.barrier
    } role "load" warps = 4 threads = 1 registers = 40 {
    }
  }]];
  let arguments = (ins StrArrayAttr:$names, DenseI64ArrayAttr:$warps,
                       DenseI64ArrayAttr:$threads, DenseI64ArrayAttr:$registers);
  let regions = (region VariadicRegion<SizedRegion<1>>:$bodies);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;       // C1, C2
  let hasRegionVerifier = 1; // C3, C4, C5
}

def Tileas_DoneOp : Tileas_Op<"done", "roles",
    [Pure, Terminator, ReturnLike, CudaTile_EndsThreads,
     ParentOneOf<["RolesOp"]>]> {
  let summary = "Ends a role";
  let examples = [[{
    tileas.roles role "work" warps = 4 threads = 128 registers = 0 {
      tileas.done
    }
  }]];
  let assemblyFormat = "attr-dict";
}

#endif // CUDA_TILE_TILEAS_OPS_ROLES_TD
