//===- MlirBytecode.cpp - The dialects in MLIR's own bytecode -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compact encodings of types and attributes, instead of text. A code never
// changes its meaning; a change of the encoding raises the dialect's version.
// MLIR writes types and attributes without a code as text.
//
//===----------------------------------------------------------------------===//

#include "cuda_tile/Bytecode/Bytecode.h"
#include "cuda_tile/IR/CudaTile.h"
#include "cuda_tile/Tileas/Tileas.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace cuda_tile {
namespace {

//===----------------------------------------------------------------------===//
// Versions
//===----------------------------------------------------------------------===//

struct EncodingVersion : DialectVersion {
  explicit EncodingVersion(uint64_t number) : number(number) {}
  uint64_t number;
};

/// Common part of the three dialects: the version of their encodings.
class VersionedInterface : public BytecodeDialectInterface {
public:
  explicit VersionedInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  void writeVersion(DialectBytecodeWriter &writer) const final {
    writer.writeVarInt(kVersion);
  }
  std::unique_ptr<DialectVersion>
  readVersion(DialectBytecodeReader &reader) const final {
    uint64_t number;
    if (failed(reader.readVarInt(number)))
      return nullptr;
    if (number <= kVersion)
      return std::make_unique<EncodingVersion>(number);
    reader.emitError("expected encodings of dialect ")
        << getDialect()->getNamespace() << " of version " << kVersion
        << " or older, got " << number;
    return nullptr;
  }

protected:
  static constexpr uint64_t kVersion = 4;

  static auto errorOf(DialectBytecodeReader &reader) {
    return [&reader] { return reader.emitError(); };
  }
};

/// Reads a list after a check of its count: MLIR's own readers allocate as many
/// items as a corrupted file claims, and abort.
template <typename T, typename ReadItem>
LogicalResult readItems(DialectBytecodeReader &reader,
                        SmallVectorImpl<T> &items, ReadItem readItem) {
  uint64_t count;
  if (failed(reader.readVarInt(count)))
    return failure();
  for (uint64_t i = 0; i < count; ++i)
    if (failed(readItem(items.emplace_back())))
      return failure();
  return success();
}

LogicalResult readIntegers(DialectBytecodeReader &reader,
                           SmallVectorImpl<int64_t> &values) {
  return readItems(reader, values, [&](int64_t &value) {
    return reader.readSignedVarInt(value);
  });
}

LogicalResult readIntegers(DialectBytecodeReader &reader,
                           SmallVectorImpl<int32_t> &values) {
  return readItems(reader, values, [&](int32_t &value) -> LogicalResult {
    int64_t wide;
    if (failed(reader.readSignedVarInt(wide)))
      return failure();
    if (!llvm::isInt<32>(wide))
      return reader.emitError("expected an integer of 32 bits, got ") << wide;
    value = static_cast<int32_t>(wide);
    return success();
  });
}

void writeIntegers(DialectBytecodeWriter &writer, ArrayRef<int32_t> values) {
  writer.writeList(values,
                   [&](int32_t value) { writer.writeSignedVarInt(value); });
}

//===----------------------------------------------------------------------===//
// cuda_tile
//===----------------------------------------------------------------------===//

enum class TypeCode : uint64_t {
  Pointer = 0,
  Tile = 1,
  TileWithLayout = 2,
  TensorView = 3,
  PartitionView = 4,
  StridedView = 5,
  GatherScatterView = 6,
  Token = 7,
  // Since version 3:
  PointerWithKind = 8,
  TensorViewWithKind = 9,
  F8E5M3FNU = 10,
};

// Enumerations by code; the number of the case follows the code.
#define CUDA_TILE_ENUM_CODES(APPLY)                                            \
  APPLY(0, Signedness)                                                         \
  APPLY(1, IntegerOverflow)                                                    \
  APPLY(2, RoundingMode)                                                       \
  APPLY(3, ComparisonOrdering)                                                 \
  APPLY(4, ComparisonPredicate)                                                \
  APPLY(5, MemoryScope)                                                        \
  APPLY(6, MemoryOrderingSemantics)                                            \
  APPLY(7, PaddingValue)                                                       \
  APPLY(8, SymbolVisibility)                                                   \
  APPLY(9, AtomicRMWMode)                                                      \
  APPLY(10, MultimemReduction)                                                 \
  APPLY(11, PointerKind)

enum AttributeCode : uint64_t {
  kDivBy = 16,
  kSameElements = 17,
  kBounded = 18,
  kOptimizationHints = 19,
};

class CudaTileInterface : public VersionedInterface {
public:
  using VersionedInterface::VersionedInterface;

