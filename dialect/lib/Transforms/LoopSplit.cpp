//===- LoopSplit.cpp - One loop per branch --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/fold/Fold.h"
#include "cuda_tile/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace cuda_tile {
#define GEN_PASS_DEF_LOOPSPLIT
#include "cuda_tile/Transforms/Passes.h.inc"
} // namespace cuda_tile

using namespace mlir;
using namespace cuda_tile;

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

namespace {

/// A comparison of a loop's index that holds on one side of a bound.
struct Split {
  CmpIOp condition;
  Value bound;
  /// The bound itself lies on the low side: `<=` and `>`.
  bool boundIsLow;
  /// The condition holds on the low side.
  bool thenIsLow;
};

} // namespace

/// `predicate` with exchanged operands.
static ComparisonPredicate mirror(ComparisonPredicate predicate) {
  switch (predicate) {
  case ComparisonPredicate::LESS_THAN:
    return ComparisonPredicate::GREATER_THAN;
  case ComparisonPredicate::LESS_THAN_OR_EQUAL:
    return ComparisonPredicate::GREATER_THAN_OR_EQUAL;
  case ComparisonPredicate::GREATER_THAN:
    return ComparisonPredicate::LESS_THAN;
  case ComparisonPredicate::GREATER_THAN_OR_EQUAL:
    return ComparisonPredicate::LESS_THAN_OR_EQUAL;
  default:
    return predicate;
  }
}

/// The condition of `branches` as a split of `loop`, if it qualifies.
static std::optional<Split> matchCondition(ForOp loop, IfOp branches) {
  auto cmpi = branches.getCondition().getDefiningOp<CmpIOp>();
  if (!cmpi)
    return std::nullopt;
  bool isUnsigned = cmpi.getSignedness() == Signedness::Unsigned;
  if (isUnsigned != loop.getUnsignedCmp())
    return std::nullopt;
  Value index = loop.getInductionVar(), bound = cmpi.getRhs();
  ComparisonPredicate predicate = cmpi.getComparisonPredicate();
  if (cmpi.getRhs() == index) {
    bound = cmpi.getLhs();
    predicate = mirror(predicate);
  } else if (cmpi.getLhs() != index) {
    return std::nullopt;
  }
  if (loop->isAncestor(bound.getParentBlock()->getParentOp()))
    return std::nullopt;
  switch (predicate) {
  case ComparisonPredicate::LESS_THAN:
    return Split{cmpi, bound, false, true};
  case ComparisonPredicate::LESS_THAN_OR_EQUAL:
    return Split{cmpi, bound, true, true};
  case ComparisonPredicate::GREATER_THAN:
    return Split{cmpi, bound, true, false};
  case ComparisonPredicate::GREATER_THAN_OR_EQUAL:
    return Split{cmpi, bound, false, false};
  default:
    return std::nullopt;
  }
}

/// Whether no branch leaves the loop, so that it may be taken into its body.
static bool staysInLoop(IfOp branches) {
  for (Region &region : branches->getRegions())
    if (!region.empty() &&
        !isa<YieldOp, ContinueOp>(region.front().getTerminator()))
      return false;
  return true;
}

/// A branch is worth a loop of its own if it has so many ops, or one that takes
/// long.
static bool isWorthwhile(IfOp branches, int64_t threshold) {
  if (threshold <= 1)
    return threshold == 1;
  return llvm::any_of(branches->getRegions(), [&](Region &region) {
    if (region.empty())
      return false;
    auto ops = region.front().without_terminator();
    return std::distance(ops.begin(), ops.end()) >= threshold ||
           llvm::any_of(ops, [](Operation &op) {
             return isa<LoadPtrTkoOp, LoadViewTkoOp, StorePtrTkoOp,
                        StoreViewTkoOp, MmaFOp, MmaIOp, ReduceOp, IfOp, ForOp>(
                 op);
           });
  });
}

/// What the attribute of the `if`, the loop or the function says, else the
/// option.
static int64_t getThreshold(IfOp branches, ForOp loop, int64_t option) {
  auto function = loop->getParentOfType<FunctionOpInterface>();
  for (Operation *op :
       {branches.getOperation(), loop.getOperation(), function.getOperation()})
    if (auto own = op ? op->getAttrOfType<IntegerAttr>(kLoopSplit) : nullptr)
      return own.getInt();
  for (Operation *op = loop; op; op = op->getParentOp())
    if (auto own = op->getAttrOfType<IntegerAttr>(kLoopSplitThreshold))
      return own.getInt();
  return option;
}

/// The first `if` inside the loop, at any depth, at which to split it.
static std::optional<Split> findSplit(ForOp loop, int64_t option) {
  std::optional<Split> found;
  loop.getRegion().walk<WalkOrder::PreOrder>([&](IfOp branches) {
    std::optional<Split> split = matchCondition(loop, branches);
    if (!split || !isWorthwhile(branches, getThreshold(branches, loop, option)))
      return WalkResult::advance();
    // All `if`s of the body on this comparison become one branch.
    for (auto other : loop.getRegion().getOps<IfOp>())
      if (other.getCondition() == branches.getCondition() &&
          !staysInLoop(other))
        return WalkResult::advance();
    found = split;
    return WalkResult::interrupt();
  });
  return found;
}

