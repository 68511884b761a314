//===- ControlFlow.cpp - Where control and values go ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda_tile/IR/ControlFlow.h"

#include "cuda_tile/IR/CudaTile.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cuda_tile;

using Edges = SmallVectorImpl<ControlEdge>;

static OperandRange noOperands(Operation *op) {
  return {op->operand_end(), op->operand_end()};
}

/// An edge without values.
static ControlEdge bare(Operation *source, Operation *target, Region *region) {
  return {target, region, noOperands(source), ValueRange()};
}

/// The op of one of `Targets` that `end` goes to, past any number of `if`s.
template <typename... Targets> static Operation *leave(Operation *end) {
  Operation *ancestor = end->getParentOp();
  while (isa_and_present<IfOp>(ancestor))
    ancestor = ancestor->getParentOp();
  return isa_and_present<Targets...>(ancestor) ? ancestor : nullptr;
}

/// What follows the values of a loop: its next run and, unless only `break`
/// ends it, the point behind it.
static void addRun(Operation *loop, OperandRange values, Edges &edges) {
  Region &region = loop->getRegion(0);
  if (auto counted = dyn_cast<ForOp>(loop)) {
    edges.push_back({loop, &region, values, counted.getIterValues()});
    edges.push_back({loop, nullptr, values, loop->getResults()});
  } else {
    edges.push_back(
        {loop, &region, values, cast<LoopOp>(loop).getIterValues()});
  }
}

/// The body of `reduce` and `scan` runs any number of times.
static void addCombination(Operation *source, Operation *op, Edges &edges) {
  edges.push_back(bare(source, op, &op->getRegion(0)));
  edges.push_back(bare(source, op, nullptr));
}

static void addBranches(IfOp op, Edges &edges) {
  for (Region &region : op->getRegions())
    edges.push_back(bare(op, op, region.empty() ? nullptr : &region));
}

static LogicalResult addContinue(ContinueOp op, Edges &edges) {
  Operation *loop = leave<ForOp, LoopOp>(op);
  if (loop)
    addRun(loop, op.getOperands(), edges);
  return success(loop);
}

static LogicalResult addBreak(BreakOp op, Edges &edges) {
  Operation *loop = leave<LoopOp>(op);
  if (loop)
    edges.push_back({loop, nullptr, op.getOperands(), loop->getResults()});
  return success(loop);
}

static LogicalResult addYield(YieldOp op, Edges &edges) {
  Operation *parent = op->getParentOp();
  if (isa<IfOp>(parent))
    edges.push_back({parent, nullptr, op.getOperands(), parent->getResults()});
  else
    addCombination(op, parent, edges);
  return success();
}

/// `return` and, from 13.4 on, one inside a `loop`.
static LogicalResult addReturn(ReturnOp op, Edges &edges) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  if (function)
    edges.push_back(bare(op, function, nullptr));
  return success(function);
}

/// Ops of other dialects say it by MLIR's interfaces, which is enough where
/// every end of a region goes to the op around it.
static LogicalResult addByInterface(Operation *op, Edges &edges) {
  auto end = dyn_cast<RegionBranchTerminatorOpInterface>(op);
  auto branch = dyn_cast<RegionBranchOpInterface>(end ? op->getParentOp() : op);
  if (!branch)
    return success(op->getNumRegions() == 0 &&
                   !op->hasTrait<OpTrait::IsTerminator>());
  RegionBranchPoint point =
      end ? RegionBranchPoint(end) : RegionBranchPoint::parent();
  SmallVector<RegionSuccessor> successors;
  branch.getSuccessorRegions(point, successors);
  for (RegionSuccessor successor : successors)
    edges.push_back({branch,
                     successor.isParent() ? nullptr : successor.getSuccessor(),
                     branch.getSuccessorOperands(point, successor),
                     successor.getSuccessorInputs()});
  return success();
}

LogicalResult cuda_tile::getControlEdges(Operation *op, Edges &edges) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](FunctionOpInterface function) {
        if (function.isExternal())
          return failure();
        edges.push_back(bare(op, op, &function.getFunctionBody()));
        return success();
      })
      .Case<ForOp, LoopOp>([&](auto loop) {
        addRun(loop, loop.getInitValues(), edges);
        return success();
      })
      .Case([&](IfOp branches) {
        addBranches(branches, edges);
        return success();
      })
      .Case<ReduceOp, ScanOp>([&](auto) {
        addCombination(op, op, edges);
        return success();
      })
      .Case([&](ContinueOp end) { return addContinue(end, edges); })
      .Case([&](BreakOp end) { return addBreak(end, edges); })
      .Case([&](YieldOp end) { return addYield(end, edges); })
      .Case([&](ReturnOp end) { return addReturn(end, edges); })
      .Default([&](Operation *) { return addByInterface(op, edges); });
}
