//===- Passes.cpp - Passes written in Python ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A registered Python function becomes a C++ pass, with a name in pipeline
// strings and in the opt tool, options, verification, IR printing and timing.
//
//===----------------------------------------------------------------------===//

#include "Extension.h"

#include "cuda_tile/Transforms/Passes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

#include <memory>
#include <optional>
#include <tuple>

using namespace cuda_tile::python;

namespace mlir {
// Declared here because mlir/InitAllPasses.h takes longer to compile than all
// of this directory; libMLIR defines it.
void registerAllPasses();
} // namespace mlir

namespace {

/// The exception of the last Python pass that failed in this thread, which is
/// the thread that called for the pass. MLIR reports failure as a flag, so the
/// exception waits here for the caller.
PyObject *&storedException() {
  static thread_local PyObject *exception = nullptr;
  return exception;
}

/// The exception object of an error. Up to Python 3.11 an error raised in C may
/// come as a class and a text, and without its traceback.
nb::object exceptionOf(const nb::python_error &error) {
  PyObject *type = error.type().inc_ref().ptr();
  PyObject *value = error.value().inc_ref().ptr();
  PyObject *trace = error.traceback().inc_ref().ptr();
  PyErr_NormalizeException(&type, &value, &trace);
  if (trace)
    PyException_SetTraceback(value, trace);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  return nb::steal<nb::object>(value);
}

void storeException(nb::object exception) {
  PyObject *previous = storedException();
  storedException() = exception.release().ptr();
  Py_XDECREF(previous);
}

/// The place that `file:line:column` names; null if the text has another form.
mlir::LocationAttr parsePlace(llvm::StringRef text,
                              mlir::MLIRContext *context) {
  auto [front, columnText] = text.rsplit(':');
  auto [file, lineText] = front.rsplit(':');
  unsigned line = 0;
  unsigned column = 0;
  if (lineText.getAsInteger(10, line) || columnText.getAsInteger(10, column))
    return {};
  return mlir::FileLineColLoc::get(context, file, line, column);
}

/// Reads what `cuda_tile.locations.place_text` writes: the innermost place,
/// then its callers. Null if it names no line.
mlir::LocationAttr parsePlaces(llvm::StringRef text,
                               mlir::MLIRContext *context) {
  auto [first, callers] = text.split(", called from ");
  mlir::LocationAttr place = parsePlace(first, context);
  if (!place || callers.empty())
    return place;
  mlir::LocationAttr caller = parsePlaces(callers, context);
  if (!caller)
    return place;
  return mlir::CallSiteLoc::get(mlir::Location(place), mlir::Location(caller));
}

/// Emits an exception of this package where it says it happened: its
/// `location`. Returns false for others.
bool emitLocated(const nb::object &exception, mlir::Operation *op) {
  nb::object location = nb::getattr(exception, "location", nb::none());
  nb::object message = nb::getattr(exception, "message", nb::none());
  if (!nb::isinstance<nb::str>(location) || !nb::isinstance<nb::str>(message))
    return false;
  mlir::LocationAttr where =
      parsePlaces(nb::cast<std::string>(location), op->getContext());
  if (!where)
    return false;
  mlir::emitError(mlir::Location(where)) << nb::cast<std::string>(message);
  return true;
}

struct OptionSpec {
  std::string name;
  std::string defaultValue;
  std::string description;
};

/// The registration of a pass; it lives as long as the process, like MLIR's
/// registry.
struct PassSpec {
  std::string argument;
  std::string description;
  std::vector<OptionSpec> options;
  nb::callable function;
  mlir::TypeID typeId;
};

class PythonPass : public mlir::OperationPass<> {
public:
  explicit PythonPass(const PassSpec &spec)
      : OperationPass(spec.typeId), spec(spec) {
    for (const OptionSpec &option : spec.options)
      options.push_back(std::make_unique<Option<std::string>>(
          *this, option.name, llvm::cl::desc(option.description),
          llvm::cl::init(option.defaultValue)));
  }

