//===- TestDebugInfo.cpp - A pass for tests of debug info -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda_tile/Transforms/Passes.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace cuda_tile;

/// Sets the linkage name of the subprogram `scope` in all locations in `root`.
static void renameScopes(Operation *root, DISubprogramAttr scope,
                         StringAttr name) {
  auto renamed = DISubprogramAttr::get(
      scope.getContext(), scope.getFile(), scope.getLine(), scope.getName(),
      name, scope.getCompileUnit(), scope.getScopeLine(), scope.getFlags());
  AttrTypeReplacer replacer;
  replacer.addReplacement([=](DISubprogramAttr found) -> Attribute {
    return found == scope ? renamed : found;
  });
  replacer.recursivelyReplaceElementsIn(root, /*replaceAttrs=*/false,
                                        /*replaceLocs=*/true,
                                        /*replaceTypes=*/false);
}

namespace {

/// Renames a symbol together with the scopes of its debug info.
struct UpdateSymbolName
    : PassWrapper<UpdateSymbolName, OperationPass<::mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(UpdateSymbolName)

  UpdateSymbolName() = default;
  UpdateSymbolName(const UpdateSymbolName &other) : PassWrapper(other) {}

  StringRef getArgument() const override {
    return "test-debuginfo-update-symbol-name";
  }
  StringRef getDescription() const override {
    return "Renames a symbol and the scopes of its debug info";
  }

  /// The op that `path`, for example `kernels::f`, names; null after an error.
  Operation *find(StringRef path) {
    SmallVector<StringRef> names;
    path.split(names, "::");
    SmallVector<FlatSymbolRefAttr> nested;
    for (StringRef name : llvm::drop_begin(names))
      nested.push_back(FlatSymbolRefAttr::get(&getContext(), name));
    auto reference = SymbolRefAttr::get(&getContext(), names.front(), nested);
    Operation *op = SymbolTable::lookupSymbolIn(getOperation(), reference);
    if (!op)
      getOperation().emitError("could not find symbol op with name '")
          << reference << "'";
    return op;
  }

  void runOnOperation() override {
    Operation *symbol = find(oldName);
    Operation *root = symbol;
    if (symbol)
      root = scope.empty() ? getOperation() : find(scope);
    if (!root)
      return signalPassFailure();
    if (!root->isAncestor(symbol)) {
      symbol->emitError("attempted to update symbol names in a scope that did "
                        "not enclose the symbol itself")
              .attachNote(root->getLoc())
          << "scope defined here";
      return signalPassFailure();
    }
    auto name = StringAttr::get(&getContext(), newName);
    if (updateUses &&
        failed(SymbolTable::replaceAllSymbolUses(symbol, name, root)))
      return signalPassFailure();
    SymbolTable::setSymbolName(symbol, name);
    if (DILocalScopeAttr local = findScope(symbol->getLoc()))
      renameScopes(root, local.getSubprogram(), name);
  }

  Option<std::string> oldName{*this, "symbol-to-rename",
                              llvm::cl::desc("the symbol: kernels::f")};
  Option<std::string> scope{
      *this, "scope",
      llvm::cl::desc("the symbol of the op in which references and locations "
                     "follow; empty: all")};
  Option<std::string> newName{*this, "new-name",
                              llvm::cl::desc("the symbol's name from now on")};
  Option<bool> updateUses{*this, "update-uses", llvm::cl::init(false),
                          llvm::cl::desc("whether references follow")};
};

} // namespace

void cuda_tile::registerTestPasses() { PassRegistration<UpdateSymbolName>(); }
