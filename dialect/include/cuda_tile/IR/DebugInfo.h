//===- DebugInfo.h - Scopes and the rules of locations ----------*- C++ -*-===//

#ifndef CUDA_TILE_IR_DEBUGINFO_H
#define CUDA_TILE_IR_DEBUGINFO_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Location.h"

namespace cuda_tile {

class DIFileAttr;
class DISubprogramAttr;

/// A scope that an op can lie in: di_subprogram or di_lexical_block.
class DILocalScopeAttr : public mlir::Attribute {
public:
  using mlir::Attribute::Attribute;
  static bool classof(mlir::Attribute attr);

  /// The function around this scope, or this scope itself.
  DISubprogramAttr getSubprogram() const;
};

/// The scope of code at `loc` in the function that holds it (of inlined code
/// the caller's), or null.
DILocalScopeAttr findScope(mlir::LocationAttr loc);

/// The first position that `loc` leads to, or null.
mlir::FileLineColLoc findPosition(mlir::LocationAttr loc);

/// The file of `position`, its path cut into directory and name.
DIFileAttr makeFile(mlir::FileLineColLoc position);

/// The subprogram `name` that begins at `position`, in a compile unit of its
/// file.
DISubprogramAttr makeSubprogram(mlir::StringAttr name,
                                mlir::FileLineColLoc position);

/// Checks the scopes of a function and of the ops in it.
llvm::LogicalResult verifyFunctionScopes(mlir::Operation *function);

/// Checks that globals of a module have no scope.
llvm::LogicalResult verifyModuleScopes(mlir::Operation *module);

} // namespace cuda_tile

#endif // CUDA_TILE_IR_DEBUGINFO_H