  LogicalResult writeType(Type type, DialectBytecodeWriter &writer) const final;
  Type readType(DialectBytecodeReader &reader) const final;
  LogicalResult writeAttribute(Attribute attribute,
                               DialectBytecodeWriter &writer) const final;
  Attribute readAttribute(DialectBytecodeReader &reader) const final;

private:
  Type readTile(DialectBytecodeReader &reader, bool hasLayout) const;
  Type readPointer(DialectBytecodeReader &reader, bool hasKind) const;
  Type readTensorView(DialectBytecodeReader &reader, bool hasKind) const;
  Type readView(DialectBytecodeReader &reader, TypeCode code) const;
};

void writeCode(DialectBytecodeWriter &writer, TypeCode code) {
  writer.writeVarInt(static_cast<uint64_t>(code));
}

LogicalResult
CudaTileInterface::writeType(Type type, DialectBytecodeWriter &writer) const {
  return llvm::TypeSwitch<Type, LogicalResult>(type)
      .Case<PointerType>([&](PointerType pointer) {
        PointerKindAttr kind = pointer.getPtrAttr();
        writeCode(writer, kind ? TypeCode::PointerWithKind : TypeCode::Pointer);
        writer.writeType(pointer.getPointeeType());
        if (kind)
          writer.writeAttribute(kind);
        return success();
      })
      .Case<TileType>([&](TileType tile) {
        cute::LayoutAttr layout = tile.getLayout();
        writeCode(writer, layout ? TypeCode::TileWithLayout : TypeCode::Tile);
        writer.writeType(tile.getElementType());
        writer.writeSignedVarInts(tile.getShape());
        if (layout)
          writer.writeAttribute(layout);
        return success();
      })
      .Case<TensorViewType>([&](TensorViewType view) {
        PointerKindAttr kind = view.getPtrAttr();
        writeCode(writer,
                  kind ? TypeCode::TensorViewWithKind : TypeCode::TensorView);
        writer.writeType(view.getElementType());
        writer.writeSignedVarInts(view.getShape());
        writer.writeSignedVarInts(view.getStrides());
        if (kind)
          writer.writeAttribute(kind);
        return success();
      })
      .Case<PartitionViewType>([&](PartitionViewType view) {
        writeCode(writer, TypeCode::PartitionView);
        writer.writeType(view.getTensorView());
        writeIntegers(writer, view.getTileShape());
        writer.writeOptionalAttribute(view.getPaddingValue());
        writeIntegers(writer, view.getDimMap());
        return success();
      })
      .Case<StridedViewType>([&](StridedViewType view) {
        writeCode(writer, TypeCode::StridedView);
        writer.writeType(view.getTensorView());
        writeIntegers(writer, view.getTileShape());
        writer.writeOptionalAttribute(view.getPaddingValue());
        writeIntegers(writer, view.getDimMap());
        writeIntegers(writer, view.getTraversalStrides());
        return success();
      })
      .Case<GatherScatterViewType>([&](GatherScatterViewType view) {
        writeCode(writer, TypeCode::GatherScatterView);
        writer.writeType(view.getTensorView());
        writeIntegers(writer, view.getTileShape());
        writer.writeOptionalAttribute(view.getPaddingValue());
        writer.writeVarInt(static_cast<uint64_t>(view.getSparseDim()));
        return success();
      })
      .Case<TokenType>([&](TokenType) {
        writeCode(writer, TypeCode::Token);
        return success();
      })
      .Case<F8E5M3FNUType>([&](F8E5M3FNUType) {
        writeCode(writer, TypeCode::F8E5M3FNU);
        return success();
      })
      .Default([](Type) { return failure(); });
}

Type CudaTileInterface::readTile(DialectBytecodeReader &reader,
                                 bool hasLayout) const {
  Type element;
  SmallVector<int64_t> shape;
  cute::LayoutAttr layout;
  if (failed(reader.readType(element)) || failed(readIntegers(reader, shape)) ||
      (hasLayout && failed(reader.readAttribute(layout))))
    return {};
  return TileType::getChecked(errorOf(reader), getContext(),
                              ArrayRef<int64_t>(shape), element, layout);
}

Type CudaTileInterface::readPointer(DialectBytecodeReader &reader,
                                    bool hasKind) const {
  Type pointee;
  PointerKindAttr kind;
  if (failed(reader.readType(pointee)) ||
      (hasKind && failed(reader.readAttribute(kind))))
    return {};
  return PointerType::getChecked(errorOf(reader), getContext(), pointee, kind);
}

Type CudaTileInterface::readTensorView(DialectBytecodeReader &reader,
                                       bool hasKind) const {
  PointerKindAttr kind;
  Type element;
  SmallVector<int64_t> shape, strides;
  if (failed(reader.readType(element)) || failed(readIntegers(reader, shape)) ||
      failed(readIntegers(reader, strides)) ||
      (hasKind && failed(reader.readAttribute(kind))))
    return {};
  return TensorViewType::getChecked(errorOf(reader), getContext(), element,
                                    ArrayRef<int64_t>(shape),
                                    ArrayRef<int64_t>(strides), kind);
}

/// A view of tiles: the common fields, then those of its kind.
Type CudaTileInterface::readView(DialectBytecodeReader &reader,
                                 TypeCode code) const {
  TensorViewType view;
  SmallVector<int32_t> tileShape, dimMap, strides;
  PaddingValueAttr padding;
  if (failed(reader.readType(view)) ||
      failed(readIntegers(reader, tileShape)) ||
      failed(reader.readOptionalAttribute(padding)))
    return {};
  ArrayRef<int32_t> shape(tileShape);
  auto error = errorOf(reader);
  if (code == TypeCode::GatherScatterView) {
    uint64_t sparseDim;
    if (failed(reader.readVarInt(sparseDim)))
      return {};
    if (sparseDim > INT32_MAX) {
      reader.emitError("expected a dimension, got ") << sparseDim;
      return {};
    }
    return GatherScatterViewType::getChecked(error, getContext(), shape, view,
                                             static_cast<int32_t>(sparseDim),
                                             padding);
  }
  if (failed(readIntegers(reader, dimMap)))
    return {};
  if (code == TypeCode::PartitionView)
    return PartitionViewType::getChecked(error, getContext(), shape, view,
                                         ArrayRef<int32_t>(dimMap), padding);
  if (failed(readIntegers(reader, strides)))
    return {};
  return StridedViewType::getChecked(error, getContext(), shape,
                                     ArrayRef<int32_t>(strides), view,
                                     ArrayRef<int32_t>(dimMap), padding);
}

Type CudaTileInterface::readType(DialectBytecodeReader &reader) const {
  uint64_t number;
  if (failed(reader.readVarInt(number)))
    return {};
  auto code = static_cast<TypeCode>(number);
  switch (code) {
  case TypeCode::Pointer:
  case TypeCode::PointerWithKind:
    return readPointer(reader, code == TypeCode::PointerWithKind);
  case TypeCode::Tile:
  case TypeCode::TileWithLayout:
    return readTile(reader, code == TypeCode::TileWithLayout);
  case TypeCode::TensorView:
  case TypeCode::TensorViewWithKind:
    return readTensorView(reader, code == TypeCode::TensorViewWithKind);
  case TypeCode::PartitionView:
  case TypeCode::StridedView:
  case TypeCode::GatherScatterView:
    return readView(reader, code);
  case TypeCode::Token:
    return TokenType::get(getContext());
  case TypeCode::F8E5M3FNU:
    return F8E5M3FNUType::get(getContext());
  }
  reader.emitError("expected the code of a cuda_tile type, got ") << number;
  return {};
}

//===----------------------------------------------------------------------===//
// cuda_tile: attributes
//===----------------------------------------------------------------------===//

void writeOptional(DialectBytecodeWriter &writer,
                   std::optional<int64_t> value) {
  writer.writeVarInt(value ? 1 : 0);
  if (value)
    writer.writeSignedVarInt(*value);
}

LogicalResult readOptional(DialectBytecodeReader &reader,
                           std::optional<int64_t> &value) {
  uint64_t exists;
  if (failed(reader.readVarInt(exists)))
    return failure();
  if (!exists)
    return success();
  int64_t number;
  if (failed(reader.readSignedVarInt(number)))
    return failure();
  value = number;
  return success();
}

LogicalResult
CudaTileInterface::writeAttribute(Attribute attribute,
                                  DialectBytecodeWriter &writer) const {
#define WRITE_ENUM(CODE, NAME)                                                 \
  if (auto value = dyn_cast<NAME##Attr>(attribute)) {                          \
    writer.writeVarInt(CODE);                                                  \
    writer.writeVarInt(static_cast<uint64_t>(value.getValue()));               \
    return success();                                                          \
  }
  CUDA_TILE_ENUM_CODES(WRITE_ENUM)
#undef WRITE_ENUM
  return llvm::TypeSwitch<Attribute, LogicalResult>(attribute)
      .Case<DivByAttr>([&](DivByAttr value) {
        writer.writeVarInt(kDivBy);
        writer.writeVarInt(value.getDivisor());
        writeOptional(writer, value.getEvery());
        writeOptional(writer, value.getAlong());
        return success();
      })
      .Case<SameElementsAttr>([&](SameElementsAttr value) {
        writer.writeVarInt(kSameElements);
        writer.writeSignedVarInts(value.getValues().asArrayRef());
        return success();
      })
      .Case<BoundedAttr>([&](BoundedAttr value) {
        writer.writeVarInt(kBounded);
        writeOptional(writer, value.getLb());
        writeOptional(writer, value.getUb());
        return success();
      })
      .Case<OptimizationHintsAttr>([&](OptimizationHintsAttr value) {
        writer.writeVarInt(kOptimizationHints);
        writer.writeAttribute(value.getValue());
        return success();
      })
      .Default([](Attribute) { return failure(); });
}

template <typename EnumAttr, typename Enum>
Attribute readEnum(DialectBytecodeReader &reader,
                   std::optional<Enum> (*symbolize)(uint32_t)) {
  uint64_t number;
  if (failed(reader.readVarInt(number)))
    return {};
  std::optional<Enum> value;
  if (number <= UINT32_MAX)
    value = symbolize(static_cast<uint32_t>(number));
  if (value)
    return EnumAttr::get(reader.getContext(), *value);
  reader.emitError("expected a case of ")
      << EnumAttr::getMnemonic() << ", got " << number;
  return {};
}

Attribute
CudaTileInterface::readAttribute(DialectBytecodeReader &reader) const {
  MLIRContext *context = getContext();
  uint64_t code, divisor;
  std::optional<int64_t> first, second;
  if (failed(reader.readVarInt(code)))
    return {};
  switch (code) {
#define READ_ENUM(CODE, NAME)                                                  \
  case CODE:                                                                   \
    return readEnum<NAME##Attr, NAME>(reader, symbolize##NAME);
    CUDA_TILE_ENUM_CODES(READ_ENUM)
#undef READ_ENUM
  case kDivBy:
    if (failed(reader.readVarInt(divisor)) ||
        failed(readOptional(reader, first)) ||
        failed(readOptional(reader, second)))
      return {};
    return DivByAttr::getChecked(errorOf(reader), context, divisor, first,
                                 second);
  case kSameElements: {
    SmallVector<int64_t> values;
    if (failed(readIntegers(reader, values)))
      return {};
    return SameElementsAttr::get(context,
                                 DenseI64ArrayAttr::get(context, values));
  }
  case kBounded:
    if (failed(readOptional(reader, first)) ||
        failed(readOptional(reader, second)))
      return {};
    return BoundedAttr::get(context, first, second);
  case kOptimizationHints: {
    DictionaryAttr value;
    if (failed(reader.readAttribute(value)))
      return {};
    return OptimizationHintsAttr::getChecked(errorOf(reader), context, value);
  }
  default:
    reader.emitError("expected the code of a cuda_tile attribute, got ")
        << code;
    return {};
  }
}

//===----------------------------------------------------------------------===//
// cute and tileas
//===----------------------------------------------------------------------===//

constexpr uint64_t kLayout = 0, kBuffer = 0, kPending = 1, kRing = 2;

class CuteInterface : public VersionedInterface {
public:
  using VersionedInterface::VersionedInterface;

