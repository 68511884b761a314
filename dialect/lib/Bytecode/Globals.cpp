//===- Globals.cpp - The global section -----------------------------------===//

#include "Globals.h"

using namespace mlir;

namespace cuda_tile::bytecode {

LogicalResult readGlobals(Cursor cursor, Tables &tables) {
  uint64_t start = cursor.offset(), count;
  if (failed(cursor.readVarint(count, "number of global.")))
    return failure();
  if (count > cursor.remaining())
    return cursor.diags().error(
        start, "number of globals (" + Twine(count) +
                   ") exceeds the maximum of " + Twine(cursor.remaining()) +
                   " that can fit in the remaining payload of " +
                   Twine(cursor.remaining()) + " bytes.");
  if (count == 0)
    return cursor.expectEnd("the global section");
  StringAttr name =
      tables.strings.readStringAttr(cursor, "global symbol name string.");
  if (!name)
    return failure();
  return cursor.diags().error(start, "failed to create global from bytecode: "
                                     "expected a file without globals, got '" +
                                         name.getValue() + "'");
}

LogicalResult writeGlobals(Block &, Pools &, Output &) { return success(); }

} // namespace cuda_tile::bytecode
