// Several modules in one file, each by itself, as tests of bytecode are written: the
// module is that of the file (`-no-implicit-module`) or the only op in it.
// RUN: cuda-tile-translate -test-cudatile-roundtrip -no-implicit-module -split-input-file %s | FileCheck %s
// RUN: cuda-tile-translate -test-cudatile-roundtrip -split-input-file %s | FileCheck %s
// RUN: cuda-tile-translate -test-cudatile-roundtrip -generic-form -no-implicit-module -split-input-file %s | FileCheck %s --check-prefix=GENERIC
// RUN: cuda-tile-translate -test-cudatile-roundtrip -mlir-print-debuginfo -no-implicit-module -split-input-file %s | FileCheck %s --check-prefix=LOC
// RUN: cuda-tile-translate -test-cudatile-roundtrip -no-implicit-module -split-input-file -bytecode-version=13.1.0 %s | FileCheck %s

// CHECK:      cuda_tile.module @kernels {
// CHECK-NEXT:   entry @twice(%arg0: tile<i32>) {
// CHECK-NEXT:     %0 = addi %arg0, %arg0 : tile<i32>
// CHECK-NEXT:     return
// CHECK-NOT:  loc(
// GENERIC:      "cuda_tile.module"() <{sym_name = "kernels"}> ({
// GENERIC:        "cuda_tile.addi"(%arg0, %arg0) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
// LOC:      addi %arg0, %arg0 : tile<i32> loc(#[[LOC:.*]])
// LOC:      #[[POSITION:.*]] = loc("kernel.py":7:9)
// LOC:      #[[LOC]] = #cuda_tile.di_loc<#[[POSITION]] in #{{.*}}>
cuda_tile.module @kernels {
  entry @twice(%n: tile<i32>) {
    %0 = addi %n, %n : tile<i32> loc("kernel.py":7:9)
    return
  }
}

// -----

// CHECK:      cuda_tile.module @kernels {
// CHECK-NEXT:   entry @nothing() {
// GENERIC:      sym_name = "nothing"
// LOC:      entry @nothing()
cuda_tile.module @kernels {
  entry @nothing() {
    return
  }
}
