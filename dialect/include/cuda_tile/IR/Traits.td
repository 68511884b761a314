//===- Traits.td - What passes ask of an op --------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts of ops that upstream's traits do not tell. They make no code: the list of ops
// (tools/ods_json.py) has their words, and cuda_tile/ir/traits.py makes sets of them.
// An op without a fact is taken for one that may do anything.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_IR_TRAITS_TD
#define CUDA_TILE_IR_TRAITS_TD

include "mlir/IR/OpBase.td"

class CudaTile_Fact<string fact> : GenInternalOpTrait<"Fact"> {
  string word = fact;
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

// Only computes its result, but upstream's passes must not know: what an `assume`
// states would be lost with it.
def CudaTile_Computes : CudaTile_Fact<"computes">;
// Loads a tile from global memory; if it is weak, it does nothing else.
def CudaTile_Loads : CudaTile_Fact<"loads">;
// Stores a tile to global memory; if it is weak, it does nothing else.
def CudaTile_Stores : CudaTile_Fact<"stores">;
// Starts filling a buffer, the last group of operands, from global memory.
def CudaTile_Copies : CudaTile_Fact<"copies">;
// Touches no memory of the program, in spite of its tokens.
def CudaTile_TouchesNothing : CudaTile_Fact<"touches_nothing">;
// Such an op that orders nothing either.
def CudaTile_OrdersNothing : CudaTile_Fact<"orders_nothing">;

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

// Runs its region again and again, with carried values.
def CudaTile_Loops : CudaTile_Fact<"loops">;
// Ends by its bounds alone: its results are what the last iteration carried on.
def CudaTile_Counted : CudaTile_Fact<"counted">;
// Ends what its threads do.
def CudaTile_EndsThreads : CudaTile_Fact<"ends_threads">;
// Combines elements along a dimension by its region.
def CudaTile_Combines : CudaTile_Fact<"combines">;
// Such an op that leaves one element of them; others leave as many.
def CudaTile_Reduces : CudaTile_Fact<"reduces">;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

// Computes each element of the result from its peers alone.
def CudaTile_Elementwise : CudaTile_Fact<"elementwise">;
// Takes a thread many instructions for an element.
def CudaTile_Expensive : CudaTile_Fact<"expensive">;
// Has the same bits when its operands change places.
def CudaTile_Commutes : CudaTile_Fact<"commutes">;
// A base to the power of the operand.
def CudaTile_Powers : CudaTile_Fact<"powers">;
// The result has the elements of the operand, in the same threads.
def CudaTile_Renames : CudaTile_Fact<"renames">;
// The result has the elements of the operand, in other threads.
def CudaTile_Relocates : CudaTile_Fact<"relocates">;
// The result has the elements of the operand, each of them several times.
def CudaTile_Repeats : CudaTile_Fact<"repeats">;
// The result does not tell -0 from +0.
def CudaTile_HidesZeroSigns : CudaTile_Fact<"hides_zero_signs">;
// If zeros of its operands change their signs, nothing but such signs changes in it.
def CudaTile_KeepsZeroSigns : CudaTile_Fact<"keeps_zero_signs">;
// Multiplies matrices and adds a third one.
def CudaTile_Multiplies : CudaTile_Fact<"multiplies">;

//===----------------------------------------------------------------------===//
// Shared memory, rings, products that run by themselves
//===----------------------------------------------------------------------===//

// Takes shared memory, for a buffer or a ring of them.
def Tileas_Allocates : CudaTile_Fact<"allocates">;
// Makes, fills or reads a buffer by threads, which go on once that is done.
def Tileas_UsesBuffer : CudaTile_Fact<"uses_buffer">;
// Such an op that loads what a buffer holds.
def Tileas_LoadsBuffer : CudaTile_Fact<"loads_buffer">;
// The result is the buffer that it is given, of other elements.
def Tileas_RenamesBuffer : CudaTile_Fact<"renames_buffer">;
// Orders accesses to buffers, and does nothing else.
def Tileas_OrdersBuffers : CudaTile_Fact<"orders_buffers">;
// Behind it the products that it is given no longer read their buffers.
def Tileas_AwaitsProducts : CudaTile_Fact<"awaits_products">;

// Advances the ring that is its first operand.
def Tileas_StepsRing : CudaTile_Fact<"steps_ring">;
// Gives the buffers of a slot.
def Tileas_GivesSlot : CudaTile_Fact<"gives_slot">;
// Belongs to those that fill slots; the other steps belong to those that drain them.
def Tileas_FillsRing : CudaTile_Fact<"fills_ring">;

#endif // CUDA_TILE_IR_TRAITS_TD
