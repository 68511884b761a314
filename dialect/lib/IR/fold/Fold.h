//===- Fold.h - Constant folding --------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folding gives exactly the result of the op, with its rounding, overflow and
// signedness. Results that are undefined or implementation-defined (division by
// zero, the bits of a NaN, a violated nsw or nuw) are not folded.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_LIB_IR_FOLD_FOLD_H
#define CUDA_TILE_LIB_IR_FOLD_FOLD_H

#include "cuda_tile/IR/CudaTile.h"

#include "mlir/IR/PatternMatch.h"

namespace cuda_tile {

using Elements = mlir::DenseIntOrFPElementsAttr;

/// Maximum number of elements of a non-splat constant made by folding, because
/// constants are stored in the program.
inline constexpr int64_t kMaxFoldedElements = 4096;

/// A constant tile of `type` with the result of `fold` for each element. Null
/// if `fold` fails for one, or an operand is not constant. In and Out are APInt
/// or APFloat.
template <typename In, typename Out>
Elements
mapElements(TileType type, llvm::ArrayRef<mlir::Attribute> operands,
            llvm::function_ref<std::optional<Out>(llvm::ArrayRef<In>)> fold) {
  llvm::SmallVector<Elements> known;
  bool allSplat = true;
  for (mlir::Attribute operand : operands) {
    auto elements = llvm::dyn_cast_or_null<Elements>(operand);
    if (!elements)
      return {};
    allSplat &= elements.isSplat();
    known.push_back(elements);
  }
  int64_t count = allSplat ? 1 : type.getNumElements();
  if (count > kMaxFoldedElements)
    return {};
  llvm::SmallVector<Out> results;
  auto begins = llvm::map_to_vector(
      known, [](Elements each) { return each.getValues<In>().begin(); });
  for (int64_t i = 0; i < count; ++i) {
    llvm::SmallVector<In> values;
    for (auto begin : begins)
      values.push_back(*(begin + i));
    std::optional<Out> result = fold(values);
    if (!result)
      return {};
    results.push_back(*result);
  }
  return llvm::cast<Elements>(
      mlir::DenseElementsAttr::get(type.withLayout({}), results));
}

/// A splat of `value`, of `type`.
inline Elements splat(TileType type, const llvm::APInt &value) {
  return llvm::cast<Elements>(
      mlir::DenseElementsAttr::get(type.withLayout({}), value));
}

/// The integer of which `value` is a splat, if it is constant.
std::optional<llvm::APInt> getIntSplat(mlir::Attribute value);
std::optional<llvm::APInt> getIntSplat(mlir::Value value);

/// What an op of the dialect with constant `operands` (null if not constant) is
/// equal to: a result, or none where it was changed in place.
llvm::LogicalResult foldOp(mlir::Operation *op,
                           llvm::ArrayRef<mlir::Attribute> operands,
                           llvm::SmallVectorImpl<mlir::OpFoldResult> &results);

/// The folded result of an op with constant `operands` (null if not constant);
/// each function handles the ops of its kind and returns null for others.
mlir::OpFoldResult foldInteger(mlir::Operation *op,
                               llvm::ArrayRef<mlir::Attribute> operands);
mlir::OpFoldResult foldFloat(mlir::Operation *op,
                             llvm::ArrayRef<mlir::Attribute> operands);
mlir::OpFoldResult foldConversion(mlir::Operation *op,
                                  llvm::ArrayRef<mlir::Attribute> operands);
mlir::OpFoldResult foldShape(mlir::Operation *op,
                             llvm::ArrayRef<mlir::Attribute> operands);

/// `c` if `value` is `not c`, or null.
mlir::Value getInverted(mlir::Value value);

/// Replaces `op` by the ops of `branch`, which is empty or ends in a yield.
void inlineBranch(IfOp op, mlir::Region &branch, mlir::RewriterBase &rewriter);

/// Adds the canonicalization patterns of `if`.
void addIfPatterns(mlir::RewritePatternSet &patterns);

} // namespace cuda_tile

#endif // CUDA_TILE_LIB_IR_FOLD_FOLD_H
