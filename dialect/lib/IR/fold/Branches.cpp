//===- Branches.cpp - Control flow interfaces of if, for, loop ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Analyses follow the values that `if`, `for` and `loop` forward, by the edges
// of ControlFlow.h. In MLIR's interfaces, a terminator branches to the parent
// op; `break` and `continue` inside an `if` branch further out. The interfaces
// cannot express the forwarded values of a loop with such an early exit, so it
// reports none, and analyses treat its values as unknown.
//
//===----------------------------------------------------------------------===//

#include "IR/fold/Fold.h"
#include "cuda_tile/IR/ControlFlow.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace cuda_tile;

/// True if an `if` in `block` ends in a `break` or `continue`, not counting
/// loops nested in `block`.
static bool hasEarlyExit(Block &block) {
  for (auto branch : block.getOps<IfOp>())
    for (Region &region : branch->getRegions())
      for (Block &body : region)
        if (hasEarlyExit(body) ||
            (!body.empty() && isa<BreakOp, ContinueOp>(body.back())))
          return true;
  return false;
}

namespace {

using Successors = SmallVectorImpl<RegionSuccessor>;

/// The edges to `op` or its regions from `before`: from `op` itself, or from
/// the end of one of its regions.
SmallVector<ControlEdge> edgesTo(Operation *op, RegionBranchPoint before) {
  Operation *end = before.getTerminatorPredecessorOrNull();
  SmallVector<ControlEdge> edges;
  if (failed(getControlEdges(end ? end : op, edges)))
    return {};
  llvm::erase_if(edges,
                 [&](const ControlEdge &edge) { return edge.target != op; });
  return edges;
}

RegionSuccessor asSuccessor(const ControlEdge &edge) {
  size_t count = edge.inputs.size();
  if (!edge.region)
    return {edge.target, edge.target->getResults().take_front(count)};
  size_t first =
      count ? cast<BlockArgument>(edge.inputs.front()).getArgNumber() : 0;
  return {edge.region, edge.region->getArguments().slice(first, count)};
}

/// The parts of the interface that are common to all ops. `Model` gives the
/// successors of a point.
template <typename Model, typename Op>
struct Branches : RegionBranchOpInterface::ExternalModel<Model, Op> {
  void getEntrySuccessorRegions(Operation *op, ArrayRef<Attribute> operands,
                                Successors &successors) const {
    static_cast<const Model *>(this)->getSuccessorRegions(
        op, RegionBranchPoint::parent(), successors);
  }

  void getSuccessorRegions(Operation *op, RegionBranchPoint point,
                           Successors &successors) const {
    static_cast<const Model *>(this)->addSuccessors(cast<Op>(op), point,
                                                    successors);
  }

  /// The overload for a region, by the name that TableGen gives it.
  void getSuccessorRegions_3(Operation *op, Region &region,
                             Successors &successors) const {
    for (Block &block : region)
      if (!block.empty())
        if (auto end =
                dyn_cast<RegionBranchTerminatorOpInterface>(block.back()))
          getSuccessorRegions(op, RegionBranchPoint(end), successors);
  }

  void getPredecessorValues(Operation *op, RegionSuccessor successor, int index,
                            SmallVectorImpl<Value> &values) const {
    auto branch = cast<RegionBranchOpInterface>(op);
    SmallVector<RegionBranchPoint> points;
    branch.getPredecessors(successor, points);
    for (RegionBranchPoint point : points)
      values.push_back(branch.getSuccessorOperands(point, successor)[index]);
  }

  void
  getRegionInvocationBounds(Operation *op, ArrayRef<Attribute>,
                            SmallVectorImpl<InvocationBounds> &bounds) const {
    bounds.append(op->getNumRegions(), InvocationBounds::getUnknown());
  }
};

struct IfBranches : Branches<IfBranches, IfOp> {
  OperandRange getEntrySuccessorOperands(Operation *op, RegionSuccessor) const {
    return {op->operand_end(), op->operand_end()};
  }

