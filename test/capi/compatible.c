/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* RUN: cuda-tile-capi-compatible %t.tileirbc | FileCheck %s
 *
 * The signatures of other tools: types, hints, bytecode. */

#define _POSIX_C_SOURCE 200809L /* fileno */

#include "cuda_tile-c/Dialect/CudaTileDialect.h"
#include "cuda_tile-c/Dialect/CudaTileOptimizer.h"
#include "cuda_tile-c/Registration.h"

#include <mlir-c/BuiltinTypes.h>
#include <mlir-c/Diagnostics.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void expect(bool holds, const char *what) {
  if (holds)
    return;
  fprintf(stderr, "expected %s\n", what);
  exit(1);
}

static MlirStringRef text(const char *value) {
  return mlirStringRefCreateFromCString(value);
}

static MlirType tensors(MlirContext context) {
  MlirType f32 = mlirF32TypeGet(context);
  const int64_t shape[] = {16, 64}, odd[] = {4, 7}, strides[] = {64, 1};
  // CHECK: error: all dimensions must be powers of two, got 4, 7
  // CHECK-NEXT: null
  printType(mlirCudaTileTileTypeGetChecked(context, 2, odd, f32));
  // CHECK-NEXT: !cuda_tile.tile<16x64xf32>
  printType(mlirCudaTileTileTypeGetChecked(context, 2, shape, f32));
  // CHECK-NEXT: error: {{.*}}
  // CHECK-NEXT: null
  printType(
      mlirCudaTileTensorViewTypeGetChecked(context, f32, 2, shape, 1, strides));
  MlirType view =
      mlirCudaTileTensorViewTypeGet(context, f32, 2, shape, 2, strides);
  expect(mlirTypeEqual(view, mlirCudaTileTensorViewTypeGetChecked(
                                 context, f32, 2, shape, 2, strides)),
         "one type from both getters");
  return view;
}

static void views(MlirContext context, MlirType tensor) {
  const int32_t sizes[] = {8, 4}, steps[] = {3, 8}, map[] = {1, 0};
  MlirAttribute none = {NULL};
  MlirAttribute shape = mlirCudaTileDenseI32ArrayAttrGet(context, 2, sizes);
  MlirAttribute strides = mlirCudaTileDenseI32ArrayAttrGet(context, 2, steps);
  expect(mlirCudaTileDenseI32ArrayAttrGetNumElements(shape) == 2 &&
             mlirCudaTileDenseI32ArrayAttrGetElement(shape, 1) == 4,
         "the numbers of an array");
  MlirType partition = mlirCudaTilePartitionViewTypeGetChecked(
      context, shape, tensor, 2, map, none);
  // CHECK-NEXT: !cuda_tile.partition_view<tile=(8x4), {{.*}}, dim_map=[1, 0]>
  printType(partition);
  expect(mlirTypeEqual(partition, mlirCudaTilePartitionViewTypeGet(
                                      context, shape, tensor, 2, map, none)),
         "one partition_view from both getters");
  expect(mlirAttributeEqual(
             mlirCudaTilePartitionViewTypeGetTileShape(partition), shape) &&
             mlirCudaTilePartitionViewTypeGetDimMapRank(partition) == 2 &&
             mlirCudaTilePartitionViewTypeGetDimMapElement(partition, 0) == 1,
         "what the partition_view was made of");
  MlirType strided = mlirCudaTileStridedViewTypeGetChecked(
      context, shape, strides, tensor, 2, map, none);
  // CHECK-NEXT: !cuda_tile.strided_view<tile=(8x4), traversal_strides=[3,8]
  printType(strided);
  expect(mlirTypeEqual(strided,
                       mlirCudaTileStridedViewTypeGet(context, shape, strides,
                                                      tensor, 2, map, none)),
         "one strided_view from both getters");
  expect(mlirAttributeEqual(mlirCudaTileStridedViewTypeGetTileShape(strided),
                            shape) &&
             mlirAttributeEqual(
                 mlirCudaTileStridedViewTypeGetTraversalStrides(strided),
                 strides) &&
             mlirCudaTileStridedViewTypeGetDimMapRank(strided) == 2 &&
             mlirCudaTileStridedViewTypeGetDimMapElement(strided, 1) == 0,
         "what the strided_view was made of");
  // CHECK-NEXT: error: expected an array of 32-bit integers {{.*}}, got
  // CHECK-NEXT: null
  printType(mlirCudaTilePartitionViewTypeGetChecked(context, none, tensor, 2,
                                                    map, none));
  // CHECK-NEXT: error: expected as many numbers as dim_map has, 1, got 2
  // CHECK-NEXT: null
  printType(mlirCudaTilePartitionViewTypeGetChecked(context, shape, tensor, 1,
                                                    map, none));
  // CHECK-NEXT: error: expected a tensor_view, got 'f32'
  // CHECK-NEXT: null
  printType(mlirCudaTileStridedViewTypeGetChecked(
      context, shape, strides, mlirF32TypeGet(context), 2, map, none));
}

