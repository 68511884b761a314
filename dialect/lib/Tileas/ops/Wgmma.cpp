//===- Wgmma.cpp - Matrix products that run by themselves -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Tileas/Syntax.h"

#include "IR/Syntax.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace cuda_tile;
using namespace cuda_tile::tileas;

namespace {

/// Element types of wgmma, and of tcgen05, and their depth, 32 bytes (PTX ISA,
/// "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Operation",
/// "TensorCore 5th Generation Family Instructions: Matrix Shape").
struct WgmmaTypes {
  StringRef operand, accumulator;
  int64_t depth;
};

/// Types of tcgen05 with scale factors, of blocks of so many elements along K
/// (PTX ISA, "Block Scaling"). A name ends with `suffix`. An element of a
/// buffer holds `parts` elements along K: a byte two of f4E2M1FN.
struct ScaledTypes {
  StringRef suffix, operand, scale;
  int64_t block, depth, parts;
};

/// m, n and k of an atom, and what stands behind them.
struct WgmmaShape {
  int64_t m, n, k;
  StringRef suffix;
};

} // namespace

static constexpr WgmmaTypes wgmmaTypes[] = {
    {"f16", "f32", 16},      {"f16", "f16", 16},    {"bf16", "f32", 16},
    {"tf32", "f32", 8},      {"i8", "i32", 32},     {"f8E4M3FN", "f32", 32},
    {"f8E4M3FN", "f16", 32}, {"f8E5M2", "f32", 32}, {"f8E5M2", "f16", 32},
};

static constexpr ScaledTypes scaledTypes[] = {
    {".mxf8", "f8E4M3FN", "f8E8M0FNU", 32, 32, 1},
    {".mxf8", "f8E5M2", "f8E8M0FNU", 32, 32, 1},
    {".mxf4", "i8", "f8E8M0FNU", 32, 64, 2},
    {".nvf4", "i8", "f8E8M0FNU", 16, 64, 2},
    {".nvf4", "i8", "f8E4M3FN", 16, 64, 2},
};

/// Whether an atom of tcgen05 is an instruction of two CTAs.
static bool isOfPair(StringRef name) { return name.ends_with(".pair"); }

/// What stands behind the shape in the name of an atom of tcgen05: ".mxf4".
static StringRef suffixOf(StringRef name) {
  if (isOfPair(name))
    return "";
  size_t last = name.rfind('.');
  return last == name.find('.') ? "" : name.substr(last);
}

/// Elements along K in an element of the buffers that an atom reads.
static int64_t partsOf(StringRef atom) {
  for (const ScaledTypes &types : scaledTypes)
    if (types.suffix == suffixOf(atom))
      return types.parts;
  return 1;
}

static std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static std::optional<WgmmaShape> parseAtom(StringRef name) {
  WgmmaShape shape;
  if (!name.consume_front("m") || name.consumeInteger(10, shape.m) ||
      !name.consume_front("n") || name.consumeInteger(10, shape.n) ||
      !name.consume_front("k") || name.consumeInteger(10, shape.k))
    return std::nullopt;
  shape.suffix = name;
  return shape;
}

/// The name is one of an instruction of warpgroups: C3.
static LogicalResult checkAtom(WgmmaOp op, std::optional<WgmmaShape> &atom,
                               Type element) {
  atom = parseAtom(op.getAtom());
  int64_t step = isa<IntegerType>(element) && atom && atom->n > 32 ? 16 : 8;
  if (atom && atom->m == 64 && atom->n >= 8 && atom->n <= 256 &&
      atom->n % step == 0 && atom->suffix.empty())
    return success();
  return op.emitOpError("expected atom to be m64, n and k, with n from 8 to "
                        "256 in steps of ")
         << step << ", got '" << op.getAtom() << "'";
}

/// The name is one of an instruction of tensor memory: C3. That of a pair is
/// called by the rows of both CTAs, of which the product has those of one.
static LogicalResult checkAtom(Tcgen05Op op, std::optional<WgmmaShape> &atom,
                               Type) {
  StringRef name = op.getAtom();
  bool isPair = name.consume_back(".pair");
  if (name.consume_front("tcgen05."))
    atom = parseAtom(name);
  if (atom && isPair && atom->m == 256 && atom->suffix.empty() &&
      atom->n >= 32 && atom->n <= 256 && atom->n % 32 == 0) {
    atom->m /= 2;
    return success();
  }
  if (isPair)
    return op.emitOpError(
               "expected atom of a pair to be tcgen05.m256, n and k, "
               "with n from 32 to 256 in steps of 32, got '")
           << op.getAtom() << "'";
  bool isScaled = atom && llvm::any_of(scaledTypes, [&](const auto &types) {
                    return types.suffix == atom->suffix;
                  });
  bool isM = atom && (atom->m == 128 || (atom->m == 64 && !isScaled));
  if (isM && atom->n >= 16 && atom->n <= 256 && atom->n % 16 == 0 &&
      (isScaled || atom->suffix.empty()))
    return success();
  return op.emitOpError("expected atom to be tcgen05. and m64 or m128, n and "
                        "k, with n from 16 to 256 in steps of 16, or m128, n, "
                        "k and .mxf8, .mxf4 or .nvf4, got '")
         << op.getAtom() << "'";
}

