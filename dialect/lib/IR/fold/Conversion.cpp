//===- Conversion.cpp - Folding of conversions ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/fold/Fold.h"

#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cuda_tile;

using Integers = ArrayRef<APInt>;
using Floats = ArrayRef<APFloat>;

/// Of i4 there are tiles, but no constants.
static bool hasConstants(TileType type) {
  return !type.getElementType().isSignlessInteger(4);
}

static Elements foldExtI(ExtIOp op, TileType type, Attribute from) {
  if (!hasConstants(type))
    return {};
  unsigned width = type.getElementTypeBitWidth();
  bool isSigned = op.getSignedness() == Signedness::Signed;
  return mapElements<APInt, APInt>(type, from, [&](Integers in) {
    return std::optional(isSigned ? in[0].sext(width) : in[0].zext(width));
  });
}

static Elements foldTruncI(TruncIOp op, TileType type, Attribute from) {
  if (!hasConstants(type))
    return {};
  unsigned width = type.getElementTypeBitWidth();
  IntegerOverflow promise = op.getOverflow();
  bool noSigned = promise == IntegerOverflow::NO_SIGNED_WRAP ||
                  promise == IntegerOverflow::NO_WRAP;
  bool noUnsigned = promise == IntegerOverflow::NO_UNSIGNED_WRAP ||
                    promise == IntegerOverflow::NO_WRAP;
  return mapElements<APInt, APInt>(
      type, from, [&](Integers in) -> std::optional<APInt> {
        if ((noSigned && !in[0].isSignedIntN(width)) ||
            (noUnsigned && !in[0].isIntN(width)))
          return std::nullopt;
        return in[0].trunc(width);
      });
}

static Elements foldIToF(IToFOp op, TileType type, Attribute from) {
  auto element = cast<FloatType>(type.getElementType());
  bool isSigned = op.getSignedness() == Signedness::Signed;
  return mapElements<APInt, APFloat>(
      type, from, [&](Integers in) -> std::optional<APFloat> {
        APFloat result(element.getFloatSemantics());
        (void)result.convertFromAPInt(in[0], isSigned,
                                      APFloat::rmNearestTiesToEven);
        if (!result.isFinite())
          return std::nullopt;
        return result;
      });
}

/// Rounds toward zero; out of range is undefined unless the op saturates. To i1
/// every value but zero is true.
static Elements foldFToI(FToIOp op, TileType type, Attribute from) {
  unsigned width = type.getElementTypeBitWidth();
  bool isUnsigned = op.getSignedness() == Signedness::Unsigned;
  return mapElements<APFloat, APInt>(
      type, from, [&](Floats in) -> std::optional<APInt> {
        if (width == 1)
          return APInt(1, !in[0].isZero());
        llvm::APSInt result(width, isUnsigned);
        bool isExact;
        APFloat::opStatus status =
            in[0].convertToInteger(result, APFloat::rmTowardZero, &isExact);
        // LLVM saturates as the op does, with 0 for a NaN.
        if ((status & APFloat::opInvalidOp) && !op.getSaturating())
          return std::nullopt;
        return APInt(result);
      });
}

static std::optional<llvm::RoundingMode> getRounding(RoundingMode mode) {
  switch (mode) {
  case RoundingMode::NEAREST_EVEN:
    return llvm::RoundingMode::NearestTiesToEven;
  case RoundingMode::ZERO:
    return llvm::RoundingMode::TowardZero;
  case RoundingMode::POSITIVE_INF:
    return llvm::RoundingMode::TowardPositive;
  case RoundingMode::NEGATIVE_INF:
    return llvm::RoundingMode::TowardNegative;
  default:
    return std::nullopt;
  }
}

