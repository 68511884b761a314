//===- Structure.cpp - Modules, kernels, grid coordinates -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/Syntax.h"
#include "IR/Verify.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace cuda_tile;

//===----------------------------------------------------------------------===//
// module
//===----------------------------------------------------------------------===//

StringRef ModuleOp::getDefaultDialect() { return "cuda_tile"; }

void ModuleOp::build(OpBuilder &builder, OperationState &state,
                     StringRef name) {
  state.addRegion()->emplaceBlock();
  state.getOrAddProperties<Properties>().sym_name = builder.getStringAttr(name);
}

LogicalResult cuda_tile::ModuleOp::verifyRegions() {
  return verifyModuleScopes(*this); // C1
}

//===----------------------------------------------------------------------===//
// global
//===----------------------------------------------------------------------===//

StringRef GlobalOp::getDefaultDialect() { return "cuda_tile"; }

SymbolTable::Visibility GlobalOp::getVisibility() {
  return getSymbolVisibility() == SymbolVisibility::PRIVATE
             ? SymbolTable::Visibility::Private
             : SymbolTable::Visibility::Public;
}

/// A global has no nested visibility; anything but public means private.
void GlobalOp::setVisibility(SymbolTable::Visibility visibility) {
  setSymbolVisibility(visibility == SymbolTable::Visibility::Public
                          ? SymbolVisibility::PUBLIC
                          : SymbolVisibility::PRIVATE);
}

/// `private constant @name alignment = 128 <i32: [1, 2]> : tile<2xi32>`.
ParseResult GlobalOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  Properties &properties = result.getOrAddProperties<Properties>();
  auto visibility = SymbolVisibility::PUBLIC;
  if (succeeded(parser.parseOptionalKeyword("private")))
    visibility = SymbolVisibility::PRIVATE;
  else
    (void)parser.parseOptionalKeyword("public");
  properties.symbol_visibility =
      SymbolVisibilityAttr::get(parser.getContext(), visibility);
  if (succeeded(parser.parseOptionalKeyword("constant")))
    properties.constant = builder.getUnitAttr();
  int64_t alignment = 0;
  if (parser.parseSymbolName(properties.sym_name))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("alignment")))
    if (parser.parseEqual() || parser.parseInteger(alignment))
      return failure();
  properties.alignment = builder.getI64IntegerAttr(alignment);
  Type type;
  return failure(parseDenseTile(parser, properties.value, type) ||
                 parser.parseOptionalAttrDict(result.attributes));
}

void GlobalOp::print(OpAsmPrinter &printer) {
  if (getSymbolVisibility() != SymbolVisibility::PUBLIC)
    printer << " " << stringifySymbolVisibility(getSymbolVisibility());
  if (getConstant())
    printer << " constant";
  printer << " ";
  printer.printSymbolName(getSymName());
  if (getAlignment() != 0)
    printer << " alignment = " << static_cast<int64_t>(getAlignment());
  printer << " ";
  printDenseTile(printer, *this, getValueAttr(), getValueAttr().getType());
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getSymNameAttrName(), getValueAttrName(),
                                 getAlignmentAttrName(), getConstantAttrName(),
                                 getSymbolVisibilityAttrName()});
}

LogicalResult GlobalOp::verify() {
  if (getValueAttr().getType().getRank() != 1) // C1
    return emitOpError("type must have rank 1");
  return success();
}

//===----------------------------------------------------------------------===//
// get_global
//===----------------------------------------------------------------------===//

LogicalResult
GetGlobalOp::verifySymbolUses(SymbolTableCollection &symbolTables) {
  auto global =
      symbolTables.lookupNearestSymbolFrom<GlobalOp>(*this, getNameAttr());
  if (!global) // C1
    return emitOpError("'")
           << getName() << "' does not reference a valid global";
  Type wanted = global.getValueAttr().getElementType();
  auto pointer = cast<PointerType>(getResult().getType().getElementType());
  if (pointer.getPointeeType() != wanted) // C2
    return emitOpError("pointee type of result type ")
           << pointer << " does not match type " << wanted << " of the global @"
           << getName();
  return success();
}

//===----------------------------------------------------------------------===//
// entry
//===----------------------------------------------------------------------===//

StringRef EntryOp::getDefaultDialect() { return "cuda_tile"; }

void EntryOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                    FunctionType type) {
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.sym_name = builder.getStringAttr(name);
  properties.function_type = TypeAttr::get(type);
  Block &body = state.addRegion()->emplaceBlock();
  for (Type input : type.getInputs())
    body.addArgument(input, state.location);
}

/// `%a: `, or nothing. Either all arguments have names or none.
static ParseResult parseArgumentName(OpAsmParser &parser,
                                     OpAsmParser::Argument &argument,
                                     ArrayRef<OpAsmParser::Argument> previous) {
  SMLoc loc = parser.getCurrentLocation();
  OptionalParseResult result = parser.parseOptionalArgument(argument);
  bool isNamed = result.has_value();
  if (isNamed && failed(*result))
    return failure();
  if (!previous.empty() && isNamed == previous.back().ssaName.name.empty())
    return parser.emitError(loc, isNamed
                                     ? "expected type instead of SSA identifier"
                                     : "expected SSA identifier");
  return isNamed ? parser.parseColon() : success();
}

