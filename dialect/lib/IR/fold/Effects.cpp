//===- Effects.cpp - Memory effects and speculation -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only tokens order weak accesses; unordered conflicting accesses are a race,
// which is undefined behaviour. A weak load without a token therefore gives the
// same value wherever it runs and has no effects; a load with a token reads
// memory after the accesses that the token orders before it.
//
//===----------------------------------------------------------------------===//

#include "IR/fold/Fold.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace cuda_tile;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

namespace {

using Effects = SmallVectorImpl<MemoryEffects::EffectInstance>;

template <typename Op>
struct LoadEffects
    : MemoryEffectOpInterface::ExternalModel<LoadEffects<Op>, Op> {
  void getEffects(Operation *op, Effects &effects) const {
    auto load = cast<Op>(op);
    bool isWeak =
        load.getMemoryOrderingSemantics() == MemoryOrderingSemantics::WEAK;
    bool isOrdered = load.getToken() || !load.getResultToken().use_empty();
    if (!isWeak || isOrdered)
      effects.emplace_back(MemoryEffects::Read::get());
    // It makes writes of other blocks visible, so nothing may move across it.
    if (!isWeak)
      effects.emplace_back(MemoryEffects::Write::get());
  }
};

template <typename Op>
struct StoreEffects
    : MemoryEffectOpInterface::ExternalModel<StoreEffects<Op>, Op> {
  void getEffects(Operation *op, Effects &effects) const {
    bool isWeak = cast<Op>(op).getMemoryOrderingSemantics() ==
                  MemoryOrderingSemantics::WEAK;
    if (!isWeak)
      effects.emplace_back(MemoryEffects::Read::get());
    effects.emplace_back(MemoryEffects::Write::get());
  }
};

//===----------------------------------------------------------------------===//
// Speculation
//===----------------------------------------------------------------------===//

/// True if the body of `loop` runs at least once whenever `loop` is reached.
bool alwaysRuns(Operation *loop) {
  if (isa<LoopOp>(loop))
    return true;
  auto counted = dyn_cast<ForOp>(loop);
  if (!counted)
    return false;
  std::optional<APInt> lower = getIntSplat(counted.getLowerBound());
  std::optional<APInt> upper = getIntSplat(counted.getUpperBound());
  if (!lower || !upper)
    return false;
  return counted.getUnsignedCmp() ? lower->ult(*upper) : lower->slt(*upper);
}

/// True if control always reaches the next op.
bool alwaysEnds(Operation &op) {
  return isMemoryEffectFree(&op) ||
         isa<LoadPtrTkoOp, LoadViewTkoOp, StorePtrTkoOp, StoreViewTkoOp>(op);
}

/// A load may fault, so it can be hoisted out of a loop only if the loop always
/// executes it.
template <typename Op>
struct LoadSpeculation
    : ConditionallySpeculatable::ExternalModel<LoadSpeculation<Op>, Op> {
  Speculation::Speculatability getSpeculatability(Operation *op) const {
    Block::iterator self(op);
    bool isReached =
        alwaysRuns(op->getParentOp()) &&
        llvm::all_of(llvm::make_range(op->getBlock()->begin(), self),
                     alwaysEnds);
    return isReached ? Speculation::Speculatable : Speculation::NotSpeculatable;
  }
};

template <typename Load> void addLoad(MLIRContext &context) {
  Load::template attachInterface<LoadEffects<Load>, LoadSpeculation<Load>>(
      context);
}

} // namespace

void CudaTileDialect::addEffects() {
  MLIRContext &context = *getContext();
  addLoad<LoadPtrTkoOp>(context);
  addLoad<LoadViewTkoOp>(context);
  StorePtrTkoOp::attachInterface<StoreEffects<StorePtrTkoOp>>(context);
  StoreViewTkoOp::attachInterface<StoreEffects<StoreViewTkoOp>>(context);
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

/// Division by zero is undefined, and so is the quotient of the smallest number
/// and -1.
static Speculation::Speculatability getSpeculation(Value divisor) {
  std::optional<APInt> known = getIntSplat(divisor);
  return known && !known->isZero() && !known->isAllOnes()
             ? Speculation::Speculatable
             : Speculation::NotSpeculatable;
}

Speculation::Speculatability DivIOp::getSpeculatability() {
  return getSpeculation(getRhs());
}

Speculation::Speculatability RemIOp::getSpeculatability() {
  return getSpeculation(getRhs());
}
