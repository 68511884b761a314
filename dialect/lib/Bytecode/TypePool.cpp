//===- TypePool.cpp - Writing the type section ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TypeTable.h"
#include "cuda_tile/IR/CudaTile.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace cuda_tile::bytecode {

//===----------------------------------------------------------------------===//
// Tags
//===----------------------------------------------------------------------===//

static constexpr TypeInfo kTypes[] = {
    {TypeTag::I1, "Int1", {13, 1}},
    {TypeTag::I8, "Int8", {13, 1}},
    {TypeTag::I16, "Int16", {13, 1}},
    {TypeTag::I32, "Int32", {13, 1}},
    {TypeTag::I64, "Int64", {13, 1}},
    {TypeTag::F16, "Float16", {13, 1}},
    {TypeTag::BF16, "BFloat16", {13, 1}},
    {TypeTag::F32, "Float32", {13, 1}},
    {TypeTag::TF32, "FloatTF32", {13, 1}},
    {TypeTag::F64, "Float64", {13, 1}},
    {TypeTag::F8E4M3FN, "Float8E4M3FN", {13, 1}},
    {TypeTag::F8E5M2, "Float8E5M2", {13, 1}},
    {TypeTag::Pointer, "PointerType", {13, 1}},
    {TypeTag::Tile, "TileType", {13, 1}},
    {TypeTag::TensorView, "TensorViewType", {13, 1}},
    {TypeTag::PartitionView, "PartitionViewType", {13, 1}},
    {TypeTag::Function, "FunctionType", {13, 1}},
    {TypeTag::Token, "TokenType", {13, 1}},
    {TypeTag::F8E8M0FNU, "Float8E8M0FNU", {13, 2}},
    {TypeTag::F4E2M1FN, "Float4E2M1FN", {13, 3}},
    {TypeTag::GatherScatterView, "GatherScatterViewType", {13, 3}},
    {TypeTag::StridedView, "StridedViewType", {13, 3}},
    {TypeTag::I4, "Int4", {13, 3}},
    {TypeTag::F8E5M3FNU, "Float8E5M3FNU", {13, 4}},
#ifdef CUDA_TILE_TESTING
    {TypeTag::BytecodeTestEvolved, "BytecodeTestEvolvedType",
     kFirstTestVersion},
#endif // CUDA_TILE_TESTING
};

const TypeInfo *findTypeInfo(uint64_t tag) {
  const TypeInfo *info = llvm::find_if(kTypes, [&](const TypeInfo &candidate) {
    return static_cast<uint64_t>(candidate.tag) == tag;
  });
  return info == std::end(kTypes) ? nullptr : info;
}

