//===- Types.cpp - Types of our dialects in Python ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Casts.h"

#include "cuda_tile/Cute/Cute.h"
#include "cuda_tile/IR/CudaTile.h"
#include "cuda_tile/Tileas/Tileas.h"

#include <numeric>

using namespace cuda_tile::python;

namespace {

using Shape = std::vector<int64_t>;

// Getters take their context from a parameter. They accept these two as well,
// as all getters of MLIR do.
using IgnoredContext = py::PyMlirContext *;
using IgnoredLocation = py::PyLocation *;

Shape toVector(llvm::ArrayRef<int64_t> values) {
  return Shape(values.begin(), values.end());
}

/// The attribute of a pointer from its keyword; null for none.
cuda_tile::PointerKindAttr
toPointerKind(py::PyMlirContextRef context,
              const std::optional<std::string> &keyword) {
  if (!keyword)
    return {};
  auto kind = cuda_tile::symbolizePointerKind(*keyword);
  if (!kind)
    throw nb::value_error(("Invalid pointer attribute: " + *keyword).c_str());
  return cuda_tile::PointerKindAttr::get(unwrap(context->get()), *kind);
}

std::optional<std::string> toKeyword(cuda_tile::PointerKindAttr kind) {
  if (!kind)
    return std::nullopt;
  return cuda_tile::stringifyPointerKind(kind.getValue()).str();
}

struct PyPointerType : TypeClass<PyPointerType, cuda_tile::PointerType> {
  static constexpr const char *pyClassName = "PointerType";
  using TypeClass::TypeClass;

  static void bindDerived(ClassTy &c) {
    c.def_static(
        "get",
        [](py::PyType &pointee, IgnoredContext, IgnoredLocation,
           const std::optional<std::string> &kind) {
          auto cppKind = toPointerKind(pointee.getContext(), kind);
          return getChecked<PyPointerType>(
              pointee.getContext(), [&](auto emitError, auto *context) {
                return cuda_tile::PointerType::getChecked(
                    emitError, context, unwrap(pointee.get()), cppKind);
              });
        },
        nb::arg("pointee_type"), nb::arg("context").none() = nb::none(),
        nb::arg("loc").none() = nb::none(),
        nb::arg("ptr_attr").none() = nb::none(),
        "`ptr_attr` is `none`, `unicast` or `multicast`; None for no "
        "attribute.");
    bindUpcast<PyPointerType>(c);
    c.def_prop_ro("pointee_type", [](PyPointerType &self) {
      return downCast<py::PyType>(self.getContext(),
                                  self.cpp().getPointeeType());
    });
    c.def_prop_ro("ptr_attr", [](const PyPointerType &self) {
      return toKeyword(self.cpp().getPtrAttr());
    });
  }
};

struct PyTokenType : TypeClass<PyTokenType, cuda_tile::TokenType> {
  static constexpr const char *pyClassName = "TokenType";
  using TypeClass::TypeClass;

  static void bindDerived(ClassTy &c) {
    c.def_static(
        "get",
        [](py::DefaultingPyMlirContext context) {
          return PyTokenType(context->getRef(),
                             wrap(mlir::Type(cuda_tile::TokenType::get(
                                 unwrap(context->get())))));
        },
        nb::arg("context").none() = nb::none());
    bindUpcast<PyTokenType>(c);
  }
};

struct PyTileType : TypeClass<PyTileType, cuda_tile::TileType> {
  static constexpr const char *pyClassName = "TileType";
  using TypeClass::TypeClass;

