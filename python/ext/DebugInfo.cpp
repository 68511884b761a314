//===- DebugInfo.cpp - Debug information in Python ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Casts.h"

#include "cuda_tile-c/DebugInfo.h"
#include "cuda_tile/IR/CudaTile.h"

using namespace cuda_tile::python;

namespace {

using Context = py::DefaultingPyMlirContext;

MlirStringRef text(const std::string &value) {
  return mlirStringRefCreate(value.data(), value.size());
}

/// `attribute`, which must be a `Cpp`; its class is `what` in Python.
template <typename Cpp>
MlirAttribute checked(py::PyAttribute &attribute, const char *what) {
  if (llvm::isa<Cpp>(unwrap(attribute.get())))
    return attribute.get();
  std::string message = std::string("expected ") + what;
  throw nb::type_error(message.c_str());
}

MlirAttribute checkedScope(py::PyAttribute &attribute) {
  return checked<cuda_tile::DILocalScopeAttr>(
      attribute, "a DISubprogramAttr or DILexicalBlockAttr");
}

MlirAttribute checkedFile(py::PyAttribute &attribute) {
  return checked<cuda_tile::DIFileAttr>(attribute, "a DIFileAttr");
}

struct PyDIFileAttr : AttributeClass<PyDIFileAttr, cuda_tile::DIFileAttr> {
  static constexpr const char *pyClassName = "DIFileAttr";
  using AttributeClass::AttributeClass;

  static void bindDerived(ClassTy &c) {
    c.def_static(
        "get",
        [](const std::string &name, const std::string &directory,
           Context context) {
          return PyDIFileAttr(context->getRef(),
                              mlirCudaTileDIFileAttrGet(
                                  context->get(), text(name), text(directory)));
        },
        nb::arg("name"), nb::arg("directory"),
        nb::arg("context").none() = nb::none());
    c.def_prop_ro("name", [](const PyDIFileAttr &self) {
      return self.cpp().getName().str();
    });
    c.def_prop_ro("directory", [](const PyDIFileAttr &self) {
      return self.cpp().getDirectory().str();
    });
  }
};

struct PyDICompileUnitAttr
    : AttributeClass<PyDICompileUnitAttr, cuda_tile::DICompileUnitAttr> {
  static constexpr const char *pyClassName = "DICompileUnitAttr";
  using AttributeClass::AttributeClass;

  static void bindDerived(ClassTy &c) {
    c.def_static(
        "get",
        [](py::PyAttribute &file) {
          return PyDICompileUnitAttr(
              file.getContext(),
              mlirCudaTileDICompileUnitAttrGet(checkedFile(file)));
        },
        nb::arg("file"));
    c.def_prop_ro("file", [](PyDICompileUnitAttr &self) {
      return PyDIFileAttr(self.getContext(),
                          mlirCudaTileDICompileUnitAttrGetFile(self.get()));
    });
  }
};

struct PyDISubprogramAttr
    : AttributeClass<PyDISubprogramAttr, cuda_tile::DISubprogramAttr> {
  static constexpr const char *pyClassName = "DISubprogramAttr";
  using AttributeClass::AttributeClass;

  static PyDISubprogramAttr make(py::PyAttribute &file, unsigned line,
                                 const std::string &name,
                                 const std::string &linkageName,
                                 py::PyAttribute &compileUnit,
                                 unsigned scopeLine, bool isDeclaration) {
    return {file.getContext(),
            mlirCudaTileDISubprogramAttrGet(
                checkedFile(file), line, text(name), text(linkageName),
                checked<cuda_tile::DICompileUnitAttr>(compileUnit,
                                                      "a DICompileUnitAttr"),
                scopeLine, isDeclaration)};
  }

  static void bindDerived(ClassTy &c) {
    c.def_static("get", &make, nb::arg("file"), nb::arg("line"),
                 nb::arg("name"), nb::arg("linkage_name"),
                 nb::arg("compile_unit"), nb::arg("scope_line") = 0,
                 nb::arg("is_declaration") = false);
    c.def_prop_ro("file", [](PyDISubprogramAttr &self) {
      return PyDIFileAttr(self.getContext(),
                          mlirCudaTileDISubprogramAttrGetFile(self.get()));
    });
    c.def_prop_ro("line", [](const PyDISubprogramAttr &self) {
      return self.cpp().getLine();
    });
    c.def_prop_ro("name", [](const PyDISubprogramAttr &self) {
      return self.cpp().getName().str();
    });
    c.def_prop_ro("linkage_name", [](const PyDISubprogramAttr &self) {
      return self.cpp().getLinkageName().str();
    });
    c.def_prop_ro("compile_unit", [](PyDISubprogramAttr &self) {
      return PyDICompileUnitAttr(
          self.getContext(),
          mlirCudaTileDISubprogramAttrGetCompileUnit(self.get()));
    });
    c.def_prop_ro("scope_line", [](const PyDISubprogramAttr &self) {
      return self.cpp().getScopeLine();
    });
    c.def_prop_ro(
        "flags",
        [](const PyDISubprogramAttr &self) {
          return cuda_tile::stringifyEnum(self.cpp().getFlags()).str();
        },
        "`none` or `declaration`.");
  }
};

struct PyDILexicalBlockAttr
    : AttributeClass<PyDILexicalBlockAttr, cuda_tile::DILexicalBlockAttr> {
  static constexpr const char *pyClassName = "DILexicalBlockAttr";
  using AttributeClass::AttributeClass;

  static void bindDerived(ClassTy &c) {
    c.def_static(
        "get",
        [](py::PyAttribute &scope, py::PyAttribute &file, unsigned line,
           unsigned column) {
          return PyDILexicalBlockAttr(
              scope.getContext(),
              mlirCudaTileDILexicalBlockAttrGet(
                  checkedScope(scope), checkedFile(file), line, column));
        },
        nb::arg("scope"), nb::arg("file"), nb::arg("line"),
        nb::arg("column") = 0);
    c.def_prop_ro(
        "scope",
        [](PyDILexicalBlockAttr &self) {
          return downCast<py::PyAttribute>(
              self.getContext(), mlir::Attribute(self.cpp().getScope()));
        },
        nb::sig("def scope(self) -> cuda_tile._mlir.ir.Attribute"));
    c.def_prop_ro("file", [](PyDILexicalBlockAttr &self) {
      return PyDIFileAttr(self.getContext(),
                          mlirCudaTileDILexicalBlockAttrGetFile(self.get()));
    });
    c.def_prop_ro("line", [](const PyDILexicalBlockAttr &self) {
      return self.cpp().getLine();
    });
    c.def_prop_ro("column", [](const PyDILexicalBlockAttr &self) {
      return self.cpp().getColumn();
    });
  }
};

struct PyDILocAttr : AttributeClass<PyDILocAttr, cuda_tile::DILocAttr> {
  static constexpr const char *pyClassName = "DILocAttr";
  using AttributeClass::AttributeClass;

