//===- Register.cpp - Dialects and their interfaces -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dialects come through MLIR's C handles and the interfaces through
// declarations of functions that libMLIR exports: including the dialects' C++
// headers would make this by far the slowest file of the build.
//
//===----------------------------------------------------------------------===//

#include "Extension.h"

#include "cuda_tile/Bytecode/Bytecode.h"
#include "cuda_tile/Cute/Cute.h"
#include "cuda_tile/IR/CudaTile.h"
#include "cuda_tile/Tileas/Tileas.h"
#include "mlir/IR/DialectRegistry.h"

#define FOR_EACH_UPSTREAM_DIALECT(APPLY)                                       \
  APPLY(affine)                                                                \
  APPLY(arith)                                                                 \
  APPLY(cf)                                                                    \
  APPLY(dlti)                                                                  \
  APPLY(func)                                                                  \
  APPLY(gpu)                                                                   \
  APPLY(index)                                                                 \
  APPLY(irdl)                                                                  \
  APPLY(llvm)                                                                  \
  APPLY(math)                                                                  \
  APPLY(memref)                                                                \
  APPLY(nvgpu)                                                                 \
  APPLY(nvvm)                                                                  \
  APPLY(pdl)                                                                   \
  APPLY(pdl_interp)                                                            \
  APPLY(scf)                                                                   \
  APPLY(ub)                                                                    \
  APPLY(vector)

extern "C" {
#define DECLARE_HANDLE(name)                                                   \
  MlirDialectHandle mlirGetDialectHandle__##name##__(void);
FOR_EACH_UPSTREAM_DIALECT(DECLARE_HANDLE)
#undef DECLARE_HANDLE
}

// Defined in libMLIR.
namespace mlir {
namespace arith {
void registerConvertArithToLLVMInterface(DialectRegistry &);
} // namespace arith
namespace cf {
void registerConvertControlFlowToLLVMInterface(DialectRegistry &);
} // namespace cf
namespace func {
void registerAllExtensions(DialectRegistry &);
} // namespace func
namespace index {
void registerConvertIndexToLLVMInterface(DialectRegistry &);
} // namespace index
namespace LLVM {
void registerInlinerInterface(DialectRegistry &);
} // namespace LLVM
namespace NVVM {
void registerConvertGpuToNVVMInterface(DialectRegistry &);
void registerNVVMTargetInterfaceExternalModels(DialectRegistry &);
} // namespace NVVM
namespace ub {
void registerConvertUBToLLVMInterface(DialectRegistry &);
} // namespace ub
namespace vector {
void registerConvertVectorToLLVMInterface(DialectRegistry &);
} // namespace vector
void registerBuiltinDialectTranslation(DialectRegistry &);
void registerConvertFuncToLLVMInterface(DialectRegistry &);
void registerConvertMathToLLVMInterface(DialectRegistry &);
void registerConvertMemRefToLLVMInterface(DialectRegistry &);
void registerConvertNVVMToLLVMInterface(DialectRegistry &);
void registerGPUDialectTranslation(DialectRegistry &);
void registerLLVMDialectTranslation(DialectRegistry &);
void registerNVVMDialectTranslation(DialectRegistry &);
} // namespace mlir

void cuda_tile::python::insertDialects(mlir::DialectRegistry &registry) {
  registry.insert<cuda_tile::CudaTileDialect, cuda_tile::cute::CuteDialect,
                  cuda_tile::tileas::TileasDialect>();
  cuda_tile::registerMlirBytecode(registry);
#define INSERT_DIALECT(name)                                                   \
  mlirDialectHandleInsertDialect(mlirGetDialectHandle__##name##__(),           \
                                 wrap(&registry));
  FOR_EACH_UPSTREAM_DIALECT(INSERT_DIALECT)
#undef INSERT_DIALECT
}

void cuda_tile::python::registerDialects(mlir::DialectRegistry &registry) {
  insertDialects(registry);
  mlir::arith::registerConvertArithToLLVMInterface(registry);
  mlir::cf::registerConvertControlFlowToLLVMInterface(registry);
  mlir::func::registerAllExtensions(registry);
  mlir::index::registerConvertIndexToLLVMInterface(registry);
  mlir::LLVM::registerInlinerInterface(registry);
  mlir::NVVM::registerConvertGpuToNVVMInterface(registry);
  mlir::NVVM::registerNVVMTargetInterfaceExternalModels(registry);
  mlir::ub::registerConvertUBToLLVMInterface(registry);
  mlir::vector::registerConvertVectorToLLVMInterface(registry);
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerConvertFuncToLLVMInterface(registry);
  mlir::registerConvertMathToLLVMInterface(registry);
  mlir::registerConvertMemRefToLLVMInterface(registry);
  mlir::registerConvertNVVMToLLVMInterface(registry);
  mlir::registerGPUDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerNVVMDialectTranslation(registry);
}