  static void bindDerived(ClassTy &c) {
    c.def_static(
        "get",
        [](const Shape &shape, py::PyType &elementType, IgnoredContext,
           std::optional<py::PyAttribute> layout, IgnoredLocation) {
          auto cppLayout = optionalAttribute<cuda_tile::cute::LayoutAttr>(
              layout, "layout to be a LayoutAttr");
          return getChecked<PyTileType>(
              elementType.getContext(), [&](auto emitError, auto *context) {
                return cuda_tile::TileType::getChecked(
                    emitError, context, llvm::ArrayRef(shape),
                    unwrap(elementType.get()), cppLayout);
              });
        },
        nb::arg("shape"), nb::arg("element_type"),
        nb::arg("context").none() = nb::none(),
        nb::arg("layout").none() = nb::none(),
        nb::arg("loc").none() = nb::none());
    bindUpcast<PyTileType>(c);
    c.def_prop_ro("shape", [](const PyTileType &self) {
      return toVector(self.cpp().getShape());
    });
    c.def_prop_ro("element_type", [](PyTileType &self) {
      return downCast<py::PyType>(self.getContext(),
                                  self.cpp().getElementType());
    });
    c.def_prop_ro(
        "layout",
        [](PyTileType &self) -> nb::object {
          auto layout = self.cpp().getLayout();
          if (!layout)
            return nb::none();
          return downCast<py::PyAttribute>(self.getContext(),
                                           mlir::Attribute(layout));
        },
        nb::sig("def layout(self) -> LayoutAttr | None"));
  }
};

// None means a dynamic size.
using Extents = std::vector<std::optional<int64_t>>;

/// The sentence of other tools says dimension of strides, too.
Shape toStored(const Extents &extents, const char *what) {
  Shape stored;
  for (std::optional<int64_t> extent : extents) {
    if (extent && *extent <= 0)
      throw nb::value_error(
          ("expected strictly positive value for tensor_view dimension, got " +
           std::to_string(*extent) + what)
              .c_str());
    stored.push_back(extent.value_or(cuda_tile::TensorViewType::kDynamic));
  }
  return stored;
}

Extents toExtents(llvm::ArrayRef<int64_t> stored) {
  Extents extents;
  for (int64_t extent : stored)
    extents.push_back(extent == cuda_tile::TensorViewType::kDynamic
                          ? std::nullopt
                          : std::optional(extent));
  return extents;
}

struct PyTensorViewType
    : TypeClass<PyTensorViewType, cuda_tile::TensorViewType> {
  static constexpr const char *pyClassName = "TensorViewType";
  using TypeClass::TypeClass;

  static PyTensorViewType get(py::PyType &elementType, const Extents &shape,
                              const Extents &strides, IgnoredContext,
                              IgnoredLocation,
                              const std::optional<std::string> &kind) {
    auto cppKind = toPointerKind(elementType.getContext(), kind);
    Shape cppShape = toStored(shape, "");
    Shape cppStrides = toStored(strides, " among the strides");
    return getChecked<PyTensorViewType>(
        elementType.getContext(), [&](auto emitError, auto *context) {
          return cuda_tile::TensorViewType::getChecked(
              emitError, context, unwrap(elementType.get()),
              llvm::ArrayRef(cppShape), llvm::ArrayRef(cppStrides), cppKind);
        });
  }

  static void bindDerived(ClassTy &c) {
    // Scripts call the strides `stride` too.
    for (const char *strides : {"strides", "stride"})
      c.def_static("get", &PyTensorViewType::get, nb::arg("element_type"),
                   nb::arg("shape"), nb::arg(strides),
                   nb::arg("context").none() = nb::none(),
                   nb::arg("loc").none() = nb::none(),
                   nb::arg("ptr_attr").none() = nb::none(),
                   "Sizes and strides in elements; None stands for `?`.");
    bindUpcast<PyTensorViewType>(c);
    c.def_prop_ro("element_type", [](PyTensorViewType &self) {
      return downCast<py::PyType>(self.getContext(),
                                  self.cpp().getElementType());
    });
    c.def_prop_ro("shape", [](const PyTensorViewType &self) {
      return toExtents(self.cpp().getShape());
    });
    c.def_prop_ro("strides", [](const PyTensorViewType &self) {
      return toExtents(self.cpp().getStrides());
    });
    c.def_prop_ro("ptr_attr", [](const PyTensorViewType &self) {
      return toKeyword(self.cpp().getPtrAttr());
    });
  }
};

struct PyF8E5M3FNUType : TypeClass<PyF8E5M3FNUType, cuda_tile::F8E5M3FNUType> {
  static constexpr const char *pyClassName = "F8E5M3FNUType";
  using TypeClass::TypeClass;

  static void bindDerived(ClassTy &c) {
    c.def_static(
        "get",
        [](py::DefaultingPyMlirContext context) {
          return PyF8E5M3FNUType(context->getRef(),
                                 wrap(mlir::Type(cuda_tile::F8E5M3FNUType::get(
                                     unwrap(context->get())))));
        },
        nb::arg("context").none() = nb::none());
  }
};

struct PyStringType : TypeClass<PyStringType, cuda_tile::StringType> {
  static constexpr const char *pyClassName = "StringType";
  using TypeClass::TypeClass;

