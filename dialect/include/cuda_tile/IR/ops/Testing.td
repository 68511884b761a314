//===- Testing.td - Ops of test builds -----------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function of any signature, and ops, a type and an attribute to which a later
// version adds a field of each kind. The versions 250.0 and 250.1, which only test
// builds read and write, test that files of older versions stay readable. They add
// to 13.3; tests of other tools for this dialect use the same names and syntax.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_IR_OPS_TESTING_TD
#define CUDA_TILE_IR_OPS_TESTING_TD

include "cuda_tile/IR/Attrs.td"
include "cuda_tile/IR/Enums.td"
include "cuda_tile/IR/Types.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class CudaTile_TestingOp<string mnemonic, int wire, string version,
                         list<Trait> traits = []>
    : CudaTile_Op<"testing$" # mnemonic, "testing", wire, version, traits>;

def CudaTile_TestingFuncOp : CudaTile_TestingOp<"func", 0x3001, "250.0",
    [FunctionOpInterface, IsolatedFromAbove, AutomaticAllocationScope,
     DeclareOpInterfaceMethods<OpAsmOpInterface, ["getDefaultDialect"]>]> {
  let summary = "A function, for tests";
  let description = [{
    Takes arguments of any type and may return values, so that a test has every
    value at hand. In a file it is a function with a flag of its own.
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs
  );
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() {
      return getFunctionType().getInputs();
    }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() {
      return getFunctionType().getResults();
    }
  }];
}

//===----------------------------------------------------------------------===//
// Additions of a version
//===----------------------------------------------------------------------===//

def CudaTile_BytecodeTestPriority : CudaTile_Enum<
    "BytecodeTestPriority", "priority of a test", [
  I32EnumAttrCase<"LOW", 0, "low">,
  I32EnumAttrCase<"NORMAL", 1, "normal">,
  CudaTile_CaseSince<"250.1", "HIGH", 2, "high">,
]>;
def CudaTile_BytecodeTestPriorityAttr
    : CudaTile_EnumAttr<CudaTile_BytecodeTestPriority, "bytecode_test_priority">;

def CudaTile_BytecodeTestValueAttr
    : CudaTile_Attr<"BytecodeTestValue", "bytecode_test_value"> {
  let summary = "a number; an attribute that 250.1 brings";
  let parameters = (ins "int64_t":$value);
  let assemblyFormat = "`<` $value `>`";
}

def CudaTile_BytecodeTestEvolvedType
    : CudaTile_Type<"BytecodeTestEvolved", "testing$bytecode_test_evolved"> {
  let summary = "a type to which 250.1 adds parameters";
  let description = [{
    `testing$bytecode_test_evolved<i32, f32, zero, f64>`: the element type is as old
    as the type; a type, a padding value and another type are since 250.1. The last
    one needs one of the two in front of it.
  }];
  let parameters = (ins
    "::mlir::Type":$elementType,
    OptionalParameter<"::mlir::Type">:$newType,
    OptionalParameter<"::cuda_tile::PaddingValueAttr">:$padding,
    OptionalParameter<"::mlir::Type">:$type
  );
  let hasCustomAssemblyFormat = 1;
}

def CudaTile_BytecodeTestNewAttributeOp
    : CudaTile_TestingOp<"bytecode_test_new_attribute", 0x3000, "250.0", [Pure]> {
  let summary = "An op to which 250.1 adds attributes";
  let arguments = (ins
    CudaTile_Since<"250.1", UnitAttr>:$new_flag,
    CudaTile_Since<"250.1", DefaultValuedAttr<I32Attr, "42">>:$new_param
  );
  let assemblyFormat = [{
    (`new_flag` $new_flag^)? (`new_param` `=` $new_param^)? attr-dict
  }];
}

def CudaTile_BytecodeTestEvolutionOp
    : CudaTile_TestingOp<"bytecode_test_evolution", 0x3002, "250.0",
                         [Pure, ParamNativeOpTrait<"AtLeastNOperands", "1">,
                          AttrSizedOperandSegments]> {
  let summary = "An op to which 250.1 adds one field of each kind";
  let arguments = (ins
    Variadic<AnyType>:$inputs,
    CudaTile_Since<"250.1", OptionalAttr<I32Attr>>:$new_attr,
    CudaTile_Since<"250.1", Optional<CudaTile_TokenType>>:$optional_token,
    OptionalAttr<CudaTile_BytecodeTestPriorityAttr>:$priority,
    CudaTile_Since<"250.1", OptionalAttr<CudaTile_BytecodeTestValueAttr>>:$test_attr
  );
  let results = (outs CudaTile_Since<"250.1", CudaTile_TokenType>:$result_token);
  let assemblyFormat = [{
    `` `(` $inputs `:` type($inputs) `)` (`new_attr` `=` $new_attr^)?
    (`token` `=` $optional_token^ `:` custom<CudaTileType>(type($optional_token)))?
    (`priority` `=` $priority^)? (`test_attr` `=` $test_attr^)?
    `->` custom<CudaTileType>(type($result_token)) attr-dict
  }];
}

#endif // CUDA_TILE_IR_OPS_TESTING_TD
