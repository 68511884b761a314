//===- Optimize.cpp - The default optimizations from Python ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Extension.h"

#include "cuda_tile-c/Dialect.h"
#include "cuda_tile/Transforms/Optimize.h"
#include "cuda_tile/Transforms/Passes.h"

using namespace cuda_tile::python;

namespace {

bool apply(nb::handle module, const cuda_tile::OptimizationOptions &options) {
  mlir::Operation *op = operationOf(module);
  py::PyMlirContext::ErrorCapture errors(
      py::PyMlirContext::forContext(wrap(op->getContext())));
  if (failed(cuda_tile::applyOptimizations(op, options)))
    throw py::MLIRError("could not optimize the module", errors.take());
  return true;
}

void setThreshold(nb::handle object, int32_t threshold) {
  mlir::Operation *op = operationOf(object);
  op->setDiscardableAttr(
      cuda_tile::kLoopSplitThreshold,
      mlir::Builder(op->getContext()).getI32IntegerAttr(threshold));
}

} // namespace

void cuda_tile::python::populateOptimize(nb::module_ &m) {
  using Options = cuda_tile::OptimizationOptions;
  nb::class_<Options>(
      m, "TileIROptimizationsOpts",
      "How far a program is optimized. Level 1: fold-constants, "
      "cse; 2: and loop-invariant code motion; 3: and "
      "loop-split, fold-constants. fuse_fma makes one rounding "
      "of the two of a product and a sum.")
      .def(
          "__init__",
          [](Options *self, int level, bool fuseFMA) {
            new (self) Options{level, fuseFMA};
          },
          nb::arg("opt_level") = Options().level, nb::arg("fuse_fma") = false)
      .def_rw("opt_level", &Options::level)
      .def_rw("fuse_fma", &Options::fuseFMA);
  m.def("applyTileIROptimizations", &apply, nb::arg("module"),
        nb::arg("opts") = Options(),
        nb::sig("def applyTileIROptimizations(module: "
                "cuda_tile._mlir.ir.Module | cuda_tile._mlir.ir.Operation | "
                "cuda_tile._mlir.ir.OpView, opts: TileIROptimizationsOpts = "
                "...) -> bool"),
        "Optimizes a module in place and returns True.\n\n"
        "Raises:\n  MLIRError: With the diagnostics.");
  m.def("addLoopSplitThresholdAttr", &setThreshold, nb::arg("op"),
        nb::arg("threshold"),
        nb::sig("def addLoopSplitThresholdAttr(op: "
                "cuda_tile._mlir.ir.Operation | cuda_tile._mlir.ir.OpView, "
                "threshold: int) -> None"),
        "Says for a loop, or for all loops in an op, with how many ops in the "
        "branches of an `if` the pass loop-split splits.");
}
