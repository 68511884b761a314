/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* RUN: cuda-tile-capi-program | FileCheck %s
 *
 * A whole program: dialects and passes registered, text read, optimized,
 * written as bytecode and read again; damaged bytecode refused. */

#include "cuda_tile-c/CudaTile.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/Diagnostics.h>
#include <mlir-c/Pass.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const source =
    "cuda_tile.module @m {\n"
    "  entry @k(%p: tile<ptr<f32>>, %x: tile<f32>) {\n"
    "    %0 = mulf %x, %x : tile<f32>\n"
    "    %1 = mulf %x, %x : tile<f32>\n"
    "    %2 = addf %0, %x : tile<f32>\n"
    "    %t = store_ptr_tko weak %p, %2 : tile<ptr<f32>>, tile<f32> -> token\n"
    "  }\n"
    "}\n";

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

static void expect(bool holds, const char *what) {
  if (holds)
    return;
  fprintf(stderr, "expected %s\n", what);
  exit(1);
}

static MlirStringRef text(const char *value) {
  return mlirStringRefCreateFromCString(value);
}

static void toCallback(MlirStringRef text, void *userData) {
  printf("%s: %.*s\n", (const char *)userData, (int)text.length, text.data);
}

static MlirContext makeContext(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirCudaTileRegisterAllDialects(registry);
  MlirContext context =
      mlirContextCreateWithRegistry(registry, /*threadingEnabled=*/false);
  mlirDialectRegistryDestroy(registry);
  mlirContextLoadAllAvailableDialects(context);
  mlirContextAttachDiagnosticHandler(context, report, NULL, NULL);
  return context;
}

static void print(MlirModule module) {
  mlirOperationPrint(mlirModuleGetOperation(module), toStdout, NULL);
}

static void optimize(MlirContext context) {
  MlirModule module = mlirModuleCreateParse(context, text(source));
  MlirOperation op = mlirModuleGetOperation(module);
  mlirCudaTileOptConfig config;
  mlirCudaTileOptFlagsInit(&config);
  expect(config.optLevel == 3 && config.flags == CUDATILE_OPT_FLAG_NONE &&
             config.loopSplitThreshold == 1 && !config.diagnosticCallback,
         "the defaults");
  config.flags = CUDATILE_OPT_FLAG_FUSE_FMA;
  expect(
      mlirLogicalResultIsSuccess(mlirCudaTileApplyOptimizations(op, &config)),
      "optimizations to work");
  // CHECK: cuda_tile.module @m
  // CHECK: entry @k
  // CHECK-NOT: mulf
  // CHECK: fma
  // CHECK: store_ptr_tko
  print(module);
  // CHECK: error: expected an optimization level of 0 to 3, got 4
  config.optLevel = 4;
  expect(
      mlirLogicalResultIsFailure(mlirCudaTileApplyOptimizations(op, &config)),
      "no level 4");
  // CHECK: callback: error: expected an optimization level of 0 to 3, got 4
  config.diagnosticCallback = toCallback;
  config.diagnosticUserData = (void *)"callback";
  expect(
      mlirLogicalResultIsFailure(mlirCudaTileApplyOptimizations(op, &config)),
      "no level 4 with a callback");
  mlirModuleDestroy(module);
}

static void pipeline(MlirContext context) {
  MlirModule module = mlirModuleCreateParse(context, text(source));
  MlirPassManager manager = mlirPassManagerCreate(context);
  MlirOpPassManager passes = mlirPassManagerGetAsOpPassManager(manager);
  expect(mlirLogicalResultIsSuccess(mlirOpPassManagerAddPipeline(
             passes,
             text("cse,canonicalize,fuse-fma,loop-split{split-threshold="
                  "2},cuda_tile.module(synthesize-debug-info-scopes)"),
             toStdout, NULL)),
         "the pipeline to be known");
  mlirOpPassManagerAddOwnedPass(passes, mlirCudaTileCreateLoopSplitPass(7));
  // CHECK: pipeline: any(cse,canonicalize
  // CHECK-SAME: fuse-fma,loop-split{split-threshold=2}
  // CHECK-SAME: loop-split{split-threshold=7}
  printf("pipeline: ");
  mlirPrintPassPipeline(passes, toStdout, NULL);
  printf("\n");
  expect(mlirLogicalResultIsSuccess(
             mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(module))),
         "the pipeline to run");
  mlirPassManagerDestroy(manager);
  mlirModuleDestroy(module);
}

static void bytecode(MlirContext context) {
  MlirModule module = mlirModuleCreateParse(context, text(source));
  MlirOperation outer = mlirModuleGetOperation(module);
  MlirOperation inner = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  expect(mlirCudaTileOperationIsAModuleOp(inner) &&
             !mlirCudaTileOperationIsAModuleOp(outer),
         "one cuda_tile.module");
  char *bytes = NULL;
  size_t sizeBytes = 0;
  expect(mlirLogicalResultIsSuccess(mlirCudaTileBytecodeWriteToBuffer(
             outer, text("13.1"), &bytes, &sizeBytes)),
         "bytecode");
  MlirStringRef data = mlirStringRefCreate(bytes, sizeBytes);
  expect(mlirCudaTileIsBytecode(data) && !mlirCudaTileIsBytecode(text("x")),
         "the magic number");
  MlirModule again =
      mlirCudaTileReadBytecode(context, data, text("memory.tileirbc"));
  expect(!mlirModuleIsNull(again), "to read what was written");
  // CHECK: cuda_tile.module @kernels
  // CHECK: mulf
  // CHECK: mulf
  print(again);
  mlirModuleDestroy(again);
  // CHECK: error: {{.*}}
  // CHECK: damaged: null
  again = mlirCudaTileReadBytecode(context,
                                   mlirStringRefCreate(bytes, sizeBytes / 2),
                                   text("half.tileirbc"));
  printf("damaged: %s\n", mlirModuleIsNull(again) ? "null" : "read");
  mlirCudaTileBytecodeFree(bytes);

  // CHECK: error: expected a bytecode version such as '13.3', got 'new'
  expect(mlirLogicalResultIsFailure(mlirCudaTileBytecodeWriteToBuffer(
             inner, text("new"), &bytes, &sizeBytes)) &&
             !bytes && !sizeBytes,
         "no version of that name");
  // CHECK: TileIR
  expect(mlirLogicalResultIsSuccess(
             mlirCudaTileBytecodeWrite(inner, text(""), toStdout, NULL)),
         "bytecode of the inner module");
  printf("\n");
  mlirModuleDestroy(module);
}

static void attributes(MlirContext context) {
  MlirModule module = mlirModuleCreateParse(context, text(source));
  MlirOperation inner = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  MlirAttribute two =
      mlirCudaTileIntegerAttrGet(mlirCudaTileIntegerTypeGet(context, 32), 2);
  mlirCudaTileOperationSetDiscardableAttributeByName(
      inner, text("loop_split_threshold"), two);
  // CHECK: cuda_tile.module @m attributes {loop_split_threshold = 2 : i32}
  print(module);
  mlirModuleDestroy(module);
}

int main(void) {
  mlirCudaTileRegisterAllPasses();
  mlirCudaTileRegisterFuseFMAPass(); /* a second time does no harm */
  MlirContext context = makeContext();
  optimize(context);
  pipeline(context);
  bytecode(context);
  attributes(context);
  mlirContextDestroy(context);
  return 0;
}
