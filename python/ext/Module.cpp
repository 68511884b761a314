//===- Module.cpp - The extension module and what its parts share ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Extension.h"

#include "cuda_tile-c/Dialect.h"

#include "mlir/IR/Operation.h"

using namespace cuda_tile::python;

mlir::Operation *cuda_tile::python::operationOf(nb::handle object) {
  py::PyModule *module = nullptr;
  if (nb::try_cast(object, module) && module)
    return unwrap(mlirModuleGetOperation(module->get()));
  py::PyOperationBase *op = nullptr;
  if (nb::try_cast(object, op) && op)
    return unwrap(op->getOperation().get());
  nb::str type(nb::repr(object.type()));
  std::string message =
      std::string("expected ir.Module, ir.Operation or ir.OpView, got ") +
      type.c_str();
  throw nb::type_error(message.c_str());
}

nb::object cuda_tile::python::wrapOperation(mlir::Operation *op) {
  size_t known = py::PyMlirContext::getLiveCount();
  py::PyMlirContextRef context =
      py::PyMlirContext::forContext(wrap(op->getContext()));
  if (py::PyMlirContext::getLiveCount() != known)
    (void)context.getObject().inc_ref();
  return py::PyOperation::forOperation(context, wrap(op)).releaseObject();
}

bool cuda_tile::python::isUserError(nb::handle exception) {
  nb::object type = nb::module_::import_("cuda_tile.errors").attr("UserError");
  return nb::isinstance(exception, type);
}

std::string cuda_tile::python::describe(const nb::python_error &error) {
  std::string text = nb::str(error.value()).c_str();
  if (isUserError(error.value()))
    return text;
  std::string type = nb::cast<std::string>(error.type().attr("__name__"));
  return text.empty() ? type : type + ": " + text;
}

NB_MODULE(_cuda_tile, m) {
  m.doc() = "The cuda_tile and tileas dialects, passes written in Python, and "
            "the way from LLVM dialect to PTX.";
  // Registered passes live as long as the process and keep their functions'
  // modules alive, which nanobind would report as leaks on exit.
  nb::set_leak_warnings(false);

  m.def(
      "register_dialects",
      [](MlirDialectRegistry registry) { registerDialects(*unwrap(registry)); },
      nb::arg("registry"),
      "Inserts the dialects that a kernel passes through.");
  m.def(
      "register_dialect",
      [](py::DefaultingPyMlirContext context, bool load) {
        MlirDialectHandle handle = mlirGetDialectHandle__cuda_tile__();
        mlirDialectHandleRegisterDialect(handle, context->get());
        if (load)
          mlirDialectHandleLoadDialect(handle, context->get());
      },
      nb::arg("context").none() = nb::none(), nb::arg("load") = true,
      "Makes the dialect known to a context, which every Context of this "
      "package does by itself, and loads it.");
  populateAnalysis(m);
  populateTypes(m);
  populateAttributes(m);
  populateBytecode(m);
  populateDebugInfo(m);
  populateIdentity(m);
  populateLegality(m);
  populateLines(m);
  populateOptimize(m);
  populatePasses(m);
  populateTools(m);
  populateTranslate(m);
}
