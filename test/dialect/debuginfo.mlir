// RUN: cuda-tile-opt %s -mlir-print-debuginfo | cuda-tile-opt -mlir-print-debuginfo | FileCheck %s

#file = #cuda_tile.di_file<"kernel.py" in "/home/ada">
#unit = #cuda_tile.di_compile_unit<file = #file>
#function = #cuda_tile.di_subprogram<file = #file, line = 1, name = "f", linkageName = "f", compileUnit = #unit, scopeLine = 2>
#block = #cuda_tile.di_lexical_block<scope = #function, file = #file, line = 3, column = 4>
#other = #cuda_tile.di_subprogram<file = #file, line = 1, name = "g", linkageName = "g", compileUnit = #unit, scopeLine = 2>

cuda_tile.module @m {
  // CHECK: entry @f
  entry @f() {
    // CHECK: iota : tile<8xi32> loc(#[[IN_BLOCK:.*]])
    %i = iota : tile<8xi32> loc(#cuda_tile.di_loc<loc("kernel.py":5:6) in #block>)
    // Inlined code belongs to the function that it was inlined into.
    %j = iota : tile<8xi32> loc(callsite(#cuda_tile.di_loc<loc("other.py":5:6) in #other> at #cuda_tile.di_loc<loc("kernel.py":7:8) in #function>))
    return
  // CHECK: } loc(#[[IN_FUNCTION:.*]])
  } loc(#cuda_tile.di_loc<loc("kernel.py":1:1) in #function>)
}
// CHECK-DAG: #[[FILE:.*]] = #cuda_tile.di_file<"kernel.py" in "/home/ada">
// CHECK-DAG: #[[UNIT:.*]] = #cuda_tile.di_compile_unit<file = #[[FILE]]>
// CHECK-DAG: #[[FUNCTION:.*]] = #cuda_tile.di_subprogram<file = #[[FILE]], line = 1, name = "f", linkageName = "f", compileUnit = #[[UNIT]], scopeLine = 2>
// CHECK-DAG: #[[BLOCK:.*]] = #cuda_tile.di_lexical_block<scope = #[[FUNCTION]], file = #[[FILE]], line = 3, column = 4>
// CHECK-DAG: #[[IN_BLOCK]] = #cuda_tile.di_loc<{{.*}} in #[[BLOCK]]>
// CHECK-DAG: #[[IN_FUNCTION]] = #cuda_tile.di_loc<{{.*}} in #[[FUNCTION]]>
