// RUN: cuda-tile-opt %s -mlir-print-debuginfo -test-debuginfo-update-symbol-name="symbol-to-rename=m::k new-name=kernel" | FileCheck %s --check-prefix=ENTRY
// RUN: cuda-tile-opt %s -test-debuginfo-update-symbol-name="symbol-to-rename=m::lut new-name=table scope=m update-uses=true" | FileCheck %s --check-prefix=GLOBAL
// RUN: not cuda-tile-opt %s -test-debuginfo-update-symbol-name="symbol-to-rename=m::nope new-name=table" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not cuda-tile-opt %s -test-debuginfo-update-symbol-name="symbol-to-rename=m::lut new-name=table scope=other" 2>&1 | FileCheck %s --check-prefix=NOSCOPE
// RUN: not cuda-tile-opt %s -test-debuginfo-update-symbol-name="symbol-to-rename=m::lut new-name=table scope=m::k" 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not cuda-tile-opt %s -test-debuginfo-update-symbol-name="symbol-to-rename=m::lut new-name=k update-uses=true" 2>&1 | FileCheck %s --check-prefix=TAKEN
// RUN: not cuda-tile-opt %s -test-debuginfo-update-symbol-name="symbol-to-rename=m::lut new-name=table" 2>&1 | FileCheck %s --check-prefix=LOST
// NONE: error: could not find symbol op with name '@m::@nope'
// NOSCOPE: error: could not find symbol op with name '@other'

#file = #cuda_tile.di_file<"k.py" in "/home/ada">
#unit = #cuda_tile.di_compile_unit<file = #file>
#scope = #cuda_tile.di_subprogram<file = #file, line = 1, name = "k", linkageName = "k", compileUnit = #unit, scopeLine = 1>
#block = #cuda_tile.di_lexical_block<scope = #scope, file = #file, line = 2, column = 3>

cuda_tile.module @m {
  // GLOBAL: global @table
  // OUTSIDE: error: attempted to update symbol names in a scope that did not enclose the symbol itself
  // OUTSIDE: note: scope defined here
  // TAKEN: error: redefinition of symbol named 'k'
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
