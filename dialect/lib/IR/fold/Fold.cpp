//===- Fold.cpp - The dialect's folder ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One hook for all ops; it runs after the folders of individual ops. The pass
// fold-constants folds arithmetic, conversions and shapes too.
//
//===----------------------------------------------------------------------===//

#include "IR/fold/Fold.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FoldInterfaces.h"

using namespace mlir;
using namespace cuda_tile;

std::optional<APInt> cuda_tile::getIntSplat(Attribute value) {
  auto elements = dyn_cast_or_null<DenseIntElementsAttr>(value);
  if (!elements || !elements.isSplat())
    return std::nullopt;
  return elements.getSplatValue<APInt>();
}

std::optional<APInt> cuda_tile::getIntSplat(Value value) {
  Attribute attr;
  if (!matchPattern(value, m_Constant(&attr)))
    return std::nullopt;
  return getIntSplat(attr);
}

LogicalResult cuda_tile::foldOp(Operation *op, ArrayRef<Attribute> operands,
                                SmallVectorImpl<OpFoldResult> &results) {
  if (op->getNumResults() != 1)
    return failure();
  for (auto foldKind : {foldInteger, foldFloat, foldConversion, foldShape}) {
    OpFoldResult result = foldKind(op, operands);
    if (!result)
      continue;
    // Layouts may differ if only shapes must match.
    auto value = dyn_cast<Value>(result);
    if (value && value.getType() != op->getResult(0).getType())
      return failure();
    // An op that returns itself was changed in place.
    if (value != op->getResult(0))
      results.push_back(result);
    return success();
  }
  return failure();
}

namespace {
/// What every canonicalization does: as in compatible tools, no arithmetic.
struct Folder : DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;

  LogicalResult fold(Operation *op, ArrayRef<Attribute> operands,
                     SmallVectorImpl<OpFoldResult> &results) const final {
    if (!isa<SelectOp, AssumeOp, JoinTokensOp>(op))
      return failure();
    return foldOp(op, operands, results);
  }
};
} // namespace

void CudaTileDialect::addFolder() { addInterfaces<Folder>(); }
