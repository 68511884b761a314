//===- Attributes.cpp - Attributes of our dialects in Python --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Casts.h"

#include "cuda_tile-c/Attributes.h"
#include "cuda_tile/Cute/Cute.h"
#include "cuda_tile/IR/CudaTile.h"

using namespace cuda_tile::python;

namespace {

//===----------------------------------------------------------------------===//
// Keywords
//===----------------------------------------------------------------------===//

/// A keyword attribute: `.get("nearest_even")`, `.value` is the keyword.
template <typename Cpp, const char *className, const char *text>
struct EnumAttribute
    : AttributeClass<EnumAttribute<Cpp, className, text>, Cpp> {
  static constexpr const char *pyClassName = className;
  using Base = AttributeClass<EnumAttribute, Cpp>;
  using Base::Base;
  using Enum = decltype(Cpp().getValue());

  static EnumAttribute get(const std::string &keyword,
                           py::DefaultingPyMlirContext context) {
    std::optional<Enum> value = cuda_tile::symbolizeEnum<Enum>(keyword);
    if (!value) {
      std::string message = std::string("Invalid ") + text + ": " + keyword +
                            "; expected a keyword of " + className + ", got '" +
                            keyword + "'";
      throw nb::value_error(message.c_str());
    }
    mlir::Attribute attribute = Cpp::get(unwrap(context->get()), *value);
    return EnumAttribute(context->getRef(), wrap(attribute));
  }

  static void bindDerived(typename Base::ClassTy &c) {
    c.def_static("get", &EnumAttribute::get, nb::arg("value"),
                 nb::arg("context").none() = nb::none());
    c.def_prop_ro("value", [](const EnumAttribute &self) {
      return cuda_tile::stringifyEnum(self.cpp().getValue()).str();
    });
  }
};

// The names in messages are those that scripts know.
#define FOR_EACH_ENUM_ATTRIBUTE(APPLY)                                         \
  APPLY(AtomicRMWModeAttr, "atomic RMW mode")                                  \
  APPLY(ComparisonOrderingAttr, "comparison ordering")                         \
  APPLY(ComparisonPredicateAttr, "comparison predicate")                       \
  APPLY(IntegerOverflowAttr, "integer overflow")                               \
  APPLY(MemoryOrderingSemanticsAttr, "memory ordering semantics")              \
  APPLY(MemoryScopeAttr, "memory scope")                                       \
  APPLY(MultimemReductionAttr, "multimem reduction")                           \
  APPLY(PaddingValueAttr, "padding value")                                     \
  APPLY(PointerKindAttr, "pointer attribute")                                  \
  APPLY(RoundingModeAttr, "rounding mode")                                     \
  APPLY(SignednessAttr, "signedness")                                          \
  APPLY(SymbolVisibilityAttr, "symbol visibility")

#define DEFINE_NAME(name, text)                                                \
  constexpr char k##name[] = #name, kTextOf##name[] = text;
FOR_EACH_ENUM_ATTRIBUTE(DEFINE_NAME)
#undef DEFINE_NAME

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

// A basis is a sum of (stride, dim) terms; a group is a list of bases.
using PyTerm = std::tuple<int64_t, int64_t>;
using PyGroups = std::vector<std::vector<std::vector<PyTerm>>>;

struct PyLayoutAttr
    : AttributeClass<PyLayoutAttr, cuda_tile::cute::LayoutAttr> {
  static constexpr const char *pyClassName = "LayoutAttr";
  using AttributeClass::AttributeClass;
  using Cpp = cuda_tile::cute::LayoutAttr;

  static llvm::SmallVector<Cpp::Group> toCpp(const PyGroups &groups) {
    llvm::SmallVector<Cpp::Group> result;
    for (const auto &group : groups) {
      Cpp::Group &bases = result.emplace_back();
      for (const auto &basis : group) {
        Cpp::Basis &terms = bases.emplace_back();
        for (const auto &[stride, dim] : basis)
          terms.push_back({stride, dim});
      }
    }
    return result;
  }

  static PyGroups toPython(llvm::ArrayRef<Cpp::Group> groups) {
    PyGroups result;
    for (const Cpp::Group &group : groups) {
      auto &bases = result.emplace_back();
      for (const Cpp::Basis &basis : group) {
        auto &terms = bases.emplace_back();
        for (const Cpp::Term &term : basis)
          terms.emplace_back(term.stride, term.dim);
      }
    }
    return result;
  }

  static PyLayoutAttr get(const PyGroups &groups, std::optional<bool> isFlat,
                          py::DefaultingPyMlirContext context) {
    return getChecked<PyLayoutAttr>(
        context->getRef(), [&](auto emitError, auto *cppContext) {
          return Cpp::getChecked(emitError, cppContext, toCpp(groups),
                                 isFlat.value_or(groups.size() == 1));
        });
  }

  static void bindDerived(ClassTy &c) {
    c.def_static(
        "get", &PyLayoutAttr::get, nb::arg("groups"),
        nb::arg("is_flat").none() = nb::none(),
        nb::arg("context").none() = nb::none(),
        "Groups of bases, each a list of (stride, dim) terms. One group "
        "makes a flat layout unless is_flat says otherwise.");
    c.def_prop_ro("groups", [](const PyLayoutAttr &self) {
      return toPython(self.cpp().getGroups());
    });
    c.def_prop_ro("is_flat", [](const PyLayoutAttr &self) {
      return self.cpp().getIsFlat();
    });
  }
};

//===----------------------------------------------------------------------===//
// Predicates of `assume`, and hints
//===----------------------------------------------------------------------===//

using OptionalInt = std::optional<int64_t>;

struct PyDivByAttr : AttributeClass<PyDivByAttr, cuda_tile::DivByAttr> {
  static constexpr const char *pyClassName = "DivByAttr";
  using AttributeClass::AttributeClass;