//===----------------------------------------------------------------------===//
// Split point
//===----------------------------------------------------------------------===//

namespace {

/// Builds arithmetic on the loop's bounds that does not overflow.
struct Arithmetic {
  OpBuilder &builder;
  Location loc;
  TileType type;
  Signedness signedness;

  Value constant(int64_t value) {
    unsigned width = type.getElementTypeBitWidth();
    auto elements = DenseElementsAttr::get(
        type.withLayout({}), APInt(width, value, /*isSigned=*/true));
    return ConstantOp::create(builder, loc, type,
                              cast<DenseIntOrFPElementsAttr>(elements));
  }
  Value add(Value x, Value y) {
    return AddIOp::create(builder, loc, type, x, y);
  }
  Value subtract(Value x, Value y) {
    return SubIOp::create(builder, loc, type, x, y);
  }
  Value smaller(Value x, Value y) {
    return MinIOp::create(builder, loc, type, x, y, signedness);
  }
  Value larger(Value x, Value y) {
    return MaxIOp::create(builder, loc, type, x, y, signedness);
  }
  Value multiply(Value x, Value y) {
    return MulIOp::create(builder, loc, type, x, y);
  }
  Value divideUp(Value x, Value y) {
    return DivIOp::create(builder, loc, type, x, y, signedness,
                          RoundingMode::POSITIVE_INF);
  }
  Value remainder(Value x, Value y) {
    return RemIOp::create(builder, loc, type, x, y, Signedness::Unsigned);
  }
  Value compare(ComparisonPredicate predicate, Value x, Value y,
                Signedness how) {
    auto truth = TileType::get({}, builder.getI1Type());
    return CmpIOp::create(builder, loc, truth, predicate, x, y, how);
  }
  Value select(Value cond, Value x, Value y) {
    return SelectOp::create(builder, loc, type, cond, x, y);
  }
};

} // namespace

/// The number of `value` as one of the loop's type, if it is constant.
static std::optional<llvm::APInt> wide(Value value, bool isSigned) {
  std::optional<llvm::APInt> known = getIntSplat(value);
  if (!known)
    return std::nullopt;
  unsigned width = 2 * known->getBitWidth() + 2; // of a product and a sum
  return isSigned ? known->sext(width) : known->zext(width);
}

/// Whether the plain chain of sums, with what is constant in it, stays among
/// the numbers of the loop's type.
static bool fitsPlain(ForOp loop, const Split &split) {
  bool isSigned = !loop.getUnsignedCmp();
  std::optional<llvm::APInt> bound = wide(split.bound, isSigned);
  std::optional<llvm::APInt> lower = wide(loop.getLowerBound(), isSigned);
  std::optional<llvm::APInt> step = wide(loop.getStep(), isSigned);
  if (!bound || !step)
    return false;
  llvm::APInt pivot = *bound + (split.boundIsLow ? 1 : 0);
  unsigned width =
      cast<TileType>(split.bound.getType()).getElementTypeBitWidth();
  auto fits = [&](const llvm::APInt &value) {
    return isSigned ? value.isSignedIntN(width)
                    : !value.isNegative() && value.isIntN(width);
  };
  if (!fits(pivot))
    return false;
  if (step->isOne())
    return true;
  if (!lower || !fits(pivot - *lower) || !step->isStrictlyPositive())
    return false;
  llvm::APInt count = llvm::APIntOps::RoundingSDiv(pivot - *lower, *step,
                                                   llvm::APInt::Rounding::UP);
  return fits(count * *step) && fits(count * *step + *lower);
}

namespace {
/// Where the first loop ends and where the second one begins.
struct Ends {
  Value low, high;
};
} // namespace

/// The ends between which the index of the first half, and of the second half,
/// runs, for a step of 1 or where no sum leaves the type.
static Ends findEnds(ForOp loop, const Split &split, Arithmetic make,
                     bool isPlain) {
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
  Value pivot = split.bound;
  if (split.boundIsLow) {
    // Beyond the last index a bound is as good as that, and can be increased.
    if (!isPlain)
      pivot = make.smaller(pivot, make.subtract(upper, make.constant(1)));
    pivot = make.add(pivot, make.constant(1));
  }
  std::optional<llvm::APInt> step = getIntSplat(loop.getStep());
  if (!step || !step->isOne()) {
    Value distance = make.subtract(pivot, lower);
    Value count = make.divideUp(distance, loop.getStep());
    pivot = make.add(lower, make.multiply(count, loop.getStep()));
  }
  Value low = make.smaller(pivot, upper);
  return {low, make.larger(pivot, lower)};
}