/// The atom is an instruction for the element types, and divides the product.
template <typename Op>
static LogicalResult verifyAtom(Op op, ArrayRef<int64_t> extents, Type element,
                                Type accumulator) {
  std::optional<WgmmaShape> atom;
  if (failed(checkAtom(op, atom, element)))
    return failure();
  std::string operandText = typeText(element);
  std::string accumulatorText = typeText(accumulator);
  SmallVector<WgmmaTypes> known;
  if (atom->suffix.empty())
    llvm::append_range(known, wgmmaTypes);
  for (const ScaledTypes &types : scaledTypes)
    if (types.suffix == atom->suffix)
      known.push_back({types.operand, "f32", types.depth});
  SmallVector<std::string> taken;
  for (const WgmmaTypes &types : known) { // C4
    if (types.depth != atom->k)
      continue;
    if (types.operand == operandText && types.accumulator == accumulatorText) {
      if (extents[0] % atom->m == 0 && extents[1] % atom->n == 0 &&
          extents[2] % atom->k == 0)
        return success();
      return op.emitOpError("expected atom ")
             << op.getAtom() << " to divide the product, got M, N and K "
             << shapeText(extents);
    }
    taken.push_back((types.operand + " and " + types.accumulator).str());
  }
  return op.emitOpError(
             "expected operand and accumulator types of an atom of k ")
         << atom->k << ", " << (taken.empty() ? "of which there is none" : "")
         << llvm::join(taken, " or ") << ", got " << operandText << " and "
         << accumulatorText;
}

/// Shape and element type of a buffer or a tile.
static std::pair<ArrayRef<int64_t>, Type> describe(Type type) {
  if (auto buffer = dyn_cast<BufferType>(type))
    return {buffer.getShape(), buffer.getElementType()};
  auto tile = cast<TileType>(type);
  return {tile.getShape(), tile.getElementType()};
}

template <typename Op> static LogicalResult verifyProduct(Op op) {
  auto [lhsShape, lhsElement] = describe(op.getLhs().getType());
  BufferType rhs = op.getRhs().getType();
  TileType acc = op.getAcc().getType().getTile();
  if (lhsShape.size() != 2 || rhs.getShape().size() != 2 ||
      acc.getShape().size() != 2 || // C1
      lhsShape[1] != rhs.getShape()[0] || lhsShape[0] != acc.getShape()[0] ||
      rhs.getShape()[1] != acc.getShape()[1])
    return op.emitOpError("expected shapes [M, K], [K, N], [M, N], got ")
           << shapeText(lhsShape) << ", " << shapeText(rhs.getShape()) << ", "
           << shapeText(acc.getShape());
  if (lhsElement != rhs.getElementType()) // C2
    return op.emitOpError("expected lhs and rhs of one element type, got ")
           << lhsElement << " and " << rhs.getElementType();
  int64_t parts = partsOf(op.getAtom());
  int64_t extents[] = {lhsShape[0], rhs.getShape()[1], lhsShape[1] * parts};
  if (failed(verifyAtom(op, extents, lhsElement, acc.getElementType())))
    return failure(); // C3, C4
  bool isInteger = isa<IntegerType>(lhsElement) && parts == 1;
  if (op.getSignednessLhs().has_value() != isInteger || // C5
      op.getSignednessRhs().has_value() != isInteger)
    return op.emitOpError(
               "expected signedness_lhs and signedness_rhs of integers")
           << (isInteger ? "" : " only");
  return success();
}

/// Two CTAs hold the right operand together where they multiply together: C7.
static LogicalResult verifyHolders(Tcgen05Op op) {
  bool isPair = isOfPair(op.getAtom());
  auto left = cast<BufferType>(op.getLhs().getType());
  BufferType right = op.getRhs().getType();
  for (auto [buffer, isShared] :
       {std::pair(left, false), std::pair(right, isPair)})
    if (buffer.getLayout().getIsFlat() == isShared)
      return op.emitOpError("expected lhs in one CTA, and rhs in ")
             << (isPair ? "two" : "one") << " for atom " << op.getAtom()
             << ", got " << buffer;
  return success();
}

