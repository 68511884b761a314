//===- View.td - Memory access through views -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_IR_OPS_VIEW_TD
#define CUDA_TILE_IR_OPS_VIEW_TD

include "cuda_tile/IR/Attrs.td"
include "cuda_tile/IR/Enums.td"
include "cuda_tile/IR/Types.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class CudaTile_ViewOp<string mnemonic, int wire, list<Trait> traits = [],
                      string version = "13.1">
    : CudaTile_Op<mnemonic, "view", wire, version, traits>;

def CudaTile_GetIndexSpaceShapeOp
    : CudaTile_ViewOp<"get_index_space_shape", 0x2D, [NoMemoryEffect]> {
  let summary = "Number of tiles along each dimension of a view";
  let description = "(C1) There is one result per dimension of the tile.";
  let examples = [[{
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %s = get_index_space_shape %v : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>> -> tile<i32>
  }]];
  let arguments = (ins CudaTile_TileView:$src);
  let results = (outs Variadic<CudaTile_IntScalar>:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1; // C1
}

def CudaTile_GetTensorShapeOp
    : CudaTile_ViewOp<"get_tensor_shape", 0x2F, [NoMemoryEffect]> {
  let summary = "Extents of a tensor_view";
  let description = "(C1) There is one result per dimension.";
  let examples = [[{
    %t = make_tensor_view %p, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %s = get_tensor_shape %t : tensor_view<?xf32, strides=[1]> -> tile<i32>
  }]];
  let arguments = (ins CudaTile_TensorViewType:$src);
  let results = (outs Variadic<CudaTile_IntScalar>:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1; // C1
}

defvar inboundsAttr = CudaTile_Since<"13.4",
    DefaultValuedOptionalAttr<DenseBoolArrayAttr, "{}">,
    "per dimension: the producer guarantees that no element is out of bounds">;

def CudaTile_LoadViewTkoOp : CudaTile_ViewOp<"load_view_tko", 0x3E,
    [CudaTile_Loads, AttrSizedOperandSegments]> {
  let summary = "Loads one tile of a view";
  let description = [{
    (C1) The ordering is weak, relaxed or acquire; weak takes no scope, the others
         require one.
    (C2) The number and types of the indices are those that the view requires.
    (C3) The result has the tile type of the view.
    (C4) `inbounds` is empty or has one entry per dimension.
    (C5) The compiler knows the hints; checked only if the command line asks for it.
    (C6) The memory is not multicast.
  }];
  let examples = [[{
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x, %tok = load_view_tko weak %v[%n] : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
    %y, %tok2 = load_view_tko relaxed device %v[%n] token = %tok inbounds = [true] optimization_hints = <sm_90 = {latency = 2}> : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
  }]];
  let arguments = (ins
    CudaTile_MemoryOrderingSemanticsAttr:$memory_ordering_semantics,
    OptionalAttr<CudaTile_MemoryScopeAttr>:$memory_scope,
    CudaTile_TileView:$view,
    Variadic<CudaTile_IntTile>:$index,
    Optional<CudaTile_TokenType>:$token,
    OptionalAttr<CudaTile_OptimizationHintsAttr>:$optimization_hints,
    inboundsAttr:$inbounds
  );
  let results = (outs CudaTile_Tile:$tile, CudaTile_TokenType:$result_token);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1; // C1..C6
}

class CudaTile_MakeViewOp<string mnemonic, int wire, string version, Type view>
    : CudaTile_ViewOp<mnemonic, wire,
        [Pure, CudaTile_NamesResults], version> {
  let description = [{
    (C1) The operand has the tensor_view type that the result type contains.
  }];
  let arguments = (ins CudaTile_TensorViewType:$tensor_view);
  let results = (outs view:$result);
  let hasVerifier = 1; // C1
}

def CudaTile_MakePartitionViewOp
    : CudaTile_MakeViewOp<"make_partition_view", 0x42, "13.1",
                          CudaTile_PartitionViewType> {
  let summary = "Partitions a tensor_view into a grid of tiles";
  let examples = [[{
    %t = make_tensor_view %p, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(8x8), padding_value = zero, tensor_view<?x64xf32, strides=[64,1]>>
  }]];
  let assemblyFormat = [{
    $tensor_view attr-dict `:`
    custom<PartitionView>(type($result), type($tensor_view))
  }];
}

def CudaTile_MakeStridedViewOp
    : CudaTile_MakeViewOp<"make_strided_view", 0x74, "13.3",
                          CudaTile_StridedViewType> {
  let summary = "Views a tensor_view as tiles that start at multiples of a stride";
  let examples = [[{
    %t = make_tensor_view %p, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
    %v = make_strided_view %t : strided_view<tile=(8x8), traversal_strides=[4,8], tensor_view<?x64xf32, strides=[64,1]>>
  }]];
  let assemblyFormat = [{
    $tensor_view attr-dict `:`
    custom<StridedView>(type($result), type($tensor_view))
  }];
}

def CudaTile_MakeGatherScatterViewOp
    : CudaTile_MakeViewOp<"make_gather_scatter_view", 0x73, "13.3",
                          CudaTile_GatherScatterViewType> {
  let summary = "Views a tensor_view as tiles of slices, gathered by position";
  let examples = [[{
    %t = make_tensor_view %p, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
    %v = make_gather_scatter_view %t : gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>
    %i = iota : tile<8xi32>
    %x, %tok = load_view_tko weak %v[%i, %n] : gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>, tile<8xi32>, tile<i32> -> tile<8x8xf32>, token
  }]];
  let assemblyFormat = [{
    $tensor_view attr-dict `:`
    custom<GatherScatterView>(type($result), type($tensor_view))
  }];
}

def CudaTile_MakeTensorViewOp : CudaTile_ViewOp<"make_tensor_view", 0x43,
    [AttrSizedOperandSegments, NoMemoryEffect,
     CudaTile_NamesResults]> {
  let summary = "Describes memory behind a pointer as a strided tensor";
  let description = [{
    (C1) The pointee type is the element type of the tensor_view.
    (C2) There is one operand for each `?` of the shape and of the strides.
    (C3) These operands have the same type.
    (C4) The pointer and the tensor_view have the same pointer attribute.
  }];
  let examples = [[{
    %t = make_tensor_view %p, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
  }]];
  let arguments = (ins
    CudaTile_PointerScalar:$base,
    Variadic<CudaTile_IntScalar>:$dynamicShape,
    Variadic<CudaTile_IntScalar>:$dynamicStrides
  );
  let results = (outs CudaTile_TensorViewType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1; // C1, C2, C3, C4
}

def CudaTile_StoreViewTkoOp : CudaTile_ViewOp<"store_view_tko", 0x66,
    [CudaTile_Stores, AttrSizedOperandSegments]> {
  let summary = "Stores one tile of a view";
  let description = [{
    (C1) The ordering is weak, relaxed or release; weak takes no scope, the others
         require one.
    (C2) The number and types of the indices are those that the view requires.
    (C3) The tile has the tile type of the view.
    (C4) `inbounds` is empty or has one entry per dimension.
    (C5) The compiler knows the hints; checked only if the command line asks for it.
  }];
  let examples = [[{
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    %tok = store_view_tko weak %x, %v[%n] : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
  }]];
  let arguments = (ins
    CudaTile_MemoryOrderingSemanticsAttr:$memory_ordering_semantics,
    OptionalAttr<CudaTile_MemoryScopeAttr>:$memory_scope,
    CudaTile_Tile:$tile,
    CudaTile_TileView:$view,
    Variadic<CudaTile_IntTile>:$index,
    Optional<CudaTile_TokenType>:$token,
    OptionalAttr<CudaTile_OptimizationHintsAttr>:$optimization_hints,
    inboundsAttr:$inbounds
  );
  let results = (outs CudaTile_TokenType:$result_token);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1; // C1..C5
}

#endif // CUDA_TILE_IR_OPS_VIEW_TD
