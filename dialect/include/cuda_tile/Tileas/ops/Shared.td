//===- Shared.td - Shared-memory buffers and accesses --------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_TILEAS_OPS_SHARED_TD
#define CUDA_TILE_TILEAS_OPS_SHARED_TD

include "cuda_tile/Tileas/Base.td"

def Tileas_AllocSharedOp : Tileas_Op<"alloc_shared", "shared",
    [Tileas_Allocates, Tileas_UsesBuffer]> {
  let summary = "Allocates a buffer in shared memory";
  let description = [{
    `offset`, in bytes from the start of the CTA's shared memory, is set by the
    allocate pass.
  }];
  let examples = [
    "%b = tileas.alloc_shared : !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>",
  ];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs Res<Tileas_BufferType, "",
                          [MemAlloc<Tileas_SharedMemory>]>:$buffer);
  let assemblyFormat = [{
    (`offset` `=` $offset^)? attr-dict `:`
    qualified(type($buffer))
  }];
}

def Tileas_StoreSharedOp : Tileas_Op<"store_shared", "shared",
    [Tileas_UsesBuffer]> {
  let summary = "Stores a tile, or a part of it, to a buffer";
  let description = [{
    The part of the tile that begins at `offsets` (in elements) fills the buffer;
    without `offsets` that is the whole tile.

    (C1) Ranks and element types are equal.
    (C2) The part lies inside the tile.
    (C3) Without `offsets` the shapes are equal.
  }];
  let examples = [[{
    %x = iota : tile<32xi32, #cute.layout<((), (1@0, 2@0, 4@0, 8@0, 16@0), (), ())>>
    %b = tileas.alloc_shared : !tileas.buffer<32xi32, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0)>>
    tileas.store_shared %x, %b : tile<32xi32, #cute.layout<((), (1@0, 2@0, 4@0, 8@0, 16@0), (), ())>>, !tileas.buffer<32xi32, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0)>>
  }], [{
    %x = iota : tile<32xi32, #cute.layout<((), (1@0, 2@0, 4@0, 8@0, 16@0), (), ())>>
    %b = tileas.alloc_shared : !tileas.buffer<8xi32, #cute.layout<(1@0, 2@0, 4@0)>>
    tileas.store_shared %x at [24], %b : tile<32xi32, #cute.layout<((), (1@0, 2@0, 4@0, 8@0, 16@0), (), ())>>, !tileas.buffer<8xi32, #cute.layout<(1@0, 2@0, 4@0)>>
  }]];
  let arguments = (ins
    CudaTile_Tile:$tile,
    Arg<Tileas_BufferType, "", [MemWrite<Tileas_SharedMemory>]>:$buffer,
    OptionalAttr<DenseI64ArrayAttr>:$offsets
  );
  let assemblyFormat = [{
    $tile (`at` $offsets^)? `,` $buffer attr-dict `:`
    custom<CudaTileType>(type($tile)) `,` qualified(type($buffer))
  }];
  let hasVerifier = 1; // C1, C2, C3
}

def Tileas_LoadSharedOp : Tileas_Op<"load_shared", "shared",
    [Tileas_UsesBuffer, Tileas_LoadsBuffer]> {
  let summary = "Loads a tile, or a part of one, from a buffer";
  let description = [{
    The result is the part of the buffer that begins at `offsets` (in elements).
    With `into` the result is that tile, except that its part at `offsets` is
    replaced by the whole buffer.

    (C1) Ranks and element types are equal.
    (C2) The part lies inside the buffer, or inside the tile of `into`.
    (C3) The result has the type of `into`.
  }];
  let examples = [[{
    %b = tileas.alloc_shared : !tileas.buffer<64xi32, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %x = tileas.load_shared %b[32] : !tileas.buffer<64xi32, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>> -> tile<32xi32, #cute.layout<((), (1@0, 2@0, 4@0, 8@0, 16@0), (), ())>>
  }], [{
    %x = iota : tile<32xi32, #cute.layout<((), (1@0, 2@0, 4@0, 8@0, 16@0), (), ())>>
    %b = tileas.alloc_shared : !tileas.buffer<8xi32, #cute.layout<(1@0, 2@0, 4@0)>>
    %y = tileas.load_shared %b[24] into %x : tile<32xi32, #cute.layout<((), (1@0, 2@0, 4@0, 8@0, 16@0), (), ())>> : !tileas.buffer<8xi32, #cute.layout<(1@0, 2@0, 4@0)>> -> tile<32xi32, #cute.layout<((), (1@0, 2@0, 4@0, 8@0, 16@0), (), ())>>
  }]];
  let arguments = (ins
    Arg<Tileas_BufferType, "", [MemRead<Tileas_SharedMemory>]>:$buffer,
    DenseI64ArrayAttr:$offsets,
    Optional<CudaTile_Tile>:$into
  );
  let results = (outs CudaTile_Tile:$tile);
  let assemblyFormat = [{
    $buffer `` $offsets (`into` $into^ `:` custom<CudaTileType>(type($into)))?
    attr-dict `:` qualified(type($buffer)) `->` custom<CudaTileType>(type($tile))
  }];
  let hasVerifier = 1; // C1, C2, C3
}

def Tileas_LoadPartOp : Tileas_Op<"load_part", "shared",
    [Tileas_UsesBuffer, Tileas_LoadsBuffer]> {
  let summary = "Loads the part of a buffer that indices name";
  let description = [{
    The buffer is a grid of parts of the result's shape, as for
    `cuda_tile.extract`: index `i` counts parts along dimension `i`. It is
    unsigned, and taken modulo the number of parts.

    (C1) Ranks and element types are equal.
    (C2) Each extent of the buffer is a multiple of that of the result.
    (C3) There is one index per dimension.
  }];
  let examples = [[{
    %b = tileas.alloc_shared : !tileas.buffer<64xi32, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
    %i = constant <i32: 1> : tile<i32>
    %x = tileas.load_part %b[%i] : !tileas.buffer<64xi32, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>> -> tile<32xi32, #cute.layout<((), (1@0, 2@0, 4@0, 8@0, 16@0), (), ())>>
  }]];
  let arguments = (ins
    Arg<Tileas_BufferType, "", [MemRead<Tileas_SharedMemory>]>:$buffer,
    Variadic<CudaTile_I32Scalar>:$indices
  );
  let results = (outs CudaTile_Tile:$tile);
  let assemblyFormat = [{
    $buffer `[` $indices `]` attr-dict `:` qualified(type($buffer)) `->`
    custom<CudaTileType>(type($tile))
  }];
  let hasVerifier = 1; // C1, C2, C3
}

def Tileas_ReinterpretOp : Tileas_Op<"reinterpret", "shared", [
    Pure, Tileas_RenamesBuffer]> {
  let summary = "The bytes of a buffer with other coordinates";
  let description = [{
    The element at each offset stays the same. So a buffer of a tile is one of the
    permuted or reshaped tile.

    (C1) Element types are equal, and so are the numbers of elements.
  }];
  let examples = [[{
    %b = tileas.alloc_shared : !tileas.buffer<2x4xf32, #cute.layout<(1@1, 2@1, 1@0)>>
    %c = tileas.reinterpret %b : !tileas.buffer<2x4xf32, #cute.layout<(1@1, 2@1, 1@0)>> -> !tileas.buffer<4x2xf32, #cute.layout<(1@0, 2@0, 1@1)>>
  }]];
  let arguments = (ins Tileas_BufferType:$source);
  let results = (outs Tileas_BufferType:$result);
  let assemblyFormat = [{
    $source attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1; // C1
}

#endif // CUDA_TILE_TILEAS_OPS_SHARED_TD
