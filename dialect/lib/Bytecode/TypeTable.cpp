//===- TypeTable.cpp - The type section -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TypeTable.h"
#include "cuda_tile/IR/CudaTile.h"

using namespace mlir;

namespace cuda_tile::bytecode {

/// Reads the records of one type section. Types may be in any order, so a
/// reference to a type that was not read yet reads that type first.
class TypeReader {
public:
  TypeReader(TypeTable &table, ArrayRef<Cursor> entries)
      : table(table), entries(entries), states(entries.size(), State::Unread) {}

  LogicalResult resolve(uint64_t index);

private:
  enum class State : uint8_t { Unread, Reading, Read };

  MLIRContext *getContext() const { return entries.front().getContext(); }
  LogicalResult checkRest(Cursor &cursor, Type type);
  Type reference(Cursor &cursor, const Twine &what);
  LogicalResult references(Cursor &cursor, const Twine &what,
                           SmallVectorImpl<Type> &types);
  Type read(Cursor &cursor);
  Type readScalar(const TypeInfo &info);
  Type readPointer(Cursor &cursor);
  Type readTile(Cursor &cursor);
  Type readTensorView(Cursor &cursor);
  Type readPartitionView(Cursor &cursor);
  Type readFunction(Cursor &cursor);
#ifdef CUDA_TILE_TESTING
  Type readTestEvolved(Cursor &cursor);
#endif // CUDA_TILE_TESTING
  LogicalResult readPointerFlags(Cursor &cursor, uint64_t &flags);
  LogicalResult readPointerKind(Cursor &cursor, uint64_t flags,
                                PointerKindAttr &kind);
  Type readStridedView(Cursor &cursor);
  Type readGatherScatterView(Cursor &cursor);
  LogicalResult readViewFlags(Cursor &cursor, uint64_t &flags);
  LogicalResult readViewPadding(Cursor &cursor, uint64_t flags,
                                PaddingValueAttr &padding);
  LogicalResult readViewedTensor(Cursor &cursor, StringRef kind,
                                 TensorViewType &view);
  LogicalResult readPadding(Cursor &cursor, PaddingValueAttr &padding);

