//===- Dialect.cpp - The dialects and their ops in C ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda_tile-c/Dialect.h"
#include "cuda_tile/Bytecode/Bytecode.h"
#include "cuda_tile/IR/CudaTile.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/CAPI/Support.h"

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(CudaTile, cuda_tile,
                                      cuda_tile::CudaTileDialect)

void mlirCudaTileRegisterAllDialects(MlirDialectRegistry registry) {
  cuda_tile::registerDialects(*unwrap(registry));
  cuda_tile::registerMlirBytecode(*unwrap(registry));
}

bool mlirCudaTileOperationIsAModuleOp(MlirOperation op) {
  return llvm::isa<cuda_tile::ModuleOp>(unwrap(op));
}

void mlirCudaTileOperationSetDiscardableAttributeByName(
    MlirOperation op, MlirStringRef name, MlirAttribute attribute) {
  unwrap(op)->setDiscardableAttr(unwrap(name), unwrap(attribute));
}

MlirType mlirCudaTileIntegerTypeGet(MlirContext context, unsigned width) {
  return wrap(mlir::Type(mlir::IntegerType::get(unwrap(context), width)));
}

MlirAttribute mlirCudaTileIntegerAttrGet(MlirType type, int64_t value) {
  return wrap(mlir::Attribute(mlir::IntegerAttr::get(unwrap(type), value)));
}
