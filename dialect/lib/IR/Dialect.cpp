//===- Dialect.cpp - The cuda_tile dialect --------------------------------===//

#include "IR/Syntax.h"
#include "cuda_tile/Tileas/Tileas.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace cuda_tile;

#include "cuda_tile/IR/CudaTileDialect.cpp.inc"
#include "cuda_tile/IR/CudaTileEnums.cpp.inc"

void CudaTileDialect::initialize() {
  registerTypes();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "cuda_tile/IR/CudaTileOps.cpp.inc"
      >();
  addFolder();
  addInliner();
  addEffects();
  addBranches();
}

/// Materialises constants for folding; only tiles have constants.
Operation *CudaTileDialect::materializeConstant(OpBuilder &builder,
                                                Attribute value, Type type,
                                                Location loc) {
  auto tile = dyn_cast<TileType>(type);
  auto elements = dyn_cast<DenseIntOrFPElementsAttr>(value);
  if (!tile || !elements || elements.getType() != tile.withLayout({}))
    return nullptr;
  return ConstantOp::create(builder, loc, tile, elements);
}

Type CudaTileDialect::parseType(DialectAsmParser &parser) const {
  Type type;
  if (parseCudaTileType(parser, type))
    return {};
  return type;
}

void CudaTileDialect::printType(Type type, DialectAsmPrinter &printer) const {
  printCudaTileType(printer, type);
}

template <typename Op>
static ParseResult parseAs(OpAsmParser &parser, OperationState &result) {
  result.name = OperationName(Op::getOperationName(), parser.getContext());
  return Op::parse(parser, result);
}

/// Alternative names of ops: `print` until 13.1, `fpowf` since 13.4.
std::optional<Dialect::ParseOpHook>
CudaTileDialect::getParseOperationHook(StringRef name) const {
  if (name == "cuda_tile.print")
    return ParseOpHook(parseAs<PrintTkoOp>);
  if (name == "cuda_tile.fpowf")
    return ParseOpHook(parseAs<PowOp>);
  return Dialect::getParseOperationHook(name);
}

void cuda_tile::registerDialects(DialectRegistry &registry) {
  registry.insert<CudaTileDialect, cute::CuteDialect, tileas::TileasDialect>();
}
