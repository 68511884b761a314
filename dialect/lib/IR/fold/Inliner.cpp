//===- Inliner.cpp - Putting a function's body in place of a call ---------===//
//
// The dialect has no calls; those of other dialects may name a function of
// ours.
//
//===----------------------------------------------------------------------===//

#include "cuda_tile/IR/CudaTile.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace cuda_tile;

namespace {
struct Inliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  /// An entry is launched, not called; and where a callee returns early, what
  /// stands behind the call would run.
  bool isLegalToInline(Operation *, Operation *callable, bool) const final {
    WalkResult early = callable->walk([&](ReturnOp end) {
      return WalkResult(success(end->getParentOp() == callable));
    });
    return !isa<EntryOp>(callable) && !early.wasInterrupted();
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }

  void handleTerminator(Operation *end, ValueRange results) const final {
    for (auto [result, value] : llvm::zip_equal(results, end->getOperands()))
      result.replaceAllUsesWith(value);
  }
};
} // namespace

void CudaTileDialect::addInliner() { addInterfaces<Inliner>(); }
