/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* RUN: cuda-tile-capi-types | FileCheck %s
 *
 * Types and attributes: made, looked at, refused. */

#include "cuda_tile-c/CudaTile.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <mlir-c/Diagnostics.h>
#include <stdio.h>
#include <stdlib.h>

static void toStdout(MlirStringRef text, void *userData) {
  (void)userData;
  fwrite(text.data, 1, text.length, stdout);
}

static MlirLogicalResult report(MlirDiagnostic diagnostic, void *userData) {
  (void)userData;
  printf("error: ");
  mlirDiagnosticPrint(diagnostic, toStdout, NULL);
  printf("\n");
  return mlirLogicalResultSuccess();
}

static void printType(MlirType type) {
  if (mlirTypeIsNull(type))
    printf("null");
  else
    mlirTypePrint(type, toStdout, NULL);
  printf("\n");
}

static void printAttribute(MlirAttribute attribute) {
  if (mlirAttributeIsNull(attribute))
    printf("null");
  else
    mlirAttributePrint(attribute, toStdout, NULL);
  printf("\n");
}

static void expect(bool holds, const char *what) {
  if (holds)
    return;
  fprintf(stderr, "expected %s\n", what);
  exit(1);
}

static MlirStringRef text(const char *value) {
  return mlirStringRefCreateFromCString(value);
}

static void pointersAndTiles(MlirContext context, MlirLocation loc) {
  MlirType f32 = mlirF32TypeGet(context);
  MlirType pointer = mlirCudaTilePointerTypeGet(context, f32);
  expect(mlirCudaTileTypeIsAPointerType(pointer), "a pointer");
  expect(mlirTypeEqual(mlirCudaTilePointerTypeGetPointeeType(pointer), f32),
         "f32 behind the pointer");
  const int64_t shape[] = {4, 8};
  MlirType tile = mlirCudaTileTileTypeGet(context, 2, shape, pointer);
  expect(!mlirCudaTileTypeIsAPointerType(tile), "no pointer");
  expect(
      mlirTypeIDEqual(mlirTypeGetTypeID(tile), mlirCudaTileTileTypeGetTypeID()),
      "the TypeID of tiles");
  // CHECK: !cuda_tile.tile<4x8xptr<f32>>
  // CHECK-NEXT: rank 2, 4 by 8
  printType(tile);
  printf("rank %d, %d by %d\n", (int)mlirCudaTileTileTypeGetRank(tile),
         (int)mlirCudaTileTileTypeGetDimSize(tile, 0),
         (int)mlirCudaTileTileTypeGetDimSize(tile, 1));
  expect(mlirTypeEqual(mlirCudaTileTileTypeGetElementType(tile), pointer),
         "the element type");
  expect(mlirTypeEqual(tile, mlirCudaTileTileTypeGetAt(loc, 2, shape, pointer)),
         "one type from both getters");
  // CHECK-NEXT: error: all dimensions must be powers of two, got 4, 7
  // CHECK-NEXT: null
  const int64_t wrong[] = {4, 7};
  printType(mlirCudaTileTileTypeGetAt(loc, 2, wrong, f32));
  // CHECK-NEXT: error: failed to verify 'pointeeType': f16
  // CHECK-NEXT: null
  printType(mlirCudaTilePointerTypeGetChecked(
      loc, mlirCudaTileIntegerTypeGet(context, 4)));
  // CHECK-NEXT: !cuda_tile.token
  printType(mlirCudaTileTokenTypeGet(context));
  expect(mlirCudaTileTypeIsATokenType(mlirCudaTileTokenTypeGetChecked(loc)),
         "a token");
}

