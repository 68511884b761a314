//===- Testing.td - Ops of test builds -----------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function of any signature, and one op, type and attribute of each kind that a
// bytecode version can add. The versions 250.0 and 250.1, which only test builds
// read and write, test that files of older versions stay readable.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_IR_OPS_TESTING_TD
#define CUDA_TILE_IR_OPS_TESTING_TD

include "cuda_tile/IR/Attrs.td"
include "cuda_tile/IR/Types.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def CudaTile_TestingFuncOp : Op<CudaTile_Dialect, "testing$func",
    [FunctionOpInterface, IsolatedFromAbove, AutomaticAllocationScope,
     DeclareOpInterfaceMethods<OpAsmOpInterface, ["getDefaultDialect"]>]> {
  let summary = "A function, for tests";
  let description = [{
    Takes arguments of any type and may return values, so that a test has every
    value at hand. No bytecode has it.
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs
  );
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() {
      return isExternal() ? nullptr : &getBody();
    }
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

def CudaTile_BytecodeTestType : CudaTile_Type<"BytecodeTest", "bytecode_test"> {
  let summary = "nothing; a type that 250.1 brings";
  let hasCustomAssemblyFormat = 1;
}

def CudaTile_BytecodeTestValueAttr
    : CudaTile_Attr<"BytecodeTestValue", "bytecode_test_value"> {
  let summary = "a number; an attribute that 250.0 brings";
  let parameters = (ins "uint64_t":$value);
  let assemblyFormat = "`<` $value `>`";
}

class CudaTile_TestingOp<string mnemonic, int wire, string version,
                         list<Trait> traits = []>
    : CudaTile_Op<"testing$" # mnemonic, "testing", wire, version,
                  !listconcat([Pure], traits)>;

def CudaTile_BytecodeTestEvolutionOp
    : CudaTile_TestingOp<"bytecode_test_evolution", 0x3E80, "250.0",
                         [AttrSizedOperandSegments]> {
  let summary = "An op to which 250.1 adds one field of each kind";
  let arguments = (ins
    Variadic<CudaTile_Tile>:$inputs,
    CudaTile_Since<"250.1", DefaultValuedAttr<I64Attr, "42">>:$number,
    CudaTile_Since<"250.1", OptionalAttr<StrAttr>>:$note,
    CudaTile_Since<"250.1", UnitAttr>:$flag,
    CudaTile_Since<"250.1", Optional<CudaTile_TokenType>>:$token
  );
  let results = (outs
    CudaTile_Tile:$result,
    CudaTile_Since<"250.1", CudaTile_TokenType>:$result_token
  );
  let assemblyFormat = [{
    ($inputs^)? (`token` `=` $token^)? attr-dict
      (`:` custom<CudaTileTypes>(type($inputs))^)? `->`
      custom<CudaTileType>(type($result)) `,`
      custom<CudaTileType>(type($result_token))
  }];
}

def CudaTile_BytecodeTestNewOp
    : CudaTile_TestingOp<"bytecode_test_new_op", 0x3E81, "250.1"> {
  let summary = "An op that 250.1 brings";
  let results = (outs CudaTile_Tile:$result);
  let assemblyFormat = "attr-dict `:` custom<CudaTileType>(type($result))";
}

def CudaTile_BytecodeTestAttributeOp
    : CudaTile_TestingOp<"bytecode_test_attribute", 0x3E82, "250.0"> {
  let summary = "An op with a value that other attributes do not hold";
  let arguments = (ins CudaTile_BytecodeTestValueAttr:$value);
  let results = (outs CudaTile_Tile:$result);
  let assemblyFormat = [{
    $value attr-dict `:` custom<CudaTileType>(type($result))
  }];
}

def CudaTile_BytecodeTestTypeOp
    : CudaTile_TestingOp<"bytecode_test_type", 0x3E83, "250.0"> {
  let summary = "An op whose result may have a type that 250.1 brings";
  let results = (outs AnyType:$result);
  let assemblyFormat = "attr-dict `:` custom<CudaTileType>(type($result))";
}

#endif // CUDA_TILE_IR_OPS_TESTING_TD
