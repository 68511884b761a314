/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* RUN: test-cuda-tile-capi-register | FileCheck %s
 *
 * Registers the dialects and passes by the headers of other tools and loads
 * cuda_tile. */

#include "cuda_tile-c/Dialect/CudaTileDialect.h"
#include "cuda_tile-c/Dialect/CudaTileOptimizer.h"
#include "cuda_tile-c/Registration.h"

#include <stdio.h>

int main(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirCudaTileRegisterAllDialects(registry);
  mlirCudaTileRegisterAllPasses();
  MlirContext context =
      mlirContextCreateWithRegistry(registry, /*threadingEnabled=*/false);
  mlirDialectRegistryDestroy(registry);
  MlirDialect dialect = mlirContextGetOrLoadDialect(
      context, mlirStringRefCreateFromCString("cuda_tile"));
  // CHECK: loaded
  printf("%s\n", mlirDialectIsNull(dialect) ? "missing" : "loaded");
  mlirContextDestroy(context);
  return mlirDialectIsNull(dialect);
}
