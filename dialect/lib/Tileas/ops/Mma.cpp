//===- Mma.cpp - Matrix instructions of tileas ----------------------------===//

#include "cuda_tile/Tileas/Tileas.h"

#include "IR/Syntax.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace cuda_tile;
using namespace cuda_tile::tileas;

namespace {

/// A matrix instruction for one element type of its operands (PTX ISA,
/// "Warp-level Matrix Instructions: mma"). python/cuda_tile/layout/fragments.py
/// says which thread holds what.
struct MmaAtom {
  StringRef name;
  int64_t m, n, k;
  StringRef operand, accumulator;
};

} // namespace

static constexpr MmaAtom atoms[] = {
    {"m16n8k16", 16, 8, 16, "f16", "f32"},
    {"m16n8k16", 16, 8, 16, "bf16", "f32"},
    {"m16n8k8", 16, 8, 8, "tf32", "f32"},
    {"m16n8k32", 16, 8, 32, "i8", "i32"},
    {"m8n8k4", 8, 8, 4, "f64", "f64"},
};

static std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// The atom's name is known, it takes the element types and divides the
/// extents.
static LogicalResult verifyAtom(MmaSyncOp op) {
  TileType lhs = op.getLhs().getType(), acc = op.getAcc().getType();
  StringRef name = op.getAtom();
  auto named = llvm::make_filter_range(
      atoms, [&](const MmaAtom &atom) { return atom.name == name; });
  if (named.empty()) { // C3
    SmallVector<StringRef> known;
    for (const MmaAtom &atom : atoms)
      if (known.empty() || known.back() != atom.name)
        known.push_back(atom.name);
    return op.emitOpError("expected atom to be one of ")
           << llvm::join(known, ", ") << ", got '" << name << "'";
  }
  const MmaAtom &shape = *named.begin();
  if (lhs.getDimSize(0) % shape.m || acc.getDimSize(1) % shape.n || // C3
      lhs.getDimSize(1) % shape.k)
    return op.emitOpError("expected M, N, K to be multiples of ")
           << shape.m << ", " << shape.n << ", " << shape.k << " for atom "
           << name << ", got " << lhs.getDimSize(0) << ", " << acc.getDimSize(1)
           << ", " << lhs.getDimSize(1);
  std::string operand = typeText(lhs.getElementType());
  std::string accumulator = typeText(acc.getElementType());
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

//===----------------------------------------------------------------------===//
// mma_sync
//===----------------------------------------------------------------------===//

LogicalResult MmaSyncOp::verify() {
  TileType lhs = getLhs().getType(), rhs = getRhs().getType(),
           acc = getAcc().getType();
  if (lhs.getRank() != 2) // C1
    return emitOpError("expected matrices, got rank ") << lhs.getRank();
  if (lhs.getDimSize(1) != rhs.getDimSize(0) || // C1
      lhs.getDimSize(0) != acc.getDimSize(0) ||
      rhs.getDimSize(1) != acc.getDimSize(1))
    return emitOpError("expected shapes [M, K], [K, N], [M, N], got ")
           << shapeText(lhs.getShape()) << ", " << shapeText(rhs.getShape())
           << ", " << shapeText(acc.getShape());
  if (lhs.getElementType() != rhs.getElementType()) // C2
    return emitOpError("expected lhs and rhs of one element type, got ")
           << lhs.getElementType() << " and " << rhs.getElementType();
  return verifyAtom(*this); // C3, C4
}
