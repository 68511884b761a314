// RUN: cuda-tile-opt %s -pass-pipeline='builtin.module(cuda_tile.module(synthesize-debug-info-scopes))' -mlir-print-debuginfo | FileCheck %s

cuda_tile.module @m {
  // CHECK: entry @f
  entry @f() {
    // CHECK-NEXT: iota : tile<8xi32> loc(#[[SAME_FILE:.*]])
    %0 = iota : tile<8xi32> loc("/home/ada/k.py":3:4)
    // CHECK-NEXT: iota : tile<8xi32> loc(#[[OTHER_FILE:.*]])
    %1 = iota : tile<8xi32> loc("/home/ada/library.py":5:6)
    // CHECK-NEXT: iota : tile<8xi32> loc(#[[CALL:.*]])
    %2 = iota : tile<8xi32> loc(callsite("/home/ada/library.py":7:8 at "/home/ada/k.py":9:10))
    // CHECK-NEXT: iota : tile<8xi32> loc(#[[UNKNOWN:.*]])
    %3 = iota : tile<8xi32> loc(unknown)
    return loc("/home/ada/k.py":11:1)
  // CHECK: } loc(#[[F:.*]])
  } loc("/home/ada/k.py":2:1)

  // CHECK: entry @nowhere
  entry @nowhere() {
    return loc(unknown)
  // CHECK: } loc(#[[NOWHERE:.*]])
  } loc(unknown)
} loc("/home/ada/k.py":1:1)

// CHECK-DAG: #[[FILE:.*]] = #cuda_tile.di_file<"k.py" in "/home/ada">
// CHECK-DAG: #[[LIBRARY:.*]] = #cuda_tile.di_file<"library.py" in "/home/ada">
// CHECK-DAG: #[[UNIT:.*]] = #cuda_tile.di_compile_unit<file = #[[FILE]]>
// CHECK-DAG: #[[SCOPE:.*]] = #cuda_tile.di_subprogram<file = #[[FILE]], line = 2, name = "f", linkageName = "f", compileUnit = #[[UNIT]], scopeLine = 2>
// CHECK-DAG: #[[BLOCK:.*]] = #cuda_tile.di_lexical_block<scope = #[[SCOPE]], file = #[[LIBRARY]], line = 5, column = 6>
// CHECK-DAG: #[[F]] = #cuda_tile.di_loc<{{.*}} in #[[SCOPE]]>
// CHECK-DAG: #[[SAME_FILE]] = #cuda_tile.di_loc<{{.*}} in #[[SCOPE]]>
// CHECK-DAG: #[[OTHER_FILE]] = #cuda_tile.di_loc<{{.*}} in #[[BLOCK]]>
// CHECK-DAG: #[[CALL]] = loc(callsite(#{{.*}} at #{{.*}}))
// CHECK-DAG: di_subprogram<{{.*}}name = "nowhere"