  llvm::StringRef getName() const override { return spec.argument; }
  llvm::StringRef getArgument() const override { return spec.argument; }
  llvm::StringRef getDescription() const override { return spec.description; }

  // A Python function may build ops of any dialect, and a tool's context loads
  // dialects only as they are parsed or named here.
  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    insertDialects(registry);
  }

  void runOnOperation() override {
    nb::gil_scoped_acquire acquire;
    try {
      callFunction();
    } catch (const nb::python_error &error) {
      nb::object exception = exceptionOf(error);
      if (!emitLocated(exception, getOperation()))
        mlir::emitError(getOperation()->getLoc())
            << "pass '" << spec.argument << "' failed: " << describe(error);
      storeException(std::move(exception));
      signalPassFailure();
    }
  }

protected:
  std::unique_ptr<Pass> clonePass() const override {
    return std::make_unique<PythonPass>(spec);
  }

private:
  void callFunction() {
    nb::dict values;
    for (auto [option, value] : llvm::zip_equal(spec.options, options))
      values[option.name.c_str()] = nb::str(value->getValue().c_str());
    nb::object op = wrapOperation(getOperation());
    nb::object context = op.attr("context");
    context.attr("__enter__")();
    try {
      spec.function(op, values);
    } catch (...) {
      context.attr("__exit__")(nb::none(), nb::none(), nb::none());
      throw;
    }
    context.attr("__exit__")(nb::none(), nb::none(), nb::none());
  }

  const PassSpec &spec;
  std::vector<std::unique_ptr<Option<std::string>>> options;
};

/// The options of a pipeline, whose names only the registration knows.
struct PipelineOptions : mlir::PassPipelineOptions<PipelineOptions> {
  explicit PipelineOptions(const std::vector<OptionSpec> &specs) {
    for (const OptionSpec &spec : specs)
      options.push_back(std::make_unique<Option<std::string>>(
          *this, spec.name, llvm::cl::desc(spec.description),
          llvm::cl::init(spec.defaultValue)));
  }

  std::vector<std::unique_ptr<Option<std::string>>> options;
};

using OptionTuple = std::tuple<std::string, std::string, std::string>;

void registerPythonPass(const std::string &argument,
                        const std::string &description,
                        const std::vector<OptionTuple> &options,
                        nb::callable function) {
  if (mlir::PassInfo::lookup(argument)) {
    std::string message =
        "expected a new pass name, got '" + argument + "' a second time";
    throw nb::value_error(message.c_str());
  }
  // Both intentionally outlive the Python interpreter, because MLIR's registry
  // refers to them until the process exits.
  static auto *typeIds = new mlir::TypeIDAllocator;
  auto *spec = new PassSpec{
      argument, description, {}, std::move(function), typeIds->allocate()};
  for (const auto &[name, defaultValue, text] : options)
    spec->options.push_back({name, defaultValue, text});
  mlir::registerPass([spec] { return std::make_unique<PythonPass>(*spec); });
}

/// Adds the passes to `manager` that the registered function names.
llvm::LogicalResult buildPipeline(
    const PassSpec &spec, mlir::OpPassManager &manager, llvm::StringRef given,
    llvm::function_ref<llvm::LogicalResult(const llvm::Twine &)> report) {
  PipelineOptions parsed(spec.options);
  std::string text, problem;
  llvm::raw_string_ostream os(problem);
  if (failed(parsed.parseFromString(given, os)))
    return report(problem);
  try {
    nb::gil_scoped_acquire acquire;
    nb::dict values;
    for (auto [option, value] : llvm::zip_equal(spec.options, parsed.options))
      values[option.name.c_str()] = nb::str(value->getValue().c_str());
    text = nb::cast<std::string>(spec.function(values));
  } catch (const nb::python_error &error) {
    nb::gil_scoped_acquire acquire;
    return report(describe(error));
  }
  if (failed(mlir::parsePassPipeline(text, manager, os)))
    return report(problem);
  return mlir::success();
}

