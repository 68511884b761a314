//===- Shape.cpp - Making tiles and moving their elements -----------------===//

#include "IR/Syntax.h"

#include "llvm/ADT/APSInt.h"

using namespace mlir;
using namespace cuda_tile;

//===----------------------------------------------------------------------===//
// constant
//===----------------------------------------------------------------------===//

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValueAttr(); }

/// `1`, `-2`, `NaN`: splats of whole numbers say their value in their name.
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
  if (number.isNaN())
    return "NaN";
  llvm::APSInt whole(64, /*isUnsigned=*/false);
  bool isExact = false;
  if (number.convertToInteger(whole, APFloat::rmTowardZero, &isExact) !=
          APFloat::opOK ||
      !isExact)
    return std::nullopt;
  os << whole.getSExtValue();
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
             << shapeText(source) << " and " << shapeText(result);
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
