//===- Casts.h - Our C++ types and attributes as Python classes -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_PYTHON_EXT_CASTS_H
#define CUDA_TILE_PYTHON_EXT_CASTS_H

#include "Extension.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Casting.h"

namespace cuda_tile::python {

/// Base of a Python class for the C++ type `Cpp`; `Python` is the derived
/// class.
template <typename Python, typename Cpp>
struct TypeClass : py::PyConcreteType<Python> {
  static constexpr bool (*isaFunction)(MlirType) = [](MlirType type) {
    return llvm::isa<Cpp>(unwrap(type));
  };
  static constexpr MlirTypeID (*getTypeIdFunction)() = [] {
    return wrap(Cpp::getTypeID());
  };
  using py::PyConcreteType<Python>::PyConcreteType;

  Cpp cpp() const { return llvm::cast<Cpp>(unwrap(this->get())); }
};

/// Base of a Python class for the C++ attribute `Cpp`.
template <typename Python, typename Cpp>
struct AttributeClass : py::PyConcreteAttribute<Python> {
  static constexpr bool (*isaFunction)(MlirAttribute) = [](MlirAttribute attr) {
    return llvm::isa<Cpp>(unwrap(attr));
  };
  static constexpr MlirTypeID (*getTypeIdFunction)() = [] {
    return wrap(Cpp::getTypeID());
  };
  using py::PyConcreteAttribute<Python>::PyConcreteAttribute;

  Cpp cpp() const { return llvm::cast<Cpp>(unwrap(this->get())); }
};

/// What a diagnostic handler hears while this lives, as one text.
class DiagnosticText {
public:
  explicit DiagnosticText(mlir::MLIRContext *context)
      : handler(context, [this](mlir::Diagnostic &diagnostic) {
          if (!text.empty())
            text += "; ";
          text += diagnostic.str();
          return mlir::success();
        }) {}

  /// The text, or `otherwise` where nothing was said.
  std::string take(const char *otherwise) {
    return text.empty() ? otherwise : std::move(text);
  }

private:
  std::string text;
  mlir::ScopedDiagnosticHandler handler;
};

/// Builds a `Python` object from C++'s checked getter; its complaint becomes a
/// ValueError. `make` gets the emitError function and the MLIRContext.
template <typename Python, typename Make>
Python getChecked(py::PyMlirContextRef context, Make make) {
  mlir::MLIRContext *cppContext = unwrap(context->get());
  DiagnosticText complaint(cppContext);
  auto emitError = [cppContext] {
    return mlir::emitError(mlir::UnknownLoc::get(cppContext));
  };
  auto result = make(emitError, cppContext);
  if (!result)
    throw nb::value_error(complaint.take("invalid parameters").c_str());
  return Python(context, wrap(result));
}

/// Adds what scripts call to see a Type as what it is: `X.upcast_type(type)`,
/// which is `X(type)` or None.
template <typename Python> void bindUpcast(typename Python::ClassTy &c) {
  c.def_static(
      "upcast_type",
      [](py::PyType &type) -> std::optional<Python> {
        if (!Python::isaFunction(type.get()))
          return std::nullopt;
        return Python(type);
      },
      nb::arg("type"), "The type as this class; None if it is another.");
}

/// A type or attribute as the most derived Python class; stubs say `Wrapper`.
template <typename Wrapper, typename Cpp>
nb::typed<nb::object, Wrapper> downCast(py::PyMlirContextRef context,
                                        Cpp value) {
  return Wrapper(context, wrap(value)).maybeDownCast();
}

/// `value` as an attribute of class `Cpp`, or null for None.
template <typename Cpp>
Cpp optionalAttribute(std::optional<py::PyAttribute> value, const char *what) {
  if (!value)
    return {};
  auto attribute = llvm::dyn_cast<Cpp>(unwrap(value->get()));
  if (!attribute) {
    std::string message = std::string("expected ") + what + " or None";
    throw nb::type_error(message.c_str());
  }
  return attribute;
}

} // namespace cuda_tile::python

#endif // CUDA_TILE_PYTHON_EXT_CASTS_H
