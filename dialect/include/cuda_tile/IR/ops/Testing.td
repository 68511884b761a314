//===- Testing.td - Ops for tests of the dialect and its passes -*- tablegen -*-===//

#ifndef CUDA_TILE_IR_OPS_TESTING_TD
#define CUDA_TILE_IR_OPS_TESTING_TD

include "cuda_tile/IR/Types.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/FunctionInterfaces.td"

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

#endif // CUDA_TILE_IR_OPS_TESTING_TD
