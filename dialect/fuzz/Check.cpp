//===- Check.cpp - Properties checked for every input ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Check.h"
#include "cuda_tile/Bytecode/Bytecode.h"
#include "cuda_tile/IR/CudaTile.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;

/// AddressSanitizer asks for its options here. LLVM's allocators mark memory by
/// hand, in headers; those parts that were compiled into libLLVM without it do
/// not.
extern "C" const char *__asan_default_options();
extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0:detect_container_overflow=0";
}

namespace cuda_tile::fuzz {

namespace {

/// Keeps the last error of a context.
class LastError {
public:
  explicit LastError(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            text = diagnostic.str();
        }) {}

  const std::string &get() const { return text; }

private:
  std::string text;
  ScopedDiagnosticHandler handler;
};

} // namespace

static OwningOpRef<::mlir::ModuleOp> read(StringRef data,
                                          MLIRContext &context) {
  return readBytecode(llvm::MemoryBufferRef(data, "input"), &context);
}

/// The error of a round trip of an accepted module through `version`, if any.
/// Older versions drop hints that their compilers refuse.
static std::string checkRoundTrip(::mlir::ModuleOp module,
                                  BytecodeVersion version, bool isSame) {
  LastError error(module.getContext());
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  ::cuda_tile::ModuleOp tileModule = findTileModule(module);
  if (failed(writeBytecode(os, tileModule, version)))
    return "cannot be written: " + error.get();
  OwningOpRef<::mlir::ModuleOp> again = read(bytes, *module.getContext());
  if (!again)
    return "cannot be read again: " + error.get();
  if (isSame && !OperationEquivalence::isEquivalentTo(
                    module, *again, OperationEquivalence::IgnoreLocations))
    return "is another module when read again";
  return "";
}

/// Whether a module has functions for tests, which the newest version refuses.
static bool hasTestFunctions(::mlir::ModuleOp module) {
  return module
      .walk([](Operation *op) {
        return op->getName().getStringRef() == "cuda_tile.testing$func"
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

Outcome check(ArrayRef<uint8_t> input, MLIRContext &context) {
  Outcome outcome;
  StringRef data(reinterpret_cast<const char *>(input.data()), input.size());
  LastError error(&context);
  OwningOpRef<::mlir::ModuleOp> module = read(data, context);
  outcome.accepted = static_cast<bool>(module);
  if (!outcome.accepted) {
    if (!StringRef(error.get()).starts_with("error at offset "))
      outcome.problem = "refused without an offset: " + error.get();
    return outcome;
  }
  constexpr size_t versionAt = 8; // behind the magic number
  BytecodeVersion version{input[versionAt], input[versionAt + 1], 0};
  outcome.problem = checkRoundTrip(*module, version, /*isSame=*/false);
  if (outcome.problem.empty() && !hasTestFunctions(*module))
    outcome.problem = checkRoundTrip(*module, getBytecodeVersions().back(),
                                     /*isSame=*/true);
  return outcome;
}

std::unique_ptr<MLIRContext> makeContext() {
  DialectRegistry registry;
  registerDialects(registry);
  return std::make_unique<MLIRContext>(registry,
                                       MLIRContext::Threading::DISABLED);
}

} // namespace cuda_tile::fuzz
