//===- StringTable.cpp - The string section -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StringTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace mlir;

namespace cuda_tile::bytecode {

LogicalResult StringTable::read(Cursor cursor) {
  if (failed(table.read(cursor)))
    return failure();
  strings.resize(table.size());
  attributes.resize(table.size());
  return success();
}

LogicalResult StringTable::readRest() {
  for (uint64_t i = 0; i < strings.size(); ++i)
    if (failed(fetch(i)))
      return failure();
  return success();
}

LogicalResult StringTable::fetch(uint64_t index, bool isSilent) const {
  if (strings[index])
    return success();
  FailureOr<Cursor> entry = table.getEntry(index);
  if (failed(entry))
    return failure();
  uint64_t start = entry->offset();
  ArrayRef<uint8_t> bytes;
  if (failed(entry->readBytes(bytes, entry->remaining(),
                              "string " + Twine(index))))
    return failure();
  StringRef text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  size_t invalidAt;
  bool isUTF8 = llvm::json::isUTF8(text, &invalidAt);
  if (!isUTF8 && isSilent)
    return failure();
  if (!isUTF8)
    return entry->diags().error(start + invalidAt,
                                "expected string " + Twine(index) +
                                    " to be UTF-8, got byte 0x" +
                                    Twine::utohexstr(bytes[invalidAt]));
  strings[index] = text;
  entry->diags().explain(start, *strings[index]);
  return success();
}

StringRef StringTable::peek(uint64_t index) const {
  if (index >= strings.size() || (!strings[index] && !table.hasEntry(index)))
    return {};
  // Who asks only for a message leaves the error to who needs the string.
  return succeeded(fetch(index, /*isSilent=*/true)) ? *strings[index]
                                                    : StringRef();
}

LogicalResult StringTable::getString(const Cursor &cursor, uint64_t start,
                                     uint64_t index, const Twine &what) const {
  if (index >= strings.size())
    return cursor.diags().error(
        start, "failed to read " + what + ": string index " + Twine(index) +
                   " out of bounds; expected less than " +
                   Twine(strings.size()));
  if (failed(fetch(index)))
    return failure();
  cursor.diags().explain(start, *strings[index]);
  return success();
}

LogicalResult StringTable::readIndex(Cursor &cursor, uint64_t &index,
                                     const Twine &what) const {
  uint64_t start = cursor.offset();
  if (failed(cursor.readVarint(index, what)))
    return failure();
  return getString(cursor, start, index, what);
}

LogicalResult StringTable::readString(Cursor &cursor, StringRef &string,
                                      const Twine &what) const {
  uint64_t index;
  if (failed(readIndex(cursor, index, what)))
    return failure();
  string = *strings[index];
  return success();
}

StringAttr StringTable::getStringAttr(const Cursor &cursor, uint64_t start,
                                      uint64_t index, const Twine &what) const {
  if (failed(getString(cursor, start, index, what)))
    return {};
  if (!attributes[index])
    attributes[index] = StringAttr::get(cursor.getContext(), *strings[index]);
  return attributes[index];
}

StringAttr StringTable::readStringAttr(Cursor &cursor,
                                       const Twine &what) const {
  uint64_t start = cursor.offset(), index;
  if (failed(cursor.readVarint(index, what)))
    return {};
  return getStringAttr(cursor, start, index, what);
}

uint64_t StringPool::add(StringRef string) {
  auto [number, isNew] = numbers.try_emplace(string, numbers.size());
  if (isNew)
    entries.add(llvm::arrayRefFromStringRef(string));
  return number->second;
}

} // namespace cuda_tile::bytecode
