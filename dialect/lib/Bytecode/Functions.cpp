//===- Functions.cpp - The function section -------------------------------===//

#include "Functions.h"
#include "cuda_tile/IR/CudaTile.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace cuda_tile::bytecode {

namespace {

/// What stands in front of a function's body.
struct FunctionHeader {
  StringAttr name;
  FunctionType type;
  FunctionLocations locations;
  Attribute hints;
  bool isPrivate = false;
};

} // namespace

static LogicalResult readType(Cursor &cursor, const Tables &tables,
                              StringRef function, FunctionType &result) {
  uint64_t start = cursor.offset();
  Type type = tables.types.readType(
      cursor, "function signature for function '" + function + "'");
  if (!type)
    return failure();
  result = dyn_cast<FunctionType>(type);
  if (result)
    return success();
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return cursor.diags().error(
      start, "function signature index does not refer to a function type for "
             "function '" +
                 function + "', got type: " + text);
}

static LogicalResult readFlags(Cursor &cursor, StringRef function,
                               uint64_t &flags) {
  uint64_t start = cursor.offset();
  if (failed(cursor.readByte(flags, "function flags")))
    return failure();
  constexpr uint64_t known =
      kFunctionIsPrivate | kFunctionIsEntry | kFunctionHasHints;
  if (flags & ~known)
    return cursor.diags().error(start,
                                "function entry has unrecognized flag bits (" +
                                    Twine(flags & ~known) + ")");
  if (!(flags & kFunctionIsEntry))
    return cursor.diags().error(start, "un-expected non-entry function '" +
                                           function + "'");
  return success();
}

static LogicalResult readHeader(Cursor &cursor, Tables &tables, Place &place,
                                FunctionHeader &header) {
  uint64_t start = cursor.offset();
  header.name = tables.strings.readStringAttr(cursor, "function name");
  if (!header.name)
    return failure();
  if (header.name.empty())
    return cursor.diags().error(start, "function name is empty");
  place.setName(header.name);

  uint64_t flags;
  if (failed(readType(cursor, tables, header.name, header.type)) ||
      failed(readFlags(cursor, header.name, flags)))
    return failure();
  header.isPrivate = flags & kFunctionIsPrivate;
  uint64_t debugStart = cursor.offset(), debugNumber;
  if (failed(cursor.readVarint(debugNumber, "function location for '" +
                                                header.name.getValue() +
                                                "'")) ||
      failed(tables.debug.getFunction(debugNumber, debugStart, cursor.diags(),
                                      header.locations)))
    return failure();
  if (!(flags & kFunctionHasHints))
    return success();
  uint64_t hintsStart = cursor.offset();
  AttributeReader attributes(tables.strings, tables.types);
  header.hints = attributes.readSelfContained(cursor);
  if (!header.hints)
    return failure();
  if (isa<OptimizationHintsAttr>(header.hints))
    return success();
  return cursor.diags().error(hintsStart,
                              "invalid optimization hints attribute "
                              "for function '" +
                                  header.name.getValue() + "'");
}

/// Reads a body into a new entry at the end of `module`.
static LogicalResult readBody(Cursor body, Tables &tables,
                              FunctionHeader &header, Block &module) {
  MLIRContext *context = body.getContext();
  Location location = UnknownLoc::get(context);
  if (failed(tables.debug.next(header.locations, body, location)))
    return failure();
  OperationState state(location, EntryOp::getOperationName());
  state.addAttribute("sym_name", header.name);
  state.addAttribute("function_type", TypeAttr::get(header.type));
  if (header.hints)
    state.addAttribute("optimization_hints", header.hints);
  if (header.isPrivate)
    state.addAttribute(SymbolTable::getVisibilityAttrName(),
                       StringAttr::get(context, "private"));
  Block &block = state.addRegion()->emplaceBlock();
  for (Type type : header.type.getInputs())
    block.addArgument(type, location);
  OpReader reader(tables, header.locations);
  if (failed(reader.readBody(body, block)))
    return failure();
  module.push_back(Operation::create(state));
  return success();
}

LogicalResult readFunctions(Cursor cursor, Tables &tables, Block &module) {
  uint64_t start = cursor.offset(), count;
  if (failed(cursor.readVarint(count, "number of functions")))
    return failure();
  if (count > cursor.remaining())
    return cursor.diags().error(start, "number of functions (" + Twine(count) +
                                           ") exceeds payload size (" +
                                           Twine(cursor.remaining()) + ")");
  for (uint64_t i = 0; i < count; ++i) {
    Place place(cursor.diags(), "function", i);
    FunctionHeader header;
    uint64_t size;
    if (failed(readHeader(cursor, tables, place, header)))
      return failure();
    uint64_t sizeStart = cursor.offset();
    if (failed(cursor.readVarint(size, "length of function body")))
      return failure();
    if (size > cursor.remaining())
      return cursor.diags().error(sizeStart,
                                  "function body length " + Twine(size) +
                                      " exceeds remaining bytecode data (" +
                                      Twine(cursor.remaining()) + " bytes)");
    if (failed(readBody(cursor.slice(size), tables, header, module)))
      return failure();
  }
  return cursor.expectEnd("the function section");
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static LogicalResult writeHeader(EntryOp entry, Pools &pools, Output &out) {
  // The location first: cuTile's files have its strings before the name.
  FailureOr<uint64_t> debugNumber = pools.debug.beginFunction(entry);
  if (failed(debugNumber))
    return failure();
  for (StringRef name : {"arg_attrs", "res_attrs"})
    if (entry->hasAttr(name))
      return entry.emitError("optional attribute '")
             << name << "' is provided but requires bytecode version 13.5, "
             << "targeting " << pools.version.str();
  AttributeWriter writer(pools.attributes(), out, entry);
  out.writeVarint(pools.strings.add(entry.getSymName()));
  if (failed(writer.writeType(entry.getFunctionType())))
    return failure();
  OptimizationHintsAttr hints =
      getHintsOf(pools.version, entry.getOptimizationHintsAttr(), entry);
  bool isPrivate = SymbolTable::getSymbolVisibility(entry) ==
                   SymbolTable::Visibility::Private;
  out.writeByte(kFunctionIsEntry | (isPrivate ? kFunctionIsPrivate : 0) |
                (hints ? kFunctionHasHints : 0));
  out.writeVarint(*debugNumber);
  return hints ? writer.writeSelfContained(hints) : success();
}

LogicalResult writeFunctions(Block &module, Pools &pools, Output &out) {
  auto entries = module.getOps<EntryOp>();
  out.writeVarint(std::distance(entries.begin(), entries.end()));
  for (EntryOp entry : entries) {
    Output body;
    if (failed(writeHeader(entry, pools, out)) ||
        failed(OpWriter(pools, body).writeBody(entry.getBody().front())))
      return failure();
    out.writeVarint(body.size());
    out.writeBytes(body.bytes());
  }
  return success();
}

} // namespace cuda_tile::bytecode
