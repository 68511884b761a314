//===- Types.td - Types of the cuda_tile dialect --------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_IR_TYPES_TD
#define CUDA_TILE_IR_TYPES_TD

include "cuda_tile/IR/Dialect.td"
include "cuda_tile/IR/Interfaces.td"
include "mlir/IR/BuiltinTypeInterfaces.td"

class CudaTile_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<CudaTile_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def CudaTile_PointerType : CudaTile_Type<"Pointer", "ptr"> {
  let summary = "address of a number in global memory";
  let description = [{
    Address of a number in global memory, as the host passes it to a kernel:
    `ptr<f32>`. Pointers are held in tiles like numbers, so a scalar pointer is
    `tile<ptr<f32>>` and a tile of 128 addresses is `tile<128xptr<f32>>`; `offset`
    computes addresses, `load_ptr_tko` and `store_ptr_tko` use them.

    Since 13.5, a pointer may say what its addresses are:
    `ptr<f32, <multicast>>` points into a multicast object (PTX ISA, "multimem"),
    `ptr<f32, <unicast>>` does not. `none` is another type than no attribute.
  }];
  let parameters = (ins
    "::mlir::Type":$pointeeType,
    OptionalParameter<"::cuda_tile::PointerKindAttr">:$ptrAttr
  );
  let builders = [TypeBuilderWithInferredContext<
      (ins "::mlir::Type":$pointeeType,
           CArg<"::cuda_tile::PointerKindAttr", "{}">:$ptrAttr), [{
    return $_get(pointeeType.getContext(), pointeeType, ptrAttr);
  }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def CudaTile_TileType : CudaTile_Type<"Tile", "tile",
    [DeclareTypeInterfaceMethods<ShapedTypeInterface,
                                 ["cloneWith", "hasRank"]>]> {
  let summary = "array of numbers or pointers whose extents are powers of two";
  let description = [{
    Array of numbers or pointers whose extents are powers of two: what kernels
    compute with. `tile<4x8xf32>` has 4 rows of 8 elements; rank 0 is a scalar,
    `tile<f32>`. A tile is a value, not memory: it has no address, and no op changes
    it. Which thread holds which element is the compiler's choice.

    After layout assignment (level W), the type says that choice too:
    `tile<4x8xf32, #cute.layout<...>>` maps the bits of (register, lane, warp, block)
    to coordinates of the element that is held there.
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$shape,
    "::mlir::Type":$elementType,
    OptionalParameter<"::cuda_tile::cute::LayoutAttr">:$layout
  );
  let builders = [
    TypeBuilderWithInferredContext<
        (ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType,
             CArg<"::cuda_tile::cute::LayoutAttr", "{}">:$layout), [{
      return $_get(elementType.getContext(), shape, elementType, layout);
    }]>,
  ];
  let extraClassDeclaration = [{
    /// The largest number of elements of a tile.
    static constexpr int64_t kMaxElements = 16777216;

    /// The same tile type with another layout (null removes it).
    TileType withLayout(::cuda_tile::cute::LayoutAttr layout) const {
      return TileType::get(getShape(), getElementType(), layout);
    }
    /// The rules of `verify` that do not concern the layout; `shape` may also
    /// be the tile shape of a view.
    static ::llvm::LogicalResult
    verifyShape(::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
                ::llvm::ArrayRef<int64_t> shape, ::mlir::Type elementType);
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def CudaTile_TensorViewType : CudaTile_Type<"TensorView", "tensor_view"> {
  let summary = "tensor view type";
  let description = [{
    An array in global memory with its extents and strides, as NumPy has them:
    `tensor_view<?x64xf32, strides=[64,1]>`. It is made of a pointer by
    `make_tensor_view`, and holds no elements itself; the views below cut it into
    tiles that can be loaded and stored.

    Strides are in elements. `?` (stored as `kDynamic`) is an operand of
    `make_tensor_view`. The attribute of the base pointer, if it has one, comes last:
    `#cuda_tile.ptr_attr<multicast>`.
  }];
  let parameters = (ins
    "::mlir::Type":$elementType,
    ArrayRefParameter<"int64_t">:$shape,
    ArrayRefParameter<"int64_t">:$strides,
    OptionalParameter<"::cuda_tile::PointerKindAttr">:$ptrAttr
  );
  let builders = [TypeBuilderWithInferredContext<
      (ins "::mlir::Type":$elementType, "::llvm::ArrayRef<int64_t>":$shape,
           "::llvm::ArrayRef<int64_t>":$strides,
           CArg<"::cuda_tile::PointerKindAttr", "{}">:$ptrAttr), [{
    return $_get(elementType.getContext(), elementType, shape, strides,
                 ptrAttr);
  }]>];
  let extraClassDeclaration = [{
    static constexpr int64_t kDynamic = ::mlir::ShapedType::kDynamic;
    int64_t getRank() const { return getShape().size(); }
    int64_t getNumDynamicDims() const {
      return ::llvm::count(getShape(), kDynamic);
    }
    int64_t getNumDynamicStrides() const {
      return ::llvm::count(getStrides(), kDynamic);
    }
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def CudaTile_PartitionViewType : CudaTile_Type<"PartitionView", "partition_view",
    [DeclareTypeInterfaceMethods<CudaTile_TileViewInterface>]> {
  let summary = "partition view type";
  let description = [{
    A tensor_view cut into a grid of equal tiles, the usual way to load and store:
    index (i, j) is tile number i along the first dimension and j along the second, so
    that a kernel needs no arithmetic on addresses and no masks at the edge.
    `partition_view<tile=(8x8), padding_value = zero, tensor_view<?x64xf32,
    strides=[64,1]>>` is one.

    Tile dimension `i` runs along tensor dimension `dim_map[i]`. Elements of a tile
    that are out of bounds of the tensor are loaded as the padding value and are not
    stored.
  }];
  let parameters = (ins
    ArrayRefParameter<"int32_t">:$tileShape,
    "::cuda_tile::TensorViewType":$tensorView,
    ArrayRefParameter<"int32_t">:$dimMap,
    OptionalParameter<"::cuda_tile::PaddingValueAttr">:$paddingValue
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def CudaTile_StridedViewType : CudaTile_Type<"StridedView", "strided_view",
    [DeclareTypeInterfaceMethods<CudaTile_TileViewInterface>]> {
  let summary = "strided view type";
  let description = [{
    A tensor_view under tiles that start at multiples of a stride: for windows that
    overlap, as in a convolution, or that leave gaps.

    Like a partition_view, but along dimension `i`, tile `k` starts at element
    `k * traversal_strides[i]`: with 4 and tiles of 8, neighbours share half of their
    elements.
  }];
  let parameters = (ins
    ArrayRefParameter<"int32_t">:$tileShape,
    ArrayRefParameter<"int32_t">:$traversalStrides,
    "::cuda_tile::TensorViewType":$tensorView,
    ArrayRefParameter<"int32_t">:$dimMap,
    OptionalParameter<"::cuda_tile::PaddingValueAttr">:$paddingValue
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def CudaTile_GatherScatterViewType
    : CudaTile_Type<"GatherScatterView", "gather_scatter_view",
        [DeclareTypeInterfaceMethods<CudaTile_TileViewInterface>]> {
  let summary = "gather/scatter view type";
  let description = [{
    A tensor_view whose tiles collect slices that need not be neighbours, for example
    the rows of a table that a list of numbers names.

    Along `sparse_dim`, an index is a tile of positions, one for each slice; along the
    other dimensions, it is the position of the first element of the tile.
  }];
  let parameters = (ins
    ArrayRefParameter<"int32_t">:$tileShape,
    "::cuda_tile::TensorViewType":$tensorView,
    "int32_t":$sparseDim,
    OptionalParameter<"::cuda_tile::PaddingValueAttr">:$paddingValue
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def CudaTile_TokenType : CudaTile_Type<"Token", "token"> {
  let summary = "cuda tile token type";
  let description = [{
    A point in the order of memory accesses, held by no register. Program order does
    not order loads and stores of Tile IR: an access comes after another one only if
    it takes a token that the other one, directly or through further ops, has given.
  }];
  let hasCustomAssemblyFormat = 1;
}

def CudaTile_StringType : CudaTile_Type<"String", "string"> {
  let summary = "text, within one compiler";
  let description = [{
    Text, within one compiler. Not portable: no bytecode version has it, and this
    compiler refuses it.
  }];
  let hasCustomAssemblyFormat = 1;
}

def CudaTile_F8E5M3FNUType : CudaTile_Type<"F8E5M3FNU", "fnv8E5M3FNU",
    [DeclareTypeInterfaceMethods<FloatTypeInterface, ["getFloatSemantics"]>]> {
  let summary = "unsigned number of 5 bits of exponent and 3 of fraction";
  let description = [{
    Unsigned number of 5 bits of exponent and 3 of fraction, for scale factors of
    narrow formats.

    Has a zero, subnormal numbers and one NaN (0xFF), no sign and no infinity; the
    largest number is 114688. `f8E5M3FNU` is read too. LLVM has no such format:
    elements are data to it, and nothing folds their values.
  }];
  let hasCustomAssemblyFormat = 1;
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

// An element type, with the name that diagnostics use.
class CudaTile_Element<string name, Pred pred> {
  string text = name;
  Pred predicate = pred;
}

def CudaTile_Pointer : CudaTile_Element<"Pointer type",
    CPred<"::llvm::isa<::cuda_tile::PointerType>($_self)">>;
def CudaTile_I4 : CudaTile_Element<"i4", CPred<"$_self.isSignlessInteger(4)">>;
foreach width = [1, 8, 16, 32, 64] in
  def CudaTile_I # width : CudaTile_Element<"i" # width,
      CPred<"$_self.isSignlessInteger(" # width # ")">>;
foreach name = ["F16", "BF16", "F32", "F64"] in
  def CudaTile_ # name
      : CudaTile_Element<!tolower(name), CPred<"$_self.is" # name # "()">>;
def CudaTile_TF32 : CudaTile_Element<"tf32",
    CPred<"::llvm::isa<::mlir::FloatTF32Type>($_self)">>;
foreach name = ["8E4M3FN", "8E5M2", "8E8M0FNU", "4E2M1FN"] in
  def CudaTile_F # name : CudaTile_Element<"f" # name,
      CPred<"::llvm::isa<::mlir::Float" # name # "Type>($_self)">>;

// Taken wherever all numbers are; the texts of diagnostics, which scripts rely on,
// do not name it.
def CudaTile_F8E5M3FNU : CudaTile_Element<"",
    CPred<"::llvm::isa<::cuda_tile::F8E5M3FNUType>($_self)">>;

defvar CudaTile_Integers =
    [CudaTile_I1, CudaTile_I8, CudaTile_I16, CudaTile_I32, CudaTile_I64];
defvar CudaTile_BaseFloats =
    [CudaTile_F16, CudaTile_BF16, CudaTile_F32, CudaTile_F64];
defvar CudaTile_Floats = !listconcat(CudaTile_BaseFloats,
    [CudaTile_TF32, CudaTile_F8E4M3FN, CudaTile_F8E5M2, CudaTile_F8E8M0FNU,
     CudaTile_F4E2M1FN, CudaTile_F8E5M3FNU]);
// In the order of the texts of diagnostics.
defvar CudaTile_Numbers = !listconcat(CudaTile_Integers, CudaTile_Floats);

//===----------------------------------------------------------------------===//
// Constraints of operands and results
//===----------------------------------------------------------------------===//

defvar isTile = CPred<"::llvm::isa<::cuda_tile::TileType>($_self)">;
defvar isScalar =
    CPred<"::llvm::cast<::cuda_tile::TileType>($_self).getRank() == 0">;

class CudaTile_ElementIn<list<CudaTile_Element> elements> {
  Pred predicate = Concat<"[](::mlir::Type elementType) { return ",
    SubstLeaves<"$_self", "elementType",
                Or<!foreach(element, elements, element.predicate)>>,
    "; }(::llvm::cast<::cuda_tile::TileType>($_self).getElementType())">;
  string text = !interleave(
      !foreach(element, !filter(each, elements, !ne(each.text, "")),
               element.text), " or ");
}

class CudaTile_TileOf<list<CudaTile_Element> elements, string what = "tile">
    : Type<And<[isTile, CudaTile_ElementIn<elements>.predicate]>,
           what # " of " # CudaTile_ElementIn<elements>.text # " values",
           "::cuda_tile::TileType">;

class CudaTile_ScalarOf<list<CudaTile_Element> elements>
    : Type<And<[isTile, isScalar, CudaTile_ElementIn<elements>.predicate]>,
           "0D tile of " # CudaTile_ElementIn<elements>.text # " values",
           "::cuda_tile::TileType">;

def CudaTile_Tile : Type<isTile, "Tile type", "::cuda_tile::TileType">;
def CudaTile_IntTile : CudaTile_TileOf<CudaTile_Integers>;
def CudaTile_SmallIntTile : CudaTile_TileOf<
    [CudaTile_I1, CudaTile_I8, CudaTile_I16, CudaTile_I32]>;
def CudaTile_BoolTile : CudaTile_TileOf<[CudaTile_I1]>;
def CudaTile_I8Tile : CudaTile_TileOf<[CudaTile_I8]>;
def CudaTile_I64Tile : CudaTile_TileOf<[CudaTile_I64]>;
def CudaTile_BaseFloatTile : CudaTile_TileOf<CudaTile_BaseFloats>;
def CudaTile_FloatTile : CudaTile_TileOf<CudaTile_Floats>;
def CudaTile_NumberTile : CudaTile_TileOf<CudaTile_Numbers>;
def CudaTile_PointerTile : CudaTile_TileOf<[CudaTile_Pointer]>;
def CudaTile_IntScalar : CudaTile_ScalarOf<CudaTile_Integers>;
def CudaTile_BoolScalar : CudaTile_ScalarOf<[CudaTile_I1]>;
def CudaTile_I32Scalar : CudaTile_ScalarOf<[CudaTile_I32]>,
    BuildableType<"::cuda_tile::TileType::get({}, $_builder.getI32Type())">;
def CudaTile_PointerScalar : CudaTile_ScalarOf<[CudaTile_Pointer]>;

def CudaTile_TileView : Type<
    CPred<"::llvm::isa<::cuda_tile::TileView>($_self)">, "TileView instance",
    "::cuda_tile::TileView">;

// What break, continue and yield may carry: numbers and types of the dialect. The
// text ends with a blank.
def CudaTile_Carried : Type<
    CPred<"::cuda_tile::isCarried($_self)">,
    "f16 or bf16 or f32 or tf32 or f64 or f8E4M3FN or f8E5M2 or f8E8M0FNU or "
    "f4E2M1FN or i1 or i8 or i16 or i32 or i64 or ">;

//===----------------------------------------------------------------------===//
// Traits
//===----------------------------------------------------------------------===//

// A condition of the op as a whole, in terms of its own C++ accessors.
class CudaTile_Rule<string what, string condition>
    : PredOpTrait<what, CPred<condition>>;

// `names` have the same type, which is inferred; `more` ends the message.
class CudaTile_TypesMatch<list<string> names, string more>
    : AllTypesMatch<names> {
  let summary = "all of {" # !interleave(names, ", ") # "} have same type; "
                # more;
}

// `names` have the same shape; `more` ends the message.
class CudaTile_ShapesMatch<list<string> names, string more>
    : AllShapesMatch<names> {
  let summary = "all of {" # !interleave(names, ", ") # "} have same shape; "
                # more;
}

// `names` have the same element type.
class CudaTile_ElementTypesMatch<list<string> names>
    : AllElementTypesMatch<names> {
  let summary = "all of {" # !interleave(names, ", ")
                # "} have the same element type";
}

// The layout of the result is not compared.
def CudaTile_ComparisonResult : CudaTile_Rule<
    "Result type has i1 element type and same shape as operands",
    "getResult().getType().getElementType().isInteger(1) && "
    "getResult().getType().getShape() == getLhs().getType().getShape()">;

#endif // CUDA_TILE_IR_TYPES_TD
