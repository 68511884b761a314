//===- Multimem.td - Multicast memory access -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The base of the view of these ops is a multicast address (PTX ISA,
// "multimem.ld_reduce, multimem.st, multimem.red"): it stands for one location on
// each GPU of a group. We call the memory at these locations replicas.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_IR_OPS_MULTIMEM_TD
#define CUDA_TILE_IR_OPS_MULTIMEM_TD

include "cuda_tile/IR/Attrs.td"
include "cuda_tile/IR/Enums.td"
include "cuda_tile/IR/Types.td"

class CudaTile_MultimemOp<string mnemonic, int wire>
    : CudaTile_Op<mnemonic, "multimem", wire, "13.5",
                  [AttrSizedOperandSegments]> {
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1; // all
}

defvar multimemInbounds = DefaultValuedOptionalAttr<DenseBoolArrayAttr, "{}">;

def CudaTile_MultimemLoadReduceViewTkoOp
    : CudaTile_MultimemOp<"multimem_load_reduce_view_tko", 0x7B> {
  let summary = "Loads one tile of a view, reduced over all replicas";
  let description = [{
    (C1) The view is a partition_view of a multicast pointer.
    (C2) The ordering is weak, relaxed or acquire; weak takes no scope, the others
         require one.
    (C3) The reduction supports the element type: add takes f16, bf16, f32, f64, i32
         and i64, min and max f16, bf16, i32 and i64, the others i32 and i64.
    (C4) The result has the tile type of the view.
    (C5) There is one scalar index per dimension; all have the same type.
    (C6) `inbounds` is empty or has one entry per dimension.
  }];
  let examples = [[{
    %m = ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<f32, <multicast>>>
    %t = make_tensor_view %m, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %x, %tok = multimem_load_reduce_view_tko relaxed sys %v[%n], add : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<8xf32>, token
  }]];
  let arguments = (ins
    CudaTile_MemoryOrderingSemanticsAttr:$memory_ordering_semantics,
    OptionalAttr<CudaTile_MemoryScopeAttr>:$memory_scope,
    CudaTile_MultimemReductionAttr:$reduction,
    multimemInbounds:$inbounds,
    CudaTile_TileView:$view,
    Variadic<CudaTile_IntTile>:$index,
    Optional<CudaTile_TokenType>:$token
  );
  let results = (outs CudaTile_Tile:$tile, CudaTile_TokenType:$result_token);
}

def CudaTile_MultimemReduceViewTkoOp
    : CudaTile_MultimemOp<"multimem_reduce_view_tko", 0x7C> {
  let summary = "Reduces a tile into one tile of a view, in all replicas";
  let description = [{
    (C1) The view is a partition_view of a multicast pointer.
    (C2) The ordering is relaxed or release.
    (C3) The reduction supports the element type: add takes f16, bf16, f32, f64, i32
         and i64, the others i32 and i64.
    (C4) The tile has the tile type of the view.
    (C5) There is one scalar index per dimension; all have the same type.
    (C6) `inbounds` is empty or has one entry per dimension.
  }];
  let examples = [[{
    %m = ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<f32, <multicast>>>
    %t = make_tensor_view %m, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %x = constant <f32: 1.0> : tile<8xf32>
    %tok = multimem_reduce_view_tko relaxed sys %v[%n], add, %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token
  }]];
  let arguments = (ins
    CudaTile_MemoryOrderingSemanticsAttr:$memory_ordering_semantics,
    CudaTile_MemoryScopeAttr:$memory_scope,
    CudaTile_MultimemReductionAttr:$reduction,
    multimemInbounds:$inbounds,
    CudaTile_TileView:$view,
    CudaTile_Tile:$tile,
    Variadic<CudaTile_IntTile>:$index,
    Optional<CudaTile_TokenType>:$token
  );
  let results = (outs CudaTile_TokenType:$result_token);
}

def CudaTile_MultimemStoreViewTkoOp
    : CudaTile_MultimemOp<"multimem_store_view_tko", 0x7D> {
  let summary = "Stores one tile of a view to all replicas";
  let description = [{
    (C1) The view is a partition_view of a multicast pointer.
    (C2) The ordering is weak, relaxed or release; weak takes no scope, the others
         require one.
    (C3) The tile has the tile type of the view; its elements are f16, bf16, f32,
         f64, i32 or i64.
    (C4) There is one scalar index per dimension; all have the same type.
    (C5) `inbounds` is empty or has one entry per dimension.
  }];
  let examples = [[{
    %m = ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<f32, <multicast>>>
    %t = make_tensor_view %m, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %x = constant <f32: 1.0> : tile<8xf32>
    %tok = multimem_store_view_tko weak %v[%n], %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token
  }]];
  let arguments = (ins
    CudaTile_MemoryOrderingSemanticsAttr:$memory_ordering_semantics,
    OptionalAttr<CudaTile_MemoryScopeAttr>:$memory_scope,
    multimemInbounds:$inbounds,
    CudaTile_TileView:$view,
    CudaTile_Tile:$tile,
    Variadic<CudaTile_IntTile>:$index,
    Optional<CudaTile_TokenType>:$token
  );
  let results = (outs CudaTile_TokenType:$result_token);
}

#endif // CUDA_TILE_IR_OPS_MULTIMEM_TD
