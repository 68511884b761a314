//===- SynthesizeDebugInfoScopes.cpp - Scopes from locations --------------===//

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
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return CallSiteLoc::get(addScope(call.getCallee(), function),
                            addScope(call.getCaller(), function));
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

namespace {
struct SynthesizeDebugInfoScopes
    : cuda_tile::impl::SynthesizeDebugInfoScopesBase<
          SynthesizeDebugInfoScopes> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      runOnFunction(function);
  }

  static void runOnFunction(FunctionOpInterface function) {
    if (findScope(function.getLoc()))
      return;
    FileLineColLoc loc = findPosition(function.getLoc());
    // A function without a position gets a scope in an unknown file.
    if (!loc)
      loc = FileLineColLoc::get(function.getContext(), "<unknown>", 0, 0);
    DISubprogramAttr subprogram = makeSubprogram(function.getNameAttr(), loc);
    function->walk([&](Operation *op) {
      if (op != function)
        op->setLoc(addScope(op->getLoc(), subprogram));
      for (Region &region : op->getRegions())
        for (BlockArgument argument : region.getArguments())
          argument.setLoc(addScope(argument.getLoc(), subprogram));
    });
    function->setLoc(DILocAttr::get(function.getContext(), loc, subprogram));
  }
};
} // namespace
