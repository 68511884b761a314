//===- NumberedModel.h - Enumerations as numbers ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops have memory orderings, scopes and modes of atomic accesses as attributes
// with names. In the generic form they are numbers, `memory_scope = 1 : i32`,
// as scripts expect; both forms are read.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_LIB_IR_NUMBEREDMODEL_H
#define CUDA_TILE_LIB_IR_NUMBEREDMODEL_H

#include "mlir/IR/Dialect.h"
#include "mlir/IR/OperationSupport.h"

namespace cuda_tile {

/// Whether an attribute of this name is a number in the generic form.
bool isNumbered(llvm::StringRef name);
/// The number instead of the attribute with a name, or the attribute itself.
mlir::Attribute toNumber(llvm::StringRef name, mlir::Attribute attribute);
/// The inverse; a number out of range stays one.
mlir::Attribute fromNumber(llvm::StringRef name, mlir::Attribute attribute);

/// The model of `Op` with such attributes: MLIR's, but for the translation.
template <typename Op> class NumberedModel : public mlir::OperationName::Impl {
  using Name = mlir::OperationName;
  using Operation = mlir::Operation;
  using Attribute = mlir::Attribute;
  using Properties = mlir::OpaqueProperties;
  using Model = mlir::RegisteredOperationName::Model<Op>;
  using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

public:
  explicit NumberedModel(mlir::Dialect *dialect)
      : NumberedModel(dialect, std::make_unique<Model>(dialect)) {}

  Attribute getPropertiesAsAttr(Operation *op) override {
    return map(model->getPropertiesAsAttr(op), toNumber);
  }
  llvm::LogicalResult setPropertiesFromAttr(Name name, Properties properties,
                                            Attribute attribute,
                                            EmitError emitError) override {
    return model->setPropertiesFromAttr(name, properties,
                                        map(attribute, fromNumber), emitError);
  }
  void setInherentAttr(Operation *op, mlir::StringAttr name,
                       Attribute value) override {
    model->setInherentAttr(op, name, fromNumber(name, value));
  }
  llvm::LogicalResult verifyInherentAttrs(Name name,
                                          mlir::NamedAttrList &attributes,
                                          EmitError emitError) override {
    for (mlir::NamedAttribute entry : llvm::to_vector(attributes))
      attributes.set(entry.getName(),
                     fromNumber(entry.getName(), entry.getValue()));
    return model->verifyInherentAttrs(name, attributes, emitError);
  }

  // The rest is as it is.
  llvm::LogicalResult
  foldHook(Operation *op, llvm::ArrayRef<Attribute> operands,
           llvm::SmallVectorImpl<mlir::OpFoldResult> &results) override {
    return model->foldHook(op, operands, results);
  }
  void getCanonicalizationPatterns(mlir::RewritePatternSet &patterns,
                                   mlir::MLIRContext *context) override {
    model->getCanonicalizationPatterns(patterns, context);
  }
  bool hasTrait(mlir::TypeID trait) override { return model->hasTrait(trait); }
  Name::ParseAssemblyFn getParseAssemblyFn() override {
    return model->getParseAssemblyFn();
  }
  void populateDefaultAttrs(const Name &name,
                            mlir::NamedAttrList &attributes) override {
    model->populateDefaultAttrs(name, attributes);
  }
  void printAssembly(Operation *op, mlir::OpAsmPrinter &printer,
                     llvm::StringRef dialect) override {
    model->printAssembly(op, printer, dialect);
  }
  llvm::LogicalResult verifyInvariants(Operation *op) override {
    return model->verifyInvariants(op);
  }
  llvm::LogicalResult verifyRegionInvariants(Operation *op) override {
    return model->verifyRegionInvariants(op);
  }
  std::optional<Attribute> getInherentAttr(Operation *op,
                                           llvm::StringRef name) override {
    return model->getInherentAttr(op, name);
  }
  void populateInherentAttrs(Operation *op,
                             mlir::NamedAttrList &attributes) override {
    model->populateInherentAttrs(op, attributes);
  }
  int getOpPropertyByteSize() override {
    return model->getOpPropertyByteSize();
  }
  void initProperties(Name name, Properties storage, Properties init) override {
    model->initProperties(name, storage, init);
  }
  void deleteProperties(Properties properties) override {
    model->deleteProperties(properties);
  }
  void populateDefaultProperties(Name name, Properties properties) override {
    model->populateDefaultProperties(name, properties);
  }
  void copyProperties(Properties to, Properties from) override {
    model->copyProperties(to, from);
  }
  bool compareProperties(Properties lhs, Properties rhs) override {
    return model->compareProperties(lhs, rhs);
  }
  llvm::hash_code hashProperties(Properties properties) override {
    return model->hashProperties(properties);
  }

private:
  /// Takes over the interfaces of `model`.
  NumberedModel(mlir::Dialect *dialect, std::unique_ptr<Model> model)
      : Impl(Op::getOperationName(), dialect, mlir::TypeID::get<Op>(),
             std::move(model->getInterfaceMap())),
        model(std::move(model)) {}

  /// The dictionary with translated values; anything else as it is.
  static Attribute map(Attribute attribute,
                       Attribute (*translate)(llvm::StringRef, Attribute)) {
    auto dictionary =
        llvm::dyn_cast_if_present<mlir::DictionaryAttr>(attribute);
    if (!dictionary)
      return attribute;
    mlir::NamedAttrList entries;
    for (mlir::NamedAttribute entry : dictionary)
      entries.append(entry.getName(),
                     translate(entry.getName(), entry.getValue()));
    return entries.getDictionary(attribute.getContext());
  }

  std::unique_ptr<Model> model;
};

/// Registers `Ops`, those with such attributes with the model above.
template <typename... Ops> struct NumberedOps {
  static void add(mlir::Dialect &dialect) { (addOne<Ops>(dialect), ...); }

private:
  template <typename Op> static void addOne(mlir::Dialect &dialect) {
    llvm::ArrayRef<llvm::StringRef> names = Op::getAttributeNames();
    if (llvm::any_of(names, isNumbered))
      mlir::RegisteredOperationName::insert(
          std::make_unique<NumberedModel<Op>>(&dialect), names);
    else
      mlir::RegisteredOperationName::insert<Op>(dialect);
  }
};

} // namespace cuda_tile

#endif // CUDA_TILE_LIB_IR_NUMBEREDMODEL_H
