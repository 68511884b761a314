//===- Globals.cpp - The global section -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Globals.h"
#include "cuda_tile/IR/CudaTile.h"

using namespace mlir;

namespace cuda_tile::bytecode {

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Fields that older files do not have: visibility, and whether the global is
/// constant.
static LogicalResult readFlags(Cursor &cursor, OperationState &state) {
  MLIRContext *context = cursor.getContext();
  uint64_t visibilityStart = cursor.offset(), visibility;
  if (failed(cursor.readVarint(visibility, "global symbol visibility")))
    return failure();
  std::optional<SymbolVisibility> symbol;
  if (visibility <= UINT32_MAX)
    symbol = symbolizeSymbolVisibility(static_cast<uint32_t>(visibility));
  if (!symbol)
    return cursor.diags().error(
        visibilityStart,
        "invalid symbol visibility value: " + Twine(visibility) +
            "; expected 0 (public) or 1 (private)");
  state.addAttribute("symbol_visibility",
                     SymbolVisibilityAttr::get(context, *symbol));
  uint64_t constantStart = cursor.offset(), isConstant;
  if (failed(cursor.readByte(isConstant, "global constant flag")))
    return failure();
  if (isConstant > 1)
    return cursor.diags().error(constantStart,
                                "expected global constant flag 0 or 1, got " +
                                    Twine(isConstant));
  if (isConstant)
    state.addAttribute("constant", UnitAttr::get(context));
  return success();
}

static LogicalResult readGlobal(Cursor &cursor, Tables &tables, Place &place,
                                Block &module) {
  MLIRContext *context = cursor.getContext();
  OperationState state(UnknownLoc::get(context), GlobalOp::getOperationName());
  uint64_t start = cursor.offset();
  StringAttr name =
      tables.strings.readStringAttr(cursor, "global symbol name string.");
  if (!name)
    return failure();
  if (name.empty())
    return cursor.diags().error(start, "global symbol name is empty");
  place.setName(name);
  Type type = tables.types.readType(cursor, "global value type");
  if (!type)
    return failure();
  DenseElementsAttr value = tables.constants.readConstant(cursor, type);
  uint64_t alignment;
  if (!value || failed(cursor.readVarint(alignment, "global alignment")))
    return failure();
  state.addAttribute("sym_name", name);
  state.addAttribute("value", value);
  state.addAttribute(
      "alignment",
      IntegerAttr::get(IntegerType::get(context, 64), APInt(64, alignment)));
  if (tables.version >= kGlobalFlagsVersion && failed(readFlags(cursor, state)))
    return failure();
  module.push_back(Operation::create(state));
  return success();
}

LogicalResult readGlobals(Cursor cursor, Tables &tables, Block &module) {
  uint64_t start = cursor.offset(), count;
  if (failed(cursor.readVarint(count, "number of global.")))
    return failure();
  if (count > cursor.remaining())
    return cursor.diags().error(
        start, "number of globals (" + Twine(count) +
                   ") exceeds the maximum of " + Twine(cursor.remaining()) +
                   " that can fit in the remaining payload of " +
                   Twine(cursor.remaining()) + " bytes.");
  for (uint64_t i = 0; i < count; ++i) {
    Place place(cursor.diags(), "global", i);
    if (failed(readGlobal(cursor, tables, place, module)))
      return failure();
  }
  return cursor.expectEnd("the global section", kSectionPadding);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static LogicalResult checkVersion(GlobalOp global, Version version) {
  if (version >= kGlobalFlagsVersion)
    return success();
  std::string since = kGlobalFlagsVersion.str();
  if (global.getSymbolVisibility() != SymbolVisibility::PUBLIC)
    return global.emitError("global `")
           << global.getSymName()
           << "` uses non-public symbol visibility, which cannot be encoded in "
              "bytecode version "
           << version.str() << " (requires bytecode " << since << "+)";
  if (global.getConstant())
    return global.emitError("constant global `")
           << global.getSymName() << "` cannot be encoded in bytecode version "
           << version.str() << " (the `constant` attribute requires bytecode "
           << since << "+)";
  return success();
}

static LogicalResult writeGlobal(GlobalOp global, Pools &pools, Output &out) {
  auto value = dyn_cast<DenseElementsAttr>(global.getValue());
  if (!value)
    return global.emitError("failed to add global constant: '")
           << global.getSymName() << "'";
  if (failed(checkVersion(global, pools.version)))
    return failure();
  AttributeWriter writer(pools.attributes(), out, global);
  out.writeVarint(pools.strings.add(global.getSymName()));
  if (failed(writer.writeType(value.getType())))
    return failure();
  out.writeVarint(pools.constants.add(value));
  out.writeVarint(global.getAlignment());
  if (pools.version < kGlobalFlagsVersion)
    return success();
  out.writeVarint(static_cast<uint64_t>(global.getSymbolVisibility()));
  out.writeByte(global.getConstant());
  return success();
}

LogicalResult writeGlobals(Block &module, Pools &pools, Output &out) {
  auto globals = module.getOps<GlobalOp>();
  if (globals.empty())
    return success();
  out.writeVarint(std::distance(globals.begin(), globals.end()));
  for (GlobalOp global : globals)
    if (failed(writeGlobal(global, pools, out)))
      return failure();
  return success();
}

} // namespace cuda_tile::bytecode
