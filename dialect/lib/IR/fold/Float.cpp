//===- Float.cpp - Folding of floating-point arithmetic -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/fold/Fold.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cuda_tile;

using Floats = ArrayRef<APFloat>;
using MaybeFloat = std::optional<APFloat>;

/// None for modes whose results are not exactly specified.
static std::optional<llvm::RoundingMode> getIEEE(RoundingMode mode) {
  switch (mode) {
  case RoundingMode::NEAREST_EVEN:
    return llvm::RoundingMode::NearestTiesToEven;
  case RoundingMode::ZERO:
    return llvm::RoundingMode::TowardZero;
  case RoundingMode::NEGATIVE_INF:
    return llvm::RoundingMode::TowardNegative;
  case RoundingMode::POSITIVE_INF:
    return llvm::RoundingMode::TowardPositive;
  default:
    return std::nullopt;
  }
}

/// True for values that flushing could change: subnormals and, since hardware
/// may test before or after rounding, the smallest normal.
static bool isTiny(const APFloat &x) {
  return x.isDenormal() || (x.isNormal() && x.isSmallestNormalized());
}

/// `result`, unless it is a NaN, whose bits are unspecified.
static MaybeFloat determined(bool flushToZero, Floats in,
                             const APFloat &result) {
  if (result.isNaN())
    return std::nullopt;
  if (flushToZero && (llvm::any_of(in, isTiny) || isTiny(result)))
    return std::nullopt;
  return result;
}

template <typename Op>
static MaybeFloat
round(Op op, Floats in,
      function_ref<void(APFloat &, llvm::RoundingMode)> apply) {
  std::optional<llvm::RoundingMode> mode = getIEEE(op.getRoundingMode());
  if (!mode)
    return std::nullopt;
  APFloat result = in[0];
  apply(result, *mode);
  return determined(op.getFlushToZero(), in, result);
}

/// maximumNumber and minimumNumber, or with `propagate_nan` maximum and
/// minimum; -0 is less than +0.
template <typename Op> static MaybeFloat pick(Op op, Floats in) {
  bool propagate = op.getPropagateNan();
  APFloat result =
      isa<MaxFOp>(op.getOperation())
          ? (propagate ? maximum(in[0], in[1]) : maximumnum(in[0], in[1]))
          : (propagate ? minimum(in[0], in[1]) : minimumnum(in[0], in[1]));
  return determined(op.getFlushToZero(), in, result);
}

static APFloat toIntegral(APFloat x, llvm::RoundingMode mode) {
  (void)x.roundToIntegral(mode);
  return x;
}

static MaybeFloat evaluate(Operation *op, Floats in) {
  using Switch = llvm::TypeSwitch<Operation *, MaybeFloat>;
  return Switch(op)
      .Case([&](AbsFOp) { return determined(false, in, abs(in[0])); })
      .Case([&](NegFOp) { return determined(false, in, neg(in[0])); })
      .Case([&](CeilOp) {
        return determined(
            false, in, toIntegral(in[0], llvm::RoundingMode::TowardPositive));
      })
      .Case([&](FloorOp) {
        return determined(
            false, in, toIntegral(in[0], llvm::RoundingMode::TowardNegative));
      })
      .Case([&](AddFOp addf) {
        return round(addf, in,
                     [&](APFloat &x, auto mode) { (void)x.add(in[1], mode); });
      })
      .Case([&](SubFOp subf) {
        return round(subf, in, [&](APFloat &x, auto mode) {
          (void)x.subtract(in[1], mode);
        });
      })
      .Case([&](MulFOp mulf) {
        return round(mulf, in, [&](APFloat &x, auto mode) {
          (void)x.multiply(in[1], mode);
        });
      })
      .Case([&](DivFOp divf) {
        return round(divf, in, [&](APFloat &x, auto mode) {
          (void)x.divide(in[1], mode);
        });
      })
      .Case([&](FmaOp fma) {
        return round(fma, in, [&](APFloat &x, auto mode) {
          (void)x.fusedMultiplyAdd(in[1], in[2], mode);
        });
      })
      .Case([&](RemFOp) {
        APFloat rest = in[0];
        (void)rest.mod(in[1]);
        return determined(false, in, rest);
      })
      .Case<MaxFOp, MinFOp>([&](auto extremum) { return pick(extremum, in); })
      .Default([](Operation *) { return std::nullopt; });
}