  LogicalResult writeAttribute(Attribute attribute,
                               DialectBytecodeWriter &writer) const final {
    auto layout = dyn_cast<cute::LayoutAttr>(attribute);
    if (!layout)
      return failure();
    writer.writeVarInt(kLayout);
    writer.writeVarInt(layout.getIsFlat());
    writer.writeList(
        layout.getGroups(), [&](const cute::LayoutAttr::Group &group) {
          writer.writeList(group, [&](const cute::LayoutAttr::Basis &basis) {
            writer.writeList(basis, [&](const cute::LayoutAttr::Term &term) {
              writer.writeSignedVarInt(term.stride);
              writer.writeSignedVarInt(term.dim);
            });
          });
        });
    return success();
  }

  Attribute readAttribute(DialectBytecodeReader &reader) const final {
    uint64_t code, isFlat;
    SmallVector<cute::LayoutAttr::Group> groups;
    auto readTerm = [&](cute::LayoutAttr::Term &term) {
      int64_t stride, dim;
      if (failed(reader.readSignedVarInt(stride)) ||
          failed(reader.readSignedVarInt(dim)))
        return failure();
      term.stride = stride;
      term.dim = dim;
      return success();
    };
    if (failed(reader.readVarInt(code)))
      return {};
    if (code != kLayout) {
      reader.emitError("expected the code of a cute attribute, got ") << code;
      return {};
    }
    if (failed(reader.readVarInt(isFlat)) ||
        failed(readItems(reader, groups, [&](cute::LayoutAttr::Group &group) {
          return readItems(reader, group, [&](cute::LayoutAttr::Basis &basis) {
            return readItems(reader, basis, readTerm);
          });
        })))
      return {};
    return cute::LayoutAttr::getChecked(errorOf(reader), getContext(), groups,
                                        isFlat != 0);
  }
};

class TileasInterface : public VersionedInterface {
public:
  using VersionedInterface::VersionedInterface;

