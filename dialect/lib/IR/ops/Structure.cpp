//===- Structure.cpp - Modules, entries, the grid -------------------------===//

#include "IR/Syntax.h"

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

/// `(%a: tile<f32> {...}, ...)`.
static ParseResult
parseEntryArguments(OpAsmParser &parser,
                    SmallVectorImpl<OpAsmParser::Argument> &arguments) {
  auto parseArgument = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    OpAsmParser::Argument &argument = arguments.emplace_back();
    OptionalParseResult result = parser.parseOptionalArgument(argument);
    if (!result.has_value())
      return parser.emitError(loc, "expected SSA identifier");
    NamedAttrList attrs;
    if (failed(*result) || parser.parseColon() ||
        parseCudaTileType(parser, argument.type) ||
        parser.parseOptionalAttrDict(attrs) ||
        parser.parseOptionalLocationSpecifier(argument.sourceLoc))
      return failure();
    argument.attrs = attrs.getDictionary(parser.getContext());
    return success();
  };
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                        parseArgument);
}

/// `-> (tile<f32>)`, which no legal entry has, so that the verifier can say so.
static ParseResult parseEntryResults(OpAsmParser &parser,
                                     SmallVectorImpl<Type> &results) {
  if (failed(parser.parseOptionalArrow()))
    return success();
  return parser.parseCommaSeparatedList(
      OpAsmParser::Delimiter::OptionalParen,
      [&] { return parseCudaTileType(parser, results.emplace_back()); });
}

/// `optimization_hints=<...>`, or nothing.
static ParseResult parseEntryHints(OpAsmParser &parser,
                                   OptimizationHintsAttr &hints) {
  if (failed(parser.parseOptionalKeyword("optimization_hints")))
    return success();
  SMLoc loc;
  if (parser.parseEqual() || parser.getCurrentLocation(&loc))
    return failure();
  hints = dyn_cast_or_null<OptimizationHintsAttr>(
      OptimizationHintsAttr::parse(parser, {}));
  return success(static_cast<bool>(hints));
}

ParseResult EntryOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  Properties &properties = result.getOrAddProperties<Properties>();
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> results;
  if (parser.parseSymbolName(name) || parseEntryArguments(parser, arguments) ||
      parseEntryResults(parser, results) ||
      parseEntryHints(parser, properties.optimization_hints) ||
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

  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  ensureTerminator(*body, builder, result.location);
  return success();
}

void EntryOp::print(OpAsmPrinter &printer) {
  printer << " ";
  printer.printSymbolName(getSymName());
  printer << "(";
  llvm::interleaveComma(llvm::seq<unsigned>(0, getNumArguments()), printer,
                        [&](unsigned i) {
                          printer << getBody().getArgument(i) << ": ";
                          printCudaTileType(printer, getArgumentTypes()[i]);
                          if (ArrayAttr attrs = getArgAttrsAttr())
                            printer.printOptionalAttrDict(
                                cast<DictionaryAttr>(attrs[i]).getValue());
                        });
  printer << ")";
  if (!getResultTypes().empty()) {
    printer << " -> (";
    printCudaTileTypes(printer, getResultTypes());
    printer << ")";
  }
  if (OptimizationHintsAttr hints = getOptimizationHintsAttr()) {
    printer << " optimization_hints=";
    hints.print(printer);
  }
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getSymNameAttrName(), getFunctionTypeAttrName(), getArgAttrsAttrName(),
       getResAttrsAttrName(), getOptimizationHintsAttrName()});
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult EntryOp::verify() {
  if (!getResultTypes().empty()) // C1
    return emitOpError("entry op must not return values");
  for (Type type : getArgumentTypes()) { // C2
    auto tile = dyn_cast<TileType>(type);
    if (tile && tile.getRank() != 0)
      return emitOpError(
          "entry op must have scalar types (rank 0 !cuda_tile.tile)");
  }
  return success();
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
