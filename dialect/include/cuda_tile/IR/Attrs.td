//===- Attrs.td - Attributes of the cuda_tile dialect ---------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_IR_ATTRS_TD
#define CUDA_TILE_IR_ATTRS_TD

include "cuda_tile/IR/Dialect.td"
include "cuda_tile/IR/Interfaces.td"

class CudaTile_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<CudaTile_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

//===----------------------------------------------------------------------===//
// Predicates of `assume`
//===----------------------------------------------------------------------===//

class CudaTile_Predicate<string name, string attrMnemonic>
    : CudaTile_Attr<name, attrMnemonic,
        [DeclareAttrInterfaceMethods<CudaTile_AssumePredicateAttrInterface>]>;

def CudaTile_DivByAttr : CudaTile_Predicate<"DivBy", "div_by"> {
  let summary = "values are multiples of a power of two";
  let description = [{
    For `assume`: the values are multiples of a power of two. Front ends know it of
    pointers and extents that they have looked at; without it the compiler often has
    to load elements one by one.

    `div_by<16>`: each value is a multiple of 16; for a pointer this is its address
    in bytes, for a tensor_view its base address. `div_by<16, every 4 along 1>`: the
    first of each group of 4 values along dimension 1 is a multiple of 16, and the
    values of a group are consecutive.
  }];
  let parameters = (ins
    "uint64_t":$divisor,
    OptionalParameter<"std::optional<int64_t>">:$every,
    OptionalParameter<"std::optional<int64_t>">:$along
  );
  let extraClassDeclaration = [{
    /// The rules of the fields among themselves; `assume` checks them, so that
    /// its message comes at the op.
    static ::llvm::LogicalResult
    verifyFields(::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
                 uint64_t divisor, std::optional<int64_t> every,
                 std::optional<int64_t> along);
    /// Null after an error if the fields break their rules.
    static DivByAttr
    getChecked(::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
               ::mlir::MLIRContext *context, uint64_t divisor,
               std::optional<int64_t> every, std::optional<int64_t> along) {
      if (failed(verifyFields(emitError, divisor, every, along)))
        return {};
      return get(context, divisor, every, along);
    }
  }];
  let hasCustomAssemblyFormat = 1;
}

def CudaTile_SameElementsAttr
    : CudaTile_Predicate<"SameElements", "same_elements"> {
  let summary = "groups of adjacent elements are equal";
  let description = [{
    For `assume`: groups of neighbouring elements are equal, as in a mask that holds
    for whole rows, so that one test serves the group.

    `same_elements<[2, 4]>`: the tile consists of groups of 2x4 elements, and all
    elements of a group are equal.
  }];
  let parameters = (ins "::mlir::DenseI64ArrayAttr":$values);
  let assemblyFormat = "`<` $values `>`";
}

def CudaTile_BoundedAttr : CudaTile_Predicate<"Bounded", "bounded"> {
  let summary = "values lie between two bounds";
  let description = [{
    For `assume`: the values lie between two bounds. An index that is known not to be
    negative, for example, needs no test for it.

    `bounded<0, ?>`: the values are signed, the bounds are inclusive, `?` means no
    bound.
  }];
  let parameters = (ins
    OptionalParameter<"std::optional<int64_t>">:$lb,
    OptionalParameter<"std::optional<int64_t>">:$ub
  );
  let hasCustomAssemblyFormat = 1;
}

//===----------------------------------------------------------------------===//
// Hints
//===----------------------------------------------------------------------===//

def CudaTile_OptimizationHintsAttr
    : CudaTile_Attr<"OptimizationHints", "optimization_hints"> {
  let summary = "advice to the compiler, per GPU";
  let description = [{
    Advice to the compiler, for each chip or for all. It may make a kernel faster or
    slower and never changes its results: on an entry for example how many CTAs share
    a tile block, on a load how far ahead it should start.

    `<sm_100 = {num_cta_in_cga = 2}, default = {}>`. Unknown GPUs and keys are
    legal, so that older compilers accept newer files.
  }];
  let parameters = (ins "::mlir::DictionaryAttr":$value);
  let builders = [AttrBuilderWithInferredContext<
      (ins "::mlir::DictionaryAttr":$value), [{
    return $_get(value.getContext(), value);
  }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

def CudaTile_DenseElementsAttr : ElementsAttrBase<
    CPred<"::llvm::isa<::mlir::DenseIntOrFPElementsAttr>($_self)">,
    "An Attribute containing a dense multi-dimensional array of integer or "
    "floating-point values"> {
  let storageType = "::mlir::DenseIntOrFPElementsAttr";
  let returnType = "::mlir::DenseIntOrFPElementsAttr";
  let convertFromStorage = "$_self";
}

#endif // CUDA_TILE_IR_ATTRS_TD
