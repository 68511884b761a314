//===- If.cpp - Rewrites of branches to the one usual form ----------------===//

#include "IR/fold/Fold.h"

using namespace mlir;
using namespace cuda_tile;

/// The yield that ends `branch`, or null.
static YieldOp getYield(Region &branch) {
  if (branch.empty())
    return {};
  return dyn_cast<YieldOp>(branch.front().getTerminator());
}

/// True if nothing happens in `branch`.
static bool isIdle(Region &branch) {
  return branch.empty() ||
         (branch.front().getOperations().size() == 1 && getYield(branch));
}

/// A new `if` on `cond` with the branches of `op`.
static IfOp moveBranches(IfOp op, TypeRange types, Value cond, Region &ifTrue,
                         Region &ifFalse, PatternRewriter &rewriter) {
  auto moved = IfOp::create(rewriter, op.getLoc(), types, cond);
  moved->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.inlineRegionBefore(ifTrue, moved.getThenRegion(),
                              moved.getThenRegion().end());
  rewriter.inlineRegionBefore(ifFalse, moved.getElseRegion(),
                              moved.getElseRegion().end());
  return moved;
}

/// Nothing behind an op that ends its block is reached.
static void eraseRest(Operation *op, PatternRewriter &rewriter) {
  while (op->getNextNode())
    rewriter.eraseOp(&op->getBlock()->back());
}

//===----------------------------------------------------------------------===//
// Rewrites
//===----------------------------------------------------------------------===//

/// `if (not c) {A} else {B}` to `if c {B} else {A}`.
static LogicalResult swapBranches(IfOp op, PatternRewriter &rewriter) {
  Value cond = getInverted(op.getCondition());
  if (!cond || op.getElseRegion().empty())
    return failure();
  IfOp swapped = moveBranches(op, op.getResultTypes(), cond, op.getElseRegion(),
                              op.getThenRegion(), rewriter);
  rewriter.replaceOp(op, swapped);
  return success();
}

/// The branch that is taken, in place of an `if` that always takes it.
static LogicalResult takeBranch(IfOp op, PatternRewriter &rewriter) {
  std::optional<APInt> cond = getIntSplat(op.getCondition());
  if (!cond)
    return failure();
  Region &branch = cond->isOne() ? op.getThenRegion() : op.getElseRegion();
  if (branch.empty()) {
    rewriter.eraseOp(op);
    return success();
  }
  Block *body = &branch.front();
  Operation *end = body->getTerminator();
  if (!isa<YieldOp>(end)) {
    // Uses of the results lie behind the `if`.
    eraseRest(op, rewriter);
    Block *parent = op->getBlock();
    rewriter.mergeBlocks(body, parent);
    rewriter.eraseOp(op);
    return success();
  }
  SmallVector<Value> results(end->getOperands());
  rewriter.eraseOp(end);
  rewriter.inlineBlockBefore(body, op);
  rewriter.replaceOp(op, results);
  return success();
}

/// Results that both branches take from the same place.
static LogicalResult forwardResults(IfOp op, PatternRewriter &rewriter) {
  YieldOp ifTrue = getYield(op.getThenRegion());
  YieldOp ifFalse = getYield(op.getElseRegion());
  if (!ifTrue || !ifFalse)
    return failure();
  bool changed = false;
  for (OpResult result : op->getResults()) {
    Value value = ifTrue->getOperand(result.getResultNumber());
    bool isCommon = value == ifFalse->getOperand(result.getResultNumber());
    if (!isCommon || result.use_empty())
      continue;
    rewriter.replaceAllUsesWith(result, value);
    changed = true;
  }
  return success(changed);
}

static LogicalResult removeUnused(IfOp op, PatternRewriter &rewriter) {
  SmallVector<OpResult> used;
  for (OpResult result : op->getResults())
    if (!result.use_empty())
      used.push_back(result);
  if (used.size() == op->getNumResults())
    return failure();
  for (Region *branch : {&op.getThenRegion(), &op.getElseRegion()})
    if (YieldOp yield = getYield(*branch)) {
      auto kept = llvm::map_to_vector(used, [&](OpResult result) {
        return yield->getOperand(result.getResultNumber());
      });
      rewriter.modifyOpInPlace(yield, [&] { yield->setOperands(kept); });
    }
  auto types = llvm::map_to_vector(
      used, [](OpResult result) { return result.getType(); });
  IfOp smaller = moveBranches(op, types, op.getCondition(), op.getThenRegion(),
                              op.getElseRegion(), rewriter);
  for (auto [before, after] : llvm::zip_equal(used, smaller->getResults()))
    rewriter.replaceAllUsesWith(before, after);
  rewriter.eraseOp(op);
  return success();
}

