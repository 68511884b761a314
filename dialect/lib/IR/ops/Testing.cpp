//===- Testing.cpp - Ops of test builds -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/Syntax.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace cuda_tile;

StringRef TestingFuncOp::getDefaultDialect() { return "cuda_tile"; }

/// The body, if there is one; a `return` without values may be omitted.
static ParseResult parseBody(OpAsmParser &parser, OperationState &result,
                             ArrayRef<OpAsmParser::Argument> arguments,
                             bool returnsNothing) {
  Region *body = result.addRegion();
  OptionalParseResult found = parser.parseOptionalRegion(*body, arguments);
  if (!found.has_value())
    return success();
  if (failed(*found))
    return failure();
  if (body->empty())
    body->emplaceBlock();
  Block &last = body->back();
  bool isOpen =
      last.empty() || !last.back().mightHaveTrait<OpTrait::IsTerminator>();
  if (returnsNothing && isOpen) {
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
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  properties.sym_name = name;
  auto types = llvm::map_to_vector(
      arguments, [](OpAsmParser::Argument &argument) { return argument.type; });
  properties.function_type =
      TypeAttr::get(builder.getFunctionType(types, results));
  call_interface_impl::addArgAndResultAttrs(
      builder, result, arguments, /*resultAttrs=*/{},
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
  return parseBody(parser, result, arguments, results.empty());
}

void TestingFuncOp::print(OpAsmPrinter &printer) {
  StringRef visibility = SymbolTable::getVisibilityAttrName();
  if (auto keyword = (*this)->getAttrOfType<StringAttr>(visibility))
    printer << " " << keyword.getValue();
  printFunctionSignature(printer, *this);
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getSymNameAttrName(), getFunctionTypeAttrName(), getArgAttrsAttrName(),
       getResAttrsAttrName(), visibility});
  if (isExternal())
    return;
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult TestingFuncOp::verifyRegions() {
  return verifyFunctionScopes(*this);
}

//===----------------------------------------------------------------------===//
// bytecode_test
//===----------------------------------------------------------------------===//

Type BytecodeTestType::parse(AsmParser &parser) {
  return get(parser.getContext());
}

void BytecodeTestType::print(AsmPrinter &) const {}
