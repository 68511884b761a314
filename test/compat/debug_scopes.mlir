// RUN: cuda-tile-opt %s -pass-pipeline='builtin.module(cuda_tile.module(synthesize-debug-info-scopes))' -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

// Scopes that are made from positions. `row` names the row of rows.txt.

// row 7.3.1: line 1, scope line 1, position "<unknown>":1:1, no folder; row 7.3.2: ops have that of the function
// CHECK-LABEL: cuda_tile.module @nowhere
// CHECK: make_token : token loc(#cuda_tile.di_loc<loc("<unknown>":1:1) in #cuda_tile.di_subprogram<file = <"<unknown>" in "">, line = 1, name = "f", linkageName = "f", compileUnit = <file = <"<unknown>" in "">>, scopeLine = 1>>)
// CHECK: } loc(#cuda_tile.di_loc<loc("<unknown>":1:1) in #cuda_tile.di_subprogram<file = <"<unknown>" in "">, line = 1, name = "f", linkageName = "f", compileUnit = <file = <"<unknown>" in "">>, scopeLine = 1>>)
cuda_tile.module @nowhere {
  entry @f() {
    %t = make_token : token loc(unknown)
    return loc(unknown)
  } loc(unknown)
} loc(unknown)

// row 7.3.3, row 7.3.4
// CHECK-LABEL: cuda_tile.module @somewhere
cuda_tile.module @somewhere {
  // CHECK: make_token : token loc(#cuda_tile.di_loc<loc("/a/k.py":5:6) in #cuda_tile.di_subprogram<file = <"k.py" in "/a">, line = 2, name = "g", linkageName = "g", compileUnit = <file = <"m.py" in "/a">>, scopeLine = 2>>)
  // CHECK: make_token : token loc(#cuda_tile.di_loc<loc("/a/k.py":7:8) in #cuda_tile.di_subprogram<file = <"k.py" in "/a">, line = 2, name = "g"
  entry @g() {
    %u = make_token : token loc(callsite(unknown at "/a/k.py":5:6))
    %v = make_token : token loc(callsite("/a/k.py":7:8 at unknown))
    return loc("/a/k.py":4:1)
  } loc("/a/k.py":2:3)
} loc(fused["module"("/a/m.py":1:1)])
