//===- Cursor.cpp - Checked reading of a byte range -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Cursor.h"
#include "Varint.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace cuda_tile::bytecode {

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

LogicalResult Diagnostics::error(uint64_t offset, const Twine &message) const {
  InFlightDiagnostic diagnostic = emitError(location) << "error ";
  append(diagnostic, offset, message);
  return diagnostic;
}

void Diagnostics::warn(uint64_t offset, const Twine &message) const {
  InFlightDiagnostic diagnostic = emitWarning(location);
  append(diagnostic, offset, message);
}

LogicalResult Diagnostics::warnUnlessStrict(uint64_t offset,
                                            const Twine &message,
                                            const Twine &note) const {
  if (isStrict)
    return error(offset, message);
  warn(offset, message + "; " + note);
  return success();
}

void Diagnostics::append(InFlightDiagnostic &diagnostic, uint64_t offset,
                         const Twine &message) const {
  SmallVector<const Place *> places;
  for (const Place *place = innermost; place; place = place->outer)
    places.push_back(place);

  diagnostic << "at offset " << offset << ": " << message;
  StringRef separator = " (in ";
  for (const Place *place : llvm::reverse(places)) {
    diagnostic << separator << place->kind;
    separator = ", ";
    if (place->index)
      diagnostic << " " << *place->index;
    if (!place->name.empty())
      diagnostic << " '" << place->name << "'";
  }
  if (!places.empty())
    diagnostic << ")";
}

int Place::trace(Trace &into) {
  if (traced == Trace::kNoPlace)
    traced = into.addPlace(outer ? outer->trace(into) : Trace::kNoPlace, kind,
                           index, name);
  return traced;
}

void Diagnostics::addRead(uint64_t offset, uint64_t size, const Twine &field,
                          const Twine &value) const {
  if (trace)
    trace->addRead(innermost ? innermost->trace(*trace) : Trace::kNoPlace,
                   offset, size, field.str(), value.str());
}

//===----------------------------------------------------------------------===//
// Cursor
//===----------------------------------------------------------------------===//

LogicalResult Cursor::readBytes(ArrayRef<uint8_t> &bytes, uint64_t size,
                                const Twine &what) {
  if (size > remaining())
    return error("failed to read " + what + ": expected " + Twine(size) +
                 (size == 1 ? " byte" : " bytes") + ", got " +
                 Twine(remaining()));
  bytes = file.slice(position, size);
  position += size;
  if (diagnostics->isTraced() && size > 0)
    diagnostics->addRead(position - size, size, what,
                         size == 1 ? std::to_string(bytes.front()) : "");
  return success();
}

LogicalResult Cursor::readByte(uint64_t &value, const Twine &what) {
  ArrayRef<uint8_t> bytes;
  if (failed(readBytes(bytes, 1, what)))
    return failure();
  value = bytes.front();
  return success();
}

LogicalResult Cursor::readVarint(uint64_t &value, const Twine &what,
                                 StringRef verb) {
  return readVarint(value, nullptr, what, verb);
}

LogicalResult Cursor::readVarint(uint64_t &value, bool *bit64,
                                 const Twine &what, StringRef verb) {
  size_t length;
  switch (
      decodeVarint(file.slice(position, remaining()), value, length, bit64)) {
  case VarintStatus::Ok:
    position += length;
    if (diagnostics->isTraced())
      diagnostics->addRead(position - length, length, what, Twine(value));
    return success();
  case VarintStatus::Truncated:
    return error("failed to " + verb + " " + what +
                 ": expected a varint, got the end of the data after " +
                 Twine(remaining()) + (remaining() == 1 ? " byte" : " bytes"));
  case VarintStatus::TooLarge:
    return error("failed to " + verb + " " + what +
                 ": expected a varint of at most 64 bits");
  }
  llvm_unreachable("all states are handled");
}

LogicalResult Cursor::readSignedVarint(int64_t &value, const Twine &what) {
  uint64_t start = position, encoded;
  if (failed(readVarint(encoded, what)))
    return failure();
  value = decodeZigzag(encoded);
  diagnostics->explain(start, value);
  return success();
}

