//===- LoopSplit.cpp - One loop per branch --------------------------------===//

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

/// An `if` whose condition holds on one side of a bound.
struct Split {
  IfOp branches;
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
    return Split{branches, bound, false, true};
  case ComparisonPredicate::LESS_THAN_OR_EQUAL:
    return Split{branches, bound, true, true};
  case ComparisonPredicate::GREATER_THAN:
    return Split{branches, bound, true, false};
  case ComparisonPredicate::GREATER_THAN_OR_EQUAL:
    return Split{branches, bound, false, false};
  default:
    return std::nullopt;
  }
}

/// Number of ops in the branches, without terminators; none if a branch does
/// not continue after the `if`.
static std::optional<int64_t> countOps(IfOp branches) {
  int64_t count = 0;
  for (Region *region :
       {&branches.getThenRegion(), &branches.getElseRegion()}) {
    if (region->empty())
      continue;
    if (!isa<YieldOp>(region->front().getTerminator()))
      return std::nullopt;
    region->walk([&](Operation *) { ++count; });
    --count;
  }
  return count;
}

static std::optional<Split> findSplit(ForOp loop, int64_t threshold) {
  if (threshold <= 0)
    return std::nullopt;
  for (auto branches : loop.getRegion().getOps<IfOp>()) {
    std::optional<int64_t> count = countOps(branches);
    std::optional<Split> split = matchCondition(loop, branches);
    if (split && count && *count >= threshold)
      return split;
  }
  return std::nullopt;
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

/// The first value of the induction variable on the high side, or the upper
/// bound.
static Value findPivot(ForOp loop, const Split &split, Arithmetic make) {
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
  Value step = loop.getStep(), pivot = split.bound;
  if (split.boundIsLow) {
    Value isInside = make.compare(ComparisonPredicate::LESS_THAN, pivot, upper,
                                  make.signedness);
    pivot = make.select(isInside, make.add(pivot, make.constant(1)), upper);
  }
  pivot = make.larger(make.smaller(pivot, upper), lower);
  std::optional<llvm::APInt> known = getIntSplat(step);
  if (known && known->isOne())
    return pivot;
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

//===----------------------------------------------------------------------===//
// Splitting
//===----------------------------------------------------------------------===//

/// A copy of `loop` from `lower` to `upper` that begins with `initValues`, with
/// one branch of the split's `if`.
static ForOp cloneHalf(ForOp loop, Value lower, Value upper,
                       ValueRange initValues, const Split &split, bool isLow,
                       RewriterBase &rewriter) {
  IRMapping mapping;
  auto half = cast<ForOp>(rewriter.clone(*loop, mapping));
  IfOp original = split.branches;
  auto branches = cast<IfOp>(mapping.lookup(original.getOperation()));
  half.getLowerBoundMutable().assign(lower);
  half.getUpperBoundMutable().assign(upper);
  half.getInitValuesMutable().assign(initValues);
  bool takesThen = split.thenIsLow == isLow;
  inlineBranch(branches,
               takesThen ? branches.getThenRegion() : branches.getElseRegion(),
               rewriter);
  return half;
}

static void splitLoop(ForOp loop, const Split &split, RewriterBase &rewriter) {
  rewriter.setInsertionPoint(loop);
  Signedness signedness =
      loop.getUnsignedCmp() ? Signedness::Unsigned : Signedness::Signed;
  Arithmetic make{rewriter, loop.getLoc(),
                  cast<TileType>(loop.getLowerBound().getType()), signedness};
  Value pivot = findPivot(loop, split, make);
  ForOp low = cloneHalf(loop, loop.getLowerBound(), pivot, loop.getInitValues(),
                        split, /*isLow=*/true, rewriter);
  ForOp high = cloneHalf(loop, pivot, loop.getUpperBound(), low.getResults(),
                         split, /*isLow=*/false, rewriter);
  rewriter.replaceOp(loop, high.getResults());
}

namespace {
struct LoopSplit : cuda_tile::impl::LoopSplitBase<LoopSplit> {
  using LoopSplitBase::LoopSplitBase;

  int64_t getThreshold(Operation *op) {
    for (; op; op = op->getParentOp())
      if (auto own = op->getAttrOfType<IntegerAttr>(kLoopSplitThreshold))
        return own.getInt();
    return splitThreshold;
  }

  void runOnOperation() override {
    // Inner loops first; a half is not split again.
    SmallVector<ForOp> loops;
    getOperation()->walk([&](ForOp loop) { loops.push_back(loop); });
    IRRewriter rewriter(&getContext());
    for (ForOp loop : loops)
      if (std::optional<Split> split = findSplit(loop, getThreshold(loop)))
        splitLoop(loop, *split, rewriter);
  }
};
} // namespace
