//===- ControlFlow.h - Where control and values go --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The control flow of structured ops, said once for every analysis. MLIR's
// RegionBranchOpInterface knows ends of a region that go to the op around it;
// `break`, `continue` and `return` inside an `if` go further. Here each op with
// regions and each end of a region has the edges that really follow it.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_IR_CONTROLFLOW_H
#define CUDA_TILE_IR_CONTROLFLOW_H

#include "mlir/IR/Operation.h"

namespace cuda_tile {

/// One successor of an op with regions, or of a terminator.
struct ControlEdge {
  /// The op whose region begins, or behind which control goes on.
  mlir::Operation *target;
  /// The region of `target` that begins; null for the point behind `target`.
  mlir::Region *region;
  /// What the source passes on: some of its operands, in a row.
  mlir::OperandRange operands;
  /// What they become: arguments of the region, or results of `target`. Other
  /// arguments and results are made by `target` itself.
  mlir::ValueRange inputs;
};

/// Adds the successors of `op`, an op with regions or a terminator; other ops
/// have none here. The end of a kernel is the point behind its entry. Fails,
/// without a diagnostic, where nothing is known of the op's control flow.
llvm::LogicalResult getControlEdges(mlir::Operation *op,
                                    llvm::SmallVectorImpl<ControlEdge> &edges);

} // namespace cuda_tile

#endif // CUDA_TILE_IR_CONTROLFLOW_H
