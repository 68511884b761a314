//===- Mma.cpp - Matrix instructions of tileas ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda_tile/Tileas/Tileas.h"

#include "IR/Syntax.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace cuda_tile;
using namespace cuda_tile::tileas;

namespace {

/// An atom of products for one pair of element types: a matrix instruction (PTX
/// ISA, "Warp-level Matrix Instructions: mma"), or, from `fma` on,
/// multiply-adds of each thread. python/cuda_tile/layout/atoms.py says which
/// thread holds what.
struct MmaAtom {
  StringRef name, operand, accumulator;
};

} // namespace

// clang-format off
static constexpr MmaAtom atoms[] = {
    {"m16n8k32.mxf8", "f8E4M3FN", "f32"},
    {"m16n8k32.mxf8", "f8E5M2", "f32"},
    {"m16n8k64.mxf4", "f4E2M1FN", "f32"},
    {"m16n8k64.nvf4", "f4E2M1FN", "f32"},
    {"m16n8k32", "i8", "i32"},
    {"m16n8k32", "f8E4M3FN", "f32"},
    {"m16n8k32", "f8E5M2", "f32"},
    {"m16n8k16", "f16", "f32"},
    {"m16n8k16", "f16", "f16"},
    {"m16n8k16", "bf16", "f32"},
    {"m16n8k16", "f8E4M3FN", "f32"},
    {"m16n8k16", "f8E4M3FN", "f16"},
    {"m16n8k16", "f8E5M2", "f32"},
    {"m16n8k16", "f8E5M2", "f16"},
    {"m16n8k16", "f4E2M1FN", "f32"},
    {"m16n8k8", "tf32", "f32"},
    {"m8n8k4", "f64", "f64"},
    {"m16n8k8.f16", "f16", "f32"},
    {"m16n8k8.f16", "f16", "f16"},
    {"m16n8k8.f16", "f8E4M3FN", "f32"},
    {"m16n8k8.f16", "f8E4M3FN", "f16"},
    {"m16n8k8.f16", "f8E5M2", "f32"},
    {"m16n8k8.f16", "f8E5M2", "f16"},
    {"m16n8k8.f16", "f4E2M1FN", "f32"},
    {"m8n8k16", "i8", "i32"},
    {"m16n16k32", "i8", "i32"},
    {"m16n16k32", "f8E4M3FN", "f32"},
    {"m16n16k32", "f8E5M2", "f32"},
};
// clang-format on

/// Lanes along M and N of multiply-adds, and what these take.
static constexpr StringRef fmaNames[] = {"fma8x4", "fma1x32", "fma32x1"};
static constexpr MmaAtom fmaTypes[] = {
    {"", "f32", "f32"},
    {"", "f64", "f64"},
    {"", "bf16", "f32"},
    {"", "tf32", "f32"},
};

static std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// The atom's name is known and it takes the element types.
static LogicalResult verifyAtom(MmaSyncOp op) {
  StringRef name = op.getAtom();
  SmallVector<MmaAtom> named;
  if (llvm::is_contained(fmaNames, name))
    llvm::append_range(named, fmaTypes);
  for (const MmaAtom &atom : atoms)
    if (atom.name == name)
      named.push_back(atom);
  if (named.empty()) { // C3
    SmallVector<StringRef> known;
    for (const MmaAtom &atom : atoms)
      if (known.empty() || known.back() != atom.name)
        known.push_back(atom.name);
    llvm::append_range(known, fmaNames);
    return op.emitOpError("expected atom to be one of ")
           << llvm::join(known, ", ") << ", got '" << name << "'";
  }
  std::string operand = typeText(op.getLhs().getType().getElementType());
  std::string accumulator = typeText(op.getAcc().getType().getElementType());
  SmallVector<std::string> taken;
  for (const MmaAtom &atom : named) { // C4
    if (atom.operand == operand && atom.accumulator == accumulator)
      return success();
    taken.push_back((atom.operand + " and " + atom.accumulator).str());
  }
  return op.emitOpError("expected operand and accumulator types of atom ")
         << name << ", " << llvm::join(taken, " or ") << ", got " << operand
         << " and " << accumulator;
}

/// Integers, and only these, have a signedness; scale factors belong to their
/// operands.
static LogicalResult verifyReading(MmaSyncOp op) {
  TileType lhs = op.getLhs().getType(), rhs = op.getRhs().getType();
  bool isInteger = isa<IntegerType>(lhs.getElementType());
  if (op.getSignednessLhs().has_value() != isInteger || // C5
      op.getSignednessRhs().has_value() != isInteger)
    return op.emitOpError("expected ")
           << (isInteger
                   ? "signedness_lhs and signedness_rhs of integers"
                   : "signedness_lhs and signedness_rhs of integers only");
  if (op.getScales().empty())
    return success();
  if (op.getScales().size() != 2) // C6
    return op.emitOpError("expected two tiles of scale factors, got ")
           << op.getScales().size();
  auto left = cast<TileType>(op.getScales()[0].getType());
  auto right = cast<TileType>(op.getScales()[1].getType());
  int64_t rank = lhs.getRank(), row = rank - 2, col = rank - 1;
  bool isFit = left.getRank() == rank && right.getRank() == rank;
  for (int64_t dim = 0; isFit && dim < rank - 1; ++dim)
    isFit = left.getDimSize(dim) == lhs.getDimSize(dim);
  if (!isFit || right.getDimSize(col) != rhs.getDimSize(col) || // C6
      left.getDimSize(col) != right.getDimSize(row) ||
      lhs.getDimSize(col) % left.getDimSize(col) != 0)
    return op.emitOpError("expected scale factors [.., M, S] and [.., S, N] "
                          "where S divides K, got ")
           << shapeText(left.getShape()) << " and "
           << shapeText(right.getShape());
  return success();
}

//===----------------------------------------------------------------------===//
// mma_sync
//===----------------------------------------------------------------------===//

LogicalResult MmaSyncOp::verify() {
  TileType lhs = getLhs().getType(), rhs = getRhs().getType(),
           acc = getAcc().getType();
  int64_t rank = lhs.getRank(), row = rank - 2, col = rank - 1;
  if (rank != 2 && rank != 3) // C1
    return emitOpError("expected matrices or batches of them, got rank ")
           << rank;
  if (lhs.getDimSize(col) != rhs.getDimSize(row) || // C1
      lhs.getDimSize(row) != acc.getDimSize(row) ||
      rhs.getDimSize(col) != acc.getDimSize(col) ||
      (rank == 3 && (lhs.getDimSize(0) != rhs.getDimSize(0) ||
                     lhs.getDimSize(0) != acc.getDimSize(0))))
    return emitOpError("expected shapes [.., M, K], [.., K, N], [.., M, N], "
                       "got ")
           << shapeText(lhs.getShape()) << ", " << shapeText(rhs.getShape())
           << ", " << shapeText(acc.getShape());
  if (lhs.getElementType() != rhs.getElementType()) // C2
    return emitOpError("expected lhs and rhs of one element type, got ")
           << lhs.getElementType() << " and " << rhs.getElementType();
  if (failed(verifyAtom(*this))) // C3, C4
    return failure();
  return verifyReading(*this); // C5, C6
}