/// Makes a name for a pipeline whose text a Python function gives.
void registerPythonPipeline(const std::string &argument,
                            const std::string &description,
                            const std::vector<OptionTuple> &options,
                            nb::callable function) {
  auto *spec = new PassSpec{argument, description, {}, std::move(function), {}};
  for (const auto &[name, defaultValue, text] : options)
    spec->options.push_back({name, defaultValue, text});
  mlir::registerPassPipeline(
      argument, description,
      [spec](
          mlir::OpPassManager &manager, llvm::StringRef given,
          llvm::function_ref<llvm::LogicalResult(const llvm::Twine &)> report) {
        return buildPipeline(*spec, manager, given, report);
      },
      [spec](llvm::function_ref<void(const mlir::detail::PassOptions &)> show) {
        show(PipelineOptions(spec->options));
      });
}

} // namespace

nb::object cuda_tile::python::takePassException() {
  PyObject *exception = storedException();
  storedException() = nullptr;
  return exception ? nb::steal<nb::object>(exception) : nb::none();
}

void cuda_tile::python::populatePasses(nb::module_ &m) {
  m.def(
      "register_passes",
      [] {
        mlir::registerAllPasses();
        cuda_tile::registerPasses();
#ifdef CUDA_TILE_TESTING
        cuda_tile::registerTestPasses();
#endif
      },
      "Makes upstream's passes and those of the dialect known to pipeline "
      "strings.");
  m.def("register_pass", &registerPythonPass, nb::arg("argument"),
        nb::arg("description"), nb::arg("options"), nb::arg("fn"),
        nb::sig("def register_pass(argument: str, description: str, options: "
                "collections.abc.Sequence[tuple[str, str, str]], fn: "
                "collections.abc.Callable[[cuda_tile._mlir.ir.Operation, "
                "dict[str, str]], None]) -> None"),
        "Makes a pass of a Python function, known to every pipeline string.\n\n"
        "Args:\n"
        "  argument: Name in pipelines and flag of the opt tool.\n"
        "  description: One line for the tools' help.\n"
        "  options: (name, default value, description) of each option.\n"
        "  fn: Called with the operation and the options' values by name. An\n"
        "    exception fails the pass and comes out of PassManager.run.\n\n"
        "Raises:\n"
        "  ValueError: A pass of that name exists.");
  m.def("register_pipeline", &registerPythonPipeline, nb::arg("argument"),
        nb::arg("description"), nb::arg("options"), nb::arg("fn"),
        nb::sig("def register_pipeline(argument: str, description: str, "
                "options: collections.abc.Sequence[tuple[str, str, str]], fn: "
                "collections.abc.Callable[[dict[str, str]], str]) -> None"),
        "Makes a name for several passes, known to every pipeline string.\n\n"
        "Args:\n"
        "  argument: Name in pipelines and flag of the opt tool.\n"
        "  description: One line for the tools' help.\n"
        "  options: (name, default value, description) of each option.\n"
        "  fn: Called with the options' values by name; gives the pipeline as\n"
        "    a string. An exception is an error of the pipeline string.");
  m.def(
      "pass_description",
      [](const std::string &name) -> std::optional<std::string> {
        const mlir::PassInfo *info = mlir::PassInfo::lookup(name);
        return info ? std::optional(info->getPassDescription().str())
                    : std::nullopt;
      },
      nb::arg("name"), nb::sig("def pass_description(name: str) -> str | None"),
      "What a registered pass does, in one line; None if there is no such "
      "pass.");
  m.def(
      "take_pass_exception", &takePassException,
      nb::sig("def take_pass_exception() -> BaseException | None"),
      "Returns and forgets the exception of the last Python pass that failed, "
      "or None.");
}
