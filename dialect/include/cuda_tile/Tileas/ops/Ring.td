//===- Ring.td - Rings of shared-memory slots ---------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A ring hands data from those who fill its slots to those who drain them. Each use of
// a slot is an iteration, counted from 0; iteration t uses slot t mod S. A ring has
// four counters, the iterations that were acquired, published, taken and released:
//
//     released <= taken <= published <= acquired <= released + S
//
// Each of the four ops advances one of them, in order of iterations.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_TILEAS_OPS_RING_TD
#define CUDA_TILE_TILEAS_OPS_RING_TD

include "cuda_tile/Tileas/Base.td"

def Tileas_RingType : TypeDef<Tileas_Dialect, "Ring"> {
  let mnemonic = "ring";
  let summary = "ring of slots in shared memory";
  let description = [{
    `!tileas.ring<4, !tileas.buffer<..>, !tileas.buffer<..>>`: four slots, each of
    them a buffer of every type that follows.
  }];
  let parameters = (ins
    "int64_t":$slots,
    ArrayRefParameter<"::cuda_tile::tileas::BufferType">:$buffers
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Tileas_RingOp : Tileas_Op<"ring", "ring", [Tileas_Allocates]> {
  let summary = "Allocates a ring of slots in shared memory";
  let description = [{
    `fill` says who writes the slots: `tma` and `cp_async`, copies that run by
    themselves, `threads`, or products by the name of their op: then the slots are
    sums in tensor memory, which `deposit` hands on. `drain` says who reads them: `threads`, or products that
    run by themselves, by the name of their op: `wgmma`.
    `sync` says what those wait for: `groups`, groups of copies of each thread and
    barriers, or `mbarriers`, a pair of these per slot.

    `offset`, in bytes from the start of the CTA's shared memory, is set by the
    allocate pass.

    (C1) `sync` is among the names above, and so are `fill` and `drain`, or they are
         the name of another such op.
    (C2) `sync = "groups"` is for `fill = "cp_async"`, `sync = "mbarriers"` for any.
  }];
  let examples = [
    "%r = tileas.ring fill = \"cp_async\" drain = \"threads\" sync = \"groups\" : !tileas.ring<3, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>",
  ];
  let arguments = (ins StrAttr:$fill, StrAttr:$drain, StrAttr:$sync,
                       OptionalAttr<I64Attr>:$offset);
  let results = (outs Res<Tileas_RingType, "",
                          [MemAlloc<Tileas_SharedMemory>]>:$ring);
  let assemblyFormat = [{
    `fill` `=` $fill `drain` `=` $drain `sync` `=` $sync
    (`offset` `=` $offset^)? attr-dict `:` qualified(type($ring))
  }];
  let hasVerifier = 1; // C1, C2
}

// An op of a ring; its effects keep it from being moved past another one.
class Tileas_IterationOp<string mnemonic, list<Trait> traits = []>
    : Tileas_Op<mnemonic, "ring", !listconcat([Tileas_StepsRing], traits)> {
  dag ring = (ins Arg<Tileas_RingType, "",
                      [MemRead<Tileas_SharedMemory>,
                       MemWrite<Tileas_SharedMemory>]>:$ring,
                  CudaTile_I32Scalar:$iteration);
}

class Tileas_SlotOp<string mnemonic, list<Trait> traits = [], dag more = (ins)>
    : Tileas_IterationOp<mnemonic, !listconcat([Tileas_GivesSlot], traits)> {
  let arguments = !con(ring, more);
  let results = (outs Variadic<Tileas_BufferType>:$buffers);
  let hasVerifier = 1; // C1
}

def Tileas_AcquireOp : Tileas_SlotOp<"acquire", [Tileas_FillsRing]> {
  let summary = "Waits until the slot of an iteration may be written";
  let description = [{
    That is once the iteration that used it before was released. The slot's contents
    are unspecified then.

    (C1) The results have the types of the ring's buffers.
  }];
  let examples = [[{
    %r = tileas.ring fill = "cp_async" drain = "threads" sync = "groups" : !tileas.ring<3, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>
    %b = tileas.acquire %r[%n] : !tileas.ring<3, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>
  }]];
  let assemblyFormat = [{
    $ring `[` $iteration `]` attr-dict `:` custom<RingOfBuffers>(type($ring), type($buffers))
  }];
}

def Tileas_PublishOp : Tileas_IterationOp<"publish", [Tileas_FillsRing]> {
  let summary = "The slot of an iteration is full once every copy into it has landed";
  let examples = [[{
    %r = tileas.ring fill = "cp_async" drain = "threads" sync = "groups" : !tileas.ring<3, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>
    %b = tileas.acquire %r[%n] : !tileas.ring<3, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>
    tileas.publish %r[%n] : !tileas.ring<3, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>
  }]];
  let arguments = ring;
  let assemblyFormat = [{
    $ring `[` $iteration `]` attr-dict `:` qualified(type($ring))
  }];
}

def Tileas_TakeOp : Tileas_SlotOp<"take", [], (ins OptionalAttr<I64Attr>:$groups)> {
  let summary = "Waits until the slot of an iteration is full";
  let description = [{
    `groups`, set by the count pass where the ring's `sync` is `groups`, is the
    number of groups of copies that may still be in flight afterwards.

    (C1) The results have the types of the ring's buffers.
  }];
  let examples = [[{
    %r = tileas.ring fill = "cp_async" drain = "threads" sync = "groups" : !tileas.ring<3, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>
    %b = tileas.take %r[%n] groups = 1 : !tileas.ring<3, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>
  }]];
  let assemblyFormat = [{
    $ring `[` $iteration `]` (`groups` `=` $groups^)? attr-dict `:`
    custom<RingOfBuffers>(type($ring), type($buffers))
  }];
}

def Tileas_ReleaseOp : Tileas_IterationOp<"release", [Tileas_AwaitsProducts]> {
  let summary = "The slot of an iteration may be written again";
  let description = [{
    With `after`, once these products are done, which have read it. `groups`, set by
    the count pass, is the number of products that may still run then.
  }];
  let examples = [[{
    %r = tileas.ring fill = "cp_async" drain = "threads" sync = "groups" : !tileas.ring<3, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>
    tileas.release %r[%n] : !tileas.ring<3, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>
  }], [{
    %r = tileas.ring fill = "tma" drain = "wgmma" sync = "mbarriers" : !tileas.ring<3, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>
    %c = constant <f32: 0.0> : tile<64x8xf32>
    %sum = tileas.settled %c : tile<64x8xf32>
    tileas.release %r[%n] after(%sum : !tileas.pending<tile<64x8xf32>>) groups = 1 : !tileas.ring<3, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>
  }]];
  let arguments = !con(ring, (ins Variadic<Tileas_PendingType>:$after,
                                  OptionalAttr<I64Attr>:$groups));
  let assemblyFormat = [{
    $ring `[` $iteration `]` (`after` `(` $after^ `:` qualified(type($after)) `)`)?
    (`groups` `=` $groups^)? attr-dict `:` qualified(type($ring))
  }];
}

#endif // CUDA_TILE_TILEAS_OPS_RING_TD
