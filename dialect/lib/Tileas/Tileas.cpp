//===- Tileas.cpp - Tile assembly -----------------------------------------===//

#include "cuda_tile/Tileas/Tileas.h"

#include "IR/Syntax.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cuda_tile;
using namespace cuda_tile::tileas;

#include "cuda_tile/Tileas/TileasDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "cuda_tile/Tileas/TileasTypes.cpp.inc"

#define GET_OP_CLASSES
#include "cuda_tile/Tileas/TileasOps.cpp.inc"

void TileasDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "cuda_tile/Tileas/TileasTypes.cpp.inc"
      >();
}

void TileasDialect::initialize() {
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "cuda_tile/Tileas/TileasOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// BufferType
//===----------------------------------------------------------------------===//

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, Type elementType,
                                 cute::LayoutAttr layout) {
  if (failed(TileType::verify(emitError, shape, elementType, {})))
    return failure();
  if (!layout.getIsFlat())
    return emitError() << "expected a buffer's layout to be flat, got "
                       << layout;
  std::string misfit = layout.findMisfit(shape, /*bijective=*/true);
  if (!misfit.empty())
    return emitError() << misfit;
  return success();
}

Type BufferType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type elementType;
  cute::LayoutAttr layout;
  if (parser.parseLess() || parser.parseDimensionList(shape) ||
      parseCudaTileType(parser, elementType) || parser.parseComma() ||
      parser.parseAttribute(layout) || parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    shape, elementType, layout);
}

void BufferType::print(AsmPrinter &printer) const {
  printer << "<";
  printShape(printer.getStream(), getShape());
  if (!getShape().empty())
    printer << "x";
  printCudaTileType(printer, getElementType());
  printer << ", " << getLayout() << ">";
}

//===----------------------------------------------------------------------===//
// store_shared
//===----------------------------------------------------------------------===//

LogicalResult StoreSharedOp::verify() {
  TileType tile = getTile().getType();
  BufferType buffer = getBuffer().getType();
  if (tile.getShape() != buffer.getShape() || // C1
      tile.getElementType() != buffer.getElementType())
    return emitOpError("expected tile and buffer of one shape and element "
                       "type, got ")
           << tile << " and " << buffer;
  return success();
}

//===----------------------------------------------------------------------===//
// load_shared
//===----------------------------------------------------------------------===//

LogicalResult LoadSharedOp::verify() {
  TileType tile = getTile().getType();
  BufferType buffer = getBuffer().getType();
  ArrayRef<int64_t> extents = buffer.getShape();
  if (tile.getShape().size() != extents.size() || // C1
      tile.getElementType() != buffer.getElementType())
    return emitOpError("expected tile and buffer of one rank and element type, "
                       "got ")
           << tile << " and " << buffer;
  if (getOffsets().size() != extents.size()) // C2
    return emitOpError("expected ")
           << extents.size() << " offsets (the buffer's rank), got "
           << getOffsets().size();
  for (auto [i, offset] : llvm::enumerate(getOffsets())) // C2
    if (offset < 0 || offset > extents[i] - tile.getDimSize(i))
      return emitOpError("expected the tile to lie inside the buffer, got "
                         "offset ")
             << offset << " and extent " << tile.getDimSize(i)
             << " along dimension " << i << " of extent " << extents[i];
  return success();
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
  return success();
}
