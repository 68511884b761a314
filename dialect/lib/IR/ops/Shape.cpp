//===- Shape.cpp - Tile creation and rearrangement ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/F8E5M3FNU.h"
#include "IR/Syntax.h"
#include "IR/Verify.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/APSInt.h"

using namespace mlir;
using namespace cuda_tile;

//===----------------------------------------------------------------------===//
// constant
//===----------------------------------------------------------------------===//

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValueAttr(); }

/// Suggested names of integral splats contain their value: `1`, `NaN`, and of
/// integers also `-2`.
static std::optional<std::string>
wholeNumberText(DenseIntOrFPElementsAttr value) {
  if (!value.isSplat())
    return std::nullopt;
  std::string text;
  llvm::raw_string_ostream os(text);
  if (isa<IntegerType>(value.getElementType())) {
    os << value.getSplatValue<APInt>().getSExtValue();
    return text;
  }
  auto number = value.getSplatValue<APFloat>();
  if (isa<F8E5M3FNUType>(value.getElementType()))
    number = decodeF8E5M3FNU(number.bitcastToAPInt().getZExtValue());
  if (number.isNaN())
    return "NaN";
  llvm::APSInt whole(64, /*isUnsigned=*/true);
  bool isExact = false;
  if (number.convertToInteger(whole, APFloat::rmTowardZero, &isExact) !=
          APFloat::opOK ||
      !isExact)
    return std::nullopt;
  os << whole.getZExtValue();
  return text;
}

void ConstantOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  Type elementType = getResult().getType().getElementType();
  DenseIntOrFPElementsAttr value = getValueAttr();
  if (elementType.isInteger(1) && value.isSplat()) {
    setName(getResult(), value.getSplatValue<bool>() ? "true" : "false");
    return;
  }
  std::string name = "cst_";
  llvm::raw_string_ostream os(name);
  if (std::optional<std::string> text = wholeNumberText(value))
    os << *text << "_";
  if (isa<F8E5M3FNUType>(elementType))
    os << F8E5M3FNUType::getMnemonic();
  else
    os << elementType;
  setName(getResult(), name);
}

//===----------------------------------------------------------------------===//
// iota
//===----------------------------------------------------------------------===//

LogicalResult IotaOp::verify() {
  TileType type = getResult().getType();
  if (type.getRank() != 1) // C1
    return emitOpError("expects result type to be 1-d tile");
  // C2; no tile has more than 2^24 elements
  unsigned bits = type.getElementTypeBitWidth();
  if (bits < 32 && type.getNumElements() > (int64_t(1) << bits))
    return emitOpError("the number of elements ")
           << type.getNumElements()
           << " exceeds the maximum value of element type "
           << type.getElementType();
  return success();
}

//===----------------------------------------------------------------------===//
// select
//===----------------------------------------------------------------------===//

LogicalResult SelectOp::verify() {
  if (isa<Float4E2M1FNType>(getResult().getType().getElementType())) // C3
    return emitOpError("cannot operate on sub-byte type F4E2M1FN");
  return success();
}

//===----------------------------------------------------------------------===//
// cat
//===----------------------------------------------------------------------===//

