//===- If.cpp - Canonicalization patterns of if ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

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

void cuda_tile::inlineBranch(IfOp op, Region &branch, RewriterBase &rewriter) {
  SmallVector<Value> results;
  if (YieldOp end = getYield(branch)) {
    results = end->getOperands();
    rewriter.eraseOp(end);
    rewriter.inlineBlockBefore(&branch.front(), op);
  }
  rewriter.replaceOp(op, results);
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

/// Removes ops after a terminator, which are unreachable.
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

/// Replaces an `if` with a constant condition by the branch that is taken.
static LogicalResult takeBranch(IfOp op, PatternRewriter &rewriter) {
  std::optional<APInt> cond = getIntSplat(op.getCondition());
  if (!cond)
    return failure();
  Region &branch = cond->isOne() ? op.getThenRegion() : op.getElseRegion();
  if (branch.empty() || getYield(branch)) {
    inlineBranch(op, branch, rewriter);
    return success();
  }
  // Uses of the results come after the `if`.
  eraseRest(op, rewriter);
  rewriter.mergeBlocks(&branch.front(), op->getBlock());
  rewriter.eraseOp(op);
  return success();
}

/// Whether a value is there in front of `op` too.
static bool isOutside(Value value, IfOp op) {
  return !op->isAncestor(value.getParentBlock()->getParentOp());
}

/// Replaces results for which all branches that yield have the same value:
/// both, or the only one that does not leave.
static LogicalResult forwardResults(IfOp op, PatternRewriter &rewriter) {
  YieldOp ifTrue = getYield(op.getThenRegion());
  YieldOp ifFalse = getYield(op.getElseRegion());
  if (!ifTrue && !ifFalse)
    return failure();
  YieldOp some = ifTrue ? ifTrue : ifFalse;
  bool changed = false;
  for (OpResult result : op->getResults()) {
    unsigned number = result.getResultNumber();
    Value value = some->getOperand(number);
    bool isCommon = !ifTrue || !ifFalse ||
                    ifTrue->getOperand(number) == ifFalse->getOperand(number);
    if (!isCommon || result.use_empty() || !isOutside(value, op))
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

/// A scalar condition for each element of a tile of `type`.
static Value spread(Value condition, TileType type, Location loc,
                    PatternRewriter &rewriter) {
  if (type.getRank() == 0)
    return condition;
  Type truth = rewriter.getI1Type();
  SmallVector<int64_t> ones(type.getRank(), 1);
  Value one =
      ReshapeOp::create(rewriter, loc, TileType::get(ones, truth), condition);
  return BroadcastOp::create(rewriter, loc,
                             TileType::get(type.getShape(), truth), one);
}

/// Replaces results that choose between two available tiles by `select`, which
/// does not take elements of 4 bits.
static LogicalResult toSelect(IfOp op, PatternRewriter &rewriter) {
  YieldOp ifTrue = getYield(op.getThenRegion());
  YieldOp ifFalse = getYield(op.getElseRegion());
  if (!ifTrue || !ifFalse)
    return failure();
  bool changed = false;
  for (OpResult result : op->getResults()) {
    auto type = dyn_cast<TileType>(result.getType());
    Value x = ifTrue->getOperand(result.getResultNumber());
    Value y = ifFalse->getOperand(result.getResultNumber());
    if (result.use_empty() || !type || type.getLayout() ||
        isa<Float4E2M1FNType>(type.getElementType()) || !isOutside(x, op) ||
        !isOutside(y, op))
      continue;
    Value condition = spread(op.getCondition(), type, op.getLoc(), rewriter);
    rewriter.replaceAllUsesWith(
        result, SelectOp::create(rewriter, op.getLoc(), type, condition, x, y));
    changed = true;
  }
  return success(changed);
}

static LogicalResult removeIdleElse(IfOp op, PatternRewriter &rewriter) {
  if (op->getNumResults() != 0 || op.getElseRegion().empty() ||
      !isIdle(op.getElseRegion()))
    return failure();
  rewriter.modifyOpInPlace(
      op, [&] { rewriter.eraseBlock(&op.getElseRegion().front()); });
  return success();
}

/// `if a { if b {A} }` to `if (a and b) {A}`. The results must be the same
/// whichever condition is false.
static LogicalResult mergeNested(IfOp op, PatternRewriter &rewriter) {
  YieldOp end = getYield(op.getThenRegion());
  if (!end || !isIdle(op.getElseRegion()) ||
      end->getBlock()->getOperations().size() != 2)
    return failure();
  auto inner = dyn_cast<IfOp>(end->getBlock()->front());
  if (!inner || !isIdle(inner.getElseRegion()) ||
      inner.getCondition().getType() != op.getCondition().getType())
    return failure();
  SmallVector<Value> ifTrue, ifFalse;
  YieldOp outerElse = getYield(op.getElseRegion());
  for (auto [i, value] : llvm::enumerate(end->getOperands())) {
    // Otherwise the value depends on only one of the conditions.
    auto result = dyn_cast<OpResult>(value);
    if (!result || result.getOwner() != inner ||
        getYield(inner.getElseRegion())->getOperand(result.getResultNumber()) !=
            outerElse->getOperand(i))
      return failure();
    YieldOp innerEnd = getYield(inner.getThenRegion());
    ifTrue.push_back(innerEnd ? innerEnd->getOperand(result.getResultNumber())
                              : Value());
  }
  Value both = AndIOp::create(rewriter, op.getLoc(), op.getCondition(),
                              inner.getCondition());
  IfOp merged =
      moveBranches(inner, op.getResultTypes(), both, inner.getThenRegion(),
                   op.getElseRegion(), rewriter);
  if (YieldOp innerEnd = getYield(merged.getThenRegion()))
    rewriter.modifyOpInPlace(innerEnd, [&] { innerEnd->setOperands(ifTrue); });
  rewriter.moveOpBefore(merged, op);
  rewriter.replaceOp(op, merged);
  return success();
}

/// Appends the ops of `second` to those of `first`, and its yielded values to
/// those of `first`.
static void appendBranch(Region &first, Region &second,
                         PatternRewriter &rewriter) {
  if (second.empty())
    return;
  if (first.empty()) {
    rewriter.inlineRegionBefore(second, first, first.end());
    return;
  }
  YieldOp end = getYield(first);
  SmallVector<Value> values(end->getOperands());
  rewriter.eraseOp(end);
  rewriter.mergeBlocks(&second.front(), &first.front());
  if (YieldOp both = getYield(first)) {
    llvm::append_range(values, both->getOperands());
    rewriter.modifyOpInPlace(both, [&] { both->setOperands(values); });
  }
}

/// Merges two adjacent `if`s with the same or the negated condition. Behind a
/// branch of the first that leaves, nothing of the second is reached.
static LogicalResult mergeAdjacent(IfOp op, PatternRewriter &rewriter) {
  auto previous = dyn_cast_or_null<IfOp>(op->getPrevNode());
  if (!previous)
    return failure();
  Value first = previous.getCondition(), second = op.getCondition();
  bool isInverted =
      getInverted(second) == first || getInverted(first) == second;
  auto leaves = [](Region &branch) {
    return !branch.empty() && !getYield(branch);
  };
  if ((first != second && !isInverted) ||
      (leaves(previous.getThenRegion()) && leaves(previous.getElseRegion())))
    return failure();

  SmallVector<Type> types(previous.getResultTypes());
  llvm::append_range(types, op.getResultTypes());
  rewriter.setInsertionPoint(op);
  IfOp merged = moveBranches(previous, types, first, previous.getThenRegion(),
                             previous.getElseRegion(), rewriter);
  for (bool isThen : {true, false}) {
    Region &kept = isThen ? merged.getThenRegion() : merged.getElseRegion();
    if (leaves(kept))
      continue;
    Region &added =
        isThen == isInverted ? op.getElseRegion() : op.getThenRegion();
    // In a branch, results of the first `if` are the values that it yielded.
    for (OpResult result : previous->getResults()) {
      Value value = getYield(kept)->getOperand(result.getResultNumber());
      rewriter.replaceUsesWithIf(result, value, [&](OpOperand &use) {
        return added.isAncestor(use.getOwner()->getParentRegion());
      });
    }
    appendBranch(kept, added, rewriter);
  }
  size_t numPrevious = previous->getNumResults();
  rewriter.replaceOp(op, merged->getResults().drop_front(numPrevious));
  rewriter.replaceOp(previous, merged->getResults().take_front(numPrevious));
  return success();
}

/// If both branches leave, the ops after the `if` are unreachable: the second
/// branch takes their place.
static LogicalResult hoistElse(IfOp op, PatternRewriter &rewriter) {
  Region &ifTrue = op.getThenRegion(), &ifFalse = op.getElseRegion();
  if (ifTrue.empty() || ifFalse.empty() || getYield(ifTrue) ||
      getYield(ifFalse))
    return failure();
  eraseRest(op, rewriter);
  Block *block = op->getBlock();
  rewriter.mergeBlocks(&ifFalse.front(), block);
  auto shorter =
      IfOp::create(rewriter, op.getLoc(), TypeRange(), op.getCondition());
  shorter->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.inlineRegionBefore(ifTrue, shorter.getThenRegion(),
                              shorter.getThenRegion().end());
  rewriter.eraseOp(op);
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
      .add(hoistElse);
}