LogicalResult WgmmaOp::verify() { return verifyProduct(*this); }

LogicalResult DepositOp::verify() {
  TileType tile = getSum().getType().getTile();
  BufferType buffer = getBuffer().getType();
  if (tile.getShape() == buffer.getShape() &&
      tile.getElementType() == buffer.getElementType()) // C1
    return success();
  return emitOpError("expected a buffer of the shape and element type of ")
         << getSum().getType() << ", got " << buffer;
}

/// Scale factors belong to an atom that takes them: C6.
static LogicalResult verifyScales(Tcgen05Op op) {
  StringRef name = op.getAtom(), suffix = suffixOf(name);
  size_t expected = suffix.empty() ? 0 : 2;
  if (op.getScales().size() != expected)
    return op.emitOpError("expected ")
           << expected << " operands of scale factors for atom " << name
           << ", got " << op.getScales().size();
  if (suffix.empty())
    return success();
  Type left = op.getScales()[0].getType(), right = op.getScales()[1].getType();
  if (isa<BufferType>(left) != isa<BufferType>(right))
    return op.emitOpError("expected scale factors in two tiles or two buffers")
           << ", got " << left << " and " << right;
  auto [leftShape, scale] = describe(left);
  auto [rightShape, rightScale] = describe(right);
  ArrayRef<int64_t> acc = op.getAcc().getType().getTile().getShape();
  int64_t k = op.getRhs().getType().getShape()[0] * partsOf(name);
  std::string operand = typeText(op.getRhs().getType().getElementType());
  SmallVector<std::string> taken;
  for (const ScaledTypes &types : scaledTypes) {
    if (types.suffix != suffix || types.operand != operand)
      continue;
    int64_t count = k / types.block;
    int64_t ofLeft[] = {acc[0], count}, ofRight[] = {count, acc[1]};
    ArrayRef<int64_t> rows(ofLeft), columns(ofRight);
    if (leftShape == rows && rightShape == columns && scale == rightScale &&
        typeText(scale) == types.scale)
      return success();
    taken.push_back(shapeText(rows) + " and " + shapeText(columns) + " of " +
                    types.scale.str());
  }
  return op.emitOpError("expected scale factors ")
         << llvm::join(taken, " or ") << ", got " << left << " and " << right;
}

LogicalResult Tcgen05Op::verify() {
  if (!isa<BufferType>(getLhs().getType())) // C2
    return emitOpError("expected lhs to be a buffer, got ")
           << getLhs().getType();
  if (failed(verifyProduct(*this)) || failed(verifyHolders(*this))) // C7
    return failure();
  return verifyScales(*this); // C6
}

//===----------------------------------------------------------------------===//
// settled, await
//===----------------------------------------------------------------------===//

ParseResult cuda_tile::tileas::parseSettledTypes(OpAsmParser &parser,
                                                 Type &tile, Type &pending) {
  TileType type;
  if (parseCudaTileType(parser, type))
    return failure();
  tile = type;
  pending = PendingType::get(type);
  return success();
}

void cuda_tile::tileas::printSettledTypes(OpAsmPrinter &printer, Operation *,
                                          Type tile, Type) {
  printCudaTileType(printer, tile);
}

LogicalResult SettledOp::verify() {
  if (getResult().getType().getTile() == getTile().getType()) // C1
    return success();
  return emitOpError("expected a result pending of ")
         << getTile().getType() << ", got " << getResult().getType();
}

ParseResult cuda_tile::tileas::parseAwaitedTypes(OpAsmParser &parser,
                                                 SmallVectorImpl<Type> &pending,
                                                 SmallVectorImpl<Type> &tiles) {
  return parser.parseCommaSeparatedList([&]() -> ParseResult {
    PendingType type;
    if (parser.parseType(type))
      return failure();
    pending.push_back(type);
    tiles.push_back(type.getTile());
    return success();
  });
}

void cuda_tile::tileas::printAwaitedTypes(OpAsmPrinter &printer, Operation *,
                                          TypeRange pending, TypeRange) {
  llvm::interleaveComma(pending, printer);
}

LogicalResult AwaitOp::verify() {
  if (getPending().size() == getTiles().size() && // C1
      llvm::all_of(
          llvm::zip_equal(getPending().getTypes(), getTiles().getTypes()),
          [](auto pair) {
            auto [pending, tile] = pair;
            return cast<PendingType>(pending).getTile() == tile;
          }))
    return success();
  return emitOpError("expected the tiles of what is pending, ")
         << getPending().getTypes() << ", got " << getTiles().getTypes();
}