static bool holds(CmpFOp op, const APFloat &x, const APFloat &y) {
  APFloat::cmpResult result = x.compare(y);
  if (result == APFloat::cmpUnordered)
    return op.getComparisonOrdering() == ComparisonOrdering::UNORDERED;
  switch (op.getComparisonPredicate()) {
  case ComparisonPredicate::EQUAL:
    return result == APFloat::cmpEqual;
  case ComparisonPredicate::NOT_EQUAL:
    return result != APFloat::cmpEqual;
  case ComparisonPredicate::LESS_THAN:
    return result == APFloat::cmpLessThan;
  case ComparisonPredicate::LESS_THAN_OR_EQUAL:
    return result != APFloat::cmpGreaterThan;
  case ComparisonPredicate::GREATER_THAN:
    return result == APFloat::cmpGreaterThan;
  case ComparisonPredicate::GREATER_THAN_OR_EQUAL:
    return result != APFloat::cmpLessThan;
  }
  llvm_unreachable("all enumerators are above");
}

/// Identities `op x, c` = x: adding -0, multiplying or dividing by 1.
static OpFoldResult foldNeutral(Operation *op, Attribute right) {
  auto elements = dyn_cast_or_null<DenseFPElementsAttr>(right);
  if (!elements || !elements.isSplat())
    return {};
  auto c = elements.getSplatValue<APFloat>();
  auto isPlain = [](auto rounded) {
    return !rounded.getFlushToZero() && getIEEE(rounded.getRoundingMode());
  };
  // Toward negative infinity, a sum of 0 and -0 is -0.
  auto keepsZero = [&](auto sum) {
    return isPlain(sum) && sum.getRoundingMode() != RoundingMode::NEGATIVE_INF;
  };
  bool isNeutral =
      llvm::TypeSwitch<Operation *, bool>(op)
          .Case([&](AddFOp addf) { return keepsZero(addf) && c.isNegZero(); })
          .Case([&](SubFOp subf) { return keepsZero(subf) && c.isPosZero(); })
          .Case<MulFOp, DivFOp>([&](auto product) {
            return isPlain(product) && c.isExactlyValue(1.0);
          })
          .Default([](Operation *) { return false; });
  return isNeutral ? OpFoldResult(op->getOperand(0)) : OpFoldResult();
}

OpFoldResult cuda_tile::foldFloat(Operation *op, ArrayRef<Attribute> operands) {
  auto type = dyn_cast<TileType>(op->getResult(0).getType());
  if (auto cmpf = dyn_cast<CmpFOp>(op))
    return mapElements<APFloat, APInt>(type, operands, [&](Floats in) {
      return std::optional(APInt(1, holds(cmpf, in[0], in[1])));
    });
  if (!isa<AbsFOp, NegFOp, CeilOp, FloorOp, AddFOp, SubFOp, MulFOp, DivFOp,
           FmaOp, RemFOp, MaxFOp, MinFOp>(op))
    return {};
  if (Elements result = mapElements<APFloat, APFloat>(
          type, operands, [&](Floats in) { return evaluate(op, in); }))
    return result;
  // negf (negf x) is x; absf (absf x) is absf x.
  if (auto negf = dyn_cast<NegFOp>(op))
    if (auto inner = negf.getSource().getDefiningOp<NegFOp>())
      return inner.getSource();
  if (isa<AbsFOp>(op) && op->getOperand(0).getDefiningOp<AbsFOp>())
    return op->getOperand(0);
  return operands.size() == 2 ? foldNeutral(op, operands[1]) : OpFoldResult();
}
