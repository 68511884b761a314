// Passes on functions or on modules, given as bare flags on a whole file, find what
// they work on.
// RUN: cuda-tile-opt %s -fuse-fma | FileCheck %s --check-prefix=FUSE
// RUN: cuda-tile-opt %s -loop-split | FileCheck %s --check-prefix=SPLIT
// RUN: cuda-tile-opt %s -loop-split=split-threshold=0 | FileCheck %s --check-prefix=KEEP
// RUN: cuda-tile-opt %s -fuse-fma -loop-split -canonicalize -cse | FileCheck %s --check-prefixes=FUSE,SPLIT
// RUN: cuda-tile-opt %s -synthesize-debug-info-scopes --mlir-print-debuginfo | FileCheck %s --check-prefix=SCOPE
// RUN: cuda-tile-opt %s -no-implicit-module -fuse-fma -synthesize-debug-info-scopes | FileCheck %s --check-prefix=FUSE
// RUN: cuda-tile-opt %s -pass-pipeline='builtin.module(cuda_tile.module(cuda_tile.entry(fuse-fma,loop-split)))' | FileCheck %s --check-prefixes=FUSE,SPLIT

cuda_tile.module @m {
  // FUSE: entry @k
  // FUSE: fma
  // SPLIT: for
  // SPLIT-NOT: if
  // SPLIT: for
  // KEEP: for
  // KEEP: if
  // KEEP-NOT: for
  // SCOPE: #di_subprogram = #cuda_tile.di_subprogram<{{.*}}name = "k"
  entry @k(%p: tile<ptr<f32>>, %x: tile<f32>, %n: tile<i32>) {
    %product = mulf %x, %x : tile<f32>
    %sum = addf %product, %x : tile<f32>
    %one = constant <i32: 1> : tile<i32>
    for %i in (%one to %n, step %one) : tile<i32> {
      %c = cmpi less_than %i, %n, signed : tile<i32> -> tile<i1>
      if %c {
        %t = store_ptr_tko weak %p, %sum : tile<ptr<f32>>, tile<f32> -> token
      }
    }
  }
}
