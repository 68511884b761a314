//===- Functions.cpp - The function section -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Functions.h"
#include "cuda_tile/IR/CudaTile.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace cuda_tile::bytecode {

namespace {

/// The header of a function, before its body.
struct FunctionHeader {
  StringAttr name;
  FunctionType type;
  FunctionLocations locations;
  OptimizationHintsAttr hints;  // null: none
  ArrayAttr argumentAttributes; // null: none
  bool isPrivate = false;
  bool isTesting = false;

  /// The op that the function becomes.
  StringRef opName() const {
#ifdef CUDA_TILE_TESTING
    if (isTesting)
      return TestingFuncOp::getOperationName();
#endif // CUDA_TILE_TESTING
    return EntryOp::getOperationName();
  }
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
                               Version version, uint64_t &flags) {
  uint64_t start = cursor.offset();
  if (failed(cursor.readByte(flags, "function flags")))
    return failure();
  bool hasPreview = version >= kEntryAttributesVersion;
  uint64_t known = kFunctionIsPrivate | kFunctionIsEntry | kFunctionHasHints;
  bool readsTesting = false;
#ifdef CUDA_TILE_TESTING
  readsTesting = !hasPreview;
#endif // CUDA_TILE_TESTING
  if (hasPreview || readsTesting)
    known |= kFunctionIsTesting;
  auto refuse = [&](const Twine &why) {
    return cursor.diags().error(start, why);
  };
  if (flags & ~known)
    return refuse("function entry has unrecognized flag bits (0x" +
                  Twine::utohexstr(flags & ~known) + ");");
  if (flags & kFunctionIsTesting && !readsTesting)
    return refuse("function entry has testing form in non-test build");
  if (flags & kFunctionIsTesting && flags & kFunctionIsEntry)
    return refuse("function entry cannot be both kernel and of testing form");
  if (flags & kFunctionIsTesting)
    return success();
  if (hasPreview && flags & kFunctionIsExtern && flags & kFunctionIsEntry)
    return refuse("function entry cannot be both kernel and extern impl");
  if (hasPreview && !(flags & kFunctionIsEntry))
    return refuse("function '" + function +
                  "' uses preview feature 'simt', which is not enabled; "
                  "un-expected non-entry function '" +
                  function + "'");
  if (!(flags & kFunctionIsEntry))
    return cursor.diags().error(start, "un-expected non-entry function '" +
                                           function + "'");
  return success();
}

static LogicalResult readHints(Cursor &cursor, const Tables &tables,
                               StringRef function, FunctionHeader &header) {
  uint64_t start = cursor.offset();
  AttributeReader reader(tables.strings, tables.types);
  Attribute attribute = reader.readSelfContained(cursor);
  if (!attribute)
    return failure();
  auto hints = dyn_cast<OptimizationHintsAttr>(attribute);
  if (!hints)
    return cursor.diags().error(start, "invalid optimization hints attribute "
                                       "for function '" +
                                           function + "'");
  // An empty record means no hints; since 13.5 the record is always present.
  if (!hints.getValue().empty())
    header.hints = hints;
  return success();
}

/// An array that is empty or has a dictionary per argument. Dictionaries that
/// are missing are empty, those of no argument are skipped.
static LogicalResult readArgumentAttributes(Cursor &cursor,
                                            const Tables &tables,
                                            StringRef function,
                                            FunctionHeader &header) {
  uint64_t start = cursor.offset();
  AttributeReader reader(tables.strings, tables.types);
  Attribute attribute = reader.readSelfContained(cursor);
  if (!attribute)
    return failure();
  auto array = dyn_cast<ArrayAttr>(attribute);
  size_t numArguments = header.type.getNumInputs();
  std::string message =
      ("expected argument attributes of function '" + function +
       "' to be an array of no or " + Twine(numArguments) + " dictionaries")
          .str();
  if (!array || !llvm::all_of(array, llvm::IsaPred<DictionaryAttr>))
    return cursor.diags().error(start, message);
  if (array.empty())
    return success();
  SmallVector<Attribute> dictionaries(array.getValue());
  if (dictionaries.size() != numArguments &&
      failed(cursor.diags().warnUnlessStrict(
          start, message,
          "got " + Twine(array.size()) +
              (array.size() > numArguments ? "; the last ones are skipped"
                                           : "; the others are empty"))))
    return failure();
  dictionaries.resize(numArguments, DictionaryAttr::get(cursor.getContext()));
  header.argumentAttributes = ArrayAttr::get(cursor.getContext(), dictionaries);
  return success();
}

/// Reads all but the body. A name that is not there is reported after the
/// other fields.
static LogicalResult readHeader(Cursor &cursor, Tables &tables, Place &place,
                                FunctionHeader &header) {
  uint64_t start = cursor.offset(), nameIndex, flags;
  if (failed(cursor.readVarint(nameIndex, "function name")))
    return failure();
  StringRef name = tables.strings.peek(nameIndex);
  place.setName(name);
  if (failed(readType(cursor, tables, name, header.type)) ||
      failed(readFlags(cursor, name, tables.version, flags)))
    return failure();
  header.isPrivate = flags & kFunctionIsPrivate;
  header.isTesting = flags & kFunctionIsTesting;
  uint64_t debugStart = cursor.offset(), debugNumber;
  if (failed(cursor.readVarint(debugNumber,
                               "function location for '" + name + "'")) ||
      failed(tables.debug.getFunction(name, debugNumber, debugStart,
                                      cursor.diags(), header.locations)))
    return failure();
  bool hasAttributeFields = tables.version >= kEntryAttributesVersion;
  bool hasHints = hasAttributeFields || flags & kFunctionHasHints;
  if ((hasHints && failed(readHints(cursor, tables, name, header))) ||
      (hasAttributeFields &&
       failed(readArgumentAttributes(cursor, tables, name, header))))
    return failure();
  header.name =
      tables.strings.getStringAttr(cursor, start, nameIndex, "function name");
  if (!header.name)
    return failure();
  if (header.name.empty())
    return cursor.diags().error(start, "function name is empty");
  return success();
}

/// Reads a body into a new function at the end of `module`.
static LogicalResult readBody(Cursor body, Tables &tables,
                              FunctionHeader &header, Block &module) {
  MLIRContext *context = body.getContext();
  Location location = UnknownLoc::get(context);
  if (failed(tables.debug.next(header.locations, body, location)))
    return failure();
  OperationState state(location, header.opName());
  state.addAttribute("sym_name", header.name);
  state.addAttribute("function_type", TypeAttr::get(header.type));
  if (header.hints)
    state.addAttribute("optimization_hints", header.hints);
  if (header.argumentAttributes)
    state.addAttribute("arg_attrs", header.argumentAttributes);
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
  return cursor.expectEnd("the function section", kSectionPadding);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static LogicalResult writeHeader(FunctionOpInterface function, Pools &pools,
                                 Output &out) {
  // The location comes first: in cuTile's files its strings precede the name.
  FailureOr<uint64_t> debugNumber = pools.debug.beginFunction(function);
  if (failed(debugNumber))
    return failure();
  ArrayAttr argumentAttributes = function.getArgAttrsAttr();
  bool hasAttributeFields = pools.version >= kEntryAttributesVersion;
  if (argumentAttributes && !hasAttributeFields)
    return function.emitError("optional attribute 'arg_attrs' is provided but "
                              "requires bytecode version ")
           << kEntryAttributesVersion.str() << ", targeting "
           << pools.version.str();
  AttributeWriter writer(pools.attributes(), out, function);
  out.writeVarint(pools.strings.add(function.getName()));
  if (failed(writer.writeType(function.getFunctionType())))
    return failure();
  auto entry = dyn_cast<EntryOp>(function.getOperation());
  if (!entry && hasAttributeFields)
    return function.emitError("operation '")
           << function->getName() << "' is not available in bytecode version "
           << pools.version.str();
  OptimizationHintsAttr hints =
      entry ? getHintsOf(pools.version, entry.getOptimizationHintsAttr(), entry)
            : OptimizationHintsAttr();
  bool isPrivate = SymbolTable::getSymbolVisibility(function) ==
                   SymbolTable::Visibility::Private;
  out.writeByte((entry ? kFunctionIsEntry : kFunctionIsTesting) |
                (isPrivate ? kFunctionIsPrivate : 0) |
                (hints && !hasAttributeFields ? kFunctionHasHints : 0));
  out.writeVarint(*debugNumber);
  if (!hasAttributeFields)
    return hints ? writer.writeSelfContained(hints) : success();
  MLIRContext *context = function.getContext();
  if (!hints)
    hints = OptimizationHintsAttr::get(context, DictionaryAttr::get(context));
  if (!argumentAttributes)
    argumentAttributes = ArrayAttr::get(context, {});
  return failure(failed(writer.writeSelfContained(hints)) ||
                 failed(writer.writeSelfContained(argumentAttributes)));
}

LogicalResult writeFunctions(Block &module, Pools &pools, Output &out) {
  auto functions = module.getOps<FunctionOpInterface>();
  out.writeVarint(std::distance(functions.begin(), functions.end()));
  for (FunctionOpInterface function : functions) {
    Output body;
    if (failed(writeHeader(function, pools, out)) ||
        failed(OpWriter(pools, body)
                   .writeBody(function.getFunctionBody().front())))
      return failure();
    out.writeVarint(body.size());
    out.writeBytes(body.bytes());
  }
  return success();
}

} // namespace cuda_tile::bytecode
