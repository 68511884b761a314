// RUN: cuda-tile-opt %s -mlir-print-debuginfo -test-debuginfo-update-symbol-name="symbol-to-rename=k new-name=kernel" | FileCheck %s --check-prefix=ENTRY
// RUN: cuda-tile-opt %s -test-debuginfo-update-symbol-name="symbol-to-rename=lut new-name=table scope=m" | FileCheck %s --check-prefix=GLOBAL
// RUN: cuda-tile-opt %s -test-debuginfo-update-symbol-name="symbol-to-rename=lut new-name=table scope=other" | FileCheck %s --check-prefix=OTHER
// RUN: cuda-tile-opt %s -test-debuginfo-update-symbol-name="symbol-to-rename=lut new-name=table scope=k" | FileCheck %s --check-prefix=GLOBAL
// RUN: not cuda-tile-opt %s -test-debuginfo-update-symbol-name="symbol-to-rename=lut new-name=k" 2>&1 | FileCheck %s --check-prefix=TAKEN
// RUN: not cuda-tile-opt %s -test-debuginfo-update-symbol-name="symbol-to-rename=lut new-name=table update-uses=false" 2>&1 | FileCheck %s --check-prefix=LOST

#file = #cuda_tile.di_file<"k.py" in "/home/ada">
#unit = #cuda_tile.di_compile_unit<file = #file>
#scope = #cuda_tile.di_subprogram<file = #file, line = 1, name = "k", linkageName = "k", compileUnit = #unit, scopeLine = 1>
#block = #cuda_tile.di_lexical_block<scope = #scope, file = #file, line = 2, column = 3>

cuda_tile.module @m {
  // GLOBAL: global @table
  // OTHER: global @lut
  // TAKEN: error: expected a symbol 'lut' and a name that is free, got 'k'
  global @lut <f32: [1.0, 2.0]> : tile<2xf32>
  // ENTRY: entry @kernel
  entry @k() {
    // GLOBAL: get_global @table
    // LOST: 'lut' does not reference a valid global
    %p = get_global @lut : tile<ptr<f32>> loc(#cuda_tile.di_loc<loc("k.py":2:4) in #block>)
    return loc(#cuda_tile.di_loc<loc("k.py":3:4) in #scope>)
  } loc(#cuda_tile.di_loc<loc("k.py":1:1) in #scope>)
}
// ENTRY: di_subprogram<{{.*}}name = "k", linkageName = "kernel"
// ENTRY-NOT: linkageName = "k"
