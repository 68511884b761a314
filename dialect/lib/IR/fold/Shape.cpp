//===- Shape.cpp - Folding of shape ops and tokens ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/fold/Fold.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cuda_tile;

static bool isTrue(Attribute value) {
  std::optional<APInt> c = getIntSplat(value);
  return c && c->isOne();
}

static bool isFalse(Attribute value) {
  std::optional<APInt> c = getIntSplat(value);
  return c && c->isZero();
}

//===----------------------------------------------------------------------===//
// select
//===----------------------------------------------------------------------===//

/// `select (a == b), a, b` is b, for integers.
static OpFoldResult foldEqual(SelectOp op) {
  auto cmpi = op.getCond().getDefiningOp<CmpIOp>();
  if (!cmpi)
    return {};
  Value x = op.getValIfTrue(), y = op.getValIfFalse();
  bool ofArms = (cmpi.getLhs() == x && cmpi.getRhs() == y) ||
                (cmpi.getLhs() == y && cmpi.getRhs() == x);
  if (ofArms && cmpi.getComparisonPredicate() == ComparisonPredicate::EQUAL)
    return y;
  if (ofArms && cmpi.getComparisonPredicate() == ComparisonPredicate::NOT_EQUAL)
    return x;
  return {};
}

/// Constant arms and condition.
template <typename T>
static Elements mergeArms(TileType type, Elements cond, Elements ifTrue,
                          Elements ifFalse) {
  int64_t count = type.getNumElements();
  if (count > kMaxFoldedElements)
    return {};
  auto conds = cond.getValues<bool>();
  auto trues = ifTrue.getValues<T>(), falses = ifFalse.getValues<T>();
  SmallVector<T> results;
  for (int64_t i = 0; i < count; ++i)
    results.push_back(conds[i] ? trues[i] : falses[i]);
  return cast<Elements>(DenseElementsAttr::get(type.withLayout({}), results));
}

static OpFoldResult foldSelect(SelectOp op, ArrayRef<Attribute> operands) {
  Value cond = op.getCond(), x = op.getValIfTrue(), y = op.getValIfFalse();
  if (x == y || isTrue(operands[0]))
    return x;
  if (isFalse(operands[0]))
    return y;
  auto type = cast<TileType>(x.getType());
  if (cond.getType() == type && isTrue(operands[1]) && isFalse(operands[2]))
    return cond;
  auto conds = dyn_cast_or_null<Elements>(operands[0]);
  auto trues = dyn_cast_or_null<Elements>(operands[1]);
  auto falses = dyn_cast_or_null<Elements>(operands[2]);
  if (conds && trues && falses) {
    Elements merged = isa<FloatType>(type.getElementType())
                          ? mergeArms<APFloat>(type, conds, trues, falses)
                          : mergeArms<APInt>(type, conds, trues, falses);
    if (merged)
      return merged;
  }
  return foldEqual(op);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// The splat `operand` in the shape of `type`.
static OpFoldResult respread(TileType type, Attribute operand) {
  auto elements = dyn_cast_or_null<Elements>(operand);
  if (!elements || !elements.isSplat())
    return {};
  return elements.resizeSplat(type.withLayout({}));
}

static OpFoldResult foldReshape(ReshapeOp op, Attribute operand) {
  TileType type = op.getResult().getType();
  if (op.getSource().getType() == type)
    return op.getSource();
  auto inner = op.getSource().getDefiningOp<ReshapeOp>();
  if (inner && inner.getSource().getType() == type)
    return inner.getSource();
  auto elements = dyn_cast_or_null<Elements>(operand);
  if (!elements)
    return {};
  return elements.reshape(type.withLayout({}));
}

static OpFoldResult foldPermute(PermuteOp op, Attribute operand) {
  if (llvm::equal(op.getPermutation(),
                  llvm::seq<int32_t>(0, op.getPermutation().size())))
    return op.getSource();
  return respread(op.getResult().getType(), operand);
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

/// Removes duplicate operands of join_tokens, and those from make_token.
static OpFoldResult foldJoin(JoinTokensOp op) {
  llvm::SetVector<Value> needed;
  for (Value token : op.getTokens())
    if (!token.getDefiningOp<MakeTokenOp>())
      needed.insert(token);
  if (needed.empty())
    return op.getTokens().front();
  if (needed.size() == 1)
    return needed.front();
  if (needed.size() == op.getTokens().size())
    return {};
  op.getTokensMutable().assign(needed.getArrayRef());
  return op.getResult();
}

OpFoldResult cuda_tile::foldShape(Operation *op, ArrayRef<Attribute> operands) {
  using Switch = llvm::TypeSwitch<Operation *, OpFoldResult>;
  return Switch(op)
      .Case([&](SelectOp select) { return foldSelect(select, operands); })
      .Case([&](BroadcastOp broadcast) -> OpFoldResult {
        TileType type = broadcast.getResult().getType();
        if (broadcast.getSource().getType() == type)
          return broadcast.getSource();
        return respread(type, operands[0]);
      })
      .Case(
          [&](ReshapeOp reshape) { return foldReshape(reshape, operands[0]); })
      .Case(
          [&](PermuteOp permute) { return foldPermute(permute, operands[0]); })
      .Case([&](OffsetOp offset) -> OpFoldResult {
        std::optional<APInt> amount = getIntSplat(operands[1]);
        return amount && amount->isZero() ? OpFoldResult(offset.getPtr())
                                          : OpFoldResult();
      })
      .Case([&](JoinTokensOp join) { return foldJoin(join); })
      .Default([](Operation *) { return OpFoldResult(); });
}