  LogicalResult writeType(Type type,
                          DialectBytecodeWriter &writer) const final {
    if (auto pending = dyn_cast<tileas::PendingType>(type)) {
      writer.writeVarInt(kPending);
      writer.writeType(pending.getTile());
      return success();
    }
    if (auto ring = dyn_cast<tileas::RingType>(type)) {
      writer.writeVarInt(kRing);
      writer.writeVarInt(ring.getSlots());
      writer.writeTypes(ring.getBuffers());
      return success();
    }
    auto buffer = dyn_cast<tileas::BufferType>(type);
    if (!buffer)
      return failure();
    writer.writeVarInt(kBuffer);
    writer.writeType(buffer.getElementType());
    writer.writeSignedVarInts(buffer.getShape());
    writer.writeAttribute(buffer.getLayout());
    return success();
  }

  Type readType(DialectBytecodeReader &reader) const final {
    uint64_t code;
    if (failed(reader.readVarInt(code)))
      return {};
    switch (code) {
    case kBuffer:
      return readBuffer(reader);
    case kPending: {
      TileType tile;
      return failed(reader.readType(tile)) ? Type()
                                           : tileas::PendingType::get(tile);
    }
    case kRing:
      return readRing(reader);
    default:
      reader.emitError("expected the code of a tileas type, got ") << code;
      return {};
    }
  }

private:
  Type readBuffer(DialectBytecodeReader &reader) const {
    Type element;
    SmallVector<int64_t> shape;
    cute::LayoutAttr layout;
    if (failed(reader.readType(element)) ||
        failed(readIntegers(reader, shape)) ||
        failed(reader.readAttribute(layout)))
      return {};
    return tileas::BufferType::getChecked(errorOf(reader), getContext(),
                                          ArrayRef<int64_t>(shape), element,
                                          layout);
  }

  Type readRing(DialectBytecodeReader &reader) const {
    uint64_t slots;
    SmallVector<tileas::BufferType> buffers;
    if (failed(reader.readVarInt(slots)) ||
        failed(readItems(reader, buffers, [&](tileas::BufferType &buffer) {
          return reader.readType(buffer);
        })))
      return {};
    return tileas::RingType::getChecked(errorOf(reader), getContext(),
                                        static_cast<int64_t>(slots),
                                        ArrayRef<tileas::BufferType>(buffers));
  }
};

} // namespace

void registerMlirBytecode(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, CudaTileDialect *dialect) {
    dialect->addInterfaces<CudaTileInterface>();
  });
  registry.addExtension(+[](MLIRContext *, cute::CuteDialect *dialect) {
    dialect->addInterfaces<CuteInterface>();
  });
  registry.addExtension(+[](MLIRContext *, tileas::TileasDialect *dialect) {
    dialect->addInterfaces<TileasInterface>();
  });
}

} // namespace cuda_tile