LogicalResult Cursor::readZigzagBits(uint64_t &bits, unsigned width,
                                     const Twine &what) {
  uint64_t start = position, encoded;
  bool bit64;
  if (failed(readVarint(encoded, &bit64, what, "read")))
    return failure();
  uint64_t magnitude = encoded >> 1 | uint64_t(bit64) << 63;
  bool isNegative = encoded & 1;
  if (magnitude >> (width - 1) >> (isNegative ? 0 : 1))
    return diagnostics->error(
        start, "value " + Twine(isNegative ? "below -" : "") +
                   Twine(isNegative ? uint64_t(1) << (width - 1) : magnitude) +
                   " does not fit in " + Twine(width) + " bits");
  bits = (isNegative ? ~magnitude : magnitude) &
         llvm::maskTrailingOnes<uint64_t>(width);
  diagnostics->explain(start, "0x" + llvm::utohexstr(bits));
  return success();
}

LogicalResult Cursor::readCount(uint64_t &value, const Twine &what,
                                uint64_t itemBytes) {
  uint64_t start = position;
  if (failed(readVarint(value, what)))
    return failure();
  uint64_t limit = remaining() / itemBytes;
  if (value <= limit)
    return success();
  return diagnostics->error(
      start, "failed to read " + what +
                 ": varint value exceeds maximum supported capacity. (expected "
                 "value less than " +
                 Twine(limit + 1) + ", got " + Twine(value) + ").");
}

template <typename Int>
LogicalResult Cursor::readIntegers(SmallVectorImpl<Int> &values,
                                   const Twine &what) {
  uint64_t count;
  ArrayRef<uint8_t> bytes;
  if (failed(readCount(count, what, sizeof(Int))) ||
      failed(readBytes(bytes, count * sizeof(Int), what)))
    return failure();
  traceIntegers<Int>(bytes, "element");
  values.reserve(count);
  for (uint64_t i = 0; i < count; ++i)
    values.push_back(llvm::support::endian::read<Int, llvm::endianness::little>(
        bytes.data() + i * sizeof(Int)));
  return success();
}

template <typename Int>
void Cursor::traceIntegers(ArrayRef<uint8_t> bytes, StringRef what) const {
  if (!diagnostics->isTraced())
    return;
  for (uint64_t i = 0; i < bytes.size() / sizeof(Int); ++i)
    diagnostics->addRead(
        bytes.data() - file.data() + i * sizeof(Int), sizeof(Int),
        what + " " + Twine(i),
        Twine(llvm::support::endian::read<Int, llvm::endianness::little>(
            bytes.data() + i * sizeof(Int))));
}

template <typename Int>
LogicalResult Cursor::readElements(SmallVectorImpl<Int> &values,
                                   const Twine &what) {
  if (failed(readIntegers(values, what)))
    return failure();
  for (auto [i, value] : llvm::enumerate(values))
    if (value == std::numeric_limits<Int>::min() ||
        value == std::numeric_limits<Int>::max())
      return diagnostics->error(position - (values.size() - i) * sizeof(Int),
                                "array contains unsupported value " +
                                    Twine(value));
  return success();
}

template void Cursor::traceIntegers<uint32_t>(ArrayRef<uint8_t>,
                                              StringRef) const;
template void Cursor::traceIntegers<uint64_t>(ArrayRef<uint8_t>,
                                              StringRef) const;
template LogicalResult Cursor::readIntegers(SmallVectorImpl<int32_t> &,
                                            const Twine &);
template LogicalResult Cursor::readIntegers(SmallVectorImpl<int64_t> &,
                                            const Twine &);
template LogicalResult Cursor::readElements(SmallVectorImpl<int32_t> &,
                                            const Twine &);
template LogicalResult Cursor::readElements(SmallVectorImpl<int64_t> &,
                                            const Twine &);

LogicalResult Cursor::align(uint64_t alignment, const Twine &what) {
  uint64_t padding = llvm::offsetToAlignment(position, llvm::Align(alignment));
  if (padding > remaining())
    return error("failed to skip padding for " + what + ": expected " +
                 Twine(padding) + " bytes, got " + Twine(remaining()));
  if (padding > 0)
    diagnostics->addRead(position, padding, "padding");
  position += padding;
  return success();
}

