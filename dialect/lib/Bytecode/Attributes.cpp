//===- Attributes.cpp - Attributes within other data ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Attributes.h"
#include "cuda_tile/IR/CudaTile.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace cuda_tile::bytecode {

/// Fails with `message` at `offset`; null is what readers of attributes return.
static Attribute fail(const Cursor &cursor, uint64_t offset,
                      const Twine &message) {
  (void)cursor.diags().error(offset, message);
  return {};
}

//===----------------------------------------------------------------------===//
// Tagged attributes
//===----------------------------------------------------------------------===//

/// Name of the attribute with this tag, for traces.
static StringRef getTagName(uint64_t tag) {
  static constexpr StringLiteral names[] = {"integer",
                                            "float",
                                            "bool",
                                            "type",
                                            "string",
                                            "array",
                                            "elements",
                                            "div_by",
                                            "same_elements",
                                            "dictionary",
                                            "hints",
                                            "bounded",
                                            "multimem_reduction_kind"};
  return tag >= 1 && tag <= std::size(names) ? names[tag - 1] : "unknown";
}

Attribute AttributeReader::readSelfContained(Cursor &cursor) {
  uint64_t start = cursor.offset(), tag;
  if (failed(cursor.readVarint(tag, "AttributeTag for self-contained "
                                    "attribute.")))
    return {};
  if (depth == kMaxAttributeDepth)
    return fail(cursor, start,
                "expected attributes nested at most " +
                    Twine(kMaxAttributeDepth) + " deep");
  cursor.diags().explain(start, getTagName(tag));
  ++depth;
  llvm::scope_exit leave([&] { --depth; });
  return readPayload(cursor, tag, start);
}

Attribute AttributeReader::readPayload(Cursor &cursor, uint64_t tag,
                                       uint64_t start) {
  switch (static_cast<AttributeTag>(tag)) {
  case AttributeTag::Integer:
    return readTypedInteger(cursor);
  case AttributeTag::Float:
    return readFloat(cursor);
  case AttributeTag::Bool:
    return readBool(cursor);
  case AttributeTag::Type:
    return readType(cursor);
  case AttributeTag::String:
    return strings.readStringAttr(cursor, "StringAttr.");
  case AttributeTag::Array:
    return readArray(cursor);
  case AttributeTag::DenseElements:
    return readDenseElements(cursor);
  case AttributeTag::DivBy:
    return readDivBy(cursor);
  case AttributeTag::SameElements:
    return readSameElements(cursor);
  case AttributeTag::Dictionary:
    return readDictionary(cursor);
  case AttributeTag::OptimizationHints:
    return readOptimizationHints(cursor);
  case AttributeTag::Bounded:
    return readBounded(cursor);
  case AttributeTag::MultimemReduction:
    return readMultimemReduction(cursor, start);
#ifdef CUDA_TILE_TESTING
  case AttributeTag::BytecodeTestValue: {
    int64_t value;
    if (!(types.getVersion() >= kLastTestVersion))
      break;
    if (failed(
            cursor.readSignedVarint(value, "value for BytecodeTestValueAttr")))
      return {};
    return BytecodeTestValueAttr::get(cursor.getContext(), value);
  }
#endif // CUDA_TILE_TESTING
  }
  if (isPreviewAttribute(tag) && types.getVersion() >= kEntryAttributesVersion)
    return fail(cursor, start,
                "encountered public-preview attribute tag " + Twine(tag) +
                    " but the header does not advertise preview content");
  return fail(cursor, start,
              "unsupported AttributeTag " + Twine(tag) +
                  " for self-contained attribute; expected 1 to 13");
}

//===----------------------------------------------------------------------===//
// Numbers and types
//===----------------------------------------------------------------------===//

Attribute AttributeReader::readInteger(Cursor &cursor, IntegerType type) {
  uint64_t start = cursor.offset(), value;
  unsigned width = type.getWidth();
  if (failed(cursor.readVarint(
          value, "VarInt for inline integer (width=" + Twine(width) + ")")))
    return {};
  if (width < 64 && value >> width)
    return fail(cursor, start,
                "value " + Twine(value) + " does not fit in " + Twine(width) +
                    " bits");
  return IntegerAttr::get(type, APInt(width, value));
}

