//===- Cute.td - Layouts as attributes ------------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_CUTE_CUTE_TD
#define CUDA_TILE_CUTE_CUTE_TD

include "mlir/IR/AttrTypeBase.td"

def Cute_Dialect : Dialect {
  let name = "cute";
  let summary = "Layouts in basis notation";
  let description = [{
    Attributes only. A basis such as `1@0+8@1` is the contribution of one bit of the
    input to the tensor coordinates: 1 along dimension 0 and 8 along dimension 1.
    The contributions of the set bits combine by XOR, so a layout is a linear map
    over F2.
  }];
  let cppNamespace = "::cuda_tile::cute";
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attr,
                        ::mlir::DialectAsmPrinter &printer) const override;

  private:
    void registerAttributes();

  public:
  }];
}

class Cute_Attr<string name, string attrMnemonic>
    : AttrDef<Cute_Dialect, name> {
  // Without `mnemonic`, TableGen leaves parsing and printing to the dialect: MLIR's
  // lexer cannot read basis notation.
  let attrName = "cute." # attrMnemonic;
  let extraClassDeclaration = [{
    static constexpr ::llvm::StringLiteral getMnemonic() { return "}] #
      attrMnemonic # [{"; }
  }];
}

def Cute_LayoutAttr : Cute_Attr<"Layout", "layout"> {
  let summary = "linear map from the bits of an index to tensor coordinates";
  let description = [{
    Flat, for memory: one basis per bit of the element offset, low bit first:
    `#cute.layout<(1@1, 2@1, 1@0)>`. Grouped, for registers: four groups of
    bases, for the bits of (register, lane, warp, block):
    `#cute.layout<((1@1), (2@1, 4@1, 1@0, 2@0, 4@0), (), ())>`. The basis `0` marks a
    bit that does not select an element: both of its values hold copies.
  }];
  let parameters = (ins
    // Groups, bases and terms, flattened into one array; see `getGroups`.
    ArrayRefParameter<"int64_t">:$encoded,
    "bool":$isFlat
  );
  let skipDefaultBuilders = 1;
  let extraClassDeclaration = [{
    static constexpr ::llvm::StringLiteral getMnemonic() { return "layout"; }

    /// One step: `stride` along dimension `dim`.
    struct Term {
      int64_t stride;
      int64_t dim;
      bool operator==(const Term &other) const {
        return stride == other.stride && dim == other.dim;
      }
    };
    /// The contribution of one input bit; an empty one prints as `0`.
    using Basis = ::llvm::SmallVector<Term, 2>;
    /// The input bits of one index, low bit first.
    using Group = ::llvm::SmallVector<Basis>;

    /// Each term must have a positive stride and a dimension; `getChecked`
    /// reports a term that does not.
    static LayoutAttr get(::mlir::MLIRContext *context,
                          ::llvm::ArrayRef<Group> groups, bool isFlat = false);
    static LayoutAttr
    getChecked(::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
               ::mlir::MLIRContext *context, ::llvm::ArrayRef<Group> groups,
               bool isFlat = false);

    /// A flat layout has one group.
    ::llvm::SmallVector<Group> getGroups() const;

    /// Why the layout does not map onto an array of `shape` (the first reason),
    /// or an empty string. With `bijective`, no element may have two places.
    std::string findMisfit(::llvm::ArrayRef<int64_t> shape,
                           bool bijective) const;
  }];
}

class Cute_TupleAttr<string name, string attrMnemonic>
    : Cute_Attr<name, attrMnemonic> {
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$values,
    ArrayRefParameter<"int64_t">:$dims
  );
  let genVerifyDecl = 1;
}

def Cute_ShapeAttr : Cute_TupleAttr<"Shape", "shape"> {
  let summary = "extents by dimension";
  let description = "`#cute.shape<(128@0, 64@1)>`";
}

def Cute_StrideAttr : Cute_TupleAttr<"Stride", "stride"> {
  let summary = "strides by dimension";
  let description = "`#cute.stride<(1@0, 128@1)>`";
}

#endif // CUDA_TILE_CUTE_CUTE_TD