/// The tag of `type`; none if the format has no such type.
static std::optional<TypeTag> getTag(Type type) {
  if (type.isSignlessInteger())
    switch (type.getIntOrFloatBitWidth()) {
    case 1:
      return TypeTag::I1;
    case 4:
      return TypeTag::I4;
    case 8:
      return TypeTag::I8;
    case 16:
      return TypeTag::I16;
    case 32:
      return TypeTag::I32;
    case 64:
      return TypeTag::I64;
    }
  auto tag = [](TypeTag value) {
    return [value](auto) { return std::optional(value); };
  };
  return llvm::TypeSwitch<Type, std::optional<TypeTag>>(type)
      .Case<Float16Type>(tag(TypeTag::F16))
      .Case<BFloat16Type>(tag(TypeTag::BF16))
      .Case<Float32Type>(tag(TypeTag::F32))
      .Case<FloatTF32Type>(tag(TypeTag::TF32))
      .Case<Float64Type>(tag(TypeTag::F64))
      .Case<Float8E4M3FNType>(tag(TypeTag::F8E4M3FN))
      .Case<Float8E5M2Type>(tag(TypeTag::F8E5M2))
      .Case<Float8E8M0FNUType>(tag(TypeTag::F8E8M0FNU))
      .Case<Float4E2M1FNType>(tag(TypeTag::F4E2M1FN))
      .Case<F8E5M3FNUType>(tag(TypeTag::F8E5M3FNU))
      .Case<PointerType>(tag(TypeTag::Pointer))
      .Case<TileType>(tag(TypeTag::Tile))
      .Case<TensorViewType>(tag(TypeTag::TensorView))
      .Case<PartitionViewType>(tag(TypeTag::PartitionView))
      .Case<StridedViewType>(tag(TypeTag::StridedView))
      .Case<GatherScatterViewType>(tag(TypeTag::GatherScatterView))
      .Case<FunctionType>(tag(TypeTag::Function))
      .Case<TokenType>(tag(TypeTag::Token))
#ifdef CUDA_TILE_TESTING
      .Case<BytecodeTestEvolvedType>(tag(TypeTag::BytecodeTestEvolved))
#endif // CUDA_TILE_TESTING
      .Default(std::optional<TypeTag>());
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

/// Writes the record of one type, after those of the types it refers to.
class TypeWriter {
public:
  TypeWriter(TypePool &pool, Operation *user) : pool(pool), user(user) {}

  LogicalResult write(Type type, TypeTag tag);
  ArrayRef<uint8_t> bytes() const { return out.bytes(); }

private:
  LogicalResult reference(Type type) {
    FailureOr<uint64_t> number = pool.add(type, user);
    if (failed(number))
      return failure();
    out.writeVarint(*number);
    return success();
  }
  LogicalResult references(TypeRange types) {
    out.writeVarint(types.size());
    for (Type type : types)
      if (failed(reference(type)))
        return failure();
    return success();
  }
  /// Since 13.4, ptr and tensor_view begin with flags; flag 0 is that of the
  /// attribute at the end.
  LogicalResult writePointerFlags(Type type, PointerKindAttr kind) {
    Version since = !kind ? kFirstVersion
                    : kind.getValue() == PointerKind::NONE
                        ? kPointerFlagsVersion
                        : kPointerKindVersion;
    if (pool.version < since)
      return emitError(UnknownLoc::get(type.getContext()))
             << "pointer attribute '" << stringifyPointerKind(kind.getValue())
             << "' requires bytecode version " << since.str() << "+, targeting "
             << pool.version.str();
    if (pool.version >= kPointerFlagsVersion)
      out.writeVarint(kind ? 1 : 0);
    return success();
  }
  void writePointerKind(PointerKindAttr kind) {
    if (kind)
      out.writeByte(static_cast<uint8_t>(kind.getValue()));
  }
  void writePaddingFlags(PaddingValueAttr padding) {
    if (pool.version >= kTypeFlagsVersion)
      out.writeVarint(padding ? 1 : 0);
  }
  void writePadding(PaddingValueAttr padding) {
    if (pool.version < kTypeFlagsVersion)
      out.writeByte(padding ? 1 : 0);
    if (padding)
      out.writeVarint(static_cast<uint64_t>(padding.getValue()));
  }
  LogicalResult write(TileType type);
  LogicalResult write(TensorViewType type);
  LogicalResult write(PartitionViewType type);
  LogicalResult write(StridedViewType type);
  LogicalResult write(GatherScatterViewType type);
#ifdef CUDA_TILE_TESTING
  LogicalResult write(BytecodeTestEvolvedType type);
#endif // CUDA_TILE_TESTING

  TypePool &pool;
  Operation *user;
  Output out;
};

LogicalResult TypeWriter::write(TileType type) {
  if (type.getLayout())
    return user->emitError("expected tiles without layouts, got ") << type;
  if (failed(reference(type.getElementType())))
    return failure();
  out.writeIntegers(type.getShape());
  return success();
}

LogicalResult TypeWriter::write(TensorViewType type) {
  if (failed(writePointerFlags(type, type.getPtrAttr())) ||
      failed(reference(type.getElementType())))
    return failure();
  out.writeIntegers(type.getShape());
  out.writeIntegers(type.getStrides());
  writePointerKind(type.getPtrAttr());
  return success();
}

LogicalResult TypeWriter::write(PartitionViewType type) {
  writePaddingFlags(type.getPaddingValue());
  out.writeIntegers(type.getTileShape());
  if (failed(reference(type.getTensorView())))
    return failure();
  out.writeIntegers(type.getDimMap());
  writePadding(type.getPaddingValue());
  return success();
}

LogicalResult TypeWriter::write(StridedViewType type) {
  writePaddingFlags(type.getPaddingValue());
  out.writeIntegers(type.getTileShape());
  out.writeIntegers(type.getTraversalStrides());
  if (failed(reference(type.getTensorView())))
    return failure();
  out.writeIntegers(type.getDimMap());
  writePadding(type.getPaddingValue());
  return success();
}

LogicalResult TypeWriter::write(GatherScatterViewType type) {
  writePaddingFlags(type.getPaddingValue());
  out.writeIntegers(type.getTileShape());
  if (failed(reference(type.getTensorView())))
    return failure();
  out.writeVarint(static_cast<uint64_t>(type.getSparseDim()));
  writePadding(type.getPaddingValue());
  return success();
}

#ifdef CUDA_TILE_TESTING
/// The element type; since 250.1, flags in front and what they announce behind.
LogicalResult TypeWriter::write(BytecodeTestEvolvedType type) {
  Type newType = type.getNewType(), last = type.getType();
  PaddingValueAttr padding = type.getPadding();
  StringRef newest = newType ? "newType" : padding ? "padding" : "type";
  if (pool.version >= kLastTestVersion)
    out.writeVarint((newType ? 1 : 0) | (padding ? 2 : 0) | (last ? 4 : 0));
  else if (newType || padding || last)
    return emitError(UnknownLoc::get(type.getContext()), "parameter '")
           << newest << "' requires bytecode version " << kLastTestVersion.str()
           << "+, but targeting " << pool.version.str();
  if (failed(reference(type.getElementType())) ||
      (newType && failed(reference(newType))))
    return failure();
  if (padding)
    out.writeVarint(static_cast<uint64_t>(padding.getValue()));
  return last ? reference(last) : success();
}
#endif // CUDA_TILE_TESTING

LogicalResult TypeWriter::write(Type type, TypeTag tag) {
  out.writeVarint(static_cast<uint64_t>(tag));
  return llvm::TypeSwitch<Type, LogicalResult>(type)
      .Case<PointerType>([&](PointerType pointer) -> LogicalResult {
        if (failed(writePointerFlags(pointer, pointer.getPtrAttr())) ||
            failed(reference(pointer.getPointeeType())))
          return failure();
        writePointerKind(pointer.getPtrAttr());
        return success();
      })
      .Case<TileType, TensorViewType, PartitionViewType, StridedViewType,
            GatherScatterViewType
#ifdef CUDA_TILE_TESTING
            ,
            BytecodeTestEvolvedType
#endif // CUDA_TILE_TESTING
            >([&](auto record) { return write(record); })
      .Case<FunctionType>([&](FunctionType function) {
        return failure(failed(references(function.getInputs())) ||
                       failed(references(function.getResults())));
      })
      .Default([](Type) { return success(); });
}

//===----------------------------------------------------------------------===//
// TypePool
//===----------------------------------------------------------------------===//

/// Files begin with i1 and i32, used or not, as cuTile's do, so that the files
/// of both writers can be compared.
TypePool::TypePool(MLIRContext *context, Version version) : version(version) {
  for (unsigned width : {1, 32})
    (void)add(IntegerType::get(context, width), nullptr);
}

/// ` (in 'cuda_tile.entry' @f, k.py:1:2)`: errors about types have no location
/// of their own.
static std::string describeUser(Operation *user) {
  if (!user)
    return {};
  std::string text = (" (in '" + user->getName().getStringRef() + "'").str();
  if (StringAttr name = user->getAttrOfType<StringAttr>("sym_name"))
    text += (" @" + name.getValue()).str();
  if (FileLineColLoc position = findPosition(user->getLoc()))
    text += (", " + position.getFilename().getValue() + ":" +
             Twine(position.getLine()) + ":" + Twine(position.getColumn()))
                .str();
  return text + ")";
}

/// A type that bytecode does not have.
static LogicalResult refuseType(Type type, Operation *user) {
  InFlightDiagnostic error = emitError(UnknownLoc::get(type.getContext()));
  if (isa<FloatType>(type))
    error << "unsupported float type: " << type;
  else if (isa<IntegerType>(type))
    error << "unsupported integer type width; got " << type;
  else
    error << "unsupported type in bytecode writer; got " << type;
  return error << describeUser(user);
}

FailureOr<uint64_t> TypePool::add(Type type, Operation *user) {
  auto known = numbers.find(type);
  if (known != numbers.end())
    return known->second;
  std::optional<TypeTag> tag = getTag(type);
  if (!tag)
    return refuseType(type, user);
  const TypeInfo &info = *findTypeInfo(static_cast<uint64_t>(*tag));
  if (version < info.since)
    return emitError(UnknownLoc::get(type.getContext()), "type '")
           << info.name << "' requires bytecode version " << info.since.str()
           << "+, targeting " << version.str() << describeUser(user);
  TypeWriter writer(*this, user);
  if (failed(writer.write(type, *tag)))
    return failure();
  uint64_t number = entries.add(writer.bytes());
  numbers.try_emplace(type, number);
  return number;
}

} // namespace cuda_tile::bytecode