LogicalResult CatOp::verify() {
  ArrayRef<int64_t> lhs = getLhs().getType().getShape();
  ArrayRef<int64_t> rhs = getRhs().getType().getShape();
  ArrayRef<int64_t> result = getResult().getType().getShape();
  int64_t rank = lhs.size(), dim = static_cast<int64_t>(getDim());
  if (dim < 0 || dim >= rank) // C2
    return emitOpError("expect dim to be [0, ")
           << rank << "), but got: " << dim;
  for (int64_t i = 0; i < rank; ++i) { // C3
    if (i == dim) {
      if (result[i] != lhs[i] + rhs[i])
        return emitOpError("invalid concat at position ")
               << i << ", expected: " << lhs[i] + rhs[i]
               << " but got: " << result[i];
      continue;
    }
    for (auto [name, extent] :
         {std::pair("rhs", rhs[i]), {"result", result[i]}})
      if (extent != lhs[i])
        return emitOpError("expect lhs and ")
               << name << " shapes to match at non-concat position " << i
               << ", expected: " << lhs[i] << " but got: " << extent;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// extract, insert
//===----------------------------------------------------------------------===//

/// `whole` is a grid of parts of the shape of `part`, one index per dimension;
/// the names are for messages.
static LogicalResult verifyParts(Operation *op, StringRef wholeName,
                                 TileType whole, StringRef partName,
                                 TileType part, OperandRange indices) {
  for (int64_t i = 0, rank = whole.getRank(); i < rank; ++i)
    if (whole.getDimSize(i) % part.getDimSize(i) != 0)
      return op->emitOpError(wholeName)
             << " dimension " << i << " size (" << whole.getDimSize(i)
             << ") must be evenly divisible by " << partName << " dimension "
             << i << " size (" << part.getDimSize(i) << ")";
  if (static_cast<int64_t>(indices.size()) != whole.getRank())
    return op->emitOpError("expected ")
           << whole.getRank() << " indices, but got " << indices.size();
  return success();
}

/// Warns of constant indices past the last part. Not through the op itself,
/// which would print it and so verify it again, endlessly.
static void warnOfIndices(Operation *op, TileType whole, TileType part,
                          OperandRange indices) {
  StringRef name = op->getName().stripDialect();
  for (auto [i, index] : llvm::enumerate(indices)) {
    DenseIntElementsAttr value;
    if (!matchPattern(index, m_Constant(&value)))
      continue;
    int64_t number = value.getSplatValue<APInt>().getSExtValue();
    int64_t last = whole.getDimSize(i) / part.getDimSize(i) - 1;
    if (number < 0)
      emitWarning(op->getLoc(), name)
          << " index " << i << " has negative value " << number
          << ", which may cause undefined behavior";
    else if (number > last)
      emitWarning(op->getLoc(), name)
          << " index " << i << " value " << number
          << " may be out of bounds (max valid index: " << last << ")";
  }
}

LogicalResult ExtractOp::verify() {
  TileType source = getSource().getType(), result = getResult().getType();
  if (source.getElementType() != result.getElementType()) // C1
    return emitOpError("source and result element type do not match");
  if (failed(verifyParts(*this, "source", source, "result", result, // C2, C3
                         getIndices())))
    return failure();
  warnOfIndices(*this, source, result, getIndices());
  return success();
}

LogicalResult InsertOp::verify() {
  TileType source = getSource().getType(), whole = getDestination().getType();
  if (failed(verifyParts(*this, "destination", whole, "source",
                         source, // C2, C3
                         getIndices())))
    return failure();
  warnOfIndices(*this, whole, source, getIndices());
  return success();
}

//===----------------------------------------------------------------------===//
// pack, unpack
//===----------------------------------------------------------------------===//

static LogicalResult verifyRepacking(Operation *op, TileType source,
                                     TileType result) {
  if (source.getRank() != 1 || result.getRank() != 1) // C1
    return op->emitOpError("expects source and result to be rank-1 tiles");
  int64_t sourceBits = getStorageBits(source.getElementType());
  int64_t resultBits = getStorageBits(result.getElementType());
  if (sourceBits == resultBits) // C2
    return op->emitOpError(
        "expects source and result to have different element type widths");
  sourceBits *= source.getNumElements();
  resultBits *= result.getNumElements();
  if (sourceBits % 8 != 0) // C3
    return op->emitOpError("expects source tile to be byte-aligned");
  if (resultBits % 8 != 0) // C3
    return op->emitOpError("expects result tile to be byte-aligned");
  if (sourceBits != resultBits) // C3
    return op->emitOpError("expects source and result to have the same size in "
                           "bytes, but got source tile size ")
           << sourceBits / 8 << " bytes and result tile size " << resultBits / 8
           << " bytes";
  return success();
}

LogicalResult PackOp::verify() {
  return verifyRepacking(*this, getSource().getType(), getResult().getType());
}

LogicalResult UnpackOp::verify() {
  return verifyRepacking(*this, getSource().getType(), getResult().getType());
}

//===----------------------------------------------------------------------===//
// broadcast
//===----------------------------------------------------------------------===//

void BroadcastOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "bcast");
}

LogicalResult BroadcastOp::verify() {
  ArrayRef<int64_t> source = getSource().getType().getShape();
  ArrayRef<int64_t> result = getResult().getType().getShape();
  for (auto [from, to] : llvm::zip_equal(source, result)) // C2
    if (from != 1 && from != to)
      return emitOpError("expects the shape of source tile to be compatible "
                         "with that of the result tile, but got: ")
             << extentsText(source) << " and " << extentsText(result);
  return success();
}

//===----------------------------------------------------------------------===//
// reshape
//===----------------------------------------------------------------------===//

void ReshapeOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "reshape");
}

LogicalResult ReshapeOp::verify() {
  TileType source = getSource().getType(), result = getResult().getType();
  if (source.getElementType() != result.getElementType()) // C1
    return emitOpError("requires the same element type for all operands and "
                       "results; reshape requires matching element types");
  if (source.getNumElements() != result.getNumElements()) // C2
    return emitOpError("expected source tile and result tile to have the same "
                       "number of elements; reshape element-count mismatch: "
                       "source has ")
           << source.getNumElements() << " elements, result has "
           << result.getNumElements();
  return success();
}

//===----------------------------------------------------------------------===//
// permute
//===----------------------------------------------------------------------===//

LogicalResult PermuteOp::verify() {
  ArrayRef<int32_t> permutation = getPermutation();
  ArrayRef<int64_t> source = getSource().getType().getShape();
  ArrayRef<int64_t> result = getResult().getType().getShape();
  int64_t rank = source.size();
  if (rank < 2) // C2
    return emitOpError("expects at least rank 2, but got: ") << rank;
  if (static_cast<int64_t>(permutation.size()) != rank) // C3
    return emitOpError("expect permutation size (")
           << permutation.size() << ") to equal the rank of the source ("
           << rank << ")";
  SmallVector<bool> seen(rank);
  for (auto [i, dim] : llvm::enumerate(permutation)) { // C3
    if (dim < 0 || dim >= rank)
      return emitOpError("permutation element at index ")
             << i << " (" << dim << ") is out of bound [0, " << rank << ")";
    if (seen[dim])
      return emitOpError("expect permutation elements to be unique");
    seen[dim] = true;
  }
  for (auto [i, dim] : llvm::enumerate(permutation)) // C4
    if (result[i] != source[dim])
      return emitOpError("result shape invalid at index ")
             << i << ", expected: " << source[dim]
             << ", but got: " << result[i];
  return success();
}