/// The first index on the high side, or the upper bound, for a step that is not
/// known to be 1: no sum leaves the type.
static Value findPivot(ForOp loop, const Split &split, Arithmetic make) {
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
  Value step = loop.getStep(), pivot = split.bound;
  if (split.boundIsLow) {
    Value isInside = make.compare(ComparisonPredicate::LESS_THAN, pivot, upper,
                                  make.signedness);
    pivot = make.select(isInside, make.add(pivot, make.constant(1)), upper);
  }
  pivot = make.larger(make.smaller(pivot, upper), lower);
  // Round up to the next iteration: the distance from the lower bound is a
  // multiple of the step. Distances are unsigned.
  Value past = make.remainder(make.subtract(pivot, lower), step);
  Value missing = make.subtract(step, past);
  Value left = make.subtract(upper, pivot);
  Value next = make.select(make.compare(ComparisonPredicate::LESS_THAN, left,
                                        missing, Signedness::Unsigned),
                           upper, make.add(pivot, missing));
  Value isIndex = make.compare(ComparisonPredicate::EQUAL, past,
                               make.constant(0), Signedness::Unsigned);
  return make.select(isIndex, pivot, next);
}

static Ends chooseEnds(ForOp loop, const Split &split, Arithmetic make) {
  bool isPlain = fitsPlain(loop, split);
  std::optional<llvm::APInt> step = getIntSplat(loop.getStep());
  if (isPlain || (step && step->isOne()))
    return findEnds(loop, split, make, isPlain);
  Value pivot = findPivot(loop, split, make);
  return {pivot, pivot};
}

//===----------------------------------------------------------------------===//
// Splitting
//===----------------------------------------------------------------------===//

/// Replaces an `if` in a loop's body by one of its branches. A branch that
/// continues the loop ends the body.
static void takeBranch(IfOp branches, Region &branch, RewriterBase &rewriter) {
  if (branch.empty() || isa<YieldOp>(branch.front().getTerminator())) {
    inlineBranch(branches, branch, rewriter);
    return;
  }
  Block *body = branches->getBlock();
  while (&body->back() != branches)
    rewriter.eraseOp(&body->back());
  rewriter.mergeBlocks(&branch.front(), body);
  rewriter.eraseOp(branches);
}

/// The half's own comparison gives way to what it is there.
static void settle(ForOp half, CmpIOp condition, bool holds,
                   RewriterBase &rewriter) {
  SmallVector<IfOp> direct;
  for (auto branches : half.getRegion().getOps<IfOp>())
    if (branches.getCondition() == condition)
      direct.push_back(branches);
  for (IfOp branches : direct) {
    Region &branch =
        holds ? branches.getThenRegion() : branches.getElseRegion();
    bool endsBody =
        !branch.empty() && isa<ContinueOp>(branch.front().getTerminator());
    takeBranch(branches, branch, rewriter);
    if (endsBody)
      break;
  }
  if (condition.use_empty()) {
    rewriter.eraseOp(condition);
    return;
  }
  rewriter.setInsertionPoint(condition);
  TileType type = condition.getResult().getType();
  auto elements = DenseElementsAttr::get(type.withLayout({}), holds);
  rewriter.replaceOpWithNewOp<ConstantOp>(
      condition, type, cast<DenseIntOrFPElementsAttr>(elements));
}

/// A copy of `loop` from `lower` to `upper` that begins with `initValues`, on
/// one side of the split.
static ForOp cloneHalf(ForOp loop, Value lower, Value upper,
                       ValueRange initValues, const Split &split, bool isLow,
                       RewriterBase &rewriter) {
  OpBuilder::InsertionGuard guard(rewriter);
  IRMapping mapping;
  auto half = cast<ForOp>(rewriter.clone(*loop, mapping));
  CmpIOp original = split.condition;
  auto condition = cast<CmpIOp>(mapping.lookup(original.getOperation()));
  half.getLowerBoundMutable().assign(lower);
  half.getUpperBoundMutable().assign(upper);
  half.getInitValuesMutable().assign(initValues);
  settle(half, condition, split.thenIsLow == isLow, rewriter);
  return half;
}

static void splitLoop(ForOp loop, const Split &split, RewriterBase &rewriter) {
  rewriter.setInsertionPoint(loop);
  Signedness signedness =
      loop.getUnsignedCmp() ? Signedness::Unsigned : Signedness::Signed;
  Arithmetic make{rewriter, loop.getLoc(),
                  cast<TileType>(loop.getLowerBound().getType()), signedness};
  Ends ends = chooseEnds(loop, split, make);
  ForOp low = cloneHalf(loop, loop.getLowerBound(), ends.low,
                        loop.getInitValues(), split, /*isLow=*/true, rewriter);
  ForOp high = cloneHalf(loop, ends.high, loop.getUpperBound(),
                         low.getResults(), split, /*isLow=*/false, rewriter);
  rewriter.replaceOp(loop, high.getResults());
}

namespace {
struct LoopSplit : cuda_tile::impl::LoopSplitBase<LoopSplit> {
  using LoopSplitBase::LoopSplitBase;

  void runOnOperation() override {
    // Inner loops first; a half is not split again.
    SmallVector<ForOp> loops;
    getOperation()->walk([&](ForOp loop) { loops.push_back(loop); });
    IRRewriter rewriter(&getContext());
    for (ForOp loop : loops)
      if (std::optional<Split> split = findSplit(loop, splitThreshold))
        splitLoop(loop, *split, rewriter);
  }
};
} // namespace
