//===- AttributeWriter.cpp - Writing attributes ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Attributes.h"
#include "cuda_tile/IR/CudaTile.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace cuda_tile::bytecode {

OptimizationHintsAttr getHintsOf(Version version, OptimizationHintsAttr hints,
                                 Operation *user) {
  constexpr StringLiteral key = "default";
  Attribute general = hints ? hints.getValue().get(key) : Attribute();
  if (!general || version >= kDefaultHintsVersion)
    return hints;
  auto values = dyn_cast<DictionaryAttr>(general);
  if (!values || !values.empty())
    emitWarning(user->getLoc(), "hints for '")
        << key << "' require bytecode version " << kDefaultHintsVersion.str()
        << "+ and are left out, targeting " << version.str();
  NamedAttrList kept(hints.getValue());
  kept.erase(key);
  MLIRContext *context = user->getContext();
  return kept.empty() ? OptimizationHintsAttr()
                      : OptimizationHintsAttr::get(kept.getDictionary(context));
}

LogicalResult AttributeWriter::writeSelfContained(Attribute attribute) {
  bool isKnown = true;
  LogicalResult result = writePayload(attribute, isKnown);
  if (isKnown)
    return result;
  return user->emitError("unsupported attribute type encountered during "
                         "serialization: ")
         << attribute;
}

LogicalResult AttributeWriter::writePayload(Attribute attribute,
                                            bool &isKnown) {
  return llvm::TypeSwitch<Attribute, LogicalResult>(attribute)
      // An i1 is an integer as well: the more special tag comes first.
      .Case<BoolAttr>([&](BoolAttr value) {
        writeTag(AttributeTag::Bool);
        out.writeByte(value.getValue());
        return success();
      })
      .Case<IntegerAttr>([&](IntegerAttr value) {
        writeTag(AttributeTag::Integer);
        return failure(failed(writeType(value.getType())) ||
                       failed(writeInteger(value)));
      })
      .Case<FloatAttr>([&](FloatAttr value) { return writeFloat(value); })
      .Case<TypeAttr>([&](TypeAttr value) {
        writeTag(AttributeTag::Type);
        return writeType(value.getValue());
      })
      .Case<StringAttr>([&](StringAttr value) {
        writeTag(AttributeTag::String);
        out.writeVarint(pools.strings.add(value));
        return success();
      })
      .Case<ArrayAttr>([&](ArrayAttr value) {
        writeTag(AttributeTag::Array);
        return writeArray(value);
      })
      .Case<DenseElementsAttr>(
          [&](DenseElementsAttr value) { return writeDenseElements(value); })
      .Case<DivByAttr>([&](DivByAttr value) {
        writeTag(AttributeTag::DivBy);
        out.writeVarint(value.getDivisor());
        writeTwoOptional(value.getEvery(), value.getAlong());
        return success();
      })
      .Case<SameElementsAttr>([&](SameElementsAttr value) {
        writeTag(AttributeTag::SameElements);
        out.writeIntegers(value.getValues().asArrayRef());
        return success();
      })
      .Case<BoundedAttr>([&](BoundedAttr value) {
        writeTag(AttributeTag::Bounded);
        writeTwoOptional(value.getLb(), value.getUb());
        return success();
      })
      .Case<OptimizationHintsAttr>([&](OptimizationHintsAttr value) {
        writeTag(AttributeTag::OptimizationHints);
        return writeDictionary(value.getValue());
      })
      .Case<MultimemReductionAttr>([&](MultimemReductionAttr value) {
        return writeMultimemReduction(value);
      })
      .Case<DictionaryAttr>([&](DictionaryAttr value) {
        writeTag(AttributeTag::Dictionary);
        return writeDictionary(value);
      })
#ifdef CUDA_TILE_TESTING
      .Case<BytecodeTestValueAttr>([&](BytecodeTestValueAttr value) {
        writeTag(AttributeTag::BytecodeTestValue);
        out.writeSignedVarint(value.getValue());
        return success();
      })
#endif // CUDA_TILE_TESTING
      .Default([&](Attribute) {
        isKnown = false;
        return failure();
      });
}

LogicalResult AttributeWriter::writeType(Type type) {
  FailureOr<uint64_t> number = pools.types.add(type, user);
  if (failed(number))
    return failure();
  out.writeVarint(*number);
  return success();
}

LogicalResult AttributeWriter::writeInteger(IntegerAttr integer) {
  APInt value = integer.getValue();
  if (value.getBitWidth() > 64)
    return user->emitError("unsupported integer type width: ") << integer;
  out.writeVarint(value.getZExtValue());
  return success();
}

LogicalResult AttributeWriter::writeFloat(FloatAttr number) {
  writeTag(AttributeTag::Float);
  if (failed(writeType(number.getType())))
    return failure();
  APInt bits = number.getValue().bitcastToAPInt();
  if (bits.getBitWidth() <= 8)
    out.writeByte(bits.getZExtValue());
  else
    out.writeSignedVarint(static_cast<int64_t>(bits.getZExtValue()));
  return success();
}

LogicalResult AttributeWriter::writeDenseElements(DenseElementsAttr elements) {
  writeTag(AttributeTag::DenseElements);
  if (failed(writeType(elements.getType())))
    return failure();
  Output payload;
  encodeElements(elements, payload);
  out.writeVarint(payload.size());
  out.writeBytes(payload.bytes());
  return success();
}

LogicalResult
AttributeWriter::writeMultimemReduction(MultimemReductionAttr reduction) {
  Version version = pools.types.getVersion();
  if (version < kMultimemReductionVersion)
    return user->emitError("attribute 'MultimemReductionKindAttr' requires "
                           "bytecode version ")
           << kMultimemReductionVersion.str() << "+, targeting "
           << version.str();
  writeTag(AttributeTag::MultimemReduction);
  out.writeVarint(static_cast<uint64_t>(reduction.getValue()));
  return success();
}

LogicalResult AttributeWriter::writeArray(ArrayAttr array) {
  out.writeVarint(array.size());
  for (Attribute element : array)
    if (failed(writeSelfContained(element)))
      return failure();
  return success();
}

LogicalResult AttributeWriter::writeDictionary(DictionaryAttr dictionary) {
  out.writeVarint(dictionary.size());
  for (NamedAttribute entry : dictionary) {
    out.writeVarint(pools.strings.add(entry.getName()));
    if (failed(writeSelfContained(entry.getValue())))
      return failure();
  }
  return success();
}

/// A flag byte and those of the two integers that exist.
void AttributeWriter::writeTwoOptional(std::optional<int64_t> first,
                                       std::optional<int64_t> second) {
  out.writeByte((first ? 1 : 0) | (second ? 2 : 0));
  for (std::optional<int64_t> value : {first, second})
    if (value)
      out.writeSignedVarint(*value);
}

} // namespace cuda_tile::bytecode
