//===- Inliner.cpp - Inlining of functions --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect has no call op; those of other dialects may refer to a function
// of ours.
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

  /// An entry is launched, not called. A callee with an early return cannot be
  /// inlined, because the ops after the call would run.
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
