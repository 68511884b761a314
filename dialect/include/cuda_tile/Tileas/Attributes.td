//===- Attributes.td - Attributes that passes put on ops -------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every attribute `tileas.<name>` that an op may carry beside its own. The dialect's
// verifier refuses others, one on an op that is not named here, and one of another
// kind; what stands inside a dictionary is checked by those who read it.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_TILEAS_ATTRIBUTES_TD
#define CUDA_TILE_TILEAS_ATTRIBUTES_TD

include "cuda_tile/IR/Ops.td"
include "cuda_tile/Tileas/Tileas.td"

// `word`    the name behind `tileas.`.
// `type`    what it holds.
// `ops`     the ops that it may stand on; any op if none is named.
// `foreign` names of such ops of other dialects.
class Tileas_Attribute<string word, Attr type, list<Op> ops,
                       list<string> foreign = []> {
  string name = word;
  Attr kind = type;
  list<Op> hosts = ops;
  list<string> otherHosts = foreign;
  string description = "";
}

//===----------------------------------------------------------------------===//
// On modules, entries and kernels
//===----------------------------------------------------------------------===//

class Tileas_EntryAttribute<string word, Attr type>
    : Tileas_Attribute<word, type, [CudaTile_EntryOp]>;

def Tileas_DoneAttribute
    : Tileas_Attribute<"done", StrArrayAttr, [], ["builtin.module"]> {
  let description = "The properties that passes have given the module, in their order.";
}
def Tileas_TargetAttribute : Tileas_EntryAttribute<"target", StrAttr> {
  let description = "The chip that the kernel is compiled for.";
}
def Tileas_AbiAttribute : Tileas_EntryAttribute<"abi", StrAttr> {
  let description = "What the launcher can do, unless it is `maps`.";
}
def Tileas_MapsAttribute : Tileas_EntryAttribute<"maps", DictArrayAttr> {
  let description = "The tensor maps that a launcher makes, in the order of parameters.";
}
def Tileas_ChoiceAttribute : Tileas_EntryAttribute<"choice", StrArrayAttr> {
  let description = "Why the products have their plan, for the report.";
}
def Tileas_EstimateAttribute : Tileas_EntryAttribute<"estimate", DictionaryAttr> {
  let description = "What the plan was estimated to take, for the report.";
}
def Tileas_RemarksAttribute : Tileas_EntryAttribute<"remarks", StrArrayAttr> {
  let description = "What was given up, and why, for the report.";
}
def Tileas_SharedBytesAttribute : Tileas_EntryAttribute<"shared_bytes", I64Attr> {
  let description = "Shared memory of a CTA.";
}
def Tileas_ScratchAttribute : Tileas_EntryAttribute<"scratch", I64Attr> {
  let description = "Where in shared memory ops have what they need beside their tiles.";
}
def Tileas_TensorAttribute : Tileas_EntryAttribute<"tensor", I64Attr> {
  let description = "Where in shared memory what products in tensor memory wait for is.";
}
def Tileas_PairAttribute : Tileas_EntryAttribute<"pair", UnitAttr> {
  let description = "Tile blocks 2 i and 2 i + 1 along x are CTAs of one cluster, which "
                    "multiply together.";
}
def Tileas_LaunchAttribute
    : Tileas_Attribute<"launch", DictionaryAttr, [], ["llvm.func"]> {
  let description = "How to launch a kernel of level P, and what its report says.";
}

//===----------------------------------------------------------------------===//
// On single ops
//===----------------------------------------------------------------------===//

def Tileas_PlanAttribute : Tileas_Attribute<"plan", DictionaryAttr, [
    CudaTile_EntryOp,
    CudaTile_MmaFOp, CudaTile_MmaIOp, CudaTile_MmaFScaledOp,
    CudaTile_LoadViewTkoOp, CudaTile_LoadPtrTkoOp, CudaTile_StoreViewTkoOp,
    Tileas_CopyInOp, Tileas_GatherInOp, Tileas_StoreSharedOp,
    Tileas_MmaSyncOp, Tileas_WgmmaOp, Tileas_Tcgen05Op, Tileas_TestingProductOp]> {
  let description = "What `plan`, a person or a tuner decided for the op.";
}
def Tileas_HalvedAttribute : Tileas_Attribute<"halved", I64Attr, [
    CudaTile_LoadViewTkoOp]> {
  let description = "Both CTAs of a pair load the same tile: the dimension of which each "
                    "brings half.";
}
def Tileas_ReuseAttribute : Tileas_Attribute<"reuse", DictionaryAttr, [
    CudaTile_LoadViewTkoOp]> {
  let description = "The load keeps its tiles for a later loop, or takes such tiles.";
}
def Tileas_HoistAttribute : Tileas_Attribute<"hoist", StrAttr, [
    CudaTile_ReduceOp]> {
  let description = "The pass whose sum this is: of the loop of a reduction it needs.";
}
def Tileas_NeverPositiveAttribute : Tileas_Attribute<"never_positive", UnitAttr, [
    CudaTile_ExpOp]> {
  let description = "No element of the operand is positive.";
}
def Tileas_MayFlushAttribute : Tileas_Attribute<"may_flush", UnitAttr, [
    CudaTile_ExpOp, CudaTile_Exp2Op]> {
  let description = "A subnormal number in the result may as well be zero.";
}
def Tileas_AgainAttribute
    : Tileas_Attribute<"again", UnitAttr, [Tileas_LoadSharedOp]> {
  let description = "No registers keep what an earlier load has read.";
}
def Tileas_ClusterAttribute
    : Tileas_Attribute<"cluster", UnitAttr, [Tileas_StoreSharedOp]> {
  let description = "The store writes to the same place in the buffer of every CTA.";
}
def Tileas_MbarriersAttribute
    : Tileas_Attribute<"mbarriers", I64Attr, [Tileas_RingOp]> {
  let description = "Where the ring's mbarriers are, if not behind its slots.";
}
def Tileas_FactsAttribute : Tileas_Attribute<"facts", StrAttr, []> {
  let description = "What `cuda-tile-facts` knows of the results, for people.";
}

#endif // CUDA_TILE_TILEAS_ATTRIBUTES_TD
