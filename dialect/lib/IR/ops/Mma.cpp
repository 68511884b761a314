//===- Mma.cpp - Matrix products ------------------------------------------===//

#include "IR/Syntax.h"

using namespace mlir;
using namespace cuda_tile;

namespace {

/// A matrix operand by the name that messages use.
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
         << shapeText(a.type.getShape()) << ") and " << b.name << " shape ("
         << shapeText(b.type.getShape()) << "); " << more;
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

/// The accumulators that an input allows, as the messages list them.
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
