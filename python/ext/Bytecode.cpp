//===- Bytecode.cpp - Reading Tile IR bytecode from Python ----------------===//

#include "Extension.h"

#include "cuda_tile/Bytecode/Bytecode.h"

using namespace cuda_tile::python;

namespace {

nb::object readBytes(nb::bytes data, const std::string &name,
                     py::DefaultingPyMlirContext context) {
  py::PyMlirContext::ErrorCapture errors(context->getRef());
  llvm::MemoryBufferRef buffer(llvm::StringRef(data.c_str(), data.size()),
                               name);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      cuda_tile::readBytecode(buffer, unwrap(context->get()));
  if (!module)
    throw py::MLIRError("could not read bytecode", errors.take());
  return py::PyModule::forModule(wrap(module.release())).releaseObject();
}

} // namespace

void cuda_tile::python::populateBytecode(nb::module_ &m) {
  m.def(
      "is_bytecode",
      [](nb::bytes data) {
        return cuda_tile::isBytecode(
            llvm::StringRef(data.c_str(), data.size()));
      },
      nb::arg("data"), "Whether `data` begins like a Tile IR bytecode file.");
  m.def("read_bytecode", &readBytes, nb::arg("data"), nb::arg("name"),
        nb::arg("context").none() = nb::none(),
        nb::sig("def read_bytecode(data: bytes, name: str, context: "
                "cuda_tile._mlir.ir.Context | None = None) -> "
                "cuda_tile._mlir.ir.Module"),
        "Reads a Tile IR bytecode file into a verified builtin.module.\n\n"
        "Args:\n"
        "  data: The bytes of the file.\n"
        "  name: What messages call it.\n"
        "  context: Where the module is made; the current one for None.\n\n"
        "Raises:\n  MLIRError: With the diagnostics.");
}
