//===- Place.td - Layout conversions ---------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_TILEAS_OPS_PLACE_TD
#define CUDA_TILE_TILEAS_OPS_PLACE_TD

include "cuda_tile/Tileas/Base.td"

def Tileas_ConvertLayoutOp : Tileas_Op<"convert_layout", "place",
    [Pure, CudaTile_Relocates, AllShapesMatch<["source", "result"]>,
     AllElementTypesMatch<["source", "result"]>]> {
  let summary = "Moves the elements of a tile into another layout";
  let description = "(C1) Shapes and element types are equal.";
  let examples = [[{
    %x = iota : tile<32xi32, #cute.layout<((), (1@0, 2@0, 4@0, 8@0, 16@0), (), ())>>
    %y = tileas.convert_layout %x : tile<32xi32, #cute.layout<((), (1@0, 2@0, 4@0, 8@0, 16@0), (), ())>> -> tile<32xi32, #cute.layout<((1@0), (2@0, 4@0, 8@0, 16@0, 0), (), ())>>
  }]];
  let arguments = (ins CudaTile_Tile:$source);
  let results = (outs CudaTile_Tile:$result);
  let assemblyFormat = [{
    $source attr-dict `:` custom<CudaTileType>(type($source)) `->`
    custom<CudaTileType>(type($result))
  }];
}

#endif // CUDA_TILE_TILEAS_OPS_PLACE_TD
