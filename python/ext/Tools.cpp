//===- Tools.cpp - mlir-opt and mlir-translate as functions ---------------===//
//
// The command line tools are Python programs, so that passes and translations
// written in Python are known to them; MLIR's own main functions do the work.
//
//===----------------------------------------------------------------------===//

#include "Extension.h"

#include "cuda_tile/Bytecode/Bytecode.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"

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
    return mlir::MlirOptMain(argc, argv, "cuda-tile optimizer driver\n",
                             registry);
  });
}

int translateMain(const std::vector<std::string> &arguments) {
  mlir::registerToLLVMIRTranslation();
  cuda_tile::registerBytecodeTranslations();
  return runTool(arguments, [](int argc, char **argv) {
    return mlir::mlirTranslateMain(argc, argv,
                                   "cuda-tile translation driver\n");
  });
}

void registerTranslation(const std::string &name,
                         const std::string &description,
                         nb::callable function) {
  // The translation is known to the tool until the process ends, so the
  // function is never given back.
  PyObject *callee = function.release().ptr();
  mlir::TranslateFromMLIRRegistration(
      name, description,
      [callee](mlir::Operation *op,
               llvm::raw_ostream &os) -> llvm::LogicalResult {
        nb::gil_scoped_acquire acquire;
        try {
          nb::object text = nb::handle(callee)(wrapOperation(op));
          os << nb::cast<std::string>(text);
          return mlir::success();
        } catch (const nb::python_error &error) {
          return mlir::emitError(op->getLoc()) << describe(error);
        }
      },
      registerDialects);
}

} // namespace

void cuda_tile::python::populateTools(nb::module_ &m) {
  m.def(
      "opt_main", &optMain, nb::arg("argv"),
      "Runs mlir-opt's main function with our dialects and every registered "
      "pass; returns the exit code. For a process that ends afterwards: "
      "command line errors exit at once, and the tool's context stays alive.");
  m.def("translate_main", &translateMain, nb::arg("argv"),
        "Runs mlir-translate's main function with the registered translations; "
        "returns the exit code. For a process that ends afterwards.");
  m.def("register_translation", &registerTranslation, nb::arg("name"),
        nb::arg("description"), nb::arg("fn"),
        "Makes a translation of a Python function that turns an operation into "
        "text; `--name` of the translate tool.");
}
