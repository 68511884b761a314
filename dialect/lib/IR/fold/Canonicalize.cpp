//===- Canonicalize.cpp - Canonicalization patterns -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/fold/Fold.h"

using namespace mlir;
using namespace cuda_tile;

static bool isSplat(Value value, bool (*is)(const APInt &)) {
  std::optional<APInt> c = getIntSplat(value);
  return c && is(*c);
}
static bool isZero(const APInt &c) { return c.isZero(); }
static bool isOne(const APInt &c) { return c.isOne(); }
static bool isAllOnes(const APInt &c) { return c.isAllOnes(); }

Value cuda_tile::getInverted(Value value) {
  auto xori = value.getDefiningOp<XOrIOp>();
  bool isNot = xori && xori.getType().getElementType().isInteger(1) &&
               isSplat(xori.getRhs(), isAllOnes);
  return isNot ? xori.getLhs() : Value();
}

//===----------------------------------------------------------------------===//
// select
//===----------------------------------------------------------------------===//

/// `select (not c), x, y` to `select c, y, x`.
static LogicalResult swapArms(SelectOp op, PatternRewriter &rewriter) {
  Value cond = getInverted(op.getCond());
  if (!cond || cond.getType() != op.getCond().getType())
    return failure();
  rewriter.replaceOpWithNewOp<SelectOp>(op, op.getType(), cond,
                                        op.getValIfFalse(), op.getValIfTrue());
  return success();
}

/// `select c, (select c, x, _), y` to `select c, x, y`, and the other arm.
static LogicalResult skipNested(SelectOp op, PatternRewriter &rewriter) {
  auto getArm = [&](Value arm, bool ifTrue) -> Value {
    auto inner = arm.getDefiningOp<SelectOp>();
    if (!inner || inner.getCond() != op.getCond())
      return arm;
    return ifTrue ? inner.getValIfTrue() : inner.getValIfFalse();
  };
  Value x = getArm(op.getValIfTrue(), true);
  Value y = getArm(op.getValIfFalse(), false);
  if (x == op.getValIfTrue() && y == op.getValIfFalse())
    return failure();
  rewriter.replaceOpWithNewOp<SelectOp>(op, op.getType(), op.getCond(), x, y);
  return success();
}

/// A `select` of Booleans that is `not`, `and` or `or` of the condition.
static LogicalResult selectBool(SelectOp op, PatternRewriter &rewriter) {
  Value cond = op.getCond(), x = op.getValIfTrue(), y = op.getValIfFalse();
  if (cond.getType() != op.getType())
    return failure();
  if (isSplat(x, isZero) && isSplat(y, isOne))
    rewriter.replaceOpWithNewOp<XOrIOp>(op, op.getType(), cond, y);
  else if (isSplat(y, isZero))
    rewriter.replaceOpWithNewOp<AndIOp>(op, op.getType(), cond, x);
  else if (isSplat(x, isOne))
    rewriter.replaceOpWithNewOp<OrIOp>(op, op.getType(), cond, y);
  else
    return failure();
  return success();
}

/// `select c, 1, 0` is an extension of c, unsigned or (with -1) signed;
/// `select c, 0, 1` is one of its opposite.
static LogicalResult selectExtension(SelectOp op, PatternRewriter &rewriter) {
  TileType type = op.getType(), truth = op.getCond().getType();
  Value x = op.getValIfTrue(), y = op.getValIfFalse(), cond = op.getCond();
  bool isInverse = isSplat(x, isZero) && isSplat(y, isOne);
  bool isOneOrZero =
      isSplat(y, isZero) && (isSplat(x, isOne) || isSplat(x, isAllOnes));
  Type element = type.getElementType();
  if (!element.isInteger() || element.isInteger(1) ||
      !(isInverse || isOneOrZero) || truth.getLayout() != type.getLayout())
    return failure();
  if (isInverse) {
    auto ones = DenseElementsAttr::get(truth.withLayout({}), true);
    Value always = ConstantOp::create(rewriter, op.getLoc(), truth,
                                      cast<DenseIntOrFPElementsAttr>(ones));
    cond = XOrIOp::create(rewriter, op.getLoc(), truth, cond, always);
  }
  Signedness signedness = isInverse || isSplat(x, isOne) ? Signedness::Unsigned
                                                         : Signedness::Signed;
  rewriter.replaceOpWithNewOp<ExtIOp>(op, type, cond, signedness);
  return success();
}

//===----------------------------------------------------------------------===//
// Arithmetic and shapes
//===----------------------------------------------------------------------===//

/// Moves a product to the left operand, where fuse-fma expects it.
static LogicalResult productFirst(AddFOp op, PatternRewriter &rewriter) {
  if (op.getLhs().getDefiningOp<MulFOp>() ||
      !op.getRhs().getDefiningOp<MulFOp>())
    return failure();
  rewriter.modifyOpInPlace(op, [&] {
    Value product = op.getRhs();
    op.getRhsMutable().assign(op.getLhs());
    op.getLhsMutable().assign(product);
  });
  return success();
}

