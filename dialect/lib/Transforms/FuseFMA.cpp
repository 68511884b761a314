//===- FuseFMA.cpp - Fusion of product and sum ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda_tile/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace cuda_tile {
#define GEN_PASS_DEF_FUSEFMA
#include "cuda_tile/Transforms/Passes.h.inc"
} // namespace cuda_tile

using namespace mlir;
using namespace cuda_tile;

/// The product that defines `value`, if `sum` may be fused with it.
template <typename Sum> static MulFOp getProduct(Sum sum, Value value) {
  auto product = value.getDefiningOp<MulFOp>();
  bool fits = product && product->hasOneUse() &&
              product.getRoundingMode() == sum.getRoundingMode() &&
              product.getFlushToZero() == sum.getFlushToZero();
  return fits ? product : MulFOp();
}

template <typename Sum>
static void fuse(Sum sum, Value a, Value b, Value c,
                 PatternRewriter &rewriter) {
  rewriter.replaceOpWithNewOp<FmaOp>(
      sum, sum.getType(), a, b, c, sum.getRoundingMode(), sum.getFlushToZero());
}

static LogicalResult fuseSum(AddFOp sum, PatternRewriter &rewriter) {
  Value other = sum.getRhs();
  MulFOp product = getProduct(sum, sum.getLhs());
  if (!product) {
    product = getProduct(sum, sum.getRhs());
    other = sum.getLhs();
  }
  if (!product)
    return failure();
  fuse(sum, product.getLhs(), product.getRhs(), other, rewriter);
  return success();
}

static LogicalResult fuseDifference(SubFOp sum, PatternRewriter &rewriter) {
  Location loc = sum.getLoc();
  if (MulFOp product = getProduct(sum, sum.getLhs())) {
    Value negated = NegFOp::create(rewriter, loc, sum.getRhs());
    fuse(sum, product.getLhs(), product.getRhs(), negated, rewriter);
    return success();
  }
  if (MulFOp product = getProduct(sum, sum.getRhs())) {
    Value negated = NegFOp::create(rewriter, loc, product.getLhs());
    fuse(sum, negated, product.getRhs(), sum.getLhs(), rewriter);
    return success();
  }
  return failure();
}

namespace {
struct FuseFMA : cuda_tile::impl::FuseFMABase<FuseFMA> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add(fuseSum).add(fuseDifference);
    // Only these patterns; canonicalize has the others.
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
