//===- Tools.cpp - mlir-opt and mlir-translate as functions ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line tools are Python programs, so that they support passes and
// translations written in Python; they call MLIR's own main functions.
//
//===----------------------------------------------------------------------===//

#include "Extension.h"

#include "cuda_tile/Bytecode/Bytecode.h"
#include "cuda_tile/IR/Hints.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

#include <deque>

using namespace cuda_tile::python;

namespace mlir {
void registerToLLVMIRTranslation();
} // namespace mlir

namespace {

using Main = llvm::function_ref<llvm::LogicalResult(int argc, char **argv)>;

/// Calls a tool's main function with the GIL released; passes take it when they
/// run Python. An exception that is no UserError is a bug of ours, so its
/// traceback is printed after the diagnostic.
int runTool(std::vector<std::string> arguments, Main main) {
  std::vector<char *> argv;
  for (std::string &argument : arguments)
    argv.push_back(argument.data());
  argv.push_back(nullptr);
  bool ok;
  {
    nb::gil_scoped_release release;
    ok = llvm::succeeded(main(static_cast<int>(arguments.size()), argv.data()));
  }
  nb::object exception = takePassException();
  if (!exception.is_none() && !isUserError(exception))
    nb::module_::import_("traceback").attr("print_exception")(exception);
  return ok ? 0 : 1;
}

/// Tile IR bytecode as the text that mlir-opt reads, with locations; any other
/// input as it is. Null after an error.
std::unique_ptr<llvm::MemoryBuffer>
asText(std::unique_ptr<llvm::MemoryBuffer> input,
       const mlir::DialectRegistry &registry) {
  if (!cuda_tile::isBytecode(input->getBuffer()))
    return input;
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      cuda_tile::readBytecode(input->getMemBufferRef(), &context);
  if (!module)
    return nullptr;
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, mlir::OpPrintingFlags().enableDebugInfo());
  return llvm::MemoryBuffer::getMemBufferCopy(text,
                                              input->getBufferIdentifier());
}

/// Whether a file may be text or bytecode, Tile IR's or MLIR's. The parser
/// would print a line of any other to the terminal.
bool isKernel(llvm::MemoryBufferRef input) {
  return cuda_tile::isBytecode(input.getBuffer()) || mlir::isBytecode(input) ||
         (llvm::json::isUTF8(input.getBuffer()) &&
          !input.getBuffer().contains('\0'));
}

/// mlir-opt's main function, which reads Tile IR bytecode as well.
llvm::LogicalResult optimize(int argc, char **argv,
                             mlir::DialectRegistry &registry) {
  cuda_tile::registerHintFlags();
  auto [inputName, outputName] = mlir::registerAndParseCLIOptions(
      argc, argv, "cuda-tile optimizer driver\n", registry);
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::MlirOptMain(argc, argv, inputName, outputName, registry);
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> input =
      mlir::openInputFile(inputName, &error);
  std::unique_ptr<llvm::ToolOutputFile> output =
      input ? mlir::openOutputFile(outputName, &error) : nullptr;
  if (!output) {
    llvm::errs() << "error: " << error << "\n";
    return mlir::failure();
  }
  if (!isKernel(input->getMemBufferRef())) {
    llvm::errs() << "error: '" << inputName
                 << "': expected MLIR text or Tile IR bytecode, got bytes that "
                    "are neither\n";
    return mlir::failure();
  }
  input = asText(std::move(input), registry);
  if (!input || failed(mlir::MlirOptMain(output->os(), std::move(input),
                                         registry, config)))
    return mlir::failure();
  output->keep();
  return mlir::success();
}

int optMain(std::vector<std::string> arguments) {
  // Passes in Python take turns under the GIL anyhow; one thread keeps what
  // they print in order.
  const char *oneThread = "--mlir-disable-threading";
  if (!llvm::is_contained(arguments, oneThread) &&
      !llvm::is_contained(arguments, oneThread + 1))
    arguments.push_back(oneThread);
  mlir::DialectRegistry registry;
  registerDialects(registry);
  return runTool(std::move(arguments), [&](int argc, char **argv) {
    return optimize(argc, argv, registry);
  });
}

/// Serves one client on stdin and stdout until it says goodbye.
int lspMain(std::vector<std::string> arguments) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  return runTool(std::move(arguments), [&](int argc, char **argv) {
    return mlir::MlirLspServerMain(argc, argv, registry);
  });
}

int translateMain(const std::vector<std::string> &arguments) {
  mlir::registerToLLVMIRTranslation();
  cuda_tile::registerBytecodeTranslations();
  cuda_tile::registerHintFlags();
  return runTool(arguments, [](int argc, char **argv) {
    return mlir::mlirTranslateMain(argc, argv,
                                   "cuda-tile translation driver\n");
  });
}

/// Hands the bytes of the file and its name to Python, which knows its kind by
/// content. None instead of a text says that the function failed; it keeps the
/// reason.
void registerTranslation(const std::string &name,
                         const std::string &description,
                         nb::callable function) {
  // The translation is known to the tool until the process ends, so the
  // function is never given back.
  PyObject *callee = function.release().ptr();
  // LLVM's options refer to their texts and keep no copy.
  static std::deque<std::string> texts;
  mlir::TranslateRegistration(
      texts.emplace_back(name), texts.emplace_back(description),
      [callee](const std::shared_ptr<llvm::SourceMgr> &source,
               llvm::raw_ostream &os,
               mlir::MLIRContext *) -> llvm::LogicalResult {
        const llvm::MemoryBuffer *buffer =
            source->getMemoryBuffer(source->getMainFileID());
        llvm::StringRef data = buffer->getBuffer();
        nb::gil_scoped_acquire acquire;
        nb::object text =
            nb::handle(callee)(nb::bytes(data.data(), data.size()),
                               std::string(buffer->getBufferIdentifier()));
        if (text.is_none())
          return mlir::failure();
        os << nb::cast<std::string>(text);
        return mlir::success();
      });
}

} // namespace

void cuda_tile::python::populateTools(nb::module_ &m) {
  m.def(
      "opt_main", &optMain, nb::arg("argv"),
      "Runs mlir-opt's main function with our dialects and every registered "
      "pass; returns the exit code. For a process that ends afterwards: "
      "command line errors exit at once, and the tool's context stays alive.");
  m.def("lsp_main", &lspMain, nb::arg("argv"),
        "Runs mlir-lsp-server's main function with our dialects on stdin and "
        "stdout; returns the exit code.");
  m.def("translate_main", &translateMain, nb::arg("argv"),
        "Runs mlir-translate's main function with the registered translations; "
        "returns the exit code. For a process that ends afterwards.");
  m.def("register_translation", &registerTranslation, nb::arg("name"),
        nb::arg("description"), nb::arg("fn"),
        nb::sig("def register_translation(name: str, description: str, fn: "
                "collections.abc.Callable[[bytes, str], str | None]) -> None"),
        "Makes a translation of a Python function, `--name` of the translate "
        "tool.\n\n"
        "Args:\n"
        "  name: Without the dashes.\n"
        "  description: A line for --help.\n"
        "  fn: Gets the input's bytes and name and returns the text, or None "
        "if it failed; it must not raise.");
}