/// A sum or product of widened numbers that is narrowed again, in the narrow
/// type: f32 has two bits more than twice those of f16 and bf16, so rounding
/// twice is rounding once. Only the products of bf16 are subnormal in f32.
template <typename Op>
static LogicalResult computeNarrow(FToFOp op, PatternRewriter &rewriter) {
  auto wide = op.getFrom().template getDefiningOp<Op>();
  Type narrow = op.getType().getElementType();
  bool isExact =
      narrow.isF16() || (narrow.isBF16() && !std::is_same_v<Op, MulFOp>);
  if (!wide || !isExact || !wide->hasOneUse() ||
      !wide.getType().getElementType().isF32() ||
      wide.getRoundingMode() != RoundingMode::NEAREST_EVEN ||
      op.getRoundingMode() != RoundingMode::NEAREST_EVEN ||
      wide.getFlushToZero())
    return failure();
  auto lhs = wide.getLhs().template getDefiningOp<FToFOp>();
  auto rhs = wide.getRhs().template getDefiningOp<FToFOp>();
  if (!lhs || !rhs || lhs.getFrom().getType() != op.getType() ||
      rhs.getFrom().getType() != op.getType())
    return failure();
  rewriter.replaceOpWithNewOp<Op>(op, op.getType(), lhs.getFrom(),
                                  rhs.getFrom(), RoundingMode::NEAREST_EVEN);
  return success();
}

/// Merges two ops of the same kind into one.
template <typename Op>
static LogicalResult skipInner(Op op, PatternRewriter &rewriter) {
  auto inner = op.getSource().template getDefiningOp<Op>();
  if (!inner)
    return failure();
  rewriter.replaceOpWithNewOp<Op>(op, op.getType(), inner.getSource());
  return success();
}

static LogicalResult mergePermutes(PermuteOp op, PatternRewriter &rewriter) {
  auto inner = op.getSource().getDefiningOp<PermuteOp>();
  if (!inner)
    return failure();
  auto merged = llvm::map_to_vector(op.getPermutation(), [&](int32_t dim) {
    return inner.getPermutation()[dim];
  });
  rewriter.replaceOpWithNewOp<PermuteOp>(op, op.getType(), inner.getSource(),
                                         merged);
  return success();
}

//===----------------------------------------------------------------------===//
// for
//===----------------------------------------------------------------------===//

/// Replaces a loop without iterations by its initial values.
static LogicalResult removeEmptyLoop(ForOp op, PatternRewriter &rewriter) {
  std::optional<APInt> lower = getIntSplat(op.getLowerBound());
  std::optional<APInt> upper = getIntSplat(op.getUpperBound());
  if (!lower || !upper)
    return failure();
  bool runs = op.getUnsignedCmp() ? lower->ult(*upper) : lower->slt(*upper);
  if (runs)
    return failure();
  rewriter.replaceOp(op, op.getInitValues());
  return success();
}

//===----------------------------------------------------------------------===//
// Poison
//===----------------------------------------------------------------------===//

namespace {
/// MLIR's remove-dead-values uses `ub.poison` for values that are not used. Any
/// value is correct; zero is supported by every stage.
struct FromPoison : RewritePattern {
  explicit FromPoison(MLIRContext *context)
      : RewritePattern("ub.poison", /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    Type type = op->getResult(0).getType();
    if (isa<TokenType>(type)) {
      rewriter.replaceOpWithNewOp<MakeTokenOp>(op, type);
      return success();
    }
    auto tile = dyn_cast<TileType>(type);
    if (!tile || tile.getLayout())
      return failure();
    bool isPointer = isa<PointerType>(tile.getElementType());
    TileType number =
        isPointer ? TileType::get(tile.getShape(), rewriter.getI64Type())
                  : tile;
    auto zero = DenseElementsAttr::get(
        number, rewriter.getZeroAttr(number.getElementType()));
    Value value = ConstantOp::create(rewriter, op->getLoc(), number,
                                     cast<DenseIntOrFPElementsAttr>(zero));
    if (isPointer)
      value = IntToPtrOp::create(rewriter, op->getLoc(), tile, value);
    rewriter.replaceOp(op, value);
    return success();
  }
};
} // namespace

void CudaTileDialect::getCanonicalizationPatterns(
    RewritePatternSet &patterns) const {
  patterns.add(swapArms)
      .add(skipNested)
      .add(selectBool)
      .add(selectExtension)
      .add(productFirst)
      .add(computeNarrow<AddFOp>)
      .add(computeNarrow<SubFOp>)
      .add(computeNarrow<MulFOp>)
      .add(skipInner<BroadcastOp>)
      .add(skipInner<ReshapeOp>)
      .add(mergePermutes)
      .add(removeEmptyLoop);
  addIfPatterns(patterns);
  patterns.add<FromPoison>(patterns.getContext());
}