/// Branches that only choose among scalars that are there.
static LogicalResult toSelect(IfOp op, PatternRewriter &rewriter) {
  YieldOp ifTrue = getYield(op.getThenRegion());
  YieldOp ifFalse = getYield(op.getElseRegion());
  auto canSelect = [](Type type) {
    auto tile = dyn_cast<TileType>(type);
    return tile && tile.getRank() == 0;
  };
  if (op->getNumResults() == 0 || !ifTrue || !ifFalse ||
      !isIdle(op.getThenRegion()) || !isIdle(op.getElseRegion()) ||
      !llvm::all_of(op->getResultTypes(), canSelect))
    return failure();
  SmallVector<Value> results;
  for (auto [x, y] :
       llvm::zip_equal(ifTrue->getOperands(), ifFalse->getOperands()))
    results.push_back(SelectOp::create(rewriter, op.getLoc(), x.getType(),
                                       op.getCondition(), x, y));
  rewriter.replaceOp(op, results);
  return success();
}

static LogicalResult removeIdleElse(IfOp op, PatternRewriter &rewriter) {
  if (op->getNumResults() != 0 || op.getElseRegion().empty() ||
      !isIdle(op.getElseRegion()))
    return failure();
  rewriter.modifyOpInPlace(
      op, [&] { rewriter.eraseBlock(&op.getElseRegion().front()); });
  return success();
}

/// `if a { if b {A} }` to `if (a and b) {A}`.
static LogicalResult mergeNested(IfOp op, PatternRewriter &rewriter) {
  if (op->getNumResults() != 0 || !op.getElseRegion().empty() ||
      op.getThenRegion().front().getOperations().size() != 2 ||
      !getYield(op.getThenRegion()))
    return failure();
  auto inner = dyn_cast<IfOp>(op.getThenRegion().front().front());
  if (!inner || !inner.getElseRegion().empty() ||
      inner.getCondition().getType() != op.getCondition().getType())
    return failure();
  Value both = AndIOp::create(rewriter, op.getLoc(), op.getCondition(),
                              inner.getCondition());
  IfOp merged = moveBranches(inner, {}, both, inner.getThenRegion(),
                             inner.getElseRegion(), rewriter);
  rewriter.replaceOp(op, merged);
  return success();
}

/// Puts the ops of `second` behind those of `first`.
static void appendBranch(Region &first, Region &second,
                         PatternRewriter &rewriter) {
  if (second.empty())
    return;
  if (first.empty()) {
    rewriter.inlineRegionBefore(second, first, first.end());
    return;
  }
  rewriter.eraseOp(first.front().getTerminator());
  rewriter.mergeBlocks(&second.front(), &first.front());
}

/// Two neighbours on one condition are one.
static LogicalResult mergeAdjacent(IfOp op, PatternRewriter &rewriter) {
  auto previous = dyn_cast_or_null<IfOp>(op->getPrevNode());
  auto goesOn = [](Region &branch) {
    return branch.empty() || getYield(branch);
  };
  if (!previous || previous.getCondition() != op.getCondition() ||
      op->getNumResults() != 0 || previous->getNumResults() != 0 ||
      !goesOn(previous.getThenRegion()) || !goesOn(previous.getElseRegion()))
    return failure();
  rewriter.modifyOpInPlace(previous, [&] {
    appendBranch(previous.getThenRegion(), op.getThenRegion(), rewriter);
    appendBranch(previous.getElseRegion(), op.getElseRegion(), rewriter);
  });
  rewriter.eraseOp(op);
  return success();
}

/// If both branches leave in the same way, the ops behind are not reached, and
/// one terminator behind the `if` is enough.
static LogicalResult hoistTerminator(IfOp op, PatternRewriter &rewriter) {
  if (op.getElseRegion().empty() || op->getNumResults() != 0)
    return failure();
  Operation *ifTrue = op.getThenRegion().front().getTerminator();
  Operation *ifFalse = op.getElseRegion().front().getTerminator();
  if (isa<YieldOp>(ifTrue) || ifTrue->getName() != ifFalse->getName() ||
      ifTrue->getNumOperands() != 0 || ifFalse->getNumOperands() != 0)
    return failure();
  eraseRest(op, rewriter);
  rewriter.setInsertionPointAfter(op);
  rewriter.clone(*ifTrue);
  for (Operation *end : {ifTrue, ifFalse}) {
    rewriter.setInsertionPoint(end);
    rewriter.replaceOpWithNewOp<YieldOp>(end);
  }
  return success();
}

void cuda_tile::addIfPatterns(RewritePatternSet &patterns) {
  patterns.add(swapBranches)
      .add(takeBranch)
      .add(forwardResults)
      .add(removeUnused)
      .add(toSelect)
      .add(removeIdleElse)
      .add(mergeNested)
      .add(mergeAdjacent)
      .add(hoistTerminator);
}
