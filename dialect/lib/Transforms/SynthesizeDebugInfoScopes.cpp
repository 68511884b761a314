//===- SynthesizeDebugInfoScopes.cpp - Scopes from locations --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda_tile/Transforms/Passes.h"

namespace cuda_tile {
#define GEN_PASS_DEF_SYNTHESIZEDEBUGINFOSCOPES
#include "cuda_tile/Transforms/Passes.h.inc"
} // namespace cuda_tile

using namespace mlir;
using namespace cuda_tile;

/// `loc` with the scope `function`; unchanged if it has no position.
static LocationAttr addScope(LocationAttr loc, DISubprogramAttr function) {
  MLIRContext *context = loc.getContext();
  if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    // A call site one end of which is unknown is the position of the other.
    if (isa<UnknownLoc>(call.getCallee()))
      return addScope(call.getCaller(), function);
    if (isa<UnknownLoc>(call.getCaller()))
      return addScope(call.getCallee(), function);
    return CallSiteLoc::get(addScope(call.getCallee(), function),
                            addScope(call.getCaller(), function));
  }
  FileLineColLoc position = findPosition(loc);
  if (!position || findScope(loc))
    return loc;
  DILocalScopeAttr scope = function;
  DIFileAttr file = makeFile(position);
  if (file != function.getFile())
    scope = DILexicalBlockAttr::get(context, function, file, position.getLine(),
                                    position.getColumn());
  return DILocAttr::get(context, position, scope);
}

/// The position in `loc`, or one in an unknown file.
static FileLineColLoc findPositionOrUnknown(LocationAttr loc) {
  FileLineColLoc position = findPosition(loc);
  return position ? position
                  : FileLineColLoc::get(loc.getContext(), "<unknown>", 1, 1);
}

namespace {
struct SynthesizeDebugInfoScopes
    : cuda_tile::impl::SynthesizeDebugInfoScopesBase<
          SynthesizeDebugInfoScopes> {
  void runOnOperation() override {
    DIFileAttr file = makeFile(findPositionOrUnknown(getOperation().getLoc()));
    auto unit = DICompileUnitAttr::get(&getContext(), file);
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      runOnFunction(function, unit);
  }

  static void runOnFunction(FunctionOpInterface function,
                            DICompileUnitAttr unit) {
    if (findScope(function.getLoc()))
      return;
    MLIRContext *context = function.getContext();
    bool isKnown = static_cast<bool>(findPosition(function.getLoc()));
    FileLineColLoc loc = findPositionOrUnknown(function.getLoc());
    StringAttr name = function.getNameAttr();
    auto subprogram =
        DISubprogramAttr::get(context, makeFile(loc), loc.getLine(), name, name,
                              unit, loc.getLine(), SubprogramFlags::none);
    auto position = DILocAttr::get(context, loc, subprogram);
    function->walk([&](Operation *op) {
      bool isLost = !isKnown && isa<UnknownLoc>(op->getLoc());
      if (op != function)
        op->setLoc(isLost ? LocationAttr(position)
                          : addScope(op->getLoc(), subprogram));
      for (Region &region : op->getRegions())
        for (BlockArgument argument : region.getArguments())
          argument.setLoc(addScope(argument.getLoc(), subprogram));
    });
    function->setLoc(position);
  }
};
} // namespace
