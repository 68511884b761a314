//===- Copy.td - Copies between global and shared memory ------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_TILEAS_OPS_COPY_TD
#define CUDA_TILE_TILEAS_OPS_COPY_TD

include "cuda_tile/Tileas/Base.td"

def Tileas_CopyInOp : Tileas_Op<"copy_in", "copy",
    [CudaTile_Copies, AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let summary = "Copies a tile of a view to a buffer, without waiting for it";
  let description = [{
    What `load_view_tko weak` and `store_shared` do. Of a slot of a ring it is done
    when the slot is taken; of another buffer at once.

    `engine` is `tma`, bulk copies of the tensor map of number `map` among the
    entry's `tileas.maps`, or `cp_async`, copies of each thread.

    (C1) `engine` is one of these.
    (C2) The indices are those that the view requires.
    (C3) The buffer has the shape and element type of the view's tile.
    (C4) `map` is there only for `tma`, and is not negative.
  }];
  let examples = [[{
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(4), padding_value = zero, tensor_view<64xf32, strides=[1]>>
    %b = tileas.alloc_shared : !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>
    %tok = tileas.copy_in %v[%n] to %b engine = "cp_async" : partition_view<tile=(4), padding_value = zero, tensor_view<64xf32, strides=[1]>>[tile<i32>] to !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>
  }]];
  let arguments = (ins
    CudaTile_TileView:$view,
    Variadic<CudaTile_IntTile>:$index,
    Optional<CudaTile_TokenType>:$token,
    Arg<Tileas_BufferType, "", [MemWrite<Tileas_SharedMemory>]>:$buffer,
    StrAttr:$engine,
    OptionalAttr<I64Attr>:$map
  );
  let results = (outs CudaTile_TokenType:$result_token);
  let assemblyFormat = [{
    $view `[` $index `]` (`token` `=` $token^)? `to` $buffer `engine` `=` $engine
    (`map` `=` $map^)? attr-dict `:` custom<CudaTileType>(type($view))
    `[` custom<CudaTileTypes>(type($index)) `]` `to` qualified(type($buffer))
  }];
  let hasVerifier = 1; // C1..C4
}

def Tileas_GatherInOp : Tileas_Op<"gather_in", "copy",
    [CudaTile_Copies, AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let summary = "Copies what pointers point at to a buffer, without waiting for it";
  let description = [{
    What `load_ptr_tko weak` and `store_shared` do; an element that `mask` excludes
    becomes zero. It is done when a `copy_in` would be.

    (C1) The buffer has the shape of the tile of pointers and their pointee type.
    (C2) The mask has this shape too.
  }];
  let examples = [[{
    %q = constant <i64: 0> : tile<4xi64>
    %ptrs = int_to_ptr %q : tile<4xi64> -> tile<4xptr<f32>>
    %b = tileas.alloc_shared : !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>
    %tok = tileas.gather_in %ptrs to %b : tile<4xptr<f32>> to !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>
  }], [{
    %q = constant <i64: 0> : tile<4xi64>
    %ptrs = int_to_ptr %q : tile<4xi64> -> tile<4xptr<f32>>
    %m = constant <i1: false> : tile<4xi1>
    %b = tileas.alloc_shared : !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>
    %tok = tileas.gather_in %ptrs mask(%m : tile<4xi1>) to %b : tile<4xptr<f32>> to !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>
  }]];
  let arguments = (ins
    CudaTile_PointerTile:$pointers,
    Optional<CudaTile_BoolTile>:$mask,
    Optional<CudaTile_TokenType>:$token,
    Arg<Tileas_BufferType, "", [MemWrite<Tileas_SharedMemory>]>:$buffer
  );
  let results = (outs CudaTile_TokenType:$result_token);
  let assemblyFormat = [{
    $pointers (`mask` `(` $mask^ `:` custom<CudaTileType>(type($mask)) `)`)?
    (`token` `=` $token^)? `to` $buffer attr-dict `:`
    custom<CudaTileType>(type($pointers)) `to` qualified(type($buffer))
  }];
  let hasVerifier = 1; // C1, C2
}

def Tileas_CopyOutOp : Tileas_Op<"copy_out", "copy",
    [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let summary = "Copies a buffer to a tile of a view, without waiting for it";
  let description = [{
    What `load_shared` and `store_view_tko weak` do. The buffer is read until an
    `await_copies` covers the copy.

    (C1) `engine` is `tma`.
    (C2) The indices are those that the view requires.
    (C3) The buffer has the shape and element type of the view's tile.
    (C4) `map` is not negative.
  }];
  let examples = [[{
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>
    %b = tileas.alloc_shared : !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>
    %tok = tileas.copy_out %b to %v[%n] engine = "tma" map = 0 : !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>> to partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>[tile<i32>]
    tileas.await_copies read groups = 0
  }]];
  let arguments = (ins
    Arg<Tileas_BufferType, "", [MemRead<Tileas_SharedMemory>]>:$buffer,
    CudaTile_TileView:$view,
    Variadic<CudaTile_IntTile>:$index,
    Optional<CudaTile_TokenType>:$token,
    StrAttr:$engine,
    OptionalAttr<I64Attr>:$map
  );
  let results = (outs CudaTile_TokenType:$result_token);
  let assemblyFormat = [{
    $buffer `to` $view `[` $index `]` (`token` `=` $token^)? `engine` `=` $engine
    (`map` `=` $map^)? attr-dict `:` qualified(type($buffer)) `to`
    custom<CudaTileType>(type($view)) `[` custom<CudaTileTypes>(type($index)) `]`
  }];
  let hasVerifier = 1; // C1..C4
}

def Tileas_AwaitCopiesOp : Tileas_Op<"await_copies", "copy",
    [Tileas_OrdersBuffers, MemoryEffects<[MemRead<Tileas_SharedMemory>,
                    MemWrite<Tileas_SharedMemory>]>]> {
  let summary = "Waits until copies to global memory are done";
  let description = [{
    With `read`, until they have read their buffers. `groups` is the number of the
    youngest copies that may still be in flight; none without it.
  }];
  let examples = ["tileas.await_copies", "tileas.await_copies read groups = 1"];
  let arguments = (ins UnitAttr:$read, OptionalAttr<I64Attr>:$groups);
  let assemblyFormat = "(`read` $read^)? (`groups` `=` $groups^)? attr-dict";
}

#endif // CUDA_TILE_TILEAS_OPS_COPY_TD