Attribute AttributeReader::readTypedInteger(Cursor &cursor) {
  uint64_t start = cursor.offset();
  Type type =
      types.readType(cursor, "valid IntegerType for IntegerAttr", "read");
  if (!type)
    return {};
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return fail(cursor, start,
                "failed to read valid IntegerType for IntegerAttr");
  return readInteger(cursor, integer);
}

Attribute AttributeReader::readFloat(Cursor &cursor) {
  uint64_t start = cursor.offset();
  Type type = types.readType(cursor, "valid FloatType for FloatAttr", "read");
  if (!type)
    return {};
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType)
    return fail(cursor, start, "failed to read valid FloatType for FloatAttr");

  // The bits: one byte for narrow types, else a signed varint. No float type of
  // the format is wider than 64 bits. Of an f64, cuTile takes the bits for an
  // unsigned number, other writers for a signed one.
  unsigned width = floatType.getWidth();
  uint64_t bits;
  LogicalResult result =
      width <= 8 ? cursor.readByte(bits, "byte for APInt (<= 8 bits).")
                 : cursor.readZigzagBits(
                       bits, width, "signed varint for APInt (<= 64 bits).");
  if (failed(result))
    return {};
  APInt pattern = APInt(64, bits).trunc(width);
  return FloatAttr::get(floatType,
                        APFloat(floatType.getFloatSemantics(), pattern));
}

Attribute AttributeReader::readBool(Cursor &cursor) {
  uint64_t start = cursor.offset(), value;
  if (failed(cursor.readByte(value, "byte for inline bool (i1)")))
    return {};
  if (value > 1)
    return fail(cursor, start,
                "value " + Twine(value) + " does not fit in 1 bits");
  return BoolAttr::get(cursor.getContext(), value);
}

Attribute AttributeReader::readType(Cursor &cursor) {
  Type type = types.readType(cursor, "referenced type for TypeAttr");
  return type ? TypeAttr::get(type) : Attribute();
}

Attribute AttributeReader::readDenseElements(Cursor &cursor) {
  constexpr StringLiteral what =
      "valid MLIR Type for self-contained DenseElementsAttr";
  uint64_t start = cursor.offset(), size;
  Type type = types.readType(cursor, what, "read");
  if (!type)
    return {};
  if (!isTileOfNumbers(type))
    return fail(cursor, start,
                "failed to read " + what + ": expected a tile of numbers");
  if (failed(cursor.readCount(size, "the size of the data buffer")))
    return {};
  return decodeElements(cursor.slice(size), type);
}

//===----------------------------------------------------------------------===//
// Collections
//===----------------------------------------------------------------------===//

Attribute AttributeReader::readArray(Cursor &cursor) {
  uint64_t count;
  if (failed(cursor.readCount(count, "size for ArrayAttr.")))
    return {};
  SmallVector<Attribute> elements;
  for (uint64_t i = 0; i < count; ++i) {
    elements.push_back(readSelfContained(cursor));
    if (!elements.back())
      return {};
  }
  return ArrayAttr::get(cursor.getContext(), elements);
}

DictionaryAttr AttributeReader::readDictionary(Cursor &cursor) {
  uint64_t count;
  if (failed(cursor.readCount(count, "size for DictionaryAttr", 2)))
    return {};
  SmallVector<NamedAttribute> entries;
  llvm::SmallPtrSet<Attribute, 8> keys;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t start = cursor.offset();
    StringAttr key = strings.readStringAttr(
        cursor, "key for DictionaryAttr element " + Twine(i));
    if (!key)
      return {};
    if (key.empty()) {
      fail(cursor, start,
           "invalid empty attribute name for DictionaryAttr element " +
               Twine(i));
      return {};
    }
    if (!keys.insert(key).second) {
      fail(cursor, start,
           "failed to parse DictionaryAttr, duplicate key found: \"" +
               key.getValue() + "\"");
      return {};
    }
    Attribute value = readSelfContained(cursor);
    if (!value)
      return {};
    entries.emplace_back(key, value);
  }
  return DictionaryAttr::get(cursor.getContext(), entries);
}