  TypeTable &table;
  ArrayRef<Cursor> entries;
  SmallVector<State> states;
  unsigned depth = 0;
};

//===----------------------------------------------------------------------===//
// References
//===----------------------------------------------------------------------===//

LogicalResult TypeReader::resolve(uint64_t index) {
  if (states[index] == State::Read)
    return success();
  Cursor cursor = entries[index];
  Place place(cursor.diags(), "type", index);
  if (states[index] == State::Reading)
    return cursor.error("expected a finite type, got one that contains itself");
  if (depth == kMaxTypeDepth)
    return cursor.error("expected types nested at most " +
                        Twine(kMaxTypeDepth) + " deep");
  ++depth;
  states[index] = State::Reading;
  Type type = read(cursor);
  --depth;
  if (!type || failed(checkRest(cursor, type)))
    return failure();
  states[index] = State::Read;
  table.types[index] = type;
  cursor.diags().explain(entries[index].offset(), type);
  return success();
}

/// Bytes behind the shape of a tile are a preview extension since 13.5.
LogicalResult TypeReader::checkRest(Cursor &cursor, Type type) {
  if (isa<TileType>(type) && cursor.remaining() > 0 &&
      table.version >= kEntryAttributesVersion)
    return cursor.error("preview type extension requires the header to "
                        "advertise preview content");
  return cursor.expectEnd("the type's record");
}

Type TypeReader::reference(Cursor &cursor, const Twine &what) {
  uint64_t start = cursor.offset(), index;
  if (failed(cursor.readVarint(index, what)))
    return {};
  if (index >= entries.size()) {
    (void)cursor.diags().error(
        start, "failed to get " + what + ": type index " + Twine(index) +
                   " out of bounds; expected less than " +
                   Twine(entries.size()));
    return {};
  }
  if (failed(resolve(index)))
    return {};
  // Otherwise types could nest without limit.
  Type type = table.types[index];
  cursor.diags().explain(start, type);
  if (!isa<FunctionType>(type))
    return type;
  (void)cursor.diags().error(start, "failed to get " + what +
                                        ": expected the type of a value, got a "
                                        "function type");
  return {};
}

LogicalResult TypeReader::references(Cursor &cursor, const Twine &what,
                                     SmallVectorImpl<Type> &types) {
  uint64_t count;
  if (failed(cursor.readCount(count, "number of " + what + "s")))
    return failure();
  for (uint64_t i = 0; i < count; ++i) {
    types.push_back(reference(cursor, what + " type"));
    if (!types.back())
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

Type TypeReader::read(Cursor &cursor) {
  uint64_t start = cursor.offset(), tag;
  if (failed(cursor.readVarint(tag, "type tag")))
    return {};
  if (isPreviewType(tag) && table.version >= kEntryAttributesVersion) {
    (void)cursor.diags().error(
        start, "encountered public-preview type tag " + Twine(tag) +
                   " but the header does not advertise preview content");
    return {};
  }
  const TypeInfo *info = findTypeInfo(tag);
  if (!info) {
    (void)cursor.diags().error(start, "unknown type tag: " + Twine(tag));
    return {};
  }
  if (table.version < info->since) {
    (void)cursor.diags().error(
        start, "type '" + info->name + "' requires bytecode version " +
                   info->since.str() + "+, file version is " +
                   table.version.str());
    return {};
  }
  switch (info->tag) {
  case TypeTag::Pointer:
    return readPointer(cursor);
  case TypeTag::Tile:
    return readTile(cursor);
  case TypeTag::TensorView:
    return readTensorView(cursor);
  case TypeTag::PartitionView:
    return readPartitionView(cursor);
  case TypeTag::StridedView:
    return readStridedView(cursor);
  case TypeTag::GatherScatterView:
    return readGatherScatterView(cursor);
  case TypeTag::Function:
    return readFunction(cursor);
  case TypeTag::Token:
    return TokenType::get(getContext());
#ifdef CUDA_TILE_TESTING
  case TypeTag::BytecodeTestEvolved:
    return readTestEvolved(cursor);
#endif // CUDA_TILE_TESTING
  default:
    return readScalar(*info);
  }
}

Type TypeReader::readScalar(const TypeInfo &info) {
  MLIRContext *context = getContext();
  switch (info.tag) {
  case TypeTag::I1:
    return IntegerType::get(context, 1);
  case TypeTag::I4:
    return IntegerType::get(context, 4);
  case TypeTag::I8:
    return IntegerType::get(context, 8);
  case TypeTag::I16:
    return IntegerType::get(context, 16);
  case TypeTag::I32:
    return IntegerType::get(context, 32);
  case TypeTag::I64:
    return IntegerType::get(context, 64);
  case TypeTag::F16:
    return Float16Type::get(context);
  case TypeTag::BF16:
    return BFloat16Type::get(context);
  case TypeTag::F32:
    return Float32Type::get(context);
  case TypeTag::TF32:
    return FloatTF32Type::get(context);
  case TypeTag::F64:
    return Float64Type::get(context);
  case TypeTag::F8E4M3FN:
    return Float8E4M3FNType::get(context);
  case TypeTag::F8E5M2:
    return Float8E5M2Type::get(context);
  case TypeTag::F8E8M0FNU:
    return Float8E8M0FNUType::get(context);
  case TypeTag::F4E2M1FN:
    return Float4E2M1FNType::get(context);
  case TypeTag::F8E5M3FNU:
    return F8E5M3FNUType::get(context);
  default:
    llvm_unreachable("all tags of scalars are above");
  }
}

/// Since 13.4, ptr and tensor_view begin with flags; if bit 0 is set, the kind
/// of pointer follows as a byte at the end of the record.
LogicalResult TypeReader::readPointerFlags(Cursor &cursor, uint64_t &flags) {
  flags = 0;
  if (table.version < kPointerFlagsVersion)
    return success();
  uint64_t start = cursor.offset();
  if (failed(cursor.readVarint(flags, "optional parameter flags")))
    return failure();
  if (flags > 1)
    return cursor.diags().error(start, "expected optional parameter flags 0 or "
                                       "1, got " +
                                           Twine(flags));
  return success();
}

LogicalResult TypeReader::readPointerKind(Cursor &cursor, uint64_t flags,
                                          PointerKindAttr &kind) {
  if (flags == 0)
    return success();
  uint64_t start = cursor.offset(), value;
  if (failed(cursor.readByte(value, "pointer attribute")))
    return failure();
  std::optional<PointerKind> symbol = symbolizePointerKind(value);
  if (!symbol)
    return cursor.diags().error(
        start, "invalid integer value for enum type: " + Twine(value) +
                   "; expected a pointer attribute: 0 none, 1 unicast, 2 "
                   "multicast");
  if (*symbol != PointerKind::NONE && table.version < kPointerKindVersion)
    return cursor.diags().error(
        start, "enum value " + Twine(value) +
                   " is not available in bytecode version " +
                   table.version.str() + "; pointer attribute '" +
                   stringifyPointerKind(*symbol) + "' requires " +
                   kPointerKindVersion.str() + "+");
  kind = PointerKindAttr::get(getContext(), *symbol);
  return success();
}

Type TypeReader::readPointer(Cursor &cursor) {
  uint64_t start = cursor.offset(), flags;
  if (failed(readPointerFlags(cursor, flags)))
    return {};
  Type pointee = reference(cursor, "pointee type");
  PointerKindAttr kind;
  if (!pointee || failed(readPointerKind(cursor, flags, kind)))
    return {};
  return cursor.diags().checked(start, [&](auto emitError) {
    return PointerType::getChecked(emitError, getContext(), pointee, kind);
  });
}

Type TypeReader::readTile(Cursor &cursor) {
  uint64_t start = cursor.offset();
  Type element = reference(cursor, "element type");
  SmallVector<int64_t> shape;
  if (!element || failed(cursor.readIntegers(shape, "tile shape")))
    return {};
  return cursor.diags().checked(start, [&](auto emitError) {
    return TileType::getChecked(emitError, getContext(),
                                ArrayRef<int64_t>(shape), element,
                                cute::LayoutAttr());
  });
}

Type TypeReader::readTensorView(Cursor &cursor) {
  uint64_t start = cursor.offset(), flags;
  if (failed(readPointerFlags(cursor, flags)))
    return {};
  Type element = reference(cursor, "element type");
  SmallVector<int64_t> shape, strides;
  PointerKindAttr kind;
  if (!element || failed(cursor.readIntegers(shape, "tensor_view shape")) ||
      failed(cursor.readIntegers(strides, "tensor_view strides")) ||
      failed(readPointerKind(cursor, flags, kind)))
    return {};
  return cursor.diags().checked(start, [&](auto emitError) {
    return TensorViewType::getChecked(emitError, getContext(), element,
                                      ArrayRef<int64_t>(shape),
                                      ArrayRef<int64_t>(strides), kind);
  });
}

LogicalResult TypeReader::readPadding(Cursor &cursor,
                                      PaddingValueAttr &padding) {
  uint64_t start = cursor.offset(), value;
  if (failed(cursor.readVarint(value, "padding value")))
    return failure();
  std::optional<PaddingValue> symbol;
  if (value <= UINT32_MAX)
    symbol = symbolizePaddingValue(static_cast<uint32_t>(value));
  if (!symbol)
    return cursor.diags().error(
        start, "invalid integer value for enum type: " + Twine(value) +
                   "; expected a PaddingValue");
  padding = PaddingValueAttr::get(getContext(), *symbol);
  return success();
}

/// Since 13.3, records of views begin with flags; if bit 0 is set, a padding
/// value follows at their end.
LogicalResult TypeReader::readViewFlags(Cursor &cursor, uint64_t &flags) {
  flags = 0;
  if (table.version < kTypeFlagsVersion)
    return success();
  uint64_t start = cursor.offset();
  if (failed(cursor.readVarint(flags, "optional parameter flags")))
    return failure();
  if (flags > 1)
    return cursor.diags().error(start, "expected optional parameter flags 0 or "
                                       "1, got " +
                                           Twine(flags));
  return success();
}

/// The end of a view's record: before 13.3, a byte says if a padding value
/// follows.
LogicalResult TypeReader::readViewPadding(Cursor &cursor, uint64_t flags,
                                          PaddingValueAttr &padding) {
  if (table.version < kTypeFlagsVersion) {
    uint64_t start = cursor.offset();
    if (failed(cursor.readByte(flags, "presence byte for optional attribute")))
      return failure();
    if (flags > 1)
      return cursor.diags().error(
          start, "invalid presence byte for optional attribute: " +
                     Twine(flags) + "; expected 0 or 1");
  }
  return flags ? readPadding(cursor, padding) : success();
}

LogicalResult TypeReader::readViewedTensor(Cursor &cursor, StringRef kind,
                                           TensorViewType &view) {
  uint64_t start = cursor.offset();
  Type type = reference(cursor, "tensor_view type");
  if (!type)
    return failure();
  view = dyn_cast<TensorViewType>(type);
  if (view)
    return success();
  return cursor.diags().error(start, "expected 'tensor_view' type in " + kind);
}

Type TypeReader::readPartitionView(Cursor &cursor) {
  uint64_t start = cursor.offset(), flags;
  SmallVector<int32_t> tileShape, dimMap;
  TensorViewType view;
  PaddingValueAttr padding;
  if (failed(readViewFlags(cursor, flags)) ||
      failed(cursor.readIntegers(tileShape, "partition_view tile shape")) ||
      failed(readViewedTensor(cursor, "partition_view", view)) ||
      failed(cursor.readIntegers(dimMap, "partition_view dim_map")) ||
      failed(readViewPadding(cursor, flags, padding)))
    return {};
  return cursor.diags().checked(start, [&](auto emitError) {
    return PartitionViewType::getChecked(emitError, getContext(),
                                         ArrayRef<int32_t>(tileShape), view,
                                         ArrayRef<int32_t>(dimMap), padding);
  });
}

Type TypeReader::readStridedView(Cursor &cursor) {
  uint64_t start = cursor.offset(), flags;
  SmallVector<int32_t> tileShape, strides, dimMap;
  TensorViewType view;
  PaddingValueAttr padding;
  if (failed(readViewFlags(cursor, flags)) ||
      failed(cursor.readIntegers(tileShape, "strided_view tile shape")) ||
      failed(cursor.readIntegers(strides, "strided_view traversal strides")) ||
      failed(readViewedTensor(cursor, "strided_view", view)) ||
      failed(cursor.readIntegers(dimMap, "strided_view dim_map")) ||
      failed(readViewPadding(cursor, flags, padding)))
    return {};
  return cursor.diags().checked(start, [&](auto emitError) {
    return StridedViewType::getChecked(
        emitError, getContext(), ArrayRef<int32_t>(tileShape),
        ArrayRef<int32_t>(strides), view, ArrayRef<int32_t>(dimMap), padding);
  });
}

Type TypeReader::readGatherScatterView(Cursor &cursor) {
  uint64_t start = cursor.offset(), flags, sparseDim;
  SmallVector<int32_t> tileShape;
  TensorViewType view;
  PaddingValueAttr padding;
  if (failed(readViewFlags(cursor, flags)) ||
      failed(
          cursor.readIntegers(tileShape, "gather_scatter_view tile shape")) ||
      failed(readViewedTensor(cursor, "gather_scatter_view", view)))
    return {};
  uint64_t dimStart = cursor.offset();
  if (failed(cursor.readVarint(sparseDim, "gather_scatter_view sparse_dim")))
    return {};
  if (sparseDim > INT32_MAX) {
    (void)cursor.diags().error(dimStart, "expected sparse_dim to be at most " +
                                             Twine(INT32_MAX) + ", got " +
                                             Twine(sparseDim));
    return {};
  }
  if (failed(readViewPadding(cursor, flags, padding)))
    return {};
  return cursor.diags().checked(start, [&](auto emitError) {
    return GatherScatterViewType::getChecked(
        emitError, getContext(), ArrayRef<int32_t>(tileShape), view,
        static_cast<int32_t>(sparseDim), padding);
  });
}

#ifdef CUDA_TILE_TESTING
Type TypeReader::readTestEvolved(Cursor &cursor) {
  uint64_t flags = 0;
  if (table.version >= kLastTestVersion &&
      failed(cursor.readVarint(flags, "optional parameter flags")))
    return {};
  Type element = reference(cursor, "element type"), newType, last;
  PaddingValueAttr padding;
  if (!element ||
      (flags & 1 && !(newType = reference(cursor, "element type"))) ||
      (flags & 2 && failed(readPadding(cursor, padding))) ||
      (flags & 4 && !(last = reference(cursor, "element type"))))
    return {};
  // Text cannot tell a lone last type from a new one.
  if (!newType && !padding)
    std::swap(newType, last);
  return BytecodeTestEvolvedType::get(getContext(), element, newType, padding,
                                      last);
}
#endif // CUDA_TILE_TESTING

Type TypeReader::readFunction(Cursor &cursor) {
  SmallVector<Type> inputs, results;
  if (failed(references(cursor, "parameter", inputs)) ||
      failed(references(cursor, "result", results)))
    return {};
  return FunctionType::get(getContext(), inputs, results);
}

//===----------------------------------------------------------------------===//
// TypeTable
//===----------------------------------------------------------------------===//

LogicalResult TypeTable::read(Cursor cursor) {
  SmallVector<Cursor> entries;
  if (failed(readOffsetTable<uint32_t>(cursor, "type", entries)))
    return failure();
  types.resize(entries.size());
  TypeReader reader(*this, entries);
  for (size_t i = 0; i < entries.size(); ++i)
    if (failed(reader.resolve(i)))
      return failure();
  return success();
}

Type TypeTable::readType(Cursor &cursor, const Twine &what,
                         StringRef verb) const {
  uint64_t start = cursor.offset(), index;
  if (failed(cursor.readVarint(index, what, verb)))
    return {};
  if (index < types.size()) {
    cursor.diags().explain(start, types[index]);
    return types[index];
  }
  (void)cursor.diags().error(
      start, "failed to " + verb + " " + what + ": type index " + Twine(index) +
                 " out of bounds; expected less than " + Twine(types.size()));
  return {};
}

} // namespace cuda_tile::bytecode
