//===- DebugInfo.cpp - Scopes, and rules for locations --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda_tile/IR/CudaTile.h"

#include "llvm/Support/Path.h"

using namespace mlir;
using namespace cuda_tile;

bool DILocalScopeAttr::classof(Attribute attr) {
  return isa<DISubprogramAttr, DILexicalBlockAttr>(attr);
}

DISubprogramAttr DILocalScopeAttr::getSubprogram() const {
  DILocalScopeAttr scope = *this;
  while (auto block = dyn_cast<DILexicalBlockAttr>(scope))
    scope = block.getScope();
  return cast<DISubprogramAttr>(scope);
}

DILocalScopeAttr cuda_tile::findScope(LocationAttr loc) {
  if (auto position = dyn_cast<DILocAttr>(loc))
    return position.getScope();
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return findScope(call.getCaller());
  if (auto name = dyn_cast<NameLoc>(loc))
    return findScope(name.getChildLoc());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (DILocalScopeAttr scope = findScope(part))
        return scope;
  return {};
}

FileLineColLoc cuda_tile::findPosition(LocationAttr loc) {
  return loc.findInstanceOf<FileLineColLoc>();
}

DIFileAttr cuda_tile::makeFile(FileLineColLoc position) {
  StringRef path = position.getFilename();
  MLIRContext *context = position.getContext();
  auto text = [&](StringRef part) { return StringAttr::get(context, part); };
  return DIFileAttr::get(context, text(llvm::sys::path::filename(path)),
                         text(llvm::sys::path::parent_path(path)));
}

DISubprogramAttr cuda_tile::makeSubprogram(StringAttr name,
                                           FileLineColLoc position) {
  MLIRContext *context = position.getContext();
  DIFileAttr file = makeFile(position);
  unsigned line = position.getLine();
  return DISubprogramAttr::get(context, file, line, name, name,
                               DICompileUnitAttr::get(context, file), line,
                               SubprogramFlags::none);
}

/// The subprogram of a function, null if it has none.
static FailureOr<DISubprogramAttr> verifySubprogram(Operation *function) {
  LocationAttr loc = function->getLoc();
  if (isa<CallSiteLoc>(loc))
    return function->emitOpError("invalid function debug info location: ")
           << loc << ". Function location must not be a CallSiteLoc.";
  DILocalScopeAttr scope = findScope(loc);
  if (!scope)
    return DISubprogramAttr();
  auto subprogram = dyn_cast<DISubprogramAttr>(scope);
  if (!subprogram)
    return function->emitOpError("invalid function debug info scope: ")
           << scope
           << ". Function location must have cuda_tile.di_subprogram debug "
              "info scope.";
  StringRef name = SymbolTable::getSymbolName(function).getValue();
  if (subprogram.getLinkageName().getValue() != name)
    return function->emitOpError("invalid function debug info scope: ")
           << scope << ". Function name \"" << name
           << "\" does not match subprogram scope linkage name "
           << subprogram.getLinkageName() << ".";
  return subprogram;
}

static LogicalResult verifyScope(Operation *op, DISubprogramAttr function) {
  DILocalScopeAttr scope = findScope(op->getLoc());
  if (!scope || scope.getSubprogram() == function)
    return success();
  DISubprogramAttr subprogram = scope.getSubprogram();
  InFlightDiagnostic error =
      op->emitOpError("invalid operation debug info scope: ") << subprogram;
  if (!function)
    error << ". Operation has debug info scope, but function debug info "
             "scope is undefined.";
  else
    error << ". Operation debug info scope does not match function debug "
             "info scope: "
          << function << ".";
  if (Attribute(scope) != subprogram)
    error << "; in scope " << scope;
  return error;
}

LogicalResult cuda_tile::verifyFunctionScopes(Operation *function) {
  FailureOr<DISubprogramAttr> subprogram = verifySubprogram(function);
  if (failed(subprogram))
    return failure();
  WalkResult result = function->walk([&](Operation *op) {
    return op == function ? WalkResult::advance()
                          : WalkResult(verifyScope(op, *subprogram));
  });
  return failure(result.wasInterrupted());
}

LogicalResult cuda_tile::verifyModuleScopes(Operation *module) {
  for (Operation &op : module->getRegion(0).getOps())
    if (!isa<FunctionOpInterface>(op))
      if (auto scoped = op.getLoc()->findInstanceOf<DILocAttr>())
        return op.emitOpError("invalid operation debug info scope: ")
               << scoped << ". Global variables must not have scope.";
  return success();
}
