//===- ConstantTable.cpp - The constant section ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ConstantTable.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/SwapByteOrder.h"

using namespace mlir;

// MLIR uses the elements in the byte order of the file.
static_assert(llvm::sys::IsLittleEndianHost,
              "reading constants on a big-endian host needs a conversion");

namespace cuda_tile::bytecode {

/// Booleans as a vector, because MLIR's own storage of them differs between
/// releases.
static DenseElementsAttr decodeBooleans(ArrayRef<uint8_t> bytes,
                                        ShapedType type) {
  int64_t count = type.getNumElements();
  bool isSplat = bytes.size() == 1 && (bytes[0] == 0x00 || bytes[0] == 0xFF);
  if (isSplat)
    return DenseElementsAttr::get(type, bytes[0] != 0);
  if (static_cast<int64_t>(bytes.size()) != (count + 7) / 8)
    return {};
  SmallVector<bool> values(count);
  for (int64_t i = 0; i < count; ++i)
    values[i] = bytes[i / 8] >> (i % 8) & 1;
  return DenseElementsAttr::get(type, values);
}

bool isTileOfNumbers(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped && shaped.hasStaticShape() &&
         shaped.getElementType().isIntOrFloat();
}

DenseElementsAttr decodeElements(Cursor data, Type type) {
  if (!isTileOfNumbers(type)) {
    (void)data.error("expected a tile of numbers as the type of a constant");
    return {};
  }
  auto shaped = cast<ShapedType>(type);
  ArrayRef<uint8_t> bytes;
  if (failed(data.readBytes(bytes, data.remaining(), "the raw byte data")))
    return {};
  Type element = shaped.getElementType();
  DenseElementsAttr attribute;
  if (element.isInteger(1)) {
    attribute = decodeBooleans(bytes, shaped);
  } else {
    ArrayRef<char> raw(reinterpret_cast<const char *>(bytes.data()),
                       bytes.size());
    bool isSplat = false;
    if (DenseElementsAttr::isValidRawBuffer(shaped, raw, isSplat))
      attribute = DenseElementsAttr::getFromRawBuffer(shaped, raw);
  }
  if (attribute)
    return attribute;
  int64_t count = shaped.getNumElements();
  unsigned width = element.getIntOrFloatBitWidth();
  uint64_t all = width == 1 ? (count + 7) / 8 : count * ((width + 7) / 8);
  (void)data.diags().error(
      data.offset() - bytes.size(),
      "failed to validate buffer size and format: expected " + Twine(all) +
          " bytes for " + Twine(count) +
          " elements, or one element for all, "
          "got " +
          Twine(bytes.size()));
  return {};
}

LogicalResult ConstantTable::read(Cursor cursor) {
  SmallVector<Cursor> entries;
  if (failed(readOffsetTable<uint64_t>(cursor, "constant", entries)))
    return failure();
  for (auto [index, entry] : llvm::enumerate(entries)) {
    Place place(cursor.diags(), "constant", index);
    if (entry.remaining() == 0)
      return entry.error(
          "constant has empty serialized representation, which is invalid");
    uint64_t size;
    if (failed(entry.readVarint(size, "the size of the data buffer")))
      return failure();
    if (size > entry.remaining())
      return entry.error("constant " + Twine(index) +
                         " extends beyond available data: size=" + Twine(size) +
                         ", start=" + Twine(entry.offset()) +
                         ", total data size=" + Twine(entry.remaining()));
    if (size > 0)
      entry.diags().addRead(entry.offset(), size, "elements");
    constants.push_back(entry.slice(size));
    if (failed(entry.expectEnd("the constant")))
      return failure();
  }
  return success();
}

DenseElementsAttr ConstantTable::readConstant(Cursor &cursor, Type type) const {
  uint64_t start = cursor.offset(), index;
  if (failed(cursor.readVarint(index, "constant index")))
    return {};
  if (index >= constants.size()) {
    (void)cursor.diags().error(start,
                               "constant index " + Twine(index) +
                                   " out of bounds; expected less than " +
                                   Twine(constants.size()));
    return {};
  }
  DenseElementsAttr &attribute = attributes[{index, type}];
  if (!attribute)
    attribute = decodeElements(constants[index], type);
  return attribute;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static void encodeBooleans(DenseElementsAttr elements, Output &out) {
  if (elements.isSplat())
    return out.writeByte(elements.getSplatValue<bool>() ? 0xFF : 0x00);
  uint8_t byte = 0;
  unsigned bit = 0;
  for (bool value : elements.getValues<bool>()) {
    byte |= uint8_t(value) << bit;
    if (++bit < 8)
      continue;
    out.writeByte(byte);
    byte = 0;
    bit = 0;
  }
  if (bit > 0)
    out.writeByte(byte);
}

void encodeElements(DenseElementsAttr elements, Output &out) {
  if (elements.getElementType().isInteger(1))
    return encodeBooleans(elements, out);
  ArrayRef<char> raw = elements.getRawData();
  out.writeBytes({reinterpret_cast<const uint8_t *>(raw.data()), raw.size()});
}

uint64_t ConstantPool::add(DenseElementsAttr elements) {
  auto [known, isNew] = numbers.try_emplace(elements, 0);
  if (!isNew)
    return known->second;
  Output payload, entry;
  encodeElements(elements, payload);
  auto [number, isNewPayload] =
      numbersByElements.try_emplace(payload.str(), entries.size());
  if (isNewPayload) {
    entry.writeVarint(payload.size());
    entry.writeBytes(payload.bytes());
    entries.add(entry.bytes());
  }
  return known->second = number->second;
}

} // namespace cuda_tile::bytecode
