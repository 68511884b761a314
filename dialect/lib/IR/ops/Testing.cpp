//===- Testing.cpp - Ops of test builds -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/Syntax.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace cuda_tile;

StringRef TestingFuncOp::getDefaultDialect() { return "cuda_tile"; }

/// The body; a `return` at its end may be omitted.
static ParseResult parseBody(OpAsmParser &parser, OperationState &result,
                             ArrayRef<OpAsmParser::Argument> arguments) {
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  if (body->empty())
    body->emplaceBlock();
  Block &last = body->back();
  if (last.empty() || !last.back().mightHaveTrait<OpTrait::IsTerminator>()) {
    OpBuilder builder(parser.getContext());
    builder.setInsertionPointToEnd(&last);
    ReturnOp::create(builder, result.location);
  }
  return success();
}

ParseResult TestingFuncOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  Properties &properties = result.getOrAddProperties<Properties>();
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> results;
  (void)impl::parseOptionalVisibilityKeyword(parser, result.attributes);
  if (parser.parseSymbolName(name) ||
      parseFunctionArguments(parser, arguments) ||
      parseFunctionResults(parser, results) ||
      parseFrontAttributes(parser, result))
    return failure();
  properties.sym_name = name;
  auto types = llvm::map_to_vector(
      arguments, [](OpAsmParser::Argument &argument) { return argument.type; });
  properties.function_type =
      TypeAttr::get(builder.getFunctionType(types, results));
  call_interface_impl::addArgAndResultAttrs(
      builder, result, arguments, /*resultAttrs=*/{},
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
  // Without names the body has no arguments, which the verifier refuses.
  if (!arguments.empty() && arguments.front().ssaName.name.empty())
    arguments.clear();
  return failure(parseBody(parser, result, arguments) ||
                 parseBackAttributes(parser, result));
}

void TestingFuncOp::print(OpAsmPrinter &printer) {
  StringRef visibility = SymbolTable::getVisibilityAttrName();
  if (auto keyword = (*this)->getAttrOfType<StringAttr>(visibility))
    printer << " " << keyword.getValue();
  printFunctionSignature(printer, *this);
  StringRef elided[] = {getSymNameAttrName(), getFunctionTypeAttrName(),
                        getArgAttrsAttrName(), getResAttrsAttrName(),
                        visibility};
  printFrontAttributes(printer, *this, elided);
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  printBackAttributes(printer, *this, elided);
}

LogicalResult TestingFuncOp::verifyRegions() {
  return verifyFunctionScopes(*this);
}

//===----------------------------------------------------------------------===//
// bytecode_test_evolved
//===----------------------------------------------------------------------===//

/// `zero`, if a padding value is here.
static PaddingValueAttr parseOptionalPadding(AsmParser &parser) {
  StringRef word;
  static const SmallVector<StringRef> words = [] {
    SmallVector<StringRef> names;
    for (uint32_t value = 0; value <= getMaxEnumValForPaddingValue(); ++value)
      names.push_back(stringifyPaddingValue(static_cast<PaddingValue>(value)));
    return names;
  }();
  if (failed(parser.parseOptionalKeyword(&word, words)))
    return {};
  return PaddingValueAttr::get(parser.getContext(),
                               *symbolizePaddingValue(word));
}

/// `<i32, f32, zero, f64>`; the last three may be absent.
Type BytecodeTestEvolvedType::parse(AsmParser &parser) {
  Type element, newType, type;
  PaddingValueAttr padding;
  if (parser.parseLess() || parseCudaTileType(parser, element))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    bool hasPadding = static_cast<bool>(padding);
    if (!hasPadding && (padding = parseOptionalPadding(parser)))
      continue;
    Type &next = newType || hasPadding ? type : newType;
    if (next)
      return (void)parser.parseGreater(), Type();
    if (parseCudaTileType(parser, next))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), element, newType, padding, type);
}

void BytecodeTestEvolvedType::print(AsmPrinter &printer) const {
  printer << "<";
  printCudaTileType(printer, getElementType());
  if (getNewType())
    printCudaTileType(printer << ", ", getNewType());
  if (getPadding())
    printer << ", " << stringifyPaddingValue(getPadding().getValue());
  if (getType())
    printCudaTileType(printer << ", ", getType());
  printer << ">";
}