static void views(MlirContext context, MlirLocation loc) {
  MlirType f32 = mlirF32TypeGet(context);
  const int64_t dynamic = mlirCudaTileTensorViewTypeGetDynamicSize();
  const int64_t shape[] = {dynamic, 64}, strides[] = {64, 1};
  MlirType tensor =
      mlirCudaTileTensorViewTypeGetAt(loc, f32, 2, shape, strides);
  expect(mlirCudaTileTypeIsATensorViewType(tensor), "a tensor_view");
  expect(
      mlirCudaTileTensorViewTypeGetRank(tensor) == 2 &&
          mlirCudaTileTensorViewTypeGetDimSize(tensor, 0) == dynamic &&
          mlirCudaTileTensorViewTypeGetStride(tensor, 0) == 64 &&
          mlirTypeEqual(mlirCudaTileTensorViewTypeGetElementType(tensor), f32),
      "what the tensor_view was made of");
  // CHECK-NEXT: !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>
  printType(tensor);
  // CHECK-NEXT: error: dimensions must have strictly positive constant sizes
  // CHECK-NEXT: null
  const int64_t negative[] = {-3, 64};
  printType(mlirCudaTileTensorViewTypeGetAt(loc, f32, 2, negative, strides));

  const int32_t tile[] = {8, 4}, map[] = {1, 0}, steps[] = {3, 8};
  MlirAttribute none = {NULL};
  MlirAttribute nan = mlirCudaTilePaddingValueAttrGet(context, text("nan"));
  MlirType partition =
      mlirCudaTilePartitionViewTypeGetAt(loc, 2, tile, tensor, map, nan);
  // CHECK-NEXT: !cuda_tile.partition_view<tile=(8x4), padding_value = nan,
  // {{.*}}, dim_map=[1, 0]> CHECK-NEXT: !cuda_tile.tile<8x4xf32>
  printType(partition);
  printType(mlirCudaTilePartitionViewTypeGetViewTileType(partition));
  expect(mlirCudaTilePartitionViewTypeGetTileRank(partition) == 2 &&
             mlirCudaTilePartitionViewTypeGetTileDimSize(partition, 1) == 4 &&
             mlirCudaTilePartitionViewTypeGetDimMap(partition, 0) == 1 &&
             mlirCudaTilePartitionViewTypeGetViewIndexRank(partition) == 2,
         "what the partition_view was made of");
  expect(mlirAttributeEqual(
             mlirCudaTilePartitionViewTypeGetPaddingValue(partition), nan),
         "the padding");
  expect(mlirTypeEqual(mlirCudaTilePartitionViewTypeGetTensorView(partition),
                       tensor),
         "the tensor_view");
  // CHECK-NEXT: error: target dimension 1 mapped at least twice
  // CHECK-NEXT: null
  const int32_t twice[] = {1, 1};
  printType(
      mlirCudaTilePartitionViewTypeGetAt(loc, 2, tile, tensor, twice, none));

  MlirType strided =
      mlirCudaTileStridedViewTypeGetAt(loc, 2, tile, steps, tensor, map, none);
  // CHECK-NEXT: !cuda_tile.strided_view<tile=(8x4), traversal_strides=[3,8]
  printType(strided);
  expect(mlirCudaTileTypeIsAStridedViewType(strided) &&
             mlirCudaTileStridedViewTypeGetTraversalStride(strided, 1) == 8 &&
             mlirCudaTileStridedViewTypeGetDimMap(strided, 1) == 0 &&
             mlirAttributeIsNull(
                 mlirCudaTileStridedViewTypeGetPaddingValue(strided)),
         "what the strided_view was made of");

  // CHECK-NEXT: !cuda_tile.gather_scatter_view<tile=(8x4), {{.*}},
  // sparse_dim=1> CHECK-NEXT: error: gather dimension is outside of tensor view
  // dimensions CHECK-NEXT: null
  MlirType gather =
      mlirCudaTileGatherScatterViewTypeGetAt(loc, 2, tile, tensor, 1, none);
  printType(gather);
  expect(mlirCudaTileGatherScatterViewTypeGetSparseDim(gather) == 1,
         "the sparse dimension");
  printType(
      mlirCudaTileGatherScatterViewTypeGetAt(loc, 2, tile, tensor, 2, none));
}