  /// Both branches are successors of the entry, even if the condition is known:
  /// canonicalization removes the other branch, whereas remove-dead-values
  /// would leave invalid ops in it. An early exit has no successor here.
  void addSuccessors(IfOp op, RegionBranchPoint before,
                     Successors &successors) const {
    for (const ControlEdge &edge : edgesTo(op, before))
      successors.push_back(asSuccessor(edge));
  }

  void
  getRegionInvocationBounds(Operation *op, ArrayRef<Attribute> operands,
                            SmallVectorImpl<InvocationBounds> &bounds) const {
    std::optional<APInt> condition = getIntSplat(operands.front());
    for (unsigned i : {0, 1}) {
      bool isTaken = condition && condition->isOne() == (i == 0);
      bounds.emplace_back(isTaken, !condition || isTaken ? 1 : 0);
    }
  }
};

template <typename Op> struct LoopBranches : Branches<LoopBranches<Op>, Op> {
  /// The initial values of the body's arguments and, of a `for` that may not
  /// run, of the results.
  OperandRange getEntrySuccessorOperands(Operation *op, RegionSuccessor) const {
    auto loop = cast<Op>(op);
    OperandRange values = loop.getInitValues();
    return hasEarlyExit(loop.getRegion().front()) ? values.take_front(0)
                                                  : values;
  }

  void addSuccessors(Op op, RegionBranchPoint before,
                     Successors &successors) const {
    Operation *end = before.getTerminatorPredecessorOrNull();
    if (hasEarlyExit(op.getRegion().front())) {
      successors.emplace_back(&op.getRegion(),
                              op.getRegion().getArguments().take_front(0));
      if (end || std::is_same_v<Op, ForOp>)
        successors.emplace_back(op, op->getResults().take_front(0));
      return;
    }
    for (const ControlEdge &edge : edgesTo(op, before))
      successors.push_back(asSuccessor(edge));
    // Also after a `loop` without a `break`: analyses have to visit those ops.
    if (isa<LoopOp>(op) && isa_and_present<ContinueOp>(end))
      successors.emplace_back(op, op->getResults().take_front(0));
  }
};

/// The values that the terminator of a region forwards: to the results of the
/// parent op, or to the next iteration of a loop.
template <typename Op>
struct End : RegionBranchTerminatorOpInterface::ExternalModel<End<Op>, Op> {
  MutableOperandRange
  getMutableSuccessorOperands(Operation *op, RegionSuccessor successor) const {
    Operation *parent = op->getParentOp();
    bool isUnknown =
        isa<ForOp, LoopOp>(parent) && hasEarlyExit(*op->getBlock());
    SmallVector<ControlEdge> edges;
    if (!isUnknown && succeeded(getControlEdges(op, edges)))
      for (const ControlEdge &edge : edges)
        if (edge.target == parent && !edge.region == successor.isParent())
          return {op, 0, static_cast<unsigned>(edge.operands.size())};
    return {op, 0, 0};
  }

  void getSuccessorRegions(Operation *op, ArrayRef<Attribute>,
                           Successors &successors) const {
    if (auto parent = dyn_cast<RegionBranchOpInterface>(op->getParentOp()))
      parent.getSuccessorRegions(
          RegionBranchPoint(cast<RegionBranchTerminatorOpInterface>(op)),
          successors);
  }
};

template <typename Op>
struct Loop : LoopLikeOpInterface::ExternalModel<Loop<Op>, Op> {
  SmallVector<Region *> getLoopRegions(Operation *op) const {
    return {&cast<Op>(op).getRegion()};
  }
};

} // namespace

void CudaTileDialect::addBranches() {
  MLIRContext &context = *getContext();
  IfOp::attachInterface<IfBranches>(context);
  ForOp::attachInterface<LoopBranches<ForOp>, Loop<ForOp>>(context);
  LoopOp::attachInterface<LoopBranches<LoopOp>, Loop<LoopOp>>(context);
  YieldOp::attachInterface<End<YieldOp>>(context);
  ContinueOp::attachInterface<End<ContinueOp>>(context);
  BreakOp::attachInterface<End<BreakOp>>(context);
}
