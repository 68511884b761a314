//===- Atomic.td - Atomic operations -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_IR_OPS_ATOMIC_TD
#define CUDA_TILE_IR_OPS_ATOMIC_TD

include "cuda_tile/IR/Attrs.td"
include "cuda_tile/IR/Enums.td"
include "cuda_tile/IR/Types.td"

class CudaTile_AtomicOp<string mnemonic, int wire, string version,
                        list<Trait> traits = []>
    : CudaTile_Op<mnemonic, "atomic", wire, version,
                  !listconcat([AttrSizedOperandSegments], traits)>;

def CudaTile_AtomicCASTkoOp : CudaTile_AtomicOp<"atomic_cas_tko", 0x7, "13.1",
    [CudaTile_ShapesMatch<["pointers", "cmp", "val", "result"],
       "pointer tile shape must match value shape">,
     AllTypesMatch<["cmp", "val", "result"]>]> {
  let summary = "Atomic compare-and-swap";
  let description = [{
    Per element, one atomic access: if memory holds the bits of `cmp`, `val` is
    written. The result is the old value in memory. Where the mask is false, memory
    is not accessed and the result is `cmp`.
    (C1) The ordering is relaxed, acquire, release or acq_rel.
    (C2) The pointee type is the element type of the values.
    (C3) Elements are integers or floating-point numbers of 32 or 64 bits.
    (C4) The mask has the shape of the pointers.
  }];
  let examples = [[{
    %i = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
    %a = constant <f32: 0.0> : tile<1xf32>
    %b = constant <f32: 1.0> : tile<1xf32>
    %old, %t = atomic_cas_tko acq_rel device %i, %a, %b : tile<1xptr<f32>>, tile<1xf32> -> tile<1xf32>, token
  }]];
  let arguments = (ins
    CudaTile_MemoryOrderingSemanticsAttr:$memory_ordering_semantics,
    CudaTile_MemoryScopeAttr:$memory_scope,
    CudaTile_PointerTile:$pointers,
    CudaTile_Tile:$cmp,
    CudaTile_Tile:$val,
    Optional<CudaTile_BoolTile>:$mask,
    Optional<CudaTile_TokenType>:$token
  );
  let results = (outs
    CudaTile_Tile:$result,
    CudaTile_TokenType:$result_token
  );
  let assemblyFormat = [{
    custom<AtomicModel>($memory_ordering_semantics, $memory_scope)
    $pointers `,` $cmp `,` $val (`,` $mask^)? (`token` `` `=` `` $token^)?
    attr-dict `:` custom<CudaTileType>(type($pointers)) `,`
    custom<CudaTileType>(type($cmp)) (`,` custom<CudaTileType>(type($mask))^)?
    `->` custom<CudaTileType>(type($result)) `,`
    custom<CudaTileType>(type($result_token))
  }];
  let hasVerifier = 1; // C1..C4
}

def CudaTile_AtomicRMWTkoOp : CudaTile_AtomicOp<"atomic_rmw_tko", 0x8, "13.1",
    [CudaTile_ShapesMatch<["pointers", "arg", "result"],
       "pointer tile shape must match value shape">,
     AllTypesMatch<["arg", "result"]>]> {
  let summary = "Atomic read-modify-write";
  let description = [{
    Per element, one atomic access combines the value in memory with `arg`, as
    `mode` says. The result is the old value in memory. Where the mask is false,
    memory is not accessed and the result is undefined. Several pointers may be
    equal.
    (C1) The ordering is relaxed, acquire, release or acq_rel.
    (C2) The pointee type is the element type of the values.
    (C3) `mode` supports the element type: addf takes f16, bf16, f32 and f64; xchg
         takes integers and floating-point numbers of 32 and 64 bits; the other
         modes take i32 and i64.
    (C4) The mask has the shape of the pointers.
  }];
  let examples = [[{
    %i = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
    %a = constant <f32: 1.0> : tile<1xf32>
    %old, %t = atomic_rmw_tko relaxed device %i, addf, %a : tile<1xptr<f32>>, tile<1xf32> -> tile<1xf32>, token
    %m = constant <i1: true> : tile<1xi1>
    %new, %u = atomic_rmw_tko acq_rel sys %i, xchg, %old, %m token=%t : tile<1xptr<f32>>, tile<1xf32>, tile<1xi1> -> tile<1xf32>, token
  }]];
  let arguments = (ins
    CudaTile_MemoryOrderingSemanticsAttr:$memory_ordering_semantics,
    CudaTile_MemoryScopeAttr:$memory_scope,
    CudaTile_PointerTile:$pointers,
    CudaTile_AtomicRMWModeAttr:$mode,
    CudaTile_Tile:$arg,
    Optional<CudaTile_BoolTile>:$mask,
    Optional<CudaTile_TokenType>:$token
  );
  let results = (outs
    CudaTile_Tile:$result,
    CudaTile_TokenType:$result_token
  );
  let assemblyFormat = [{
    custom<AtomicModel>($memory_ordering_semantics, $memory_scope)
    $pointers `,` custom<AtomicMode>($mode) `,` $arg (`,` $mask^)?
    (`token` `` `=` `` $token^)? attr-dict `:`
    custom<CudaTileType>(type($pointers)) `,` custom<CudaTileType>(type($arg))
    (`,` custom<CudaTileType>(type($mask))^)? `->`
    custom<CudaTileType>(type($result)) `,`
    custom<CudaTileType>(type($result_token))
  }];
  let hasVerifier = 1; // C1..C4
}

def CudaTile_AtomicRedViewTkoOp
    : CudaTile_AtomicOp<"atomic_red_view_tko", 0x75, "13.3"> {
  let summary = "Atomic reduction of a tile into one tile of a view";
  let description = [{
    Each element in memory is combined with that of `value` by one atomic access.
    Elements that are out of bounds are skipped.
    (C1) The view is a partition_view or strided_view without padding.
    (C2) The value has the tile type of the view.
    (C3) `mode` supports the element type, as for `atomic_rmw_tko`, and is not xchg.
    (C4) The ordering is relaxed, the scope tl_blk or device.
    (C5) There is one scalar index per dimension; all have the same type.
    (C6) `inbounds` is empty or has one entry per dimension.
  }];
  let examples = [[{
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    %tok = atomic_red_view_tko relaxed device %v[%n], addf, %x : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
  }]];
  let arguments = (ins
    CudaTile_MemoryOrderingSemanticsAttr:$memory_ordering_semantics,
    CudaTile_MemoryScopeAttr:$memory_scope,
    CudaTile_TileView:$view,
    Variadic<CudaTile_IntTile>:$index,
    CudaTile_AtomicRMWModeAttr:$mode,
    CudaTile_Tile:$value,
    Optional<CudaTile_TokenType>:$token,
    CudaTile_Since<"13.5", DefaultValuedOptionalAttr<DenseBoolArrayAttr, "{}">,
      "per dimension: the producer guarantees that no element is out of bounds">:$inbounds
  );
  let results = (outs CudaTile_TokenType:$result_token);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1; // C1..C6
}

#endif // CUDA_TILE_IR_OPS_ATOMIC_TD
