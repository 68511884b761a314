// RUN: not cuda-tile-opt %s -split-input-file 2>&1 | FileCheck %s

// The ops' locations are these of files that do not exist, so that the messages
// cannot be expected beside the lines.

#file = #cuda_tile.di_file<"f.py" in "/">
#unit = #cuda_tile.di_compile_unit<file = #file>
#f = #cuda_tile.di_subprogram<file = #file, line = 1, name = "f", linkageName = "f", compileUnit = #unit, scopeLine = 1>
// CHECK: f.py:1:1: error: 'cuda_tile.entry' op invalid function debug info location: loc(callsite({{.*}})). Function location must not be a CallSiteLoc.
cuda_tile.module @m {
  entry @f() {
    return
  } loc(callsite(#cuda_tile.di_loc<loc("f.py":1:1) in #f> at "g.py":2:2))
}

// -----

#file = #cuda_tile.di_file<"f.py" in "/">
#unit = #cuda_tile.di_compile_unit<file = #file>
#f = #cuda_tile.di_subprogram<file = #file, line = 1, name = "f", linkageName = "f", compileUnit = #unit, scopeLine = 1>
#block = #cuda_tile.di_lexical_block<scope = #f, file = #file, line = 1, column = 1>
// CHECK: f.py:2:1: error: 'cuda_tile.entry' op invalid function debug info scope: #cuda_tile.di_lexical_block<{{.*}}>. Function location must have cuda_tile.di_subprogram debug info scope.
cuda_tile.module @m {
  entry @f() {
    return
  } loc(#cuda_tile.di_loc<loc("f.py":2:1) in #block>)
}

// -----

#file = #cuda_tile.di_file<"f.py" in "/">
#unit = #cuda_tile.di_compile_unit<file = #file>
#f = #cuda_tile.di_subprogram<file = #file, line = 1, name = "f", linkageName = "f", compileUnit = #unit, scopeLine = 1>
// CHECK: f.py:3:1: error: 'cuda_tile.entry' op invalid function debug info scope: #cuda_tile.di_subprogram<{{.*}}>. Function name "g" does not match subprogram scope linkage name "f".
cuda_tile.module @m {
  entry @g() {
    return
  } loc(#cuda_tile.di_loc<loc("f.py":3:1) in #f>)
}

// -----

#file = #cuda_tile.di_file<"f.py" in "/">
#unit = #cuda_tile.di_compile_unit<file = #file>
#f = #cuda_tile.di_subprogram<file = #file, line = 1, name = "f", linkageName = "f", compileUnit = #unit, scopeLine = 1>
// CHECK: f.py:4:1: error: 'cuda_tile.iota' op invalid operation debug info scope: #cuda_tile.di_subprogram<{{.*}}>. Operation has debug info scope, but function debug info scope is undefined.
cuda_tile.module @m {
  entry @f() {
    %i = iota : tile<8xi32> loc(#cuda_tile.di_loc<loc("f.py":4:1) in #f>)
    return
  }
}

// -----

#file = #cuda_tile.di_file<"f.py" in "/">
#unit = #cuda_tile.di_compile_unit<file = #file>
#f = #cuda_tile.di_subprogram<file = #file, line = 1, name = "f", linkageName = "f", compileUnit = #unit, scopeLine = 1>
#g = #cuda_tile.di_subprogram<file = #file, line = 1, name = "g", linkageName = "g", compileUnit = #unit, scopeLine = 1>
#block = #cuda_tile.di_lexical_block<scope = #g, file = #file, line = 1, column = 1>
// CHECK: f.py:5:1: error: 'cuda_tile.iota' op invalid operation debug info scope: #cuda_tile.di_subprogram<{{.*}}name = "g"{{.*}}>. Operation debug info scope does not match function debug info scope: #cuda_tile.di_subprogram<{{.*}}name = "f"{{.*}}>.
cuda_tile.module @m {
  entry @f() {
    %i = iota : tile<8xi32> loc(#cuda_tile.di_loc<loc("f.py":5:1) in #block>)
    return
  } loc(#cuda_tile.di_loc<loc("f.py":1:1) in #f>)
}

// -----

#file = #cuda_tile.di_file<"f.py" in "/">
#unit = #cuda_tile.di_compile_unit<file = #file>
#f = #cuda_tile.di_subprogram<file = #file, line = 1, name = "f", linkageName = "f", compileUnit = #unit, scopeLine = 1>
// CHECK: f.py:6:1: error: 'cuda_tile.global' op invalid operation debug info scope: #cuda_tile.di_loc<{{.*}}>. Global variables must not have scope.
cuda_tile.module @m {
  global @g <i32: [1]> : tile<1xi32> loc(#cuda_tile.di_loc<loc("f.py":6:1) in #f>)
}
