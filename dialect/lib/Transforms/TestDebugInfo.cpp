//===- TestDebugInfo.cpp - A pass for tests of debug info -----------------===//

#include "cuda_tile/Transforms/Passes.h"

#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace cuda_tile;

/// Sets the linkage name of a function's scopes, which the verifier checks.
static void renameScopes(Operation *function, DISubprogramAttr scope,
                         StringAttr name) {
  auto renamed = DISubprogramAttr::get(
      scope.getContext(), scope.getFile(), scope.getLine(), scope.getName(),
      name, scope.getCompileUnit(), scope.getScopeLine());
  AttrTypeReplacer replacer;
  replacer.addReplacement([=](DISubprogramAttr found) -> Attribute {
    return found == scope ? renamed : found;
  });
  replacer.recursivelyReplaceElementsIn(function, /*replaceAttrs=*/false,
                                        /*replaceLocs=*/true,
                                        /*replaceTypes=*/false);
}

namespace {

/// Renames a symbol together with the scopes of its debug info.
struct UpdateSymbolName
    : PassWrapper<UpdateSymbolName, OperationPass<cuda_tile::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(UpdateSymbolName)

  UpdateSymbolName() = default;
  UpdateSymbolName(const UpdateSymbolName &other) : PassWrapper(other) {}

  StringRef getArgument() const override {
    return "test-debuginfo-update-symbol-name";
  }
  StringRef getDescription() const override {
    return "Renames a symbol and the scopes of its debug info";
  }

  void runOnOperation() override {
    cuda_tile::ModuleOp module = getOperation();
    Operation *users = module;
    if (!scope.empty() && module.getSymName() != scope)
      users = SymbolTable::lookupSymbolIn(module, scope);
    if (!users)
      return;
    Operation *symbol = SymbolTable::lookupSymbolIn(module, oldName);
    if (!symbol || newName.empty() ||
        SymbolTable::lookupSymbolIn(module, newName)) {
      module.emitError() << "expected a symbol '" << oldName
                         << "' and a name that is free, got '" << newName
                         << "'";
      return signalPassFailure();
    }
    auto name = StringAttr::get(&getContext(), newName);
    if (updateUses &&
        failed(SymbolTable::replaceAllSymbolUses(symbol, name, users)))
      return signalPassFailure();
    SymbolTable::setSymbolName(symbol, name);
    if (DILocalScopeAttr local = findScope(symbol->getLoc()))
      renameScopes(symbol, local.getSubprogram(), name);
  }

  Option<std::string> oldName{*this, "symbol-to-rename",
                              llvm::cl::desc("the symbol's name so far")};
  Option<std::string> scope{
      *this, "scope",
      llvm::cl::desc("the module that holds it, or the symbol of a module in "
                     "which references follow; empty: all")};
  Option<std::string> newName{*this, "new-name",
                              llvm::cl::desc("the symbol's name from now on")};
  Option<bool> updateUses{*this, "update-uses", llvm::cl::init(true),
                          llvm::cl::desc("whether references follow")};
};

} // namespace

void cuda_tile::registerTestPasses() { PassRegistration<UpdateSymbolName>(); }
