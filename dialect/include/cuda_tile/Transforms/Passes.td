//===- Passes.td - Passes on programs in cuda_tile ------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_TRANSFORMS_PASSES_TD
#define CUDA_TILE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

// The function passes accept any op, a function or one that contains functions, so
// that the bare flag works on a whole file.

def FoldConstants : Pass<"fold-constants"> {
  let summary = "Canonicalizes, and computes what is constant";
  let description = [{
    What `canonicalize` does and, beyond it, replaces arithmetic, conversions and
    changes of shape on constants by their exact results, and ops that change nothing,
    such as the addition of zero, by their operands. Results that are undefined or left
    open, such as those of a division by zero, are not folded.
  }];
}

def FuseFMA : Pass<"fuse-fma"> {
  let summary = "Fuses a product and the sum that uses it into an fma";
  let description = [{
    `addf (mulf a, b), c`, in either order, becomes `fma a, b, c`; `subf (mulf a,
    b), c` becomes `fma a, b, (negf c)`; `subf c, (mulf a, b)` becomes `fma (negf
    a), b, c`. Both ops must have the same rounding mode and flush_to_zero, and the
    sum must be the only use of the product. The result is rounded once instead of
    twice, so this is for programs that allow contraction.
  }];
}

def LoopSplit : Pass<"loop-split"> {
  let summary = "Splits loops where a comparison of the induction variable changes";
  let description = [{
    In a `for`, an `if` at any depth that compares the index with a value from outside
    takes one branch up to some iteration and the other one from there on. Such a loop
    becomes two. In each, the `if`s of the body on this comparison give way to their
    branch, and other uses of it see a constant. A branch that ends with `continue`
    ends the body; where one leaves the loop, the loop is not split.

    `split-threshold` is the number of ops that one of the branches must have; one
    with a load, a store, a product, a reduction, an `if` or a `for` always has
    enough. 1 splits for any branch, 0 or less for none. The attribute
    `cuda_tile.loop_split` of the `if`, else of the loop, else of the function
    overrides the option, and so does `loop_split_threshold` of the loop or of an op
    around it.
  }];
  let options = [
    Option<"splitThreshold", "split-threshold", "int", "1",
           "fewest ops of a branch for which to split a loop">,
  ];
}

def SynthesizeDebugInfoScopes
    : Pass<"synthesize-debug-info-scopes", "::cuda_tile::ModuleOp"> {
  let summary = "Derives debug scopes of functions and ops from their locations";
  let description = [{
    A function without a scope gets a di_subprogram of its name, in the file of its
    location, and the locations of its ops are nested in it. Ops from another file get
    a di_lexical_block of that file. Functions that have a scope are not changed.
  }];
}

#endif // CUDA_TILE_TRANSFORMS_PASSES_TD
