//===- Branches.cpp - How control and values go through regions -----------===//
//
// Analyses follow the values that `if`, `for` and `loop` pass on. MLIR's
// interfaces know ends of a region that go to the op around it; `break` and
// `continue` inside an `if` go further. A loop that has such an early exit
// passes its values in a way that the interfaces cannot say, so it claims none:
// analyses then take its values for unknown.
//
//===----------------------------------------------------------------------===//

#include "IR/fold/Fold.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace cuda_tile;

/// True if an `if` in `block` ends in a `break` or `continue`. That of a loop
/// in `block` is its own.
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

/// The parts of the interface that are alike for all ops. `Model` says what
/// follows a point.
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

  /// `before` the branches, either one follows, even if the condition is known:
  /// canonicalization takes the branch, and remove-dead-values would leave
  /// broken ops in the other one. An early exit is followed by nothing here.
  void addSuccessors(IfOp op, RegionBranchPoint before,
                     Successors &successors) const {
    if (!before.isParent()) {
      if (isa<YieldOp>(before.getTerminatorPredecessorOrNull()))
        successors.emplace_back(op, op->getResults());
      return;
    }
    add(op, op.getThenRegion(), successors);
    add(op, op.getElseRegion(), successors);
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

private:
  void add(IfOp op, Region &region, Successors &successors) const {
    if (region.empty())
      successors.emplace_back(op, op->getResults());
    else
      successors.emplace_back(&region);
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
    using Arguments = Block::BlockArgListType;
    bool exits = hasEarlyExit(op.getRegion().front());
    bool isCounted = std::is_same_v<Op, ForOp>;
    Operation *end = before.getTerminatorPredecessorOrNull();
    if (!end || exits || isa<ContinueOp>(end))
      successors.emplace_back(&op.getRegion(),
                              exits ? Arguments() : op.getIterValues());
    // Also behind a `loop` that never ends: analyses have to see those ops.
    bool givesResults = !exits && (isCounted || isa_and_present<BreakOp>(end));
    if (isCounted || end)
      successors.emplace_back(
          op, givesResults ? op->getResults() : op->getResults().take_front(0));
  }
};

/// The values that the end of a region passes on: to the results of the op
/// around it, or to the next run of a loop.
template <typename Op>
struct End : RegionBranchTerminatorOpInterface::ExternalModel<End<Op>, Op> {
  MutableOperandRange
  getMutableSuccessorOperands(Operation *op, RegionSuccessor successor) const {
    Operation *parent = op->getParentOp();
    bool isEndless =
        isa<ContinueOp>(op) && isa<LoopOp>(parent) && successor.isParent();
    bool passesOn =
        !isEndless && (isa<YieldOp>(op) ? isa<IfOp>(parent)
                                        : isa<ForOp, LoopOp>(parent) &&
                                              !hasEarlyExit(*op->getBlock()));
    return {op, 0, passesOn ? op->getNumOperands() : 0};
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
