//===- DebugInfo.cpp - The debug section ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DebugInfo.h"
#include "cuda_tile/IR/CudaTile.h"
#include "llvm/Support/Endian.h"

using namespace mlir;

namespace cuda_tile::bytecode {

static uint64_t readU32(ArrayRef<uint8_t> bytes, uint64_t index) {
  return llvm::support::endian::read32le(bytes.data() + 4 * index);
}
static uint64_t readU64(ArrayRef<uint8_t> bytes, uint64_t index) {
  return llvm::support::endian::read64le(bytes.data() + 8 * index);
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

LogicalResult DebugInfo::read(Cursor cursor) {
  uint64_t numFunctions, numLocations;
  if (failed(cursor.readCount(
          numFunctions, "total number of operations with debug info", 4)) ||
      failed(cursor.align(4, "debug info offset pointer")) ||
      failed(cursor.readBytes(starts, 4 * numFunctions,
                              "debug info index offset pointer.")) ||
      failed(cursor.readCount(numLocations,
                              "total number of debug info indices", 8)) ||
      failed(cursor.align(8, "debug info indices pointer")))
    return failure();
  cursor.traceIntegers<uint32_t>(starts, "first index of function");
  locationsOffset = cursor.offset();
  if (failed(cursor.readBytes(locations, 8 * numLocations,
                              "debug info indices pointer")))
    return failure();
  cursor.traceIntegers<uint64_t>(locations, "debug info index");
  for (uint64_t i = 0; i < numFunctions; ++i) {
    uint64_t begin = readU32(starts, i);
    uint64_t end = i + 1 < numFunctions ? readU32(starts, i + 1) : numLocations;
    if (end <= begin || end > numLocations)
      return cursor.error("expected locations of function " + Twine(i) +
                          " to lie within " + Twine(numLocations) +
                          " debug info indices, got " + Twine(begin) + " to " +
                          Twine(end));
  }
  if (failed(readOffsetTable<uint32_t>(cursor.slice(cursor.remaining()),
                                       "debug info attribute", entries)))
    return failure();
  records.resize(entries.size());
  states.assign(entries.size(), State::Unread);
  for (size_t i = 0; i < entries.size(); ++i) {
    Record record;
    if (failed(resolve(i + 1, cursor, record)))
      return failure();
  }
  return success();
}

LogicalResult DebugInfo::getFunction(StringRef name, uint64_t number,
                                     uint64_t offset,
                                     const Diagnostics &diagnostics,
                                     FunctionLocations &result) const {
  result = FunctionLocations();
  if (number == 0)
    return success();
  uint64_t numFunctions = starts.size() / 4;
  if (number > numFunctions)
    return diagnostics.error(
        offset, "failed to read function location for '" + name +
                    "'; expected debug info of a function to be at most " +
                    Twine(numFunctions) + ", got " + Twine(number));
  result.known = true;
  result.next = readU32(starts, number - 1);
  result.last =
      number < numFunctions ? readU32(starts, number) : locations.size() / 8;
  return success();
}

LogicalResult DebugInfo::next(FunctionLocations &function, const Cursor &cursor,
                              Location &location) {
  location = UnknownLoc::get(cursor.getContext());
  if (!function.known)
    return success();
  if (function.next == function.last)
    return cursor.error("failed to read operation location: expected one debug "
                        "info index per operation, got fewer");
  uint64_t index = function.next++;
  Record record;
  Place place(cursor.diags(), "debug info index", index);
  if (failed(resolve(readU64(locations, index), cursor, record)))
    return failure();
  if (record.location) {
    location = record.location;
    return success();
  }
  if (record.tag == DebugTag::Unknown)
    return success();
  return cursor.diags().error(locationsOffset + 8 * index,
                              "expected the number of a location, got that of "
                              "another debug info attribute");
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

LogicalResult DebugInfo::resolve(uint64_t number, const Cursor &cursor,
                                 Record &record) {
  if (number == 0) {
    record = Record();
    return success();
  }
  if (number > entries.size())
    return cursor.error("debug info attribute " + Twine(number) +
                        " out of bounds; expected at most " +
                        Twine(entries.size()));
  uint64_t index = number - 1;
  if (states[index] == State::Unread) {
    Cursor entry = entries[index];
    Place place(entry.diags(), "debug info attribute", number);
    if (depth == kMaxDebugDepth)
      return entry.error("expected debug info attributes nested at most " +
                         Twine(kMaxDebugDepth) + " deep");
    ++depth;
    states[index] = State::Reading;
    LogicalResult result = readRecord(entry, records[index]);
    --depth;
    if (failed(result) || failed(entry.expectEnd("the record")))
      return failure();
    states[index] = State::Read;
  }
  if (states[index] == State::Reading)
    return cursor.error("expected debug info without cycles, but attribute " +
                        Twine(number) + " contains itself");
  record = records[index];
  return success();
}

LogicalResult DebugInfo::readReference(Cursor &cursor, const Twine &what,
                                       ArrayRef<DebugTag> allowed,
                                       Record &record) {
  uint64_t start = cursor.offset(), number;
  if (failed(cursor.readVarint(number, what)) ||
      failed(resolve(number, cursor, record)))
    return failure();
  if (record.tag == DebugTag::Unknown ||
      llvm::is_contained(allowed, record.tag))
    return success();
  return cursor.diags().error(start,
                              "failed to read " + what + ": attribute " +
                                  Twine(number) + " has unexpected tag " +
                                  Twine(static_cast<uint64_t>(record.tag)));
}

static constexpr StringLiteral kTagNames[] = {
    "unknown", "compile unit", "file",     "lexical block",
    "loc",     "subprogram",   "call site"};

LogicalResult DebugInfo::readRecord(Cursor &cursor, Record &record) {
  uint64_t start = cursor.offset(), tag;
  if (failed(cursor.readVarint(tag, "debug info tag")))
    return failure();
  record.tag = static_cast<DebugTag>(tag);
  if (tag < std::size(kTagNames))
    cursor.diags().explain(start, kTagNames[tag]);
  switch (record.tag) {
  case DebugTag::Unknown:
    return success();
  case DebugTag::CompileUnit:
    return readCompileUnit(cursor, record);
  case DebugTag::File:
    return readFile(cursor, record);
  case DebugTag::LexicalBlock:
    return readLexicalBlock(cursor, record);
  case DebugTag::Loc:
    return readLoc(cursor, record);
  case DebugTag::Subprogram:
    return readSubprogram(cursor, record);
  case DebugTag::CallSite:
    return readCallSite(cursor, record);
  }
  return cursor.diags().error(start, "unsupported debug info tag " +
                                         Twine(tag) + "; expected 0 to 6");
}

LogicalResult DebugInfo::readFile(Cursor &cursor, Record &record) {
  StringAttr name = strings.readStringAttr(
      cursor, "file name attribute when parsing DIFileAttr");
  StringAttr directory =
      name ? strings.readStringAttr(
                 cursor, "directory attribute when parsing DIFileAttr")
           : nullptr;
  if (!directory)
    return failure();
  record.attribute = DIFileAttr::get(cursor.getContext(), name, directory);
  return success();
}

LogicalResult DebugInfo::readCompileUnit(Cursor &cursor, Record &record) {
  Record file;
  if (failed(readReference(cursor,
                           "file attribute when parsing DICompileUnitAttr",
                           DebugTag::File, file)))
    return failure();
  if (file.attribute)
    record.attribute = DICompileUnitAttr::get(cursor.getContext(),
                                              cast<DIFileAttr>(file.attribute));
  return success();
}

/// Reads a line and a column.
LogicalResult DebugInfo::readPosition(Cursor &cursor, const Twine &what,
                                      unsigned &line, unsigned &column) {
  uint64_t start = cursor.offset(), wideLine, wideColumn;
  if (failed(cursor.readVarint(wideLine, "line number when parsing " + what)) ||
      failed(
          cursor.readVarint(wideColumn, "column number when parsing " + what)))
    return failure();
  if (wideLine > UINT32_MAX || wideColumn > UINT32_MAX)
    return cursor.diags().error(start, "expected line and column of at most 32 "
                                       "bits, got " +
                                           Twine(wideLine) + " and " +
                                           Twine(wideColumn));
  line = static_cast<unsigned>(wideLine);
  column = static_cast<unsigned>(wideColumn);
  return success();
}

/// Records may refer to earlier ones, so the reader needs no recursion for
/// nesting; but MLIR prints and walks attributes recursively.
LogicalResult DebugInfo::addLevel(const Cursor &cursor, StringRef what,
                                  unsigned height, Record &record) {
  record.height = height + 1;
  if (record.height <= kMaxDebugDepth)
    return success();
  return cursor.error("expected " + what + " nested at most " +
                      Twine(kMaxDebugDepth) + " deep");
}

LogicalResult DebugInfo::readLexicalBlock(Cursor &cursor, Record &record) {
  Record scope, file;
  unsigned line, column;
  if (failed(readReference(
          cursor, "scope attribute when parsing DILexicalBlockAttr",
          {DebugTag::Subprogram, DebugTag::LexicalBlock}, scope)) ||
      failed(readReference(cursor,
                           "file attribute when parsing DILexicalBlockAttr",
                           DebugTag::File, file)) ||
      failed(readPosition(cursor, "DILexicalBlockAttr", line, column)) ||
      failed(addLevel(cursor, "lexical blocks", scope.height, record)))
    return failure();
  if (scope.attribute && file.attribute)
    record.attribute = DILexicalBlockAttr::get(
        cursor.getContext(), cast<DILocalScopeAttr>(scope.attribute),
        cast<DIFileAttr>(file.attribute), line, column);
  return success();
}

LogicalResult DebugInfo::readSubprogramFlags(Cursor &cursor,
                                             SubprogramFlags &flags) {
  uint64_t start = cursor.offset(), bits;
  flags = SubprogramFlags::none;
  if (version < kEntryAttributesVersion)
    return success();
  if (failed(cursor.readVarint(bits, "flags when parsing DISubprogramAttr")))
    return failure();
  constexpr auto known = static_cast<uint64_t>(SubprogramFlags::declaration);
  if (bits & ~known)
    return cursor.diags().error(start, "unrecognized flag bits (0x" +
                                           Twine::utohexstr(bits & ~known) +
                                           ") when parsing DISubprogramAttr");
  flags = static_cast<SubprogramFlags>(bits);
  return success();
}

LogicalResult DebugInfo::readSubprogram(Cursor &cursor, Record &record) {
  Record file, unit;
  uint64_t line, scopeLine, start = cursor.offset();
  StringAttr name, linkageName;
  SubprogramFlags flags;
  if (failed(readReference(cursor,
                           "file attribute when parsing DISubprogramAttr",
                           DebugTag::File, file)) ||
      failed(cursor.readVarint(line,
                               "line number when parsing DISubprogramAttr")) ||
      !(name = strings.readStringAttr(
            cursor, "name attribute when parsing DISubprogramAttr")) ||
      !(linkageName = strings.readStringAttr(
            cursor, "linkage name attribute when parsing DISubprogramAttr")) ||
      failed(readReference(
          cursor, "compile unit attribute when parsing DISubprogramAttr",
          DebugTag::CompileUnit, unit)) ||
      failed(cursor.readVarint(
          scopeLine, "scope line number when parsing DISubprogramAttr")) ||
      failed(readSubprogramFlags(cursor, flags)))
    return failure();
  if (line > UINT32_MAX || scopeLine > UINT32_MAX)
    return cursor.diags().error(start,
                                "expected lines of at most 32 bits, got " +
                                    Twine(line) + " and " + Twine(scopeLine));
  if (file.attribute && unit.attribute)
    record.attribute = DISubprogramAttr::get(
        cursor.getContext(), cast<DIFileAttr>(file.attribute), line, name,
        linkageName, cast<DICompileUnitAttr>(unit.attribute), scopeLine, flags);
  return success();
}

/// A position in a file within a scope; without a scope if that is unknown.
LogicalResult DebugInfo::readLoc(Cursor &cursor, Record &record) {
  Record scope;
  unsigned line, column;
  if (failed(readReference(cursor, "scope attribute when parsing DILocAttr",
                           {DebugTag::Subprogram, DebugTag::LexicalBlock},
                           scope)))
    return failure();
  StringAttr file = strings.readStringAttr(
      cursor, "file name attribute when parsing FileLineColLoc");
  if (!file || failed(readPosition(cursor, "FileLineColLoc", line, column)))
    return failure();
  auto position = FileLineColLoc::get(file, line, column);
  record.location = position;
  if (scope.attribute)
    record.location = DILocAttr::get(cursor.getContext(), position,
                                     cast<DILocalScopeAttr>(scope.attribute));
  return success();
}

LogicalResult DebugInfo::readCallSite(Cursor &cursor, Record &record) {
  Record callee, caller;
  if (failed(readReference(cursor, "callee attribute when parsing CallSiteLoc",
                           {DebugTag::Loc, DebugTag::CallSite}, callee)) ||
      failed(readReference(cursor, "caller attribute when parsing CallSiteLoc",
                           {DebugTag::Loc, DebugTag::CallSite}, caller)))
    return failure();
  if (failed(addLevel(cursor, "call sites",
                      std::max(callee.height, caller.height), record)))
    return failure();
  // nvcc leaves out where a constant stood that several places use.
  auto orUnknown = [&](const Record &part) -> Location {
    return part.location ? part.location : UnknownLoc::get(cursor.getContext());
  };
  record.location = CallSiteLoc::get(orUnknown(callee), orUnknown(caller));
  return success();
}

} // namespace cuda_tile::bytecode