  static void bindDerived(ClassTy &c) {
    c.def_static(
        "get",
        [](py::DefaultingPyMlirContext context) {
          return PyStringType(context->getRef(),
                              wrap(mlir::Type(cuda_tile::StringType::get(
                                  unwrap(context->get())))));
        },
        nb::arg("context").none() = nb::none());
  }
};

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

using Dims = std::vector<int32_t>;

// Scripts call the parameter `tensor_view_type` too.
Dims toVector(llvm::ArrayRef<int32_t> values) {
  return Dims(values.begin(), values.end());
}

/// A padding from a keyword, its attribute or None.
cuda_tile::PaddingValueAttr toPadding(py::PyMlirContextRef context,
                                      nb::handle padding) {
  if (padding.is_none())
    return {};
  if (!nb::isinstance<nb::str>(padding))
    return optionalAttribute<cuda_tile::PaddingValueAttr>(
        nb::cast<py::PyAttribute>(padding),
        "padding_value to be a PaddingValueAttr, a keyword");
  std::string keyword = nb::cast<std::string>(padding);
  auto value = cuda_tile::symbolizePaddingValue(keyword);
  if (!value)
    throw nb::value_error(("Invalid padding value: " + keyword +
                           "; expected a keyword of PaddingValueAttr, got '" +
                           keyword + "'")
                              .c_str());
  return cuda_tile::PaddingValueAttr::get(unwrap(context->get()), *value);
}

/// The type of a tensor_view; anything else is an error.
PyTensorViewType toTensorView(py::PyType &type) {
  if (!llvm::isa<cuda_tile::TensorViewType>(unwrap(type.get())))
    throw nb::type_error("expected tensor_view type");
  return PyTensorViewType(type);
}

/// The signature of a view's getter for type checkers: `before` and `after` are
/// the parameters around `name`, the tensor view, that only this view has.
#define VIEW_SIGNATURE(name, before, after, View)                              \
  nb::sig("def get(tile_shape: collections.abc.Sequence[int], " before name    \
          ": TensorViewType, " after                                           \
          "padding_value: PaddingValueAttr | str | None = None, context: "     \
          "Context | None = None, loc: Location | None = None) -> " View)
#define STRIDES "traversal_strides: collections.abc.Sequence[int], "
#define DIM_MAP "dim_map: collections.abc.Sequence[int] | None = None, "

/// `dimMap`, or the identity for None.
Dims toDimMap(const std::optional<Dims> &dimMap, size_t tileRank) {
  if (dimMap)
    return *dimMap;
  Dims identity(tileRank);
  std::iota(identity.begin(), identity.end(), 0);
  return identity;
}

/// Properties of all views.
template <typename View> void bindView(typename View::ClassTy &c) {
  bindUpcast<View>(c);
  c.def_prop_ro("tile_shape", [](const View &self) {
    return toVector(self.cpp().getTileShape());
  });
  c.def_prop_ro("tensor_view", [](View &self) {
    return PyTensorViewType(self.getContext(),
                            wrap(mlir::Type(self.cpp().getTensorView())));
  });
  c.def_prop_ro("padding_value",
                [](const View &self) -> std::optional<std::string> {
                  auto padding = self.cpp().getPaddingValue();
                  if (!padding)
                    return std::nullopt;
                  return stringifyEnum(padding.getValue()).str();
                });
  c.def_prop_ro("view_tile_type", [](View &self) {
    return PyTileType(self.getContext(),
                      wrap(mlir::Type(self.cpp().getViewTileType())));
  });
  c.def_prop_ro("view_index_rank",
                [](const View &self) { return self.cpp().getViewIndexRank(); });
}

struct PyPartitionViewType
    : TypeClass<PyPartitionViewType, cuda_tile::PartitionViewType> {
  static constexpr const char *pyClassName = "PartitionViewType";
  using TypeClass::TypeClass;

  static PyPartitionViewType get(const Dims &tileShape, py::PyType &type,
                                 const std::optional<Dims> &dimMap,
                                 nb::object padding, IgnoredContext,
                                 IgnoredLocation) {
    PyTensorViewType view = toTensorView(type);
    auto cppPadding = toPadding(view.getContext(), padding);
    return getChecked<PyPartitionViewType>(
        view.getContext(), [&](auto emitError, auto *context) {
          return cuda_tile::PartitionViewType::getChecked(
              emitError, context, llvm::ArrayRef(tileShape), view.cpp(),
              llvm::ArrayRef(toDimMap(dimMap, tileShape.size())), cppPadding);
        });
  }

  /// `get`, with the tensor view under one of its names.
  static void bindGet(ClassTy &c, const char *tensorView, nb::sig signature) {
    c.def_static("get", &PyPartitionViewType::get, nb::arg("tile_shape"),
                 nb::arg(tensorView), nb::arg("dim_map").none() = nb::none(),
                 nb::arg("padding_value").none() = nb::none(),
                 nb::arg("context").none() = nb::none(),
                 nb::arg("loc").none() = nb::none(), signature);
  }

  static void bindDerived(ClassTy &c) {
    bindGet(c, "tensor_view",
            VIEW_SIGNATURE("tensor_view", "", DIM_MAP, "PartitionViewType"));
    bindGet(c, "tensor_view_type",
            VIEW_SIGNATURE("*, tensor_view_type", "", DIM_MAP,
                           "PartitionViewType"));
    bindView<PyPartitionViewType>(c);
    c.def_prop_ro("dim_map", [](const PyPartitionViewType &self) {
      return toVector(self.cpp().getDimMap());
    });
  }
};

struct PyStridedViewType
    : TypeClass<PyStridedViewType, cuda_tile::StridedViewType> {
  static constexpr const char *pyClassName = "StridedViewType";
  using TypeClass::TypeClass;

  static PyStridedViewType get(const Dims &tileShape,
                               const Dims &traversalStrides, py::PyType &type,
                               const std::optional<Dims> &dimMap,
                               nb::object padding, IgnoredContext,
                               IgnoredLocation) {
    PyTensorViewType view = toTensorView(type);
    auto cppPadding = toPadding(view.getContext(), padding);
    return getChecked<PyStridedViewType>(
        view.getContext(), [&](auto emitError, auto *context) {
          return cuda_tile::StridedViewType::getChecked(
              emitError, context, llvm::ArrayRef(tileShape),
              llvm::ArrayRef(traversalStrides), view.cpp(),
              llvm::ArrayRef(toDimMap(dimMap, tileShape.size())), cppPadding);
        });
  }

  /// `get`, with the tensor view under one of its names.
  static void bindGet(ClassTy &c, const char *tensorView, nb::sig signature) {
    c.def_static("get", &PyStridedViewType::get, nb::arg("tile_shape"),
                 nb::arg("traversal_strides"), nb::arg(tensorView),
                 nb::arg("dim_map").none() = nb::none(),
                 nb::arg("padding_value").none() = nb::none(),
                 nb::arg("context").none() = nb::none(),
                 nb::arg("loc").none() = nb::none(), signature);
  }

  static void bindDerived(ClassTy &c) {
    bindGet(c, "tensor_view",
            VIEW_SIGNATURE("tensor_view", STRIDES, DIM_MAP, "StridedViewType"));
    bindGet(c, "tensor_view_type",
            VIEW_SIGNATURE("*, tensor_view_type", STRIDES, DIM_MAP,
                           "StridedViewType"));
    bindView<PyStridedViewType>(c);
    c.def_prop_ro("traversal_strides", [](const PyStridedViewType &self) {
      return toVector(self.cpp().getTraversalStrides());
    });
    c.def_prop_ro("dim_map", [](const PyStridedViewType &self) {
      return toVector(self.cpp().getDimMap());
    });
  }
};

struct PyGatherScatterViewType
    : TypeClass<PyGatherScatterViewType, cuda_tile::GatherScatterViewType> {
  static constexpr const char *pyClassName = "GatherScatterViewType";
  using TypeClass::TypeClass;

  static PyGatherScatterViewType get(const Dims &tileShape, py::PyType &type,
                                     int32_t sparseDim, nb::object padding,
                                     IgnoredContext, IgnoredLocation) {
    PyTensorViewType view = toTensorView(type);
    auto cppPadding = toPadding(view.getContext(), padding);
    return getChecked<PyGatherScatterViewType>(
        view.getContext(), [&](auto emitError, auto *context) {
          return cuda_tile::GatherScatterViewType::getChecked(
              emitError, context, llvm::ArrayRef(tileShape), view.cpp(),
              sparseDim, cppPadding);
        });
  }

  static void bindDerived(ClassTy &c) {
    c.def_static("get", &PyGatherScatterViewType::get, nb::arg("tile_shape"),
                 nb::arg("tensor_view"), nb::arg("sparse_dim"),
                 nb::arg("padding_value").none() = nb::none(),
                 nb::arg("context").none() = nb::none(),
                 nb::arg("loc").none() = nb::none(),
                 VIEW_SIGNATURE("tensor_view", "", "sparse_dim: int, ",
                                "GatherScatterViewType"));
    bindView<PyGatherScatterViewType>(c);
    c.def_prop_ro("sparse_dim", [](const PyGatherScatterViewType &self) {
      return self.cpp().getSparseDim();
    });
  }
};

struct PyBufferType : TypeClass<PyBufferType, cuda_tile::tileas::BufferType> {
  static constexpr const char *pyClassName = "BufferType";
  using TypeClass::TypeClass;