  static PyDILocAttr make(py::PyLocation &sourceLoc, py::PyAttribute &scope) {
    if (!llvm::isa<mlir::FileLineColLoc>(
            mlir::LocationAttr(unwrap(sourceLoc.get()))))
      throw nb::type_error("expected a location of a file, line and column");
    return {scope.getContext(),
            mlirCudaTileDILocAttrGet(sourceLoc.get(), checkedScope(scope))};
  }

  static void bindDerived(ClassTy &c) {
    c.def_static("get", &make, nb::arg("source_loc"), nb::arg("scope"),
                 "`ir.Location.from_attr(...)` makes a location of it.");
    c.def_prop_ro("source_loc", [](PyDILocAttr &self) {
      return py::PyLocation(self.getContext(),
                            mlirCudaTileDILocAttrGetSourceLoc(self.get()));
    });
    c.def_prop_ro(
        "scope",
        [](PyDILocAttr &self) {
          return downCast<py::PyAttribute>(
              self.getContext(), mlir::Attribute(self.cpp().getScope()));
        },
        nb::sig("def scope(self) -> cuda_tile._mlir.ir.Attribute"));
  }
};

} // namespace

void cuda_tile::python::populateDebugInfo(nb::module_ &m) {
  PyDIFileAttr::bind(m);
  PyDICompileUnitAttr::bind(m);
  PyDISubprogramAttr::bind(m);
  PyDILexicalBlockAttr::bind(m);
  PyDILocAttr::bind(m);
}