static void attributes(MlirContext context, MlirLocation loc) {
  MlirAttribute mode =
      mlirCudaTileRoundingModeAttrGet(context, text("negative_inf"));
  // CHECK-NEXT: #cuda_tile.rounding<negative_inf>
  // CHECK-NEXT: null
  printAttribute(mode);
  printAttribute(mlirCudaTileRoundingModeAttrGet(context, text("sideways")));
  expect(mlirCudaTileAttributeIsARoundingModeAttr(mode) &&
             !mlirCudaTileAttributeIsASignednessAttr(mode),
         "a rounding mode");
  expect(mlirStringRefEqual(mlirCudaTileRoundingModeAttrGetValue(mode),
                            text("negative_inf")),
         "its keyword");
  expect(mlirCudaTileAttributeIsAMemoryScopeAttr(
             mlirCudaTileMemoryScopeAttrGet(context, text("device"))),
         "a scope");

  const int64_t every = 4, along = 1, sizes[] = {2, 4};
  // CHECK-NEXT: #cuda_tile.div_by<16, every 4 along 1>
  // CHECK-NEXT: error: 'cuda_tile.div_by' divisor must be a power of 2
  // CHECK-NEXT: null
  // CHECK-NEXT: #cuda_tile.bounded<?, 4>
  // CHECK-NEXT: #cuda_tile.same_elements<[2, 4]>
  MlirAttribute divBy =
      mlirCudaTileDivByAttrGetChecked(loc, 16, &every, &along);
  printAttribute(divBy);
  int64_t first = 0, second = 0;
  expect(mlirCudaTileDivByAttrGetDivisor(divBy) == 16 &&
             mlirCudaTileDivByAttrGetEveryAlong(divBy, &first, &second) &&
             first == 4 && second == 1,
         "what the div_by was made of");
  expect(mlirCudaTileAttributeIsAAssumePredicate(divBy) &&
             !mlirCudaTileAttributeIsAAssumePredicate(mode),
         "a predicate");
  printAttribute(mlirCudaTileDivByAttrGetChecked(loc, 3, NULL, NULL));
  MlirAttribute bounded = mlirCudaTileBoundedAttrGet(context, NULL, &every);
  printAttribute(bounded);
  expect(!mlirCudaTileBoundedAttrGetLower(bounded, &first) &&
             mlirCudaTileBoundedAttrGetUpper(bounded, &first) && first == 4,
         "one bound");
  MlirAttribute same = mlirCudaTileSameElementsAttrGet(context, 2, sizes);
  printAttribute(same);
  expect(mlirCudaTileSameElementsAttrGetRank(same) == 2 &&
             mlirCudaTileSameElementsAttrGetGroupSize(same, 1) == 4,
         "the groups");

  // CHECK-NEXT: #cuda_tile.optimization_hints<>
  // CHECK-NEXT: #cuda_tile.optimization_hints<sm_100 = {num_cta_in_cga = 2,
  // occupancy = 4}> CHECK-NEXT: #cuda_tile.optimization_hints<sm_90 =
  // {allow_tma = false, latency = 3}> CHECK-NEXT: {sm_90 = {allow_tma = false,
  // latency = 3 : i32}}
  printAttribute(mlirCudaTileOptimizationHintsAttrGetEmpty(context));
  printAttribute(mlirCudaTileOptimizationHintsAttrGetEntryOpHint(
      context, text("sm_100"), 2, 0, 4));
  MlirAttribute hint = mlirCudaTileOptimizationHintsAttrGetLoadStoreOpHint(
      context, text("sm_90"), 0, 3);
  printAttribute(hint);
  printAttribute(mlirCudaTileOptimizationHintsAttrGetValue(hint));
}

