//===- Translation.cpp - The tool's translations --------------------------===//

#include "mlir/Tools/mlir-translate/Translation.h"
#include "cuda_tile/Bytecode/Bytecode.h"
#include "cuda_tile/IR/CudaTile.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

void cuda_tile::registerBytecodeTranslations() {
  static TranslateToMLIRRegistration fromBytecode(
      "cudatilebc-to-mlir", "translate Tile IR bytecode to MLIR",
      [](llvm::SourceMgr &sources, MLIRContext *context) {
        const llvm::MemoryBuffer *buffer =
            sources.getMemoryBuffer(sources.getMainFileID());
        OwningOpRef<Operation *> result;
        if (OwningOpRef<mlir::ModuleOp> module =
                readBytecode(buffer->getMemBufferRef(), context))
          result = module.release().getOperation();
        return result;
      },
      [](DialectRegistry &registry) { registerDialects(registry); });
}
