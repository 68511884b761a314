//===- Control.td - Control flow -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_IR_OPS_CONTROL_TD
#define CUDA_TILE_IR_OPS_CONTROL_TD

include "cuda_tile/IR/Attrs.td"
include "cuda_tile/IR/Enums.td"
include "cuda_tile/IR/Types.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

class CudaTile_ControlOp<string mnemonic, int wire, list<Trait> traits = []>
    : CudaTile_Op<mnemonic, "control", wire, "13.1", traits>;

class CudaTile_TerminatorOp<string mnemonic, int wire, list<Trait> traits,
                            Type operand = CudaTile_Carried>
    : CudaTile_ControlOp<mnemonic, wire, !listconcat([Terminator], traits)> {
  let arguments = (ins Variadic<operand>:$operands);
  let assemblyFormat = [{
    ($operands^)? attr-dict (`:` custom<CudaTileTypes>(type($operands))^)?
  }];
}

def CudaTile_BreakOp : CudaTile_TerminatorOp<"break", 0xA,
    [ParentOneOf<["IfOp", "LoopOp"]>]> {
  let summary = "Exits the innermost loop";
  let description = [{
    The operands become the results of the enclosing `loop`.
    (C1) All ops between this one and the enclosing `loop` are `if`s.
    (C2) The operands have the result types of the loop.
  }];
  let examples = [[{
    %r = loop -> tile<i32> {
      break %n : tile<i32>
    }
  }]];
  let builders = [OpBuilder<(ins), "// no values">];
  let hasVerifier = 1; // C1, C2
}

def CudaTile_ContinueOp : CudaTile_TerminatorOp<"continue", 0x11,
    [ParentOneOf<["ForOp", "IfOp", "LoopOp"]>]> {
  let summary = "Ends an iteration of the innermost loop";
  let description = [{
    The operands become the loop-carried values of the next iteration or, after the
    last iteration of a `for`, its results.
    (C1) All ops between this one and the enclosing `for` or `loop` are `if`s.
    (C2) The operands have the types of the loop-carried values.
  }];
  let examples = [[{
    %last = for %i in (%n to %n, step %n) : tile<i32> iter_values(%x = %n) -> (tile<i32>) {
      continue %i : tile<i32>
    }
  }]];
  let builders = [OpBuilder<(ins), "// no values">];
  let hasVerifier = 1; // C1, C2
}

def CudaTile_ForOp : CudaTile_ControlOp<"for", 0x29,
    [AutomaticAllocationScope, CudaTile_Loops, CudaTile_Counted,
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
  let summary = "Counted loop: lower, lower + step, ... below upper";
  let description = [{
    Runs the body once for each value of the induction variable. The bounds and the
    step are compared as signed integers unless `unsigned` is given. The step is
    positive. The results are the loop-carried values after the last iteration; if
    there is no iteration, they are the initial values.
    (C1) The first block argument is the induction variable; it has the type of the
         bounds.
    (C2) The other block arguments are the loop-carried values. They correspond in
         number and type to `initValues` and to the results; none is a view.
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

def CudaTile_IfOp : CudaTile_ControlOp<"if", 0x32,
    [NoRegionArguments, RecursiveMemoryEffects, SingleBlock,
     SingleBlockImplicitTerminator<"BranchEnd">,
     DeclareOpInterfaceMethods<OpAsmOpInterface, ["getDefaultDialect"]>]> {
  let summary = "Runs one of two regions, depending on a condition";
  let description = [{
    A branch ends with `yield`, whose operands become the results, or it leaves the
    enclosing loop or kernel with `break`, `continue` or `return`.
    (C1) The first branch is present; the second one is too if there are results.
    (C2) The yielded values have the types of the results.
    (C3) No result is a view.
  }];
  let examples = [[{
    %c = constant <i1: true> : tile<i1>
    %r = if %c -> (tile<i32>) {
      yield %n : tile<i32>
    } else {
      %m = negi %n : tile<i32>
      yield %m : tile<i32>
    }
    if %c {
      return
    }
  }]];
  let arguments = (ins CudaTile_BoolScalar:$condition);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region MaxSizedRegion<1>:$thenRegion,
                        MaxSizedRegion<1>:$elseRegion);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;       // C1
  let hasRegionVerifier = 1; // C2, C3
}

def CudaTile_LoopOp : CudaTile_ControlOp<"loop", 0x41,
    [AutomaticAllocationScope, CudaTile_Loops, RecursiveMemoryEffects,
     SingleBlock,
     SingleBlockImplicitTerminator<"LoopEnd">,
     DeclareOpInterfaceMethods<OpAsmOpInterface, ["getDefaultDialect"]>]> {
  let summary = "Loop without a condition, ended by `break`";
  let description = [{
    `continue` starts the next iteration, with its operands as the loop-carried
    values; `break` ends the loop, with its operands as the results.
    (C1) The block arguments correspond in number and type to `initValues`.
    (C2) No loop-carried value and no result is a view.
  }];
  let examples = [[{
    %r = loop iter_values(%i = %n) : tile<i32> -> tile<i32> {
      %c = cmpi greater_than %i, %n, signed : tile<i32> -> tile<i1>
      if %c {
        break %i : tile<i32>
      }
      %next = addi %i, %n : tile<i32>
      continue %next : tile<i32>
    }
    loop {
      break
    }
  }]];
  let arguments = (ins Variadic<AnyType>:$initValues);
  let results = (outs Variadic<AnyType>:$resultValues);
  let regions = (region SizedRegion<1>:$region);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;       // C2
  let hasRegionVerifier = 1; // C1
  let extraClassDeclaration = [{
    ::mlir::Block::BlockArgListType getIterValues() {
      return getRegion().getArguments();
    }
  }];
}

#ifdef CUDA_TILE_TESTING
defvar returnParents = ["EntryOp", "IfOp", "TestingFuncOp"];
#else
defvar returnParents = ["EntryOp", "IfOp"];
#endif // CUDA_TILE_TESTING

def CudaTile_ReturnOp : CudaTile_TerminatorOp<"return", 0x5C,
    [CudaTile_EndsThreads, ParentOneOf<returnParents>], AnyType> {
  let summary = "Ends the kernel";
  let description = [{
    (C1) All ops between this one and the enclosing function are `if`s.
    (C2) The operands have the result types of the function; an entry has none.
  }];
  let examples = ["entry @nothing() {\n  return\n}"];
  let builders = [OpBuilder<(ins), "// no values">];
  let hasVerifier = 1; // C1, C2
}

def CudaTile_YieldOp : CudaTile_TerminatorOp<"yield", 0x6D,
    [Pure, CudaTile_KeepsZeroSigns,
     ParentOneOf<["IfOp", "ReduceOp", "ScanOp"]>]> {
  let summary = "Ends a region and gives its values";
  let description = [{
    In a branch of `if`, the operands become the results of the `if`; in the body of
    `reduce` and `scan`, they are the combined values. May be omitted if there are
    no values.
  }];
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
