//===- Tileas.cpp - Tile assembly -----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda_tile/Tileas/Tileas.h"

#include "IR/Syntax.h"
#include "Tileas/Syntax.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cuda_tile;
using namespace cuda_tile::tileas;

#include "cuda_tile/Tileas/TileasDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "cuda_tile/Tileas/TileasTypes.cpp.inc"

#include "cuda_tile/Tileas/TileasInterfaces.cpp.inc"

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
  SmallVector<cute::LayoutAttr::Group> groups = layout.getGroups();
  if (!layout.getIsFlat() && (groups.size() != 2 || groups[1].empty()))
    return emitError() << "expected a buffer's layout to be flat, or to have 2 "
                          "groups of bases (offset, block), got "
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
// PendingType
//===----------------------------------------------------------------------===//

Type PendingType::parse(AsmParser &parser) {
  TileType tile;
  if (parser.parseLess() || parseCudaTileType(parser, tile) ||
      parser.parseGreater())
    return {};
  return PendingType::get(tile);
}

void PendingType::print(AsmPrinter &printer) const {
  printer << "<";
  printCudaTileType(printer, getTile());
  printer << ">";
}

//===----------------------------------------------------------------------===//
// RingType
//===----------------------------------------------------------------------===//

LogicalResult RingType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t slots, ArrayRef<BufferType> buffers) {
  if (slots < 1)
    return emitError() << "expected a ring of at least one slot, got " << slots;
  if (buffers.empty())
    return emitError() << "expected a ring of at least one buffer per slot";
  return success();
}

Type RingType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t slots;
  SmallVector<BufferType> buffers;
  if (parser.parseLess() || parser.parseInteger(slots))
    return {};
  while (succeeded(parser.parseOptionalComma()))
    if (parser.parseType(buffers.emplace_back()))
      return {};
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    slots, buffers);
}

void RingType::print(AsmPrinter &printer) const {
  printer << "<" << getSlots();
  for (BufferType buffer : getBuffers())
    printer << ", " << buffer;
  printer << ">";
}