LogicalResult Cursor::expectEnd(const Twine &what, uint64_t alignment) {
  uint64_t start = position, rest = remaining();
  if (rest == 0)
    return success();
  position = end;
  bool isShort = rest < alignment;
  bool isPadding = llvm::all_of(file.slice(start, rest),
                                [](uint8_t byte) { return byte == kPadding; });
  if (diagnostics->getIsStrict() ? isShort && isPadding
                                 : isShort || isPadding) {
    diagnostics->addRead(start, rest, "padding");
    return success();
  }
  diagnostics->addRead(start, rest, "skipped");
  return diagnostics->warnUnlessStrict(
      start,
      "expected the end of " + what + ", got " + Twine(rest) +
          (rest == 1 ? " more byte" : " more bytes"),
      rest == 1 ? "it is skipped" : "they are skipped");
}

//===----------------------------------------------------------------------===//
// Offset tables
//===----------------------------------------------------------------------===//

template <typename Offset>
LogicalResult OffsetTable<Offset>::read(Cursor cursor) {
  uint64_t start = cursor.offset();
  if (failed(cursor.readVarint(count, "number of " + noun + "s")))
    return failure();
  uint64_t limit = cursor.remaining() / sizeof(Offset);
  if (count > limit)
    return cursor.diags().error(
        start, "number of " + noun + "s (" + Twine(count) +
                   ") exceeds the maximum of " + Twine(limit) +
                   " that can fit in the remaining payload of " +
                   Twine(cursor.remaining()) + " bytes.");
  // Some writers omit the padding after a count of 0.
  if (count == 0 && cursor.remaining() == 0)
    return success();
  if (failed(cursor.align(sizeof(Offset), noun + " offsets")) ||
      failed(
          cursor.readBytes(offsets, count * sizeof(Offset), noun + " offsets")))
    return failure();
  if (count == 0)
    return cursor.expectEnd("the " + noun + " table", kSectionPadding);
  std::string offsetNoun = "offset of " + noun.str();
  cursor.traceIntegers<Offset>(offsets, offsetNoun);
  data = cursor;
  return success();
}

template <typename Offset>
uint64_t OffsetTable<Offset>::getBegin(uint64_t i) const {
  if (i == count)
    return data->remaining();
  return llvm::support::endian::read<Offset, llvm::endianness::little>(
      offsets.data() + i * sizeof(Offset));
}

template <typename Offset>
bool OffsetTable<Offset>::hasEntry(uint64_t i) const {
  return getBegin(i) <= getBegin(i + 1) && getBegin(i + 1) <= data->remaining();
}

template <typename Offset>
FailureOr<Cursor> OffsetTable<Offset>::getEntry(uint64_t i) const {
  uint64_t dataBegin = data->offset(), dataSize = data->remaining();
  uint64_t at = dataBegin - offsets.size() + i * sizeof(Offset);
  uint64_t begin = getBegin(i), end = getBegin(i + 1);
  if (begin > dataSize)
    return data->diags().error(
        at, noun + " " + Twine(i) + " extends beyond available data: start=" +
                Twine(begin) + ", total data size=" + Twine(dataSize));
  if (end < begin)
    return data->diags().error(at, "invalid " + noun + " start indices: end (" +
                                       Twine(end) + ") is less than start (" +
                                       Twine(begin) + ") for " + noun + " " +
                                       Twine(i));
  if (end > dataSize)
    return data->diags().error(
        at, noun + " " + Twine(i) + " extends beyond available data: size=" +
                Twine(end - begin) + ", start=" + Twine(begin) +
                ", total data size=" + Twine(dataSize));
  return data->at(dataBegin + begin, dataBegin + end);
}

template class OffsetTable<uint32_t>;
template class OffsetTable<uint64_t>;

template <typename Offset>
LogicalResult readOffsetTable(Cursor cursor, StringRef noun,
                              SmallVectorImpl<Cursor> &entries) {
  OffsetTable<Offset> table(noun);
  if (failed(table.read(cursor)))
    return failure();
  entries.reserve(table.size());
  for (uint64_t i = 0; i < table.size(); ++i) {
    FailureOr<Cursor> entry = table.getEntry(i);
    if (failed(entry))
      return failure();
    entries.push_back(*entry);
  }
  return success();
}

template LogicalResult readOffsetTable<uint32_t>(Cursor, StringRef,
                                                 SmallVectorImpl<Cursor> &);
template LogicalResult readOffsetTable<uint64_t>(Cursor, StringRef,
                                                 SmallVectorImpl<Cursor> &);

} // namespace cuda_tile::bytecode
