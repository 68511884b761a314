//===- CompatibleOptimizer.cpp - Optimizer, writer as in other tools ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda_tile-c/Dialect/CudaTileOptimizer.h"
#include "cuda_tile/Transforms/Optimize.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

void mlirCudaTileOptFlagsInit(mlirCudaTileOptConfig *config) {
  cuda_tile::OptimizationOptions defaults;
  *config = {CUDATILE_OPT_FLAG_NONE, defaults.level,
             defaults.loopSplitThreshold, nullptr, nullptr};
}

static StringRef nameOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  llvm_unreachable("not a severity");
}

static LogicalResult optimize(Operation *module,
                              const mlirCudaTileOptConfig &config) {
  cuda_tile::OptimizationOptions options;
  options.level = config.optLevel;
  options.fuseFMA = config.flags & CUDATILE_OPT_FLAG_FUSE_FMA;
  options.loopSplitThreshold = config.loopSplitThreshold;
  MLIRContext *context = module->getContext();
  bool hasThreads = context->isMultithreadingEnabled();
  bool mayUseThem = config.flags & CUDATILE_OPT_FLAG_ENABLE_MULTITHREAD;
  if (hasThreads && !mayUseThem)
    context->disableMultithreading();
  LogicalResult result = cuda_tile::applyOptimizations(module, options);
  if (hasThreads && !mayUseThem)
    context->enableMultithreading();
  return result;
}

MlirLogicalResult
mlirCudaTileApplyOptimizations(MlirOperation module,
                               const mlirCudaTileOptConfig *config) {
  Operation *op = unwrap(module);
  if (!config->diagnosticCallback)
    return wrap(optimize(op, *config));
  ScopedDiagnosticHandler handler(
      op->getContext(), [&](Diagnostic &diagnostic) {
        std::string text =
            (nameOf(diagnostic.getSeverity()) + ": " + diagnostic.str()).str();
        config->diagnosticCallback(wrap(StringRef(text)),
                                   config->diagnosticUserData);
      });
  return wrap(optimize(op, *config));
}

bool mlirCudaTileWriteBytecode(MlirOperation module, int fileDescriptor) {
  llvm::raw_fd_ostream os(fileDescriptor, /*shouldClose=*/false);
  auto write = [](MlirStringRef bytes, void *stream) {
    *static_cast<llvm::raw_fd_ostream *>(stream) << unwrap(bytes);
  };
  if (mlirLogicalResultIsFailure(
          mlirCudaTileBytecodeWrite(module, wrap(StringRef()), write, &os)))
    return false;
  os.flush();
  if (!os.has_error())
    return true;
  emitError(unwrap(module)->getLoc())
      << "expected to write bytecode to file descriptor " << fileDescriptor
      << ", got: " << os.error().message();
  os.clear_error();
  return false;
}

MlirStringRef mlirCudaTileWriteBytecodeToBuffer(MlirOperation module) {
  char *bytes = nullptr;
  size_t sizeBytes = 0;
  if (mlirLogicalResultIsFailure(mlirCudaTileBytecodeWriteToBuffer(
          module, wrap(StringRef()), &bytes, &sizeBytes)))
    return {nullptr, 0};
  return {bytes, sizeBytes};
}

void mlirCudaTileFreeBuffer(MlirStringRef buffer) {
  mlirCudaTileBytecodeFree(const_cast<char *>(buffer.data));
}
