//===- Mma.cpp - Matrix products ------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/Syntax.h"

using namespace mlir;
using namespace cuda_tile;

namespace {

/// A matrix operand with its name in messages.
struct Matrix {
  StringRef name;
  TileType type;
};

} // namespace

/// Extent `dimA` of `a` is extent `dimB` of `b`. `lead` begins the message,
/// `more` ends it.
static LogicalResult verifyExtents(Operation *op, Matrix a, int64_t dimA,
                                   Matrix b, int64_t dimB, StringRef lead,
                                   StringRef more) {
  int64_t extentA = a.type.getDimSize(dimA), extentB = b.type.getDimSize(dimB);
  if (extentA == extentB)
    return success();
  return op->emitOpError(lead)
         << "shape error: dim " << dimA << " of " << a.name << " (" << extentA
         << ") and dim " << dimB << " of " << b.name << " (" << extentB
         << ") must match, but got " << a.name << " shape ("
         << extentsText(a.type.getShape()) << ") and " << b.name << " shape ("
         << extentsText(b.type.getShape()) << ")" << (more.empty() ? "" : "; ")
         << more;
}

/// [.., M, K] * [.., K, N] + [.., M, N], ranks being equal.
static LogicalResult verifyMmaShapes(Operation *op, TileType lhsType,
                                     TileType rhsType, TileType accType) {
  Matrix lhs = {"lhs", lhsType}, rhs = {"rhs", rhsType}, acc = {"acc", accType};
  int64_t rank = lhsType.getRank();
  if (rank != 2 && rank != 3)
    return op->emitOpError("operands must be 2D or 3D tiles; mma operand A "
                           "must be rank-2 or rank-3");
  constexpr StringRef disagree =
      "mma accumulator must agree with A and B on M and N";
  if (rank == 3) {
    constexpr StringRef batch = "mma operands must share the batch dimension";
    if (failed(verifyExtents(op, lhs, 0, rhs, 0, "", batch)) ||
        failed(verifyExtents(op, lhs, 0, acc, 0, "", batch)))
      return failure();
  }
  int64_t row = rank - 2, col = rank - 1;
  if (failed(verifyExtents(op, lhs, col, rhs, row, " ",
                           "mma contracting dimension mismatch")) ||
      failed(verifyExtents(op, lhs, row, acc, row, " ", disagree)))
    return failure();
  return verifyExtents(op, rhs, col, acc, col, " ", disagree);
}

/// The accumulator types that an input type allows, as text for messages.
static SmallVector<Type> getAccumulators(Type input) {
  MLIRContext *context = input.getContext();
  Type f16 = Float16Type::get(context), f32 = Float32Type::get(context);
  if (isa<Float16Type, Float8E4M3FNType, Float8E5M2Type>(input))
    return {f16, f32};
  if (isa<Float64Type>(input))
    return {input};
  return {f32};
}

//===----------------------------------------------------------------------===//
// mmaf
//===----------------------------------------------------------------------===//

LogicalResult MmaFOp::verify() {
  TileType lhs = getLhs().getType(), acc = getAcc().getType();
  if (failed(verifyMmaShapes(*this, lhs, getRhs().getType(), acc))) // C1, C2
    return failure();
  SmallVector<Type> allowed = getAccumulators(lhs.getElementType());
  if (llvm::is_contained(allowed, acc.getElementType())) // C3
    return success();
  InFlightDiagnostic error =
      emitOpError("unsupported combination of element types. Input type ");
  error << lhs.getElementType()
        << " expects accumulator/result type to be one of {";
  llvm::interleaveComma(allowed, error);
  return error << "}, but got " << acc.getElementType();
}

//===----------------------------------------------------------------------===//
// mmai
//===----------------------------------------------------------------------===//

LogicalResult MmaIOp::verify() {
  return verifyMmaShapes(*this, getLhs().getType(), getRhs().getType(),
                         getAcc().getType());
}

//===----------------------------------------------------------------------===//
// mmaf_scaled
//===----------------------------------------------------------------------===//

/// Scale factors [.., M, S] of lhs [.., M, K], [.., S, N] of rhs [.., K, N].
static LogicalResult verifyScaleShapes(MmaFScaledOp op) {
  Matrix lhs = {"lhs", op.getLhs().getType()};
  Matrix rhs = {"rhs", op.getRhs().getType()};
  Matrix lhsScale = {"lhs_scale", op.getLhsScale().getType()};
  Matrix rhsScale = {"rhs_scale", op.getRhsScale().getType()};
  int64_t rank = lhs.type.getRank(), row = rank - 2, col = rank - 1;
  if (rank == 3 && (failed(verifyExtents(op, lhs, 0, lhsScale, 0, "", "")) ||
                    failed(verifyExtents(op, rhs, 0, rhsScale, 0, "", ""))))
    return failure();
  if (failed(verifyExtents(op, lhs, row, lhsScale, row, "", "")) ||
      failed(verifyExtents(op, rhs, col, rhsScale, col, "", "")) ||
      failed(verifyExtents(op, lhsScale, col, rhsScale, row, "", "")))
    return failure();
  int64_t factors = lhsScale.type.getDimSize(col);
  int64_t elements = lhs.type.getDimSize(col);
  if (elements % factors != 0)
    return op.emitOpError("shape error: dim ")
           << col << " of lhs_scale (" << factors
           << ") must be a divisor of dim " << col << " of lhs (" << elements
           << "), but got lhs_scale shape ("
           << extentsText(lhsScale.type.getShape()) << ") and lhs shape ("
           << extentsText(lhs.type.getShape()) << ")";
  return success();
}

/// Element types, scale types, and block sizes.
static LogicalResult verifyScaling(MmaFScaledOp op) {
  TileType lhs = op.getLhs().getType(), scale = op.getLhsScale().getType();
  Type element = lhs.getElementType(), factor = scale.getElementType();
  int64_t block = lhs.getShape().back() / scale.getShape().back();
  bool isF4 = isa<Float4E2M1FNType>(element);
  if (isa<Float8E4M3FNType>(factor)) {
    if (!isF4) // C3
      return op.emitOpError("unsupported combination of element types. Scale "
                            "type ")
             << factor << " expects lhs and rhs element types to be "
             << Float4E2M1FNType::get(op.getContext()) << ", but got "
             << element;
    if (block != 16) // C4
      return op.emitOpError(
                 "shape error: f4E2M1FN element type with f8E4M3FN scales "
                 "requires block scale factor of lhs_scale and rhs_scale to be "
                 "16, but got ")
             << block;
    return success();
  }
  if (!isF4 && block != 32) // C4
    return op.emitOpError("shape error: f8 element type requires block scale "
                          "factor of lhs_scale and rhs_scale to be 32, but "
                          "got ")
           << block;
  if (isF4 && block != 16 && block != 32) // C4
    return op.emitOpError(
               "shape error: f4E2M1FN element type with f8E8M0FNU scales "
               "requires block scale factor of lhs_scale and rhs_scale to be "
               "16 or 32, but got ")
           << block;
  return success();
}

LogicalResult MmaFScaledOp::verify() {
  if (failed(verifyMmaShapes(*this, getLhs().getType(), getRhs().getType(),
                             getAcc().getType())) || // C1, C2
      failed(verifyScaleShapes(*this)))              // C2
    return failure();
  return verifyScaling(*this); // C3, C4
}