  static void bindDerived(ClassTy &c) {
    c.def_static(
        "get",
        [](uint64_t divisor, OptionalInt every, OptionalInt along,
           py::DefaultingPyMlirContext context) {
          return getChecked<PyDivByAttr>(
              context->getRef(), [&](auto emitError, auto *cppContext) {
                return cuda_tile::DivByAttr::getChecked(emitError, cppContext,
                                                        divisor, every, along);
              });
        },
        nb::arg("divisor"), nb::arg("every").none() = nb::none(),
        nb::arg("along").none() = nb::none(),
        nb::arg("context").none() = nb::none());
    c.def_prop_ro("divisor", [](const PyDivByAttr &self) {
      return self.cpp().getDivisor();
    });
    c.def_prop_ro(
        "every", [](const PyDivByAttr &self) { return self.cpp().getEvery(); });
    c.def_prop_ro(
        "along", [](const PyDivByAttr &self) { return self.cpp().getAlong(); });
  }
};

struct PyBoundedAttr : AttributeClass<PyBoundedAttr, cuda_tile::BoundedAttr> {
  static constexpr const char *pyClassName = "BoundedAttr";
  using AttributeClass::AttributeClass;

  static void bindDerived(ClassTy &c) {
    c.def_static(
        "get",
        [](OptionalInt lower, OptionalInt upper,
           py::DefaultingPyMlirContext context) {
          mlir::Attribute attribute =
              cuda_tile::BoundedAttr::get(unwrap(context->get()), lower, upper);
          return PyBoundedAttr(context->getRef(), wrap(attribute));
        },
        nb::arg("lower").none(), nb::arg("upper").none(),
        nb::arg("context").none() = nb::none());
    c.def_prop_ro("lower",
                  [](const PyBoundedAttr &self) { return self.cpp().getLb(); });
    c.def_prop_ro("upper",
                  [](const PyBoundedAttr &self) { return self.cpp().getUb(); });
  }
};

struct PySameElementsAttr
    : AttributeClass<PySameElementsAttr, cuda_tile::SameElementsAttr> {
  static constexpr const char *pyClassName = "SameElementsAttr";
  using AttributeClass::AttributeClass;

  static void bindDerived(ClassTy &c) {
    c.def_static(
        "get",
        [](const std::vector<int64_t> &values,
           py::DefaultingPyMlirContext context) {
          return PySameElementsAttr(
              context->getRef(),
              mlirCudaTileSameElementsAttrGet(context->get(), values.size(),
                                              values.data()));
        },
        nb::arg("values"), nb::arg("context").none() = nb::none(),
        "The size of a group of equal values along each dimension.");
    c.def_prop_ro("values", [](const PySameElementsAttr &self) {
      llvm::ArrayRef<int64_t> values = self.cpp().getValues().asArrayRef();
      return std::vector<int64_t>(values.begin(), values.end());
    });
  }
};

using OptionalInt32 = std::optional<int32_t>;

struct PyOptimizationHintsAttr
    : AttributeClass<PyOptimizationHintsAttr,
                     cuda_tile::OptimizationHintsAttr> {
  static constexpr const char *pyClassName = "OptimizationHintsAttr";
  using AttributeClass::AttributeClass;
  using Context = py::DefaultingPyMlirContext;

  static PyOptimizationHintsAttr get(py::PyAttribute &value) {
    auto dictionary = llvm::dyn_cast<mlir::DictionaryAttr>(unwrap(value.get()));
    if (!dictionary)
      throw nb::type_error("expected a DictAttr of DictAttrs, one per GPU");
    return getChecked<PyOptimizationHintsAttr>(
        value.getContext(), [&](auto emitError, auto *context) {
          return cuda_tile::OptimizationHintsAttr::getChecked(
              emitError, context, dictionary);
        });
  }

  static PyOptimizationHintsAttr forEntry(const std::string &arch,
                                          OptionalInt32 numCtaInCga,
                                          OptionalInt32 numWorkerWarps,
                                          OptionalInt32 occupancy,
                                          Context context) {
    return {context->getRef(),
            mlirCudaTileOptimizationHintsAttrGetEntryOpHint(
                context->get(), mlirStringRefCreateFromCString(arch.c_str()),
                numCtaInCga.value_or(0), numWorkerWarps.value_or(0),
                occupancy.value_or(0))};
  }

  static PyOptimizationHintsAttr forLoadStore(const std::string &arch,
                                              std::optional<bool> allowTma,
                                              OptionalInt32 latency,
                                              Context context) {
    return {context->getRef(),
            mlirCudaTileOptimizationHintsAttrGetLoadStoreOpHint(
                context->get(), mlirStringRefCreateFromCString(arch.c_str()),
                allowTma ? *allowTma : -1, latency.value_or(0))};
  }

  static void bindDerived(ClassTy &c) {
    c.def_static("get", &get, nb::arg("value"));
    c.def_static(
        "getEmpty",
        [](Context context) {
          return PyOptimizationHintsAttr(
              context->getRef(),
              mlirCudaTileOptimizationHintsAttrGetEmpty(context->get()));
        },
        nb::arg("context").none() = nb::none(), "Hints for no GPU.");
    // Scripts use the short names too.
    for (auto [ctas, warps] :
         {std::pair("num_cta_in_cga", "num_worker_warps_per_cta"),
          std::pair("num_cta", "num_worker_warps")})
      c.def_static("getEntryOpHint", &forEntry, nb::arg("arch"),
                   nb::arg(ctas).none() = nb::none(),
                   nb::arg(warps).none() = nb::none(),
                   nb::arg("occupancy").none() = nb::none(),
                   nb::arg("context").none() = nb::none(),
                   "Hints of an entry for one GPU, such as sm_100; None and 0 "
                   "are left out.");
    c.def_static("getLoadStoreOpHint", &forLoadStore, nb::arg("arch"),
                 nb::arg("allow_tma").none() = nb::none(),
                 nb::arg("latency").none() = nb::none(),
                 nb::arg("context").none() = nb::none(),
                 "Hints of an access to memory for one GPU; None is left out.");
    c.def_prop_ro(
        "value",
        [](PyOptimizationHintsAttr &self) {
          return downCast<py::PyAttribute>(
              self.getContext(), mlir::Attribute(self.cpp().getValue()));
        },
        nb::sig("def value(self) -> cuda_tile._mlir.ir.DictAttr"));
  }
};

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// The elements in row-major order, each in whole bytes, i1 as 0 or 1; of a
/// splat only the one element.
nb::bytes denseBytes(py::PyAttribute &attribute) {
  auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(unwrap(attribute.get()));
  if (!dense)
    throw nb::type_error("expected a DenseElementsAttr");
  if (!dense.getElementType().isInteger(1))
    return nb::bytes(dense.getRawData().data(), dense.getRawData().size());
  // MLIR packs these into bits.
  std::string bytes;
  if (dense.isSplat())
    bytes.push_back(dense.getSplatValue<bool>());
  else
    for (bool value : dense.getValues<bool>())
      bytes.push_back(value);
  return nb::bytes(bytes.data(), bytes.size());
}

} // namespace

void cuda_tile::python::populateAttributes(nb::module_ &m) {
#define BIND_ENUM(name, text)                                                  \
  EnumAttribute<cuda_tile::name, k##name, kTextOf##name>::bind(m);
  FOR_EACH_ENUM_ATTRIBUTE(BIND_ENUM)
#undef BIND_ENUM
  PyBoundedAttr::bind(m);
  PyDivByAttr::bind(m);
  PyLayoutAttr::bind(m);
  PyOptimizationHintsAttr::bind(m);
  PySameElementsAttr::bind(m);
  m.def(
      "dense_bytes", &denseBytes, nb::arg("attribute"),
      "Returns the elements of a DenseElementsAttr in row-major order, each in "
      "whole bytes (i1 as 0 or 1); of a splat only the one element.");
}