  static void bindDerived(ClassTy &c) {
    c.def_static(
        "get",
        [](const Shape &shape, py::PyType &elementType,
           py::PyAttribute &layout) {
          auto cppLayout = optionalAttribute<cuda_tile::cute::LayoutAttr>(
              layout, "layout to be a LayoutAttr");
          return getChecked<PyBufferType>(
              elementType.getContext(), [&](auto emitError, auto *context) {
                return cuda_tile::tileas::BufferType::getChecked(
                    emitError, context, llvm::ArrayRef(shape),
                    unwrap(elementType.get()), cppLayout);
              });
        },
        nb::arg("shape"), nb::arg("element_type"), nb::arg("layout"));
    c.def_prop_ro("shape", [](const PyBufferType &self) {
      return toVector(self.cpp().getShape());
    });
    c.def_prop_ro("element_type", [](PyBufferType &self) {
      return downCast<py::PyType>(self.getContext(),
                                  self.cpp().getElementType());
    });
    c.def_prop_ro(
        "layout",
        [](PyBufferType &self) {
          return downCast<py::PyAttribute>(
              self.getContext(), mlir::Attribute(self.cpp().getLayout()));
        },
        nb::sig("def layout(self) -> LayoutAttr"));
  }
};

struct PyPendingType
    : TypeClass<PyPendingType, cuda_tile::tileas::PendingType> {
  static constexpr const char *pyClassName = "PendingType";
  using TypeClass::TypeClass;

  static void bindDerived(ClassTy &c) {
    c.def_static(
        "get",
        [](py::PyType &tile) {
          auto cppTile =
              llvm::dyn_cast<cuda_tile::TileType>(unwrap(tile.get()));
          if (!cppTile)
            throw nb::value_error("expected tile to be a TileType");
          return PyPendingType(
              tile.getContext(),
              wrap(mlir::Type(cuda_tile::tileas::PendingType::get(cppTile))));
        },
        nb::arg("tile"),
        nb::sig("def get(tile: cuda_tile._mlir.ir.Type) -> PendingType"));
    c.def_prop_ro(
        "tile",
        [](PyPendingType &self) {
          return downCast<py::PyType>(self.getContext(),
                                      mlir::Type(self.cpp().getTile()));
        },
        nb::sig("def tile(self) -> TileType"));
  }
};

struct PyRingType : TypeClass<PyRingType, cuda_tile::tileas::RingType> {
  static constexpr const char *pyClassName = "RingType";
  using TypeClass::TypeClass;

