// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/*===- cuda_tile-c/Attributes.h - Attributes of the dialect in C --*- C -*-===*/

#ifndef CUDA_TILE_C_ATTRIBUTES_H
#define CUDA_TILE_C_ATTRIBUTES_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/*===- Keywords -----------------------------------------------------------===*\
|* `mlirCudaTile<E>AttrGet(context, "keyword")` is null for any other word;   *|
|* GetValue gives the keyword, whose text lives as long as the process.       *|
\*===----------------------------------------------------------------------===*/

#define CUDA_TILE_C_DECLARE_KEYWORD(E)                                         \
  MLIR_CAPI_EXPORTED bool mlirCudaTileAttributeIsA##E##Attr(                   \
      MlirAttribute attribute);                                                \
  MLIR_CAPI_EXPORTED MlirTypeID mlirCudaTile##E##AttrGetTypeID(void);          \
  MLIR_CAPI_EXPORTED MlirAttribute mlirCudaTile##E##AttrGet(                   \
      MlirContext context, MlirStringRef keyword);                             \
  MLIR_CAPI_EXPORTED MlirStringRef mlirCudaTile##E##AttrGetValue(              \
      MlirAttribute attribute);

CUDA_TILE_C_DECLARE_KEYWORD(AtomicRMWMode)
CUDA_TILE_C_DECLARE_KEYWORD(ComparisonOrdering)
CUDA_TILE_C_DECLARE_KEYWORD(ComparisonPredicate)
CUDA_TILE_C_DECLARE_KEYWORD(IntegerOverflow)
CUDA_TILE_C_DECLARE_KEYWORD(MemoryOrderingSemantics)
CUDA_TILE_C_DECLARE_KEYWORD(MemoryScope)
CUDA_TILE_C_DECLARE_KEYWORD(MultimemReduction)
CUDA_TILE_C_DECLARE_KEYWORD(PaddingValue)
CUDA_TILE_C_DECLARE_KEYWORD(PointerKind)
CUDA_TILE_C_DECLARE_KEYWORD(RoundingMode)
CUDA_TILE_C_DECLARE_KEYWORD(Signedness)
CUDA_TILE_C_DECLARE_KEYWORD(SymbolVisibility)
#undef CUDA_TILE_C_DECLARE_KEYWORD

/*===- Hints --------------------------------------------------------------===*/

MLIR_CAPI_EXPORTED bool
mlirCudaTileAttributeIsAOptimizationHintsAttr(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirTypeID mlirCudaTileOptimizationHintsAttrGetTypeID(void);
/// Empty hints.
MLIR_CAPI_EXPORTED MlirAttribute
mlirCudaTileOptimizationHintsAttrGetEmpty(MlirContext context);
/// `<arch = {...}>` for an entry; a number of 0 or less is omitted.
MLIR_CAPI_EXPORTED MlirAttribute
mlirCudaTileOptimizationHintsAttrGetEntryOpHint(MlirContext context,
                                                MlirStringRef arch,
                                                int32_t numCtaInCga,
                                                int32_t numWorkerWarpsPerCta,
                                                int32_t occupancy);
/// `<arch = {...}>` for a memory access; a latency of 0 or less is omitted, and
/// so is a negative `allowTma`, which is otherwise 0 or 1.
MLIR_CAPI_EXPORTED MlirAttribute
mlirCudaTileOptimizationHintsAttrGetLoadStoreOpHint(MlirContext context,
                                                    MlirStringRef arch,
                                                    int8_t allowTma,
                                                    int32_t latency);
/// The hints as a dictionary from GPU to a dictionary of hints.
MLIR_CAPI_EXPORTED MlirAttribute
mlirCudaTileOptimizationHintsAttrGetValue(MlirAttribute attribute);

/*===- What `assume` can say ----------------------------------------------===*/

/// Whether `attribute` may be the predicate of an assume.
MLIR_CAPI_EXPORTED bool
mlirCudaTileAttributeIsAAssumePredicate(MlirAttribute attribute);

MLIR_CAPI_EXPORTED bool
mlirCudaTileAttributeIsADivByAttr(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirTypeID mlirCudaTileDivByAttrGetTypeID(void);
/// `div_by<divisor>`, with `every` and `along` if those pointers are not null.
/// An invalid parameter is a diagnostic at `loc` and gives a null attribute.
MLIR_CAPI_EXPORTED MlirAttribute
mlirCudaTileDivByAttrGetChecked(MlirLocation loc, uint64_t divisor,
                                const int64_t *every, const int64_t *along);
MLIR_CAPI_EXPORTED uint64_t
mlirCudaTileDivByAttrGetDivisor(MlirAttribute attribute);
/// False if the attribute has no `every` and `along`; otherwise stores them.
MLIR_CAPI_EXPORTED bool
mlirCudaTileDivByAttrGetEveryAlong(MlirAttribute attribute, int64_t *every,
                                   int64_t *along);

MLIR_CAPI_EXPORTED bool
mlirCudaTileAttributeIsABoundedAttr(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirTypeID mlirCudaTileBoundedAttrGetTypeID(void);
/// `bounded<lower, upper>`; null stands for `?`.
MLIR_CAPI_EXPORTED MlirAttribute mlirCudaTileBoundedAttrGet(
    MlirContext context, const int64_t *lower, const int64_t *upper);
/// False for `?`; otherwise stores the bound.
MLIR_CAPI_EXPORTED bool mlirCudaTileBoundedAttrGetLower(MlirAttribute attribute,
                                                        int64_t *bound);
MLIR_CAPI_EXPORTED bool mlirCudaTileBoundedAttrGetUpper(MlirAttribute attribute,
                                                        int64_t *bound);

MLIR_CAPI_EXPORTED bool
mlirCudaTileAttributeIsASameElementsAttr(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirTypeID mlirCudaTileSameElementsAttrGetTypeID(void);
/// `same_elements<[...]>`: the size of a group along each dimension.
MLIR_CAPI_EXPORTED MlirAttribute mlirCudaTileSameElementsAttrGet(
    MlirContext context, intptr_t rank, const int64_t *values);
MLIR_CAPI_EXPORTED intptr_t
mlirCudaTileSameElementsAttrGetRank(MlirAttribute attribute);
MLIR_CAPI_EXPORTED int64_t
mlirCudaTileSameElementsAttrGetGroupSize(MlirAttribute attribute, intptr_t dim);

#ifdef __cplusplus
}
#endif

#endif /* CUDA_TILE_C_ATTRIBUTES_H */
