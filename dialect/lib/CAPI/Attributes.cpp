//===- Attributes.cpp - Attributes of the dialect in C --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda_tile-c/Attributes.h"
#include "cuda_tile/IR/CudaTile.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"

using namespace mlir;

template <typename Cpp> static Cpp attrAs(MlirAttribute attribute) {
  return llvm::cast<Cpp>(unwrap(attribute));
}

#define DEFINE_ATTRIBUTE(Name)                                                 \
  bool mlirCudaTileAttributeIsA##Name##Attr(MlirAttribute attribute) {         \
    return llvm::isa<cuda_tile::Name##Attr>(unwrap(attribute));                \
  }                                                                            \
  MlirTypeID mlirCudaTile##Name##AttrGetTypeID(void) {                         \
    return wrap(cuda_tile::Name##Attr::getTypeID());                           \
  }

//===----------------------------------------------------------------------===//
// Keywords
//===----------------------------------------------------------------------===//

#define DEFINE_KEYWORD(E)                                                      \
  DEFINE_ATTRIBUTE(E)                                                          \
  MlirAttribute mlirCudaTile##E##AttrGet(MlirContext context,                  \
                                         MlirStringRef keyword) {              \
    std::optional<cuda_tile::E> value =                                        \
        cuda_tile::symbolizeEnum<cuda_tile::E>(unwrap(keyword));               \
    return wrap(                                                               \
        value ? Attribute(cuda_tile::E##Attr::get(unwrap(context), *value))    \
              : Attribute());                                                  \
  }                                                                            \
  MlirStringRef mlirCudaTile##E##AttrGetValue(MlirAttribute attribute) {       \
    return wrap(cuda_tile::stringifyEnum(                                      \
        attrAs<cuda_tile::E##Attr>(attribute).getValue()));                    \
  }

DEFINE_KEYWORD(AtomicRMWMode)
DEFINE_KEYWORD(ComparisonOrdering)
DEFINE_KEYWORD(ComparisonPredicate)
DEFINE_KEYWORD(IntegerOverflow)
DEFINE_KEYWORD(MemoryOrderingSemantics)
DEFINE_KEYWORD(MemoryScope)
DEFINE_KEYWORD(MultimemReduction)
DEFINE_KEYWORD(PaddingValue)
DEFINE_KEYWORD(PointerKind)
DEFINE_KEYWORD(RoundingMode)
DEFINE_KEYWORD(Signedness)
DEFINE_KEYWORD(SymbolVisibility)

//===----------------------------------------------------------------------===//
// Hints
//===----------------------------------------------------------------------===//

DEFINE_ATTRIBUTE(OptimizationHints)

/// `<arch = {hints}>`.
static MlirAttribute makeHints(MLIRContext *context, MlirStringRef arch,
                               ArrayRef<NamedAttribute> hints) {
  Builder builder(context);
  NamedAttribute entry(unwrap(arch), builder.getDictionaryAttr(hints));
  return wrap(Attribute(
      cuda_tile::OptimizationHintsAttr::get(builder.getDictionaryAttr(entry))));
}

MlirAttribute mlirCudaTileOptimizationHintsAttrGetEmpty(MlirContext context) {
  return wrap(Attribute(cuda_tile::OptimizationHintsAttr::get(
      DictionaryAttr::get(unwrap(context)))));
}

MlirAttribute mlirCudaTileOptimizationHintsAttrGetEntryOpHint(
    MlirContext context, MlirStringRef arch, int32_t numCtaInCga,
    int32_t numWorkerWarpsPerCta, int32_t occupancy) {
  Builder builder(unwrap(context));
  SmallVector<NamedAttribute> hints;
  auto add = [&](StringRef name, int32_t value) {
    if (value > 0)
      hints.push_back(
          builder.getNamedAttr(name, builder.getI32IntegerAttr(value)));
  };
  add("num_cta_in_cga", numCtaInCga);
  add("num_worker_warps_per_cta", numWorkerWarpsPerCta);
  add("occupancy", occupancy);
  return makeHints(builder.getContext(), arch, hints);
}

MlirAttribute mlirCudaTileOptimizationHintsAttrGetLoadStoreOpHint(
    MlirContext context, MlirStringRef arch, int8_t allowTma, int32_t latency) {
  Builder builder(unwrap(context));
  SmallVector<NamedAttribute> hints;
  if (allowTma >= 0)
    hints.push_back(
        builder.getNamedAttr("allow_tma", builder.getBoolAttr(allowTma != 0)));
  if (latency > 0)
    hints.push_back(
        builder.getNamedAttr("latency", builder.getI32IntegerAttr(latency)));
  return makeHints(builder.getContext(), arch, hints);
}

MlirAttribute
mlirCudaTileOptimizationHintsAttrGetValue(MlirAttribute attribute) {
  return wrap(Attribute(
      attrAs<cuda_tile::OptimizationHintsAttr>(attribute).getValue()));
}

//===----------------------------------------------------------------------===//
// Predicates of `assume`
//===----------------------------------------------------------------------===//

DEFINE_ATTRIBUTE(DivBy)
DEFINE_ATTRIBUTE(Bounded)
DEFINE_ATTRIBUTE(SameElements)

/// An optional number, in the form of the C API.
static std::optional<int64_t> optionalOf(const int64_t *value) {
  return value ? std::optional<int64_t>(*value) : std::nullopt;
}

static bool store(std::optional<int64_t> value, int64_t *result) {
  if (value)
    *result = *value;
  return value.has_value();
}

bool mlirCudaTileAttributeIsAAssumePredicate(MlirAttribute attribute) {
  return llvm::isa<cuda_tile::AssumePredicateAttrInterface>(unwrap(attribute));
}

MlirAttribute mlirCudaTileDivByAttrGetChecked(MlirLocation loc,
                                              uint64_t divisor,
                                              const int64_t *every,
                                              const int64_t *along) {
  Location location = unwrap(loc);
  return wrap(Attribute(cuda_tile::DivByAttr::getChecked(
      [&] { return emitError(location); }, location.getContext(), divisor,
      optionalOf(every), optionalOf(along))));
}

uint64_t mlirCudaTileDivByAttrGetDivisor(MlirAttribute attribute) {
  return attrAs<cuda_tile::DivByAttr>(attribute).getDivisor();
}

bool mlirCudaTileDivByAttrGetEveryAlong(MlirAttribute attribute, int64_t *every,
                                        int64_t *along) {
  auto divBy = attrAs<cuda_tile::DivByAttr>(attribute);
  return store(divBy.getEvery(), every) && store(divBy.getAlong(), along);
}

MlirAttribute mlirCudaTileBoundedAttrGet(MlirContext context,
                                         const int64_t *lower,
                                         const int64_t *upper) {
  return wrap(Attribute(cuda_tile::BoundedAttr::get(
      unwrap(context), optionalOf(lower), optionalOf(upper))));
}

bool mlirCudaTileBoundedAttrGetLower(MlirAttribute attribute, int64_t *bound) {
  return store(attrAs<cuda_tile::BoundedAttr>(attribute).getLb(), bound);
}

bool mlirCudaTileBoundedAttrGetUpper(MlirAttribute attribute, int64_t *bound) {
  return store(attrAs<cuda_tile::BoundedAttr>(attribute).getUb(), bound);
}

MlirAttribute mlirCudaTileSameElementsAttrGet(MlirContext context,
                                              intptr_t rank,
                                              const int64_t *values) {
  auto array =
      DenseI64ArrayAttr::get(unwrap(context), ArrayRef<int64_t>(values, rank));
  return wrap(
      Attribute(cuda_tile::SameElementsAttr::get(unwrap(context), array)));
}

intptr_t mlirCudaTileSameElementsAttrGetRank(MlirAttribute attribute) {
  return attrAs<cuda_tile::SameElementsAttr>(attribute).getValues().size();
}

int64_t mlirCudaTileSameElementsAttrGetGroupSize(MlirAttribute attribute,
                                                 intptr_t dim) {
  return attrAs<cuda_tile::SameElementsAttr>(attribute).getValues()[dim];
}