Attribute AttributeReader::readOptimizationHints(Cursor &cursor) {
  uint64_t start = cursor.offset();
  DictionaryAttr value = readDictionary(cursor);
  if (!value)
    return {};
  return cursor.diags().checked(start, [&](auto emitError) {
    return OptimizationHintsAttr::getChecked(emitError, cursor.getContext(),
                                             value);
  });
}

//===----------------------------------------------------------------------===//
// Predicates of assume
//===----------------------------------------------------------------------===//

/// Reads a flag byte and the integers that are present if bits 0 and 1 are set.
static LogicalResult readTwoOptional(Cursor &cursor, StringRef attribute,
                                     StringRef firstName, StringRef secondName,
                                     std::optional<int64_t> &first,
                                     std::optional<int64_t> &second) {
  uint64_t start = cursor.offset(), flags;
  if (failed(cursor.readByte(flags, "flags byte for " + attribute)))
    return failure();
  if (flags > 3)
    return cursor.diags().error(start, "expected flags byte for " + attribute +
                                           " to be 0 to 3, got " +
                                           Twine(flags));
  int64_t value;
  if (flags & 1) {
    if (failed(cursor.readSignedVarint(value, firstName)))
      return failure();
    first = value;
  }
  if (flags & 2) {
    if (failed(cursor.readSignedVarint(value, secondName)))
      return failure();
    second = value;
  }
  return success();
}

Attribute AttributeReader::readDivBy(Cursor &cursor) {
  uint64_t divisor;
  std::optional<int64_t> every, along;
  if (failed(cursor.readVarint(divisor, "divisor for DivByAttr")) ||
      failed(readTwoOptional(cursor, "DivByAttr",
                             "value for 'every' in DivByAttr",
                             "value for 'along' in DivByAttr", every, along)))
    return {};
  return DivByAttr::get(cursor.getContext(), divisor, every, along);
}

Attribute AttributeReader::readSameElements(Cursor &cursor) {
  SmallVector<int64_t> values;
  if (failed(cursor.readElements(values,
                                 "DenseI64ArrayAttr values.; failed to read "
                                 "DenseI64ArrayAttr for SameElementsAttr")))
    return {};
  return SameElementsAttr::get(
      cursor.getContext(), DenseI64ArrayAttr::get(cursor.getContext(), values));
}

Attribute AttributeReader::readBounded(Cursor &cursor) {
  std::optional<int64_t> lower, upper;
  if (failed(readTwoOptional(cursor, "BoundedAttr",
                             "lower bound for BoundedAttr",
                             "upper bound for BoundedAttr", lower, upper)))
    return {};
  return BoundedAttr::get(cursor.getContext(), lower, upper);
}

//===----------------------------------------------------------------------===//
// Kinds of reduction
//===----------------------------------------------------------------------===//

Attribute AttributeReader::readMultimemReduction(Cursor &cursor,
                                                 uint64_t start) {
  Version version = types.getVersion();
  if (version < kMultimemReductionVersion)
    return fail(cursor, start,
                "unsupported AttributeTag 13 for self-contained attribute; "
                "attribute 'MultimemReductionKindAttr' requires bytecode "
                "version " +
                    kMultimemReductionVersion.str() + "+, file version is " +
                    version.str());
  uint64_t valueStart = cursor.offset(), value;
  if (failed(cursor.readVarint(value, "VarInt for enum attribute.")))
    return {};
  std::optional<MultimemReduction> symbol;
  if (value <= UINT32_MAX)
    symbol = symbolizeMultimemReduction(static_cast<uint32_t>(value));
  if (!symbol)
    return fail(cursor, valueStart,
                "invalid integer value for enum type: " + Twine(value) +
                    "; expected a MultimemReduction");
  return MultimemReductionAttr::get(cursor.getContext(), *symbol);
}

} // namespace cuda_tile::bytecode
