//===- Extension.h - Parts of the Python extension --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Python module `cuda_tile._mlir._mlir_libs._cuda_tile` holds our dialects
// and what Python needs of them; each source file adds its part to the module.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_PYTHON_EXT_EXTENSION_H
#define CUDA_TILE_PYTHON_EXT_EXTENSION_H

#include "mlir/Bindings/Python/IRCore.h"
#include "mlir/Bindings/Python/Nanobind.h"
#include "mlir/Bindings/Python/NanobindAdaptors.h"
#include "mlir/CAPI/IR.h"

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace cuda_tile::python {

namespace nb = nanobind;
// The bindings' classes; the domain keeps them apart from other MLIR packages.
namespace py = mlir::python::MLIR_BINDINGS_PYTHON_DOMAIN;

/// Inserts the dialects that a kernel passes through, without interfaces.
void insertDialects(mlir::DialectRegistry &registry);

/// Inserts the dialects with the interfaces that conversion to LLVM and
/// translation to LLVM IR look for.
void registerDialects(mlir::DialectRegistry &registry);

/// The operation of an `ir.Module`, `ir.Operation` or `ir.OpView`.
/// Throws nb::type_error for any other object.
mlir::Operation *operationOf(nb::handle object);

/// Sums up a Python exception for a diagnostic; a `UserError` speaks for
/// itself.
std::string describe(const nb::python_error &error);

/// Whether the exception blames the program and not this package.
bool isUserError(nb::handle exception);

/// The exception of the last Python pass that failed, or None; forgets it.
nb::object takePassException();

/// The Python object of an operation. A context that Python does not know yet
/// is owned by C++ (a tool's): its wrapper is never given back, because the
/// wrapper's destructor would destroy the context a second time.
nb::object wrapOperation(mlir::Operation *op);

void populateAnalysis(nb::module_ &m);
void populateAttributes(nb::module_ &m);
void populateBytecode(nb::module_ &m);
void populateDebugInfo(nb::module_ &m);
void populateIdentity(nb::module_ &m);
void populateLegality(nb::module_ &m);
void populateLines(nb::module_ &m);
void populateOptimize(nb::module_ &m);
void populatePasses(nb::module_ &m);
void populateTools(nb::module_ &m);
void populateTranslate(nb::module_ &m);
void populateTypes(nb::module_ &m);

} // namespace cuda_tile::python

#endif // CUDA_TILE_PYTHON_EXT_EXTENSION_H
