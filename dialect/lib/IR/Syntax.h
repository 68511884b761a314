//===- Syntax.h - Custom directives of op formats ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every `custom<X>` of the .td files is a pair parseX, printX. Directives of
// one family are defined in the family's file, but declared here, because the
// generated parsers of all ops are in one file.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_LIB_IR_SYNTAX_H
#define CUDA_TILE_LIB_IR_SYNTAX_H

#include "cuda_tile/IR/CudaTile.h"

namespace cuda_tile {

//===----------------------------------------------------------------------===//
// Types, with or without `!cuda_tile.`
//===----------------------------------------------------------------------===//

/// Parses `tile<..>`, `token`, ... or any type in its full spelling.
mlir::ParseResult parseCudaTileType(mlir::AsmParser &parser, mlir::Type &type);
/// The same behind `!cuda_tile.`, where the message about a type that is not
/// there is another.
mlir::ParseResult parseDialectType(mlir::AsmParser &parser, mlir::Type &type);
/// Prints types of this dialect without `!cuda_tile.`, others in full.
void printCudaTileType(mlir::AsmPrinter &printer, mlir::Type type);

template <typename T>
mlir::ParseResult parseCudaTileType(mlir::AsmParser &parser, T &type) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  mlir::Type any;
  if (parseCudaTileType(parser, any))
    return mlir::failure();
  type = llvm::dyn_cast<T>(any);
  if (!type)
    return parser.emitError(loc, "invalid kind of type specified: got ") << any;
  return mlir::success();
}
inline void printCudaTileType(mlir::OpAsmPrinter &printer, mlir::Operation *,
                              mlir::Type type) {
  printCudaTileType(printer, type);
}

mlir::ParseResult parseCudaTileTypes(mlir::AsmParser &parser,
                                     llvm::SmallVectorImpl<mlir::Type> &types);
void printCudaTileTypes(mlir::AsmPrinter &printer, mlir::TypeRange types);
inline void printCudaTileTypes(mlir::OpAsmPrinter &printer, mlir::Operation *,
                               mlir::TypeRange types) {
  printCudaTileTypes(printer, types);
}

/// `(8x4)` without the parentheses, `?` for dynamic extents.
void printShape(llvm::raw_ostream &os, llvm::ArrayRef<int64_t> shape);
/// `8, 4`, as most messages show shapes.
std::string extentsText(llvm::ArrayRef<int64_t> shape);
/// `[8, 4]`, as messages show shapes of views and of literals.
std::string shapeText(llvm::ArrayRef<int64_t> shape);
std::string shapeText(llvm::ArrayRef<int32_t> shape);

//===----------------------------------------------------------------------===//
// Attributes of ops with regions
//===----------------------------------------------------------------------===//

// They stand behind the last region, and are read in front of the first one
// too. What our passes note (`tileas.plan`) is printed in front, where one
// looks for it.
mlir::ParseResult parseFrontAttributes(mlir::OpAsmParser &parser,
                                       mlir::OperationState &result);
mlir::ParseResult parseBackAttributes(mlir::OpAsmParser &parser,
                                      mlir::OperationState &result);
void printFrontAttributes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                          llvm::ArrayRef<llvm::StringRef> elided = {});
void printBackAttributes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                         llvm::ArrayRef<llvm::StringRef> elided = {});

//===----------------------------------------------------------------------===//
// Keywords
//===----------------------------------------------------------------------===//

/// Whether a bare word stands here; otherwise that is an error, which another
/// one about the place should follow.
bool parseAnyKeyword(mlir::AsmParser &parser, llvm::StringRef &keyword);

mlir::ParseResult parseSignedness(mlir::OpAsmParser &parser,
                                  SignednessAttr &attr);
void printSignedness(mlir::OpAsmPrinter &printer, mlir::Operation *,
                     SignednessAttr attr);

mlir::ParseResult parseComparisonPredicate(mlir::OpAsmParser &parser,
                                           ComparisonPredicateAttr &attr);
void printComparisonPredicate(mlir::OpAsmPrinter &printer, mlir::Operation *,
                              ComparisonPredicateAttr attr);

mlir::ParseResult parseComparisonOrdering(mlir::OpAsmParser &parser,
                                          ComparisonOrderingAttr &attr);
void printComparisonOrdering(mlir::OpAsmPrinter &printer, mlir::Operation *,
                             ComparisonOrderingAttr attr);

/// `optimization_hints = <...>`, or nothing.
mlir::ParseResult parseOptionalHints(mlir::OpAsmParser &parser,
                                     OptimizationHintsAttr &hints);

