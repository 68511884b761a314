//===- FoldConstants.cpp - Constant folding -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/fold/Fold.h"
#include "cuda_tile/Transforms/Passes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace cuda_tile {
#define GEN_PASS_DEF_FOLDCONSTANTS
#include "cuda_tile/Transforms/Passes.h.inc"
} // namespace cuda_tile

using namespace mlir;
using namespace cuda_tile;

/// Where a constant is available to all ops that `op` stands among, as MLIR's
/// canonicalization places it.
static void insertConstants(Operation *op, PatternRewriter &rewriter) {
  Region *region = op->getParentRegion();
  while (!region->getParentOp()->hasTrait<OpTrait::IsIsolatedFromAbove>() &&
         region->getParentRegion())
    region = region->getParentRegion();
  rewriter.setInsertionPointToStart(&region->front());
}

namespace {
struct Fold : RewritePattern {
  explicit Fold(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/2, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa_and_present<CudaTileDialect>(op->getDialect()) ||
        op->getNumResults() != 1 || op->hasTrait<OpTrait::ConstantLike>())
      return failure();
    SmallVector<Attribute> operands;
    for (Value operand : op->getOperands())
      matchPattern(operand, m_Constant(&operands.emplace_back()));
    SmallVector<OpFoldResult> results;
    rewriter.startOpModification(op);
    if (failed(foldOp(op, operands, results))) {
      rewriter.cancelOpModification(op);
      return failure();
    }
    rewriter.finalizeOpModification(op);
    if (results.empty())
      return success();
    if (auto value = dyn_cast<Value>(results.front())) {
      rewriter.replaceOp(op, value);
      return success();
    }
    insertConstants(op, rewriter);
    auto elements = cast<Elements>(cast<Attribute>(results.front()));
    rewriter.replaceOp(op, ConstantOp::create(rewriter, op->getLoc(),
                                              op->getResult(0).getType(),
                                              elements));
    return success();
  }
};

struct FoldConstants : cuda_tile::impl::FoldConstantsBase<FoldConstants> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    for (Dialect *dialect : getContext().getLoadedDialects())
      dialect->getCanonicalizationPatterns(patterns);
    for (RegisteredOperationName op : getContext().getRegisteredOperations())
      op.getCanonicalizationPatterns(patterns, &getContext());
    patterns.add<Fold>(&getContext());
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal(true);
    // Like canonicalize, this may stop before nothing is left to do.
    (void)applyPatternsGreedily(getOperation(), std::move(patterns), config);
  }
};
} // namespace
