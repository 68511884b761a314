//===- Translation.cpp - The tool's translations --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mlir/Tools/mlir-translate/Translation.h"
#include "Format.h"
#include "cuda_tile/Bytecode/Bytecode.h"
#include "cuda_tile/IR/CudaTile.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace cuda_tile {
namespace {

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

/// Reads the value of `--bytecode-version`.
struct VersionParser : llvm::cl::parser<BytecodeVersion> {
  using parser::parser;

  bool parse(llvm::cl::Option &option, StringRef, StringRef text,
             BytecodeVersion &version) {
    std::optional<BytecodeVersion> parsed = BytecodeVersion::parse(text);
    if (!parsed)
      return option.error("Invalid argument '" + text + "'");
    if (!parsed->isSupported())
      return option.error("Invalid argument '" + text +
                          "': the supported versions are [" +
                          bytecode::kFirstVersion.str() + " - " +
                          bytecode::kLastOpenVersion.str() + "], and newer [" +
                          bytecode::kFirstNewerVersion.str() + " - " +
                          bytecode::kLastVersion.str() + "]");
    version = *parsed;
    return false;
  }
};

struct Options {
  llvm::cl::opt<BytecodeVersion, false, VersionParser> version{
      "bytecode-version",
      llvm::cl::desc("Version of the Tile IR bytecode that is written "
                     "(13.3 if not given)"),
      llvm::cl::value_desc("X.Y[.T]")};
  llvm::cl::opt<bool> listVersions{
      "list-versions",
      llvm::cl::desc("Print the versions of Tile IR bytecode and exit"),
      llvm::cl::callback([](const bool &) {
        printBytecodeVersions(llvm::outs());
        llvm::outs().flush();
        std::exit(0);
      })};
  llvm::cl::opt<BytecodeLocations> locations{
      "bytecode-locations",
      llvm::cl::desc("Locations that bytecode does not have (default: strict)"),
      llvm::cl::init(BytecodeLocations::Strict),
      llvm::cl::values(
          clEnumValN(BytecodeLocations::Strict, "strict", "are errors"),
          clEnumValN(BytecodeLocations::Nearest, "nearest",
                     "are replaced by the nearest position in them"))};
  llvm::cl::opt<bool> strict{
      "strict",
      llvm::cl::desc("Refuse bytecode with bytes or flags that nothing reads")};
  llvm::cl::opt<bool> genericForm{
      "generic-form",
      llvm::cl::desc("Print what -test-cudatile-roundtrip read in MLIR's "
                     "generic form")};
};

Options &getOptions() {
  static Options options;
  return options;
}

BytecodeReading getReading() {
  return getOptions().strict ? BytecodeReading::Strict
                             : BytecodeReading::Tolerant;
}

//===----------------------------------------------------------------------===//
// Translations
//===----------------------------------------------------------------------===//

/// The cuda_tile.module in `file`, taken out of the builtin module, so that it
/// is printed without one.
OwningOpRef<Operation *> takeTileModule(::mlir::ModuleOp file) {
  ::cuda_tile::ModuleOp module = *file.getOps<::cuda_tile::ModuleOp>().begin();
  module->remove();
  return module.getOperation();
}

OwningOpRef<Operation *> importBytecode(llvm::SourceMgr &sources,
                                        MLIRContext *context) {
  const llvm::MemoryBuffer *buffer =
      sources.getMemoryBuffer(sources.getMainFileID());
  OwningOpRef<::mlir::ModuleOp> file =
      readBytecode(buffer->getMemBufferRef(), context, getReading());
  return file ? takeTileModule(*file) : nullptr;
}

LogicalResult exportBytecode(Operation *op, raw_ostream &os) {
  ::cuda_tile::ModuleOp module = findTileModule(op);
  return failure(!module ||
                 failed(writeBytecode(os, module, getOptions().version,
                                      getOptions().locations)));
}

/// Text or bytecode to bytecode and back. The result must be the same except
/// for locations, because bytecode does not have all kinds.
LogicalResult testRoundTrip(Operation *op, raw_ostream &os) {
  ::cuda_tile::ModuleOp module = findTileModule(op);
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  if (!module || failed(writeBytecode(stream, module, getOptions().version)))
    return failure();
  OwningOpRef<::mlir::ModuleOp> again =
      readBytecode(llvm::MemoryBufferRef(bytes, "roundtrip"), op->getContext());
  if (!again)
    return op->emitError("expected what was written to be read");
  ::cuda_tile::ModuleOp other = findTileModule(*again);
  BytecodeVersion version = getOptions().version;
  constexpr auto producer = static_cast<size_t>(bytecode::SectionId::Producer);
  if (bytecode::Version{version.major, version.minor} <
      bytecode::kSections[producer].since) {
    // These versions store neither.
    other.setSymName(module.getSymName());
    other.setProducerAttr(module.getProducerAttr());
  }
  if (!OperationEquivalence::isEquivalentTo(
          module, other, OperationEquivalence::IgnoreLocations))
    return op->emitError("expected the same module to come back, got ")
           << *other;
  OpPrintingFlags flags;
  if (getOptions().genericForm)
    flags.printGenericOpForm();
  takeTileModule(*again)->print(os, flags);
  os << "\n";
  return success();
}

LogicalResult dump(const std::shared_ptr<llvm::SourceMgr> &sources,
                   raw_ostream &os, MLIRContext *context) {
  DialectRegistry registry;
  registerDialects(registry);
  context->appendDialectRegistry(registry);
  const llvm::MemoryBuffer *buffer =
      sources->getMemoryBuffer(sources->getMainFileID());
  return dumpBytecode(buffer->getMemBufferRef(), context, os, getReading());
}

} // namespace
} // namespace cuda_tile

void cuda_tile::registerBytecodeTranslations() {
  (void)getOptions();
  auto registerAll = [](DialectRegistry &registry) {
    registerDialects(registry);
    registerMlirBytecode(registry);
  };
  static TranslateToMLIRRegistration fromBytecode(
      "cudatilebc-to-mlir", "translate Tile IR bytecode to MLIR",
      importBytecode, registerAll);
  static TranslateFromMLIRRegistration toBytecode(
      "mlir-to-cudatilebc", "translate MLIR to Tile IR bytecode",
      exportBytecode, registerAll);
  static TranslateFromMLIRRegistration roundTrip(
      "test-cudatile-roundtrip",
      "translate MLIR to Tile IR bytecode and back, and compare", testRoundTrip,
      registerAll);
  static TranslateRegistration explain(
      "dump", "explain a Tile IR bytecode file byte by byte", dump);
}
