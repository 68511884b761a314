//===- Dialect.cpp - The cuda_tile dialect --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/NumberedModel.h"
#include "IR/Syntax.h"
#include "cuda_tile/Tileas/Tileas.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace cuda_tile;

#include "cuda_tile/IR/CudaTileDialect.cpp.inc"
#include "cuda_tile/IR/CudaTileEnums.cpp.inc"

//===----------------------------------------------------------------------===//
// Enumerations as numbers
//===----------------------------------------------------------------------===//

constexpr static StringLiteral kOrdering = "memory_ordering_semantics";
constexpr static StringLiteral kScope = "memory_scope";
constexpr static StringLiteral kMode = "mode";

bool cuda_tile::isNumbered(StringRef name) {
  return name == kOrdering || name == kScope || name == kMode;
}

Attribute cuda_tile::toNumber(StringRef name, Attribute attribute) {
  auto number = [&](auto value) -> Attribute {
    return IntegerAttr::get(IntegerType::get(attribute.getContext(), 32),
                            static_cast<int64_t>(value));
  };
  if (auto ordering =
          dyn_cast_if_present<MemoryOrderingSemanticsAttr>(attribute))
    return number(ordering.getValue());
  if (auto scope = dyn_cast_if_present<MemoryScopeAttr>(attribute))
    return number(scope.getValue());
  if (auto mode = dyn_cast_if_present<AtomicRMWModeAttr>(attribute))
    return number(mode.getValue());
  return attribute;
}

Attribute cuda_tile::fromNumber(StringRef name, Attribute attribute) {
  auto number = dyn_cast_if_present<IntegerAttr>(attribute);
  if (!number || !number.getType().isSignlessInteger(32))
    return attribute;
  auto value = static_cast<uint32_t>(number.getValue().getZExtValue());
  MLIRContext *context = number.getContext();
  if (name == kOrdering)
    if (auto ordering = symbolizeMemoryOrderingSemantics(value))
      return MemoryOrderingSemanticsAttr::get(context, *ordering);
  if (name == kScope)
    if (auto scope = symbolizeMemoryScope(value))
      return MemoryScopeAttr::get(context, *scope);
  if (name == kMode)
    if (auto mode = symbolizeAtomicRMWMode(value))
      return AtomicRMWModeAttr::get(context, *mode);
  return attribute;
}

void CudaTileDialect::initialize() {
  registerTypes();
  registerAttributes();
  NumberedOps<
#define GET_OP_LIST
#include "cuda_tile/IR/CudaTileOps.cpp.inc"
      >::add(*this);
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
  if (parseDialectType(parser, type))
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
