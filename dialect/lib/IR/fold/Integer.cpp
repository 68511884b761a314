//===- Integer.cpp - Folding of integer arithmetic ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/fold/Fold.h"

#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cuda_tile;

using Integers = ArrayRef<APInt>;
using MaybeInt = std::optional<APInt>;

static bool isSigned(Signedness signedness) {
  return signedness == Signedness::Signed;
}

/// `result`, unless it violates nsw or nuw.
static MaybeInt unlessBroken(IntegerOverflow promise, bool signedWrap,
                             bool unsignedWrap, const APInt &result) {
  bool noSigned = promise == IntegerOverflow::NO_SIGNED_WRAP ||
                  promise == IntegerOverflow::NO_WRAP;
  bool noUnsigned = promise == IntegerOverflow::NO_UNSIGNED_WRAP ||
                    promise == IntegerOverflow::NO_WRAP;
  if ((noSigned && signedWrap) || (noUnsigned && unsignedWrap))
    return std::nullopt;
  return result;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static MaybeInt divide(DivIOp op, const APInt &x, const APInt &y) {
  bool isSignedDivision = isSigned(op.getSignedness());
  if (y.isZero() || (isSignedDivision && x.isMinSignedValue() && y.isAllOnes()))
    return std::nullopt;
  auto rounding = APInt::Rounding::TOWARD_ZERO;
  if (op.getRounding() == RoundingMode::NEGATIVE_INF)
    rounding = APInt::Rounding::DOWN;
  if (op.getRounding() == RoundingMode::POSITIVE_INF)
    rounding = APInt::Rounding::UP;
  return isSignedDivision ? llvm::APIntOps::RoundingSDiv(x, y, rounding)
                          : llvm::APIntOps::RoundingUDiv(x, y, rounding);
}

static MaybeInt remainder(RemIOp op, const APInt &x, const APInt &y) {
  if (y.isZero())
    return std::nullopt;
  if (!isSigned(op.getSignedness()))
    return x.urem(y);
  if (x.isMinSignedValue() && y.isAllOnes())
    return std::nullopt;
  return x.srem(y);
}

static MaybeInt shift(ShLIOp op, const APInt &x, const APInt &y) {
  if (y.uge(x.getBitWidth()))
    return std::nullopt;
  bool signedWrap = false, unsignedWrap = false;
  (void)x.sshl_ov(y, signedWrap);
  (void)x.ushl_ov(y, unsignedWrap);
  return unlessBroken(op.getOverflow(), signedWrap, unsignedWrap, x.shl(y));
}

static MaybeInt shift(ShRIOp op, const APInt &x, const APInt &y) {
  if (y.uge(x.getBitWidth()))
    return std::nullopt;
  return isSigned(op.getSignedness()) ? x.ashr(y) : x.lshr(y);
}

static bool compare(ComparisonPredicate predicate, bool isLess, bool isEqual) {
  switch (predicate) {
  case ComparisonPredicate::EQUAL:
    return isEqual;
  case ComparisonPredicate::NOT_EQUAL:
    return !isEqual;
  case ComparisonPredicate::LESS_THAN:
    return isLess;
  case ComparisonPredicate::LESS_THAN_OR_EQUAL:
    return isLess || isEqual;
  case ComparisonPredicate::GREATER_THAN:
    return !isLess && !isEqual;
  case ComparisonPredicate::GREATER_THAN_OR_EQUAL:
    return !isLess;
  }
  llvm_unreachable("all enumerators are above");
}

static bool compare(CmpIOp op, const APInt &x, const APInt &y) {
  bool isLess = isSigned(op.getSignedness()) ? x.slt(y) : x.ult(y);
  return compare(op.getComparisonPredicate(), isLess, x == y);
}

static MaybeInt pick(Signedness signedness, const APInt &x, const APInt &y,
                     bool larger) {
  bool isLess = isSigned(signedness) ? x.slt(y) : x.ult(y);
  return isLess == larger ? y : x;
}

static MaybeInt add(AddIOp op, const APInt &x, const APInt &y) {
  bool signedWrap, unsignedWrap;
  (void)x.sadd_ov(y, signedWrap);
  (void)x.uadd_ov(y, unsignedWrap);
  return unlessBroken(op.getOverflow(), signedWrap, unsignedWrap, x + y);
}

static MaybeInt subtract(SubIOp op, const APInt &x, const APInt &y) {
  bool signedWrap, unsignedWrap;
  (void)x.ssub_ov(y, signedWrap);
  (void)x.usub_ov(y, unsignedWrap);
  return unlessBroken(op.getOverflow(), signedWrap, unsignedWrap, x - y);
}

static MaybeInt multiply(MulIOp op, const APInt &x, const APInt &y) {
  bool signedWrap, unsignedWrap;
  (void)x.smul_ov(y, signedWrap);
  (void)x.umul_ov(y, unsignedWrap);
  return unlessBroken(op.getOverflow(), signedWrap, unsignedWrap, x * y);
}

static MaybeInt negate(NegIOp op, const APInt &x) {
  return unlessBroken(op.getOverflow(), x.isMinSignedValue(),
                      /*unsignedWrap=*/false, -x);
}

/// The value of `op` for one element of each operand.
static MaybeInt evaluate(Operation *op, Integers in) {
  using Switch = llvm::TypeSwitch<Operation *, MaybeInt>;
  return Switch(op)
      .Case([&](AbsIOp) { return in[0].abs(); })
      .Case([&](NegIOp negi) { return negate(negi, in[0]); })
      .Case([&](AddIOp addi) { return add(addi, in[0], in[1]); })
      .Case([&](SubIOp subi) { return subtract(subi, in[0], in[1]); })
      .Case([&](MulIOp muli) { return multiply(muli, in[0], in[1]); })
      .Case([&](MulhiIOp) { return llvm::APIntOps::mulhu(in[0], in[1]); })
      .Case([&](DivIOp divi) { return divide(divi, in[0], in[1]); })
      .Case([&](RemIOp remi) { return remainder(remi, in[0], in[1]); })
      .Case<ShLIOp, ShRIOp>(
          [&](auto shifting) { return shift(shifting, in[0], in[1]); })
      .Case([&](MaxIOp maxi) {
        return pick(maxi.getSignedness(), in[0], in[1], /*larger=*/true);
      })
      .Case([&](MinIOp mini) {
        return pick(mini.getSignedness(), in[0], in[1], /*larger=*/false);
      })
      .Case([&](AndIOp) { return in[0] & in[1]; })
      .Case([&](OrIOp) { return in[0] | in[1]; })
      .Case([&](XOrIOp) { return in[0] ^ in[1]; })
      .Case([&](CmpIOp cmpi) { return APInt(1, compare(cmpi, in[0], in[1])); })
      .Default([](Operation *) { return std::nullopt; });
}

//===----------------------------------------------------------------------===//
// One constant operand, or equal operands
//===----------------------------------------------------------------------===//

/// `op x, x`.
static OpFoldResult foldSame(Operation *op, TileType type) {
  Value x = op->getOperand(0);
  auto number = [&](uint64_t value) {
    return splat(type, APInt(type.getElementTypeBitWidth(), value));
  };
  using Switch = llvm::TypeSwitch<Operation *, OpFoldResult>;
  return Switch(op)
      .Case<AndIOp, OrIOp, MaxIOp, MinIOp>(
          [&](auto) -> OpFoldResult { return x; })
      .Case<SubIOp, XOrIOp>([&](auto) -> OpFoldResult { return number(0); })
      .Case([&](CmpIOp cmpi) -> OpFoldResult {
        return number(compare(cmpi.getComparisonPredicate(), /*isLess=*/false,
                              /*isEqual=*/true));
      })
      .Default([](Operation *) { return OpFoldResult(); });
}

/// `op x, c` where `c` is neutral or absorbing.
static OpFoldResult foldRight(Operation *op, Attribute right) {
  std::optional<APInt> c = getIntSplat(right);
  if (!c)
    return {};
  Value x = op->getOperand(0);
  using Switch = llvm::TypeSwitch<Operation *, OpFoldResult>;
  auto keepIf = [&](bool changesNothing) {
    return changesNothing ? OpFoldResult(x) : OpFoldResult();
  };
  auto absorbOr = [&](bool changesAll, bool changesNothing) {
    return changesAll ? OpFoldResult(right) : keepIf(changesNothing);
  };
  return Switch(op)
      .Case<AddIOp, SubIOp, XOrIOp, ShLIOp, ShRIOp>(
          [&](auto) { return keepIf(c->isZero()); })
      .Case<MulIOp>([&](auto) { return absorbOr(c->isZero(), c->isOne()); })
      .Case<AndIOp>([&](auto) { return absorbOr(c->isZero(), c->isAllOnes()); })
      .Case<OrIOp>([&](auto) { return absorbOr(c->isAllOnes(), c->isZero()); })
      // As a signed i1, 1 is -1.
      .Case<DivIOp>(
          [&](auto) { return keepIf(c->isOne() && c->getBitWidth() > 1); })
      .Default([](Operation *) { return OpFoldResult(); });
}

/// `op c, x`.
static OpFoldResult foldLeft(Operation *op, Attribute left) {
  std::optional<APInt> c = getIntSplat(left);
  if (!c)
    return {};
  OpFoldResult x = op->getOperand(1), same = left;
  bool isAllOnes = c->isAllOnes();
  if (isa<AddIOp, OrIOp, XOrIOp>(op) && c->isZero())
    return x;
  if ((isa<MulIOp>(op) && c->isOne()) || (isa<AndIOp>(op) && isAllOnes))
    return x;
  if (isa<MulIOp, AndIOp>(op) && c->isZero())
    return same;
  if (isa<OrIOp>(op) && isAllOnes)
    return same;
  return {};
}

OpFoldResult cuda_tile::foldInteger(Operation *op,
                                    ArrayRef<Attribute> operands) {
  if (!isa<AbsIOp, NegIOp, AddIOp, SubIOp, MulIOp, MulhiIOp, DivIOp, RemIOp,
           ShLIOp, ShRIOp, MaxIOp, MinIOp, AndIOp, OrIOp, XOrIOp, CmpIOp>(op))
    return {};
  auto type = cast<TileType>(op->getResult(0).getType());
  if (Elements result = mapElements<APInt, APInt>(
          type, operands, [&](Integers in) { return evaluate(op, in); }))
    return result;
  if (operands.size() != 2)
    return {};
  if (op->getOperand(0) == op->getOperand(1))
    if (OpFoldResult result = foldSame(op, type))
      return result;
  if (OpFoldResult result = foldRight(op, operands[1]))
    return result;
  return foldLeft(op, operands[0]);
}