/// Only between types with infinities, or if exact: for formats without
/// infinities, definitions of overflow differ.
static Elements foldFToF(FToFOp op, TileType type, Attribute from) {
  auto element = cast<FloatType>(type.getElementType());
  auto mode = getRounding(op.getRoundingMode());
  if (!mode)
    return {};
  return mapElements<APFloat, APFloat>(
      type, from, [&](Floats in) -> std::optional<APFloat> {
        APFloat result = in[0];
        bool losesInfo;
        APFloat::opStatus status =
            result.convert(element.getFloatSemantics(), *mode, &losesInfo);
        bool isIEEE = isa<Float16Type, BFloat16Type, Float32Type, Float64Type,
                          FloatTF32Type>(element);
        bool isOutside = (status & (APFloat::opOverflow | APFloat::opInvalidOp |
                                    APFloat::opUnderflow)) != 0;
        if (in[0].isNaN() || result.isNaN() ||
            (!isIEEE && (isOutside || !in[0].isFinite() || in[0].isZero())))
          return std::nullopt;
        return result;
      });
}

static bool holdsFloats(TileType type) {
  return isa<FloatType>(type.getElementType());
}

/// Not for tf32, whose width as source and as result is unspecified.
static Elements foldBitcast(BitcastOp op, TileType type, Attribute from) {
  TileType source = op.getSource().getType();
  if (isa<FloatTF32Type>(type.getElementType()) ||
      isa<FloatTF32Type>(source.getElementType()))
    return {};
  auto makeFloat = [&](const APInt &bits) {
    auto element = cast<FloatType>(type.getElementType());
    return APFloat(element.getFloatSemantics(), bits);
  };
  if (holdsFloats(source) && holdsFloats(type))
    return mapElements<APFloat, APFloat>(type, from, [&](Floats in) {
      return std::optional(makeFloat(in[0].bitcastToAPInt()));
    });
  if (holdsFloats(source))
    return mapElements<APFloat, APInt>(type, from, [&](Floats in) {
      return std::optional(in[0].bitcastToAPInt());
    });
  if (holdsFloats(type))
    return mapElements<APInt, APFloat>(type, from, [&](Integers in) {
      return std::optional(makeFloat(in[0]));
    });
  return {};
}

/// The source of `inner`, if the outer op is its inverse.
template <typename Inner> static Value undo(Value value, Type type) {
  auto inner = value.getDefiningOp<Inner>();
  if (inner && inner->getOperand(0).getType() == type)
    return inner->getOperand(0);
  return {};
}

OpFoldResult cuda_tile::foldConversion(Operation *op,
                                       ArrayRef<Attribute> operands) {
  auto type = dyn_cast<TileType>(op->getResult(0).getType());
  // LLVM cannot compute with its values.
  auto isF8E5M3FNU = [](Type each) {
    auto tile = dyn_cast<TileType>(each);
    return tile && isa<F8E5M3FNUType>(tile.getElementType());
  };
  if (isF8E5M3FNU(type) || llvm::any_of(op->getOperandTypes(), isF8E5M3FNU))
    return {};
  auto orUndo = [&](Elements folded, Value undone) -> OpFoldResult {
    if (folded)
      return folded;
    return undone ? OpFoldResult(undone) : OpFoldResult();
  };
  using Switch = llvm::TypeSwitch<Operation *, OpFoldResult>;
  return Switch(op)
      .Case([&](ExtIOp exti) -> OpFoldResult {
        return foldExtI(exti, type, operands[0]);
      })
      .Case([&](TruncIOp trunci) {
        return orUndo(foldTruncI(trunci, type, operands[0]),
                      undo<ExtIOp>(trunci.getFrom(), type));
      })
      .Case([&](IToFOp itof) -> OpFoldResult {
        return foldIToF(itof, type, operands[0]);
      })
      .Case([&](FToIOp ftoi) -> OpFoldResult {
        return foldFToI(ftoi, type, operands[0]);
      })
      .Case([&](FToFOp ftof) -> OpFoldResult {
        return foldFToF(ftof, type, operands[0]);
      })
      .Case([&](BitcastOp bitcast) {
        Value source = bitcast.getSource();
        if (source.getType() == type)
          return OpFoldResult(source);
        return orUndo(foldBitcast(bitcast, type, operands[0]),
                      undo<BitcastOp>(source, type));
      })
      .Default([](Operation *) { return OpFoldResult(); });
}