static void hints(MlirContext context) {
  // CHECK-NEXT: #cuda_tile.optimization_hints<sm_90 = {latency = 3}>
  mlirAttributePrint(mlirCudaTileOptimizationHintsAttrGetLoadStoreOpHint(
                         context, text("sm_90"), -1, 3),
                     toStdout, NULL);
  printf("\n");
}

static void bytecode(MlirContext context, const char *path) {
  MlirModule module = mlirModuleCreateParse(
      context, text("cuda_tile.module @m { entry @k() { return } }"));
  MlirOperation op = mlirModuleGetOperation(module);
  MlirStringRef bytes = mlirCudaTileWriteBytecodeToBuffer(op);
  expect(mlirCudaTileIsBytecode(bytes), "bytecode in memory");
  FILE *file = fopen(path, "w+b");
  expect(file && mlirCudaTileWriteBytecode(op, fileno(file)),
         "bytecode in a file");
  char *content = malloc(bytes.length + 1);
  rewind(file);
  expect(fread(content, 1, bytes.length + 1, file) == bytes.length &&
             !memcmp(content, bytes.data, bytes.length),
         "the same bytes in memory and in the file");
  fclose(file);
  free(content);
  mlirCudaTileFreeBuffer(bytes);
  // CHECK-NEXT: error: expected to write bytecode to file descriptor 1000, got
  expect(!mlirCudaTileWriteBytecode(op, 1000), "no file of that number");
  mlirModuleDestroy(module);
  // CHECK-NEXT: error: {{.*}}
  module = mlirModuleCreateEmpty(mlirLocationUnknownGet(context));
  bytes = mlirCudaTileWriteBytecodeToBuffer(mlirModuleGetOperation(module));
  expect(!bytes.length, "no bytecode of an empty module");
  mlirCudaTileFreeBuffer(bytes);
  mlirModuleDestroy(module);
}

static void collect(MlirStringRef message, void *userData) {
  printf("callback: ");
  toStdout(message, userData);
  printf("\n");
}

static void optimizations(MlirContext context) {
  mlirCudaTileOptConfig config;
  mlirCudaTileOptFlagsInit(&config);
  expect(config.flags == CUDATILE_OPT_FLAG_NONE && config.optLevel == 3 &&
             config.loopSplitThreshold == 1 && !config.diagnosticCallback,
         "no flags, level 3, threshold 1, no callback");
  MlirModule module = mlirModuleCreateParse(
      context, text("cuda_tile.module @m { entry @k(%x: tile<f32>, %p: "
                    "tile<ptr<f32>>) { %a = mulf %x, %x : tile<f32> %b = addf "
                    "%a, %x : tile<f32> %t = store_ptr_tko weak %p, %b : "
                    "tile<ptr<f32>>, tile<f32> -> token return } }"));
  MlirOperation op = mlirModuleGetOperation(module);
  expect(
      mlirLogicalResultIsSuccess(mlirCudaTileApplyOptimizations(op, &config)),
      "optimizations of a module");
  // CHECK: mulf
  mlirOperationPrint(op, toStdout, NULL);
  config.flags = CUDATILE_OPT_FLAG_FUSE_FMA;
  expect(mlirLogicalResultIsSuccess(mlirCudaTileApplyOptimizations(
             mlirBlockGetFirstOperation(mlirModuleGetBody(module)), &config)),
         "optimizations of a cuda_tile.module");
  // CHECK: fma
  // CHECK-NOT: mulf
  mlirOperationPrint(op, toStdout, NULL);
  config.optLevel = 9;
  config.diagnosticCallback = collect;
  // CHECK: callback: error: {{.*}}9
  expect(
      mlirLogicalResultIsFailure(mlirCudaTileApplyOptimizations(op, &config)),
      "no such level");
  mlirModuleDestroy(module);
}

int main(int argc, char **argv) {
  expect(argc == 2, "the name of a file to write");
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirCudaTileRegisterAllDialects(registry);
  MlirContext context =
      mlirContextCreateWithRegistry(registry, /*threadingEnabled=*/true);
  mlirDialectRegistryDestroy(registry);
  mlirContextLoadAllAvailableDialects(context);
  mlirContextAttachDiagnosticHandler(context, report, NULL, NULL);
  MlirType tensor = tensors(context);
  views(context, tensor);
  hints(context);
  bytecode(context, argv[1]);
  optimizations(context);
  mlirContextDestroy(context);
  return 0;
}