static void debugInfo(MlirContext context) {
  MlirAttribute file =
      mlirCudaTileDIFileAttrGet(context, text("k.py"), text("/home/ada"));
  MlirAttribute unit = mlirCudaTileDICompileUnitAttrGet(file);
  MlirAttribute subprogram = mlirCudaTileDISubprogramAttrGet(
      file, 3, text("f"), text("_Z1f"), unit, 4, true);
  MlirAttribute block =
      mlirCudaTileDILexicalBlockAttrGet(subprogram, file, 5, 6);
  MlirLocation place = mlirLocationFileLineColGet(context, text("k.py"), 7, 8);
  MlirAttribute loc = mlirCudaTileDILocAttrGet(place, block);
  // CHECK-NEXT: #cuda_tile.di_file<"k.py" in "/home/ada">
  // CHECK-NEXT: #cuda_tile.di_compile_unit<file = {{.*}}>
  // CHECK-NEXT: #cuda_tile.di_subprogram<{{.*}}line = 3, name = "f"
  // CHECK-NEXT: #cuda_tile.di_lexical_block<{{.*}}line = 5, column = 6>
  // CHECK-NEXT: #cuda_tile.di_loc<{{.*}}>
  printAttribute(file);
  printAttribute(unit);
  printAttribute(subprogram);
  printAttribute(block);
  printAttribute(loc);
  expect(mlirCudaTileAttributeIsADIFileAttr(file) &&
             mlirCudaTileAttributeIsADICompileUnitAttr(unit) &&
             mlirCudaTileAttributeIsADISubprogramAttr(subprogram) &&
             mlirCudaTileAttributeIsADILexicalBlockAttr(block) &&
             mlirCudaTileAttributeIsADILocAttr(loc) &&
             !mlirCudaTileAttributeIsADIFileAttr(unit),
         "debug information of each kind");
  expect(mlirCudaTileAttributeIsADILocalScope(subprogram) &&
             mlirCudaTileAttributeIsADILocalScope(block) &&
             !mlirCudaTileAttributeIsADILocalScope(file),
         "two scopes");
  expect(mlirTypeIDEqual(mlirAttributeGetTypeID(file),
                         mlirCudaTileDIFileAttrGetTypeID()) &&
             mlirTypeIDEqual(mlirAttributeGetTypeID(loc),
                             mlirCudaTileDILocAttrGetTypeID()),
         "the TypeIDs");
  expect(
      mlirStringRefEqual(mlirCudaTileDIFileAttrGetName(file), text("k.py")) &&
          mlirStringRefEqual(mlirCudaTileDIFileAttrGetDirectory(file),
                             text("/home/ada")) &&
          mlirAttributeEqual(mlirCudaTileDICompileUnitAttrGetFile(unit), file),
      "the file");
  expect(
      mlirAttributeEqual(mlirCudaTileDISubprogramAttrGetFile(subprogram),
                         file) &&
          mlirCudaTileDISubprogramAttrGetLine(subprogram) == 3 &&
          mlirStringRefEqual(mlirCudaTileDISubprogramAttrGetName(subprogram),
                             text("f")) &&
          mlirStringRefEqual(
              mlirCudaTileDISubprogramAttrGetLinkageName(subprogram),
              text("_Z1f")) &&
          mlirAttributeEqual(
              mlirCudaTileDISubprogramAttrGetCompileUnit(subprogram), unit) &&
          mlirCudaTileDISubprogramAttrGetScopeLine(subprogram) == 4 &&
          mlirCudaTileDISubprogramAttrGetFlags(subprogram),
      "what the subprogram was made of");
  expect(mlirAttributeEqual(mlirCudaTileDILexicalBlockAttrGetScope(block),
                            subprogram) &&
             mlirAttributeEqual(mlirCudaTileDILexicalBlockAttrGetFile(block),
                                file) &&
             mlirCudaTileDILexicalBlockAttrGetLine(block) == 5 &&
             mlirCudaTileDILexicalBlockAttrGetColumn(block) == 6,
         "what the block was made of");
  expect(mlirLocationEqual(mlirCudaTileDILocAttrGetSourceLoc(loc), place) &&
             mlirAttributeEqual(mlirCudaTileDILocAttrGetScope(loc), block) &&
             mlirAttributeEqual(
                 mlirLocationGetAttribute(mlirLocationFromAttribute(loc)), loc),
         "what the location was made of");
  MlirType string = mlirCudaTileStringTypeGet(context);
  // CHECK-NEXT: !cuda_tile.string
  printType(string);
  expect(mlirCudaTileTypeIsAStringType(string) &&
             mlirTypeIDEqual(mlirTypeGetTypeID(string),
                             mlirCudaTileStringTypeGetTypeID()),
         "a string");
}

int main(void) {
  MlirContext context = mlirContextCreate();
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__cuda_tile__(), context);
  mlirContextAttachDiagnosticHandler(context, report, NULL, NULL);
  MlirLocation loc = mlirLocationUnknownGet(context);
  pointersAndTiles(context, loc);
  views(context, loc);
  attributes(context, loc);
  debugInfo(context);
  mlirContextDestroy(context);
  return 0;
}
