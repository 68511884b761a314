//===- DebugInfo.h - Scopes and the rules of locations ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_IR_DEBUGINFO_H
#define CUDA_TILE_IR_DEBUGINFO_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Location.h"

namespace cuda_tile {

class DIFileAttr;
class DISubprogramAttr;

/// A scope that can contain an op: di_subprogram or di_lexical_block.
class DILocalScopeAttr : public mlir::Attribute {
public:
  using mlir::Attribute::Attribute;
  static bool classof(mlir::Attribute attr);

  /// The subprogram that contains this scope, or this scope itself.
  DISubprogramAttr getSubprogram() const;
};

/// The scope of `loc` in the function that contains it (for inlined code, that
/// of the caller), or null.
DILocalScopeAttr findScope(mlir::LocationAttr loc);

/// The first file position in `loc`, or null.
mlir::FileLineColLoc findPosition(mlir::LocationAttr loc);

/// The file of `position`, with its path split into directory and name.
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