ParseResult cuda_tile::parseFunctionArguments(
    OpAsmParser &parser, SmallVectorImpl<OpAsmParser::Argument> &arguments) {
  bool isVariadic = false;
  SMLoc listLoc = parser.getCurrentLocation();
  auto parseArgument = [&]() -> ParseResult {
    if (isVariadic)
      return parser.emitError(
          parser.getCurrentLocation(),
          "variadic arguments must be at end of argument list");
    isVariadic = succeeded(parser.parseOptionalEllipsis());
    if (isVariadic)
      return success();
    OpAsmParser::Argument argument;
    NamedAttrList attrs;
    if (parseArgumentName(parser, argument, arguments) ||
        parseCudaTileType(parser, argument.type) ||
        parser.parseOptionalAttrDict(attrs) ||
        parser.parseOptionalLocationSpecifier(argument.sourceLoc))
      return failure();
    argument.attrs = attrs.getDictionary(parser.getContext());
    arguments.push_back(argument);
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                     parseArgument))
    return failure();
  if (isVariadic)
    return parser.emitError(listLoc, "expected a fixed number of arguments");
  return success();
}

ParseResult cuda_tile::parseFunctionResults(OpAsmParser &parser,
                                            SmallVectorImpl<Type> &results) {
  if (failed(parser.parseOptionalArrow()))
    return success();
  auto parseResult = [&] {
    return parseCudaTileType(parser, results.emplace_back());
  };
  if (failed(parser.parseOptionalLParen()))
    return parseResult();
  if (succeeded(parser.parseOptionalRParen()))
    return success();
  return failure(parser.parseCommaSeparatedList(parseResult) ||
                 parser.parseRParen());
}

ParseResult EntryOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  Properties &properties = result.getOrAddProperties<Properties>();
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> results;
  // No legal entry has results; the verifier reports them.
  if (parser.parseSymbolName(name) ||
      parseFunctionArguments(parser, arguments) ||
      parseFunctionResults(parser, results) ||
      parseOptionalHints(parser, properties.optimization_hints) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  properties.sym_name = name;
  auto types = llvm::map_to_vector(
      arguments, [](OpAsmParser::Argument &argument) { return argument.type; });
  properties.function_type =
      TypeAttr::get(builder.getFunctionType(types, results));
  call_interface_impl::addArgAndResultAttrs(
      builder, result, arguments, /*resultAttrs=*/{},
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));

  // Without names the body has no arguments, which the verifier refuses.
  if (!arguments.empty() && arguments.front().ssaName.name.empty())
    arguments.clear();
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  ensureTerminator(*body, builder, result.location);
  if (properties.optimization_hints &&
      properties.optimization_hints.getValue().empty())
    properties.optimization_hints = {};
  return success();
}

void cuda_tile::printFunctionSignature(OpAsmPrinter &printer,
                                       FunctionOpInterface function) {
  printer << " ";
  printer.printSymbolName(function.getName());
  printer << "(";
  auto printArgument = [&](unsigned i) {
    if (!function.isExternal())
      printer << function.getArgument(i) << ": ";
    printCudaTileType(printer, function.getArgumentTypes()[i]);
    printer.printOptionalAttrDict(function.getArgAttrs(i));
  };
  llvm::interleaveComma(llvm::seq<unsigned>(0, function.getNumArguments()),
                        printer, printArgument);
  printer << ")";
  ArrayRef<Type> results = function.getResultTypes();
  if (results.empty())
    return;
  printer << " -> ";
  if (results.size() != 1)
    printer << "(";
  printCudaTileTypes(printer, results);
  if (results.size() != 1)
    printer << ")";
}

void EntryOp::print(OpAsmPrinter &printer) {
  printFunctionSignature(printer, *this);
  OptimizationHintsAttr hints = getOptimizationHintsAttr();
  if (hints && !hints.getValue().empty()) {
    printer << " optimization_hints=";
    hints.print(printer);
  }
  StringRef elided[] = {getSymNameAttrName(), getFunctionTypeAttrName(),
                        getArgAttrsAttrName(), getResAttrsAttrName(),
                        getOptimizationHintsAttrName()};
  printFrontAttributes(printer, *this, elided);
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  printBackAttributes(printer, *this, elided);
}

LogicalResult EntryOp::verify() {
  if (!getResultTypes().empty()) // C1
    return emitOpError("entry op must not return values");
  if (SymbolTable::getSymbolVisibility(*this) != // C5
      SymbolTable::Visibility::Public)
    return emitOpError("entry op must have public symbol visibility");
  for (Type type : getArgumentTypes()) { // C2
    auto tile = dyn_cast<TileType>(type);
    if (tile && tile.getRank() != 0)
      return emitOpError(
          "entry op must have scalar types (rank 0 !cuda_tile.tile)");
  }
  return verifyHints(*this, HintedOp::Entry, getOptimizationHintsAttr()); // C3
}

LogicalResult EntryOp::verifyRegions() {
  return verifyFunctionScopes(*this); // C4
}

//===----------------------------------------------------------------------===//
// get_tile_block_id, get_num_tile_blocks
//===----------------------------------------------------------------------===//

void GetTileBlockIdOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getBlockIdX(), "blockId_x");
  setName(getBlockIdY(), "blockId_y");
  setName(getBlockIdZ(), "blockId_z");
}

void GetNumTileBlocksOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getGridSizeX(), "gridSize_x");
  setName(getGridSizeY(), "gridSize_y");
  setName(getGridSizeZ(), "gridSize_z");
}
