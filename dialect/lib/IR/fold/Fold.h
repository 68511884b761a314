//===- Fold.h - Values that are known before the program runs ---*- C++ -*-===//
//
// Folding gives exactly what the op would: its rounding, its wrapping, its
// reading of bits. What would be undefined or is left to the implementation (a
// division by zero, the bits of a NaN, a broken promise) is not folded.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_LIB_IR_FOLD_FOLD_H
#define CUDA_TILE_LIB_IR_FOLD_FOLD_H

#include "cuda_tile/IR/CudaTile.h"

#include "mlir/IR/PatternMatch.h"

namespace cuda_tile {

using Elements = mlir::DenseIntOrFPElementsAttr;

/// Most elements of a constant, if they differ, that folding makes: constants
/// are stored in the program.
inline constexpr int64_t kMaxFoldedElements = 4096;

/// A tile of `type` that holds the result of `fold` for each element's
/// operands. Null if `fold` refuses one, or an operand is not known. In and Out
/// are APInt or APFloat.
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

/// A tile of `type` with `value` everywhere.
inline Elements splat(TileType type, const llvm::APInt &value) {
  return llvm::cast<Elements>(
      mlir::DenseElementsAttr::get(type.withLayout({}), value));
}

/// The integer that `value` holds everywhere, if it is known.
std::optional<llvm::APInt> getIntSplat(mlir::Attribute value);
std::optional<llvm::APInt> getIntSplat(mlir::Value value);

/// The result of an op whose operands' values, null if not known, are
/// `operands`; each looks at the ops of its kind and refuses others.
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

/// Puts the ops of `branch`, which is empty or ends in a yield, in the place of
/// `op`.
void inlineBranch(IfOp op, mlir::Region &branch, mlir::RewriterBase &rewriter);

/// Adds the rewrites of `if`.
void addIfPatterns(mlir::RewritePatternSet &patterns);

} // namespace cuda_tile

#endif // CUDA_TILE_LIB_IR_FOLD_FOLD_H
