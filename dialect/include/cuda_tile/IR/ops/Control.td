//===- Control.td - Loops and how regions end -*- tablegen -*-===//

#ifndef CUDA_TILE_IR_OPS_CONTROL_TD
#define CUDA_TILE_IR_OPS_CONTROL_TD

include "cuda_tile/IR/Attrs.td"
include "cuda_tile/IR/Enums.td"
include "cuda_tile/IR/Types.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

class CudaTile_ControlOp<string mnemonic, int wire, list<Trait> traits = []>
    : CudaTile_Op<mnemonic, "control", wire, "13.1", traits>;

class CudaTile_TerminatorOp<string mnemonic, int wire, list<Trait> traits>
    : CudaTile_ControlOp<mnemonic, wire, !listconcat([Terminator], traits)> {
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = [{
    ($operands^)? attr-dict (`:` custom<CudaTileTypes>(type($operands))^)?
  }];
}

def CudaTile_ContinueOp : CudaTile_TerminatorOp<"continue", 0x11,
    [ParentOneOf<["ForOp"]>]> {
  let summary = "Ends a run of the loop body";
  let description = [{
    (C1) The operands have the types of the loop's values.
  }];
  let examples = [[{
    %last = for %i in (%n to %n, step %n) : tile<i32> iter_values(%x = %n) -> (tile<i32>) {
      continue %i : tile<i32>
    }
  }]];
  let builders = [OpBuilder<(ins), "// no values">];
  let hasVerifier = 1; // C1
}

def CudaTile_ForOp : CudaTile_ControlOp<"for", 0x29,
    [AutomaticAllocationScope,
     CudaTile_TypesMatch<["lowerBound", "upperBound", "step"],
       "for induction, lower, upper, and step must share an integer type">,
     CudaTile_Rule<
       "all of {initValues, resultValues} have same type; for result types "
       "must match region iter-arg types",
       "getInitValues().getTypes() == getResultValues().getTypes()">,
     RecursiveMemoryEffects, SingleBlock,
     SingleBlockImplicitTerminator<"ContinueOp">,
     DeclareOpInterfaceMethods<OpAsmOpInterface,
       ["getDefaultDialect", "getAsmResultNames",
        "getAsmBlockArgumentNames"]>]> {
  let summary = "Runs the body for lower, lower + step, ... below upper";
  let description = [{
    The bounds and the step are compared as signed integers unless `unsigned`
    is given. The step is positive.
    (C1) The body's first argument has the type of the bounds.
    (C2) Then come as many values as `initValues`, of their types, which are
         those of the results; views are not carried.
  }];
  let examples = [[{
    %sum = for unsigned %i in (%n to %n, step %n) : tile<i32> iter_values(%acc = %n) -> (tile<i32>) {
      %next = addi %acc, %i : tile<i32>
      continue %next : tile<i32>
    }
  }]];
  let arguments = (ins
    CudaTile_IntScalar:$lowerBound,
    CudaTile_IntScalar:$upperBound,
    CudaTile_IntScalar:$step,
    Variadic<AnyType>:$initValues,
    CudaTile_Since<"13.2", UnitAttr>:$unsignedCmp
  );
  let results = (outs Variadic<AnyType>:$resultValues);
  let regions = (region SizedRegion<1>:$region);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;       // C2
  let hasRegionVerifier = 1; // C1, C2
  let extraClassDeclaration = [{
    ::mlir::BlockArgument getInductionVar() {
      return getRegion().getArgument(0);
    }
    ::mlir::Block::BlockArgListType getIterValues() {
      return getRegion().getArguments().drop_front();
    }
  }];
}

def CudaTile_ReturnOp : CudaTile_TerminatorOp<"return", 0x5C,
    [ParentOneOf<["EntryOp"]>]> {
  let summary = "Ends the kernel";
  let description = "(C1) An entry returns nothing.";
  let examples = ["entry @nothing() {\n  return\n}"];
  let builders = [OpBuilder<(ins), "// no values">];
  let hasVerifier = 1; // C1
}

def CudaTile_YieldOp : CudaTile_TerminatorOp<"yield", 0x6D,
    [Pure, ParentOneOf<["ReduceOp"]>]> {
  let summary = "Ends a region with its values";
  let examples = [[{
    %a = constant <f32: 1.0> : tile<8xf32>
    %max = reduce %a dim=0 identities=[0xFF800000 : f32] : tile<8xf32> -> tile<f32>
    (%x: tile<f32>, %y: tile<f32>) {
      %m = maxf %x, %y : tile<f32>
      yield %m : tile<f32>
    }
  }]];
  let builders = [OpBuilder<(ins), "// no values">];
}

#endif // CUDA_TILE_IR_OPS_CONTROL_TD
