//===- StringTable.cpp - The string section -------------------------------===//

#include "StringTable.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace cuda_tile::bytecode {

LogicalResult StringTable::read(Cursor cursor) {
  SmallVector<Cursor> entries;
  if (failed(readOffsetTable<uint32_t>(cursor, "string", entries)))
    return failure();
  strings.reserve(entries.size());
  for (auto [index, entry] : llvm::enumerate(entries)) {
    uint64_t start = entry.offset();
    ArrayRef<uint8_t> bytes;
    if (failed(entry.readBytes(bytes, entry.remaining(),
                               "string " + Twine(index))))
      return failure();
    strings.emplace_back(reinterpret_cast<const char *>(bytes.data()),
                         bytes.size());
    entry.diags().explain(start, strings.back());
  }
  attributes.resize(strings.size());
  return success();
}

LogicalResult StringTable::readIndex(Cursor &cursor, uint64_t &index,
                                     const Twine &what) const {
  uint64_t start = cursor.offset();
  if (failed(cursor.readVarint(index, what)))
    return failure();
  if (index < strings.size()) {
    cursor.diags().explain(start, strings[index]);
    return success();
  }
  return cursor.diags().error(
      start, "failed to read " + what + ": string index " + Twine(index) +
                 " out of bounds; expected less than " + Twine(strings.size()));
}

LogicalResult StringTable::readString(Cursor &cursor, StringRef &string,
                                      const Twine &what) const {
  uint64_t index;
  if (failed(readIndex(cursor, index, what)))
    return failure();
  string = strings[index];
  return success();
}

StringAttr StringTable::readStringAttr(Cursor &cursor,
                                       const Twine &what) const {
  uint64_t index;
  if (failed(readIndex(cursor, index, what)))
    return {};
  if (!attributes[index])
    attributes[index] = StringAttr::get(cursor.getContext(), strings[index]);
  return attributes[index];
}

uint64_t StringPool::add(StringRef string) {
  auto [number, isNew] = numbers.try_emplace(string, numbers.size());
  if (isNew)
    entries.add(llvm::arrayRefFromStringRef(string));
  return number->second;
}

} // namespace cuda_tile::bytecode