  static void bindDerived(ClassTy &c) {
    c.def_static(
        "get",
        [](int64_t slots, std::vector<PyBufferType> buffers) {
          if (buffers.empty())
            throw nb::value_error("expected at least one buffer");
          llvm::SmallVector<cuda_tile::tileas::BufferType> cppBuffers;
          for (PyBufferType &buffer : buffers)
            cppBuffers.push_back(buffer.cpp());
          py::PyMlirContextRef owner = buffers.front().getContext();
          return getChecked<PyRingType>(
              owner, [&](auto emitError, auto *context) {
                return cuda_tile::tileas::RingType::getChecked(
                    emitError, context, slots,
                    llvm::ArrayRef<cuda_tile::tileas::BufferType>(cppBuffers));
              });
        },
        nb::arg("slots"), nb::arg("buffers"));
    c.def_prop_ro("slots",
                  [](const PyRingType &self) { return self.cpp().getSlots(); });
    c.def_prop_ro(
        "buffers",
        [](PyRingType &self) {
          nb::list buffers;
          for (cuda_tile::tileas::BufferType buffer : self.cpp().getBuffers())
            buffers.append(
                downCast<py::PyType>(self.getContext(), mlir::Type(buffer)));
          return buffers;
        },
        nb::sig("def buffers(self) -> list[BufferType]"));
  }
};

} // namespace

void cuda_tile::python::populateTypes(nb::module_ &m) {
  PyPointerType::bind(m);
  PyTokenType::bind(m);
  PyF8E5M3FNUType::bind(m);
  PyTileType::bind(m);
  PyTensorViewType::bind(m);
  PyPartitionViewType::bind(m);
  PyStridedViewType::bind(m);
  PyGatherScatterViewType::bind(m);
  PyStringType::bind(m);
  PyBufferType::bind(m);
  PyPendingType::bind(m);
  PyRingType::bind(m);
  // Stands for `?` in the shape and strides of a PyTensorViewType.
  m.attr("DYNAMIC") = cuda_tile::TensorViewType::kDynamic;
}
