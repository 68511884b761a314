//===- Identity.cpp - What equal objects of the IR are --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream compares operations by address and hashes them by content, so that
// an operation is lost in a set as soon as an attribute or operand of it
// changes. Regions have no hash of their own, so that equal ones have several.
// Here equal objects have equal hashes, as long as they live: the hash is the
// address. An object whose operation is gone equals no living one, whose memory
// may be the same.
//
//===----------------------------------------------------------------------===//

#include "Extension.h"

#include "llvm/ADT/Hashing.h"

using namespace cuda_tile::python;

namespace {

/// The address of what an object stands for, and whether it is still there.
using Identity = std::pair<const void *, bool>;

Identity identity(py::PyOperationBase &op) {
  py::PyOperation &operation = op.getOperation();
  return {operation.address(), operation.isValid()};
}

/// Of a value, block or region.
template <typename Part> Identity identity(Part &part) {
  return {part.address(), part.getParentOperation()->isValid()};
}

Identity identity(py::PyModule &module) { return {module.get().ptr, true}; }

/// Gives a class of the bindings `__eq__` and `__hash__` by identity.
template <typename Class> void compareByIdentity() {
  nb::handle type = nb::type<Class>();
  // Without a scope: in one, these would only be further overloads.
  type.attr("__eq__") = nb::cpp_function(
      [](Class &self, nb::handle other) {
        Class *same = nullptr;
        return nb::try_cast(other, same) && same &&
               identity(self) == identity(*same);
      },
      nb::name("__eq__"), nb::is_method(), nb::is_operator(),
      nb::arg("other").none(), "Whether both are one and the same.");
  type.attr("__hash__") = nb::cpp_function(
      [](Class &self) {
        return static_cast<size_t>(llvm::hash_value(identity(self).first));
      },
      nb::name("__hash__"), nb::is_method(),
      "A hash that nothing changes while the object lives.");
}

} // namespace

void cuda_tile::python::populateIdentity(nb::module_ &m) {
  m.def(
      "is_alive",
      [](py::PyOperationBase &op) { return op.getOperation().isValid(); },
      nb::arg("op"),
      nb::sig("def is_alive(op: cuda_tile._mlir.ir.Operation | "
              "cuda_tile._mlir.ir.OpView) -> bool"),
      "Whether an operation has not been erased.");
  compareByIdentity<py::PyOperationBase>();
  compareByIdentity<py::PyModule>();
  compareByIdentity<py::PyRegion>();
  compareByIdentity<py::PyBlock>();
  compareByIdentity<py::PyValue>();
}
