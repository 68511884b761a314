//===- Bytecode.cpp - Tile IR bytecode from Python ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Extension.h"

#include "cuda_tile/Bytecode/Bytecode.h"
#include "cuda_tile/IR/CudaTile.h"

using namespace cuda_tile::python;

namespace {

nb::object readBytes(nb::bytes data, const std::string &name,
                     py::DefaultingPyMlirContext context, bool strict) {
  py::PyMlirContext::ErrorCapture errors(context->getRef());
  llvm::MemoryBufferRef buffer(llvm::StringRef(data.c_str(), data.size()),
                               name);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      cuda_tile::readBytecode(buffer, unwrap(context->get()),
                              strict ? cuda_tile::BytecodeReading::Strict
                                     : cuda_tile::BytecodeReading::Tolerant);
  if (!module)
    throw py::MLIRError("could not read bytecode", errors.take());
  return py::PyModule::forModule(wrap(module.release())).releaseObject();
}

nb::bytes writeBytes(nb::handle module, const std::string &version) {
  std::optional<cuda_tile::BytecodeVersion> parsed =
      cuda_tile::BytecodeVersion::parse(version);
  if (!parsed)
    throw nb::value_error(
        ("expected a version such as '13.3', got '" + version + "'").c_str());
  mlir::Operation *op = operationOf(module);
  py::PyMlirContext::ErrorCapture errors(
      py::PyMlirContext::forContext(wrap(op->getContext())));
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  cuda_tile::ModuleOp tileModule = cuda_tile::findTileModule(op);
  if (!tileModule || failed(cuda_tile::writeBytecode(os, tileModule, *parsed)))
    throw py::MLIRError("could not write bytecode", errors.take());
  return nb::bytes(bytes.data(), bytes.size());
}

/// The signature that scripts for NVIDIA's bindings use: an open file or a file
/// name; returns whether it succeeded.
bool writeFile(nb::object file, nb::handle module) {
  nb::bytes bytes;
  try {
    bytes = writeBytes(module, cuda_tile::BytecodeVersion().str());
  } catch (const py::MLIRError &) {
    return false;
  }
  if (nb::hasattr(file, "write")) {
    file.attr("write")(bytes);
    if (nb::hasattr(file, "flush"))
      file.attr("flush")();
  } else {
    nb::object opened =
        nb::module_::import_("builtins").attr("open")(file, "wb");
    opened.attr("write")(bytes);
    opened.attr("close")();
  }
  return true;
}

std::vector<std::string> versions() {
  std::vector<std::string> names;
  for (const cuda_tile::BytecodeVersion &version :
       cuda_tile::getBytecodeVersions())
    names.push_back(version.str());
  return names;
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
  m.def("read_bytecode", &readBytes, nb::arg("data"),
        nb::arg("name") = "<bytes>", nb::arg("context").none() = nb::none(),
        nb::arg("strict") = false,
        nb::sig("def read_bytecode(data: bytes, name: str = '<bytes>', "
                "context: cuda_tile._mlir.ir.Context | None = None, "
                "strict: bool = False) -> cuda_tile._mlir.ir.Module"),
        "Reads a Tile IR bytecode file into a verified builtin.module.\n\n"
        "Args:\n"
        "  data: The bytes of the file.\n"
        "  name: What messages call it.\n"
        "  context: Where the module is made; the current one for None.\n"
        "  strict: Refuse bytes and flags that nothing reads, instead of a "
        "warning.\n\n"
        "Raises:\n  MLIRError: With the diagnostics.");
  m.def("write_bytecode", &writeBytes, nb::arg("module"),
        nb::arg("version") = cuda_tile::BytecodeVersion().str(),
        nb::sig("def write_bytecode(module: cuda_tile._mlir.ir.Module | "
                "cuda_tile._mlir.ir.Operation | cuda_tile._mlir.ir.OpView, "
                "version: str = '13.3') -> bytes"),
        "Writes a module as a Tile IR bytecode file.\n\n"
        "Args:\n"
        "  module: A cuda_tile.module or the builtin.module around one.\n"
        "  version: One of bytecode_versions().\n\n"
        "Raises:\n"
        "  MLIRError: With the diagnostics, if the version has not what the "
        "module uses.");
  m.def("writeBytecode", &writeFile, nb::arg("file"), nb::arg("module"),
        nb::sig("def writeBytecode(file: typing.BinaryIO | str, module: "
                "cuda_tile._mlir.ir.Module | cuda_tile._mlir.ir.Operation | "
                "cuda_tile._mlir.ir.OpView) -> bool"),
        "Writes a module to a binary file, open or by name; whether that "
        "worked. Of a "
        "module that is invalid nothing is written; write_bytecode says why.");
  m.def("bytecode_versions", &versions,
        "The versions of Tile IR bytecode that are read and written, oldest "
        "first.");
}