// `rounding<m>`. The default mode of each kind of op is not printed.
#define CUDA_TILE_ROUNDING(NAME)                                               \
  mlir::ParseResult parse##NAME(mlir::OpAsmParser &parser,                     \
                                RoundingModeAttr &attr);                       \
  void print##NAME(mlir::OpAsmPrinter &printer, mlir::Operation *,             \
                   RoundingModeAttr attr);
CUDA_TILE_ROUNDING(IEEERounding)
CUDA_TILE_ROUNDING(FToFRounding)
CUDA_TILE_ROUNDING(DivFRounding)
CUDA_TILE_ROUNDING(DivIRounding)
CUDA_TILE_ROUNDING(ApproxRounding)
CUDA_TILE_ROUNDING(FToIRounding)
CUDA_TILE_ROUNDING(SqrtRounding)
#undef CUDA_TILE_ROUNDING

/// `weak` or `acquire device`, of an access through pointers.
mlir::ParseResult parseMemoryModel(mlir::OpAsmParser &parser,
                                   MemoryOrderingSemanticsAttr &ordering,
                                   MemoryScopeAttr &scope);
void printMemoryModel(mlir::OpAsmPrinter &printer, mlir::Operation *,
                      MemoryOrderingSemanticsAttr ordering,
                      MemoryScopeAttr scope);

/// Ordering and scope of an atomic access, both mandatory: `acquire device`.
mlir::ParseResult parseAtomicModel(mlir::OpAsmParser &parser,
                                   MemoryOrderingSemanticsAttr &ordering,
                                   MemoryScopeAttr &scope);
void printAtomicModel(mlir::OpAsmPrinter &printer, mlir::Operation *,
                      MemoryOrderingSemanticsAttr ordering,
                      MemoryScopeAttr scope);

//===----------------------------------------------------------------------===//
// One family each
//===----------------------------------------------------------------------===//

// Atomic: `add`.
mlir::ParseResult parseAtomicMode(mlir::OpAsmParser &parser,
                                  AtomicRMWModeAttr &mode);
void printAtomicMode(mlir::OpAsmPrinter &printer, mlir::Operation *,
                     AtomicRMWModeAttr mode);

// Shape: `<f32: [1.0, 2.0]> : tile<2xf32>`.
mlir::ParseResult parseDenseTile(mlir::OpAsmParser &parser,
                                 mlir::DenseIntOrFPElementsAttr &value,
                                 mlir::Type &type);
void printDenseTile(mlir::OpAsmPrinter &printer, mlir::Operation *,
                    mlir::DenseIntOrFPElementsAttr value, mlir::Type type);

// Reduce: `(%x: tile<f32>, %y: tile<f32>) { ... }` on a line of its own.
mlir::ParseResult parseArgumentRegion(mlir::OpAsmParser &parser,
                                      mlir::Region &region);
void printArgumentRegion(mlir::OpAsmPrinter &printer, mlir::Operation *,
                         mlir::Region &region);

// Structure: `(%a: tile<f32> {...}, ...)` or, of a declaration, without names.
mlir::ParseResult parseFunctionArguments(
    mlir::OpAsmParser &parser,
    llvm::SmallVectorImpl<mlir::OpAsmParser::Argument> &arguments);
/// `-> (tile<f32>)`, or nothing.
mlir::ParseResult
parseFunctionResults(mlir::OpAsmParser &parser,
                     llvm::SmallVectorImpl<mlir::Type> &results);
/// Name, arguments and results.
void printFunctionSignature(mlir::OpAsmPrinter &printer,
                            mlir::FunctionOpInterface function);

// View: the type of a view contains that of its tensor_view.
#define CUDA_TILE_VIEW(NAME)                                                   \
  mlir::ParseResult parse##NAME(mlir::OpAsmParser &parser, mlir::Type &view,   \
                                mlir::Type &tensorView);                       \
  void print##NAME(mlir::OpAsmPrinter &printer, mlir::Operation *,             \
                   mlir::Type view, mlir::Type tensorView);
CUDA_TILE_VIEW(PartitionView)
CUDA_TILE_VIEW(StridedView)
CUDA_TILE_VIEW(GatherScatterView)
#undef CUDA_TILE_VIEW

// Hint: `div_by<16>`.
mlir::ParseResult parseAssumePredicate(mlir::OpAsmParser &parser,
                                       AssumePredicateAttrInterface &predicate);
void printAssumePredicate(mlir::OpAsmPrinter &printer, mlir::Operation *,
                          AssumePredicateAttrInterface predicate);

} // namespace cuda_tile

#endif // CUDA_TILE_LIB_IR_SYNTAX_H
