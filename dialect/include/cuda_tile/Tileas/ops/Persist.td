//===- Persist.td - Several tile blocks per CTA ----------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_TILEAS_OPS_PERSIST_TD
#define CUDA_TILE_TILEAS_OPS_PERSIST_TD

include "cuda_tile/Tileas/Base.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/LoopLikeInterface.td"

def Tileas_TilesOp : Tileas_Op<"tiles", "persist",
    [CudaTile_Loops, CudaTile_Counted, RecursiveMemoryEffects, SingleBlock,
     SingleBlockImplicitTerminator<"NextTileOp">,
     DeclareOpInterfaceMethods<RegionBranchOpInterface,
                               ["getEntrySuccessorOperands"]>,
     DeclareOpInterfaceMethods<LoopLikeOpInterface,
       ["getInitsMutable", "getRegionIterArgs", "getYieldedValuesMutable",
        "getLoopResults"]>,
     DeclareOpInterfaceMethods<OpAsmOpInterface, ["getDefaultDialect"]>]> {
  let summary = "Runs its body for each tile block that the CTA serves";
  let description = [{
    The first three arguments of the body are the block's number along x, y and z.
    Each tile block of the grid is served by one CTA; how many blocks a CTA serves,
    and in which order, is open. The other arguments are carried from block to block;
    the results are what is carried after the last one.

    (C1) The body has three arguments of type tile<i32>, and one per carried value.
    (C2) The carried values correspond in number and type to `inits` and to the
         results.
  }];
  let examples = [[{
    %last = tileas.tiles (%x, %y, %z) iter_values(%t = %n) -> (tile<i32>) {
      tileas.next_tile %t : tile<i32>
    }
  }]];
  let arguments = (ins Variadic<AnyType>:$inits);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1; // C1; RegionBranchOpInterface checks C2
}

def Tileas_NextTileOp : Tileas_Op<"next_tile", "persist",
    [Pure, Terminator, ReturnLike, ParentOneOf<["TilesOp"]>]> {
  let summary = "Ends the work on one tile block";
  let examples = [[{
    tileas.tiles (%x, %y, %z) {
      tileas.next_tile
    }
  }]];
  let arguments = (ins Variadic<AnyType>:$operands);
  let builders = [OpBuilder<(ins), "// no values">];
  let assemblyFormat = [{
    ($operands^ `:` custom<CudaTileTypes>(type($operands)))? attr-dict
  }];
}

#endif // CUDA_TILE_TILEAS_OPS_PERSIST_TD
