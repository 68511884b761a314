//===- Legality.cpp - What a module at level P is made of -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translation to LLVM IR and LLVM's code generator end the process on what they
// do not know. One walk finds the distinct operations and the types that have
// no LLVM form; which of the operations a chip has is decided in Python.
//
//===----------------------------------------------------------------------===//

#include "Extension.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/TypeSwitch.h"

#include <set>

using namespace cuda_tile::python;

namespace {

/// What makes two operations the same to LLVM: name, types and, where these
/// select the instruction, attributes. All of it is unique in the context.
using Kind = llvm::SmallVector<const void *, 8>;

class Inspector {
public:
  void inspect(mlir::Operation *op);

  nb::list kinds;
  nb::list badTypes;

private:
  bool isTranslatable(mlir::Type type);
  bool isTranslatableUncached(mlir::Type type);
  void check(mlir::Operation *op, mlir::Type type);
  void addKind(mlir::Operation *op);

  std::set<Kind> seen;
  llvm::DenseMap<mlir::Type, bool> known;
};

bool Inspector::isTranslatable(mlir::Type type) {
  auto found = known.find(type);
  if (found != known.end())
    return found->second;
  bool good = isTranslatableUncached(type);
  known[type] = good;
  return good;
}

/// The types that both the translation and the NVPTX back end take. Others may
/// be LLVM types too, such as f128, and yet end in "cannot select".
bool Inspector::isTranslatableUncached(mlir::Type type) {
  auto all = [&](auto types) {
    return llvm::all_of(types, [&](mlir::Type t) { return isTranslatable(t); });
  };
  return llvm::TypeSwitch<mlir::Type, bool>(type)
      .Case([](mlir::IntegerType t) {
        return t.isSignless() && t.getWidth() > 0 && t.getWidth() <= 128;
      })
      .Case<mlir::Float16Type, mlir::BFloat16Type, mlir::Float32Type,
            mlir::Float64Type>([](mlir::Type) { return true; })
      .Case([&](mlir::VectorType t) {
        return t.getRank() == 1 && !t.isScalable() &&
               t.getElementType().isIntOrFloat() &&
               isTranslatable(t.getElementType());
      })
      // Address spaces: LLVM, "User Guide for NVPTX Back-end".
      .Case([](mlir::LLVM::LLVMPointerType t) {
        return llvm::is_contained({0u, 1u, 3u, 4u, 5u, 6u, 7u, 101u},
                                  t.getAddressSpace());
      })
      .Case([&](mlir::LLVM::LLVMStructType t) {
        return !t.isIdentified() && all(t.getBody());
      })
      .Case([&](mlir::LLVM::LLVMArrayType t) {
        return isTranslatable(t.getElementType());
      })
      .Case([&](mlir::LLVM::LLVMFunctionType t) {
        return isTranslatable(t.getReturnType()) && all(t.getParams());
      })
      .Case([](mlir::LLVM::LLVMVoidType) { return true; })
      .Default([](mlir::Type) { return false; });
}

void Inspector::check(mlir::Operation *op, mlir::Type type) {
  if (isTranslatable(type))
    return;
  known[type] = true; // Once is enough.
  std::string text;
  llvm::raw_string_ostream(text) << type;
  badTypes.append(nb::make_tuple(wrapOperation(op), text));
}

/// Notes the operation if it is the first of its kind, and the chips that
/// MLIR's NVVM dialect says it needs.
void Inspector::addKind(mlir::Operation *op) {
  Kind kind{op->getName().getAsOpaquePointer()};
  for (mlir::Type type : op->getOperandTypes())
    kind.push_back(type.getAsOpaquePointer());
  kind.push_back(nullptr);
  for (mlir::Type type : op->getResultTypes())
    kind.push_back(type.getAsOpaquePointer());
  // Arithmetic, the bulk of all operations, is told apart by types alone.
  if (!op->hasTrait<mlir::OpTrait::IsTerminator>() &&
      !op->hasTrait<mlir::OpTrait::ConstantLike>() &&
      !mlir::isa<mlir::LLVM::GEPOp, mlir::LLVM::ICmpOp, mlir::LLVM::FCmpOp,
                 mlir::LLVM::ExtractValueOp>(op))
    kind.push_back(op->getAttrDictionary().getAsOpaquePointer());
  if (!seen.insert(std::move(kind)).second)
    return;
  nb::list chips;
  bool accelerated = false;
  if (auto needs = mlir::dyn_cast<mlir::NVVM::RequiresSMInterface>(op)) {
    auto versions = needs.getRequiredMinSMVersion();
    accelerated = versions.archAccelerated;
    for (int version : versions.smVersionList)
      chips.append(version);
  }
  kinds.append(nb::make_tuple(wrapOperation(op), chips, accelerated));
}

void Inspector::inspect(mlir::Operation *op) {
  addKind(op);
  for (mlir::Type type : op->getResultTypes())
    check(op, type);
  for (mlir::Region &region : op->getRegions())
    for (mlir::Block &block : region) {
      for (mlir::Type type : block.getArgumentTypes())
        check(op, type);
      for (mlir::Operation &inner : block)
        inspect(&inner);
    }
  llvm::TypeSwitch<mlir::Operation *>(op)
      .Case([&](mlir::LLVM::GEPOp gep) { check(op, gep.getElemType()); })
      .Case(
          [&](mlir::LLVM::AllocaOp alloca) { check(op, alloca.getElemType()); })
      .Case([&](mlir::LLVM::GlobalOp global) { check(op, global.getType()); })
      .Case([&](mlir::LLVM::LLVMFuncOp func) {
        check(op, func.getFunctionType());
      });
}

nb::tuple deviceCode(nb::handle object) {
  Inspector inspector;
  inspector.inspect(operationOf(object));
  return nb::make_tuple(inspector.kinds, inspector.badTypes);
}

} // namespace

void cuda_tile::python::populateLegality(nb::module_ &m) {
  m.def(
      "device_code", &deviceCode, nb::arg("op"),
      nb::sig("def device_code(op: typing.Any) -> tuple[list[tuple["
              "cuda_tile._mlir.ir.Operation, list[int], bool]], list[tuple["
              "cuda_tile._mlir.ir.Operation, str]]]"),
      "What a module at level P is made of, for a check before translation.\n\n"
      "Returns:\n"
      "  The first operation of each kind (name, types, attributes that select "
      "an instruction) with the compute capabilities that NVVM says it needs "
      "and whether exactly one of these is needed, as sm_90a is; then each "
      "type that LLVM's NVPTX target does not take, with the first operation "
      "that has it.");
}
