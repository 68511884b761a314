//===- Passes.td - Passes on programs in cuda_tile ------------*- tablegen -*-===//

#ifndef CUDA_TILE_TRANSFORMS_PASSES_TD
#define CUDA_TILE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

// Passes on functions take any op: a function, or what holds functions, so that the
// bare flag does what it says on a whole file.

def FuseFMA : Pass<"fuse-fma"> {
  let summary = "Makes one fma of a product and the sum that it goes into";
  let description = [{
    `addf (mulf a, b), c`, in either order, becomes `fma a, b, c`; `subf (mulf a,
    b), c` becomes `fma a, b, (negf c)`; `subf c, (mulf a, b)` becomes `fma (negf
    a), b, c`. Both ops have the same rounding mode and flush_to_zero, and the sum
    is the product's only use. The result is rounded once in place of twice, so
    this is for programs that allow it.
  }];
}

def LoopSplit : Pass<"loop-split"> {
  let summary = "Splits loops where a comparison of their index changes";
  let description = [{
    In a `for`, an `if` that compares the loop's index with a value from outside
    takes one branch up to some trip and the other one from there on. Such a loop
    becomes two, each with one branch in place of the `if`.

    The loop is split if the branches hold at least `split-threshold` ops; 0 and
    less: never. The attribute `loop_split_threshold` of a loop or of an op around
    it (the nearest counts) says so in place of the option.
  }];
  let options = [
    Option<"splitThreshold", "split-threshold", "int", "1",
           "fewest ops in the branches of an if for which to split a loop">,
  ];
}

def SynthesizeDebugInfoScopes
    : Pass<"synthesize-debug-info-scopes", "::cuda_tile::ModuleOp"> {
  let summary = "Gives functions and their ops scopes made of their locations";
  let description = [{
    A function without scope gets a di_subprogram of its name, in the file of its
    location, and its ops locations within it. Ops from another file lie in a
    di_lexical_block of that file. Functions that have a scope stay as they are.
  }];
}

#endif // CUDA_TILE_TRANSFORMS_PASSES_TD
